"""
Compute from a clip's tracks when everything that an event is about had come to rest and the hand was gone.

A laid card rests when the hand is clear of it: the event's own time, unless another hand covers it before it could be
reported. Swept or lifted cards move until the hand has put them down and released them; their destination cannot be
known earlier.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from referee.events import Lifted, Placed, Swept, TableEvent

LONGEST_S = 4.0
"""Seconds. Cards that are carried for longer are not waited for."""
READ_WHILE_MOVING_S = 0.4
"""Seconds. A card visible for less before a hand hides it again need not be reported: the time a ruling may take."""


@dataclass(frozen=True)
class Rests:
    """
    Tracks of a clip. ``at``: times of the frames; ``moving``: places (n, 2) of moving cards; ``lying``: corners (4, 2)
    of each face at rest; ``hands``: outlines of all hands.
    """

    at: tuple[float, ...]
    moving: tuple[tuple[tuple[float, float], ...], ...]
    hands: tuple[tuple[np.ndarray, ...], ...]
    lying: tuple[dict[str, np.ndarray], ...] = ()

    @classmethod
    def read(cls, tracks: Path) -> Rests:
        """Read ``NAME.tracks.jsonl``."""
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
        """
        Return when the cards of an event were at rest and the hand had left them; never before the event's own time.
        """
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
        """Return from when a card laid at this time is visible for long enough to be reported."""
        since: float | None = None
        for k in range(int(np.searchsorted(self.at, at - 1e-6)), len(self.lying)):
            corners = self.lying[k].get(card)
            if corners is None:  # picked up again, or pushed
                break
            places = [(float(x), float(y)) for x, y in (*corners, corners.mean(axis=0))]
            if any(cv2.pointPolygonTest(hand, place, False) >= 0 for hand in self.hands[k] for place in places):
                since = None
                continue
            since = self.at[k] if since is None else since
            if self.at[k] - since >= READ_WHILE_MOVING_S:
                return max(at, since)
        return at
