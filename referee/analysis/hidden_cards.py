"""
Infer who held which card when, as far as the whole record shows it.

Whoever lays a card had it before; when it came to him is known where it was dealt, taken or shown, else only that it
was one of his draws. Each hand is a row of unseen cards, each with the step at which it came; a card that is laid was
one of those that had come by then, which one is decided by chance, once for the whole deal. Cards that are never seen
are dealt at random to what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.analysis.chance import Chance, shuffled
from referee.card_sets import CARD_OF, bits_of, mask_of
from referee.cards import Card
from referee.events import Drawn, Swapped, TableEvent
from referee.game import GameState

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
            held = [each for each in self.hands[seat] if each.until == NEVER]
            if unseen > len(held):
                came = self._came(seat, number, unseen - len(held))
                self.drawn += came if isinstance(step.event, Drawn) else []
            for each in held[: max(0, len(held) - unseen)]:
                each.until = number

    def _came(self, seat: str, number: int, count: int) -> list[_Unseen]:
        came = [_Unseen(number) for _ in range(count)]
        self.hands[seat] += came
        return came

    def _was(self, seat: str, card: int, number: int, chance: Chance) -> None:
        """Record that this card was one of the hand's unseen cards until now."""
        open_ones = [each for each in self.hands[seat] if each.until == NEVER]
        if not open_ones:
            return
        chosen = open_ones[int(chance.random() * len(open_ones))]
        chosen.card, chosen.until = card, number
        if len({each.since for each in open_ones}) > 1:
            for each in open_ones:  # what is left over is in doubt as well
                each.is_sure = False

    def _deal_the_rest(self, last: GameState, seen: set[int], chance: Chance) -> None:
        cards = [bit for bit in bits_of(mask_of(last.rules.cards())) if bit not in seen]
        shuffled(cards, chance)
        left = [each for hand in self.hands.values() for each in hand if not each.card]
        open_hands = sum(not all(each.card for each in hand) for hand in self.hands.values())
        is_sure = len(cards) <= len(left) and open_hands <= 1
        for each in left:
            each.is_sure = each.is_sure and is_sure
            each.card = cards.pop() if cards else 0
        self._never_drawn = cards

    def hand(self, seat: str, number: int, state: GameState) -> tuple[int, bool]:
        """Return a hand before a step of the deal, and whether the record leaves no doubt about it."""
        held, is_sure = mask_of(state.ledger.known[seat]), True
        for each in self.hands[seat]:
            if each.since < number <= each.until and each.card:
                held |= each.card
                is_sure = is_sure and each.is_sure
        return held, is_sure and held.bit_count() == state.ledger.hands[seat]

    def surely_held(self, seat: str, number: int, state: GameState) -> int:
        """Return the cards that the hand certainly held before a step of the deal."""
        held = mask_of(state.ledger.known[seat])
        for each in self.hands[seat]:
            if each.since < number <= each.until and each.is_sure:
                held |= each.card
        return held

    def talon(self, number: int, state: GameState) -> list[int]:
        """
        Return the talon before a step, the next card to draw last: first the cards drawn later, then those never drawn.
        """
        turnup = state.ledger.turnup.bit if state.ledger.turnup is not None else 0
        coming = [each if isinstance(each, int) else each.card for each in self.drawn[self._drawn_before[number] :]]
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
