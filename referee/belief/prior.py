"""How likely people do what they are taken to have done: the law's prior, and how others react to a fault."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Protocol

from referee.belief.rates import Rates
from referee.belief.trail import Trail
from referee.cards import Card
from referee.events import Lifted, Placed, Swept, TableEvent
from referee.game import GameState, Phase
from referee.judgement import Step
from referee.rulings import FaultId, Verdict


class Before(Protocol):
    """What a hypothesis holds before an event; ``fresh``: the cards of a fault just made."""

    @property
    def state(self) -> GameState: ...

    @property
    def trail(self) -> Trail | None: ...

    @property
    def fresh(self) -> tuple[Card, ...]: ...


def log_prior(before: Before, event: TableEvent, step: Step, rates: Rates, *, is_more: bool) -> float:
    """
    The logarithm of how likely people do what the law says this of.

    ``is_more``: the event goes on with a play, so that nobody has reacted to its beginning.
    """
    total = 0.0
    for ruling in step.rulings:
        if ruling.fault is None:
            continue
        if ruling.verdict is Verdict.IMPOSSIBLE:
            total += log(rates.impossible)
        elif ruling.verdict is Verdict.ILLEGAL:
            total += log(_fault_rate(before, event, ruling.fault, rates, is_more=is_more))
        else:
            total += log(rates.unclear)
    total += sum(log(rates.misfit) for each in step.announcements if each.kind == "doubt")
    state, bout = before.state, before.state.bout
    is_between_deals = state.phase is Phase.OVER or (state.phase is Phase.LEAD and not state.dealt)
    if is_between_deals and not step.rulings and not step.announcements:
        total += log(rates.misfit)  # the law has nothing to say to what happens after the end
    if isinstance(event, Placed) and event.on is not None and bout is not None and bout.taking is not None:
        total += log(rates.given_across) if event.by != bout.defender else 0.0
    return total if is_more else total + _log_reaction(before, event, rates)


def _fault_rate(before: Before, event: TableEvent, fault: FaultId, rates: Rates, *, is_more: bool) -> float:
    if _lies_on_nothing(before, event):
        return rates.on_nothing
    if isinstance(event, Swept):
        return rates.faults.get(fault, rates.swept_wrongly)
    # Who has drawn too few is called by each draw after it, and by the lead: that is one fault. What was said of the
    # beginning of a play is void with its next card.
    trail = before.trail.before if is_more and before.trail is not None else before.trail
    is_one = fault is FaultId.DRAW_TOO_FEW and fault in _faults_since_sweep(trail)
    return rates.together if is_one else rates.of(fault)


def _faults_since_sweep(trail: Trail | None) -> Iterator[FaultId | None]:
    while trail is not None and not isinstance(trail.event, Swept):
        yield from (each.fault for each in trail.rulings)
        trail = trail.before


def _lies_on_nothing(before: Before, event: TableEvent) -> bool:
    """Was a card seen to lie across one that is not there? Then that one went unseen, or has another name."""
    if not isinstance(event, Placed) or event.on is None:
        return False
    state = before.state
    lying = state.bout.cards if state.bout is not None else ()
    return event.on not in lying and not any(event.on in matter.cards for matter in state.matters)


def _log_reaction(before: Before, event: TableEvent, rates: Rates) -> float:
    """How people react tells too: a card that breaks a rule is taken back, another one hardly ever."""
    if isinstance(event, Lifted):
        is_open = any(event.card in matter.cards for matter in before.state.matters)
        return log(rates.mended if is_open else rates.taken_back)
    return log(1 - rates.mended) if before.fresh else 0.0
