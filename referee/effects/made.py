"""The position after cards have been laid as a play that stands, legal or not."""

from __future__ import annotations

from referee.effects.bout import at_once, begin_bout, next_bout
from referee.game import Bout, GameState, Phase
from referee.plays import Beat, Laid, Lead, ThrowIn, Transfer
from referee.rules.attack import bout_limit
from referee.rules.transfer import transfer_target


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
    if isinstance(play, Lead) and state.phase is Phase.LEAD:
        defender = state.seating.next_living(play.by, state.out)
        state = begin_bout(state.replace(lead=(play.by, "laid-first")), play.by, defender, 1)
    elif isinstance(play, Lead) and state.phase is Phase.DRAW:
        # The players let the lead stand, so the draws are forgone.
        state = next_bout(state.replace(due=(), short=frozenset(state.living)))
    bout = state.the_bout
    if isinstance(play, Beat):
        # A defender who beats after the take withdraws the take.
        bout = bout.defended(play.over, play.card, play.by).not_taken()
        phase = Phase.ATTACK
    elif isinstance(play, Transfer):
        phase = Phase.ATTACK
        before = (bout.attacker, bout.defender, bout.limit)
        if play.shown:
            bout = bout.replace(shown=bout.shown | {play.cards[0]}, shown_by=(play.by, state.moment))
        else:
            bout = bout.attacked(play.by, play.cards, state.moment, passed_on=before)
        bout = passed_on(state, bout)
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
    state = state.replace(bout=bout, ledger=ledger, emptied=emptied, phase=phase)
    return at_once(state)


def passed_on(state: GameState, bout: Bout) -> Bout:
    """Return the bout with the attack passed on from its defender to the next seat."""
    target = state.seating.seats[transfer_target(state.table)]
    limit = bout_limit(state.rules, bout.number, state.beaten_off, state.ledger.hands[target])
    return bout.replace(
        attacker=bout.defender,
        defender=target,
        limit=limit,
        passed={},
        allowed={},
        waiting=frozenset(),
        taking=None,
    )
