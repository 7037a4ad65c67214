"""Judge draws from the talon and the exchange of the lowest trump for the turn-up (docs/rules.md, 7 and 8)."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.dealing import at_once, next_bout
from referee.events import Drawn, Swapped
from referee.game import GameState, Matter, Phase, Trust
from referee.plays import Draw, Laid, Swap
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rulings import Fault, Results, Verdict
from referee.unseen import laid_unseen

_MORE_THAN_OWED = (FaultId.DRAW_TOO_MANY, FaultId.DRAW_NOT_DUE)


def draw(state: GameState, event: Drawn, results: Results) -> GameState:
    """Judge cards drawn from the talon."""
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or (state.due[0][0] if state.due else None)
    if by is None:
        by = state.bout.attacker if state.bout is not None else state.living[0]
    state = absorb_open_draws(state, by)
    play = Draw(by, event.count)
    fault = fault_of(play, state)
    if fault is None:
        state = state.but(matters=_without_draws_of(state, by))
        return drawn(state, play, _face_seen(state, play, event, results))
    more = fault.id in _MORE_THAN_OWED and state.in_grace and _may_have_laid_unseen(state)
    if state.trust is Trust.NOTHING or more or event.by is None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, event.by)
    if more and play.count <= state.ledger.talon:
        owed = dict(state.due).get(by, 0)
        return drawn(laid_unseen(state, by, play.count - owed), play, _face_seen(state, play, event, results))
    return state.but(matters=(*state.matters, Matter(play, fault, fault.verdict, state.moment)))


def _may_have_laid_unseen(state: GameState) -> bool:
    """Check whether the bout before these draws was not wholly seen."""
    return state.trust is Trust.TABLE or (state.trust is Trust.NOTHING and state.phase is Phase.DRAW)


def _face_seen(state: GameState, play: Draw, event: Drawn, results: Results) -> Card | None:
    """Return the face of the drawn card; None: not seen, or misread since that card can't lie in the talon."""
    card = event.card
    if card is None:
        return None
    ledger = state.ledger
    fault: Fault | None = None
    if card not in state.rules.cards():
        fault = Fault.of(FaultId.NOT_IN_PACK, card=card, pack=state.rules.pack)
    elif card in ledger.heap:
        fault = Fault.of(FaultId.DEAD_CARD, card=card)
    elif (holder := ledger.holder(card)) is not None:
        fault = Fault.of(FaultId.CARD_HELD_BY_OTHER, card=card, holder=holder)
    elif any(card in matter.cards for matter in state.matters if matter.sure):
        fault = Fault.of(FaultId.DUPLICATE_CARD, card=card)
    elif card == ledger.turnup and ledger.talon - play.count > (state.rules.second_trump != "none"):
        fault = Fault.of(FaultId.CARD_IN_TALON, card=card)
    if fault is not None:
        results.fault(fault, play.name, play.by, (card,))
        return None
    # A single drawn card that must be the turn-up has no other face.
    takes_turnup = ledger.turnup is not None and ledger.talon - play.count <= (state.rules.second_trump != "none")
    return None if takes_turnup and play.count == 1 else card


def drawn(state: GameState, play: Draw, seen: Card | None) -> GameState:
    """Enter the draw in talon and hand, with the turn-up if it was drawn; begin the next bout after the last draw."""
    ledger, refill = state.ledger, state.refill
    talon = ledger.talon - play.count
    cards = [seen] if seen is not None else []
    turnup, went, holder = ledger.turnup, refill.turnup, refill.holder
    lies_last = 1 if state.rules.second_trump != "none" else 0
    if turnup is not None and talon <= lies_last:
        cards.append(turnup)
        went, holder = turnup, play.by
        turnup = None
    ledger = ledger.drawn(play.by, play.count, cards, turnup)
    due = _due_after(play, state.due, talon)
    in_turn = bool(state.due) and state.due[0][0] == play.by
    partly = bool(due) and due[0][0] == play.by if in_turn else refill.partly
    refill = replace(refill, drew=refill.drew | {play.by}, last=play.by, turnup=went, holder=holder, partly=partly)
    last = play.by if not talon and lies_last else state.last_card_by
    state = state.but(
        ledger=ledger,
        due=due,
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


def _due_after(play: Draw, due: tuple[tuple[str, int], ...], talon: int) -> tuple[tuple[str, int], ...]:
    """Return the draws still owed, in order, as far as the talon suffices."""
    owed = []
    for seat, count in due:
        left = min(count - play.count if seat == play.by else count, talon)
        if left > 0:
            owed.append((seat, left))
            talon -= left
    return tuple(owed)


def new_trump(state: GameState, seat: str, card: Card) -> GameState:
    """Make the suit of the talon's last card, which was shown, trump for the rest of the deal (Severnyi; pagat)."""
    state = state.but(ledger=state.ledger.knowing(seat, card), last_card_by=None)
    if card.suit is state.trump:
        return state
    # Claims about the old trump are void.
    return state.but(trump=card.suit, new_trump=(card, seat), claims={})


def _without_draws_of(state: GameState, seat: str) -> tuple[Matter, ...]:
    """Return the open matters without wrong draws of this seat, which a due draw puts right."""
    return tuple(matter for matter in state.matters if not (isinstance(matter.play, Draw) and matter.play.by == seat))


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
        state = state.but(matters=_without_draws_of(state, seat))
        state = drawn(state, Draw(seat, count), None)
    return state


def drawn_unseen(state: GameState) -> GameState:
    """Make the owed draws, which were not seen though the game has gone on; who drew the turn-up is not known."""
    turnup = state.ledger.turnup
    while state.phase is Phase.DRAW and state.due:
        seat, count = state.due[0]
        state = drawn(state.but(matters=_without_draws_of(state, seat)), Draw(seat, count), None)
    if turnup is not None and state.ledger.turnup is None:
        known = {seat: cards - {turnup} for seat, cards in state.ledger.known.items()}
        state = state.but(ledger=state.ledger.but(known=known))
    return state


def swap(state: GameState, event: Swapped, results: Results) -> GameState:
    """Judge an exchange of the lowest trump for the turn-up."""
    if not state.dealt or state.phase is Phase.OVER:
        return state
    by = event.by or state.ledger.holder(event.card)
    for matter in state.matters:
        # The player has undone a wrong exchange: turn-up and card are back in their places.
        if isinstance(matter.play, Swap) and by in (None, matter.play.by) and event.card == state.ledger.turnup:
            return state.but(matters=tuple(other for other in state.matters if other is not matter))
    play = Swap(by or state.living[0], event.card)
    fault = fault_of(play, state)
    if fault is None:
        results.legal(play, by)
        return swapped(state, play, attributed=by is not None)
    if fault.verdict is Verdict.ILLEGAL and (state.trust is Trust.NOTHING or by is None):
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    results.fault(fault, play.name, by, (event.card,))
    sure = cannot_be(Laid(play.by, (event.card,)), state) is None
    return state.but(matters=(*state.matters, Matter(play, fault, fault.verdict, state.moment, sure=sure)))


def swapped(state: GameState, play: Swap, attributed: bool = True) -> GameState:
    """Enter the exchange in the ledger. Hand sizes and the talon's count don't change."""
    ledger, went, turnup = state.ledger, state.refill.turnup, state.ledger.turnup
    gets = play.by
    gives = next((seat for seat, cards in ledger.known.items() if seat != gets and went in cards), None)
    if turnup is not None:
        ledger = ledger.but(turnup=play.card)
        if attributed:
            rest = ledger.known[gets] - {play.card}
            ledger = ledger.but(known={**ledger.known, gets: rest}).knowing(gets, turnup)
    elif gives is not None:
        # After the refill that emptied the talon, whoever drew the turn-up hands it over.
        assert went is not None
        known = {
            **ledger.known,
            gives: ledger.known[gives] - {went},
            gets: ledger.known[gets] - {play.card},
        }
        ledger = ledger.but(known=known).knowing(gives, play.card).knowing(gets, went)
    return state.but(ledger=ledger)
