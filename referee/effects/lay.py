"""Judge cards that are laid on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.cards import Card
from referee.effects.draw import absorb_open_draws
from referee.effects.made import can_be_made, made
from referee.effects.read_laid import read_laid
from referee.effects.unread import read_at_last
from referee.events import Placed
from referee.fields import Facts
from referee.game import GameState, Laying, OpenFault, Phase
from referee.plays import Beat, Laid, Sweep, ThrowIn
from referee.rulebook import FaultId
from referee.rules import cannot_be, fault_of
from referee.rules.attack import has_opening_shape, may_be_completed
from referee.rules.order import asks_for_leave
from referee.rulings import MANNERS, Fault, Results, Ruling, Verdict


def lay(state: GameState, event: Placed, results: Results) -> GameState:
    """Judge a card laid on the table, its seat known."""
    back = _put_back(state, event, results)
    if back is not None:
        return back
    if state.phase is Phase.DRAW:
        state = absorb_open_draws(state, None)
    state = read_at_last(state, event)
    base = state
    before: tuple[Card, ...] = ()
    laying = state.laying
    if laying is not None and event.on is None and laying.by == event.by and laying.at == event.at:
        base, before = laying.base.replace(moment=state.moment), laying.cards
    cards = (*before, event.card)
    assert event.by is not None, "the caller names a seat (referee.belief)"
    play = read_laid(cards, event.by, event.on, base)
    fault = fault_of(play, base)
    # The trump is not known while the card that decides it (Severnyi) was drawn unseen.
    if fault is not None and fault.id is FaultId.DOES_NOT_BEAT and base.last_card_by is not None:
        fault = replace(fault, verdict=Verdict.UNCLEAR)
    after = rule_on(play, fault, base, results)
    if event.on is not None:
        return after if after.laying is None else after.replace(laying=None)
    base = base if base.laying is None else base.replace(laying=None)
    return after.replace(laying=Laying(event.by, event.at, cards, base))


def rule_on(play: Laid, fault: Fault | None, state: GameState, results: Results) -> GameState:
    """Add the ruling; make the play if it is legal or only unclear, else keep it as an open matter."""
    if fault is None:
        results.legal(play, play.by)
        return made(play, state)
    unclear = fault.verdict is Verdict.UNCLEAR
    results.fault(fault, play.name, play.by, play.cards, _question(fault, play, state) if unclear else None)
    if unclear and can_be_made(play, state) and cannot_be(play, state) is None:
        return made(play, state)
    on = play.over if isinstance(play, Beat) else None
    matter = OpenFault(play, fault, fault.verdict, state.moment, play.cards, on, sure=cannot_be(play, state) is None)
    return state.replace(matters=(*state.matters, matter))


def _question(fault: Fault, play: Laid, state: GameState) -> Facts | None:
    """Return the question that resolves it: the card, or whether leave was given; None where the house doesn't ask."""
    before = fault.facts.get("before")
    if before is None:
        return {"ask": "card", "card": play.cards[-1]}
    is_asked = fault.id not in MANNERS or asks_for_leave(state.table, (state.seating.number_of[before],))
    return {"ask": "leave", "seat": before} if is_asked else None


def may_become_legal(state: GameState, rulings: Sequence[Ruling]) -> bool:
    """Check whether an opening that is laid card by card may still get its missing card."""
    if state.laying is None or len(rulings) != 1:
        return False
    ruling, opening = rulings[0], state.rules.opening
    if ruling.fault is FaultId.LEAD_NOT_LOWEST_TRUMP and has_opening_shape(
        (*ruling.cards, ruling.facts["card"]), opening
    ):
        return True
    return ruling.fault in (FaultId.OPENING_SHAPE, FaultId.LEAD_NOT_LOWEST_TRUMP) and may_be_completed(opening)


def _put_back(state: GameState, event: Placed, results: Results) -> GameState | None:
    """Return the state with a card put back that was swept away by mistake; None: it is no such card."""
    for place, matter in enumerate(state.matters):
        if not isinstance(matter.play, Sweep) or event.card not in matter.away:
            continue
        # A card that its owner has meanwhile taken back and lays again is a new play.
        bout = state.the_bout
        owner = bout.owner(event.card)
        if owner is not None:
            over = next((attack.card for attack in bout.attacks if attack.defence == event.card), None)
            results.legal(ThrowIn(owner, (event.card,)) if over is None else Beat(owner, (event.card,), over), owner)
            away = matter.away - {event.card}
            rest = (replace(matter, away=away),) if away else ()
            return state.replace(matters=(*state.matters[:place], *rest, *state.matters[place + 1 :]), laying=None)
    return None
