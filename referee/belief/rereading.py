"""
Turn a card that the camera reads differently later into evidence: it was misread before, or another card was laid on
it.

The camera cannot tell the two cases apart. So its new reading makes two lines uncertain: the line that reported the
card, which may have been either card, and a new line, on which another card may have been laid exactly on the first. If
the first line is given the new name nothing can have been laid, since no card is there twice: the rules couple the two
lines.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from referee.events import Placed, Reread

FIRM = 0.01
"""Probability that a card reported without uncertainty was misread, given that it is reread. Chosen by hand."""

LEAST_LAID = 0.05
"""Probability. A card laid over another is not followed below this. Chosen by hand."""

LEAST_DOUBT = 0.01
"""Lowest probability that the new reading is wrong. Chosen by hand."""

LAID_OVER = 0.005
"""Probability. A card was laid exactly on another, so that the other seems to be reread. Chosen by hand."""

ACROSS = 0.6
"""Share of the cards laid exactly on another that beat it; the others are attack cards. Chosen by hand."""


class RereadLines(NamedTuple):
    """
    The two lines of a reread card.

    ``was``: the line that reported it, with both names; ``over``: the card that may have been laid on it.
    """

    was: Placed
    over: Placed


def lines_of_reread(recorded: Placed, event: Reread) -> RereadLines | None:
    """
    Return the two lines of a reread card; None if it was simply misread.

    ``recorded``: the card as first reported; ``event``: the new reading with its confidence. The three cases (misread
    before, another card laid on it, misread now) get their proper weights when both lines are judged together.
    """
    listed = sum(share for card, share in recorded.alternatives if card == event.card)
    wrong = max(listed, FIRM)
    sure = 1.0 if event.confidence is None else event.confidence
    misread = max(1.0 - sure, LEAST_DOUBT)
    named = sure * wrong / (wrong + LAID_OVER)
    laid = sure * LAID_OVER / (wrong + LAID_OVER)
    if event.was == event.card or laid < LEAST_LAID:
        return None
    by_new_name, nothing = named / (named + misread), misread / (laid + misread)
    was = replace(
        recorded,
        card=event.card,
        confidence=round(by_new_name, 4),
        alternatives=((recorded.card, round(1.0 - by_new_name, 4)),),
        otherwise=tuple((keys, share) for keys, share in recorded.otherwise if keys is not None and "card" not in keys),
    )
    over = Placed(
        at=event.at,
        card=event.card,
        confidence=round((1.0 - nothing) * (1.0 - ACROSS), 4),
        otherwise=(
            (None, round(nothing, 4)),
            ({"on": str(recorded.card)}, round((1.0 - nothing) * ACROSS, 4)),
        ),
    )
    return RereadLines(was, over)
