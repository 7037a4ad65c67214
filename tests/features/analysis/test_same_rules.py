"""Positions of the search, compared with the referee: the same legal decisions and the same resulting positions."""

from __future__ import annotations

import random
from typing import Any

import pytest

from features.analysis.position import (
    ATTACK,
    BEAT,
    GOES_ON,
    PASS,
    SHOW,
    TAKE,
    TRANSFER,
    Decision,
    Position,
    SearchRules,
    choices,
    house_of,
    in_words,
    legal,
    position_of,
)
from referee.cards import CARD_OF, Card, bits_of, cards_of, mask_of, pack
from referee.game import GameState, Phase
from referee.plays import Beat, Give, Laid, Lead, Swap, Take, ThrowIn, Transfer
from referee.record import Header, event_from_json
from referee.rulebook import PRESETS, rulebook
from referee.rules import fault_of
from referee.seating import Seating
from tests.referee.certain_referee import Referee
from tests.referee.house import HOUSES
from tests.referee.random_play import RandomSession

TABLES = [(name, players) for name, (_, counts) in HOUSES.items() for players in counts]


def legal_by_referee(state: GameState, seat: str, hand: list[Card]) -> set[Decision]:
    """Return every decision of one card that the referee finds no fault with; openings of several of one rank too."""
    bout = state.bout
    assert bout is not None
    found: set[Decision] = set()
    for card in hand:
        bit = card.bit
        if not bout.attacks:
            found |= {(ATTACK, bit, 0)} if fault_of(Lead(seat, (card,)), state) is None else set()
        elif seat == bout.defender:
            for over in bout.unbeaten:
                if fault_of(Beat(seat, (card,), over), state) is None:
                    found.add((BEAT, bit, over.bit))
            found |= {(TRANSFER, bit, 0)} if fault_of(Transfer(seat, (card,)), state) is None else set()
            found |= {(SHOW, bit, 0)} if fault_of(Transfer(seat, (card,), shown=True), state) is None else set()
        else:
            kind: type[Laid] = Give if state.phase is Phase.TAKE else ThrowIn
            found |= {(ATTACK, bit, 0)} if fault_of(kind(seat, (card,)), state) is None else set()
    if bout.attacks and state.phase is Phase.ATTACK and fault_of(Take(seat), state) is None:
        found.add((TAKE, 0, 0))
    if not bout.attacks and seat == bout.attacker:
        found |= openings_by_referee(state, seat, hand)
    return found


def openings_by_referee(state: GameState, seat: str, hand: list[Card]) -> set[Decision]:
    """Return all openings of two or three cards that break no rule."""
    several = [(a, b) for a in hand for b in hand if str(a) < str(b)]
    several += [(a, b, c) for a, b in several for c in hand if str(b) < str(c)]
    return {(ATTACK, mask_of(cards), 0) for cards in several if fault_of(Lead(seat, cards), state) is None}


class Compared:
    """Compares the legal decisions after every event of a random session."""

    def __init__(self) -> None:
        self.decisions = self.swaps = 0

    def __call__(self, session: RandomSession) -> None:
        state, deal = session.referee.state, session.deal
        if state.phase not in (Phase.ATTACK, Phase.TAKE) or state.bout is None or state.bout.ended or deal is None:
            return
        if session.rng.random() > 0.2 or state.bout.allowed:
            return  # leave that one attacker gives another by word is no decision of the search
        house = house_of(state)
        hands = [mask_of(map(Card.parse, deal.hands[seat])) for seat in session.seats]
        talon = [Card.parse(card).bit for card in reversed(deal.talon)]
        position = position_of(house, state, hands, talon)
        for number, seat in enumerate(session.seats):
            cards = [Card.parse(card) for card in deal.hands[seat]]
            mine = {option for option in legal(position, number) if option[1].bit_count() <= 3}
            theirs = legal_by_referee(state, seat, cards)
            if mine != theirs:
                gone, new = sorted(map(in_words, theirs - mine)), sorted(map(in_words, mine - theirs))
                session.differ(f"{seat}: the search lacks {gone} and adds {new}")
            self.decisions += len(mine)
            lowest = state.rules.lowest_trump(state.trump)  # type: ignore[arg-type]
            if state.ledger.turnup is not None:
                may = lowest in cards and fault_of(Swap(seat, lowest), state) is None
                assert may == position.may_swap(number), (seat, session.record[-5:])
                self.swaps += may


@pytest.mark.ordinary(6)
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_legal_decisions_agree_with_the_referee(name: str, players: int) -> None:
    compared = Compared()
    session = RandomSession(name, players, seed=players)
    session.after_event = compared
    session.play()
    assert compared.decisions > 5


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("podkidnoy-36", {"low_limit": 5, "low_limit_until": "first_discard", "low_limit_gives": False}),
        ("podkidnoy-36", {"trump_swap": "ace_only", "throwers": "principal"}),
        ("perevodnoy", {"transfer_first_bout": False}),
    ],
)
def test_legal_decisions_agree_under_house_rules(name: str, options: dict[str, Any]) -> None:
    compared = Compared()
    session = RandomSession(name, 3, seed=2, options=options)
    session.after_event = compared
    session.play()
    assert compared.decisions > 5


def dealt(name: str, players: int, rng: random.Random) -> tuple[Position, Referee, list[str]]:
    """Return a new deal, by the search and by the referee."""
    rules, seats = rulebook(name), list("ABCDEF"[:players])
    house = SearchRules.of(rules, Seating.of(tuple(seats), rules.teams))
    cards = [card.bit for card in pack(rules.pack)]
    rng.shuffle(cards)
    size = rules.hand_size
    hands = [sum(cards[n * size : n * size + size]) for n in range(players)]
    talon = cards[players * size :][::-1]
    turnup = -1
    if talon and rules.turn_up == "under_talon":
        turnup = 1 if rules.second_trump != "none" else 0
    shown = CARD_OF[talon[turnup] if turnup >= 0 else cards[players * size - 1]]
    header = {
        "kozyr": 1,
        "rules": name,
        "seats": seats,
        "dealer": seats[-1],
        "start": {
            "trump": str(shown.suit),
            "turnup": str(shown) if turnup >= 0 else None,
            "talon": len(talon),
            "hands": dict.fromkeys(seats, size),
            "attacker": "A",
        },
    }
    position = Position(house, hands, talon, list("shdc").index(str(shown.suit)), turnup)
    position.begin(0, position.seating.next_living(0, position.out) if rules.teams == "none" else 1)
    return position, Referee(Header.parse(header)), seats


def order_of(position: Position) -> list[int]:
    """Return the attackers in the order in which the house asks them."""
    order = position.rules.give_order if position.is_taking else position.rules.throw_order
    first = position.attacker if order in ("priority", "free") else position.last_to_attack
    return [seat for seat in position.seating.clockwise_from(first) if seat in position.attackers]


class BothPlay:
    """Plays a decision in a position of the search, and reports what happens to the referee."""

    def __init__(self, name: str, players: int, rng: random.Random) -> None:
        self.position, self.referee, self.seats = dealt(name, players, rng)
        self.rng = rng
        self.swap()

    def swap(self) -> None:
        """Report the exchange of the lowest trump that the search has made by itself."""
        position, turnup = self.position, self.referee.state.ledger.turnup
        if position.place >= 0 and turnup is not None and position.talon[position.place] != turnup.bit:
            holder = next(n for n, hand in enumerate(position.hands) if hand & turnup.bit)
            lowest = CARD_OF[position.talon[position.place]]
            self.report("swapped", card=str(lowest), by=self.seats[holder])

    def report(self, event: str, **facts: Any) -> None:
        step = self.referee.apply(event_from_json({"at": 1.0, "event": event, **facts}))
        assert all(ruling.fault is None for ruling in step.rulings), step.rulings

    def play(self) -> None:
        position = self.position
        decision, seat = self.rng.choice(choices(position)), self.seats[position.asked]
        kind, cards, over = decision
        before = position.copy()
        position.play(decision)
        if kind == ATTACK and before.attack_count:
            for other in order_of(before):
                # The search asks nobody who has no card that fits; the referee waits until he has stopped.
                if other == before.asked:
                    break
                if before.hands[other] and not before.passed >> other & 1:
                    self.report("pressed", button="pass", by=self.seats[other])
        for card in cards_of(cards):
            if kind == SHOW:
                self.report("shown", card=str(card), by=seat)
            else:
                on = {"on": str(CARD_OF[over])} if kind == BEAT else {}
                self.report("placed", card=str(card), by=seat, **on)
        if kind == TAKE:
            self.report("pressed", button="take", by=seat)
        elif kind == PASS:
            self.report("pressed", button="pass", by=seat)
        if position.number != before.number or position.losers != GOES_ON:
            self.end_bout(before, decision)

    def end_bout(self, before: Position, decision: Decision) -> None:
        """Sweep and draw, so that the referee comes to the next bout."""
        if self.referee.state.result is None:
            taken = before.is_taking or decision[0] == TAKE
            defender = self.seats[before.defender]
            if not taken and not self.referee.state.bout.ended:  # type: ignore[union-attr]
                self.report("pressed", button="done")
            self.report("swept", to=defender if taken else "heap")
            while self.referee.state.due:
                seat, count = self.referee.state.due[0]
                self.report("drawn", by=seat, count=count)
            last = self.referee.state.last_card_by
            if last is not None:
                card = next(bit for bit in bits_of(before.talon[0]))
                self.report("shown", card=str(CARD_OF[card]), by=last)
            self.swap()
        self.compare()

    def compare(self) -> None:
        position, state = self.position, self.referee.state
        assert [state.ledger.hands[seat] for seat in self.seats] == [hand.bit_count() for hand in position.hands]
        assert [self.seats[seat] for seat in position.out] == list(state.out)
        if state.result is not None:
            losers = {seat for n, seat in enumerate(self.seats) if position.losers >> n & 1}
            is_draw = state.result.kind == "draw"
            named = set(state.result.seats)
            assert losers == (set() if is_draw else named if "fool" in state.result.kind else set(self.seats) - named)
            return
        assert position.losers == GOES_ON
        assert state.bout is not None
        assert (state.bout.attacker, state.bout.defender) == (
            self.seats[position.attacker],
            self.seats[position.defender],
        )
        again = position_of(position.house, state, position.hands, position.talon) if position.place < 0 else position
        assert (again.limit, again.trump, again.number, again.beaten_off) == (
            position.limit,
            position.trump,
            position.number,
            position.beaten_off,
        )


@pytest.mark.ordinary(6)
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_decisions_lead_to_the_position_of_the_referee(name: str, players: int) -> None:
    rng = random.Random(f"{name} {players}")
    for _ in range(2):
        both = BothPlay(name, players, rng)
        decisions = 0
        while both.position.losers == GOES_ON and decisions < 500:
            both.play()
            decisions += 1
        assert both.referee.state.bout is not None


def test_all_presets_are_played() -> None:
    assert {name for name, _ in TABLES} == set(PRESETS)
