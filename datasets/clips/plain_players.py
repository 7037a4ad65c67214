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
from referee.cards import Card, pack
from referee.events import HEAP

HAND_SIZE = 6
ATTACK_LIMIT = 6
WRONG_RANK = "rank-not-on-table"


def deal(seats: tuple[str, ...], rng: np.random.Generator, size: int = 36) -> StoryStart:
    """Deal at random; the lowest trump leads (docs/rules.md, 2), and without any trump about the dealer's left."""
    cards = [pack(size)[i] for i in rng.permutation(size)]
    hands = tuple(tuple(cards[HAND_SIZE * i : HAND_SIZE * (i + 1)]) for i in range(len(seats)))
    talon = tuple(cards[HAND_SIZE * len(seats) :])
    trump = (talon or cards)[-1].suit
    trumps = [
        (card.height, seat) for seat, hand in zip(seats, hands, strict=True) for card in hand if card.suit is trump
    ]
    attacker = min(trumps)[1] if trumps else seats[0]
    return StoryStart(seats, hands, talon, (), trump, attacker)


@dataclass(slots=True)
class _Bout:
    """One bout while it is played."""

    position: StoryStart
    hands: dict[str, list[Card]]
    rng: np.random.Generator
    mischief: bool
    free: bool
    principal: str = field(init=False)
    defender: str = field(init=False)
    limit: int = field(init=False)
    pairs: list[list[Card | None]] = field(init=False)

    def __post_init__(self) -> None:
        self.principal = self.position.attacker
        self.defender = self.position.after(self.principal)
        self.limit = min(ATTACK_LIMIT, len(self.hands[self.defender]))
        self.pairs: list[list[Card | None]] = []

    @property
    def cards(self) -> list[Card]:
        return [card for pair in self.pairs for card in pair if card]

    @property
    def ranks(self) -> set[str]:
        return {card.rank for card in self.cards}

    @property
    def room(self) -> int:
        return self.limit - len(self.pairs)

    def cost(self, card: Card) -> float:
        """Return how much a card is worth to its holder."""
        return card.height + (20 if card.suit is self.position.trump else 0)

    def attackers(self) -> list[str]:
        """Return the attackers clockwise from the principal attacker."""
        seats = self.position.seats
        at = seats.index(self.principal)
        ring = [seats[(at + i) % len(seats)] for i in range(len(seats))]
        return [seat for seat in ring if seat != self.defender and self.position.hand(seat)]

    def lay(self, seat: str, card: Card, on: Card | None = None) -> LayStep:
        self.hands[seat].remove(card)
        if on is None:
            self.pairs.append([card, None])
        else:
            next(pair for pair in self.pairs if pair[0] == on)[1] = card
        return LayStep(seat, card, on)

    def foremost(self) -> str | None:
        """Return the attacker with the first right: the first who holds cards."""
        return next((seat for seat in self.attackers() if self.hands[seat]), None)

    def throw_in(self, eager: float) -> LayStep | None:
        """Let an attacker add a card of a rank on the table, if he has one he can spare."""
        if self.room <= 0:
            return None
        ceiling = 11 if self.position.talon else 40
        foremost = self.foremost()
        seats = [foremost] if foremost else []
        if self.free:
            everybody = self.attackers()
            seats = [everybody[i] for i in self.rng.permutation(len(everybody))]
        for seat in seats:
            fits = [card for card in self.hands[seat] if card.rank in self.ranks]
            if spare := [card for card in fits if self.cost(card) <= ceiling]:
                return self.lay(seat, min(spare, key=self.cost)) if self.rng.random() <= eager else None
        return None

    def open(self) -> LayStep:
        hand = self.hands[self.principal]
        twins = {card.rank for card in hand if sum(other.rank == card.rank for other in hand) > 1}
        return self.lay(self.principal, min(hand, key=lambda card: self.cost(card) - 2.5 * (card.rank in twins)))

    def answer(self) -> LayStep | None:
        """Let the defender beat the first open card as cheaply as he can; None: he takes."""
        trump = self.position.trump
        hand = self.hands[self.defender]
        open_cards = [pair[0] for pair in self.pairs if pair[0] and pair[1] is None]
        answers = []
        for attack in open_cards:
            beating = [card for card in hand if card.beats(attack, trump)]
            if not beating:
                return None
            answers.append((attack, min(beating, key=self.cost)))
        attack, card = answers[0]
        dear = self.cost(card) > 26 and attack.suit is not trump
        if dear and self.position.talon and self.rng.random() < 0.6:
            return None
        return self.lay(self.defender, card, attack)

    def wrong_rank(self) -> tuple[Step, ...]:
        """Return a throw-in of a rank that is not on the table, and its mending."""
        seat = self.foremost()
        if seat is None or self.room <= 0 or not self.hands[self.defender]:
            return ()
        wrong = [c for c in self.hands[seat] if c.rank not in self.ranks and c.suit is not self.position.trump]
        if not wrong:
            return ()
        card = wrong[int(self.rng.integers(len(wrong)))]
        return LayStep(seat, card, None, WRONG_RANK), LiftStep(seat, card)

    def play(self) -> Iterator[Step]:
        yield self.open()
        while len(self.pairs) < 2 and (more := self.throw_in(0.45)):
            yield more
        while True:
            while any(pair[1] is None for pair in self.pairs):
                beat = self.answer()
                if beat is None:
                    given = 0
                    while given < 2 and (more := self.throw_in(0.85)):
                        given += 1
                        yield more
                    self.hands[self.defender] += self.cards
                    yield SweepStep(self.defender)
                    return
                yield beat
            if self.mischief and (steps := self.wrong_rank()):
                self.mischief = False
                yield from steps
            more = self.throw_in(0.9) if self.hands[self.defender] else None
            if more is None:
                yield SweepStep(HEAP)
                return
            yield more


def play_bout(
    position: StoryStart, rng: np.random.Generator, mischief: bool = False, free: bool = False
) -> tuple[tuple[Step, ...], StoryStart]:
    """Play one bout and the draws after it: its steps and the position in which the next one begins."""
    bout = _Bout(position, {s: list(position.hand(s)) for s in position.seats}, rng, mischief, free)
    steps = list(bout.play())
    last = steps[-1]
    assert isinstance(last, SweepStep), f"a bout ends with a sweep, not {last}"
    taken = last.is_take
    heap = position.heap if taken else (*position.heap, *bout.cards)
    talon = list(position.talon)
    for seat in (*bout.attackers(), bout.defender):
        while talon and len(bout.hands[seat]) < HAND_SIZE:
            card = talon.pop(0)
            bout.hands[seat].append(card)
            steps.append(DrawStep(seat, card, seen=not talon))
    after = replace(
        position,
        hands=tuple(tuple(bout.hands[seat]) for seat in position.seats),
        talon=tuple(talon),
        heap=heap,
        bout=position.bout + 1,
        beaten_off=position.beaten_off + (not taken),
    )
    if after.living:
        leads = bout.defender if not taken and after.hand(bout.defender) else after.after(bout.defender)
        after = replace(after, attacker=leads)
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
