"""
Filter the newest lines again when a later one shows that they were misunderstood.

A line that fits badly may have its cause several lines earlier. After an unseen end of a bout the next lead looks like
a throw-in and is beaten; only the next sweep does not fit. Of two cards thrown in together only the second may show
that a beat before them was unseen; a misread attack card may show only when it is beaten. So the lines since the last
sweep are filtered again from the beam before them, with unseen events and silent errors tried at each of them, and the
newest two in the other order. The draws after a bout show how many cards each seat laid in it: where one doesn't fit,
the cards of that bout are tried as another seat's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from msgspec import structs

from referee.belief.hypotheses import Beam, Hypothesis, Judgements, fault_shares_in_reported_order
from referee.belief.interpretation import in_reported_order
from referee.belief.line_log import LINES_AGO, ObservedLine
from referee.belief.rates import Rates, log_of
from referee.belief.reported_event import Option, ReportedEvent
from referee.belief.update import LaterLine, Limits, Update
from referee.cards import Card, mask_of, same_ranks
from referee.events import Drawn, Placed, Swept, is_same_play

SAME_INFERENCE_S = 1.2
"""Seconds. Two cards reported no further apart may have been found in one inference. Chosen by hand."""

SAME_TIME_S = 0.6
"""Seconds. Two cards reported no further apart are reported at about the same time. Chosen by hand."""

ORDER_REVERSED = 0.05
"""Probability. Two cards reported at about the same time were laid in the reverse order. Chosen by hand."""

SECOND_ORDER = 4
"""The reverse order of two lines gets this fraction (1/n) of a line's budget for each of them."""

WIDER = 4.0
"""Nats by which less likely hypotheses are kept meanwhile: a silent error proves right only later. Chosen by hand."""

LIKELIEST = 3
"""Number of earlier hypotheses from which the lines are filtered again."""


def filter_again(
    earlier: Sequence[ObservedLine],
    now: ObservedLine,
    seats: tuple[str, ...],
    limits: Limits,
    judgements: Judgements,
) -> Beam:
    """
    Return the hypotheses after the newest line if the lines since the last sweep are filtered with a wider proposal.

    At each of them every hypothesis is tried with unseen events and silent errors, also with those that explain the
    newest line: an earlier card may have been of the rank of one that was thrown in. People who have corrected a line
    of the bout have looked at its cards, so none of them is tried as of another rank.
    """
    lines: list[ObservedLine] = []
    for line in reversed(earlier[-LINES_AGO:]):
        lines.insert(0, line)
        if isinstance(line.reported.event, Swept):
            break
    if not lines:
        return ()
    wide = replace(limits, most=32, floor=limits.floor + WIDER, wants=inf, calls=120, retries=80, retried=LIKELIEST)
    beam = tuple(hypothesis for hypothesis in lines[0].before if not hypothesis.is_fallback)[:LIKELIEST]
    thrown = (option.event for option in now.reported.options if isinstance(option.event, Placed))
    is_looked_at = any(line.reported.is_stated for line in (*lines, now))
    ranks = 0 if is_looked_at else same_ranks(mask_of(event.card for event in thrown if event.on is None))
    log_share = 0.0
    for line in (*lines, now):
        # Draws show how many cards went with the sweep before them: a throw-in and its beat leave nothing else to see.
        is_open = line is now or (isinstance(line.reported.event, Swept) and isinstance(now.reported.event, Drawn))
        update = Update(line.reported, line.place, seats, line.rates, limits if line is now else wide, judgements)
        later_line = LaterLine(lines[0].place, () if is_open else now.reported.options, ranks, is_newest=line is now)
        found = update.of(beam, later_line) if beam else ()
        beam = tuple(hypothesis for hypothesis in found if not hypothesis.is_fallback)
        log_share += update.log_evidence - line.log_evidence
    return tuple(hypothesis.replace(log_weight=hypothesis.log_weight + log_share) for hypothesis in beam)


def smooth_seats(
    earlier: Sequence[ObservedLine],
    now: ObservedLine,
    seats: tuple[str, ...],
    limits: Limits,
    judgements: Judgements,
) -> Beam:
    """
    Return the hypotheses after a draw in which another seat laid one card of the bout before it; empty if none fits.

    One of the two seats is one that has drawn since the bout: its draws show how many cards it laid.
    """
    ends = [place for place, line in enumerate(earlier) if isinstance(line.reported.event, Swept)]
    if not ends:
        return ()
    end, start = ends[-1], ends[-2] + 1 if len(ends) > 1 else 0
    drawn = {getattr(line.reported.event, "by", None) for line in (*earlier[end:], now)}
    narrow = replace(
        limits, most=LIKELIEST, floor=limits.floor + WIDER, calls=limits.calls_for_a_seat, retries=0, retried=0
    )
    found: list[Hypothesis] = []
    for place in range(max(start, end - limits.lines_of_bout), end):
        line = earlier[place]
        laid_by = getattr(line.reported.event, "by", None)
        for seat in seats if laid_by in drawn else [seat for seat in seats if seat in drawn]:
            moved = _laid_by_another(line, seat, len(seats) - 1)
            if moved is not None:
                found += _with_line(moved, (line, *earlier[place + 1 :], now), seats, narrow, judgements)
    return tuple(found)


def _with_line(
    first: ReportedEvent,
    lines: Sequence[ObservedLine],
    seats: tuple[str, ...],
    limits: Limits,
    judgements: Judgements,
) -> Iterator[Hypothesis]:
    """Yield the hypotheses after these lines with ``first`` in place of the first of them."""
    beam, log_share = lines[0].before[:LIKELIEST], 0.0
    for line in lines:
        reported = first if line is lines[0] else line.reported
        update = Update(reported, line.place, seats, line.rates, limits, judgements)
        beam = tuple(hypothesis for hypothesis in update.of(beam) if not hypothesis.is_fallback)
        log_share += update.log_evidence - line.log_evidence
        if not beam or log_share < -limits.floor:
            return
    for hypothesis in beam:
        yield hypothesis.replace(log_weight=hypothesis.log_weight + log_share)


def _laid_by_another(line: ObservedLine, seat: str, others: int) -> ReportedEvent | None:
    """
    Return the line with its card laid by this seat, one of ``others`` that it may have been confused with; None if the
    record names this seat or none, or a person has stated the line.
    """
    reported, event = line.reported, line.reported.event
    if not isinstance(event, Placed) or event.by in (None, seat) or reported.is_stated or not line.rates.misseated:
        return None
    log_share = log_of(line.rates.misseated / others)
    options = tuple(
        Option(structs.replace(option.event, by=seat), option.log_likelihood + log_share, "seat", is_silent_error=True)
        for option in reported.options
        if isinstance(option.event, Placed)
    )
    return replace(reported, options=options)


def smooth_order(
    last: ObservedLine, now: ObservedLine, seats: tuple[str, ...], limits: Limits, judgements: Judgements
) -> Beam:
    """Return the hypotheses in which the two newest lines happened in the reverse order; empty if they cannot have."""
    order = _other_order(last, now, now.rates)
    if order is None or not last.rates.adrift:
        return ()
    shared = limits.shared(SECOND_ORDER)
    first = Update(order.first, last.place, seats, last.rates, shared, judgements)
    second = Update(order.second, now.place, seats, now.rates, shared, judgements)
    others = second.of(first.of(last.before))
    log_share = log_of(order.share) + first.log_evidence + second.log_evidence - last.log_evidence - now.log_evidence
    return tuple(
        other.replace(
            log_weight=other.log_weight + log_share,
            last=in_reported_order(other.last),
            fault_shares=fault_shares_in_reported_order(other),
        )
        for other in others
    )


class Order(NamedTuple):
    """Two lines in the order in which they happened, the one reported later first, and the prior of that order."""

    first: ReportedEvent
    second: ReportedEvent
    share: float


def _other_order(last: ObservedLine, now: ObservedLine, rates: Rates) -> Order | None:
    """Return the reverse order of two placed cards that were reported at about the same time, or one on the other."""
    before, after = last.reported.event, now.reported.event
    if not isinstance(before, Placed) or not isinstance(after, Placed) or is_same_play(before, after):
        return None
    if after.on == before.card:
        is_one_inference = before.on is None and after.at - before.at <= SAME_INFERENCE_S
        return (
            Order(_placed_on(now.reported, None), _placed_on(last.reported, after.card), rates.upside_down)
            if is_one_inference
            else None
        )
    return Order(now.reported, last.reported, ORDER_REVERSED) if after.at - before.at <= SAME_TIME_S else None


def _placed_on(reported: ReportedEvent, on: Card | None) -> ReportedEvent:
    """Return the line with its card laid on ``on``, or beside all others."""
    options = tuple(
        replace(option, event=structs.replace(option.event, on=on)) if isinstance(option.event, Placed) else option
        for option in reported.options
    )
    return replace(reported, event=structs.replace(reported.event, on=on), options=options)
