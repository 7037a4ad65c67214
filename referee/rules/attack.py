"""Rules of attacking: who may, in which order, with which cards, and how many (docs/rules.md, 3)."""

from __future__ import annotations

from collections import Counter

from referee.card_sets import ranks_of
from referee.cards import Card
from referee.plays import Give, Laid, Transfer
from referee.rulebook import FaultId, Rulebook
from referee.rules.table import Seat, Table, by_cards, ranks_on_table, whatever_card
from referee.rulings import Fault, Verdict


@whatever_card
def check_principal(play: Laid, table: Table) -> Fault | None:
    """Check that the principal, or a possible leader of an open lead, lays a bout's first card (not-principal)."""
    principal = table.principal
    may_open = play.by == principal if principal is not None else play.by in table.leaders
    return None if may_open else Fault.of(FaultId.NOT_PRINCIPAL, principal=principal)


@whatever_card
def check_opening_shape(play: Laid, table: Table) -> Fault | None:
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


@whatever_card
def check_entitled(play: Laid, table: Table) -> Fault | None:
    """Check that only this bout's attackers throw in or give on (not-entitled)."""
    attackers = table.attackers()
    if isinstance(play, Give) and table.rules.give_on == "opening_rank_first_phase":
        attackers = (table.attacker,)
    if play.by in attackers:
        return None
    return Fault.of(FaultId.NOT_ENTITLED, seat=play.by, attackers=attackers)


@whatever_card
def check_timing(play: Laid, table: Table) -> Fault | None:
    """Check that no card lies unbeaten, where the house throws in only then (too-early; docs/rules.md, 3)."""
    if table.unbeaten and table.rules.throw_timing == "after_beaten":
        return Fault.of(FaultId.TOO_EARLY, unbeaten=table.unbeaten_cards)
    return None


@by_cards(ranks_on_table)
def check_rank(play: Laid, table: Table) -> Fault | None:
    """
    Check that a further attack card has a rank that lies on the table (rank-not-on-table: all sources).

    Where only the opening's ranks are given on, no other rank lies there: no card was beaten or thrown in (give-off).
    """
    if not play.mask & ~ranks_on_table(table):
        return None
    card = next(card for card in play.cards if not card.bit & ranks_on_table(table))
    return Fault.of(FaultId.RANK_NOT_ON_TABLE, card=card, ranks=ranks_of(table.table))


@whatever_card
def check_limit(play: Laid, table: Table) -> Fault | None:
    """Check that the attack cards together stay within the bout's limit (limit-exceeded)."""
    if table.principal is None:
        # The lead is open: this card decides it, and the player to the left will be the first defender.
        defender = table.seating.next_living(play.by, table.out)
        limit, lying = bout_limit(table.rules, 1, table.beaten_off, table.held(defender)), 0
    elif isinstance(play, Transfer):
        # check_target checks the next hand; the limit of six counts all attack cards (docs/rules.md, 5).
        limit = None if play.shown else house_limit(table.rules, table.number, table.beaten_off)
        lying = table.attack_count
    else:
        limit, lying = table.limit, table.attack_count
    if limit is not None and lying + len(play.cards) > limit:
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


@whatever_card
def check_order(play: Laid, table: Table) -> Fault | None:
    """
    Check who attacks before whom (priority, lost-right).

    ``priority`` depends on leave, which is spoken, so it is always unclear. Under hand-over (French) a player who has
    declined may not change his mind: ``lost-right``, where the statement was pressed.
    """
    if table.rules.throw_order == "priority":
        return _priority(play, table)
    if table.rules.throw_order == "handoff":
        return _handoff(play, table)
    return None


def asks_for_leave(table: Table, seats: tuple[str, ...]) -> bool:
    """Check whether to ask if these seats gave leave: at a strict table, or where one of them pressed ``wait``."""
    return table.rules.etiquette == "strict" or any(table.is_waiting(seat) for seat in seats)


def _priority(play: Laid, table: Table) -> Fault | None:
    """Check that every attacker before the player, clockwise from the principal, has stopped or let him (priority)."""
    for seat in table.attackers():
        if seat == play.by:
            return None
        if table.held(seat) and not table.has_passed(seat) and not table.has_allowed(seat, play.by):
            return Fault.of(FaultId.PRIORITY, before=seat)
    return None


def _handoff(play: Laid, table: Table) -> Fault | None:
    """
    Check the turn under hand-over: the last attacker goes on until he stops, then the others are asked (lost-right).

    A pass is binding here; when all have declined the attack is over.
    """
    turn = turn_by_handoff(table, play.by)
    if turn == play.by:
        return None
    if turn is None:
        return Fault.of(FaultId.LOST_RIGHT, seat=play.by)
    if table.has_allowed(turn, play.by):
        return None
    return Fault.of(FaultId.PRIORITY, before=turn)


def turn_by_handoff(table: Table, by: Seat) -> Seat | None:
    """Return whose turn it is to attack under hand-over; None: all have declined. ``by``: who wants to attack."""
    attackers = [seat for seat in table.attackers() if table.held(seat) or seat == by]
    order = [seat for seat in table.seating.clockwise_from(table.last_to_attack) if seat in attackers]
    return next((seat for seat in order if not table.has_passed(seat)), None)


@whatever_card
def check_give_allowed(play: Laid, table: Table) -> Fault | None:
    """Check for cards after the take: none (Spanish), or only in the first phase (French house; give-off)."""
    if table.rules.give_on == "off":
        return Fault.of(FaultId.GIVE_OFF, reason="house")
    if table.rules.give_on == "opening_rank_first_phase" and (table.has_beaten or table.has_thrown):
        return Fault.of(FaultId.GIVE_OFF, reason="first-phase")
    return None


@whatever_card
def check_give_order(play: Laid, table: Table) -> Fault | None:
    """
    Check who gives on before whom: the principal first (priority), or the last attacker first (give-order; French).

    ``give-order`` depends on a missing statement, so it is unclear unless the seat before had pressed ``wait``.
    """
    if table.rules.give_order == "priority":
        return _priority(play, table)
    if table.rules.give_order == "last_attacker_first":
        attackers = table.attackers()
        for seat in table.seating.clockwise_from(table.last_before_take):
            if seat == play.by:
                return None
            if seat not in attackers or not table.held(seat):
                continue
            if not table.has_passed(seat) and not table.has_allowed(seat, play.by):
                verdict = Verdict.ILLEGAL if table.is_waiting(seat) else Verdict.UNCLEAR
                return Fault.of(FaultId.GIVE_ORDER, verdict, before=seat)
    return None


LEAD = (check_principal, check_opening_shape, check_limit)
THROW_IN = (check_entitled, check_timing, check_rank, check_limit)
GIVE = (check_give_allowed, check_entitled, check_rank, check_limit)
"""The rules of each play of this topic, in the order in which they are asked (:mod:`referee.rule_order`)."""
