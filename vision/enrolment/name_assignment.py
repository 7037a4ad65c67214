"""
Which card is which, when a whole deck has been shown once: no name twice, and rows that follow the order of the ranks.

The classifier alone may take the jack of an unknown deck for its king. But a deck holds each card once, so the
likeliest
*arrangement of all names* settles most of what single readings leave open; and cards laid out in rows, a suit each, in
order of rank, or in an order that the user told, settle the rest. Pure: log-probabilities in, names out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

import numpy as np
import numpy.typing as npt

from referee.cards import RANKS, Card, Suit, pack
from vision.detection.detections import CLASS_NAMES

Floats = npt.NDArray[np.float64]
IMPOSSIBLE = 1e6
"""A cost, in natural logarithms, that no arrangement pays while it can do otherwise: above any sum of readings."""

NEARLY_IMPOSSIBLE = IMPOSSIBLE / 10
"""The cost of being no new card where there are just as many showings as cards."""
MOST_MARGIN = 50.0
"""Natural logarithms beyond which a name grows no surer: a double holds no probability nearer to 1."""


class NamedBy(Enum):
    """What a card's name rests on."""

    READING = "reading"
    """The classifier said so by itself."""
    ELIMINATION = "elimination"
    """The other cards leave it no other name."""
    ROWS = "rows"
    """Its place in rows laid in order of rank."""
    ORDER = "order"
    """The order of showing, as the user told it."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A showing's name. ``showing``: which, from 0. ``sure``: 0..1, against the best arrangement with another name."""

    showing: int
    card: Card
    sure: float
    by: NamedBy


@dataclass(frozen=True, slots=True)
class NamingSettings:
    """How far readings are trusted. Set by hand, 2026-11."""

    floor: float = 0.003
    """
    Share that a reading gives a name at least: classifiers err, on unknown decks surely. Higher lets the other
    cards overrule it more easily. Lower lets a sure misreading stand.
    """
    stray: float = 0.006
    """
    A showing less likely than this under its name is taken for something that is no new card, unless there are just as
    many showings as cards. Higher leaves cards nameless, lower names print.
    """
    row_gap: float = 2.6
    """
    Natural logarithms a card by which an arrangement in rows may lie behind the best free one: unordered rows lie
    behind by more than four. Higher believes rows that are none. Lower misses rows in which much is misread.
    """
    least_row: int = 5
    """Cards of the shortest row that is one. Fewer find rows by chance. More need long rows to be shown."""
    sure_name: float = 0.97
    """
    Probability below which a name is told as doubtful: a wrong name spoils every game with the deck. Higher asks
    more. Lower passes wrong names.
    """


def best_assignment(cost: Floats) -> npt.NDArray[np.intp]:
    """
    The cheapest way to give each row a column of its own; (n, m) with n <= m -> (n,) columns.

    By shortest augmenting paths.

    >>> best_assignment(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])).tolist()
    [1, 0, 2]
    """
    n, m = cost.shape
    if n > m:
        raise ValueError(f"expected at least as many columns as rows, got {cost.shape}")
    row_price, column_price = np.zeros(n + 1), np.zeros(m + 1)
    owner = np.zeros(m + 1, np.intp)  # row, from 1, that holds each column; column 0 is the start
    for row in range(1, n + 1):
        owner[0] = row
        slack = np.full(m + 1, np.inf)
        came_from = np.zeros(m + 1, np.intp)
        done = np.zeros(m + 1, bool)
        column = 0
        while True:
            done[column] = True
            here = owner[column]
            open_ones = ~done[1:]
            offered = cost[here - 1] - row_price[here] - column_price[1:]
            better = open_ones & (offered < slack[1:])
            slack[1:][better] = offered[better]
            came_from[1:][better] = column
            following = int(np.argmin(np.where(open_ones, slack[1:], np.inf))) + 1
            step = slack[following]
            row_price[owner[done]] += step
            column_price[done] -= step
            slack[~done] -= step
            column = following
            if owner[column] == 0:
                break
        while column:
            before = came_from[column]
            owner[column] = owner[before]
            column = int(before)
    chosen = np.zeros(n, np.intp)
    for column in range(1, m + 1):
        if owner[column]:
            chosen[owner[column] - 1] = column - 1
    return chosen


def name_showings(
    log_shares: Floats,
    pack_size: int,
    rows: Sequence[Sequence[int]] = (),
    settings: NamingSettings = NamingSettings(),
) -> tuple[Naming, ...]:
    """
    The likeliest names of n showings of different cards; showings that seem to be no new card get none.

    ``log_shares``: (n, 54) natural logarithms over ``CLASS_NAMES``; -inf where a name is taken. ``rows``: showings that
    lie in a row.
    """
    cards = pack(pack_size)
    scores = scores_of(log_shares, cards, settings)
    if not len(scores):
        return ()
    placed = _in_rows(scores, cards, rows, settings)
    if not placed:
        return _assigned(scores, cards, settings)
    others = [i for i in range(len(scores)) if i not in placed]
    left = scores[others].copy()
    left[:, [cards.index(naming.card) for naming in placed.values()]] = -np.inf
    rest = _assigned(left, cards, settings) if others else ()
    moved = (Naming(others[each.showing], each.card, each.sure, each.by) for each in rest)
    return tuple(sorted((*placed.values(), *moved), key=lambda each: each.showing))


def scores_of(log_shares: Floats, cards: Sequence[Card], settings: NamingSettings) -> Floats:
    """(n, 54) logarithms over the classes -> (n, len(cards)); what was taken (-inf) stays so."""
    columns = [CLASS_NAMES.index(str(card)) for card in cards]
    scores = log_shares[:, columns]
    return np.where(np.isneginf(scores), scores, np.maximum(scores, np.log(settings.floor)))


def _costs(scores: Floats, settings: NamingSettings) -> Floats:
    """(n, m + n) costs: the names, then for each showing the way out of being no new card."""
    is_whole = len(scores) == int(np.isfinite(scores).any(axis=0).sum())
    way_out = np.full((len(scores), len(scores)), NEARLY_IMPOSSIBLE if is_whole else -np.log(settings.stray))
    return np.hstack([np.where(np.isfinite(scores), -scores, IMPOSSIBLE), way_out])


def _assigned(scores: Floats, cards: Sequence[Card], settings: NamingSettings) -> tuple[Naming, ...]:
    costs = _costs(scores, settings)
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


def _in_rows(
    scores: Floats, cards: Sequence[Card], rows: Sequence[Sequence[int]], settings: NamingSettings
) -> Mapping[int, Naming]:
    """
    Names by rows of one suit each in order of rank; empty where the cards don't lie so.

    Rows may run either way, all of them alike, from the lowest rank up or with the ace before it.
    """
    place = {card: i for i, card in enumerate(cards)}
    ranks = [rank for rank in RANKS if any(str(card)[0] == rank for card in cards)]
    full = [row for row in rows if len(row) == len(ranks) >= settings.least_row]
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
    arrangements.sort(key=lambda each: -each[0])
    score, columns = arrangements[0]
    gap = score - arrangements[1][0]
    free = best_assignment(_costs(scores[list(columns)], settings))
    freely = sum(scores[i, c] for i, c in zip(columns, free, strict=True) if c < len(cards))
    if not np.isfinite(score) or (freely - score) / len(columns) >= settings.row_gap:
        return {}
    sure = float(1 / (1 + np.exp(-min(gap, MOST_MARGIN))))
    return {showing: Naming(showing, cards[column], sure, NamedBy.ROWS) for showing, column in columns.items()}


@dataclass(frozen=True, slots=True)
class Ordered:
    """
    Names by a told order. ``turned``: the pictures show it from the other side of the table, each read backwards.
    ``misfit``: natural logarithms a card by which the order lies behind what the classifier would say by itself.
    """

    namings: tuple[Naming, ...]
    turned: bool
    misfit: float


def named_in_order(
    log_shares: Floats,
    groups: Sequence[Sequence[int]],
    order: Sequence[Card],
    settings: NamingSettings = NamingSettings(),
) -> Ordered:
    """
    Names as the user told them. ``groups``: the showings in the order shown, those of one picture together.

    As many showings as names; a camera that looks from the far side sees each picture backwards, and is believed where
    that fits better.
    """
    scores = scores_of(log_shares, order, settings)
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
    return Ordered(tuple(sorted(namings, key=lambda each: each.showing)), turned, misfit)
