"""Build a position of the search from the referee's state, with supposed hands and talon."""

from __future__ import annotations

from collections.abc import Sequence

from referee.analysis.house import NO_LIMIT, House
from referee.analysis.position import Position
from referee.card_sets import BIT_OF, SUIT_INDEX, mask_of
from referee.game import GameState, Phase


def house_of(state: GameState) -> House:
    """Return the rules of this match in the form that the search uses."""
    return House.of(state.rules, state.seating)


def position_of(house: House, state: GameState, hands: Sequence[int], talon: Sequence[int]) -> Position:
    """
    Return the position of a running bout (phase ``attack`` or ``take``), before anybody is asked.

    ``hands``: a mask for each seat, clockwise. ``talon``: the next card to draw is the last, the turn-up where it lies.
    """
    bout, ledger, seats = state.bout, state.ledger, state.seating.seats
    assert bout is not None, "no bout has begun"
    assert state.trump is not None, "the trump is not known"
    place = {seat: number for number, seat in enumerate(seats)}
    turnup = talon.index(BIT_OF[ledger.turnup]) if ledger.turnup is not None else -1
    position = Position(house, hands, talon, SUIT_INDEX[state.trump], turnup)
    position.attacker, position.defender = place[bout.attacker], place[bout.defender]
    position.number, position.beaten_off = bout.number, state.beaten_off
    position.limit = NO_LIMIT if bout.limit is None else bout.limit
    position.table, position.unbeaten = mask_of(bout.cards), mask_of(bout.unbeaten)
    position.attack_count = len(bout.attacks)
    position.is_taking = state.phase is Phase.TAKE
    position.has_thrown = any(attack.thrown for attack in bout.attacks)
    position.last_to_attack = position.attacker
    if bout.attacks:
        last = bout.last_attacker if position.is_taking else bout.last_to_attack
        position.last_to_attack = place[last or bout.attacker]
    position.passed = sum(1 << place[seat] for seat in seats if bout.has_passed(seat))
    position.shown = mask_of(bout.shown)
    position.out = tuple(place[seat] for seat in state.out)
    position.emptied = tuple(place[seat] for seat in state.emptied)
    position.began = tuple(bout.began[seat] for seat in seats)
    lowest = state.rules.lowest_trump(state.trump)
    position.barred = sum(1 << place[seat] for seat in seats if lowest in ledger.picked[seat])
    owner = bout.owner(lowest)
    position.lowest_by = -1 if owner is None else place[owner]
    return position
