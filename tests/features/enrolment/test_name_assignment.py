"""Assignment of names to a whole deck: unique names, rows in order of rank, and given orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from features.enrolment.deck_names import card_list
from features.enrolment.name_assignment import NamedBy, best_assignment, find_rows, name_showings, named_in_order
from referee.cards import Card, pack
from vision.detection.detections import CLASS_NAMES

PACK = pack(36)


def logs(*seen: dict[str, float]) -> np.ndarray:
    """Return (n, 54) logarithms of shares, the rest spread over all other classes."""
    out = np.zeros((len(seen), len(CLASS_NAMES)))
    for row, shares in zip(out, seen, strict=True):
        row[:] = (1 - sum(shares.values())) / (len(CLASS_NAMES) - len(shares))
        for name, share in shares.items():
            row[CLASS_NAMES.index(name)] = share
    return np.log(out)


@pytest.mark.parametrize("seed", range(8))
def test_assignment_has_minimal_cost(seed: int) -> None:
    cost = np.random.default_rng(seed).random((4, 6)).round(2)
    chosen = best_assignment(cost)
    assert len(set(chosen.tolist())) == 4
    cheapest = min(sum(cost[i, c] for i, c in enumerate(columns)) for columns in permutations(range(6), 4))
    assert cost[np.arange(4), chosen].sum() == pytest.approx(cheapest)


def test_name_is_assigned_once_and_elimination_names_the_other_card() -> None:
    named = name_showings(logs({"Kh": 0.9}, {"Kh": 0.6, "Jh": 0.2}), 36)
    assert [str(naming.card) for naming in named] == ["Kh", "Jh"]
    assert [naming.by for naming in named] == [NamedBy.READING, NamedBy.ELIMINATION]


def test_cards_with_equal_readings_are_named_with_low_certainty() -> None:
    named = name_showings(logs({"Kh": 0.45, "Jh": 0.45}, {"Kh": 0.44, "Jh": 0.46}), 36)
    assert {str(naming.card) for naming in named} == {"Kh", "Jh"}
    assert all(naming.sure < 0.6 for naming in named)


def test_card_outside_the_pack_gets_no_name() -> None:
    named = name_showings(logs({"7s": 0.9}, {"2h": 0.99}), 36)
    assert [(naming.showing, str(naming.card)) for naming in named] == [(0, "7s")]


@pytest.mark.parametrize("turned", [False, True])
def test_rows_in_rank_order_overrule_unsure_readings(turned: bool) -> None:
    rng = np.random.default_rng(5)
    truth = list(PACK)
    read = []
    for card in truth:  # the suit is seen, the rank mostly not
        shares = {str(other): 0.09 for other in PACK if other.suit is card.suit}
        if rng.random() < 0.4:
            shares[str(card)] = 0.25
        read.append(shares)
    rows = [list(range(9 * k, 9 * k + 9)) for k in range(4)]
    if turned:
        rows = [row[::-1] for row in rows]
    named = name_showings(logs(*read), 36, rows)
    assert [naming.card for naming in named] == truth
    assert all(naming.by is NamedBy.ROWS and naming.sure > 0.9 for naming in named)


def test_rows_in_no_order_are_named_by_reading() -> None:
    shuffled = [PACK[int(k)] for k in np.random.default_rng(1).permutation(36)]
    read = logs(*({str(card): 0.8} for card in shuffled))
    named = name_showings(read, 36, [list(range(9 * k, 9 * k + 9)) for k in range(4)])
    assert [naming.card for naming in named] == shuffled
    assert all(naming.by is NamedBy.READING for naming in named)


def test_given_order_is_reversed_for_a_camera_on_the_far_side() -> None:
    order = card_list("6s-As,6h-Ah")
    groups = [list(range(9)), list(range(9, 18))]
    seen = [*order[8::-1], *order[:8:-1]]
    far = named_in_order(logs(*({str(card): 0.3} for card in seen)), groups, order)
    assert far.turned
    assert [naming.card for naming in far.namings] == seen
    near = named_in_order(logs(*({str(card): 0.3} for card in order)), groups, order)
    assert not near.turned
    assert near.misfit == pytest.approx(0)


def test_wrong_order_has_a_high_misfit() -> None:
    order = card_list("6s-As")
    mixed = [order[k] for k in (4, 0, 7, 2, 8, 1, 3, 6, 5)]
    wrong = named_in_order(logs(*({str(card): 0.9} for card in mixed)), [list(range(9))], order)
    assert wrong.misfit > 3


def quad(x: float, y: float, turns: int = 0) -> np.ndarray:
    """Return an upright card of 60 x 84 px that begins with another corner."""
    return np.roll(np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32), turns, axis=0)


def test_rows_are_ordered_from_top_left_whatever_the_card_rotation() -> None:
    quads = [quad(150, 120), quad(10, 10, 2), quad(80, 12), quad(10, 118), quad(150, 8, 2), quad(80, 122, 2)]
    assert find_rows(np.stack(quads)) == ((1, 2, 4), (3, 5, 0))


def test_single_card_is_a_row() -> None:
    assert find_rows(np.stack([quad(10, 10), quad(500, 400)])) == ((0,), (1,))
    assert find_rows(np.zeros((0, 4, 2), np.float32)) == ()


@pytest.mark.parametrize("text", ["", " , ", "10h", "6s-Ah", "6s,6s", "6s-"])
def test_invalid_order_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        card_list(text)


def test_order_accepts_cards_and_ranges() -> None:
    assert card_list("6s-As 6h-Ah,6d-Ad, 6c-Ac") == PACK
    assert card_list("As-Qs") == tuple(Card.parse(text) for text in ("As", "Ks", "Qs"))
