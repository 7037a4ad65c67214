"""
Make one key for all equivalent endgames of two players.

Two endings play alike when only their plain suits have changed places, or when the ranks that nobody holds any more are
left out: what counts is who holds which of the ranks that are left, and which suit is trump.
"""

from __future__ import annotations

from functools import cache

from referee.card_sets import ONE_SUIT, RANK_COUNT

_LOW = 6
"""Ranks in the first of the two tables that close the gaps between ranks."""


class EndgameKey:
    """Makes keys of endgames under one trump suit."""

    def __init__(self, trump: int) -> None:
        self._trump_at = RANK_COUNT * trump
        self._plain_at = tuple(RANK_COUNT * suit for suit in range(4) if suit != trump)

    def of(self, attacker: int, defender: int) -> int:
        """Return the key of the endgame in which these two hands are left and the first leads."""
        both = attacker | defender
        ranks = (both | both >> 13 | both >> 26 | both >> 39) & ONE_SUIT
        low, high = _closing(ranks)
        at = self._trump_at
        one, other = attacker >> at & ONE_SUIT, defender >> at & ONE_SUIT
        trumps = (low[one & 63] | high[one >> 6]) << 13 | low[other & 63] | high[other >> 6]
        plain = []
        for at in self._plain_at:
            one, other = attacker >> at & ONE_SUIT, defender >> at & ONE_SUIT
            plain.append((low[one & 63] | high[one >> 6]) << 13 | low[other & 63] | high[other >> 6])
        plain.sort()
        return trumps << 78 | plain[0] << 52 | plain[1] << 26 | plain[2]


@cache
def _closing(ranks: int) -> tuple[list[int], list[int]]:
    """
    Return tables that move each rank of the set down over the missing ranks: for the low six ranks, and for the others.
    """
    tables = []
    for begin, size in ((0, _LOW), (_LOW, RANK_COUNT - _LOW)):
        moved = [0]
        for rank in range(begin, begin + size):
            place = 1 << (ranks & ((1 << rank) - 1)).bit_count() if ranks >> rank & 1 else 0
            moved += [mask | place for mask in moved]
        tables.append(moved)
    return tables[0], tables[1]
