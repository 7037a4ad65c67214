"""The bout is swept to the discard pile or taken, or would be if anybody swept the last bout of a game."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card, CardSet
from referee.effects.bout import end_bout
from referee.events import HEAP, Swept
from referee.game import Bout, GameState, OpenFault, Phase, UnreadCard
from referee.plays import Laid, Sweep, Transfer
from referee.rulebook import FaultId
from referee.rules import fault_of
from referee.rules.order import asks_for_leave
from referee.rules.sweep import still_attacking
from referee.rules.whole_hand import playable, possible
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

    A defender who has the same result whether he takes or beats all is as good as taking. None: somebody can still
    attack or answer otherwise, a fault is open, or the deal goes on after the sweep.
    """
    bout, table = state.bout, state.table
    if bout is None or not bout.attacks or state.phase not in (Phase.ATTACK, Phase.TAKE) or state.matters:
        return None
    state, number, hand = state.replace(laying=None), table.defender, possible(table.defender, table)
    if still_attacking(table) or any(playable(Transfer, number, hand, table, shown=shown) for shown in (False, True)):
        return None
    taken, beaten = (Swept(at=0.0, to=to) for to in (bout.defender, HEAP))
    ways = [(state, taken if table.is_taking else beaten)]
    if table.unbeaten and not table.is_taking:
        ways = [(state, taken), (_with_all_beaten(state, bout), beaten)]
    results = [sweep(before, event, Results()).result for before, event in ways]
    return ways[0][1] if results[0] is not None and all(result == results[0] for result in results) else None


def _with_all_beaten(state: GameState, bout: Bout) -> GameState:
    """Return the position after the defender has beaten every attack card, with cards whose names are not known."""
    across = tuple(UnreadCard(bout.defender, card) for card in bout.unbeaten)
    ledger = state.ledger.without_unknown(bout.defender, len(across))
    return state.replace(ledger=ledger, bout=bout.replace(faceless=(*bout.faceless, *across)))
