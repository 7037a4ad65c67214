"""Judge a sweep: the bout is cleared to the discard pile or into the taker's hand (docs/rules.md, 7)."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.dealing import end_bout
from referee.events import HEAP, Swept
from referee.game import GameState, Matter, Phase, Trust
from referee.plays import Laid, Sweep
from referee.rule_order import fault_of
from referee.rulebook import FaultId
from referee.rules.attack import asks_for_leave
from referee.rulings import Results, Verdict
from referee.unseen import beaten_unseen, one_less


def sweep(state: GameState, event: Swept, results: Results) -> GameState:
    """Judge a sweep. An illegal one stays an open matter: in the game the cards still lie in the bout."""
    play = Sweep(event.to, event.left)
    bout = state.bout
    if state.phase is Phase.OVER:
        return state
    if bout is None or not (bout.attacks or bout.faceless):
        return _clear_open_cards(state, play, results)
    fault = fault_of(play, state)
    if fault is not None and fault.verdict is not Verdict.UNCLEAR and state.trust is Trust.NOTHING:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
        if fault.id is not FaultId.TAKE_INCOMPLETE:
            # The players have gone on: unseen cards explain the sweep, so the ledger follows it.
            results.fault(fault, play.name, None, bout.cards)
            if play.to == HEAP:
                return swept(beaten_unseen(state), play)
            return swept(state.but(bout=bout.but(defender=play.to)), play)
    if fault is None or (fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.ATTACK_NOT_CLOSED):
        if fault is not None:
            seats = fault.facts["seats"]
            asked = {"ask": "leave", "seats": seats} if asks_for_leave(state, seats) else None
            results.fault(fault, play.name, None, question=asked)
        return swept(state, play)
    results.fault(fault, play.name, None, bout.cards)
    if fault.verdict is Verdict.UNCLEAR and fault.id is FaultId.UNBEATEN_CARDS:
        return swept(state, play)
    away = frozenset(bout.cards).difference(play.left)
    matter = Matter(play, fault, fault.verdict, state.moment, away=away)
    return state.but(matters=(*_without_sweeps(state), matter))


def swept(state: GameState, play: Sweep) -> GameState:
    """Enter the swept cards in the ledger, those of open matters included, and end the bout."""
    bout = state.bout
    assert bout is not None
    to_heap = play.to == HEAP
    if state.matters:
        state = _sweep_open_cards(state.but(matters=_without_sweeps(state)), play)
    faceless = bout.untrusted
    if to_heap:
        ledger = state.ledger.to_heap(bout.cards, faceless, bout.pairs)
    else:
        others = [card for card in bout.cards if bout.owner(card) != play.to]
        ledger = state.ledger.into_hand(play.to, bout.cards, faceless, others)
    taken = not to_heap or state.phase is Phase.TAKE
    state = state.but(ledger=ledger, emptied=tuple(seat for seat in state.emptied if seat != play.to))
    return end_bout(state, "taken" if taken else "beaten")


def _without_sweeps(state: GameState) -> tuple[Matter, ...]:
    return tuple(matter for matter in state.matters if not isinstance(matter.play, Sweep))


def _sweep_open_cards(state: GameState, play: Sweep) -> GameState:
    """Sweep the cards of open matters too, except those left; they have left the hand that laid them."""
    ledger = state.ledger
    matters: list[Matter] = []
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
            ledger = ledger.without(by, seen) if matter.sure else one_less(ledger, by, lost)
            if play.to == HEAP:
                ledger = ledger.to_heap(seen, lost - len(seen))
            else:
                ledger = ledger.into_hand(play.to, seen, lost - len(seen), seen)
        rest = tuple(card for card in matter.cards if card in play.left)
        if rest:
            matters.append(replace(matter, cards=rest))
    # If nothing is drawn before the next bout, these hands begin it with fewer cards.
    return state.but(ledger=ledger, matters=tuple(matters), short=state.short | less)


def _clear_open_cards(state: GameState, play: Sweep, results: Results) -> GameState:
    """Sweep cards of open matters where no bout lies; a card that goes back to its own hand counts as lifted."""
    state, swept_strays = _sweep_strays(state, play)
    if not swept_strays and not any(matter.cards for matter in state.matters):
        results.note("doubt", reason="nothing-to-sweep", to=play.to)
        return state
    return _sweep_open_cards(state, play)


def _sweep_strays(state: GameState, play: Sweep) -> tuple[GameState, bool]:
    """Sweep stray cards of a bout whose attack cards have all been lifted; return whether there were any."""
    bout = state.bout
    if bout is None or not bout.strays:
        return state, False
    sure = tuple(stray.card for stray in bout.strays if stray.sure)
    faceless = len(bout.strays) - len(sure)
    if play.to == HEAP:
        ledger = state.ledger.to_heap(sure, faceless)
    else:
        others = [stray.card for stray in bout.strays if stray.sure and stray.by != play.to]
        ledger = state.ledger.into_hand(play.to, sure, faceless, others)
    short = state.short.union(stray.by for stray in bout.strays)
    return state.but(ledger=ledger, bout=bout.but(strays=()), short=short), True
