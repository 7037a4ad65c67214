"""Rules of defending: beating and taking (docs/rules.md, 4)."""

from __future__ import annotations

from referee.game import GameState, Phase
from referee.plays import Beat, Laid, Take
from referee.rules.attack import bout_of
from referee.rulings import Fault, FaultId, Verdict


def check_defender(play: Laid, state: GameState) -> Fault | None:
    """Check that only the defender beats (not-defender)."""
    if state.bout is not None and play.by != state.bout.defender:
        return Fault.of(FaultId.NOT_DEFENDER, defender=state.bout.defender)
    return None


def check_take_is_final(play: Laid, state: GameState) -> Fault | None:
    """Check that a defender who takes neither beats nor passes on any more (take-is-final; French)."""
    return Fault.of(FaultId.TAKE_IS_FINAL) if state.phase is Phase.TAKE else None


def check_attack_exists(play: Laid, state: GameState) -> Fault | None:
    """Check that the beaten card lies in the bout (no-such-attack)."""
    assert isinstance(play, Beat)
    if state.bout is None or play.over not in state.bout.cards:
        return Fault.of(FaultId.NO_SUCH_ATTACK, over=play.over)
    return None


def check_unbeaten(play: Laid, state: GameState) -> Fault | None:
    """Check that the attack card has no defence card yet (already-beaten)."""
    assert isinstance(play, Beat)
    attack = bout_of(state).find(play.over)
    if attack is None or attack.defence is not None:
        return Fault.of(FaultId.ALREADY_BEATEN, over=play.over)
    return None


def check_beats(play: Laid, state: GameState) -> Fault | None:
    """Check for a higher card of the suit, or a trump on a plain card (does-not-beat: all sources)."""
    assert isinstance(play, Beat)
    card, over = play.card, play.over
    if state.trump is None:
        # The turn-up was not seen, so the card's suit may be the trump.
        if card.suit is over.suit:
            return None if card.height > over.height else Fault.of(FaultId.DOES_NOT_BEAT, over=over, trump=None)
        return Fault.of(FaultId.DOES_NOT_BEAT, Verdict.UNCLEAR, over=over, trump=None)
    if card.beats(over, state.trump):
        return None
    return Fault.of(FaultId.DOES_NOT_BEAT, over=over, trump=state.trump)


def check_taker(play: Take, state: GameState) -> Fault | None:
    """Check that the defender takes (not-defender)."""
    if state.bout is not None and play.by != state.bout.defender:
        return Fault.of(FaultId.NOT_DEFENDER, defender=state.bout.defender)
    return None


def check_something_to_take(play: Take, state: GameState) -> Fault | None:
    """Check that a card lies unbeaten (nothing-to-take)."""
    if state.bout is None or state.phase not in (Phase.ATTACK, Phase.TAKE) or not state.bout.unbeaten:
        return Fault.of(FaultId.NOTHING_TO_TAKE)
    return None
