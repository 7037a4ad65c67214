"""
A position as the rules read it.

Seats are numbers in the order of play, sets of cards are bit masks (:mod:`referee.cards`; :class:`CardSet` is their
face for callers). The judge's position offers one (:attr:`referee.game.GameState.table`), built once a position; the
search plays on one (:class:`features.analysis.position.Position`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from referee.cards import Card, cards_of
from referee.rulebook import Rulebook
from referee.seating import Seating

NOBODY = -1
"""The number of no seat."""

NO_LIMIT = 99
"""Attack cards where the house sets no limit: more than any pack can bring to one bout."""

NO_CLAIMS: Mapping[int, Card | None] = MappingProxyType({})
NO_LEADS: Mapping[int, int] = MappingProxyType({})


@dataclass(slots=True, eq=False, repr=False)
class Table:
    """
    What a rule may read of a position.

    ``hands``: by seat the cards known to be in its hand; ``unseen``: by seat how many more it holds; ``laid_open``: by
    seat how many cards of them lie on the table in open matters. ``picked``: by seat the cards that ever came to it
    from the table in this deal. ``heap``: the cards known to lie on the discard pile, of ``heap_count``.

    ``trumps``: all cards of the trump suit; 0 where it is not known. ``turnup``: the card that lies under the talon.
    ``drawn_turnup``: the turn-up, if it was drawn after the last bout, by ``turnup_holder``; ``drew``: the seats that
    drew then, a bit each; ``due``: the draws still owed, in order; ``is_partly_drawn``: the first has been begun.

    ``attacker``: the principal; :data:`NOBODY` while the lead is open to ``leaders``. ``attackers``: who may attack in
    this bout, clockwise from the principal, empty hands included. ``last_to_attack``: of the time before the take.
    ``number``: which bout of the deal it is, from 1; ``beaten_off``: how many went to the discard pile before.
    ``began``: by seat the cards held when the bout began.

    ``table``: attack cards and cards that beat them. ``strays``: cards of the bout that are neither, since players let
    them stand. ``unbeaten``: attack cards without a card across them, read or unread.
    ``half_read``: attack cards with only an unread card across them. ``order``: the attack cards, oldest first; empty
    where their order is not followed. ``open_cards``: cards on the table in open matters, by trusted faces;
    ``under_unclear``: those on which an unclear card lies. ``shown``: cards shown in this bout to pass the attack on.

    ``has_unread``: unread cards lie in the bout; ``unread``: how many of them other seats than the defender laid beside
    the others, and so attack.

    ``passed`` and ``waiting``: the seats that have stopped, and that have asked to wait, a bit each. ``allowed``: who
    has let whom attack. ``claims``: by seat that is still bound by its claim, the lowest trump that it claimed (None:
    it holds none). ``owed_leads``: by seat the lowest trump, as a set of one, with which it has to open the deal.

    ``out``: seats out of the deal, ``resigned`` those that gave it up; ``emptied``: seats in the order in which they
    ran out of cards. ``dealers``: who deals, or may.
    """

    rules: Rulebook
    seating: Seating[int]
    hands: list[int]
    unseen: tuple[int, ...] = ()
    laid_open: tuple[int, ...] = ()
    picked: tuple[int, ...] = ()
    heap: int = 0
    heap_count: int = 0
    talon_count: int = 0
    trumps: int = 0
    turnup: int = 0
    drawn_turnup: int = 0
    turnup_holder: int = NOBODY
    drew: int = 0
    due: tuple[tuple[int, int], ...] = ()
    is_partly_drawn: bool = False
    attacker: int = NOBODY
    defender: int = NOBODY
    leaders: tuple[int, ...] = ()
    attackers: tuple[int, ...] = ()
    last_to_attack: int = NOBODY
    number: int = 1
    beaten_off: int = 0
    began: tuple[int, ...] = ()
    limit: int = NO_LIMIT
    table: int = 0
    strays: int = 0
    unbeaten: int = 0
    half_read: int = 0
    order: tuple[Card, ...] = ()
    attack_count: int = 0
    open_cards: int = 0
    under_unclear: int = 0
    shown: int = 0
    is_taking: bool = False
    has_thrown: bool = False
    has_unread: bool = False
    unread: int = 0
    passed: int = 0
    waiting: int = 0
    allowed: frozenset[tuple[int, int]] = frozenset()
    claims: Mapping[int, Card | None] = field(default_factory=lambda: NO_CLAIMS)
    owed_leads: Mapping[int, int] = field(default_factory=lambda: NO_LEADS)
    out: tuple[int, ...] = ()
    resigned: tuple[int, ...] = ()
    emptied: tuple[int, ...] = ()
    dealers: tuple[int, ...] = ()
    is_dealt: bool = True
    is_over: bool = False

    @property
    def lying(self) -> int:
        """Return all cards of the bout."""
        return self.table | self.strays

    @property
    def uncovered(self) -> int:
        """Return the attack cards without a read card across them."""
        return self.unbeaten | self.half_read

    @property
    def unbeaten_cards(self) -> tuple[Card, ...]:
        """Return the cards of ``unbeaten``, oldest first where their order is followed."""
        return tuple(card for card in self.order if card.bit & self.unbeaten) or cards_of(self.unbeaten)

    @property
    def has_beaten(self) -> bool:
        """Check whether a card of the bout has been beaten."""
        return self.table.bit_count() > self.attack_count

    @property
    def living(self) -> tuple[int, ...]:
        """Return the seats still in the deal, clockwise."""
        ring, out = self.seating.seats, self.out
        return tuple([seat for seat in ring if seat not in out]) if out else ring

    def held(self, seat: int) -> int:
        """Return how many cards a seat holds."""
        return self.hands[seat].bit_count() + self.unseen[seat]

    def has_passed(self, seat: int) -> bool:
        return bool(self.passed >> seat & 1)

    def has_allowed(self, seat: int, other: int) -> bool:
        return (seat, other) in self.allowed

    def is_waiting(self, seat: int) -> bool:
        return bool(self.waiting >> seat & 1)

    def has_picked(self, seat: int, card: Card) -> bool:
        """Check whether the card ever came to the seat from the table in this deal."""
        return bool(self.picked[seat] & card.bit)


@lru_cache(maxsize=1 << 12)
def attackers_of(
    throwers: str, seating: Seating[int], principal: int, defender: int, out: tuple[int, ...]
) -> tuple[int, ...]:
    """
    Return who may attack in a bout, clockwise from the principal, empty hands included (docs/rules.md, 3).

    ``throwers``: the house's option. Neighbours of the defender are the nearest seats still in play.
    """
    if throwers == "principal":
        return (principal,)
    side = seating.team(defender)
    found = tuple(seat for seat in seating.clockwise_from(principal) if seat not in side and seat not in out)
    if throwers == "neighbours":
        near = (principal, seating.next_living(defender, out), seating.previous_living(defender, out))
        return tuple(seat for seat in found if seat in near)
    return found
