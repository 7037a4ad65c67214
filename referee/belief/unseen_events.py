"""
Search for unseen events that explain a line.

The search starts from the position of one hypothesis: which few unseen events (a draw, a sweep, a card, a take that
nobody heard, a fault that everybody let stand) make the line fit? It is a best-first search by probability, within a
budget of judgements.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from math import log

from referee.announcements import Announcement
from referee.belief.hypotheses import Assumption, Budget, Hypothesis, advance, continues_play, extend
from referee.belief.misreading import pack_in_order
from referee.belief.rates import Rates
from referee.belief.reported_event import Option
from referee.cards import Card, Suit
from referee.events import HEAP, Dealt, Drawn, Lifted, Placed, Pressed, Shown, Swapped, Swept, TableEvent, Unread
from referee.game import GameState, Phase
from referee.ledger import NOTHING
from referee.plays import Swap
from referee.review import Review
from referee.rule_order import fault_of_swap

DEPTH = 4
"""Greatest number of unseen events in a row."""

ONE_MORE = 1.5
"""Nats by which the search for a further unseen event is delayed: explanations with fewer events are tried first."""

Unseen = tuple[TableEvent, float, frozenset[Card]]
"""An event that may have gone unseen, the logarithm of its probability, and the cards whose names are only assumed."""


def search_unseen(
    hypothesis: Hypothesis,
    recorded: TableEvent,
    options: tuple[Option, ...],
    rates: Rates,
    budget: Budget,
    *,
    place: int,
    floor: float,
    review: Review = Review.NONE,
) -> Iterator[Hypothesis]:
    """
    Yield the hypothesis after the line with events that went unseen before it.

    ``floor``: children with a smaller logarithm of weight are dropped. ``review``: how far people vouch for the bout.
    """
    ticket = count()
    frontier: list[tuple[float, int, float, Hypothesis, tuple[TableEvent, ...], tuple[Announcement, ...]]] = []
    heapq.heappush(frontier, (0.0, next(ticket), 0.0, hypothesis, (), ()))
    while frontier and budget.left > 0:
        turn, _, cost, node, unseen, announced = heapq.heappop(frontier)
        if unseen and turn == cost:
            for option in options:
                for event in () if option.event is None else _possible_positions(node.state, option.event, unseen):
                    assumption = Assumption(
                        place, recorded, event, option.cue, option.log_likelihood, unseen, -cost, announced
                    )
                    child = extend(node, assumption, rates, budget)
                    if child is not None and child.log_weight >= floor:
                        yield child
            if len(unseen) < DEPTH:
                heapq.heappush(frontier, (cost + ONE_MORE, next(ticket), cost, node, unseen, announced))
            continue
        likeliest: dict[TableEvent, tuple[float, frozenset[Card]]] = {}
        for event, log_rate, assumed in candidates_before(
            node.state, options, rates.after_a_miss() if unseen else rates
        ):
            if review.allows_unseen(event) and log_rate > likeliest.get(event, (floor - node.log_weight, NOTHING))[0]:
                likeliest[event] = log_rate, assumed
        for event, (log_rate, assumed) in likeliest.items():
            if budget.left <= 0:
                return
            found = advance(node, event, rates, budget)
            is_part = found is not None and isinstance(event, Placed) and continues_play(found[0])
            factor = floor if found is None else log_rate + (0.0 if is_part else found[2])
            if found is None or node.log_weight + factor < floor:
                continue
            state, step, _ = found
            if isinstance(event, Dealt) or (assumed and isinstance(recorded, Swept | Drawn)):
                state = _forget_name(state, event)
            weight = node.log_weight + factor
            after = replace(node, state=state, log_weight=weight, assumed=node.assumed | assumed, new_fault=())
            announcements = (*announced, *step.announcements)
            heapq.heappush(
                frontier, (cost - factor, next(ticket), cost - factor, after, (*unseen, event), announcements)
            )


def _forget_name(state: GameState, event: TableEvent) -> GameState:
    """Forget which card it was: one card stands for all of a hand's known cards, one turn-up for all of its suit."""
    ledger = state.ledger
    if isinstance(event, Dealt):
        return state.but(ledger=ledger.but(turnup=None, known=dict.fromkeys(ledger.known, NOTHING)))
    if not isinstance(event, Placed) or event.by is None:
        return state
    return state.but(ledger=ledger.but(known={**ledger.known, event.by: NOTHING}))


def _possible_positions(state: GameState, event: TableEvent, unseen: tuple[TableEvent, ...]) -> Iterator[TableEvent]:
    """Yield the event as reported, and laid on each unseen card that it may lie on."""
    yield event
    bout = state.bout
    if isinstance(event, Placed) and event.on is None and bout is not None and event.by == bout.defender:
        for card in bout.unbeaten:
            if any(isinstance(each, Placed) and each.card == card for each in unseen):
                yield replace(event, on=card)


def candidates_before(state: GameState, options: tuple[Option, ...], rates: Rates) -> Iterator[Unseen]:
    """Yield the events that may have gone unseen in this position and could explain one of the options."""
    bout, events = state.bout, [each.event for each in options if each.event is not None]
    if not state.dealt or state.result is not None:
        for suit in Suit:
            turnup = next(card for card in pack_in_order(state.rules) if card.suit is suit)
            yield Dealt(at=0.0, turnup=turnup), log(rates.unseen_deal / len(Suit)), NOTHING
    if any(_goes_on(state, event) for event in events):
        # Between two cards that are laid together only a further card of the play can go unseen.
        for event in events:
            yield from _of_opening(state, event, rates)
        return
    if state.phase is Phase.LEAD and state.dealt and state.trump is not None:
        yield from _leads(state, events, rates)
    for matter in state.matters[-3:]:
        card = matter.cards[-1] if matter.cards else None
        if card is not None or matter is state.matters[-1]:
            yield Pressed(at=0.0, button="forgive", card=card), log(rates.stands), NOTHING
    for seat, owed in state.due[:1]:
        apart = rates.unseen_draw * rates.drawn_apart
        yield Drawn(at=0.0, by=seat, count=owed), log(apart if state.refill.partly else rates.unseen_draw), NOTHING
        if owed > 1 and any(isinstance(each, Drawn) and each.by == seat for each in events):
            for less in range(1, owed):
                yield Drawn(at=0.0, by=seat, count=less), log(apart / (owed - 1)), NOTHING
    if bout is not None and bout.ended is None and state.phase in (Phase.ATTACK, Phase.TAKE):
        yield from _in_bout(state, events, rates)
    for event in events:
        if isinstance(event, Placed) and event.card == state.ledger.turnup and state.trump is not None:
            exchange = Swapped(at=0.0, card=state.rules.lowest_trump(state.trump), by=event.by)
            yield exchange, log(rates.unseen_swap), NOTHING
            break


def _leads(state: GameState, events: list[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """
    Yield leads of a deal whose leader is unknown: the seat that draws first, or the seat before the taker or the
    defender.
    """
    leads: dict[str, Card | None] = {}
    for event in events:
        match event:
            case Swept() if event.to == HEAP:
                leads |= dict.fromkeys(state.leaders)
            case Swept():
                leads[state.seating.previous_living(event.to, state.out)] = None
            case Drawn(by=str() as seat):
                leads[seat] = None
            case Placed(by=str() as seat, on=Card() as card):
                leads[state.seating.previous_living(seat, state.out)] = card
    leads = {seat: card for seat, card in leads.items() if seat in state.leaders}
    for seat, recorded in leads.items():
        lead = recorded if recorded is not None else next(may_be_played(state, seat), None)
        if lead is not None:
            assumed = frozenset((lead,)) if recorded is None else NOTHING
            yield Placed(at=0.0, card=lead, by=seat), log(rates.unseen_card / len(leads)), assumed


def _goes_on(state: GameState, event: TableEvent) -> bool:
    """Check whether the event continues the play of cards being laid."""
    laying = state.laying
    return isinstance(event, Placed) and laying is not None and (laying.at, laying.by) == (event.at, event.by)


def _of_opening(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """Yield one more card of an opening, laid together with the others and judged with them."""
    laying, bout = state.laying, state.bout
    if (
        laying is None
        or laying.by is None
        or bout is None
        or laying.by != bout.attacker
        or not isinstance(event, Placed)
    ):
        return
    ranks = {card.rank for card in (*laying.cards, event.card)}
    cards = [card for card in may_be_played(state, laying.by) if card.rank in ranks and card != event.card]
    for card in cards:
        together = Placed(at=event.at, card=card, by=event.by)
        yield together, log(rates.unseen_card / len(cards)), frozenset((card,))


def _in_bout(state: GameState, events: list[TableEvent], rates: Rates) -> Iterator[Unseen]:
    """Yield the events that may have gone unseen during a bout."""
    bout = state.bout
    assert bout is not None
    # A defender who lays a card has not announced the take.
    lays = any(isinstance(event, Placed) and event.by == bout.defender for event in events)
    if bout.unbeaten and bout.taking is None and not lays:
        yield Pressed(at=0.0, button="take", by=bout.defender), log(rates.take), NOTHING
    if bout.attacks or bout.faceless:
        for to in (HEAP, bout.defender):
            yield Swept(at=0.0, to=to), log(rates.unseen_sweep), NOTHING
    if state.rules.transfer_show != "off" and bout.attacks and not bout.beaten and state.trump is not None:
        for rank in sorted(bout.ranks):
            shown = Card.parse(f"{rank}{state.trump}")
            yield Shown(at=0.0, card=shown, by=bout.defender), log(rates.unseen_card), NOTHING
    for event in events:
        if isinstance(event, Placed):
            yield from _cards_before(state, event, rates)
            if event.on is None and len(bout.unbeaten) == 1:
                yield from _beats(state, rates)  # an unseen sweep after it leads to a new bout
        elif isinstance(event, Swept | Drawn):
            yield from _cards_before_end(state, rates)
    lying = set(bout.cards)
    for event in events:
        if isinstance(event, Placed) and event.card in lying:
            yield Lifted(at=0.0, card=event.card), log(rates.unseen_lift / rates.taken_back), NOTHING


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


def _cards_before(state: GameState, event: Placed, rates: Rates) -> Iterator[Unseen]:
    """Yield unseen cards on the table before this card, or names of unread ones."""
    bout, trump = state.bout, state.trump
    assert bout is not None
    if trump is not None:
        yield from _names_of_unread(state, event)
    if event.on is not None:
        if bout.find(event.on) is None:
            seats = state.entitled() if bout.attacks else (bout.attacker,)
            if event.by != bout.defender and state.rules.transfer:
                seats = (*seats, bout.defender)  # the seat that transferred the attack
            for seat in seats:
                yield Placed(at=0.0, card=event.on, by=seat), log(rates.unseen_card / len(seats)), NOTHING
        return
    if event.by == bout.defender and trump is not None:
        laying, ranks, seats = state.laying, bout.ranks, state.entitled() if bout.attacks else (bout.attacker,)
        for seat in seats:
            opens = laying is not None and laying.by == seat
            is_any = not ranks or (opens and state.rules.opening == "pairs_plus_one")
            cards = [
                card
                for card in may_be_played(state, seat)
                if (is_any or card.rank in ranks) and event.card.beats(card, trump)
            ]
            for card in cards:
                unseen = Placed(at=laying.at if laying is not None and opens else 0.0, card=card, by=seat)
                yield unseen, log(rates.unseen_card / (len(cards) * len(seats))), frozenset((card,))
    if event.by != bout.defender and not bout.attacks and event.by != bout.attacker:
        cards = [card for card in may_be_played(state, bout.attacker) if card.rank == event.card.rank]
        for card in cards:
            share = rates.unseen_card / (9 * len(cards))
            yield Placed(at=0.0, card=card, by=bout.attacker), log(share), frozenset((card,))
    if bout.unbeaten and event.by != bout.defender and state.rules.throw_timing == "after_beaten":
        for attack in bout.unbeaten:
            yield Unread(at=0.0, by=bout.defender, on=attack), log(rates.unseen_card), NOTHING
    if bout.attacks and event.card.rank not in bout.ranks and trump is not None:
        for attack in bout.unbeaten:
            cards = [card for card in may_be_played(state, bout.defender) if card.beats(attack, trump)]
            for card in cards:
                if card.rank == event.card.rank:
                    share = rates.unseen_card / len(cards)
                    beat = Placed(at=0.0, card=card, by=bout.defender, on=attack)
                    yield beat, log(share), frozenset((card,))


def _names_of_unread(state: GameState, event: Placed) -> Iterator[Unseen]:
    """Yield names for an unread card whose rank allows this play, or which this card beats."""
    bout, trump = state.bout, state.trump
    assert bout is not None
    assert trump is not None
    for face in bout.faceless:
        cards = tuple(may_be_played(state, face.by))
        is_beaten = event.on is None and face.on is None and event.by == bout.defender
        for card in cards:
            if card.rank == event.card.rank or (is_beaten and event.card.beats(card, trump)):
                named = Placed(at=0.0, card=card, by=face.by, on=face.on)
                yield named, log(1 / len(cards)), frozenset((card,))


def _cards_before_end(state: GameState, rates: Rates) -> Iterator[Unseen]:
    """
    Yield unseen cards that were on the table when the bout was swept or drawn after; their names no longer matter.
    """
    bout = state.bout
    assert bout is not None
    yield from _beats(state, rates)
    if not bout.unbeaten:
        ranks, seats = bout.ranks, state.entitled() if bout.attacks else (bout.attacker,)
        for seat in seats:
            card = next((each for each in may_be_played(state, seat) if not ranks or each.rank in ranks), None)
            if card is not None:
                yield Placed(at=0.0, card=card, by=seat), log(rates.unseen_card / len(seats)), frozenset((card,))


def _beats(state: GameState, rates: Rates) -> Iterator[Unseen]:
    """Yield unread beats of the unbeaten cards."""
    bout = state.bout
    assert bout is not None
    for attack in bout.unbeaten if state.ledger.hands[bout.defender] else ():
        yield Unread(at=0.0, by=bout.defender, on=attack), log(rates.unseen_card), NOTHING


def candidates_without_effect(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Unseen]:
    """
    Yield events that may have gone unseen before this one although they explain nothing yet; later bouts tell.

    One more card in a bout that is taken: the draws tell. An exchange of the turn-up before it is drawn: the seat that
    plays it tells. The lead, if the leader is unknown: the reported card beats it, and the next turns tell.
    """
    bout, ledger = state.bout, state.ledger
    if isinstance(event, Swept) and bout is not None and event.to == bout.defender and bout.attacks:
        seats = state.entitled()
        for seat in seats:
            yield Unread(at=0.0, by=seat), log(rates.unseen_card / len(seats)), NOTHING
    if isinstance(event, Drawn) and ledger.turnup is not None and event.count >= ledger.talon and state.trump:
        lowest = state.rules.lowest_trump(state.trump)
        exchange = Swapped(at=0.0, card=lowest)
        is_gone = lowest in ledger.heap or (bout is not None and lowest in bout.cards)
        if ledger.turnup != lowest and not is_gone and fault_of_swap(Swap(state.living[0], lowest), state) is None:
            yield exchange, log(rates.unseen_swap), NOTHING
    if isinstance(event, Placed) and state.phase is Phase.LEAD and state.trump is not None and event.on is None:
        leader = None if event.by is None else state.seating.previous_living(event.by, state.out)
        if leader in state.leaders:
            cards = may_be_played(state, leader)
            card = next((card for card in cards if event.card.beats(card, state.trump)), None)
            if card is not None:
                yield Placed(at=0.0, card=card, by=leader), log(rates.unseen_card), frozenset((card,))
