"""The overlay draws over a copy, where the cards are, in any state."""

from __future__ import annotations

import numpy as np

from referee.cards import Card
from vision.geometry.table_layout import TableLayout
from vision.view.overlay import draw
from vision.view.pipeline_view import PipelineView, SeenCard, SeenHand

GREY = np.full((720, 1280, 3), 120, np.uint8)


def card(key: int, name: str | None, x: float, y: float, **more: object) -> SeenCard:
    """Return a card seen at a place."""
    corners = tuple((x + dx, y + dy) for dx, dy in ((-40, -56), (40, -56), (40, 56), (-40, 56)))
    values: dict[str, object] = {"confidence": 0.99, "zone": "bout", "on": None, "is_confirmed": True, **more}
    return SeenCard(key, corners, None if name is None else Card.parse(name), **values)  # type: ignore[arg-type]


def view(*cards: SeenCard, blind: bool = False, hands: tuple[SeenHand, ...] = ()) -> PipelineView:
    """Return what the pipeline shows."""
    layout = TableLayout.guessed((1280, 720), ("A", "B"))
    talon = next((np.array(c.corners_px, np.float32) for c in cards if c.zone == "talon"), None)
    return PipelineView(0, 0.0, cards, hands, layout.with_piles(talon, ()), blind)


def test_nothing_seen_changes_nothing_and_the_frame_is_left_alone() -> None:
    before = GREY.copy()
    assert np.array_equal(draw(GREY, view()), GREY)
    draw(GREY, view(card(1, "7s", 300, 300)))
    assert np.array_equal(GREY, before)


def test_cards_are_outlined_where_they_lie() -> None:
    drawn = draw(GREY, view(card(1, "7s", 300, 300)))
    marked = (drawn != GREY).any(axis=2)
    assert marked[300, 260]
    assert marked[300, 340]
    assert not marked[500:, 700:].any()


def test_doubt_and_pairs_look_different() -> None:
    sure = draw(GREY, view(card(1, "7s", 300, 300)))
    unsure = draw(GREY, view(card(1, "7s", 300, 300, confidence=0.6)))
    assert not np.array_equal(sure, unsure)
    attack, lone = card(1, "7s", 300, 300), card(2, "Th", 330, 330)
    defence = card(2, "Th", 330, 330, on=Card.parse("7s"), on_key=1)
    assert not np.array_equal(draw(GREY, view(attack, lone)), draw(GREY, view(attack, defence)))


def test_every_suit_pile_hand_and_a_blind_view_can_be_drawn_even_at_the_edge() -> None:
    cards = [card(k, name, 5 + 420 * (k % 4), 5 + 350 * (k // 4)) for k, name in enumerate(("As", "Th", "6d", "Qc"))]
    piles = [card(10, None, 100, 400, zone="talon"), card(11, None, 1100, 400, zone="heap")]
    hands = (SeenHand("Anya", (640, 500)), SeenHand("Борис", (2, 2)), SeenHand(None, (900, 9)))
    for image in (GREY, GREY[:180, :320]):
        drawn = draw(image, view(*cards, *piles, blind=True, hands=hands))
        assert drawn.shape == image.shape
        assert not np.array_equal(drawn, image)


def test_a_picture_on_which_nothing_can_be_seen_has_a_frame_and_no_words() -> None:
    framed = (draw(GREY, view(blind=True)) != GREY).any(axis=2)
    assert framed[[0, -1], :].all()
    assert framed[:, [0, -1]].all()
    assert not framed[20:-20, 20:-20].any()
