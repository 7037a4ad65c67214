"""
Count what an inference finds of cards whose true place is known, and which of its claims are no laid card, for
``python -m benchmarks.fit_actions``.

``NAME.tracks.jsonl`` (``python -m datasets.clips list --tracks``) has the true cards of each frame; a film on which no
card is laid, as of a riffle, has none and counts as negative. Use development clips only. Every inference that the
pipeline runs is counted, so that blur, hands and hard compression come as often as they do in play:

* **found**: the share of resting faces that the detections show, by the share in view and by what hides most of the
  rest. A card that was found counts as **named** if its likeliest name is the true one.
* **claims**: detections at places where no card lay at the inference before, by what is known of the claim. **laid**:
  a card lies there at rest; **held**: a card is there and moves; **nothing**: no card is there.
* **change**: resting faces, at least half in view, by whether their place changed since the inference before; and
  places that cards have left since.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.detection.detections import CLASS_NAMES, FACE_COUNT, Detections
from vision.geometry.quads import Array, area, fill, intersection_area, iou
from vision.motion.arm_regions import Flags
from vision.motion.motion_report import MotionReport
from vision.table.track import ARM_COVER, CLEAR_CONFIDENCE, CLEAR_READ
from vision.view.observer import EvidenceRecord, InferenceRecord

SHOWN = 0.5
"""A detection shows a card if their intersection over union is at least this."""
PART_INSIDE = 0.85
"""
Share of a detection within the outline from which a detection of the same name also shows the card: what shows of a
covered card.
"""
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Limits of the classes by share in view."""
CHANGED_SHARES = (0.0, 0.05, 0.2, 0.35, 0.6, 1.0)
"""Limits of the classes by share of a place that has changed."""
RIM_PX = 3
"""Pixels of the reduced picture round a claim within which an arm is at its rim."""
CHANGED = 0.2
"""Share of a place that must differ from the inference before for the place to count as changed."""
SAME = 0.8
"""A claim was found before if one of its name had this intersection over union with it."""
LEAST_VIEW = 0.5
"""Changes are counted of cards of which at least this share is in view."""
_RIM = np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)


@dataclass(frozen=True)
class TrueCard:
    """A card of one frame. ``corners_px``: (4, 2)."""

    name: str
    corners_px: Array
    moves: bool


def true_frames(clip: Path) -> list[list[TrueCard]]:
    """
    Return the cards of each frame of a clip, lower ones first; none at all where its record has no event.

    Raise ``ValueError`` where the true places are not known.
    """
    tracks = clip.with_suffix(".tracks.jsonl")
    if not tracks.is_file():
        if sum(bool(line.strip()) for line in clip.with_suffix(".jsonl").read_text("utf-8").splitlines()) > 1:
            raise ValueError(f"expected {tracks.name} beside {clip.name}, whose record has events")
        return []
    with tracks.open(encoding="utf-8") as lines:
        return [
            [
                TrueCard(card["card"], np.array(card["corners_px"], np.float32), bool(card["moving"]))
                for card in json.loads(line)["cards"]
            ]
            for line in lines
        ]


@dataclass
class Counts:
    """Counts by class of situation; can be added."""

    found: dict[str, Counter[str]] = field(default_factory=dict)
    claims: dict[str, Counter[str]] = field(default_factory=dict)
    change: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, other: Counts) -> None:
        """Add the counts of another clip."""
        for mine, others in ((self.found, other.found), (self.claims, other.claims), (self.change, other.change)):
            for key, counted in others.items():
                mine.setdefault(key, Counter()).update(counted)


def between(limits: Sequence[float], share: float) -> str:
    """
    Return the class of a share in words.

    >>> between((0.0, 0.1, 0.5, 1.0), 0.1), between((0.0, 0.1, 0.5, 1.0), 1.0)
    ('0.1 to 0.5', '0.5 to 1')
    """
    k = next(k for k in range(1, len(limits)) if share < limits[k] or k == len(limits) - 1)
    return f"{limits[k - 1]:g} to {limits[k]:g}"


class InferenceCounter:
    """An observer of the pipeline that compares every inference with the true cards; ``counts`` has the result."""

    def __init__(self, frames: Sequence[Sequence[TrueCard]]) -> None:
        self._frames = frames
        self._lay: Sequence[TrueCard] = ()
        self._before: Detections = Detections.none()
        self.counts = Counts()

    def on_inference(self, record: InferenceRecord) -> None:
        """Compare one inference."""
        frame = record.frame.number
        cards = self._frames[frame] if frame < len(self._frames) else ()
        resting = [card for card in cards if not card.moves]
        found, report = record.detected, record.report
        shows = shown_cards(cards, found)
        for number, card in enumerate(cards):
            if not card.moves and card.name != "back":
                k = shows.get(number)
                name = None if k is None else CLASS_NAMES[int(found.best[k])]
                self._count_card(card, cards[number + 1 :], name, report)
        for k in range(len(found)):
            self._count_claim(k, cards, found, report, record.changed)
        for card in resting:
            stays = any(
                other.name == card.name and iou(other.corners_px, card.corners_px) >= SHOWN for other in self._lay
            )
            if stays and card.name != "back":
                self._count_change("lies", card, report, record.changed)
        for card in self._lay:
            left = all(other.name != card.name or iou(other.corners_px, card.corners_px) < SHOWN for other in resting)
            if left and card.name != "back":
                self._count_change("left", card, report, record.changed)
        self._lay, self._before = resting, found

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Ignore what was concluded."""

    def _count_card(self, card: TrueCard, above: Sequence[TrueCard], read_as: str | None, report: MotionReport) -> None:
        """Count whether a resting face was found, and under which name, by what hides how much of it."""
        shape = (report.arm_labels.shape[0], report.arm_labels.shape[1])
        place = fill(shape, card.corners_px, 1 / report.scale) > 0
        if not place.any():
            return
        occluders = np.zeros(shape, np.uint8)
        for other in above:
            cv2.fillConvexPoly(occluders, np.round(other.corners_px / report.scale).astype(np.int32), 1)
        arms, whole = report.arm_labels > 0, int(place.sum())
        view = float((place & ~arms & (occluders == 0)).sum()) / whole
        by_arms = (place & arms).sum() > (place & (occluders > 0) & ~arms).sum()
        cover = "arms" if by_arms else "cards"
        key = f"{cover if view < 0.999 else 'nothing'}, {between(SHARES, view)} in view"
        outcome = "missed" if read_as is None else "named" if read_as == card.name else "misnamed"
        self.counts.found.setdefault(key, Counter())[outcome] += 1

    def _count_claim(
        self, k: int, cards: Sequence[TrueCard], found: Detections, report: MotionReport, changed: Flags
    ) -> None:
        """Count what a claim at a new place is."""
        quad, names = found.corners_px[k], found.probabilities[k]
        if names.argmax() >= FACE_COUNT or any(iou(card.corners_px, quad) >= SHOWN for card in self._lay):
            return  # no face, or at a place that is known
        name = CLASS_NAMES[int(names.argmax())]
        here = [card for card in cards if iou(card.corners_px, quad) >= SHOWN]
        if any(not card.moves and card.name == name for card in here):
            outcome = "laid"
        elif any(not card.moves for card in here):
            outcome = "misread"
        else:
            outcome = "held" if here else "nothing"
        shape = (report.arm_labels.shape[0], report.arm_labels.shape[1])
        place = fill(shape, quad, 1 / report.scale)
        if not place.any():
            return
        arms = report.arm_labels > 0
        on_it = float(arms[place > 0].mean())
        rim = bool(arms[cv2.dilate(place, _RIM) > 0].any())
        held = "under an arm" if on_it > ARM_COVER else "arm at the rim" if rim else "no arm"
        again = any(
            iou(other, quad) >= SAME and int(self._before.best[j]) == int(names.argmax())
            for j, other in enumerate(self._before.corners_px)
        )
        clear = "clear" if names.max() >= CLEAR_READ and found.confidence[k] >= CLEAR_CONFIDENCE else "unclear"
        for key in (
            f"arm: {held}",
            f"changed: {between(CHANGED_SHARES, float(changed[place > 0].mean()))}",
            f"seen: {'again' if again else 'first'}",
            f"read: {clear}",
            f"all: {held}, {clear}, {'again' if again else 'first'}",
        ):
            self.counts.claims.setdefault(key, Counter())[outcome] += 1

    def _count_change(self, what: str, card: TrueCard, report: MotionReport, changed: Flags) -> None:
        place = fill((changed.shape[0], changed.shape[1]), card.corners_px, 1 / report.scale) > 0
        view = place & ~(report.arm_labels > 0)
        if not place.any() or view.sum() < LEAST_VIEW * place.sum():
            return
        is_changed = float(changed[view].mean()) >= CHANGED
        self.counts.change.setdefault(what, Counter())["changed" if is_changed else "unchanged"] += 1


def shown_cards(cards: Sequence[TrueCard], found: Detections) -> dict[int, int]:
    """
    Pair cards with the detections that show them, by index: those of the card's own name first, then by shared area.

    Each is used once: what is found of the upper of two cards that lie exactly on each other does not show the lower.
    """
    pairs = []
    for number, card in enumerate(cards):
        own = CLASS_NAMES.index(card.name)
        for k, quad in enumerate(found.corners_px):
            shared, is_own = iou(quad, card.corners_px), int(found.best[k]) == own
            is_part = is_own and intersection_area(quad, card.corners_px) >= PART_INSIDE * area(quad)
            if shared >= SHOWN or is_part:
                pairs.append((is_own, shared, number, k))
    shows: dict[int, int] = {}
    for _, _, number, k in sorted(pairs, reverse=True):  # of two that share as much the upper one
        if number not in shows and k not in shows.values():
            shows[number] = k
    return shows
