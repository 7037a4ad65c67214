"""Convert a rulebook for the search: options and seats as numbers, orders and sides computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.card_sets import RANK_COUNT, mask_of
from referee.cards import PACK_SIZES, RANKS
from referee.game import Seating
from referee.rulebook import OPTIONS, Rulebook
from referee.rules.attack import bout_limit, house_limit

NO_LIMIT = 99
"""Attack cards where the house sets no limit: more than any pack can bring to one bout."""


KNOWN = frozenset(
    (
        *("pack", "hand_size", "draw_to", "turn_up", "turn_up_no_talon", "ace_trump", "redeal", "second_trump"),
        *("first_lead", "no_trump", "one_without_trump", "later_lead", "dealer", "touch_pack", "opening", "excess"),
        *("throw_timing", "throwers", "throw_order", "attack_limit", "limit_by_hand", "low_limit", "low_limit_until"),
        *("low_limit_gives", "transfer", "transfer_when", "transfer_show", "transfer_target", "transfer_first_bout"),
        *("give_on", "give_order", "draw_order", "trump_swap", "teams", "defender_out_next", "end_check", "result"),
        *("all_out", "team_end", "score", "etiquette"),
    )
)
"""
Options that the exact solver of two hands and the simple players of playouts play by without asking the rules. Where
another option is set, they ask.
"""


@dataclass(frozen=True, slots=True)
class House:
    """
    The rules for so many seats. What is legal is asked of the rules (:mod:`referee.rule_order`).

    ``seating``: the seats as numbers. ``rings[seat]``: all seats clockwise, this one first. ``sides[seat]``: bit mask
    of the seats on its side. ``is_known``: no option is set but :data:`KNOWN` ones. The other values are options that
    the exact solver and the simple players read.
    """

    rules: Rulebook
    seats: int
    seating: Any
    rings: tuple[tuple[int, ...], ...]
    sides: tuple[int, ...]
    is_known: bool
    attack_limit: int
    opening: str
    transfer: bool
    transfer_single_rank: bool
    show: bool
    target_covers: bool
    gives_on: bool
    gives_first_phase: bool
    swap: bool
    at_once: bool
    first_wins: bool
    all_out_loses: bool
    lowest_rank: int
    pack_mask: int

    @classmethod
    def of(cls, rules: Rulebook, seating: Seating) -> House:
        """Build the house's rules for this table."""
        names, count = seating.seats, len(seating.seats)
        place = {seat: number for number, seat in enumerate(names)}
        numbers: Any = tuple(range(count))
        return cls(
            rules=rules,
            seats=count,
            seating=Seating(numbers, tuple(tuple(place[seat] for seat in team) for team in seating.teams)),  # type: ignore[misc]
            rings=tuple(tuple((seat + step) % count for step in range(count)) for seat in range(count)),
            sides=tuple(sum(1 << place[other] for other in seating.team(seat)) for seat in names),
            is_known=all(
                getattr(rules, each.name) == each.default for each in OPTIONS.values() if each.name not in KNOWN
            ),
            attack_limit=NO_LIMIT if rules.attack_limit is None else rules.attack_limit,
            opening=rules.opening,
            transfer=rules.transfer,
            transfer_single_rank=rules.transfer_when == "single_rank",
            show=rules.transfer_show != "off",
            target_covers=rules.transfer_target == "hand_covers",
            gives_on=rules.give_on != "off",
            gives_first_phase=rules.give_on == "opening_rank_first_phase",
            swap=rules.trump_swap != "off" and rules.turn_up == "under_talon",
            at_once=rules.end_check == "immediate",
            first_wins=rules.result == "first_out_wins",
            all_out_loses=rules.all_out == "defender_loses",
            lowest_rank=RANKS.index(PACK_SIZES[rules.pack]),
            pack_mask=mask_of(rules.cards()),
        )

    def lowest_trump(self, trump: int) -> int:
        """Return the one card that may be exchanged for the turn-up."""
        return 1 << (RANK_COUNT * trump + self.lowest_rank)

    def bout_limit(self, number: int, beaten_off: int, held: int, is_taken: bool = False) -> int:
        """Return the attack cards allowed in a bout whose defender began it with ``held`` cards."""
        limit = bout_limit(self.rules, number, beaten_off, held, is_taken=is_taken)
        return NO_LIMIT if limit is None else limit

    def house_limit(self, number: int, beaten_off: int) -> int:
        """Return the attack cards allowed whatever the defender holds."""
        limit = house_limit(self.rules, number, beaten_off)
        return NO_LIMIT if limit is None else limit
