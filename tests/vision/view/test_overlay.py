"""The overlay draws on a copy of the frame, at the cards, in any state."""

from __future__ import annotations

import numpy as np

from referee.cards import Card
from vision.layout import TableLayout
from vision.view.overlay import draw
from vision.view.pipeline_view import PipelineView, SeenCard, SeenHand

GREY = np.full((720, 1280, 3), 120, np.uint8)


def card(key: int, name: str | None, x: float, y: float, **more: object) -> SeenCard:
    """Return a card seen at a place."""
    corners = tuple((x + dx, y + dy) for dx, dy in ((-40, -56), (40, -56), (40, 56), (-40, 56)))
    values: dict[str, object] = {"confidence": 0.99, "zone": "bout", "on": None, "is_confirmed": True, **more}
    return SeenCard(key, corners, None if name is None else Card.parse(name), **values)  # type: ignore[arg-type]


def view(*cards: SeenCard, blind: bool = False, hands: tuple[SeenHand, ...] = ()) -> PipelineView:
    """Return a view of the pipeline with these cards."""
    layout = TableLayout.guessed((1280, 720), ("A", "B"))
    talon = next((np.array(c.corners_px, np.float32) for c in cards if c.zone == "talon"), None)
    return PipelineView(0, 0.0, cards, hands, layout.with_piles(talon, ()), blind)


def test_overlay_of_no_cards_is_unchanged_and_the_frame_is_not_modified() -> None:
    before = GREY.copy()
    assert np.array_equal(draw(GREY, view()), GREY)
    draw(GREY, view(card(1, "7s", 300, 300)))
    assert np.array_equal(GREY, before)


def test_cards_are_outlined_at_their_place() -> None:
    drawn = draw(GREY, view(card(1, "7s", 300, 300)))
    marked = (drawn != GREY).any(axis=2)
    assert marked[300, 260]
    assert marked[300, 340]
    assert not marked[500:, 700:].any()


def test_unsure_cards_and_pairs_are_drawn_differently() -> None:
    sure = draw(GREY, view(card(1, "7s", 300, 300)))
    unsure = draw(GREY, view(card(1, "7s", 300, 300, confidence=0.6)))
    assert not np.array_equal(sure, unsure)
    attack, lone = card(1, "7s", 300, 300), card(2, "Th", 330, 330)
    defence = card(2, "Th", 330, 330, on=Card.parse("7s"), on_key=1)
    assert not np.array_equal(draw(GREY, view(attack, lone)), draw(GREY, view(attack, defence)))


def test_every_suit_pile_hand_and_blind_view_can_be_drawn() -> None:
    cards = [card(k, name, 5 + 420 * (k % 4), 5 + 350 * (k // 4)) for k, name in enumerate(("As", "Th", "6d", "Qc"))]
    piles = [card(10, None, 100, 400, zone="talon"), card(11, None, 1100, 400, zone="heap")]
    hands = (SeenHand("Anya", (640, 500)), SeenHand("Борис", (2, 2)), SeenHand(None, (900, 9)))
    for image in (GREY, GREY[:180, :320]):
        drawn = draw(image, view(*cards, *piles, blind=True, hands=hands))
        assert drawn.shape == image.shape
        assert not np.array_equal(drawn, image)


def test_blind_view_has_a_border_and_no_text() -> None:
    framed = (draw(GREY, view(blind=True)) != GREY).any(axis=2)
    assert framed[[0, -1], :].all()
    assert framed[:, [0, -1]].all()
    assert not framed[20:-20, 20:-20].any()
