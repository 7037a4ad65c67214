"""
Judge a laid card: which play it is, whether it is legal, and the position after it.

Cards that one seat lays at the same ``at`` are one play: each further card is judged together with those before it,
from the position before the first. The card and its seat are taken as given here; where they are uncertain
:mod:`referee.belief` judges each alternative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.cards import Card
from referee.dealing import at_once, begin_bout, next_bout
from referee.events import Placed
from referee.game import GameState, Laying, Matter, Phase, Trust
from referee.ledger import Stray
from referee.plays import Beat, Laid, Lead, Sweep, ThrowIn, Transfer, read_laid
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rules.attack import asks_for_leave, bout_limit, bout_of
from referee.rules.transfer import transfer_target
from referee.rulings import MANNERS, Fault, Results, Ruling, Verdict
from referee.talon import absorb_open_draws, drawn_unseen
from referee.unseen import one_less, read_at_last, rests_on_unseen, trusting_full_hands


def lay(state: GameState, event: Placed, results: Results) -> GameState:
    """Judge a card laid on the table, its seat known."""
    back = _put_back(state, event, results)
    if back is not None:
        return back
    if state.phase is Phase.DRAW:
        state = absorb_open_draws(state, None)
    state = trusting_full_hands(read_at_last(state, event))
    base = state
    before: tuple[Card, ...] = ()
    laying = state.laying
    if laying is not None and event.on is None and laying.by == event.by and laying.at == event.at:
        base, before = laying.base.but(moment=state.moment), laying.cards
    cards = (*before, event.card)
    assert event.by is not None, "the caller names a seat (referee.belief)"
    play = read_laid(cards, event.by, event.on, base)
    fault = fault_of(play, base)
    if fault is not None and (rests_on_unseen(fault, base) or _rests_on_trump(fault, base)):
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    after = rule_on(play, fault, base, results, by=event.by)
    if event.on is not None:
        return after if after.laying is None else after.but(laying=None)
    base = base if base.laying is None else base.but(laying=None)
    return after.but(laying=Laying(event.by, event.at, cards, base))


def _rests_on_trump(fault: Fault, state: GameState) -> bool:
    """Check whether the card that decides the trump (Severnyi) was drawn unseen: then the trump is not known."""
    return fault.id is FaultId.DOES_NOT_BEAT and state.last_card_by is not None


def rule_on(
    play: Laid,
    fault: Fault | None,
    state: GameState,
    results: Results,
    by: str | None,
) -> GameState:
    """Add the ruling; make the play if it is legal or only unclear, else keep it as an open matter."""
    if fault is None:
        results.legal(play, by)
        return made(play, state)
    unclear = fault.verdict is Verdict.UNCLEAR
    results.fault(fault, play.name, by, play.cards, _question(fault, play, state) if unclear else None)
    if unclear and can_be_made(play, state) and cannot_be(play, state) is None:
        return made(play, state)
    on = play.over if isinstance(play, Beat) else None
    matter = Matter(play, fault, fault.verdict, state.moment, play.cards, on, sure=cannot_be(play, state) is None)
    return state.but(matters=(*state.matters, matter))


def _question(fault: Fault, play: Laid, state: GameState) -> Mapping[str, Any] | None:
    """Return the question that resolves it: the card, or whether leave was given; None where the house doesn't ask."""
    before = fault.facts.get("before")
    if before is None:
        return {"ask": "card", "card": play.cards[-1]}
    is_asked = fault.id not in MANNERS or asks_for_leave(state, (before,))
    return {"ask": "leave", "seat": before} if is_asked else None


def may_become_legal(state: GameState, rulings: Sequence[Ruling]) -> bool:
    """Check whether an opening of pairs and one extra card, laid one by one, may still get its missing card."""
    return (
        state.rules.opening == "pairs_plus_one"
        and state.laying is not None
        and len(rulings) == 1
        and rulings[0].fault is FaultId.OPENING_SHAPE
    )


def can_be_made(play: Laid, state: GameState) -> bool:
    """Check whether the play can be made in this position if the players let it stand."""
    bout = state.bout
    if state.phase is Phase.OVER or len(play.cards) > state.ledger.hands[play.by]:
        return False
    if bout is None or bout.ended is not None:
        return isinstance(play, Lead)
    if isinstance(play, Beat):
        attack = bout.find(play.over)
        return attack is not None and attack.defence is None
    if isinstance(play, Transfer):
        return play.by == bout.defender and bool(bout.unbeaten)
    return True


def made(play: Laid, state: GameState) -> GameState:
    """Return the position after this play of cards."""
    if isinstance(play, Lead):
        state = _bout_to_lead(play, state)
    bout = state.bout
    assert bout is not None
    if isinstance(play, Beat):
        # A defender who beats after the take withdraws the take.
        bout = bout.defended(play.over, play.card, play.by).not_taken()
        phase = Phase.ATTACK
    elif isinstance(play, Transfer):
        phase = Phase.ATTACK
        target = transfer_target(state)
        before = (bout.attacker, bout.defender, bout.limit)
        if play.shown:
            bout = bout.but(shown=bout.shown | {play.cards[0]}, shown_by=(play.by, state.moment))
        else:
            bout = bout.attacked(play.by, play.cards, state.moment, passed_on=before)
        limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[target])
        bout = bout.but(
            attacker=play.by,
            defender=target,
            limit=limit,
            passed={},
            allowed={},
            waiting=frozenset(),
            taking=None,
        )
    else:
        bout = bout.attacked(play.by, play.cards, state.moment, thrown=isinstance(play, ThrowIn))
        phase = state.phase
    ledger, emptied = state.ledger, state.emptied
    if isinstance(play, Transfer) and play.shown:
        ledger = ledger.knowing(play.by, play.cards[0])
    else:
        ledger = ledger.without(play.by, play.cards)
        if not ledger.hands[play.by] and play.by not in emptied:
            emptied = (*emptied, play.by)
    state = state.but(bout=bout, ledger=ledger, emptied=emptied, phase=phase)
    return at_once(state) if state.rules.end_check == "immediate" else state


def _bout_to_lead(play: Lead, state: GameState) -> GameState:
    """Return the state with the bout that this card opens; the card also decides an open lead."""
    if state.phase is Phase.LEAD:
        state = state.but(lead=(play.by, "laid-first"))
        return begin_bout(state, play.by, state.seating.next_living(play.by, state.out), 1)
    if state.phase is Phase.DRAW:
        if state.trust is Trust.NOTHING:
            return drawn_unseen(state)
        # The players let the lead stand although draws were owed: the draws are forgone.
        return next_bout(state.but(due=(), short=frozenset(state.living)))
    return state


def stray(play: Laid, state: GameState, sure: bool) -> GameState:
    """Let cards stand that fit no play: they go with the bout; after the end of the bout nothing changes."""
    bout = state.bout
    count = min(len(play.cards), state.ledger.hands[play.by])
    if bout is None or bout.ended is not None:
        return state
    cards = play.cards[:count]
    ledger = state.ledger
    ledger = ledger.without(play.by, cards) if sure else one_less(ledger, play.by, count)
    strays = (*bout.strays, *(Stray(card, play.by, sure) for card in cards))
    return state.but(ledger=ledger, bout=bout.but(strays=strays))


def _put_back(state: GameState, event: Placed, results: Results) -> GameState | None:
    """Return the state with a card put back that was swept away by mistake; None: it is no such card."""
    for place, matter in enumerate(state.matters):
        if not isinstance(matter.play, Sweep) or event.card not in matter.away:
            continue
        # A card that its owner has meanwhile taken back and lays again is a new play.
        bout = bout_of(state)
        owner = bout.owner(event.card)
        if owner is not None:
            over = next((attack.card for attack in bout.attacks if attack.defence == event.card), None)
            results.legal(ThrowIn(owner, (event.card,)) if over is None else Beat(owner, (event.card,), over), owner)
            away = matter.away - {event.card}
            rest = (replace(matter, away=away),) if away else ()
            return state.but(matters=(*state.matters[:place], *rest, *state.matters[place + 1 :]), laying=None)
    return None
