"""The newest frame for display: cards with their names and zones, hands with their seats."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from referee.cards import Card
from vision.detection.detections import FACE_COUNT, FACES, NOTHING_INDEX, Detections
from vision.geometry.quads import Matrix, warp
from vision.layout import TableLayout
from vision.motion.motion_report import MotionReport
from vision.table.card_filter import CardFilter
from vision.table.track import STILL_INFERENCES

READ_SURELY = 0.8
"""Least probability of the name of a card shown while the camera moves. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """
    One card for display. ``corners_px``: clockwise. ``card``: None for a back. ``zone``: ``bout``, ``talon``,
    ``turnup`` or ``heap``. ``on``: the card it lies across, ``on_key`` its track. ``is_confirmed``: it was detected
    often enough to count.
    """

    key: int
    corners_px: tuple[tuple[float, float], ...]
    card: Card | None
    confidence: float
    zone: str
    on: Card | None
    is_confirmed: bool
    on_key: int | None = None


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand in the picture: its most likely seat and its finger tips."""

    seat: str | None
    tip_px: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class PipelineView:
    """
    The newest frame for overlay and dashboard. ``moved_at``: when the camera was last moved, in seconds, None if never.

    ``sways``: the camera moves all the time. ``blocked_by``: why the table cannot be followed now, in words; None while
    it can.
    """

    number: int
    at: float
    cards: tuple[SeenCard, ...]
    hands: tuple[SeenHand, ...]
    layout: TableLayout
    blind: bool = False
    moved_at: float | None = None
    sways: bool = False
    blocked_by: str | None = None

    def moved(self, camera: Matrix) -> PipelineView:
        """Return this view as it lies in the frame of a swaying camera. ``camera``: (3, 3), from pixels to pixels."""
        cards = [
            replace(card, corners_px=tuple(map(tuple, warp(camera, np.array(card.corners_px)).tolist())))
            for card in self.cards
        ]
        hands = [replace(hand, tip_px=tuple(warp(camera, np.array(hand.tip_px)).tolist())) for hand in self.hands]
        return replace(self, cards=tuple(cards), hands=tuple(hands), layout=self.layout.followed(camera))


def seen_cards(tracker: CardFilter) -> tuple[SeenCard, ...]:
    """Return all tracked cards, lower ones first."""
    tracks = {track.key: track for track in tracker.tracks}
    cards = []
    for track in tracker.tracks:
        card, share, _ = track.reading()
        on = None if track.lying is None else track.lying.on
        under = tracks.get(on) if on is not None else None
        cards.append(
            SeenCard(
                track.key,
                tuple((float(x), float(y)) for x, y in track.corners_px),
                None if track.is_back else card,
                round(share if not track.is_back else float(track.shares.max()), 3),
                tracker.piles.zone(track.key),
                None if under is None else under.reading()[0],
                track.inferences >= STILL_INFERENCES,
                on if under is not None else None,
            )
        )
    return tuple(cards)


def read_cards(found: Detections) -> tuple[SeenCard, ...]:
    """Return the clearly read cards of a single inference; none of them counts."""
    cards = []
    for k, quad in enumerate(found.corners_px):
        best, sure = int(found.best[k]), float(found.probabilities[k].max())
        if sure < READ_SURELY or best == NOTHING_INDEX:
            continue
        corners = tuple((float(x), float(y)) for x, y in quad)
        card = FACES[best] if best < FACE_COUNT else None
        cards.append(SeenCard(-1 - k, corners, card, round(sure, 3), "bout", None, is_confirmed=False))
    return tuple(cards)


def seen_hands(report: MotionReport, layout: TableLayout) -> tuple[SeenHand, ...]:
    """Return all arms in the picture, each with its likeliest seat."""
    hands = []
    for arm in report.arms:
        shares = layout.seat_shares(arm.contact or arm.tip)
        seat = max(shares, key=lambda name: shares[name]) if shares else None
        hands.append(SeenHand(seat, arm.tip))
    return tuple(hands)
