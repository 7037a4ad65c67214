"""Rules of attacking: who may, in which order, with which cards, and how many (docs/rules.md, 3)."""

from __future__ import annotations

from collections import Counter

from referee.cards import Card
from referee.game import GameState, Phase
from referee.ledger import Bout
from referee.plays import Give, Laid, Transfer
from referee.rulebook import Rulebook
from referee.rulings import Fault, FaultId, Verdict


def bout_of(state: GameState) -> Bout:
    """Return the current bout; only an opening is judged without one."""
    assert state.bout is not None
    return state.bout


def check_game_over(play: Laid, state: GameState) -> Fault | None:
    """Check that no card is laid after the end of the deal (game-over; docs/rules.md, 10)."""
    return Fault.of(FaultId.GAME_OVER) if state.phase is Phase.OVER else None


def check_principal(play: Laid, state: GameState) -> Fault | None:
    """Check that the principal, or a possible leader of an open lead, lays a bout's first card (not-principal)."""
    if state.phase is Phase.LEAD:
        return None if play.by in state.leaders else Fault.of(FaultId.NOT_PRINCIPAL, principal=None)
    principal = bout_of(state).attacker
    return None if play.by == principal else Fault.of(FaultId.NOT_PRINCIPAL, principal=principal)


def check_opening_shape(play: Laid, state: GameState) -> Fault | None:
    """Check for one card, several of one rank, or pairs and one extra, by the house rule (opening-shape)."""
    if has_opening_shape(play.cards, state.rules.opening):
        return None
    return Fault.of(FaultId.OPENING_SHAPE, opening=state.rules.opening)


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


def check_entitled(play: Laid, state: GameState) -> Fault | None:
    """Check that only this bout's attackers throw in or give on (not-entitled)."""
    attackers = state.attackers()
    if isinstance(play, Give) and state.rules.give_on == "opening_rank_first_phase":
        attackers = (bout_of(state).attacker,)
    if play.by in attackers:
        return None
    return Fault.of(FaultId.NOT_ENTITLED, seat=play.by, attackers=attackers)


def check_timing(play: Laid, state: GameState) -> Fault | None:
    """Check that no card lies unbeaten, where the house throws in only then (too-early; docs/rules.md, 3)."""
    unbeaten = bout_of(state).unbeaten
    if unbeaten and state.rules.throw_timing == "after_beaten":
        return Fault.of(FaultId.TOO_EARLY, unbeaten=unbeaten)
    return None


def check_rank(play: Laid, state: GameState) -> Fault | None:
    """
    Check that a further attack card has a rank that lies on the table (rank-not-on-table: all sources).

    Where only the opening's ranks are given on, no other rank lies there: no card was beaten or thrown in (give-off).
    """
    ranks = bout_of(state).ranks
    for card in play.cards:
        if card.rank not in ranks:
            return Fault.of(FaultId.RANK_NOT_ON_TABLE, card=card, ranks=ranks)
    return None


def check_limit(play: Laid, state: GameState) -> Fault | None:
    """Check that the attack cards together stay within the bout's limit (limit-exceeded)."""
    bout = state.bout
    if bout is None:
        # The lead is open: this card decides it, and the player to the left will be the first defender.
        defender = state.seating.next_living(play.by, state.out)
        limit = bout_limit(state.rules, 1, state.beaten_off, state.ledger.hands[defender])
    elif isinstance(play, Transfer):
        # check_target checks the next hand; the limit of six counts all attack cards (docs/rules.md, 5).
        limit = None if play.shown else house_limit(state.rules, bout.number, state.beaten_off)
    else:
        limit = bout.limit
    lying = len(bout.attacks) if bout is not None else 0
    if limit is not None and lying + len(play.cards) > limit:
        return Fault.of(FaultId.LIMIT_EXCEEDED, limit=limit, lying=lying)
    return None


def house_limit(rules: Rulebook, number: int, beaten_off: int) -> int | None:
    """
    Return the attack cards that the house allows in a bout whatever the defender holds; None: no limit.

    ``number``: which bout of the deal it is, ``beaten_off``: how many bouts went to the discard pile before it.
    """
    limits = [rules.attack_limit] if rules.attack_limit is not None else []
    if rules.low_limit is not None:
        assert rules.low_limit_until is not None, "the rulebook has both or neither"
        early = {"first_bout": number == 1, "first_discard": beaten_off == 0}
        if early[rules.low_limit_until]:
            limits.append(rules.low_limit)
    return min(limits, default=None)


def bout_limit(rules: Rulebook, number: int, beaten_off: int, held: int, *, is_taken: bool = False) -> int | None:
    """
    Return the attack cards allowed in a bout whose defender began it with ``held`` cards; None: no limit.

    ``is_taken``: the defender takes, and then a house may lift its low limit (docs/rules.md, 3, *How many*).
    """
    is_low = rules.low_limit_gives or not is_taken
    limit = house_limit(rules, number, beaten_off) if is_low else rules.attack_limit
    if not rules.limit_by_hand:
        return limit
    return held if limit is None else min(limit, held)


def check_order(play: Laid, state: GameState) -> Fault | None:
    """
    Check who attacks before whom (priority, lost-right).

    ``priority`` depends on leave, which is spoken, so it is always unclear. Under hand-over (French) a player who has
    declined may not change his mind: ``lost-right``, where the statement was pressed.
    """
    if state.rules.throw_order == "priority":
        return _priority(play, bout_of(state), state)
    if state.rules.throw_order == "handoff":
        return _handoff(play, bout_of(state), state)
    return None


def asks_for_leave(state: GameState, seats: tuple[str, ...]) -> bool:
    """Check whether to ask if these seats gave leave: at a strict table, or where one of them pressed ``wait``."""
    return state.rules.etiquette == "strict" or bool(bout_of(state).waiting.intersection(seats))


def _priority(play: Laid, bout: Bout, state: GameState) -> Fault | None:
    """Check that every attacker before the player, clockwise from the principal, has stopped or let him (priority)."""
    for seat in state.attackers():
        if seat == play.by:
            return None
        if state.ledger.hands[seat] and not bout.has_passed(seat) and not bout.has_allowed(seat, play.by):
            return Fault.of(FaultId.PRIORITY, before=seat)
    return None


def _handoff(play: Laid, bout: Bout, state: GameState) -> Fault | None:
    """
    Check the turn under hand-over: the last attacker goes on until he stops, then the others are asked (lost-right).

    A pass is binding here; when all have declined the attack is over.
    """
    turn = turn_by_handoff(state, play.by)
    if turn == play.by:
        return None
    if turn is None:
        return Fault.of(FaultId.LOST_RIGHT, seat=play.by)
    if bout.has_allowed(turn, play.by):
        return None
    return Fault.of(FaultId.PRIORITY, before=turn)


def turn_by_handoff(state: GameState, by: str) -> str | None:
    """Return whose turn it is to attack under hand-over; None: all have declined. ``by``: who wants to attack."""
    bout = bout_of(state)
    attackers = [seat for seat in state.attackers() if state.ledger.hands[seat] or seat == by]
    order = [seat for seat in state.seating.clockwise_from(bout.last_to_attack) if seat in attackers]
    return next((seat for seat in order if not bout.has_passed(seat)), None)


def check_give_allowed(play: Laid, state: GameState) -> Fault | None:
    """Check for cards after the take: none (Spanish), or only in the first phase (French house; give-off)."""
    bout = bout_of(state)
    if state.rules.give_on == "off":
        return Fault.of(FaultId.GIVE_OFF, reason="house")
    if state.rules.give_on == "opening_rank_first_phase" and (
        bout.beaten or any(attack.thrown for attack in bout.attacks)
    ):
        return Fault.of(FaultId.GIVE_OFF, reason="first-phase")
    return None


def check_give_order(play: Laid, state: GameState) -> Fault | None:
    """
    Check who gives on before whom: the principal first (priority), or the last attacker first (give-order; French).

    ``give-order`` depends on a missing statement, so it is unclear unless the seat before had pressed ``wait``.
    """
    bout = bout_of(state)
    if state.rules.give_order == "priority":
        return _priority(play, bout, state)
    if state.rules.give_order == "last_attacker_first":
        attackers = state.attackers()
        assert bout.last_attacker is not None, "a take stores the last attacker"
        for seat in state.seating.clockwise_from(bout.last_attacker):
            if seat == play.by:
                return None
            if seat not in attackers or not state.ledger.hands[seat]:
                continue
            if not bout.has_passed(seat) and not bout.has_allowed(seat, play.by):
                verdict = Verdict.ILLEGAL if seat in bout.waiting else Verdict.UNCLEAR
                return Fault.of(FaultId.GIVE_ORDER, verdict, before=seat)
    return None
