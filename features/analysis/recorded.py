"""
Extract the decisions of a record, and infer who held which card when, as far as the whole record shows it.

Whoever lays a card had it before; when it came to him is known where it was dealt, taken or shown, else only that it
was one of his draws. Each hand is a row of unseen cards, each with the step at which it came; a card that is laid was
one of those that had come by then, which one is decided by chance, once for the whole deal. Cards that are never seen
are dealt at random to what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from features.analysis.playouts import Chance, shuffled
from features.analysis.position import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, Decision
from referee.cards import CARD_OF, Card, bits_of, mask_of
from referee.events import Dealt, Drawn, Placed, Swapped, Swept, TableEvent, is_same_play
from referee.game import Bout, GameState, Phase

NEVER = 1 << 30


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One line of the record: its number, what happened, and the position before and after it."""

    line: int
    event: TableEvent
    before: GameState
    after: GameState


@dataclass(slots=True)
class _Unseen:
    """A card of a hand that nobody has seen yet: from which step to which it was there, and which it is (0: open)."""

    since: int
    until: int = NEVER
    card: int = 0
    is_sure: bool = True


@dataclass(slots=True)
class HiddenCards:
    """The cards of one deal that were hidden, found from its steps."""

    seats: tuple[str, ...]
    hands: dict[str, list[_Unseen]] = field(default_factory=dict)
    drawn: list[_Unseen | int] = field(default_factory=list)
    _drawn_before: list[int] = field(default_factory=list)
    _never_drawn: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, steps: Sequence[RecordStep], chance: Chance) -> HiddenCards:
        """Follow the steps of one deal; ``chance`` decides what they leave open."""
        found = cls(steps[0].before.seating.seats)
        found.hands = {seat: [] for seat in found.seats}
        seen: set[int] = set()
        for number, step in enumerate(steps):
            found._drawn_before.append(len(found.drawn))
            seen |= set(bits_of(visible(step.before)))
            found._follow(number, step, chance)
            seen |= set(bits_of(visible(step.after)))
        found._deal_the_rest(steps[-1].after, seen, chance)
        return found

    def _follow(self, number: int, step: RecordStep, chance: Chance) -> None:
        before = step.before.ledger
        if number == 0:
            for seat in self.seats:
                self._came(seat, -1, before.hands[seat] - len(before.known[seat]))
        new = visible(step.after) & ~visible(step.before)
        if isinstance(step.event, Drawn):
            for seat in self.seats:
                known = step.after.ledger.known[seat] - before.known[seat]
                self.drawn += [card.bit for card in known]
        else:
            for bit in bits_of(new):
                by = _whose(CARD_OF[bit], step)
                if by is not None:
                    self._was(by, bit, number, chance)
        for seat in self.seats:
            unseen = step.after.ledger.hands[seat] - len(step.after.ledger.known[seat])
            held = [slot for slot in self.hands[seat] if slot.until == NEVER]
            if unseen > len(held):
                came = self._came(seat, number, unseen - len(held))
                self.drawn += came if isinstance(step.event, Drawn) else []
            for slot in held[: max(0, len(held) - unseen)]:
                slot.until = number

    def _came(self, seat: str, number: int, count: int) -> list[_Unseen]:
        came = [_Unseen(number) for _ in range(count)]
        self.hands[seat] += came
        return came

    def _was(self, seat: str, card: int, number: int, chance: Chance) -> None:
        open_ones = [slot for slot in self.hands[seat] if slot.until == NEVER]
        if not open_ones:
            return
        chosen = open_ones[int(chance.random() * len(open_ones))]
        chosen.card, chosen.until = card, number
        if len({open_one.since for open_one in open_ones}) > 1:
            for open_one in open_ones:  # what is left over is in doubt as well
                open_one.is_sure = False

    def _deal_the_rest(self, last: GameState, seen: set[int], chance: Chance) -> None:
        cards = [bit for bit in bits_of(mask_of(last.rules.cards())) if bit not in seen]
        shuffled(cards, chance)
        left = [slot for hand in self.hands.values() for slot in hand if not slot.card]
        open_hands = sum(not all(slot.card for slot in hand) for hand in self.hands.values())
        is_sure = len(cards) <= len(left) and open_hands <= 1
        for slot in left:
            slot.is_sure = slot.is_sure and is_sure
            slot.card = cards.pop() if cards else 0
        self._never_drawn = cards

    def hand(self, seat: str, number: int, state: GameState) -> tuple[int, int]:
        """Return a hand before a step of the deal, and the cards that it certainly held."""
        held = sure = state.ledger.known[seat].mask
        for slot in self.hands[seat]:
            if slot.since < number <= slot.until:
                held |= slot.card
                sure |= slot.card if slot.is_sure else 0
        return held, sure

    def talon(self, number: int, state: GameState) -> list[int]:
        """
        Return the talon before a step, the next card to draw last: first the cards drawn later, then those never drawn.
        """
        turnup = state.ledger.turnup.bit if state.ledger.turnup is not None else 0
        coming = [drawn if isinstance(drawn, int) else drawn.card for drawn in self.drawn[self._drawn_before[number] :]]
        order = [card for card in coming if card and card != turnup]
        order += [card for card in self._never_drawn if card not in order]
        count = state.ledger.talon
        if not turnup:
            return order[:count][::-1]
        above = order[: count - 1]
        lies_last = 1 if state.rules.second_trump != "none" and len(above) else 0
        place = len(above) - lies_last
        return [*above[:place], turnup, *above[place:]][::-1]


def _whose(card: Card, step: RecordStep) -> str | None:
    """Return the seat from whose hand a card came that nobody had seen before."""
    if isinstance(step.event, Swapped) and card == step.event.card:
        return step.event.by
    bout = step.after.bout
    return step.after.ledger.holder(card) or (bout.owner(card) if bout is not None else None)


def visible(state: GameState) -> int:
    """
    Return all cards that everybody could see or remember: on the table, in the discard pile, known in a hand, the
    turn-up.
    """
    ledger = state.ledger
    mask = mask_of(state.bout.cards) if state.bout is not None else 0
    mask |= mask_of(ledger.heap)
    for cards in ledger.known.values():
        mask |= mask_of(cards)
    return mask | (ledger.turnup.bit if ledger.turnup is not None else 0)


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
            begun = after.replace(bout=now.replace(attacks=()), phase=Phase.ATTACK, ledger=before.ledger)
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
    for seat in before.named(before.table.attackers):
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
    for seat in before.named(before.table.attackers):
        if before.ledger.hands[seat] and not before.bout.has_passed(seat):
            yield Made(step.line, number, seat, (PASS, 0, 0), before)
