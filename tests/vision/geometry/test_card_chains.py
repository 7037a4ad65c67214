"""Columns and fans: the next card beneath lies one constant step further."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.amodal_completion import rigid_card
from vision.geometry.card_chains import ChainSettings, edges_of, next_beneath, rigid_by, same_step, stepped
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, iou

SETTINGS = ChainSettings()
SIZE = (CARD_WIDTH_MM, CARD_HEIGHT_MM)


def card(x: float, y: float, turn: float = 0.0) -> Array:
    return rigid_card(x, y, turn, SIZE)


COLUMN = [card(0, 27.0 * k) for k in range(6)]
FAN = [card(100 * np.sin(0.13 * k), -100 * np.cos(0.13 * k), 0.13 * k) for k in range(6)]


def chain_direction(which: int, cards: list[Array]) -> tuple[int, int] | None:
    """Return the neighbours found among cards that lie each on the one before."""
    upper = np.tril(np.ones((len(cards), len(cards)), np.float32), -1)
    return next_beneath(which, np.stack(cards), upper, SETTINGS)


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_chain_direction_is_found_at_the_lowest_card(chain: list[Array], down: tuple[int, int]) -> None:
    assert chain_direction(0, chain) == down
    assert chain_direction(1, chain) is None


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_chain_direction_is_found_above_a_missing_card(chain: list[Array], down: tuple[int, int]) -> None:
    few = [quad for k, quad in enumerate(chain) if k != 4]
    assert chain_direction(4, few) == down
    assert [chain_direction(k, few) for k in range(1, 4)] == [None] * 3


@pytest.mark.parametrize(("chain", "down"), [(COLUMN, (0, -1)), (FAN, (-1, 0))], ids=["column", "fan"])
def test_one_step_down_overlaps_the_next_card_most(chain: list[Array], down: tuple[int, int]) -> None:
    place = stepped(chain[3], down, SETTINGS)
    assert int(np.argmax([iou(place, quad) for quad in chain])) == 2


def test_half_turned_cards_belong_to_the_chain() -> None:
    turned = [np.roll(quad, 2, axis=0) if k % 2 else quad for k, quad in enumerate(COLUMN)]
    few = [quad for k, quad in enumerate(turned) if k != 4]
    assert chain_direction(4, few) in ((0, -1), (0, 1))
    assert chain_direction(3, few) is None


def test_crossed_or_distant_card_is_no_neighbour() -> None:
    assert chain_direction(1, [card(0, 0), card(20, 20, np.pi / 2)]) is None
    assert chain_direction(1, [card(0, 0), card(200, 0)]) is None


def test_repeated_step_turns_about_the_same_point() -> None:
    assert iou(same_step(FAN[1], FAN[2]), FAN[3]) > 0.99


def test_rigid_card_is_fitted_to_visible_corners() -> None:
    corners = FAN[2].copy()
    corners[1:3] += np.float32([9, -7])
    shown = np.array([True, False, False, True])
    assert iou(rigid_by(corners, shown, SIZE), FAN[2]) > 0.999
    assert edges_of(FAN[2]) == pytest.approx(SIZE, abs=1e-3)
