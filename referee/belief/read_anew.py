"""
A card read anew, as evidence: it was told by a wrong name, or another card was laid exactly on it.

An eye that finds another face where a card lay cannot tell the two apart by that. So its word doubts two lines: the one
that told the card, which may have been either, and its own, on which another card may have been laid. Where the first
one goes by its new name nothing can have been laid, since no card lies there twice: the law holds the two together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from referee.belief.rates import Rates
from referee.events import Placed, Reread

FIRM = 0.01
"""So likely a card was told wrongly by whom its own line does not doubt, when it is read anew."""

LEAST_LAID = 0.05
"""A card laid over that is less likely than this is not followed: the first name was in doubt already."""

LEAST_DOUBT = 0.01
"""So likely at least a reading anew is wrong itself."""

ACROSS = 0.6
"""Of the cards laid exactly on another, the share that beats it; the others lie for themselves."""


class ReadAnew(NamedTuple):
    """``was``: the line that told the card, with both names; ``over``: the card that may have been laid on it."""

    was: Placed
    over: Placed


def read_anew(told: Placed, event: Reread, rates: Rates) -> ReadAnew | None:
    """
    The two lines. ``told``: the card as it was told first, ``event``: how the eye reads it now, with its confidence.

    The three ways it may have been (a wrong name, a card laid over, a wrong reading now) weigh as they should when both
    lines are taken together. None where the name was wrong and nothing else is likely.
    """
    listed = sum(share for card, share in told.alternatives if card == event.card)
    wrong = max(listed, FIRM)
    sure = 1.0 if event.confidence is None else event.confidence
    misread = max(1.0 - sure, LEAST_DOUBT)
    named = sure * wrong / (wrong + rates.laid_over)
    laid = sure * rates.laid_over / (wrong + rates.laid_over)
    if event.was == event.card or laid < LEAST_LAID:
        return None
    by_new_name, nothing = named / (named + misread), misread / (laid + misread)
    was = replace(
        told,
        card=event.card,
        confidence=round(by_new_name, 4),
        alternatives=((told.card, round(1.0 - by_new_name, 4)),),
        otherwise=tuple((keys, share) for keys, share in told.otherwise if keys is not None and "card" not in keys),
    )
    over = Placed(
        at=event.at,
        card=event.card,
        confidence=round((1.0 - nothing) * (1.0 - ACROSS), 4),
        otherwise=(
            (None, round(nothing, 4)),
            ({"on": str(told.card)}, round((1.0 - nothing) * ACROSS, 4)),
        ),
    )
    return ReadAnew(was, over)
