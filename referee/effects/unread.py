"""Cards that lie on the table and could not be read, until somebody names them."""

from __future__ import annotations

from referee.effects.bout import at_once, begin_bout
from referee.effects.made import passed_on
from referee.events import Named, Placed, Unread
from referee.game import Attack, GameState, Phase, UnreadCard
from referee.plays import Transfer
from referee.rules.whole_hand import playable
from referee.rulings import Results


def lay_unread(state: GameState, event: Unread, results: Results) -> GameState:
    """Enter a card with an unreadable face, laid in the bout."""
    results.note("unread", by=event.by, on=event.on)
    by = event.by
    if by is not None and state.phase is Phase.LEAD and by in state.leaders and event.on is None:
        defender = state.seating.next_living(by, state.out)
        state = begin_bout(state.replace(lead=(by, "laid-first")), by, defender, 1)
    bout = state.bout
    if bout is None or by is None or not state.ledger.hands[by] or state.phase not in (Phase.ATTACK, Phase.TAKE):
        return state
    bout = bout.replace(faceless=(*bout.faceless, UnreadCard(by, event.on, state.moment)))
    ledger = state.ledger.without_unknown(by, 1)
    emptied = state.emptied if ledger.hands[by] or by in state.emptied else (*state.emptied, by)
    return at_once(state.replace(bout=bout, ledger=ledger, emptied=emptied))


def name_unread(state: GameState, event: Named, results: Results) -> GameState:
    """Give an unread card of the bout a name; it stays where it was laid, by the rules or not, and gets no ruling."""
    bout = state.the_bout
    unread = next(card for card in bout.faceless if (card.by, card.on) == (event.by, event.on))
    bout = bout.replace(faceless=tuple(card for card in bout.faceless if card is not unread))
    beaten = event.over if event.on is None else event.on
    if beaten is not None:
        return state.replace(bout=bout.defended(beaten, event.card, event.by))
    attack = Attack(event.card, event.by, unread.moment, thrown=bool(bout.attacks))
    return state.replace(bout=bout.replace(attacks=(attack, *bout.attacks)))


def pass_on_unread(before: GameState, after: GameState) -> GameState | None:
    """
    Return the position after an unread card with which the defender has passed the attack on; None if he may not, with
    any card.

    ``before`` and ``after``: the positions without that, before and after the card.
    """
    bout, table = after.bout, before.table
    if bout is None or before.phase is not Phase.ATTACK or after.phase is not Phase.ATTACK:
        return None
    if len(bout.faceless) == (0 if before.bout is None else len(before.bout.faceless)):
        return None
    newest = bout.faceless[-1]
    if (newest.by, newest.on) != (bout.defender, None):
        return None
    may_pass_on = playable(Transfer, table.defender, after.rules.cards().mask, table)
    return after.replace(bout=passed_on(after, bout)) if may_pass_on else None


def read_at_last(state: GameState, event: Placed) -> GameState:
    """Remove the unread card that this event now reports with its face, so that it is not counted twice."""
    bout = state.bout
    if bout is None:
        return state
    for card in bout.faceless:
        if card.on == event.on and card.by == event.by and not card.stays_unread:
            rest = tuple(other for other in bout.faceless if other is not card)
            hands = {**state.ledger.hands, card.by: state.ledger.hands[card.by] + 1}
            return state.replace(bout=bout.replace(faceless=rest), ledger=state.ledger.replace(hands=hands))
    return state
