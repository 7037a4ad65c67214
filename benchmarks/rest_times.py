"""
When everything an event was about had come to rest and the hand was gone, by a clip's own tracks.

A card laid rests when the hand is clear of it: that is the event's own time, unless another hand comes to lie over it
before anybody could have told it. Cards swept or lifted are under way until the hand has put them down and let go of
them; nobody could tell before where they went.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from referee.events import Lifted, Placed, Swept, TableEvent

LONGEST_S = 4.0
"""Whoever carries cards for longer is not waited for."""
GLIMPSE_S = 0.4
"""A card in view for less, before a hand hides it again, need not have been told: so long a ruling may take."""


@dataclass(frozen=True)
class Rests:
    """
    ``at``: times of the frames; ``moving``: places (n, 2) of cards under way; ``lying``: of each face that lies still
    its corners (4, 2); ``hands``: outlines of all hands.
    """

    at: tuple[float, ...]
    moving: tuple[tuple[tuple[float, float], ...], ...]
    hands: tuple[tuple[np.ndarray, ...], ...]
    lying: tuple[dict[str, np.ndarray], ...] = ()

    @classmethod
    def read(cls, tracks: Path) -> Rests:
        """From ``NAME.tracks.jsonl``."""
        at, moving, hands, lying = [], [], [], []
        with tracks.open(encoding="utf-8") as lines:
            for line in lines:
                frame = json.loads(line)
                at.append(float(frame["at"]))
                under_way = [np.mean(card["corners_px"], axis=0) for card in frame["cards"] if card["moving"]]
                moving.append(tuple((float(x), float(y)) for x, y in under_way))
                still = [card for card in frame["cards"] if not card["moving"]]
                lying.append({card["card"]: np.array(card["corners_px"], np.float32) for card in still})
                hands.append(tuple(np.array(hand["outline_px"], np.float32) for hand in frame["hands"]))
        return cls(tuple(at), tuple(moving), tuple(hands), tuple(lying))

    def after(self, event: TableEvent) -> float:
        """When what the event tells had come to rest and the hand was off it; at its own time at the earliest."""
        if isinstance(event, Placed):
            return self._shown(str(event.card), event.at)
        if not isinstance(event, Swept | Lifted):
            return event.at
        first = int(np.searchsorted(self.at, event.at - 1e-6))
        carried: tuple[tuple[float, float], ...] = ()
        for k in range(first, len(self.at)):
            if self.at[k] > event.at + LONGEST_S:
                break
            carried = self.moving[k] or carried
            covered = any(cv2.pointPolygonTest(hand, place, False) >= 0 for hand in self.hands[k] for place in carried)
            if not self.moving[k] and not covered:
                return max(event.at, self.at[k])
        return event.at

    def _shown(self, card: str, at: float) -> float:
        """From when on a card laid at this time is in view for long enough to be told."""
        since: float | None = None
        for k in range(int(np.searchsorted(self.at, at - 1e-6)), len(self.lying)):
            corners = self.lying[k].get(card)
            if corners is None:  # taken up again, or knocked
                break
            places = [(float(x), float(y)) for x, y in (*corners, corners.mean(axis=0))]
            if any(cv2.pointPolygonTest(hand, place, False) >= 0 for hand in self.hands[k] for place in places):
                since = None
                continue
            since = self.at[k] if since is None else since
            if self.at[k] - since >= GLIMPSE_S:
                return max(at, since)
        return at
