"""Beneath a card of a column or a fan lies the next one, a step further and as that card lies."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.amodal_completion import rigid_card
from vision.geometry.card_chains import ChainSettings, edges_of, next_beneath, rigid_by, same_step, stepped
from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import Array, iou

SETTINGS = ChainSettings()
SIZE = (CARD_WIDTH_MM, CARD_HEIGHT_MM)


def card(x: float, y: float, turn: float = 0.0) -> Array:
    return rigid_card(x, y, turn, SIZE)


COLUMN = [card(0, 27.0 * k) for k in range(6)]
FAN = [card(100 * np.sin(0.13 * k), -100 * np.cos(0.13 * k), 0.13 * k) for k in range(6)]


def way(which: int, cards: list[Array]) -> tuple[int, int] | None:
    """Return the neighbours found among cards that lie each on the one before."""
    upper = np.tril(np.ones((len(cards), len(cards)), np.float32), -1)
    return next_beneath(which, np.stack(cards), upper, SETTINGS)


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_a_chain_goes_on_beneath_its_lowest_card(chain: list[Array], down: tuple[int, int]) -> None:
    assert way(0, chain) == down
    assert way(1, chain) is None


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_where_a_card_is_missing_the_one_above_it_asks(chain: list[Array], down: tuple[int, int]) -> None:
    few = [quad for k, quad in enumerate(chain) if k != 4]
    assert way(4, few) == down
    assert [way(k, few) for k in range(1, 4)] == [None] * 3


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_one_step_down_is_nearer_to_the_next_card_than_to_any_other(chain: list[Array], down: tuple[int, int]) -> None:
    place = stepped(chain[3], down, SETTINGS)
    assert int(np.argmax([iou(place, quad) for quad in chain])) == 2


def test_a_card_turned_by_half_is_the_same_card() -> None:
    turned = [np.roll(quad, 2, axis=0) if k % 2 else quad for k, quad in enumerate(COLUMN)]
    few = [quad for k, quad in enumerate(turned) if k != 4]
    assert way(4, few) in ((0, -1), (0, 1))
    assert way(3, few) is None


def test_a_card_that_lies_across_or_apart_is_no_neighbour() -> None:
    assert way(1, [card(0, 0), card(20, 20, np.pi / 2)]) is None
    assert way(1, [card(0, 0), card(200, 0)]) is None


def test_the_same_step_again_goes_on_round_the_same_point() -> None:
    assert iou(same_step(FAN[1], FAN[2]), FAN[3]) > 0.99


def test_a_card_is_placed_by_its_visible_corners() -> None:
    told = FAN[2].copy()
    told[1:3] += np.float32([9, -7])
    shown = np.array([True, False, False, True])
    assert iou(rigid_by(told, shown, SIZE), FAN[2]) > 0.999
    assert edges_of(FAN[2]) == pytest.approx(SIZE, abs=1e-3)
