"""
Search for unseen events that explain a line.

The search starts from the position of one hypothesis: which few unseen events (a draw, a sweep, a card, a take that
nobody heard, a fault that everybody let stand) make the line fit? It is a best-first search by probability, within a
budget of judgements. What may have been played is what :mod:`referee.legal` lists, weighed by the rate at which such
events are missed. Of the cards only those are tried that change whether the line is legal.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from referee.belief.hypotheses import (
    Budget,
    Hypothesis,
    advance,
    continues_play,
    extend,
    held_by,
    laid_on_assumed,
)
from referee.belief.rates import Rates, log_of
from referee.belief.reported_event import Option, pack_in_order
from referee.cards import SUITS, Card, cards_of, same_ranks
from referee.events import HEAP, Dealt, Drawn, Lifted, Named, Placed, Pressed, Shown, Swapped, Swept, TableEvent, Unread
from referee.game import NOTHING, GameState, Phase
from referee.legal import LegalCards, events_of, legal_cards, legal_draws, legal_swaps, legal_takes
from referee.plays import Beat, Give, Lead, ThrowIn, Transfer
from referee.rulings import Announcement

DEPTH = 4
"""Greatest number of unseen events in a row."""

ONE_MORE = 1.5
"""Nats by which the search for a further unseen event is delayed: explanations with fewer events are tried first."""

DRAWN_APART = 0.25
"""Probability. Owed cards are drawn in several grips. Chosen by hand."""

AGAINST_RULES = 0.3
"""Factor by which an unread card is rarer one that may not lie there: nobody could object to it. Chosen by hand."""

MATTERS = 3
"""Number of newest open faults that may have been forgiven unseen."""


class Missed(NamedTuple):
    """
    An event that may have gone unseen, and the logarithm of its probability.

    ``assumed``: its card if only the rank matters or not even that, so that the name is forgotten with the bout.
    """

    event: TableEvent
    log_rate: float
    assumed: frozenset[Card] = frozenset()


def missed_before(state: GameState, options: Sequence[Option], rates: Rates) -> Iterator[Missed]:
    """Yield the events that may have gone unseen in this position and could explain one of the options."""
    events = [option.event for option in options if option.event is not None]
    placed = [event for event in events if isinstance(event, Placed)]
    laying, bout = state.laying, state.bout
    if bout is not None and bout.faceless:
        for event in placed:
            yield from _names_of_unread(state, event)
    if not state.dealt or state.result is not None:
        for suit in SUITS:
            turnup = next(card for card in pack_in_order(state.rules) if card.suit is suit)
            yield Missed(Dealt(at=0.0, turnup=turnup), log_of(rates.unseen_deal / len(SUITS)))
    continuing = [event for event in placed if laying is not None and (laying.at, laying.by) == (event.at, event.by)]
    if laying is not None and laying.by is not None and continuing:
        # Between two cards that are laid together only a further card of the play can go unseen.
        for event in continuing if bout is not None and laying.by == bout.attacker else ():
            ranks = {card.rank for card in (*laying.cards, event.card)}
            held = cards_of(held_by(state, laying.by))
            cards = [card for card in held if card.rank in ranks and card != event.card]
            for card in cards:
                further = Placed(at=event.at, card=card, by=laying.by)
                yield Missed(further, log_of(rates.unseen_card / len(cards)), frozenset((card,)))
        return
    for matter in state.matters[-MATTERS:]:
        if matter.cards or matter is state.matters[-1]:
            newest = matter.cards[-1] if matter.cards else None
            yield Missed(Pressed(at=0.0, button="forgive", card=newest), log_of(rates.stands))
    yield from _other_plays(state, events, rates)
    if bout is None or bout.ended is None:
        yield from _cards(state, events, rates)
    for event in placed:
        if bout is not None and event.on is not None and bout.find(event.on) is None:
            # The card under it was laid, by the rules or not.
            seats = state.entitled() or (bout.attacker,)
            seats = (*seats, bout.defender) if state.rules.transfer and event.by != bout.defender else seats
            for seat in seats:
                yield Missed(Placed(at=0.0, card=event.on, by=seat), log_of(rates.unseen_card / len(seats)))
        if bout is not None and event.card in bout.cards:
            yield Missed(Lifted(at=0.0, card=event.card), log_of(rates.unseen_lift / rates.taken_back))


def missed_without_effect(state: GameState, event: TableEvent, rates: Rates) -> Iterator[Missed]:
    """
    Yield events that may have gone unseen before this one although they explain nothing yet; later bouts are the
    evidence: a card more that was taken, the beat of an unread card, an exchange before the last card was drawn, a lead
    by an unknown leader.
    """
    bout, ledger = state.bout, state.ledger
    if isinstance(event, Swept) and bout is not None and event.to == bout.defender and bout.attacks:
        attackers = state.entitled()
        for seat in attackers:
            yield Missed(Unread(at=0.0, by=seat), log_of(rates.unseen_card / len(attackers)))
    elif (
        isinstance(event, Swept)
        and bout is not None
        and event.to == HEAP
        and any(card.by != bout.defender for card in bout.faceless)
    ):
        yield Missed(Unread(at=0.0, by=bout.defender), log_of(rates.unseen_card))
    elif isinstance(event, Drawn) and ledger.turnup is not None and event.count >= ledger.talon:
        swaps = [swap for seat in state.living for swap in legal_swaps(state, seat)]
        for play in swaps[:1]:  # the seat that plays the turn-up is the evidence who exchanged it
            yield Missed(Swapped(at=0.0, card=play.card), log_of(rates.unseen_swap))
    elif isinstance(event, Placed) and state.phase is Phase.LEAD and event.on is None:
        leader = None if event.by is None else state.seating.previous_living(event.by, state.out)
        if leader in state.leaders:
            yield from (card for card in _cards(state, [event], rates) if getattr(card.event, "by", None) == leader)


def _other_plays(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Missed]:
    """Yield the legal draws, sweeps, exchanges and the take that may have gone unseen."""
    placed = [event for event in events if isinstance(event, Placed)]
    for seat in state.living if state.dealt and state.phase is not Phase.OVER else ():
        if not any(event.by == seat for event in placed):  # a defender who lays the next card has taken nothing
            for take in legal_takes(state, seat) if rates.take else ():
                yield Missed(events_of(take)[0], log_of(rates.take))
        if any((event.card, event.by) == (state.ledger.turnup, seat) for event in placed) and rates.unseen_swap:
            for swap in legal_swaps(state, seat):
                yield Missed(events_of(swap)[0], log_of(rates.unseen_swap))
        for draw in legal_draws(state, seat) if rates.unseen_draw else ():
            owed, apart = state.due[0][1], rates.unseen_draw * DRAWN_APART
            if draw.count == owed:
                yield Missed(events_of(draw)[0], log_of(apart if state.refill.partly else rates.unseen_draw))
            elif any(isinstance(event, Drawn) and event.by == seat for event in events):
                yield Missed(events_of(draw)[0], log_of(apart / (owed - 1)))
    bout = state.bout
    if bout is not None and bout.ended is None and (bout.attacks or bout.faceless):
        # The cards are gone, whether they went where they should or not.
        for to in (HEAP, bout.defender):
            yield Missed(Swept(at=0.0, to=to), log_of(rates.unseen_sweep))


def _cards(state: GameState, events: Sequence[TableEvent], rates: Rates) -> Iterator[Missed]:
    """Yield the legal cards that may have gone unseen and that change whether one of the events is legal."""
    bout, laying = state.bout, state.laying
    held = {seat: held_by(state, seat) for seat in state.living}
    legal = [card for seat in held for card in legal_cards(state, seat, any_turn=True, held=held[seat])]
    if laying is not None and laying.by is not None and state.rules.opening == "pairs_plus_one":
        legal.append(LegalCards(laying.by, Lead, held_by(state, laying.by)))
    attackers = len({option.by for option in legal if option.kind in (ThrowIn, Give)})
    for option in legal:
        rate = rates.unseen_card / (attackers if option.kind in (ThrowIn, Give) else 1)
        for event in events:
            if isinstance(event, Placed) and event.on is not None and bout is None and event.on.bit & option.mask:
                yield Missed(Placed(at=0.0, card=event.on, by=option.by), log_of(rate))
            if option.shown:
                shown = (Shown(at=0.0, card=card, by=option.by) for card in cards_of(option.mask))
                yield from (Missed(play, log_of(rates.unseen_card)) for play in shown)
            elif isinstance(event, Placed):
                yield from _cards_before_card(state, event, option, rate)
            elif isinstance(event, Pressed):  # what a take or a pass is about
                if option.kind not in (Beat, Transfer) and not (bout and bout.unbeaten):
                    yield Missed(Unread(at=0.0, by=option.by), log_of(rate))
            elif option.kind is Beat and isinstance(event, Swept | Drawn):
                yield Missed(Unread(at=0.0, by=option.by, on=option.over), log_of(rate))
            elif option.kind is Transfer and isinstance(event, Swept) and event.to not in (HEAP, option.by):
                yield from _named(option, rate, option.mask)
            elif option.kind is not Transfer and isinstance(event, Swept | Drawn) and not (bout and bout.unbeaten):
                yield from _as_any_of(option, rate, option.mask)


def _cards_before_card(state: GameState, event: Placed, legal: LegalCards, rate: float) -> Iterator[Missed]:
    """
    Yield those of these cards that change whether the laid card is legal.

    A card of its rank; an attack that it beats; a transfer, after which other seats play; a beat
    after which the bout may have ended, or more may be thrown in.
    """
    bout, laying, mask, card = state.bout, state.laying, legal.mask, event.card
    defender = None if bout is None else bout.defender
    alike = mask & same_ranks(card.bit) & ~card.bit
    if legal.kind is Transfer and event.by not in (None, legal.by):
        yield from _named(legal, rate, mask & ~card.bit)
    elif event.on is None and legal.kind is Beat:
        yield Missed(Unread(at=0.0, by=legal.by, on=legal.over), log_of(rate))
        yield from _named(legal, rate * alike.bit_count() / mask.bit_count(), alike)
    elif event.on is None and legal.kind is Lead and event.by != legal.by and laying is None:
        yield from _named(legal, rate * alike.bit_count() / mask.bit_count(), alike)
    is_answer = event.by == defender or (bout is None and event.by != legal.by)
    if event.on is None and is_answer and legal.kind not in (Beat, Transfer) and state.trump is not None:
        beaten = [other for other in cards_of(mask) if card.beats(other, state.trump)]
        at = laying.at if laying is not None and laying.by == legal.by else 0.0
        for rank in sorted({other.rank for other in beaten}):
            same = [other for other in beaten if other.rank == rank]
            for lower in same[:2]:  # two of a rank stand for all
                share = len(same) / min(2, len(same)) / len(beaten)
                yield Missed(Placed(at=at, card=lower, by=legal.by), log_of(rate * share), frozenset((lower,)))


def _named(legal: LegalCards, rate: float, mask: int) -> Iterator[Missed]:
    """Yield each of these cards, with this rate in all."""
    for card in cards_of(mask):
        placed = Placed(at=0.0, card=card, by=legal.by, on=legal.over)
        yield Missed(placed, log_of(rate / mask.bit_count()), frozenset((card,)))


def _as_any_of(legal: LegalCards, rate: float, mask: int) -> Iterator[Missed]:
    """Yield one of these cards for all of them: which one it was changes nothing."""
    for card in cards_of(mask)[:1]:
        yield Missed(Placed(at=0.0, card=card, by=legal.by), log_of(rate), frozenset((card,)))


def _names_of_unread(state: GameState, laid: Placed) -> Iterator[Missed]:
    """
    Yield names for an unread card on the table: the one that this card is laid across, one of a rank that allows this
    card, or one that it beats.
    """
    bout, trump, ledger = state.bout, state.trump, state.ledger
    if bout is None or trump is None:
        return
    for face in bout.faceless:
        under = None if face.on is None else bout.find(face.on)
        if face.on is not None and (under is None or under.defence is not None):
            continue
        in_hand = ledger.replace(hands={**ledger.hands, face.by: ledger.hands[face.by] + 1})
        cards = cards_of(held_by(state.replace(ledger=in_hand), face.by))
        if face.on is None and face.by == bout.defender and bout.unbeaten:
            # A card of the defender beside the others beats one of them, if he has not passed the attack on.
            for over in (attack for attack in bout.unbeaten if attack != laid.on):
                beating = [card for card in cards if card.rank == laid.card.rank and card.beats(over, trump)]
                for card in beating:
                    named = Named(at=0.0, card=card, by=face.by, over=over)
                    yield Missed(named, log_of(1 / len(cards)), frozenset((card,)))
            continue
        is_beaten = laid.on is None and face.on is None and laid.by == bout.defender
        fitting = [
            card
            for card in cards
            if card == laid.on
            or (card.rank == laid.card.rank and card != laid.card)
            or (is_beaten and laid.card.beats(card, trump))
        ]
        for card in fitting:
            # Three of a rank stand for all: which one it was changes nothing, unless the others are played later.
            same = [other for other in fitting if other.rank == card.rank != laid.card.rank and other != laid.on]
            if card not in same[3:]:
                share = len(same) / min(3, len(same)) if card in same else 1.0
                if under is None:
                    is_legal = not bout.attacks or card.rank in bout.ranks or len(bout.faceless) > 1
                else:
                    is_legal = card.beats(under.card, trump)
                named = Named(at=0.0, card=card, by=face.by, on=face.on)
                share *= 1.0 if is_legal else AGAINST_RULES
                yield Missed(named, log_of(share / len(cards)), frozenset((card,)))


@dataclass(frozen=True, slots=True)
class UnexplainedLine:
    """
    A line that fits no hypothesis.

    ``place``: its place in the record. ``later``: options of a later line that one unseen event before this line is to
    explain.
    """

    recorded: TableEvent
    place: int
    options: tuple[Option, ...]
    later: tuple[Option, ...] = ()


def search_unseen(
    hypothesis: Hypothesis, line: UnexplainedLine, rates: Rates, budget: Budget, floor: float
) -> Iterator[Hypothesis]:
    """
    Yield the hypothesis after the line with events that went unseen before it.

    ``floor``: children with a smaller logarithm of weight are dropped.
    """
    recorded, place, options = line.recorded, line.place, line.options
    ticket = count()
    frontier: list[tuple[float, int, float, Hypothesis, tuple[TableEvent, ...], tuple[Announcement, ...]]] = []
    heapq.heappush(frontier, (0.0, next(ticket), 0.0, hypothesis, (), ()))
    while frontier and budget.left > 0:
        turn, _, cost, node, unseen, announced = heapq.heappop(frontier)
        if unseen and turn == cost:
            for option in options:
                for event in () if option.event is None else laid_on_assumed(option.event, node):
                    child = extend(
                        node,
                        option,
                        rates,
                        budget,
                        place=place,
                        recorded=recorded,
                        event=event,
                        unseen=unseen,
                        log_unseen=-cost,
                        announced=announced,
                    )
                    if child is not None and child.log_weight >= floor:
                        yield child
            if len(unseen) < (1 if line.later else DEPTH):
                heapq.heappush(frontier, (cost + ONE_MORE, next(ticket), cost, node, unseen, announced))
            continue
        likeliest: dict[TableEvent, tuple[float, frozenset[Card]]] = {}
        is_hidden = any(not isinstance(event, Pressed) for event in unseen)  # a missed press hides no card
        rates_now = rates.after_a_miss() if is_hidden else rates
        for event, log_rate, assumed in missed_before(node.state, line.later or options, rates_now):
            if log_rate > likeliest.get(event, (floor - node.log_weight, NOTHING))[0]:
                likeliest[event] = log_rate, assumed
        for event, (log_rate, assumed) in sorted(likeliest.items(), key=lambda pair: -pair[1][0]):
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
            state = state.replace(assumed=node.state.assumed | assumed)
            after = node.replace(state=state, log_weight=weight, new_fault=())
            announcements = (*announced, *step.announcements)
            heapq.heappush(
                frontier, (cost - factor, next(ticket), cost - factor, after, (*unseen, event), announcements)
            )


def _forget_name(state: GameState, event: TableEvent) -> GameState:
    """Forget which card it was: one card stands for all of a hand's known cards, one turn-up for all of its suit."""
    ledger = state.ledger
    if isinstance(event, Dealt):
        return state.replace(ledger=ledger.replace(turnup=None, known=dict.fromkeys(ledger.known, NOTHING)))
    if not isinstance(event, Placed) or event.by is None:
        return state
    return state.replace(ledger=ledger.replace(known={**ledger.known, event.by: NOTHING}))
