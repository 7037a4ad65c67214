"""Beating and taking (docs/rules.md, 4)."""

from __future__ import annotations

from referee.cards import BEATEN_BY, suit_of
from referee.plays import Beat, Laid, Take
from referee.rulebook import FaultId
from referee.rules.marks import by_cards, same_for_all_cards
from referee.rulings import Fault, Verdict
from referee.table import NOBODY, Table


@same_for_all_cards
def check_defender(play: Laid[int] | Take[int], table: Table) -> Fault | None:
    """Check that only the defender beats and takes (not-defender)."""
    return None if table.defender in (NOBODY, play.by) else Fault.of(FaultId.NOT_DEFENDER, defender=table.defender)


@same_for_all_cards
def check_take_is_final(play: Laid[int], table: Table) -> Fault | None:
    """Check that a defender who takes neither beats nor passes on any more (take-is-final; French)."""
    return Fault.of(FaultId.TAKE_IS_FINAL) if table.is_taking else None


@same_for_all_cards
def check_attack_exists(play: Laid[int], table: Table) -> Fault | None:
    """Check that the beaten card lies in the bout (no-such-attack)."""
    assert isinstance(play, Beat)
    return None if play.over.bit & table.lying else Fault.of(FaultId.NO_SUCH_ATTACK, over=play.over)


@same_for_all_cards
def check_unbeaten(play: Laid[int], table: Table) -> Fault | None:
    """Check that the attack card has no defence card yet (already-beaten)."""
    assert isinstance(play, Beat)
    return None if play.over.bit & table.uncovered else Fault.of(FaultId.ALREADY_BEATEN, over=play.over)


@by_cards(lambda table, over: BEATEN_BY[table.trumps][over])
def check_beats(play: Laid[int], table: Table) -> Fault | None:
    """Check for a higher card of the suit, or a trump on a plain card (does-not-beat: all sources)."""
    assert isinstance(play, Beat)
    over, trumps = play.over, table.trumps
    if play.mask & BEATEN_BY[trumps][over.bit]:
        return None
    # Where the turn-up was not seen, the suit of the card may be the trump.
    verdict = Verdict.UNCLEAR if not trumps and play.card.suit is not over.suit else None
    return Fault.of(FaultId.DOES_NOT_BEAT, verdict, over=over, trump=suit_of(trumps))


def check_something_to_take(play: Take[int], table: Table) -> Fault | None:
    """Check that a card of the deal lies unbeaten, which an unread one may do (nothing-to-take)."""
    lies_unbeaten = table.has_unread or (table.unbeaten and not table.is_over)
    return None if lies_unbeaten else Fault.of(FaultId.NOTHING_TO_TAKE)
