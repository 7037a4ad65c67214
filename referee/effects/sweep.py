"""The bout is swept to the discard pile or taken, or would be if anybody swept the last bout of a game."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card, CardSet
from referee.effects.bout import end_bout
from referee.events import HEAP, Swept
from referee.game import GameState, OpenFault, Phase
from referee.plays import Laid, Sweep, Transfer
from referee.rulebook import FaultId
from referee.rules import fault_of, first_fault
from referee.rules.order import asks_for_leave
from referee.rules.sweep import still_attacking
from referee.rules.transfer import check_target, check_transfer_allowed
from referee.rulings import Results, Verdict


def sweep(state: GameState, event: Swept, results: Results) -> GameState:
    """Judge a sweep. An illegal one stays an open matter: in the game the cards still lie in the bout."""
    play = Sweep(event.to, event.left)
    bout = state.bout
    if state.phase is Phase.OVER:
        return state
    if bout is None or not (bout.attacks or bout.faceless):
        # A card that goes back to its own hand counts as lifted.
        strays = bout.strays if bout is not None else ()
        if not strays and not any(matter.cards for matter in state.matters):
            results.note("doubt", reason="nothing-to-sweep", to=play.to)
        if bout is not None and strays:
            short = state.short.union(stray.by for stray in strays)
            state = _with_bout_swept(state, play).replace(bout=bout.replace(strays=()), short=short)
        return _sweep_open_cards(state, play)
    fault = fault_of(play, state)
    if fault is None or (fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.ATTACK_NOT_CLOSED):
        if fault is not None:
            seats = fault.facts["seats"]
            numbers = map(state.seating.number_of.__getitem__, seats)
            asked = {"ask": "leave", "seats": seats} if asks_for_leave(state.table, numbers) else None
            results.fault(fault, play.name, None, question=asked)
        return swept(state, play)
    results.fault(fault, play.name, None, bout.cards)
    if fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.UNBEATEN_CARDS:
        return swept(state, play)
    away = CardSet.of(bout.cards) - play.left
    matter = OpenFault(play, fault, fault.verdict, state.moment, away=away)
    return state.replace(matters=(*_without_sweeps(state).matters, matter))


def swept(state: GameState, play: Sweep) -> GameState:
    """Enter the swept cards in the ledger, those of open matters included, and end the bout."""
    if state.matters:
        state = _sweep_open_cards(_without_sweeps(state), play)
    taken = play.to != HEAP or state.phase is Phase.TAKE
    state = _with_bout_swept(state, play).replace(emptied=tuple(seat for seat in state.emptied if seat != play.to))
    return end_bout(state, "taken" if taken else "beaten")


def _with_bout_swept(state: GameState, play: Sweep) -> GameState:
    """Return the state with the cards of the bout entered where they are swept to."""
    bout, ledger = state.the_bout, state.ledger
    if play.to == HEAP:
        return state.replace(ledger=ledger.to_heap(bout.cards, bout.untrusted, bout.pairs))
    others = [card for card in bout.cards if bout.owner(card) != play.to]
    if bout.untrusted:  # what this hand plays now says nothing about what it was dealt
        state = state.replace(drawn_since_deal=state.drawn_since_deal | {play.to})
    return state.replace(ledger=ledger.into_hand(play.to, bout.cards, bout.untrusted, others))


def _without_sweeps(state: GameState) -> GameState:
    return state.without(*(matter for matter in state.matters if isinstance(matter.play, Sweep)))


def _sweep_open_cards(state: GameState, play: Sweep) -> GameState:
    """Sweep the cards of open matters too, except those left; they have left the hand that laid them."""
    ledger = state.ledger
    matters: list[OpenFault] = []
    less: set[str] = set()
    for matter in state.matters:
        gone: tuple[Card, ...] = tuple(card for card in matter.cards if card not in play.left)
        if not gone:
            matters.append(matter)
            continue
        assert isinstance(matter.play, Laid), "only laid plays have cards on the table"
        by = matter.play.by
        lost = min(len(gone), ledger.hands[by])
        seen: tuple[Card, ...] = gone[:lost] if matter.sure else ()
        if by == play.to:
            # The taker's own card is back in the hand, which in the game it had never left.
            for card in seen:
                ledger = ledger.knowing(by, card)
        else:
            less.add(by)
            ledger = ledger.without(by, seen) if matter.sure else ledger.without_unknown(by, lost)
            if play.to == HEAP:
                ledger = ledger.to_heap(seen, lost - len(seen))
            else:
                ledger = ledger.into_hand(play.to, seen, lost - len(seen), seen)
        rest = tuple(card for card in matter.cards if card in play.left)
        if rest:
            matters.append(replace(matter, cards=rest))
    # If nothing is drawn before the next bout, these hands begin it with fewer cards.
    return state.replace(ledger=ledger, matters=tuple(matters), short=state.short | less)


def last_sweep(state: GameState) -> Swept | None:
    """
    Return the sweep that ends the deal if nothing that can still be played changes its result; players rarely sweep
    the last bout of a game.

    A defender whose side alone holds cards, more than lie unbeaten, has lost whether he beats or takes. None: somebody
    can still attack or answer otherwise, a fault is open, or the deal goes on after the sweep.
    """
    bout = state.bout
    if bout is None or not bout.attacks or state.phase not in (Phase.ATTACK, Phase.TAKE) or state.matters:
        return None
    taken = state.phase is Phase.TAKE
    if bout.unbeaten and not taken:
        hands, defender = state.ledger.hands, bout.defender
        passed_on = Transfer(state.table.defender, bout.unbeaten[:1])
        may_pass_on = first_fault((check_transfer_allowed, check_target), passed_on, state.table) is None
        of_side = sum(hands[seat] for seat in state.seating.team(defender))
        taken = sum(hands.values()) == of_side > len(bout.unbeaten) and not may_pass_on
        if not taken:
            return None
    if state.ledger.talon or still_attacking(state.table):
        return None
    event = Swept(at=0.0, to=bout.defender if taken else HEAP)
    return event if sweep(state.replace(laying=None), event, Results()).phase is Phase.OVER else None
