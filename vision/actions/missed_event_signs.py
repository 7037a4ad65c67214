"""
Signs that an event was missed: cards and hands that no reported event accounts for. None of them is an event; each
lowers the probability that a fault is called.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from referee.events import TableEvent
from vision.actions.action_model import ActionModel
from vision.detection.detections import FACE_COUNT, Detections
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import Array, gap, overlap, size
from vision.motion.hand_pass import HandPass
from vision.table.observation import Observation
from vision.table.track import Track

# Lengths in card diagonals, times in seconds, shares from 0 to 1. Chosen by hand, 2026-11.
SIGN_LASTS_S = 6.0
"""How long a face or a card found once may still explain what the bout looks like."""
FACE_FOUND, FACE_READ = 0.7, 0.95
"""Least confidence of the finder and probability of the name of an unreported face."""
FACES_APART_S, FACE_AT_REST = 0.1, 0.06
"""Least time between the two inferences that find it, and most movement between them."""
TRACK_NEAR, EXCHANGE_NEAR = 0.3, 1.8
"""
Distances within which a card of its name accounts for a face, and within which a card near the talon is put down for an
exchange.
"""
FLEETING_FOUND, FLEETING_READ, FLEETING_ALONE_S = 0.6, 0.8, 0.3
"""
Least confidence of the finder and probability of the name of a card across another that was found once, and seconds for
which it was not found again.
"""
STRAY = 0.9
"""A back that came this near to a card that lay there lies among the cards of the bout."""
HANDS_REMEMBERED, IDLE_HANDS, BRIEF_HAND_S = 8, 3, 0.3
"""
Number of last hands, number of idle ones among them that are a sign, and seconds in the picture below which a hand did
nothing.
"""
REPORT_DELAY_S, REPORT_LEAD_S = 1.0, 0.3
"""
Most seconds between a hand's leaving and the report of its event, and between the time of that event and the hand's
coming.
"""


class MissedEventSigns:
    """
    Watches a table for faces read clearly at one place by two inferences that no card accounts for; cards
    across another that one inference found before hands covered them (swept right after they were laid, they are never
    confirmed), or that pass for backs; hands that came and went without an event.
    """

    def __init__(self) -> None:
        self._faces: dict[int, tuple[Array, float]] = {}
        self._unreported: dict[int, tuple[Array, float]] = {}
        self._found_once: dict[int, float] = {}
        self._near_backs: frozenset[int] = frozenset()
        self._reported: deque[tuple[str | None, float]] = deque(maxlen=4 * HANDS_REMEMBERED)
        self._idle: deque[bool] = deque(maxlen=HANDS_REMEMBERED)
        self._counted: set[int] = set()

    def add_inference(self, found: Detections, tracks: Sequence[Track], talon_px: Sequence[Array], at: float) -> None:
        """
        Take in an inference: the detections within the bout's zone, and the tracks after it.

        ``talon_px``: outlines of talon and turn-up, (n, 2) px. ``at``: seconds.
        """
        before, self._faces = self._faces, {}
        for quad, confidence, names in zip(found.corners_px, found.confidence, found.probabilities, strict=True):
            name, reach = int(names.argmax()), size(quad)
            if name >= FACE_COUNT or confidence < FACE_FOUND or names[name] < FACE_READ:
                continue
            if _accounts_for(tracks, name, quad) or any(gap(quad, pile) < EXCHANGE_NEAR * reach for pile in talon_px):
                continue
            self._faces[name] = quad, at
            if name in before and float(np.abs(quad - before[name][0]).max()) <= FACE_AT_REST * reach:
                self._faces[name] = before[name]
                if at - before[name][1] >= FACES_APART_S:
                    self._unreported[name] = quad, at
        # A card that is laid is found before it is followed: it is no sign of another event.
        self._unreported = {
            name: (quad, when)
            for name, (quad, when) in self._unreported.items()
            if at - when <= SIGN_LASTS_S and not _accounts_for(tracks, name, quad)
        }
        faces = [track for track in tracks if track.is_confirmed and not track.is_back and not track.is_nothing]
        self._near_backs = frozenset(
            face.key
            for back in tracks
            if back.is_back and back.is_confirmed and not any(overlap(back.corners_px, pile) for pile in talon_px)
            for face in faces
            if back.first_at > face.first_at and gap(back.corners_px, face.corners_px) < STRAY * size(face.corners_px)
        )
        for track in tracks:
            if track.inferences > 1:
                self._found_once.pop(track.key, None)
            elif track.seen_at == at and _lies_across_another(track, tracks):
                self._found_once[track.key] = at
        self._found_once = {key: when for key, when in self._found_once.items() if at - when <= SIGN_LASTS_S}

    def add_hands(self, hands: Sequence[HandPass], reported: Iterable[TableEvent], at: float) -> None:
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

    def at(self, seen: Observation, at: float, model: ActionModel) -> dict[str, float]:
        """Return the signs at the time ``at`` (seconds), in words, with the probability that an event was missed."""
        names = [card.card for card in (*seen.bout, seen.turnup) if card is not None]
        # A discard pile grows beside the turn-up, too.
        is_back_among_cards = any(card.key in self._near_backs for card in seen.bout)
        fleeting = any(FLEETING_ALONE_S <= at - when <= SIGN_LASTS_S for when in self._found_once.values())
        signs = (
            ("a card lies there that nobody can read", bool(seen.unread), model.card_unread),
            # It was misread, or moved unseen.
            ("one card seems to lie in two places", len(set(names)) < len(names), model.other_sign),
            (
                "a face is in plain view of which nothing was reported",
                any(at - when <= SIGN_LASTS_S for _, when in self._unreported.values()),
                model.face_unreported,
            ),
            ("a card across another was glimpsed once", fleeting, model.other_sign),
            # Nobody lays backs there: it is a misread face.
            ("what passes for a back lies among the cards of the bout", is_back_among_cards, model.other_sign),
            ("hands came and went and nothing was reported", sum(self._idle) >= IDLE_HANDS, model.idle_hands),
        )
        return {sign: missed for sign, applies, missed in signs if applies}


def _accounts_for(tracks: Sequence[Track], name: int, quad: Array) -> bool:
    """Check whether a track is the face ``name`` that an inference found at ``quad``, (4, 2) px."""
    return any(track.best == name and gap(track.corners_px, quad) < TRACK_NEAR * size(quad) for track in tracks)


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
