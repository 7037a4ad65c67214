"""
The rules: one pure function each, from a play and a position to a fault or None, and their order for each play.

The judge's :class:`~referee.game.GameState` and the search's :class:`~referee.analysis.position.Position` both offer a
:class:`Table`, so that one statement of a rule serves both. Sets of cards are bit masks (:mod:`referee.cards`).
Seats are names in the judge and numbers in the search.

A rule is a function of a play and a table. Most rules can be applied to a whole hand at once, which a mark states:
:func:`whatever_card` marks a rule whose result does not depend on the card, :func:`by_cards` gives a rule the set of
cards that pass. A rule without a mark is applied card by card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from referee.cards import BEATEN_BY, CARD_OF, RANKS, Card, Suit, bits_of, mask_of, ranks_of, same_ranks, suit_of
from referee.fields import PlainValue
from referee.plays import Beat, Done, Draw, Give, Laid, Lead, Pass, Play, Swap, Sweep, Take, ThrowIn, Transfer
from referee.rulebook import FaultId, Rulebook
from referee.rulings import Fault, Verdict

if TYPE_CHECKING:
    from referee.game import GameState

Seat = Any
EndedBout = Any
"""A bout that has been swept: ``attacker``, ``defender``, ``ended`` ("beaten" or "taken"), hands when it ``began``."""
R = TypeVar("R", bound=Callable[..., Any])


class Result(PlainValue, frozen=True):
    """How the deal ended: ``kind`` as docs/record.md has it, and the seats it names."""

    kind: str
    seats: tuple[str, ...]


class Table(Protocol):
    """
    A position as the rules read it. During a bout; ``seating`` orders the seats and knows the teams.

    ``trump``: the trump suit, for facts of a fault; rules compare with ``trumps``. ``trumps``: all cards of the trump
    suit; 0 where it is not known. ``principal``: the attacker who opens the bout; None while the lead is open to
    ``leaders``. ``defender``: who defends; None before the first bout. ``number``: which bout of the deal it is, from
    1. ``table``: attack cards and cards that beat them. ``lying``: all cards of the bout, those too that players let
    stand though they are neither. ``unbeaten``: attack cards without a card across them, read or unread; none once the
    deal is over. ``uncovered``: attack cards without a read card across them. ``unbeaten_cards``: the cards of
    ``unbeaten``, oldest first. ``has_unread``: whether a card of the bout was not read. ``has_thrown``: whether a card
    was thrown in after the opening. ``shown``: cards that were shown in this bout to pass the attack on. ``turnup``:
    the turn-up that lies under the talon. ``refill``: the draws after the last bout: ``turnup``, if it was drawn, by
    whom (``holder``), and who ``drew``. ``in_grace``: whether the first card of the bout has not been laid.
    ``emptied``: seats in the order in which they ran out of cards. ``held``: how many cards a seat holds.
    ``attackers``: who may attack in this bout, clockwise from the principal, empty hands included. ``has_picked``:
    whether the card ever came to the seat from the table in this deal.
    """

    @property
    def rules(self) -> Rulebook: ...
    @property
    def seating(self) -> Any: ...
    @property
    def trump(self) -> Any: ...
    @property
    def trumps(self) -> int: ...
    @property
    def principal(self) -> Seat | None: ...
    @property
    def leaders(self) -> tuple[Seat, ...]: ...
    @property
    def attacker(self) -> Seat: ...
    @property
    def defender(self) -> Seat: ...
    @property
    def out(self) -> tuple[Seat, ...]: ...
    @property
    def number(self) -> int: ...
    @property
    def beaten_off(self) -> int: ...
    @property
    def is_taking(self) -> bool: ...
    @property
    def attack_count(self) -> int: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def table(self) -> int: ...
    @property
    def lying(self) -> int: ...
    @property
    def unbeaten(self) -> int: ...
    @property
    def uncovered(self) -> int: ...
    @property
    def unbeaten_cards(self) -> tuple[Card, ...]: ...
    @property
    def has_unread(self) -> bool: ...
    @property
    def has_beaten(self) -> bool: ...
    @property
    def has_thrown(self) -> bool: ...
    @property
    def shown(self) -> int: ...
    @property
    def turnup(self) -> Card | None: ...
    @property
    def refill(self) -> Any: ...
    @property
    def in_grace(self) -> bool: ...
    @property
    def last_to_attack(self) -> Seat: ...
    @property
    def last_before_take(self) -> Seat: ...
    @property
    def talon_count(self) -> int: ...
    @property
    def emptied(self) -> tuple[Seat, ...]: ...
    @property
    def living(self) -> tuple[Seat, ...]: ...
    @property
    def resigned(self) -> tuple[Seat, ...]: ...
    @property
    def attackers(self) -> tuple[Seat, ...]: ...
    def held(self, seat: Seat) -> int: ...
    def has_passed(self, seat: Seat) -> bool: ...
    def has_allowed(self, seat: Seat, other: Seat) -> bool: ...
    def is_waiting(self, seat: Seat) -> bool: ...
    def has_picked(self, seat: Seat, card: Card) -> bool: ...


def whatever_card(rule: R) -> R:
    """Mark a rule that has the same result for every single card of a hand."""
    rule.__dict__["is_whatever_card"] = True
    return rule


def by_cards(cards: Callable[[Table, int], int]) -> Callable[[R], R]:
    """Mark a rule that passes the single cards of this set, laid over that card, and no others."""

    def marked(rule: R) -> R:
        rule.__dict__["cards"] = cards
        return rule

    return marked


def ranks_on_table(table: Table, over: int = 0) -> int:
    """Return all cards whose rank lies on the table."""
    return same_ranks(table.table)


def attackers_at(table: Table) -> tuple[Seat, ...]:
    """
    Return who may attack in this bout, clockwise from the principal, empty hands included (docs/rules.md, 3).

    Neighbours of the defender are the nearest seats still in play.
    """
    principal, defender, seating, out = table.attacker, table.defender, table.seating, table.out
    throwers = table.rules.throwers
    if throwers == "principal":
        return (principal,)
    side = seating.team(defender)
    found = tuple(seat for seat in seating.clockwise_from(principal) if seat not in side and seat not in out)
    if throwers == "neighbours":
        near = (principal, seating.next_living(defender, out), seating.previous_living(defender, out))
        return tuple(seat for seat in found if seat in near)
    return found


# whether the card can be where it was seen (docs/rules.md, 15)


def check_pack(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the cards belong to the pack (not-in-pack)."""
    wrong = play.mask & ~state.rules.cards().mask
    return Fault.of(FaultId.NOT_IN_PACK, card=first_of(play, wrong), pack=state.rules.pack) if wrong else None


def first_of(play: Laid | Swap, mask: int) -> Card:
    """Return the first card of the play that is in the set."""
    return next(card for card in play.cards if card.bit & mask)


def check_player_out(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the player is not out of the deal (player-out; docs/rules.md, 9)."""
    if play.by in state.out:
        return Fault.of(FaultId.PLAYER_OUT, seat=play.by)
    return None


def check_duplicate(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that a card lies on the table once (duplicate-card). Cards with untrusted faces don't count."""
    there = state.lying | mask_of(card for matter in state.matters if matter.sure for card in matter.cards)
    for card in play.cards:
        if card.bit & there:
            return Fault.of(FaultId.DUPLICATE_CARD, card=card)
        there |= card.bit
    return None


def check_heap(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card did not go to the discard pile before (dead-card; pagat, Hebrew)."""
    dead = play.mask & state.ledger.heap.mask
    return Fault.of(FaultId.DEAD_CARD, card=first_of(play, dead)) if dead else None


def check_talon(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card is not the turn-up under the talon (card-in-talon; docs/rules.md, 1)."""
    if state.ledger.turnup is not None and state.ledger.turnup in play.cards:
        return Fault.of(FaultId.CARD_IN_TALON, card=state.ledger.turnup)
    return None


def check_other_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that the card is not known to be in another hand (card-held-by-other)."""
    for card in play.cards:
        holder = state.ledger.holder(card)
        if holder is not None and holder != play.by:
            return Fault.of(FaultId.CARD_HELD_BY_OTHER, card=card, holder=holder)
    return None


def check_hand_count(play: Laid | Swap, state: GameState) -> Fault | None:
    """Check that a seat plays no more cards than it holds, without those of open matters (hand-ledger)."""
    held = state.physical(play.by)
    if len(play.cards) > held:
        return Fault.of(FaultId.HAND_LEDGER, seat=play.by, held=max(0, held))
    return None


def check_known_hand(play: Laid | Swap, state: GameState) -> Fault | None:
    """
    Check that a hand known in full plays only its known cards (not-in-hand).

    Nothing more follows by elimination: where one hand must hold all unseen cards, the others are known in full, and
    the cards that this hand can't hold lie elsewhere, which the rules before have checked.
    """
    known = state.ledger.known[play.by].mask
    missing = play.mask & ~known
    if not missing or known.bit_count() < state.ledger.hands[play.by]:
        return None
    return Fault.of(FaultId.NOT_IN_HAND, card=first_of(play, missing), seat=play.by)


# attacking: who may, in which order, with which cards, and how many (docs/rules.md, 3)


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
    attackers = table.attackers
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
    wrong = play.mask & ~ranks_on_table(table)
    if not wrong:
        return None
    return Fault.of(FaultId.RANK_NOT_ON_TABLE, card=first_of(play, wrong), ranks=ranks_of(table.table))


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
    for seat in table.attackers:
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
    attackers = [seat for seat in table.attackers if table.held(seat) or seat == by]
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
        attackers = table.attackers
        for seat in table.seating.clockwise_from(table.last_before_take):
            if seat == play.by:
                return None
            if seat not in attackers or not table.held(seat):
                continue
            if not table.has_passed(seat) and not table.has_allowed(seat, play.by):
                verdict = Verdict.ILLEGAL if table.is_waiting(seat) else Verdict.UNCLEAR
                return Fault.of(FaultId.GIVE_ORDER, verdict, before=seat)
    return None


# beating and taking (docs/rules.md, 4)


@whatever_card
def check_defender(play: Laid | Take, table: Table) -> Fault | None:
    """Check that only the defender beats and takes (not-defender)."""
    return None if table.defender in (None, play.by) else Fault.of(FaultId.NOT_DEFENDER, defender=table.defender)


@whatever_card
def check_take_is_final(play: Laid, table: Table) -> Fault | None:
    """Check that a defender who takes neither beats nor passes on any more (take-is-final; French)."""
    return Fault.of(FaultId.TAKE_IS_FINAL) if table.is_taking else None


@whatever_card
def check_attack_exists(play: Laid, table: Table) -> Fault | None:
    """Check that the beaten card lies in the bout (no-such-attack)."""
    assert isinstance(play, Beat)
    return None if play.over.bit & table.lying else Fault.of(FaultId.NO_SUCH_ATTACK, over=play.over)


@whatever_card
def check_unbeaten(play: Laid, table: Table) -> Fault | None:
    """Check that the attack card has no defence card yet (already-beaten)."""
    assert isinstance(play, Beat)
    return None if play.over.bit & table.uncovered else Fault.of(FaultId.ALREADY_BEATEN, over=play.over)


@by_cards(lambda table, over: BEATEN_BY[table.trumps][over])
def check_beats(play: Laid, table: Table) -> Fault | None:
    """Check for a higher card of the suit, or a trump on a plain card (does-not-beat: all sources)."""
    assert isinstance(play, Beat)
    over, trumps = play.over, table.trumps
    if play.mask & BEATEN_BY[trumps][over.bit]:
        return None
    if not trumps and play.card.suit is not over.suit:
        # The turn-up was not seen, so the card's suit may be the trump.
        return Fault.of(FaultId.DOES_NOT_BEAT, Verdict.UNCLEAR, over=over, trump=None)
    return Fault.of(FaultId.DOES_NOT_BEAT, over=over, trump=table.trump)


def check_something_to_take(play: Take, table: Table) -> Fault | None:
    """Check that a card lies unbeaten, which an unread one may do (nothing-to-take)."""
    return None if table.unbeaten or table.has_unread else Fault.of(FaultId.NOTHING_TO_TAKE)


# the transfer (docs/rules.md, 5 and 16): the defender lays, or only shows, a card of the rank


@whatever_card
def check_transfer_allowed(play: Laid, table: Table) -> Fault | None:
    """Check that the house has the transfer (transfer-off, show-off)."""
    if table.rules.transfer:
        return None
    return Fault.of(FaultId.SHOW_OFF if _is_shown(play) else FaultId.TRANSFER_OFF)


@whatever_card
def check_transfer_bout(play: Laid, table: Table) -> Fault | None:
    """Check that the house transfers in the first bout of a deal too (transfer-off; *outside*)."""
    if table.rules.transfer_first_bout or table.number > 1:
        return None
    return Fault.of(FaultId.TRANSFER_OFF, reason="first-bout")


@whatever_card
def check_show_allowed(play: Laid, table: Table) -> Fault | None:
    """Check that the house lets the trump of the rank be shown instead of laid (show-off; Hebrew)."""
    if _is_shown(play) and table.rules.transfer_show == "off":
        return Fault.of(FaultId.SHOW_OFF)
    return None


@whatever_card
def check_something_unbeaten(play: Laid, table: Table) -> Fault | None:
    """Check that there is an attack to pass on (nothing-to-transfer)."""
    return None if table.unbeaten else Fault.of(FaultId.NOTHING_TO_TRANSFER)


@whatever_card
def check_before_beating(play: Laid, table: Table) -> Fault | None:
    """Check that no card was beaten, which ends the right to transfer (transfer-after-beat; docs/rules.md, 16)."""
    if table.rules.transfer_when == "no_beaten_card" and table.has_beaten:
        return Fault.of(FaultId.TRANSFER_AFTER_BEAT)
    return None


@whatever_card
def check_single_rank(play: Laid, table: Table) -> Fault | None:
    """
    Check that only one rank lies on the table (transfer-mixed-ranks; French house).

    The source has "only one rank", so a plain eight beaten by the trump eight still allows it.
    """
    if table.rules.transfer_when == "single_rank" and table.table & ~same_ranks(table.table & -table.table):
        return Fault.of(FaultId.TRANSFER_MIXED_RANKS, ranks=ranks_of(table.table))
    return None


def rank_of_attack(table: Table, over: int = 0) -> int:
    """Return all cards of the rank that lies unbeaten; none where there are several ranks."""
    unbeaten = table.unbeaten
    cards = same_ranks(unbeaten & -unbeaten)
    return 0 if unbeaten & ~cards else cards


@by_cards(rank_of_attack)
def check_transfer_rank(play: Laid, table: Table) -> Fault | None:
    """Check that the card has the rank of the attack (transfer-rank)."""
    wrong = play.mask & ~rank_of_attack(table)
    return (
        Fault.of(FaultId.TRANSFER_RANK, card=first_of(play, wrong), ranks=ranks_of(table.unbeaten)) if wrong else None
    )


def check_shown_trump(play: Laid, table: Table) -> Fault | None:
    """Check that a shown card is a trump (show-not-trump; Hebrew)."""
    card = play.cards[0]
    if _is_shown(play) and table.trumps and not card.bit & table.trumps:
        return Fault.of(FaultId.SHOW_NOT_TRUMP, card=card, trump=table.trump)
    return None


def check_shown_once(play: Laid, table: Table) -> Fault | None:
    """Check that each card is shown once in a bout, so that showing ends (show-repeated)."""
    card = play.cards[0]
    if _is_shown(play) and table.rules.transfer_show == "per_bout" and card.bit & table.shown:
        return Fault.of(FaultId.SHOW_REPEATED, card=card)
    return None


@whatever_card
def check_target(play: Laid, table: Table) -> Fault | None:
    """Check that the next hand holds as many cards as would lie unbeaten (transfer-target-short; docs/rules.md, 16)."""
    if table.rules.transfer_target != "hand_covers":
        return None
    target = transfer_target(table)
    would_lie = table.unbeaten.bit_count() + (0 if _is_shown(play) else len(play.cards))
    held = table.held(target)
    if would_lie > held:
        return Fault.of(FaultId.TRANSFER_TARGET_SHORT, target=target, held=held, would_lie=would_lie)
    return None


def transfer_target(table: Table) -> Seat:
    """Return the seat that would have to defend: the next living one after the defender."""
    return table.seating.next_living(table.defender, table.out)


def _is_shown(play: Laid) -> bool:
    return isinstance(play, Transfer) and play.shown


# the lead: who opens the first bout, and the claims about it (docs/rules.md, 2)


def leaders_of(state: GameState) -> tuple[tuple[str, ...], str | None]:
    """
    Return who may lead the deal and why, by the claims made so far.

    Without a reason claims are missing, and a card laid by one of the seats decides it. Without seats the reason is the
    next step. A claim of the lowest trump that can be held decides it at once, where its holder leads.
    """
    later = later_leaders(state)
    if later is not None:
        return later
    rules, claims, living, dealer = state.rules, state.claims, state.living, state.session.dealer
    from_left = living if dealer is None else (*state.seating.from_left_of(dealer), dealer)
    left_of_dealer = (living, None) if dealer is None else (from_left[:1], "left-of-dealer")
    trumps = {seat: claim.lowest for seat, claim in claims.items() if claim.lowest is not None}
    is_by_trump = rules.one_without_trump == "trump_holder"
    if rules.first_lead == "left_of_dealer":
        return left_of_dealer
    if is_by_trump and state.trump is not None:
        held = (card for card in rules.cards() if card.suit is state.trump and card != state.ledger.turnup)
        lowest = min(held, key=lambda card: card.height)
        for seat, card in trumps.items():
            if card == lowest:
                return (seat,), "lowest-trump"
    if any(seat not in claims for seat in living):
        if not trumps or not is_by_trump:
            return living, None
        best = min(card.height for card in trumps.values())
        behind = {seat for seat in claims if seat not in trumps or trumps[seat].height > best}
        return tuple(seat for seat in living if seat not in behind), None
    if trumps:
        without = [seat for seat in from_left if seat in claims and seat not in trumps]
        if without and not is_by_trump:
            return (without[0],), "no-trump"
        return (min(trumps, key=lambda seat: trumps[seat].height),), "lowest-trump"
    if rules.no_trump == "redeal":
        return (), "redeal"
    if rules.no_trump == "left_of_dealer":
        return left_of_dealer
    ranks = {seat: RANKS.index(claim.highest) for seat, claim in claims.items() if claim.highest is not None}
    if len(ranks) < len(living):
        return (), "highest-rank-wanted"
    first = tuple(seat for seat, rank in ranks.items() if rank == min(ranks.values()))
    return (first, "lowest-high-card") if len(first) == 1 else ((), "equal-highest-ranks")


def later_leaders(state: GameState) -> tuple[tuple[str, ...], str] | None:
    """
    Return who may lead a later deal, and why; None: found as in the first deal (docs/rules.md, 2, *Later deals*).

    Several seats where it depends on which of the losers deals.
    """
    rule, session, table = state.rules.later_lead, state.session, state.seating
    if session.deal == 1 or rule == "same_as_first":
        return None
    if rule == "winner":
        return (session.winner[:1], "winner") if session.winner else None
    fools = tuple(seat for seat in session.fool if session.dealer in (None, seat)) or session.fool
    if not fools:
        return None
    if rule == "left_of_fool":
        return tuple(table.next_living(fool, state.out) for fool in fools), "left-of-fool"
    return tuple(table.previous_living(fool, state.out) for fool in fools), "right-of-fool"


FIVE = 5
"""Number of cards of one suit in a first hand that causes a redeal (option ``redeal``)."""


def redealt_suit(state: GameState) -> Suit | None:
    """Return the suit of which a first hand has shown five cards, where the house deals again then (*outside*)."""
    bout = state.bout
    has_begun = bout is not None and (bout.number > 1 or bool(bout.attacks) or bout.ended is not None)
    if state.rules.redeal != "five_of_suit" or not state.dealt or has_begun or state.result is not None:
        return None
    for seat, cards in state.ledger.known.items():
        counts = Counter(card.suit for card in cards if seat not in state.drawn_since_deal)
        suit = next((suit for suit, count in counts.items() if count >= FIVE), None)
        if suit is not None:
            return suit
    return None


def check_claim_kept(play: Laid | Swap, state: GameState) -> Fault | None:
    """
    Check that a seat plays no lower trump than the lowest it claimed (false-lead-claim; docs/rules.md, 15).

    It applies only while the seat has drawn no card since the deal, and to cards that didn't come from the table.
    """
    claim = state.claims.get(play.by)
    if claim is None or play.by in state.drawn_since_deal:
        return None
    for card in play.cards:
        if not card.is_trump(state.trump) or card in state.ledger.picked[play.by]:
            continue
        if claim.lowest is None or card.height < claim.lowest.height:
            return Fault.of(FaultId.FALSE_LEAD_CLAIM, card=card, claimed=claim.lowest)
    return None


def check_touch(by: str, state: GameState) -> Fault | None:
    """Check that only the dealer touches the pack until the cards are dealt (touched-pack; pagat)."""
    if state.rules.touch_pack != "becomes_fool":
        return None
    if (state.dealt and state.result is None) or not state.session.dealers:
        return None
    return None if by in state.session.dealers else Fault.of(FaultId.TOUCHED_PACK, seat=by, dealer=state.session.dealer)


def check_heap_alone(state: GameState) -> Fault | None:
    """Check that nobody inspects the discard pile (heap-touched; pagat, Hebrew)."""
    if state.result is not None or not state.ledger.heap_count:
        return None
    return Fault.of(FaultId.HEAP_TOUCHED)


def check_principal_opens(play: Pass | Done, state: GameState) -> Fault | None:
    """Check that the principal opens and does not pass (pass-opening; docs/rules.md, 3)."""
    bout = state.the_bout
    return None if bout.attacks or bout.faceless else Fault.of(FaultId.PASS_OPENING, principal=bout.attacker)


# the end of a bout: when it may be swept, and whose turn comes next (docs/rules.md, 7 and 9)


def check_sweeper(play: Sweep, state: GameState) -> Fault | None:
    """Check that only the defender takes (not-defender), while a card lies unbeaten (nothing-to-take)."""
    bout = state.the_bout
    if play.to not in state.seating.seats:
        return None
    if play.to != bout.defender:
        return Fault.of(FaultId.NOT_DEFENDER, defender=bout.defender)
    return None if state.is_taking else check_something_to_take(Take(play.to), state)


def check_taken_whole(play: Sweep, state: GameState) -> Fault | None:
    """Check that the taker takes all cards, the beaten ones too (take-incomplete; docs/rules.md, 4)."""
    cards = state.the_bout.cards
    left = tuple(card for card in play.left if card in cards)
    to_heap = play.to not in state.seating.seats
    if left or (to_heap and state.is_taking):
        return Fault.of(FaultId.TAKE_INCOMPLETE, left=left, to_heap=to_heap)
    return None


def check_all_beaten(play: Sweep, state: GameState) -> Fault | None:
    """
    Check that only a beaten bout goes to the discard pile (unbeaten-cards).

    Unclear where an unclear card lies on each unbeaten one: if that play stands, so does this sweep.
    """
    unbeaten = state.the_bout.unbeaten
    if play.to in state.seating.seats or not unbeaten:
        return None
    asked = {matter.on for matter in state.matters if matter.verdict is Verdict.UNCLEAR}
    verdict = Verdict.UNCLEAR if asked.issuperset(unbeaten) else Verdict.ILLEGAL
    return Fault.of(FaultId.UNBEATEN_CARDS, verdict, unbeaten=unbeaten)


def check_attack_closed(play: Sweep, state: GameState) -> Fault | None:
    """
    Check that every attacker has stopped, or can't go on (attack-not-closed).

    Players often sweep without a statement: unclear, unless an attacker had pressed ``wait``.
    """
    if play.to in state.seating.seats:
        return None
    going_on = still_attacking(state)
    if not going_on:
        return None
    verdict = Verdict.ILLEGAL if state.the_bout.waiting.intersection(going_on) else Verdict.UNCLEAR
    return Fault.of(FaultId.ATTACK_NOT_CLOSED, verdict, seats=going_on)


def still_attacking(state: GameState) -> tuple[str, ...]:
    """Return the attackers who could go on and haven't stopped; none at the limit or against an empty hand."""
    bout = state.the_bout
    if bout.room == 0 or not state.ledger.hands[bout.defender]:
        return ()
    return tuple(seat for seat in state.attackers if state.ledger.hands[seat] and not bout.has_passed(seat))


def next_turn(table: Table, ended: EndedBout, out: tuple[Seat, ...]) -> tuple[Seat, Seat]:
    """
    Return attacker and defender after ``ended`` (docs/rules.md, 7 and 9). ``out``: who is out; at least two are not.

    Without teams the defender attacks after a beaten bout, the next after the taker after a taken one. In teams the
    sides alternate.
    """
    seating, attacker, defender = table.seating, ended.attacker, ended.defender
    beaten = ended.ended == "beaten"
    if defender in out and table.rules.defender_out_next == "same_attacker":
        if seating.teams:
            return (
                attacker if attacker not in out else seating.next_of_side(attacker, out),
                seating.next_of_side(defender, out),
            )
        again = attacker if attacker not in out else seating.next_living(attacker, out)
        return again, seating.next_living(again, out)
    if seating.teams:
        if beaten:
            leads = defender if defender not in out else seating.next_of_side(defender, out)
            return leads, seating.next_of_side(attacker, out)
        return seating.next_of_side(attacker, out), seating.next_of_side(defender, out)
    leads = defender if beaten and defender not in out else seating.next_living(defender, out)
    return leads, seating.next_living(leads, out)


# drawing up (docs/rules.md, 7)


def draws_due(table: Table, ended: EndedBout) -> tuple[tuple[Seat, int], ...]:
    """
    Return the draws after this bout, in order; a short talon is drawn in the same order until it is empty.

    After a transfer the last one to transfer counts as the attacker.
    """
    talon = table.talon_count
    if not talon:
        return ()
    due, out, full = [], table.out, table.rules.hand_size
    began = ended.began if table.rules.draw_to == "start_of_bout" else None
    for seat in draw_order(table, ended):
        count = (full if began is None else began[seat]) - table.held(seat)
        if count > 0 and talon and seat not in out:
            due.append((seat, min(count, talon)))
            talon -= due[-1][1]
    return tuple(due)


def draw_order(table: Table, ended: EndedBout) -> tuple[Seat, ...]:
    """Return all seats in the order in which they draw after this bout."""
    order: tuple[Seat, ...] = table.seating.clockwise_from(ended.attacker)
    if table.rules.draw_order == "attackers_then_defender":
        last = ended.defender
        return (*[seat for seat in order if seat != last], last)
    return order


def check_talon_left(play: Draw, state: GameState) -> Fault | None:
    """Check that no card is drawn from an empty talon (draw-empty)."""
    return None if state.ledger.talon else Fault.of(FaultId.DRAW_EMPTY)


def check_draw_due(play: Draw, state: GameState) -> Fault | None:
    """Check that the draw is owed (draw-not-due)."""
    return None if state.due else Fault.of(FaultId.DRAW_NOT_DUE)


def check_draw_turn(play: Draw, state: GameState) -> Fault | None:
    """Check that seats draw in turn (draw-out-of-turn), each in full before the next (draw-too-few)."""
    head, count = state.due[0]
    if play.by == head:
        return None
    if state.refill.partly:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=head, short=count)
    return Fault.of(FaultId.DRAW_OUT_OF_TURN, turn=head)


def check_draw_count(play: Draw, state: GameState) -> Fault | None:
    """Check that the seat draws no more than it owes (draw-too-many)."""
    count = state.due[0][1]
    return Fault.of(FaultId.DRAW_TOO_MANY, due=count) if play.count > count else None


def check_draws_done(play: Laid, state: GameState) -> Fault | None:
    """Check that no card is laid while draws are owed (draw-pending; draw-too-few where a seat has drawn some)."""
    if not state.due:
        return None
    seat, count = state.due[0]
    if state.refill.partly:
        return Fault.of(FaultId.DRAW_TOO_FEW, seat=seat, short=count)
    return Fault.of(FaultId.DRAW_PENDING, due=state.due)


# exchanging the lowest trump for the turn-up (docs/rules.md, 8)


def check_swap_allowed(play: Swap, table: Table) -> Fault | None:
    """
    Check that the house has the exchange (swap-off; French, French house and Spanish don't mention it).

    Where the turn-up is the dealer's own card no card lies under the talon to exchange for.
    """
    nothing_there = table.rules.turn_up == "dealers_last_card" and table.turnup is None
    return Fault.of(FaultId.SWAP_OFF) if table.rules.trump_swap == "off" or nothing_there else None


def check_swap_card(play: Swap, table: Table) -> Fault | None:
    """Check that the card is the lowest trump: nine, six or two (swap-wrong-card)."""
    if not table.trumps:
        return None
    lowest = table.rules.lowest_trump(suit_of(table.trumps))
    return None if play.card is lowest else Fault.of(FaultId.SWAP_WRONG_CARD, card=play.card, lowest=lowest)


def check_swap_in_time(play: Swap, table: Table) -> Fault | None:
    """
    Check that the exchange comes before the talon is exhausted (swap-too-late).

    A seat that drew the lowest trump in the refill that emptied the talon may still demand the turn-up from the seat
    that drew it, until the next bout begins; a first card that is taken back doesn't begin one.
    """
    if table.turnup is not None:
        return None
    refill = table.refill
    if refill.turnup is None and table.talon_count > (table.rules.second_trump != "none"):
        # The turn-up lies under the talon, but its face was not seen.
        return None
    if table.in_grace and refill.turnup is not None and refill.holder != play.by and play.by in refill.drew:
        return None
    return Fault.of(FaultId.SWAP_TOO_LATE)


def check_swap_original(play: Swap, table: Table) -> Fault | None:
    """Check that the card was dealt or drawn, not taken from the table (swap-not-original)."""
    if table.has_picked(play.by, play.card):
        return Fault.of(FaultId.SWAP_NOT_ORIGINAL, card=play.card)
    return None


def check_swap_ace(play: Swap, table: Table) -> Fault | None:
    """Check that the turn-up is an ace, where only that is exchanged (swap-only-for-ace; pagat's variation, Hebrew)."""
    turnup = table.turnup or table.refill.turnup
    if table.rules.trump_swap == "ace_only" and turnup is not None and turnup.rank != "A":
        return Fault.of(FaultId.SWAP_ONLY_FOR_ACE, turnup=turnup)
    return None


# dropping out, and the end of a deal (docs/rules.md, 9 and 10)


def empty_hands(table: Table) -> tuple[Seat, ...]:
    """
    Return the seats that drop out now, in the order in which they ran out: an empty hand and an empty talon.

    A defender with a card still unbeaten stays in, unless running out wins the deal: the defender will have to take.
    """
    if table.talon_count:
        return ()
    empty = [seat for seat in table.living if not table.held(seat)]
    if not empty:
        return ()
    if table.unbeaten and table.defender in empty and not _wins_by_it(table, table.defender, empty):
        empty.remove(table.defender)
    emptied = table.emptied
    return tuple(sorted(empty, key=lambda seat: emptied.index(seat) if seat in emptied else 99))


def _wins_by_it(table: Table, seat: Seat, empty: list[Seat]) -> bool:
    """Check whether a seat wins the deal, alone or for its team, by running out. ``empty``: all who run out now."""
    rules, team = table.rules, table.seating.team(seat)
    if rules.result != "first_out_wins":
        return False
    return not table.seating.teams or rules.team_end == "first_player_out" or set(team) <= {*table.out, *empty}


def deal_result(table: Table, defender: Seat) -> Result | None:
    """
    Return the result of the deal; None: not decided. ``table.out``: seats out by now; ``defender``: of the last bout.

    There are two forms of result: the first out wins (French, French house), or the last with cards loses (pagat,
    Hebrew, Spanish).
    """
    rules, seating = table.rules, table.seating
    if not table.out:
        return None
    if rules.result == "first_out_wins":
        finished = [seat for seat in table.out if seat not in table.resigned]
        if not finished:
            return None
        first = finished[0]
        if not seating.teams:
            return Result("winner", (first,))
        if rules.team_end == "first_player_out":
            return Result("team-winner", seating.team(first))
        winners = next((team for team in seating.teams if set(team) <= set(table.out)), None)
        return Result("team-winner", winners) if winners else None
    sides = {seating.team(seat) for seat in table.living}
    if len(sides) > 1:
        return None
    if sides:
        (losers,) = sides
    elif rules.all_out == "draw":
        return Result("draw", ())
    else:
        losers = seating.team(defender)
    return Result("team-fool" if seating.teams else "fool", losers)


def check_game_over(play: Laid, state: GameState) -> Fault | None:
    """Check that no card is laid after the end of the deal (game-over; docs/rules.md, 10)."""
    return Fault.of(FaultId.GAME_OVER) if state.result is not None else None


def losers_of(result: Result, table: Table) -> tuple[Seat, ...]:
    """Return the seats that lost: none in a draw; where a side has won, all others."""
    if result.kind in ("fool", "team-fool"):
        return result.seats
    if result.kind == "draw":
        return ()
    return tuple(seat for seat in table.seating.seats if seat not in result.seats)


# the rules of each play


HELD = (check_duplicate, check_heap, check_talon, check_other_hand, check_hand_count, check_known_hand)
"""Rules of whether the card can be in the hand of a player who is in the deal."""

CAN_BE = (check_pack, check_player_out, *HELD)
"""Rules of whether the card can be where it was seen."""

ANY_CARD = (check_pack, check_game_over, check_player_out, *HELD, check_draws_done)
"""Rules of every card that is laid, whatever its place."""

BEAT = (check_defender, check_take_is_final, check_attack_exists, check_unbeaten, check_beats)
SWAP = (check_swap_card, check_swap_ace, check_swap_original, check_swap_in_time)
TRANSFER = (
    *(check_take_is_final, check_transfer_allowed, check_transfer_bout, check_show_allowed, check_something_unbeaten),
    *(check_before_beating, check_single_rank, check_transfer_rank, check_shown_trump, check_shown_once, check_target),
)

RULES_OF: Mapping[type[Play], tuple[Callable[[Any, Any], Fault | None], ...]] = {
    Lead: (*ANY_CARD, check_principal, check_opening_shape, check_limit, check_claim_kept),
    ThrowIn: (*ANY_CARD, check_entitled, check_timing, check_rank, check_limit, check_claim_kept, check_order),
    Give: (*ANY_CARD, check_give_allowed, check_entitled, check_rank, check_limit, check_claim_kept, check_give_order),
    Transfer: (*ANY_CARD, *TRANSFER, check_limit, check_claim_kept),
    Beat: (*ANY_CARD, *BEAT, check_claim_kept),
    Swap: (check_swap_allowed, check_pack, check_player_out, *SWAP, *HELD, check_claim_kept),
    Take: (check_defender, check_something_to_take),
    Pass: (check_principal_opens,),
    Done: (check_principal_opens,),
    Sweep: (check_sweeper, check_taken_whole, check_all_beaten, check_attack_closed),
    Draw: (check_talon_left, check_draw_due, check_draw_turn, check_draw_count),
}
"""
The rules of each play, in the order in which a player would understand them; the first one that is broken gives the
fault. First whether the cards can be there, then who may play, then which cards, then how many; last what depends on a
statement or on leave.
"""


SEEN = frozenset((*ANY_CARD, check_claim_kept))
"""Rules about what a spectator has seen: with all hands known, a card of the hand breaks none of them."""

PLACED = frozenset((check_principal, check_defender, check_take_is_final, check_attack_exists, check_unbeaten))
"""Rules about whose card lies where: a whole hand is asked for the right seat, and over a card that lies there."""

IN_TURN = frozenset((check_order, check_give_order))
"""Rules about who attacks before whom."""


class HandRules(NamedTuple):
    """The rules of a kind of play of one card, by how a whole hand is asked (:mod:`referee.rules`)."""

    cards: tuple[Callable[[Table, int], int], ...]
    once: tuple[Callable[[Any, Table], Fault | None], ...]
    each: tuple[Callable[[Any, Table], Fault | None], ...]
    in_turn: tuple[Callable[[Any, Table], Fault | None], ...]

    @classmethod
    def of(cls, rules: Iterable[Callable[[Any, Any], Fault | None]]) -> HandRules:
        """Sort the rules of a kind of play, without those about what was seen and about whose card lies where."""
        marked = [(rule, rule.__dict__) for rule in rules if rule not in SEEN and rule not in PLACED]
        return cls(
            tuple(marks["cards"] for _, marks in marked if "cards" in marks),
            tuple(rule for rule, marks in marked if "is_whatever_card" in marks and rule not in IN_TURN),
            tuple(rule for rule, marks in marked if not marks),
            tuple(rule for rule, _ in marked if rule in IN_TURN),
        )


HAND_RULES: Mapping[type[Laid], HandRules] = {
    kind: HandRules.of(RULES_OF[kind]) for kind in (Lead, ThrowIn, Give, Transfer, Beat)
}


@lru_cache(maxsize=1 << 14)
def one_card(kind: Any, by: Seat, card: int, over: int, shown: bool) -> Laid:
    """Return the play of one card, given as a set of one."""
    if kind is Beat:
        return Beat(by, (CARD_OF[card],), CARD_OF[over])
    found: Laid = Transfer(by, (CARD_OF[card],), shown) if kind is Transfer else kind(by, (CARD_OF[card],))
    return found


def playable(
    kind: Any, by: Seat, cards: int, table: Table, over: int = 0, shown: bool = False, any_turn: bool = False
) -> int:
    """
    Return the cards that a seat may lay singly, as this kind of play, by the rules of playing.

    ``cards``: those that it holds. ``over``: the card to beat. ``shown``: the attack is passed on by showing.
    ``any_turn``: do not ask who attacks before whom.
    """
    rules = HAND_RULES[kind]
    for passing in rules.cards:
        cards &= passing(table, over)
    if not cards:
        return 0
    if rules.once:
        play = one_card(kind, by, cards & -cards, over, shown)
        for rule in rules.once:
            if rule(play, table) is not None:
                return 0
    if rules.each:
        cards = passing_each(kind, by, cards, table, over, shown)
    return cards if not cards or any_turn or not rules.in_turn or is_in_turn(kind, by, table) else 0


def passing_each(kind: Any, by: Seat, cards: int, table: Table, over: int = 0, shown: bool = False) -> int:
    """Return those of these cards that pass the rules that are asked card by card."""
    for card in bits_of(cards):
        play = one_card(kind, by, card, over, shown)
        for rule in HAND_RULES[kind].each:
            if rule(play, table) is not None:
                cards ^= card
                break
    return cards


def is_in_turn(kind: Any, by: Seat, table: Table) -> bool:
    play = one_card(kind, by, 1, 0, False)
    return all(rule(play, table) is None for rule in HAND_RULES[kind].in_turn)


def cannot_be(play: Laid, state: GameState) -> Fault | None:
    """Return why the cards can't be where they were seen; None: they can."""
    return first_fault(CAN_BE, play, state)


def fault_of(play: Play, state: GameState) -> Fault | None:
    """Return the fault of the first rule that this play breaks; None: it is legal."""
    return first_fault(RULES_OF[type(play)], play, state)


def first_fault(rules: Iterable[Callable[[Any, Any], Fault | None]], play: Play, state: Table) -> Fault | None:
    """Return the fault of the first of these rules that the play breaks; None: it breaks none of them."""
    for rule in rules:
        fault = rule(play, state)
        if fault is not None:
            return fault
    return None
