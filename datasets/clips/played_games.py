"""
Play games by any rule set, with everything that happens at a table.

The players know all cards and ask the referee, which judges each step before it is made. So every rule set is played
correctly, and the faults made on purpose (:mod:`datasets.clips.faults`) are those that the referee announces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from datasets.clips.plain_players import NoSuchDealError
from datasets.clips.story import (
    DealStep,
    DrawStep,
    LayStep,
    LiftStep,
    PutBackStep,
    ShowStep,
    Step,
    Story,
    StoryStart,
    SwapStep,
    SweepStep,
    events_of,
)
from referee.cards import Card, Suit, pack
from referee.effects import apply
from referee.effects.deal import open_match
from referee.events import HEAP
from referee.game import Bout, GameState, Phase
from referee.record import Header, event_from_json
from referee.rulebook import FaultId
from referee.rulings import Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Manners:
    """
    How people play; each value is a probability from 0 to 1.

    ``pairs``: cards of one rank laid at once; ``packets``: draws taken together, of these ``few`` a grip of any size
    before the others; ``second_thoughts``: a card laid and taken back at once; ``declines``: takes although one could
    beat; ``gives``: further cards before the others are answered; ``eager``: throws in what fits; ``swaps``: exchanges
    the six; ``proves``: shows the lowest trump for the lead; ``passes_on``: passes the attack on where that is played.
    """

    pairs: float = 0.45
    packets: float = 0.5
    few: float = 0.3
    second_thoughts: float = 0.04
    declines: float = 0.25
    gives: float = 0.3
    eager: float = 0.85
    swaps: float = 0.8
    proves: float = 0.5
    passes_on: float = 0.7


@dataclass(slots=True)
class PlayedGame:
    """A game in progress: what the referee knows (``state``), and where every card really is."""

    header: dict[str, object]
    rng: np.random.Generator
    manners: Manners
    hands: dict[str, list[Card]]
    talon: list[Card]
    state: GameState
    bout: list[Card] = field(default_factory=list)
    heap: list[Card] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    start: StoryStart | None = None

    @classmethod
    def dealt(
        cls,
        rules: str,
        options: dict[str, object],
        seats: tuple[str, ...],
        rng: np.random.Generator,
        manners: Manners,
        filmed: bool,
    ) -> PlayedGame:
        """Start a new deal; ``filmed``: the deal itself is the first step."""
        header: dict[str, object] = {"kozyr": 1, "rules": rules, "options": options, "seats": list(seats)}
        header["dealer"] = seats[int(rng.integers(len(seats)))]
        state = open_match(Header.parse(header))
        cards = [pack(state.rules.pack)[i] for i in rng.permutation(state.rules.pack)]
        packet = int(rng.choice([1, 1, 2, 3]))
        size = state.rules.hand_size
        at = seats.index(str(header["dealer"]))
        ring = [seats[(at + 1 + i) % len(seats)] for i in range(len(seats))]
        hands: dict[str, list[Card]] = {seat: [] for seat in seats}
        order = iter(cards)
        while any(len(hand) < size for hand in hands.values()):
            for seat in ring:
                hands[seat] += [next(order) for _ in range(min(packet, size - len(hands[seat])))]
        talon = list(order)
        turnup: Card | None = hands[ring[-1]][-1]
        if talon and state.rules.turn_up == "under_talon":
            turnup = talon.pop(0)
            talon.insert(len(talon) - (state.rules.second_trump != "none"), turnup)
        game = cls(header, rng, manners, hands, talon, state)
        deal = DealStep(ring[-1], tuple(ring), tuple(cards[: size * len(seats)]), packet, turnup, tuple(talon))
        if filmed:
            game.start = StoryStart(seats, tuple(() for _ in seats), tuple(cards), (), Suit.HEARTS, seats[0])
        done = game.judged(deal)
        assert done is not None
        game.state = done[0]
        if filmed:
            game.steps.append(deal)
        return game

    # What is asked before a step is made

    def judged(self, step: Step) -> tuple[GameState, tuple[Ruling, ...]] | None:
        """Return the referee's ruling on a step."""
        state = self.state
        rulings: list[Ruling] = []
        lines = events_of(step, float(len(self.steps) + 1))
        for number, line in enumerate(lines):
            reported = {key: value for key, value in line.items() if key != "fault"}
            state, applied = apply(state, event_from_json(reported))
            if number == len(lines) - 1 or "on" in line:
                rulings += applied.rulings
        return state, tuple(rulings)

    def is_fine(self, step: Step) -> GameState | None:
        """Return the state after a step if it is legal; a sweep without a spoken end counts as legal."""
        done = self.judged(step)
        assert done is not None
        state, rulings = done
        if isinstance(step, LayStep | SwapStep) and not rulings:
            return None
        for ruling in rulings:
            silent = isinstance(step, SweepStep) and ruling.fault is FaultId.ATTACK_NOT_CLOSED
            if ruling.verdict is not Verdict.LEGAL and not (silent and ruling.verdict is Verdict.UNCLEAR):
                return None
        return state if len(state.matters) <= len(self.state.matters) else None

    def make(self, step: Step, state: GameState) -> None:
        """Make the step: move its cards."""
        self.state = state
        self.steps.append(step)
        if isinstance(step, LayStep):
            for card, _ in step.cards:
                self._take_from_where_it_is(step.seat, card)
                self.bout.append(card)
        elif isinstance(step, LiftStep):
            self.bout.remove(step.card)
            (self.heap if step.to_heap else self.hands[step.seat]).append(step.card)
        elif isinstance(step, SweepStep):
            gone = [card for card in self.bout if card not in step.left]
            self.bout = list(step.left)
            (self.heap if step.to == HEAP else self.hands[step.to]).extend(gone)
        elif isinstance(step, DrawStep):
            for card in step.cards:
                self.talon.remove(card)
                self.hands[step.seat].append(card)
        elif isinstance(step, PutBackStep):
            for card in reversed(step.cards):
                self.hands[step.seat].remove(card)
                self.talon.insert(0, card)
        elif isinstance(step, SwapStep):
            self.hands[step.seat].remove(step.card)
            self.hands[step.seat].append(step.gets)
            self.talon[self.talon.index(step.gets)] = step.card

    def _take_from_where_it_is(self, seat: str, card: Card) -> None:
        for place in (self.hands[seat], self.heap, *self.hands.values()):
            if card in place:
                place.remove(card)
                return

    def try_to(self, step: Step) -> bool:
        """Make the step if it is legal."""
        state = self.is_fine(step)
        if state is None:
            return False
        self.make(step, state)
        return True

    # What stands

    @property
    def over(self) -> bool:
        """Check whether the deal is decided."""
        return self.state.phase is Phase.OVER

    @property
    def between_bouts(self) -> bool:
        """Check whether the bout is empty and no draws are owed."""
        bout = self.state.bout
        return not self.bout and not self.state.due and (bout is None or not bout.attacks) and not self.over

    def chance(self, share: float) -> bool:
        """Return True with the given probability."""
        return bool(self.rng.random() < share)

    def cost(self, card: Card) -> float:
        """Return how valuable a card is to its holder."""
        return card.height + (20 if card.suit is self.state.trump else 0)

    def fool(self) -> str | None:
        """Return who has lost, if it is a single seat."""
        result = self.state.result
        return result.seats[0] if result is not None and result.kind == "fool" else None

    # How a turn goes

    def turn(self) -> None:
        """Choose the next step."""
        bout = self.state.bout
        if self.state.due:
            self._draw()
        elif self._last_card_is_to_be_shown() or self._swaps():
            return
        elif bout is None or not bout.attacks:
            self._open()
        elif bout.unbeaten:
            self._defend(bout)
        elif not (self.hands[bout.defender] and self.chance(self.manners.eager) and self._throw_in(40)):
            self._close(bout)

    def _last_card_is_to_be_shown(self) -> bool:
        seat = self.state.last_card_by
        return seat is not None and self.try_to(ShowStep(seat, self.hands[seat][-1]))

    def _swaps(self) -> bool:
        state = self.state
        turnup = state.ledger.turnup
        if turnup is None or state.trump is None or self.bout or not self.talon:
            return False
        lowest = state.rules.lowest_trump(state.trump)
        seat = next((seat for seat, hand in self.hands.items() if lowest in hand), None)
        if seat is None or state.rules.trump_swap == "off" or not self.chance(self.manners.swaps):
            return False
        return self.try_to(SwapStep(seat, lowest, turnup))

    def _leader(self) -> str:
        state = self.state
        if state.bout is not None:
            return state.bout.attacker
        trumps = [(card.height, s) for s in state.leaders for card in self.hands[s] if card.suit is state.trump]
        if not state.leaders:
            raise NoSuchDealError("expected a deal that somebody leads, got one that is dealt again; try another seed")
        return min(trumps)[1] if trumps else state.leaders[0]

    def _open(self) -> None:
        seat = self._leader()
        hand = sorted(self.hands[seat], key=self.cost)
        trumps = [card for card in hand if card.suit is self.state.trump]
        if self.state.phase is Phase.LEAD and trumps and self.chance(self.manners.proves):
            self.try_to(ShowStep(seat, min(trumps, key=lambda card: card.height)))
        plays: list[tuple[Card, ...]] = []
        twins = [tuple(c for c in hand if c.rank == r) for r in dict.fromkeys(c.rank for c in hand)]
        pairs = [group[:2] for group in twins if len(group) > 1]
        if self.chance(self.manners.pairs):
            extra = [(*pair, card) for pair in pairs for card in hand if card not in pair]
            plays += [group for group in [*extra[:1], *pairs] if sum(map(self.cost, group)) < 14 * len(group)]
        if self.chance(self.manners.second_thoughts) and len(hand) > 2:
            self._think_again(LayStep(seat, hand[int(self.rng.integers(1, len(hand)))]))
        for cards in (*plays, *((card,) for card in hand)):
            if self.try_to(LayStep(seat, cards[0], also=tuple((card, None) for card in cards[1:]))):
                return
        raise NoSuchDealError(f"expected {seat} to lead with one of {hand}, and the referee allows none; another seed")

    def _think_again(self, lay: LayStep) -> None:
        """Lay a card and take it back at once."""
        if self.try_to(lay) and not self.over:
            self.try_to(LiftStep(lay.seat, lay.card))

    def _defend(self, bout: Bout) -> None:
        seat = bout.defender
        hand = sorted(self.hands[seat], key=self.cost)
        trump = self.state.trump
        if self.state.rules.transfer and self.chance(self.manners.passes_on):
            same = [card for card in hand if card.rank == bout.attacks[0].card.rank]
            for card in same:
                if self.state.rules.transfer_show != "off" and card.suit is trump and self.try_to(ShowStep(seat, card)):
                    return
                if self.try_to(LayStep(seat, card)):
                    return
        if self.chance(self.manners.gives) and self._throw_in(11):
            return
        answers: list[tuple[Card, Card]] = []
        for attack in bout.unbeaten:
            beating = [c for c in hand if trump and c.beats(attack, trump) and c not in [a for a, _ in answers]]
            if beating:
                answers.append((beating[0], attack))
        dear = any(self.cost(card) > 26 and attack.suit is not trump for card, attack in answers)
        if len(answers) < len(bout.unbeaten) or (dear and self.talon and self.chance(self.manners.declines)):
            self._take(bout)
            return
        self.rng.shuffle(answers)
        if len(answers) > 1 and self.chance(self.manners.pairs * 0.5):
            (first, over), *more = answers[:2]
            if self.try_to(LayStep(seat, first, over, also=tuple(more))):
                return
        card, attack = answers[0]
        if self.chance(self.manners.second_thoughts):
            self._think_again(LayStep(seat, card, attack))
        if not self.try_to(LayStep(seat, card, attack)):
            self._take(bout)

    def _throw_in(self, ceiling: float) -> bool:
        """Throw in a card of a rank on the table, if somebody has one to spare and it is legal."""
        bout = self.state.bout
        assert bout is not None
        for seat in self.state.entitled():
            fits = [card for card in self.hands[seat] if card.rank in bout.ranks]
            spare = sorted((card for card in fits if self.cost(card) <= ceiling), key=self.cost)
            if len(spare) > 1 and self.chance(self.manners.pairs * 0.5):
                two = LayStep(seat, spare[0], also=((spare[1], None),))
                if self.try_to(two):
                    return True
            if any(self.try_to(LayStep(seat, card)) for card in spare[:2]):
                return True
        return False

    def _take(self, bout: Bout) -> None:
        for _ in range(2):
            if self.over or not self.chance(self.manners.gives + 0.2) or not self._throw_in(11):
                break
        if not self.over:
            self._must(SweepStep(bout.defender, by=self._somebody(bout.defender)))

    def _close(self, bout: Bout) -> None:
        self._must(SweepStep(HEAP, by=self._somebody(bout.defender)))

    def _somebody(self, likely: str) -> str | None:
        """Choose whose arm clears the table: usually the defender's, or the nearest one, or any other."""
        fate = self.rng.random()
        if fate < 0.6:
            return likely
        seats = list(self.hands)
        return None if fate < 0.85 else seats[int(self.rng.integers(len(seats)))]

    def _must(self, step: Step) -> None:
        if not self.try_to(step):
            raise NoSuchDealError(f"expected a step that the rules allow, got {step}; try another seed")

    def _draw(self) -> None:
        seat, count = self.state.due[0]
        count = min(count, len(self.talon))
        if not self.chance(self.manners.packets):
            count = 1
        elif self.chance(self.manners.few):
            count = int(self.rng.integers(1, count + 1))
        cards = tuple(self.talon[:count])
        turnup = self.state.ledger.turnup
        if turnup in cards[:-1]:
            cards = cards[: cards.index(turnup) + 1]
        self._must(DrawStep(seat, cards[0], cards[-1] == turnup, cards[1:]))

    # From the game to the story

    def begin_here(self) -> None:
        """Begin the film; everything before goes into the header."""
        state = self.state
        leads = self._leader()
        self.header["start"] = {
            "trump": str(state.trump),
            "turnup": str(state.ledger.turnup) if state.ledger.turnup else None,
            "talon": len(self.talon),
            "hands": {seat: len(hand) for seat, hand in self.hands.items()},
            "attacker": leads,
            "defender": state.bout.defender if state.bout else state.seating.next_living(leads, state.out),
            "heap_count": len(self.heap),
            "bout": state.bout.number if state.bout else 1,
            "beaten_off": state.beaten_off,
            "out": list(state.out),
        }
        self.steps.clear()
        self.state = open_match(Header.parse(self.header))
        seats = tuple(self.hands)
        hands = tuple(tuple(self.hands[seat]) for seat in seats)
        assert state.trump is not None
        self.start = StoryStart(seats, hands, tuple(self.talon), tuple(self.heap), state.trump, leads)

    def story(self) -> Story:
        """Return what has been played since the film began."""
        assert self.start is not None
        dealt = self.steps and isinstance(self.steps[0], DealStep)
        turnup = self.header.get("start", {}).get("turnup")  # type: ignore[attr-defined]
        return Story(
            self.start,
            tuple(self.steps),
            self.fool(),
            None if dealt or turnup is None else Card.parse(turnup),
            head=self.header,
        )


def play_until(game: PlayedGame, steps: int, talon: int | None = None) -> None:
    """Play to the end, for a number of steps, or until at most ``talon`` cards are left between two bouts."""
    while not game.over and len(game.steps) < steps:
        if talon is not None and game.between_bouts and len(game.talon) <= talon:
            return
        game.turn()


def cards_in(steps: Iterable[Step]) -> int:
    """Return the number of cards touched by these steps, to estimate their duration."""
    count = 0
    for step in steps:
        if isinstance(step, LayStep | DrawStep | DealStep):
            count += len(step.cards) if not isinstance(step, DrawStep) else 1
        else:
            count += 2
    return count
