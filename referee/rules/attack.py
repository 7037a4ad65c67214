"""Attacking: who may, with which cards, and how many (docs/rules.md, 3)."""

from __future__ import annotations

from collections import Counter

from referee.cards import Card, ranks_of
from referee.plays import Give, Laid, Transfer
from referee.rulebook import FaultId, Rulebook
from referee.rules.marks import by_cards, first_of, ranks_on_table, same_for_all_cards
from referee.rulings import Fault
from referee.table import NO_LIMIT, NOBODY, Table


@same_for_all_cards
def check_principal(play: Laid[int], table: Table) -> Fault | None:
    """Check that the principal, or a possible leader of an open lead, lays a bout's first card (not-principal)."""
    principal = table.attacker
    may_open = play.by == principal if principal != NOBODY else play.by in table.leaders
    return None if may_open else Fault.of(FaultId.NOT_PRINCIPAL, principal=principal)


@same_for_all_cards
def check_opening_shape(play: Laid[int], table: Table) -> Fault | None:
    """Check for one card, several of one rank, or pairs and one extra, by the house rule (opening-shape)."""
    if has_opening_shape(play.cards, table.rules.opening):
        return None
    return Fault.of(FaultId.OPENING_SHAPE, opening=table.rules.opening)


def has_opening_shape(cards: tuple[Card, ...], opening: str) -> bool:
    """
    Check whether these cards make an opening.

    ``pairs_plus_one`` (Durek): an even number must be all pairs, an odd number pairs and one extra card, which may make
    a trio; a single card is no pair and one extra.

    >>> has_opening_shape(tuple(map(Card.parse, ("6h", "6d", "9s"))), "pairs_plus_one")
    True
    >>> has_opening_shape(tuple(map(Card.parse, ("6h", "9s"))), "pairs_plus_one")
    False
    """
    if len(cards) == 1:
        return True
    if opening == "single":
        return False
    ranks = Counter(card.rank for card in cards)
    if opening == "same_rank":
        return len(ranks) == 1
    odd = sum(count % 2 for count in ranks.values())
    return odd == len(cards) % 2


def may_be_completed(opening: str) -> bool:
    """Check whether further cards may give a wrong opening its shape: a pair or an extra card that is laid later."""
    return opening == "pairs_plus_one"


@same_for_all_cards
def check_entitled(play: Laid[int], table: Table) -> Fault | None:
    """Check that only this bout's attackers throw in or give on (not-entitled)."""
    attackers = table.attackers
    if isinstance(play, Give) and table.rules.give_on == "opening_rank_first_phase":
        attackers = (table.attacker,)
    if play.by in attackers:
        return None
    return Fault.of(FaultId.NOT_ENTITLED, seat=play.by, attackers=attackers)


@same_for_all_cards
def check_timing(play: Laid[int], table: Table) -> Fault | None:
    """Check that no card lies unbeaten, where the house throws in only then (too-early; docs/rules.md, 3)."""
    if table.unbeaten and table.rules.throw_timing == "after_beaten":
        return Fault.of(FaultId.TOO_EARLY, unbeaten=table.unbeaten_cards)
    return None


@by_cards(ranks_on_table)
def check_rank(play: Laid[int], table: Table) -> Fault | None:
    """
    Check that a further attack card has a rank that lies on the table (rank-not-on-table: all sources).

    Where only the opening's ranks are given on, no other rank lies there: no card was beaten or thrown in (give-off).
    """
    wrong = play.mask & ~ranks_on_table(table)
    if not wrong:
        return None
    return Fault.of(FaultId.RANK_NOT_ON_TABLE, card=first_of(play, wrong), ranks=ranks_of(table.table))


@same_for_all_cards
def check_limit(play: Laid[int], table: Table) -> Fault | None:
    """Check that the attack cards together stay within the bout's limit (limit-exceeded)."""
    if table.attacker == NOBODY:
        # The lead is open: this card decides it, and the player to the left will be the first defender.
        defender = table.seating.next_living(play.by, table.out)
        limit, lying = bout_limit(table.rules, 1, table.beaten_off, table.held(defender)), 0
    elif isinstance(play, Transfer):
        # check_target checks the next hand; the limit of six counts all attack cards (docs/rules.md, 5).
        limit = None if play.shown else house_limit(table.rules, table.number, table.beaten_off)
        lying = table.attack_count
    else:
        limit, lying = table.limit, table.attack_count
    if limit not in (None, NO_LIMIT) and lying + len(play.cards) > limit:
        return Fault.of(FaultId.LIMIT_EXCEEDED, limit=limit, lying=lying)
    return None


def house_limit(rules: Rulebook, number: int, beaten_off: int) -> int | None:
    """
    Return the attack cards that the house allows in a bout whatever the defender holds; None: no limit.

    ``number``: which bout of the deal it is, ``beaten_off``: how many bouts went to the discard pile before it.
    """
    limit, low = rules.attack_limit, rules.low_limit
    if low is None or not (number == 1 if rules.low_limit_until == "first_bout" else beaten_off == 0):
        return limit
    return low if limit is None else min(limit, low)


def bout_limit(rules: Rulebook, number: int, beaten_off: int, held: int, *, is_taken: bool = False) -> int | None:
    """
    Return the attack cards allowed in a bout whose defender began it with ``held`` cards; None: no limit.

    ``is_taken``: the defender takes, and then a house may lift its low limit (docs/rules.md, 3, *How many*).
    """
    limit = rules.attack_limit
    if rules.low_limit is not None and (rules.low_limit_gives or not is_taken):
        limit = house_limit(rules, number, beaten_off)
    if not rules.limit_by_hand:
        return limit
    return held if limit is None or held < limit else limit


@same_for_all_cards
def check_give_allowed(play: Laid[int], table: Table) -> Fault | None:
    """Check for cards after the take: none (Spanish), or only in the first phase (French house; give-off)."""
    if table.rules.give_on == "off":
        return Fault.of(FaultId.GIVE_OFF, reason="house")
    if table.rules.give_on == "opening_rank_first_phase" and (table.has_beaten or table.has_thrown):
        return Fault.of(FaultId.GIVE_OFF, reason="first-phase")
    return None
