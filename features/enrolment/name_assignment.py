"""
Assign names to the showings of a whole deck: no name twice, and rows that follow the order of the ranks.

The classifier alone may confuse jack and king of an unknown deck. But a deck holds each card once, so the most likely
*joint assignment* resolves most of the ambiguity of single readings. Cards laid out in rows, one suit each in order of
rank, or in an order that the user gave, resolve the rest. Pure functions: log-probabilities in, names out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

import lap
import numpy as np
import numpy.typing as npt

from referee.cards import RANKS, Card, Suit, pack
from vision.detection.detections import CLASS_NAMES
from vision.geometry.quads import Array

NEXT_FROM, NEXT_TO = 0.3, 2.2
"""Distance between the centres of a card and its right neighbour, in card widths. Set by hand, 2026-11."""
MOST_ASIDE = 0.35
"""Largest vertical offset of that neighbour, in card heights. Set by hand, 2026-11."""
LEAST_AREA = 1e-3
"""Area of an outline in square pixels below which it has no left and right."""


def find_rows(corners_px: Array) -> tuple[tuple[int, ...], ...]:
    """
    Return the rows of (n, 4, 2) quads as indices, each from left to right, the topmost row first.

    Left and right are as in the picture; each card is in one row, alone if it has no neighbour. A row is a chain: each
    card's right neighbour is the nearest card whose centre lies straight to its right.
    """
    if not len(corners_px):
        return ()
    middles = corners_px.mean(axis=1)
    across = (corners_px[:, 1] - corners_px[:, 0] + corners_px[:, 2] - corners_px[:, 3]) / 2
    down = (corners_px[:, 3] - corners_px[:, 0] + corners_px[:, 2] - corners_px[:, 1]) / 2
    # Cards may lie upside down, so which short edge comes first is arbitrary; a row still has one direction.
    flip = np.where(across @ across[0] < 0, -1.0, 1.0)
    if (across * flip[:, None]).mean(axis=0)[0] < 0:
        flip = -flip
    across, down = across * flip[:, None], down * flip[:, None]
    following: dict[int, int] = {}
    for i in range(len(middles)):
        frame = np.column_stack([across[i], down[i]])
        if abs(np.linalg.det(frame)) < LEAST_AREA:
            continue
        local = np.linalg.solve(frame, (middles - middles[i]).T).T
        near = [(float(x), j) for j, (x, y) in enumerate(local) if NEXT_FROM < x < NEXT_TO and abs(y) < MOST_ASIDE]
        if near:
            following[i] = min(near)[1]
    followed = set(following.values())
    rows, placed = [], set()
    for start in sorted(range(len(middles)), key=lambda i: (i in followed, i)):
        if start in placed:
            continue
        row = [start]
        placed.add(start)
        while (after := following.get(row[-1])) is not None and after not in placed:
            row.append(after)
            placed.add(after)
        rows.append(tuple(row))
    below = down.mean(axis=0)
    return tuple(sorted(rows, key=lambda row: float(middles[list(row)].mean(axis=0) @ below)))


Floats = npt.NDArray[np.float64]
IMPOSSIBLE = 1e6
"""Cost (natural logarithm) of an excluded assignment: above any sum of readings."""

NEARLY_IMPOSSIBLE = IMPOSSIBLE / 10
"""Cost of leaving a showing unnamed if there are as many showings as cards."""
MOST_MARGIN = 50.0
"""Upper bound of a log-odds margin: float64 holds no probability nearer to 1."""


class NamedBy(Enum):
    """The basis of a card's name."""

    READING = "reading"
    """The classifier alone."""
    ELIMINATION = "elimination"
    """The names of the other cards leave no other."""
    ROWS = "rows"
    """The card's position in rows laid in order of rank."""
    ORDER = "order"
    """The order of showing that the user gave."""


@dataclass(frozen=True, slots=True)
class Naming:
    """
    The name of a showing. ``showing``: its index, from 0. ``sure``: probability, against the best assignment with
    another name.
    """

    showing: int
    card: Card
    sure: float
    by: NamedBy


# How far readings are trusted. Set by hand, 2026-11.
NAMING_FLOOR = 0.003
"""Lower bound of a class share in a reading: classifiers can be wrong with high confidence on unknown decks."""
NAMING_STRAY = 0.006
"""Likelihood below which a showing counts as no new card, unless there are as many showings as cards."""
ROW_GAP = 2.6
"""
Log-likelihood per card by which an assignment in rows may fall behind the best free one; unordered rows fall behind
by more than four.
"""
LEAST_ROW = 5
"""Smallest number of cards in a row."""
SURE_NAME = 0.97
"""Probability below which a name is reported as doubtful: a wrong name spoils every game with the deck."""


def best_assignment(cost: Floats) -> npt.NDArray[np.intp]:
    """
    Solve the assignment problem: (n, m) costs with n <= m -> (n,) columns.

    >>> best_assignment(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])).tolist()
    [1, 0, 2]
    """
    if cost.shape[0] > cost.shape[1]:
        raise ValueError(f"expected at least as many columns as rows, got {cost.shape}")
    _, columns, _ = lap.lapjv(cost, extend_cost=True)
    return np.asarray(columns, np.intp)


def name_showings(
    log_shares: Floats,
    pack_size: int,
    rows: Sequence[Sequence[int]] = (),
) -> tuple[Naming, ...]:
    """
    Return the most likely names of n showings of different cards; showings that seem to be no new card get none.

    ``log_shares``: (n, 54) natural logarithms over ``CLASS_NAMES``; -inf where a name is taken. ``rows``: showings that
    lie in a row.
    """
    cards = pack(pack_size)
    scores = scores_of(log_shares, cards)
    if not len(scores):
        return ()
    placed = _in_rows(scores, cards, rows)
    if not placed:
        return _assigned(scores, cards)
    others = [i for i in range(len(scores)) if i not in placed]
    left = scores[others].copy()
    left[:, [cards.index(naming.card) for naming in placed.values()]] = -np.inf
    rest = _assigned(left, cards) if others else ()
    moved = (Naming(others[naming.showing], naming.card, naming.sure, naming.by) for naming in rest)
    return tuple(sorted((*placed.values(), *moved), key=lambda naming: naming.showing))


def scores_of(log_shares: Floats, cards: Sequence[Card]) -> Floats:
    """Select the columns of ``cards`` from (n, 54) logarithms: (n, len(cards)); taken names (-inf) stay so."""
    columns = [CLASS_NAMES.index(str(card)) for card in cards]
    scores = log_shares[:, columns]
    return np.where(np.isneginf(scores), scores, np.maximum(scores, np.log(NAMING_FLOOR)))


def _costs(scores: Floats) -> Floats:
    """Return (n, m + n) costs: one column per name, then one per showing for being no new card."""
    is_whole = len(scores) == int(np.isfinite(scores).any(axis=0).sum())
    way_out = np.full((len(scores), len(scores)), NEARLY_IMPOSSIBLE if is_whole else -np.log(NAMING_STRAY))
    return np.hstack([np.where(np.isfinite(scores), -scores, IMPOSSIBLE), way_out])


def _assigned(scores: Floats, cards: Sequence[Card]) -> tuple[Naming, ...]:
    costs = _costs(scores)
    best = best_assignment(costs)
    total = float(costs[np.arange(len(best)), best].sum())
    named = []
    for i, column in enumerate(best):
        if column >= len(cards) or not np.isfinite(scores[i, column]):
            continue
        without = costs.copy()
        without[i, column] = IMPOSSIBLE
        other = best_assignment(without)
        margin = float(without[np.arange(len(other)), other].sum()) - total
        by = NamedBy.READING if int(np.argmax(scores[i])) == column else NamedBy.ELIMINATION
        named.append(Naming(i, cards[column], float(1 / (1 + np.exp(-min(margin, MOST_MARGIN)))), by))
    return tuple(named)


def _in_rows(scores: Floats, cards: Sequence[Card], rows: Sequence[Sequence[int]]) -> Mapping[int, Naming]:
    """
    Return names by rows of one suit each in order of rank; empty if the cards do not lie so.

    All rows run in one direction, either way, from the lowest rank up or with the ace before it.
    """
    place = {card: i for i, card in enumerate(cards)}
    ranks = [rank for rank in RANKS if any(str(card)[0] == rank for card in cards)]
    full = [row for row in rows if len(row) == len(ranks) >= LEAST_ROW]
    if not full or len(full) > len(Suit):
        return {}
    ace_first = [ranks[-1], *ranks[:-1]]
    arrangements: list[tuple[float, dict[int, int]]] = []
    for order in (ranks, ranks[::-1], ace_first, ace_first[::-1]):
        for suits in permutations(Suit, len(full)):
            columns = {
                showing: place[Card.parse(f"{rank}{suit.value}")]
                for row, suit in zip(full, suits, strict=True)
                for showing, rank in zip(row, order, strict=True)
            }
            arrangements.append((float(sum(scores[i, c] for i, c in columns.items())), columns))
    arrangements.sort(key=lambda arrangement: -arrangement[0])
    score, columns = arrangements[0]
    gap = score - arrangements[1][0]
    free = best_assignment(_costs(scores[list(columns)]))
    freely = sum(scores[i, c] for i, c in zip(columns, free, strict=True) if c < len(cards))
    if not np.isfinite(score) or (freely - score) / len(columns) >= ROW_GAP:
        return {}
    sure = float(1 / (1 + np.exp(-min(gap, MOST_MARGIN))))
    return {showing: Naming(showing, cards[column], sure, NamedBy.ROWS) for showing, column in columns.items()}


@dataclass(frozen=True, slots=True)
class Ordered:
    """
    Names by a given order. ``turned``: the camera saw it from the opposite side of the table, each picture reversed.
    ``misfit``: log-likelihood per card by which the order falls behind the classifier's best assignment.
    """

    namings: tuple[Naming, ...]
    turned: bool
    misfit: float


def named_in_order(
    log_shares: Floats,
    groups: Sequence[Sequence[int]],
    order: Sequence[Card],
) -> Ordered:
    """
    Assign the names that the user gave. ``groups``: the showings in the order shown, those of one picture together.

    There must be as many showings as names. A camera on the far side sees each picture in reverse order; that reading
    is used if it fits better.
    """
    scores = scores_of(log_shares, order)
    straight = [i for group in groups for i in group]
    backwards = [i for group in groups for i in reversed(group)]
    if len(straight) != len(order):
        raise ValueError(f"expected as many showings as names, got {len(straight)} and {len(order)}")

    def fit(showings: list[int]) -> float:
        return float(sum(scores[i, k] for k, i in enumerate(showings)))

    turned = fit(backwards) > fit(straight)
    chosen = backwards if turned else straight
    free = scores[np.arange(len(scores)), best_assignment(-scores)].sum() if len(order) else 0.0
    namings = tuple(Naming(i, order[k], 1.0, NamedBy.ORDER) for k, i in enumerate(chosen))
    misfit = (float(free) - fit(chosen)) / max(1, len(order))
    return Ordered(tuple(sorted(namings, key=lambda naming: naming.showing)), turned, misfit)
