"""The table outline surrounds the cards: it grows during the game and restarts after a camera move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.cards import Card
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView, SeenCard
from vision.view.table_outline import OutlineSettings, TableOutline

LAYOUT = TableLayout.guessed((1280, 720), ("A", "B"))
DIAGONAL = 100.0


def card(x: float, y: float, is_confirmed: bool = True) -> SeenCard:
    """Return a card of 60 x 80 px with its middle there."""
    corners = ((x - 30, y - 40), (x + 30, y - 40), (x + 30, y + 40), (x - 30, y + 40))
    return SeenCard(int(x), corners, Card.parse("7s"), 0.99, "bout", None, is_confirmed)


def view(*cards: SeenCard, moved_at: float | None = None) -> PipelineView:
    return PipelineView(0, 0.0, cards, (), LAYOUT, moved_at=moved_at)


def extent(polygon: np.ndarray) -> tuple[int, int, int, int]:
    (left, top), (right, bottom) = polygon.min(axis=0), polygon.max(axis=0)
    return int(left), int(top), int(right), int(bottom)


def test_outline_is_empty_before_a_confirmed_card() -> None:
    assert TableOutline().follow(view()).shape == (0, 2)
    assert TableOutline().follow(view(card(600, 300, is_confirmed=False))).shape == (0, 2)


def test_outline_has_a_margin_around_the_cards() -> None:
    outline = TableOutline(OutlineSettings(margin=1.5)).follow(view(card(500, 300), card(800, 400)))
    assert extent(outline) == (320, 110, 980, 590)


def test_outline_is_constant_while_all_cards_lie_inside() -> None:
    table = TableOutline()
    first = table.follow(view(card(500, 300), card(800, 400)))
    assert table.follow(view(card(510, 295), card(700, 350))) is first
    assert table.follow(view()) is first


def test_outline_grows_with_the_cards_up_to_the_picture_edge() -> None:
    table = TableOutline()
    table.follow(view(card(500, 300)))
    assert extent(table.follow(view(card(1240, 690))))[2:] == (1279, 719)


def test_outline_restarts_after_a_camera_move() -> None:
    table = TableOutline(OutlineSettings(margin=1.5))
    table.follow(view(card(300, 300)))
    assert extent(table.follow(view(card(900, 300), moved_at=3.0))) == (720, 110, 1080, 490)


def test_outline_includes_the_marked_bout_zone() -> None:
    zones = replace(LAYOUT.zones, bout=((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)))
    marked = replace(view(card(600, 300)), layout=LAYOUT.with_zones(zones))
    left, top, right, bottom = extent(TableOutline().follow(marked))
    assert left < 128
    assert right > 1152
    assert top < 72
    assert bottom > 648
