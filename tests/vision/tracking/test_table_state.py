"""Table state: confidence, order and placement of confirmed cards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from referee.cards import Card
from vision.detection.detections import CLASS_NAMES
from vision.observation import LyingCard, Pose
from vision.tracking.card_filter import CardFilter
from vision.tracking.missed_detections import CardsInView
from vision.tracking.piles import Piles
from vision.tracking.table_state import TableStateTracker, TrackedTable
from vision.tracking.track import FrameFacts, PileHints, Track

CARD = np.array([[20, 20], [40, 20], [40, 48], [20, 48]], np.float32)


def track(key: int, name: str, shift: float) -> Track:
    """Return a track of a card ``shift`` px beside the first."""
    made = Track(key, CARD + np.float32([shift, 0]), 1.0, 0.5, inferences=2, still=2)
    made.evidence[:] = -5.0
    made.evidence[CLASS_NAMES.index(name)] = 0.0
    return made


def state() -> TableStateTracker:
    """Return a table of which nothing is known."""
    return TableStateTracker(Piles(None))


def table(tracks: list[Track], hands: object = None) -> TrackedTable:
    """Return these tracks on a table whose plane is the picture."""
    view = CardsInView(tracks, FrameFacts(2.0, np.zeros((90, 160), bool), 1.0))
    layout = SimpleNamespace(whole_px=lambda quad: quad, is_in_bout=lambda quad: True)
    return TrackedTable(view, (), cast(Any, hands), cast(Any, layout), has_begun=False)


@pytest.mark.parametrize(
    ("others", "crowded"),
    [
        ([("Kc", 6), ("back", 9)], True),
        ([("Kc", 6)], False),
        ([("Kc", 6), ("none", 9)], False),
        ([("Kc", 6), ("back", 60)], False),
    ],
)
def test_card_among_unconfirmed_detections_is_uncertain(others: list[tuple[str, float]], crowded: bool) -> None:
    card = track(1, "9c", 0)
    tracks = [card, *(track(2 + k, name, shift) for k, (name, shift) in enumerate(others))]
    assert state()._is_crowded(card, tracks) is crowded


@pytest.mark.parametrize(("name", "is_unsure"), [("9c", True), ("none", False), ("back", False)])
def test_unsure_card_needs_another_inference_and_no_card_reading_does_not(name: str, is_unsure: bool) -> None:
    claim = track(1, name, 0)
    claim.evidence[:] = -2.0
    claim.evidence[CLASS_NAMES.index(name)] = 0.0
    assert state().is_unsure(claim) is is_unsure


class Clock:
    """Stands for the hands: says since when what lies at a place has lain there, by its left edge."""

    def __init__(self, since: dict[float, float | None]) -> None:
        self.since = since

    def lain_since(self, quad_px: np.ndarray, after: float, until: float, others_px: list[np.ndarray]) -> float | None:
        assert len(others_px) == 1, "the other card is passed as an occluder"
        return self.since[float(quad_px[0, 0])]


@pytest.mark.parametrize(
    ("lower_since", "upper_since", "order"),
    [(0.6, 0.9, [1, 2]), (0.9, 0.6, [2, 1]), (0.9, 0.8, [1, 2]), (None, 0.6, [1, 2]), (0.9, None, [1, 2])],
)
def test_earlier_of_two_cards_lies_below(
    lower_since: float | None, upper_since: float | None, order: list[int]
) -> None:
    tracker = CardFilter()
    tracker.tracks = [track(1, "Jh", 0), track(2, "Kc", 10)]
    clock = Clock({20.0: lower_since, 30.0: upper_since})
    tracker.apply_hints(PileHints(lower_first=state().order_by_time(table(tracker.tracks, clock))))
    assert [card.key for card in tracker.tracks] == order


def test_cards_found_in_sequence_keep_their_order() -> None:
    tracks = [track(1, "Jh", 0), track(2, "Kc", 10)]
    tracks[1].first_at = 1.2
    assert state().order_by_time(table(tracks, Clock({20.0: 0.9, 30.0: 0.2}))) == ()


@pytest.mark.parametrize(("shift", "grazed"), [(19.2, 1), (20.5, None), (16.0, 1)])
def test_card_touches_the_open_card_whose_edge_it_shares(shift: float, grazed: int | None) -> None:
    table_state = state()
    tracks = [track(1, "7s", 0), track(2, "Ts", shift), track(3, "8d", -60), track(4, "Kd", -58)]
    for key, on in ((1, None), (3, None), (4, 3)):
        table_state._lying[key] = LyingCard(key, Card.parse("7s"), 0.99, (), Pose(0, 0), on)
    assert table_state._grazed(tracks[1], table(tracks)) == grazed
    # A card that is beaten, and the one that beats it, are no places to lay one.
    tracks[1].corners_px = tracks[2].corners_px + np.float32([shift, 0])
    assert table_state._grazed(tracks[1], table(tracks)) is None


@pytest.mark.parametrize(("share", "is_there"), [(0.4, True), (0.93, False)])
def test_unsure_strip_of_a_pile_is_no_card_of_the_bout(share: float, is_there: bool) -> None:
    table_state = TableStateTracker(Piles(None, has_talon=False))
    heap, strip = track(1, "back", 0), track(2, "Td", 5)
    table_state.piles.place([heap], set(), 0.5, begun=True)
    strip.evidence[:], strip.weight = np.log((1 - share) / 53), 1.0
    strip.evidence[CLASS_NAMES.index("Td")] = np.log(share)
    assert table_state._is_at_pile(strip, table([heap, strip])) is is_there
    assert table_state._is_at_pile(track(3, "Td", 60), table([heap, strip])) is False


@pytest.mark.parametrize(("lower_laid_at", "on"), [(0.5, 1), (2.0, None)])
def test_card_lies_on_none_once_the_lower_one_was_drawn_from_under_it(lower_laid_at: float, on: int | None) -> None:
    table_state, lower, upper = state(), track(1, "Kc", 60), track(2, "Kd", 0)
    lower.laid_at, upper.laid_at = lower_laid_at, 1.0
    known = table([upper, lower])
    known.layout.__dict__["pose"] = lambda quad: Pose(0, 0)
    for key, below in ((1, None), (2, 1)):
        table_state._lying[key] = LyingCard(key, Card.parse("Kd"), 0.99, (), Pose(0, 0), below)
    reading = (Card.parse("Kd"), 0.99, ())
    assert table_state._updated(table_state._lying[2], upper, reading, False, known).on == on
