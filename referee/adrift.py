"""
Hands whose counts nobody can vouch for.

A bout swept with doubt, or one not wholly seen, is entered as it seemed; a card that turns up where the books can't
have it is no longer anybody's. From then on a hand may hold more than the books say, and what is forbidden by its count
alone (laying with an empty hand or after the end, attacking beyond what the next hand holds) is asked about and accuses
nobody, until all hands are known to be full again. So is what is forbidden by whose turn it is once somebody is thought
to have run out: he may be in the deal still, and then it is another's.
"""

from __future__ import annotations

from referee.game import GameState
from referee.rules.attack import house_limit
from referee.rulings import Fault, FaultId

COUNTED = frozenset((FaultId.PLAYER_OUT, FaultId.HAND_LEDGER, FaultId.TRANSFER_TARGET_SHORT, FaultId.GAME_OVER))
"""Faults by a hand's count alone."""

TURNS = frozenset((FaultId.NOT_PRINCIPAL, FaultId.NOT_DEFENDER, FaultId.NOT_ENTITLED))
"""Faults by whose turn it is."""


def rests_on_counts(fault: Fault, state: GameState) -> bool:
    """Is it a fault only because of how many cards the books have in a hand, and can't they be trusted?"""
    if not state.adrift:
        return False
    if fault.id in TURNS:
        return bool(state.out)
    if fault.id is not FaultId.LIMIT_EXCEEDED:
        return fault.id in COUNTED
    bout = state.bout
    if bout is None:
        return False
    house = house_limit(state.rules, bout.number, state.beaten_off)
    return house is None or len(bout.attacks) < house


def are_full(state: GameState) -> bool:
    """Do all who are in the deal hold a full hand, as they do after the draws while there is a talon?"""
    hands = state.ledger.hands
    return state.ledger.talon > 0 and all(hands[seat] >= state.rules.hand_size for seat in state.living)
