"""What lies on the table: names, order and placement of the cards that the filter knows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from referee.cards import Card
from vision.detection.detections import CLASS_NAMES
from vision.geometry.pose import Pose
from vision.layout import Zones
from vision.table.card_filter import CardFilter
from vision.table.cards_in_view import CardsInView, Visits
from vision.table.lying_cards import LyingCards
from vision.table.observation import InitialState, LyingCard
from vision.table.track import CardState, FrameFacts, Track

CARD = np.array([[20, 20], [40, 20], [40, 48], [20, 48]], np.float32)


def track(key: int, name: str, shift: float, share: float = 0.99) -> Track:
    """Return a track of a card ``shift`` px beside the first."""
    made = Track(
        key, CARD + np.float32([shift, 0]), 1.0, 0.5, inferences=4, still=4, state=CardState.ON_TABLE, seen_at=2.0
    )
    made.evidence[:] = np.log((1 - share) / 53)
    made.evidence[CLASS_NAMES.index(name)], made.weight = np.log(share), 1.0
    return made


class Hands:
    """Stands for hands that were at no card."""

    busy = False
    holding = SimpleNamespace(holds=lambda quad_px, held: False)

    def lain_since(self, *_: object) -> None:
        return None

    def touches(self, *_: object, **__: object) -> tuple[()]:
        return ()

    def clear_at(self, quad_px: np.ndarray, until: float) -> float:
        return until

    def slid_in(self, quad_px: np.ndarray, since: float) -> bool:
        return False


def lying(tracks: list[Track], talon: int | None = None) -> CardFilter:
    """Return a filter with these tracks, on a table whose plane is the picture, after it was observed."""
    cards = CardFilter(start=InitialState(dealt=True, talon=talon))
    cards.tracks = tracks
    observe(cards)
    return cards


def observe(cards: CardFilter, is_held: bool = False) -> None:
    """Let the filter's cards be observed. ``is_held``: a hand that rests in the picture holds what lies there."""
    layout = SimpleNamespace(
        zones=Zones(),
        whole_px=lambda quad: quad,
        is_in_bout=lambda quad: True,
        pose=lambda quad: Pose(*map(float, quad.mean(axis=0))),
        mm=lambda points: np.asarray(points),
    )
    facts = FrameFacts(2.0, np.zeros((90, 160), bool), 1.0, np.zeros((90, 160), bool))
    cards.sights = CardsInView(cards.tracks, facts).sights(Visits(None, 0.0, 1.0))
    hands = Hands()
    hands.holding = SimpleNamespace(holds=lambda quad_px, held: is_held)
    LyingCards(cards, facts, cast(Any, hands), cast(Any, layout), has_begun=True, shows_held=True).observe(())


@pytest.mark.parametrize(("name", "is_unsure"), [("9c", True), ("none", False), ("back", False)])
def test_unsure_card_needs_another_inference_and_no_card_reading_does_not(name: str, is_unsure: bool) -> None:
    claim = track(1, name, 0, 0.6)
    claim.inferences = 2
    assert claim.is_unsure is is_unsure


@pytest.mark.parametrize(("shift", "grazed"), [(19.2, 1), (20.5, None)])
def test_card_touches_the_open_card_whose_edge_it_shares(shift: float, grazed: int | None) -> None:
    tracks = [track(1, "7s", 0), track(2, "8d", -60), track(3, "Kd", -58), track(4, "Ts", shift), track(5, "Td", -39.5)]
    laid = {track.key: track.lying for track in lying(tracks).tracks if track.lying is not None}
    assert laid[4].partly_overlaps == grazed
    assert laid[5].partly_overlaps is None, "a card that is beaten, and the one that beats it, are no places to lay one"


@pytest.mark.parametrize(("share", "is_there"), [(0.7, False), (0.93, True)])
def test_unsure_strip_of_a_pile_is_no_card_of_the_bout(share: float, is_there: bool) -> None:
    cards = lying([track(1, "back", 0)], talon=0)
    cards.tracks += [track(2, "Td", 5, share), track(3, "9d", 60, share)]
    for other in cards.tracks[1:]:
        other.first_at = 3.0
    observe(cards)
    assert [other.lying is not None for other in cards.tracks[1:]] == [is_there, True]


@pytest.mark.parametrize(("lower_laid_at", "on"), [(0.5, 1), (3.0, None)])
def test_card_lies_on_none_once_the_lower_one_was_drawn_from_under_it(lower_laid_at: float, on: int | None) -> None:
    lower, upper = track(1, "Kc", 0), track(2, "Kd", 6)
    lower.laid_at, upper.laid_at = 0.5, 1.0
    cards = lying([lower, upper])
    lower.laid_at = lower_laid_at
    if on is None:
        lower.corners_px = lower.corners_px + np.float32([60, 0])
    observe(cards)
    assert upper.lying is not None
    assert upper.lying.on == on


def test_card_across_an_unread_one_accuses_nobody() -> None:
    lower, upper = track(1, "Kc", 0, 0.2), track(2, "Kd", 6)
    lying([lower, upper])
    assert lower.is_unread
    assert isinstance(upper.lying, LyingCard)
    assert (upper.lying.card, upper.lying.confidence) == (Card.parse("Kd"), 0.65)


def test_back_in_a_resting_hand_is_held_until_the_hand_has_gone() -> None:
    cards = lying([track(1, "back", 0)], talon=6)
    states = []
    for is_held in (False, True, True, False):
        observe(cards, is_held)
        states.append(cards.tracks[0].state)
    assert states == [CardState.ON_TABLE, CardState.HELD, CardState.HELD, CardState.ON_TABLE]
    assert cards.tracks[0].is_confirmed


def test_claimed_card_becomes_one_of_the_table_once() -> None:
    claim, drawn = track(1, "9c", 0), track(2, "6s", 60)
    claim.state, drawn.state = CardState.CLAIMED, CardState.DRAWN
    assert [claim.is_confirmed, drawn.is_confirmed] == [False, True]
    claim.confirm(3.0)
    drawn.confirm(3.0)
    assert [claim.state, drawn.state] == [CardState.ON_TABLE, CardState.DRAWN]
