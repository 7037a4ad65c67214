"""Extract the decisions of a record: who decided what in which position, by the referee's states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from referee.analysis.decisions import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, Decision
from referee.analysis.hidden_cards import RecordStep
from referee.card_sets import mask_of
from referee.events import Dealt, Placed, Swept, is_same_play
from referee.game import GameState, Phase
from referee.ledger import Bout


@dataclass(frozen=True, slots=True)
class Made:
    """A decision. ``step``: its number in the deal. ``state``: the position in which it was made."""

    line: int
    step: int
    seat: str
    decision: Decision
    state: GameState


def deals_of(steps: Sequence[RecordStep]) -> list[list[RecordStep]]:
    """Split the steps of a match by deal: each begins after the line on which it was dealt."""
    found: list[list[RecordStep]] = [[]]
    for step in steps:
        if isinstance(step.event, Dealt):
            found.append([])
        elif step.before.dealt and step.before.trump is not None:
            found[-1].append(step)
    return [deal for deal in found if deal]


def decisions_of(deal: Sequence[RecordStep]) -> Iterator[Made]:
    """Yield every decision of a deal, in order; a card that breaks a rule and does not count is no decision."""
    skip = -1
    for number, step in enumerate(deal):
        if number <= skip:
            continue
        last = number
        opens = step.before.bout is None or not step.before.bout.attacks
        while opens and last + 1 < len(deal) and is_same_play(deal[last].event, deal[last + 1].event):
            last += 1
        if last > number:
            skip = last
            step = replace(step, after=deal[last].after)
        yield from _of_step(number, step)


def _of_step(number: int, step: RecordStep) -> Iterator[Made]:
    before, after = step.before, step.after
    bout, now = before.bout, after.bout
    if now is None or before.phase is Phase.OVER:
        return
    if isinstance(step.event, Swept):
        if bout is not None and bout.attacks and (now.number != bout.number or now.ended is not None):
            yield from _at_sweep(number, step)
        return
    if bout is None or bout.ended is not None or bout.number != now.number or not bout.attacks:
        if isinstance(step.event, Placed) and now.attacks:
            # The first cards of a bout may also have decided who leads.
            begun = after.but(bout=now.but(attacks=()), phase=Phase.ATTACK, ledger=before.ledger)
            cards = mask_of(attack.card for attack in now.attacks)
            yield Made(step.line, number, now.attacker, (ATTACK, cards, 0), begun)
        return
    yield from _within(number, step, bout, now)


def _within(number: int, step: RecordStep, bout: Bout, now: Bout) -> Iterator[Made]:
    before = step.before
    was = {attack.card: attack for attack in bout.attacks}
    for attack in now.attacks:
        known = was.get(attack.card)
        if known is None:
            kind = TRANSFER if attack.passed_on is not None else ATTACK
            yield Made(step.line, number, attack.by, (kind, attack.card.bit, 0), before)
        elif known.defence is None and attack.defence is not None and attack.beaten_by is not None:
            decision = (BEAT, attack.defence.bit, attack.card.bit)
            yield Made(step.line, number, attack.beaten_by, decision, before)
    for card in now.shown - bout.shown:
        yield Made(step.line, number, bout.defender, (SHOW, card.bit, 0), before)
    if bout.taking is None and now.taking is not None:
        yield Made(step.line, number, bout.defender, (TAKE, 0, 0), before)
    for seat in before.attackers():
        if now.has_passed(seat) and not bout.has_passed(seat) and now.attacks == bout.attacks:
            yield Made(step.line, number, seat, (PASS, 0, 0), before)


def _at_sweep(number: int, step: RecordStep) -> Iterator[Made]:
    """Yield the decisions that nobody announced: the take, and each attacker who stopped."""
    before = step.before
    assert before.bout is not None
    assert isinstance(step.event, Swept)
    takes = step.event.to == before.bout.defender and before.phase is Phase.ATTACK
    if takes and before.bout.unbeaten:
        yield Made(step.line, number, before.bout.defender, (TAKE, 0, 0), before)
        return
    for seat in before.attackers():
        if before.ledger.hands[seat] and not before.bout.has_passed(seat):
            yield Made(step.line, number, seat, (PASS, 0, 0), before)
