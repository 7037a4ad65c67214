"""
Players who know each other's cards: they deal and play Podkidnoy by the rules, a little carelessly.

They are no opponents to be proud of; they make games with everything in them that a table sees. To leave no ruling to
spoken words, only the foremost attacker who holds cards throws in (docs/rules.md, 3, `priority`), unless the house
plays with `throw_order` free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.clips.story import DrawStep, LayStep, LiftStep, Step, Story, StoryStart, SweepStep
from referee.cards import MASK_OF_SUIT, Card, mask_of, pack
from referee.events import HEAP
from referee.plays import Beat, Kind, Lead, ThrowIn
from referee.rulebook import FaultId, Rulebook, rulebook
from referee.rules.attack import bout_limit, check_limit, check_rank
from referee.rules.draw import draws_due
from referee.rules.result import empty_hands
from referee.rules.sweep import next_turn
from referee.rules.whole_hand import playable
from referee.seating import Seating
from referee.table import NO_LIMIT, Table, attackers_of

RULES = rulebook("podkidnoy-36")
RULES_FREE = rulebook("podkidnoy-36", {"throw_order": "free"})


def deal(seats: tuple[str, ...], rng: np.random.Generator, size: int = 36) -> StoryStart:
    """Deal at random; the lowest trump leads (docs/rules.md, 2), and without any trump about the dealer's left."""
    cards = [pack(size)[i] for i in rng.permutation(size)]
    hands = tuple(tuple(cards[RULES.hand_size * i : RULES.hand_size * (i + 1)]) for i in range(len(seats)))
    talon = tuple(cards[RULES.hand_size * len(seats) :])
    trump = (talon or cards)[-1].suit
    trumps = [
        (card.height, seat) for seat, hand in zip(seats, hands, strict=True) for card in hand if card.suit is trump
    ]
    attacker = min(trumps)[1] if trumps else seats[0]
    return StoryStart(seats, hands, talon, (), trump, attacker)


def table_of(position: StoryStart, rules: Rulebook) -> Table:
    """Return the beginning of a bout as the rules read it, with all hands known."""
    names = position.seats
    seating = Seating(tuple(range(len(names))))
    hands = [mask_of(hand) for hand in position.hands]
    nobody = (0,) * len(names)
    attacker, out = names.index(position.attacker), tuple(number for number, hand in enumerate(hands) if not hand)
    defender = seating.next_living(attacker, out)
    limit = bout_limit(rules, position.bout, position.beaten_off, hands[defender].bit_count())
    return Table(
        rules,
        seating,
        hands,
        unseen=nobody,
        laid_open=nobody,
        picked=nobody,
        talon_count=len(position.talon),
        trumps=MASK_OF_SUIT[position.trump],
        attacker=attacker,
        defender=defender,
        attackers=attackers_of(rules.throwers, seating, attacker, defender, out),
        last_to_attack=attacker,
        number=position.bout,
        beaten_off=position.beaten_off,
        began=tuple(hand.bit_count() for hand in hands),
        limit=NO_LIMIT if limit is None else limit,
        out=out,
    )


@dataclass(slots=True)
class _Bout:
    """One bout while it is played. ``hands``: by seat, in the order in which the cards came."""

    position: StoryStart
    rng: np.random.Generator
    mischief: bool
    free: bool
    hands: tuple[list[Card], ...] = field(init=False)
    table: Table = field(init=False)
    pairs: list[list[Card]] = field(init=False)

    def __post_init__(self) -> None:
        self.hands = tuple(list(hand) for hand in self.position.hands)
        self.table = table_of(self.position, RULES_FREE if self.free else RULES)
        self.pairs = []

    @property
    def cards(self) -> list[Card]:
        return [card for pair in self.pairs for card in pair]

    @property
    def defending(self) -> list[Card]:
        """Return the defender's hand."""
        return self.hands[self.table.defender]

    def cost(self, card: Card) -> float:
        """Return how much a card is worth to its holder."""
        return card.height + (20 if card.suit is self.position.trump else 0)

    def legal(self, kind: Kind, seat: int, over: int = 0) -> list[Card]:
        """Return the cards of a hand that may be laid as this kind of play, across the card ``over``."""
        mask = playable(kind, seat, self.table.hands[seat], self.table, over)
        return [card for card in self.hands[seat] if card.bit & mask]

    def lay(self, seat: int, card: Card, on: Card | None = None) -> LayStep:
        table = self.table
        self.hands[seat].remove(card)
        table.hands[seat] &= ~card.bit
        table.table |= card.bit
        if on is None:
            table.has_thrown = bool(self.pairs)
            self.pairs.append([card])
            table.unbeaten |= card.bit
            table.order, table.attack_count = (*table.order, card), table.attack_count + 1
        else:
            next(pair for pair in self.pairs if pair[0] == on).append(card)
            table.unbeaten &= ~on.bit
        return LayStep(self.position.seats[seat], card, on)

    def foremost(self) -> int | None:
        """Return the attacker with the first right: the first who holds cards."""
        return next((seat for seat in self.table.attackers if self.table.held(seat)), None)

    def is_full(self) -> bool:
        """Check whether the limit allows no further attack card."""
        one_more = ThrowIn(self.table.attacker, self.table.order[:1])
        return check_limit(one_more, self.table) is not None

    def throw_in(self, eager: float) -> LayStep | None:
        """Let an attacker add a card that he may add, if he has one he can spare."""
        if self.is_full():
            return None
        ceiling = 11 if self.position.talon else 40
        seats = list(self.table.attackers)
        if self.free:
            seats = [seats[i] for i in self.rng.permutation(len(seats))]
        for seat in seats:
            if spare := [card for card in self.legal(ThrowIn, seat) if self.cost(card) <= ceiling]:
                return self.lay(seat, min(spare, key=self.cost)) if self.rng.random() <= eager else None
        return None

    def open(self) -> LayStep:
        hand = self.legal(Lead, self.table.attacker)
        twins = {card.rank for card in hand if sum(other.rank == card.rank for other in hand) > 1}
        return self.lay(self.table.attacker, min(hand, key=lambda card: self.cost(card) - 2.5 * (card.rank in twins)))

    def answer(self) -> LayStep | None:
        """Let the defender beat the first open card as cheaply as he can; None: he takes."""
        answers = []
        for attack in self.table.unbeaten_cards:
            beating = self.legal(Beat, self.table.defender, attack.bit)
            if not beating:
                return None
            answers.append((attack, min(beating, key=self.cost)))
        attack, card = answers[0]
        dear = self.cost(card) > 26 and attack.suit is not self.position.trump
        if dear and self.position.talon and self.rng.random() < 0.6:
            return None
        return self.lay(self.table.defender, card, attack)

    def wrong_rank(self) -> tuple[Step, ...]:
        """Return a throw-in of a rank that is not on the table, and its mending."""
        seat = self.foremost()
        if seat is None or self.is_full() or not self.defending:
            return ()
        trump = self.position.trump
        plain = [card for card in self.hands[seat] if card.suit is not trump]
        wrong = [card for card in plain if check_rank(ThrowIn(seat, (card,)), self.table) is not None]
        if not wrong:
            return ()
        card, name = wrong[int(self.rng.integers(len(wrong)))], self.position.seats[seat]
        return LayStep(name, card, None, str(FaultId.RANK_NOT_ON_TABLE)), LiftStep(name, card)

    def swept(self, *, is_taken: bool) -> SweepStep:
        """Clear the table."""
        table = self.table
        if is_taken:
            self.defending.extend(self.cards)
            table.hands[table.defender] |= table.table
        table.table = table.unbeaten = 0
        return SweepStep(self.position.seats[table.defender] if is_taken else HEAP)

    def play(self) -> Iterator[Step]:
        yield self.open()
        while len(self.pairs) < 2 and (more := self.throw_in(0.45)):
            yield more
        while True:
            while self.table.unbeaten:
                beat = self.answer()
                if beat is None:
                    given = 0
                    while given < 2 and (more := self.throw_in(0.85)):
                        given += 1
                        yield more
                    yield self.swept(is_taken=True)
                    return
                yield beat
            if self.mischief and (steps := self.wrong_rank()):
                self.mischief = False
                yield from steps
            more = self.throw_in(0.9) if self.defending else None
            if more is None:
                yield self.swept(is_taken=False)
                return
            yield more


def play_bout(
    position: StoryStart, rng: np.random.Generator, mischief: bool = False, free: bool = False
) -> tuple[tuple[Step, ...], StoryStart]:
    """Play one bout and the draws after it: its steps and the position in which the next one begins."""
    bout = _Bout(position, rng, mischief, free)
    steps = list(bout.play())
    last = steps[-1]
    assert isinstance(last, SweepStep), f"a bout ends with a sweep, not {last}"
    taken, table = last.is_take, bout.table
    heap = position.heap if taken else (*position.heap, *bout.cards)
    talon = list(position.talon)
    for seat, count in draws_due(table):
        for _ in range(count):
            card = talon.pop(0)
            bout.hands[seat].append(card)
            table.hands[seat] |= card.bit
            steps.append(DrawStep(position.seats[seat], card, seen=not talon))
    after = replace(
        position,
        hands=tuple(map(tuple, bout.hands)),
        talon=tuple(talon),
        heap=heap,
        bout=position.bout + 1,
        beaten_off=position.beaten_off + (not taken),
    )
    if after.living:
        table.talon_count = len(talon)
        table.out = (*table.out, *empty_hands(table))
        after = replace(after, attacker=position.seats[next_turn(table, is_taken=taken)[0]])
    return tuple(steps), after


def play_deal(
    position: StoryStart, rng: np.random.Generator, mischief_in: int | None = None, free: bool = False
) -> Iterator[tuple[StoryStart, tuple[Step, ...], StoryStart]]:
    """
    Play all bouts to the end of the deal; yield (before, steps, after).

    ``mischief_in``: from that bout on try a throw-in of a wrong rank, until one was made.
    """
    mischief = False
    while len(position.living) > 1:
        mischief = mischief or position.bout == mischief_in
        steps, after = play_bout(position, rng, mischief, free)
        if any(isinstance(step, LayStep) and step.fault for step in steps):
            mischief, mischief_in = False, None
        yield position, steps, after
        position = after


@dataclass(frozen=True, slots=True)
class Wish:
    """
    Conditions that a story must meet to be filmed.

    ``talon``: cards left when it begins. ``takes``: bouts taken; ``given_on``: cards added in one of them after the
    defender had given up. ``widest``: attack cards in one bout. ``faults``: throw-ins of a wrong rank, put right.
    ``free``: every attacker throws in when he likes.
    """

    seats: tuple[str, ...] = ("Anya", "Boris", "Vera")
    talon: tuple[int, int] = (4, 6)
    steps: tuple[int, int] = (32, 46)
    takes: int = 1
    given_on: int = 1
    widest: int = 3
    faults: int = 1
    free: bool = False

    def is_met_by(self, story: Story) -> bool:
        """Check whether the story has all of it, and a fool at its end."""
        laid = [step for step in story.steps if isinstance(step, LayStep)]
        takes = [bout for bout in bouts_of(story.steps) if isinstance(bout[-1], SweepStep) and bout[-1].is_take]
        widest = max(sum(isinstance(s, LayStep) and not s.on and not s.fault for s in b) for b in bouts_of(story.steps))
        return (
            self.steps[0] <= len(story.steps) <= self.steps[1]
            and len(takes) >= self.takes
            and max((_given_on(bout) for bout in takes), default=0) >= self.given_on
            and widest >= self.widest
            and sum(lay.fault is not None for lay in laid) == self.faults
            and story.fool is not None
        )


class NoSuchDealError(ValueError):
    """No deal has what was wished for."""


def bouts_of(steps: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    """Return the steps of each bout, from its opening to its sweep; draws are left out."""
    bouts: list[tuple[Step, ...]] = []
    current: list[Step] = []
    for step in steps:
        if not isinstance(step, DrawStep):
            current.append(step)
        if isinstance(step, SweepStep):
            bouts.append(tuple(current))
            current = []
    return bouts


def _given_on(bout: tuple[Step, ...]) -> int:
    """Attack cards laid after the last answer of a bout that was taken, beyond the one that could not be beaten."""
    count = 0
    for step in bout:
        if isinstance(step, LayStep):
            count = 0 if step.on else count + 1
    return max(count - 1, 0)


def find_story(wish: Wish, seed: int, tries: int = 20_000) -> Story:
    """Return the first deal from ``seed`` on, cut short at its head, that meets the wish."""
    for attempt in range(tries):
        rng = np.random.default_rng((seed, attempt))
        position = deal(wish.seats, rng)
        turnup: Card | None = position.talon[-1] if position.talon else None
        starts = [before for before, _, _ in play_deal(position, rng, None, wish.free)]
        start = next((s for s in starts if len(s.talon) <= wish.talon[1]), None)
        if start is None or len(start.talon) < wish.talon[0]:
            continue
        mischief_in = start.bout + 1 if wish.faults else None
        played = list(play_deal(start, np.random.default_rng((seed, attempt, 1)), mischief_in, wish.free))
        steps = tuple(step for _, some, _ in played for step in some)
        living = played[-1][2].living
        story = Story(start, steps, living[0] if living else None, turnup, wish.free)
        if wish.is_met_by(story):
            return story
    raise NoSuchDealError(f"expected a deal with {wish} among {tries} from seed {seed}, found none; wish for less")
