"""Draws from the talon (docs/rules.md, 7)."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.effects.bout import at_once, next_bout
from referee.events import Drawn
from referee.game import GameState, OpenFault, Phase
from referee.plays import Draw
from referee.rules import fault_of
from referee.rules.draw import check_face, takes_turnup
from referee.rulings import Results, Verdict


def draw(state: GameState, event: Drawn, results: Results) -> GameState:
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or (state.due[0][0] if state.due else None)
    if by is None:
        by = state.bout.attacker if state.bout is not None else state.living[0]
    state = absorb_open_draws(state, by)
    play = Draw(by, event.count)
    fault = fault_of(play, state)
    if fault is None:
        state = _without_draws_of(state, by)
        return drawn(state, play, _face_seen(state, play, event, results))
    if event.by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, event.by)
    return state.replace(matters=(*state.matters, OpenFault(play, fault, fault.verdict, state.moment)))


def _face_seen(state: GameState, play: Draw, event: Drawn, results: Results) -> Card | None:
    """Return the face of the drawn card; None: not seen, or misread since that card can't lie in the talon."""
    card = event.card
    if card is None:
        return None
    fault = check_face(card, play.count, state.table)
    if fault is not None:
        results.fault(fault.named(state.seating.seats), play.name, play.by, (card,))
        return None
    # A single drawn card that must be the turn-up has no other face.
    ledger = state.ledger
    is_turnup = ledger.turnup is not None and takes_turnup(state.rules, ledger.talon - play.count)
    return None if is_turnup and play.count == 1 else card


def drawn(state: GameState, play: Draw, seen: Card | None) -> GameState:
    """Enter the draw in talon and hand, with the turn-up if it was drawn; begin the next bout after the last draw."""
    ledger, refill = state.ledger, state.refill
    talon = ledger.talon - play.count
    cards = [seen] if seen is not None else []
    turnup, went, holder = ledger.turnup, refill.turnup, refill.holder
    if turnup is not None and takes_turnup(state.rules, talon):
        cards.append(turnup)
        went, holder = turnup, play.by
        turnup = None
    ledger = ledger.drawn(play.by, play.count, cards, turnup)
    due, rest = [], talon
    for seat, count in state.due:
        left = min(count - play.count if seat == play.by else count, rest)
        if left > 0:
            due.append((seat, left))
            rest -= left
    in_turn = bool(state.due) and state.due[0][0] == play.by
    partly = bool(due) and due[0][0] == play.by if in_turn else refill.partly
    refill = replace(refill, drew=refill.drew | {play.by}, last=play.by, turnup=went, holder=holder, partly=partly)
    last = play.by if not talon and state.rules.second_trump != "none" else state.last_card_by
    state = state.replace(
        ledger=ledger,
        due=tuple(due),
        refill=refill,
        last_card_by=last,
        drawn_since_deal=state.drawn_since_deal | {play.by},
        emptied=tuple(seat for seat in state.emptied if seat != play.by),
    )
    if last is not None and seen is not None and seen != refill.turnup:
        state = new_trump(state, last, seen)
    if due:
        return state
    if state.phase is Phase.DRAW:
        return next_bout(state)
    return at_once(state)


def new_trump(state: GameState, seat: str, card: Card) -> GameState:
    """Make the suit of the talon's last card, which was shown, trump for the rest of the deal (Severnyi; pagat)."""
    state = state.replace(ledger=state.ledger.knowing(seat, card), last_card_by=None)
    if card.suit is state.trump:
        return state
    # Claims about the old trump are void.
    return state.replace(trump=card.suit, new_trump=(card, seat), claims={})


def _without_draws_of(state: GameState, seat: str) -> GameState:
    """Close the wrong draws of this seat, which a due draw puts right."""
    return state.without(
        *(matter for matter in state.matters if isinstance(matter.play, Draw) and matter.play.by == seat)
    )


def absorb_open_draws(state: GameState, by: str | None) -> GameState:
    """
    Let draws stand that were too early or too large, once their turn has come and the game has gone on.

    So a player who has already drawn is not accused of owing a draw.
    """
    while state.due and state.due[0][0] != by:
        seat, count = state.due[0]
        made = sum(
            matter.play.count for matter in state.matters if isinstance(matter.play, Draw) and matter.play.by == seat
        )
        if made < count:
            return state
        state = drawn(_without_draws_of(state, seat), Draw(seat, count), None)
    return state
