"""Cards that a hand puts down aside, where the finder outlines none."""

from __future__ import annotations

import numpy as np
import pytest

from referee.cards import Card
from tests.vision.table.tracks import lying
from vision.detection.segmentation import CARD, MAP_PX, OTHER
from vision.geometry.quads import Array, Mask
from vision.layout import TableLayout
from vision.motion.hand_pass import Touch
from vision.motion.hand_tracking import HandTracker
from vision.table.observation import Gone, InitialState
from vision.table.piles import Piles
from vision.table.put_down import PutDownPlaces
from vision.table.track import FrameFacts

SHAPE = (180, 320)
SCALE = 4.0
HAND, OTHER_HAND = 7, 8


class HandOver(HandTracker):
    """A hand tracker that says of every place that one hand was over it."""

    def __init__(self, visit: int) -> None:
        self._visit = visit

    def touches(
        self, quad_px: Array, since: float, until: float, layout: TableLayout, *, seen: bool = False
    ) -> tuple[Touch, ...]:
        return (Touch(self._visit, 0.9, 10.0, until),)


def taken(cards: int = 2) -> PutDownPlaces:
    """Return the memory of a hand that has taken cards at the left of the picture."""
    places = PutDownPlaces()
    tracks = [lying(key, 200 + 20 * key, 300, "7s") for key in range(1, cards + 1)]
    gone = [Gone(track.key, 5.0, (Touch(HAND, 0.9, 10.0, 5.0),)) for track in tracks]
    places.add_taken(gone, tracks)
    return places


def found(
    places: PutDownPlaces, side_px: int = 22, label: int = CARD, hand: int = HAND, lying_px: tuple[Array, ...] = ()
) -> list[Array]:
    """Return the places found where a square patch has changed at the right of the picture."""
    changed = np.zeros(SHAPE, bool)
    changed[80 : 80 + side_px, 240 : 240 + side_px] = True
    labels: Mask = np.full(MAP_PX[::-1], label, np.uint8)
    nothing = np.zeros(SHAPE, bool)
    layout = TableLayout.guessed((1280, 720), ("A", "B")).measured(np.stack([lying(1, 200, 300, "7s").corners_px]))
    return places.found(changed, labels, lying_px, FrameFacts(6.0, nothing, SCALE, nothing), HandOver(hand), layout)


def test_cards_put_down_aside_are_found_where_none_is_outlined() -> None:
    (place,) = found(taken())
    assert np.allclose(place.mean(axis=0), (240 * 4 + 44, 80 * 4 + 44), atol=4)


@pytest.mark.parametrize(
    ("why", "places"),
    [
        ("one card was beaten by none", found(taken(cards=1))),
        ("the segmentation shows no cards", found(taken(), label=OTHER)),
        ("a shadow is smaller", found(taken(), side_px=5)),
        ("the table is larger", found(taken(), side_px=100)),
        ("another hand was there", found(taken(), hand=OTHER_HAND)),
        ("a card of the bout lies there", found(taken(), lying_px=(lying(9, 1000, 360, "8c").corners_px,))),
    ],
)
def test_other_changes_are_no_pile(why: str, places: list[Array]) -> None:
    assert places == [], why


def test_hand_is_forgotten_after_a_while() -> None:
    places = taken()
    assert places.is_expected(8.0)
    assert not places.is_expected(9.5)


def test_place_is_a_discard_pile_as_long_as_cards_show_there() -> None:
    piles = Piles(InitialState(Card.parse("8h")))
    quad = lying(1, 1000, 360, None).corners_px
    piles.add_put_down(quad, 6.0)
    assert [heap.changed_at for heap in piles.discard_piles] == [6.0]
    piles.add_put_down(quad + 10, 9.0)
    assert [heap.changed_at for heap in piles.discard_piles] == [9.0], "the same pile, which has grown"
    piles.forget_put_down(lambda place: True)
    assert len(piles.discard_piles) == 1
    piles.forget_put_down(lambda place: False)
    assert piles.discard_piles == []
