"""
Which events may have gone unseen before a line: a list of generators, one for each case.

Each yields the unseen events of its case that could explain the line, with their probability. A test in
``tests/referee/belief/test_unseen_cases.py`` plays every case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log

from referee.belief.rates import Rates
from referee.belief.reported_event import Option, pack_in_order
from referee.cards import Card, Suit
from referee.events import HEAP, Dealt, Drawn, Lifted, Placed, Pressed, Shown, Swapped, Swept, TableEvent, Unread
from referee.game import GameState, Phase
from referee.ledger import NOTHING, Bout
from referee.plays import Swap
from referee.rule_order import fault_of

DRAWN_APART = 0.25
"""Probability. Owed cards are drawn in several grips. Chosen by hand."""

MATTERS = 3
"""Number of newest open faults that may have been forgiven unseen."""

RANKS = 9
"""Ranks of the short pack. An unseen lead has the rank of the card thrown in with one in so many."""

Unseen = tuple[TableEvent, float, frozenset[Card]]
"""An event that may have gone unseen, the logarithm of its probability, and the cards whose names are only assumed."""

Case = Callable[[GameState, Sequence[TableEvent], Rates], Iterator[Unseen]]
"""Yields the unseen events of one case that could explain one of the events."""

BoutCase = Callable[[GameState, Bout, Sequence[TableEvent], Rates], Iterator[Unseen]]
EventCase = Callable[[GameState, Bout, TableEvent, Rates], Iterator[Unseen]]
"""The same during a bout, the latter for one event."""


def candidates_before(state: GameState, options: tuple[Option, ...], rates: Rates) -> Iterator[Unseen]:
    """Yield the events that may have gone unseen in this position and could explain one of the options."""
    bout, events = state.bout, [each.event for each in options if each.event is not None]
    yield from deals(state, events, rates)
    if any(_continues_laying(state, event) for event in events):
        # Between two cards that are laid together only a further card of the play can go unseen.
        yield from cards_of_opening(state, events, rates)
        return
    for case in CASES_OUTSIDE_BOUT:
        yield from case(state, events, rates)
    if bout is not None and bout.ended is None and state.phase in (Phase.ATTACK, Phase.TAKE):
        for bout_case in CASES_IN_BOUT:
            yield from bout_case(state, bout, events, rates)
        for event in events:
            for event_case in CASES_OF_EVENT:
                yield from event_case(state, bout, event, rates)
        yield from lifts(state, events, rates)
    yield from exchanges(state, events, rates)


def candidates_without_effect(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """
    Yield events that may have gone unseen before this one although they explain nothing yet; later bouts are the
    evidence.
    """
    for case in CASES_WITHOUT_EFFECT:
        yield from case(state, event, rates)


def may_be_played(state: GameState, seat: str) -> Iterator[Card]:
    """Yield the cards that this seat may hold, by all that is known."""
    ledger = state.ledger
    lying = set(state.bout.cards) if state.bout is not None else set()
    open_cards = {card for matter in state.matters for card in matter.cards}
    known_here = ledger.known[seat]
    if not ledger.hands[seat]:
        return
    only_known = len(known_here) >= ledger.hands[seat]
    for card in pack_in_order(state.rules):
        if card in lying or card in open_cards or card in ledger.heap or card == ledger.turnup:
            continue
        holder = ledger.holder(card)
        if holder == seat or (holder is None and not only_known):
            yield card


def _continues_laying(state: GameState, event: TableEvent) -> bool:
    """Check whether the event continues the play of cards being laid."""
    laying = state.laying
    return isinstance(event, Placed) and laying is not None and (laying.at, laying.by) == (event.at, event.by)


def _attackers(state: GameState) -> tuple[str, ...]:
    """Return the seats that may lay an attack card now."""
    assert state.bout is not None
    return state.entitled() if state.bout.attacks else (state.bout.attacker,)


def _one_of(cards: Sequence[Card], by: str, rate: float, at: float = 0.0) -> Iterator[Unseen]:
    """Yield each of these cards as the one that the seat laid, with this rate in all; their names are assumed."""
    for card in cards:
        yield Placed(at=at, card=card, by=by), log(rate / len(cards)), frozenset((card,))


def _two_of_each_rank(cards: Sequence[Card]) -> Iterator[tuple[Card, float]]:
    """Yield at most two cards of each rank, each with the share of those for which it stands: 1 in all."""
    for rank in sorted({card.rank for card in cards}):
        same = [card for card in cards if card.rank == rank]
        for card in same[:2]:
            yield card, len(same) / min(2, len(same)) / len(cards)


def _unread_beats(bout: Bout, rates: Rates) -> Iterator[Unseen]:
    """Yield a beat of each unbeaten card by a card that nobody read."""
    for attack in bout.unbeaten:
        yield Unread(at=0.0, by=bout.defender, on=attack), log(rates.unseen_card), NOTHING


def deals(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose a deal, with any trump suit, before the first deal or after the end of one."""
    if not state.dealt or state.result is not None:
        for suit in Suit:
            turnup = next(card for card in pack_in_order(state.rules) if card.suit is suit)
            yield Dealt(at=0.0, turnup=turnup), log(rates.unseen_deal / len(Suit)), NOTHING


def cards_of_opening(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose one more card of an opening with several cards, of a rank among them."""
    laying, bout = state.laying, state.bout
    if laying is None or laying.by is None or bout is None or laying.by != bout.attacker:
        return
    for event in events:
        if isinstance(event, Placed):
            ranks = {card.rank for card in (*laying.cards, event.card)}
            cards = [card for card in may_be_played(state, laying.by) if card.rank in ranks and card != event.card]
            yield from _one_of(cards, laying.by, rates.unseen_card, at=event.at)


def leads(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """
    Propose a lead by the seat that the line names, where the leader of the deal is unknown.

    The seat that draws first has led; the seat before the taker, or before the defender who beats a card, has led.
    """
    if state.phase is not Phase.LEAD or not state.dealt or state.trump is None:
        return
    found: dict[str, Card | None] = {}
    for event in events:
        match event:
            case Swept() if event.to == HEAP:
                found |= dict.fromkeys(state.leaders)
            case Swept():
                found[state.seating.previous_living(event.to, state.out)] = None
            case Drawn(by=str() as seat):
                found[seat] = None
            case Placed(by=str() as seat, on=Card() as card):
                found[state.seating.previous_living(seat, state.out)] = card
    found = {seat: card for seat, card in found.items() if seat in state.leaders}
    for seat, recorded in found.items():
        lead = recorded if recorded is not None else next(may_be_played(state, seat), None)
        if lead is not None:
            assumed = frozenset((lead,)) if recorded is None else NOTHING
            yield Placed(at=0.0, card=lead, by=seat), log(rates.unseen_card / len(found)), assumed


def forgiven_faults(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose that the players let an open fault stand."""
    for matter in state.matters[-MATTERS:]:
        card = matter.cards[-1] if matter.cards else None
        if card is not None or matter is state.matters[-1]:
            yield Pressed(at=0.0, button="forgive", card=card), log(rates.stands), NOTHING


def draws(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose draws that are owed: the next seat drew all of its cards, or some if it is reported to draw the rest."""
    for seat, owed in state.due[:1]:
        apart = rates.unseen_draw * DRAWN_APART
        yield Drawn(at=0.0, by=seat, count=owed), log(apart if state.refill.partly else rates.unseen_draw), NOTHING
        if owed > 1 and any(isinstance(each, Drawn) and each.by == seat for each in events):
            for less in range(1, owed):
                yield Drawn(at=0.0, by=seat, count=less), log(apart / (owed - 1)), NOTHING


def takes(state: GameState, bout: Bout, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose an announced take where a card is unbeaten, unless the defender lays the next card."""
    lays = any(isinstance(event, Placed) and event.by == bout.defender for event in events)
    if bout.unbeaten and bout.taking is None and not lays:
        yield Pressed(at=0.0, button="take", by=bout.defender), log(rates.take), NOTHING


def sweeps(state: GameState, bout: Bout, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose a sweep to the discard pile, or a take, of the cards on the table."""
    if bout.attacks or bout.faceless:
        for to in (HEAP, bout.defender):
            yield Swept(at=0.0, to=to), log(rates.unseen_sweep), NOTHING


def shown_trumps(state: GameState, bout: Bout, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose a transfer by a shown trump of the rank, where the house allows that."""
    if state.rules.transfer_show != "off" and bout.attacks and not bout.beaten and state.trump is not None:
        for rank in sorted(bout.ranks):
            shown = Card.parse(f"{rank}{state.trump}")
            yield Shown(at=0.0, card=shown, by=bout.defender), log(rates.unseen_card), NOTHING


def lifts(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose that the card laid now, which is already on the table, was taken back before."""
    lying = set() if state.bout is None else set(state.bout.cards)
    for event in events:
        if isinstance(event, Placed) and event.card in lying:
            yield Lifted(at=0.0, card=event.card), log(rates.unseen_lift / rates.taken_back), NOTHING


def exchanges(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Propose an exchange of the turn-up for the lowest trump by the seat that lays the turn-up."""
    for event in events:
        if isinstance(event, Placed) and event.card == state.ledger.turnup and state.trump is not None:
            exchange = Swapped(at=0.0, card=state.rules.lowest_trump(state.trump), by=event.by)
            yield exchange, log(rates.unseen_swap), NOTHING
            return


def names_of_unread(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose names for an unread card on the table: of a rank that allows this card, or one that this card beats."""
    trump = state.trump
    if not isinstance(event, Placed) or trump is None:
        return
    for face in bout.faceless:
        cards = tuple(may_be_played(state, face.by))
        is_beaten = event.on is None and face.on is None and event.by == bout.defender
        for card in cards:
            if card.rank == event.card.rank or (is_beaten and event.card.beats(card, trump)):
                named = Placed(at=0.0, card=card, by=face.by, on=face.on)
                yield named, log(1 / len(cards)), frozenset((card,))


def cards_under(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose the missing card under the laid one: laid by an attacker, or as a transfer."""
    if not isinstance(event, Placed) or event.on is None or bout.find(event.on) is not None:
        return
    seats = _attackers(state)
    if event.by != bout.defender and state.rules.transfer:
        seats = (*seats, bout.defender)
    for seat in seats:
        yield Placed(at=0.0, card=event.on, by=seat), log(rates.unseen_card / len(seats)), NOTHING


def attacks_beaten(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose an unseen attack card that the defender's card, laid beside all others, beats."""
    trump, laying = state.trump, state.laying
    if not isinstance(event, Placed) or event.on is not None or event.by != bout.defender or trump is None:
        return
    ranks, seats = bout.ranks, _attackers(state)
    for seat in seats:
        opens = laying is not None and laying.by == seat
        is_any = not ranks or (opens and state.rules.opening == "pairs_plus_one")
        cards = [
            card
            for card in may_be_played(state, seat)
            if (is_any or card.rank in ranks) and event.card.beats(card, trump)
        ]
        at = laying.at if laying is not None and opens else 0.0
        rate = rates.unseen_card / len(seats)
        for card, share in _two_of_each_rank(cards):
            yield Placed(at=at, card=card, by=seat), log(rate * share), frozenset((card,))


def transfers(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose a transfer by the defender where another seat lays a card, which may beat one, or takes the bout."""
    seat = event.by if isinstance(event, Placed) else getattr(event, "to", None)
    if state.rules.transfer and bout.attacks and not bout.beaten and seat not in (None, HEAP, bout.defender):
        cards = [card for card in may_be_played(state, bout.defender) if card.rank in bout.ranks]
        yield from _one_of(cards, bout.defender, rates.unseen_card)


def leads_of_attacker(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose a lead by the attacker, of the rank of a first card that another seat throws in or transfers with."""
    if not isinstance(event, Placed) or event.on is not None or bout.attacks:
        return
    if event.by != bout.attacker and (event.by != bout.defender or state.rules.transfer):
        cards = [card for card in may_be_played(state, bout.attacker) if card.rank == event.card.rank]
        yield from _one_of(cards, bout.attacker, rates.unseen_card / RANKS)


def beats_before_throw_in(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose that an unread card beat an unbeaten one, where the house throws in only after all is beaten."""
    is_throw_in = isinstance(event, Placed) and event.on is None and event.by != bout.defender
    if is_throw_in and state.rules.throw_timing == "after_beaten":
        yield from _unread_beats(bout, rates)


def beats_of_rank(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """
    Propose that a card of this rank beat an unbeaten one, where a card is thrown in whose rank is not on the table.
    """
    trump = state.trump
    if not isinstance(event, Placed) or event.on is not None or trump is None:
        return
    if bout.attacks and event.card.rank not in bout.ranks:
        for attack in bout.unbeaten:
            cards = [card for card in may_be_played(state, bout.defender) if card.beats(attack, trump)]
            for card in cards:
                if card.rank == event.card.rank:
                    beat = Placed(at=0.0, card=card, by=bout.defender, on=attack)
                    yield beat, log(rates.unseen_card / len(cards)), frozenset((card,))


def beats_before_end(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """
    Propose that unread cards beat what is unbeaten, where the bout has ended, or a card may open the next one.

    A card opens the next bout only if a single one was unbeaten; the sweep went unseen too.
    """
    opens_next = isinstance(event, Placed) and event.on is None and len(bout.unbeaten) == 1
    if (opens_next or isinstance(event, Swept | Drawn)) and state.ledger.hands[bout.defender]:
        yield from _unread_beats(bout, rates)


def throw_ins_before_end(state: GameState, bout: Bout, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """
    Propose a further throw-in before the bout was swept or drawn after, all being beaten; its name matters no more.
    """
    if isinstance(event, Swept | Drawn) and not bout.unbeaten:
        ranks, seats = bout.ranks, _attackers(state)
        for seat in seats:
            card = next((each for each in may_be_played(state, seat) if not ranks or each.rank in ranks), None)
            if card is not None:
                yield Placed(at=0.0, card=card, by=seat), log(rates.unseen_card / len(seats)), frozenset((card,))


def cards_of_take(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose one more card given on, where the bout is taken. The draws are evidence for it."""
    bout = state.bout
    if isinstance(event, Swept) and bout is not None and event.to == bout.defender and bout.attacks:
        seats = state.entitled()
        for seat in seats:
            yield Unread(at=0.0, by=seat), log(rates.unseen_card / len(seats)), NOTHING


def exchanges_before_draw(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose an exchange of the turn-up before the last cards are drawn. The seat that plays it is the evidence."""
    bout, ledger = state.bout, state.ledger
    if isinstance(event, Drawn) and ledger.turnup is not None and event.count >= ledger.talon and state.trump:
        lowest = state.rules.lowest_trump(state.trump)
        is_gone = lowest in ledger.heap or (bout is not None and lowest in bout.cards)
        if ledger.turnup != lowest and not is_gone and fault_of(Swap(state.living[0], lowest), state) is None:
            yield Swapped(at=0.0, card=lowest), log(rates.unseen_swap), NOTHING


def leads_beaten(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Propose a lead that this card beats, where the leader of the deal is unknown. The next turns are the evidence."""
    if isinstance(event, Placed) and state.phase is Phase.LEAD and state.trump is not None and event.on is None:
        leader = None if event.by is None else state.seating.previous_living(event.by, state.out)
        if leader is not None and leader in state.leaders:
            cards = [card for card in may_be_played(state, leader) if event.card.beats(card, state.trump)]
            for card, share in _two_of_each_rank(cards):
                yield Placed(at=0.0, card=card, by=leader), log(rates.unseen_card * share), frozenset((card,))


CASES_OUTSIDE_BOUT: tuple[Case, ...] = (leads, forgiven_faults, draws)
CASES_IN_BOUT: tuple[BoutCase, ...] = (takes, sweeps, shown_trumps)
CASES_OF_EVENT: tuple[EventCase, ...] = (
    names_of_unread,
    cards_under,
    attacks_beaten,
    transfers,
    leads_of_attacker,
    beats_before_throw_in,
    beats_of_rank,
    beats_before_end,
    throw_ins_before_end,
)
CASES_WITHOUT_EFFECT: tuple[Callable[[GameState, TableEvent, Rates], Iterator[Unseen]], ...] = (
    cards_of_take,
    exchanges_before_draw,
    leads_beaten,
)
