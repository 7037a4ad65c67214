"""
Signs that an event was missed: cards and hands that no reported event accounts for.

Three things are watched:

* an *unreported face*: two inferences find the same face, read clearly, at one place, and no track accounts for it;
* a *fleeting card*: a face across another card was found by one inference only, before hands covered it. A card that is
  swept away right after it was laid is never confirmed, so it is not reported;
* *idle hands*: hands came and went several times and no event was reported of them.

None of them is an event. Each lowers the probability that a fault is called (:mod:`vision.events.evidence`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from referee.events import TableEvent
from vision.detection.detections import FACE_COUNT, Detections
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import Array, gap, overlap, size
from vision.observation import HandVisit
from vision.tracking.track import Track

SIGN_LASTS_S = 6.0
"""Seconds for which a face or a fleeting card may still explain what the bout looks like. Chosen by hand."""

FACE_FOUND, FACE_READ = 0.7, 0.95
"""Least confidence of the finder and probability of the name of an unreported face. Chosen by hand."""
FACES_APART_S = 0.1
"""Least time, in seconds, between the two inferences that find an unreported face."""
FACE_AT_REST = 0.06
"""Most movement of its corners between them, in card diagonals."""
TRACK_NEAR = 0.3
"""A track of the same name within this distance, in card diagonals, accounts for a face."""
EXCHANGE_NEAR = 1.8
"""Faces within this distance of the talon, in card diagonals, are put down for an exchange and are no sign."""

FLEETING_FOUND, FLEETING_READ = 0.6, 0.8
"""Least confidence of the finder and probability of the name of a fleeting card. Chosen by hand."""
FLEETING_ALONE_S = 0.3
"""A card not found again for this many seconds counts as fleeting; before that the next inference is merely due."""

HANDS_REMEMBERED, IDLE_HANDS = 8, 3
"""Of the last ``HANDS_REMEMBERED`` hand tracks, ``IDLE_HANDS`` without an event are a sign. Chosen by hand."""
BRIEF_HAND_S = 0.3
"""A hand that was in the picture for less did nothing."""
REPORT_DELAY_S = 1.0
"""Longest time after a hand has left at which an event may still be reported of it, in seconds."""
REPORT_LEAD_S = 0.3
"""An event of a hand may bear a time this much before the hand came, in seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Face:
    corners_px: Array
    since: float


class UnreportedFaces:
    """Watches for clearly read faces that no track accounts for."""

    def __init__(self) -> None:
        self._last: dict[int, _Face] = {}
        self._seen_at = -1e9

    def add(self, found: Detections, tracks: Sequence[Track], talon_px: Sequence[Array], at: float) -> None:
        """
        Compare the detections of an inference with the tracks after it.

        ``talon_px``: outlines of talon and turn-up, (n, 2) px.
        """
        now: dict[int, _Face] = {}
        for quad, confidence, names in zip(found.corners_px, found.confidence, found.probabilities, strict=True):
            name = int(names.argmax())
            is_clear = name < FACE_COUNT and confidence >= FACE_FOUND and names[name] >= FACE_READ
            if not is_clear or _is_tracked(name, quad, tracks):
                continue
            if any(gap(quad, pile) < EXCHANGE_NEAR * size(quad) for pile in talon_px):
                continue
            before = self._last.get(name)
            if before is None or float(np.abs(quad - before.corners_px).max()) > FACE_AT_REST * size(quad):
                now[name] = _Face(quad, at)
                continue
            now[name] = before
            if at - before.since >= FACES_APART_S:
                self._seen_at = at
        self._last = now

    def were_seen(self, at: float) -> bool:
        """Check whether there was such a face in the last ``SIGN_LASTS_S``."""
        return at - self._seen_at <= SIGN_LASTS_S


class FleetingCards:
    """Watches for cards that lie across another and were found by one inference only."""

    def __init__(self) -> None:
        self._found_once: dict[int, float] = {}

    def add(self, tracks: Sequence[Track], at: float) -> None:
        """Take in the tracks after the inference at the time ``at`` (seconds)."""
        for track in tracks:
            if track.inferences > 1:
                self._found_once.pop(track.key, None)
            elif track.seen_at == at and _lies_across_another(track, tracks):
                self._found_once[track.key] = at
        self._found_once = {key: seen for key, seen in self._found_once.items() if at - seen <= SIGN_LASTS_S}

    def were_seen(self, at: float) -> bool:
        """Check whether there was such a card in the last ``SIGN_LASTS_S``."""
        return any(FLEETING_ALONE_S <= at - seen <= SIGN_LASTS_S for seen in self._found_once.values())


class IdleHands:
    """Counts hands that came and left and of which no event was reported. People rest their hands, but not often."""

    def __init__(self) -> None:
        self._reported: deque[tuple[str | None, float]] = deque(maxlen=4 * HANDS_REMEMBERED)
        self._idle: deque[bool] = deque(maxlen=HANDS_REMEMBERED)
        self._counted: set[int] = set()

    def add(self, hands: Sequence[HandVisit], reported: Iterable[TableEvent], at: float) -> None:
        """Take in the hands of the last seconds and the events reported at the time ``at`` (seconds)."""
        self._reported += [(getattr(event, "by", None), event.at) for event in reported]
        self._counted &= {hand.number for hand in hands}
        for hand in hands:
            if hand.number in self._counted or hand.left_at is None or at - hand.left_at < REPORT_DELAY_S:
                continue
            self._counted.add(hand.number)
            if hand.left_at - hand.came_at >= BRIEF_HAND_S:
                first, last = hand.came_at - REPORT_LEAD_S, hand.left_at + REPORT_DELAY_S
                did_something = any(by in (None, hand.seat) and first <= when <= last for by, when in self._reported)
                self._idle.append(not did_something)

    @property
    def are_many(self) -> bool:
        """Check whether at least ``IDLE_HANDS`` of the last hands were idle."""
        return sum(self._idle) >= IDLE_HANDS


class MissedEventSigns:
    """All three signs of one table."""

    def __init__(self) -> None:
        self.faces, self.fleeting_cards, self.hands = UnreportedFaces(), FleetingCards(), IdleHands()

    def add_inference(self, found: Detections, tracks: Sequence[Track], talon_px: Sequence[Array], at: float) -> None:
        """Take in an inference: the detections within the bout's zone, and the tracks after it."""
        self.faces.add(found, tracks, talon_px, at)
        self.fleeting_cards.add(tracks, at)


def _is_tracked(name: int, quad: Array, tracks: Sequence[Track]) -> bool:
    reach = TRACK_NEAR * size(quad)
    return any(int(np.argmax(track.evidence)) == name and gap(track.corners_px, quad) < reach for track in tracks)


def _lies_across_another(track: Track, tracks: Sequence[Track]) -> bool:
    """Check whether it is a clearly read face across a known face."""
    if track.is_back or track.is_nothing or track.confidence < FLEETING_FOUND or track.single_reading < FLEETING_READ:
        return False
    return any(
        other is not track
        and other.inferences > 1
        and not other.is_back
        and overlap(track.corners_px, other.corners_px) >= LIES_ACROSS
        for other in tracks
    )
