"""Between two cards of a column or a fan, and under its lowest, lies the next one."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.amodal_completion import rigid_card
from vision.geometry.card_chains import ChainSettings, Gap, gaps_of_chains, stepped
from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import Array, iou

SETTINGS = ChainSettings()


def card(x: float, y: float, turn: float = 0.0) -> Array:
    return rigid_card(x, y, turn, (CARD_WIDTH_MM, CARD_HEIGHT_MM))


COLUMN = [card(0, 27.0 * k) for k in range(6)]
FAN = [card(100 * np.sin(0.13 * k), -100 * np.cos(0.13 * k), 0.13 * k) for k in range(6)]


def gaps(cards: list[Array]) -> list[Gap]:
    """As found among cards that lie each on the one before."""
    upper = np.tril(np.ones((len(cards), len(cards)), np.float32), -1)
    return gaps_of_chains(np.stack(cards), upper, SETTINGS)


@pytest.mark.parametrize("chain", [COLUMN, FAN], ids=["column", "fan"])
def test_the_one_card_missing_is_looked_for_at_its_place(chain: list[Array]) -> None:
    found = gaps([quad for k, quad in enumerate(chain) if k != 2])
    (between,) = [gap for gap in found if gap.above == 2]
    assert iou(between.corners_mm, chain[2]) > 0.97
    assert len(between.between_mm) == 0


@pytest.mark.parametrize("chain", [COLUMN, FAN], ids=["column", "fan"])
def test_of_two_missing_the_upper_one_lies_on_the_lower_one(chain: list[Array]) -> None:
    found = gaps([quad for k, quad in enumerate(chain) if k not in (2, 3)])
    lower, upper = [gap for gap in found if gap.above == 2]
    assert iou(lower.corners_mm, chain[2]) > 0.97
    assert iou(upper.corners_mm, chain[3]) > 0.97
    assert iou(lower.between_mm[0], chain[3]) > 0.97


def test_under_the_lowest_the_next_one_may_lie() -> None:
    (below,) = gaps(COLUMN[1:])
    assert below.above == 0
    assert iou(below.corners_mm, COLUMN[0]) > 0.97


def test_under_a_pair_nothing_is_looked_for() -> None:
    assert gaps(COLUMN[:2]) == []


def test_a_card_turned_by_half_is_the_same_card() -> None:
    turned = [np.roll(quad, 2, axis=0) if k % 2 else quad for k, quad in enumerate(COLUMN)]
    assert iou(gaps([turned[k] for k in (0, 1, 3, 4)])[0].corners_mm, COLUMN[2]) > 0.97


def test_cards_that_lie_across_or_apart_are_no_chain() -> None:
    assert gaps([card(0, 0), card(20, 20, np.pi / 2)]) == []
    assert gaps([card(0, 0), card(200, 0)]) == []
    assert gaps_of_chains(np.stack(COLUMN), np.full((6, 6), np.nan, np.float32), SETTINGS) == []


def test_a_step_beyond_goes_on_round_the_same_point() -> None:
    assert iou(stepped(FAN[1], FAN[2], 2.0), FAN[3]) > 0.99
    assert iou(stepped(FAN[1], FAN[2], -1.0), FAN[0]) > 0.99
