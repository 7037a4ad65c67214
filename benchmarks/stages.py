"""
Score each stage of the vision pipeline by itself against a clip's tracks.

Every inference is compared with the true cards of its frame, faces at rest only. **found**: a claim lies there;
**named**: of those found, the classifier's likeliest name is right; **tracked**: a track lies there with the right name
from all readings so far; **confirmed**: it counts as lying there under that name. ``score_clip`` scores the events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.detection.detections import CLASS_NAMES, Detections
from vision.geometry.quads import iou
from vision.pipeline import Pipeline

SAME = 0.5
"""A claim matches a true card from this overlap (IoU) on."""

LEAST_SEEN = 0.25
"""Cards with a smaller visible share are not counted."""

STABLE_AFTER_S = 1.0
"""Seconds after coming to rest from which a card should count as lying there."""


@dataclass
class Stages:
    """Cards asked of each stage and cards right; can be added."""

    asked: int = 0
    found: int = 0
    named: int = 0
    tracked: int = 0
    due: int = 0
    confirmed: int = 0

    def add(self, other: Stages) -> None:
        """Sum up."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def line(self) -> str:
        """Return one line for people."""
        return (
            f"found {_share(self.found, self.asked)}  named {_share(self.named, self.found)} of those found  "
            f"tracked {_share(self.tracked, self.asked)}  confirmed {_share(self.confirmed, self.due)}"
        )


class StageWatch:
    """Counts stages while a clip is played (``score_clip.FrameObserver``); ``stages`` has the counts."""

    def __init__(self, tracks: Path) -> None:
        self._frames = [json.loads(line) for line in tracks.read_text(encoding="utf-8").splitlines()]
        self._resting_since: dict[str, float] = {}
        self.stages = Stages()

    def on_frame(self, number: int, at: float, pipeline: Pipeline, found: Detections | None) -> None:
        """Compare one inference; frames without one only update which cards rest."""
        if number >= len(self._frames):
            return
        cards = [card for card in self._frames[number]["cards"] if card["card"] != "back" and not card["moving"]]
        lying = {card["card"] for card in cards}
        self._resting_since = {name: self._resting_since.get(name, at) for name in lying}
        if found is None:
            return
        tracks = [
            (card, np.array(card.corners_px, np.float32)) for card in pipeline.view.cards if card.card is not None
        ]
        for card in cards:
            if 1 - card["covered"] >= LEAST_SEEN:
                quad = np.array(card["corners_px"], np.float32)
                self._compare(card["card"], quad, found)
                there = [
                    track for track, place in tracks if iou(place, quad) >= SAME and str(track.card) == card["card"]
                ]
                self.stages.tracked += bool(there)
                if at - self._resting_since[card["card"]] >= STABLE_AFTER_S:
                    self.stages.due += 1
                    self.stages.confirmed += any(track.is_confirmed for track in there)

    def _compare(self, name: str, quad: np.ndarray, found: Detections) -> None:
        self.stages.asked += 1
        best = max(range(len(found)), key=lambda k: iou(found.corners_px[k], quad), default=None)
        if best is None or iou(found.corners_px[best], quad) < SAME:
            return
        self.stages.found += 1
        self.stages.named += CLASS_NAMES[int(found.best[best])] == name


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else "-"
