"""Convert a rulebook for the search: options and seats as numbers, orders and sides computed once."""

from __future__ import annotations

from dataclasses import dataclass

from referee.card_sets import RANK_COUNT, mask_of
from referee.cards import PACK_SIZES, RANKS
from referee.game import Seating
from referee.rulebook import Rulebook

NO_LIMIT = 99
"""Attack cards where the house sets no limit: more than any pack can bring to one bout."""


@dataclass(frozen=True, slots=True)
class House:
    """
    The rules for so many seats, precomputed for speed.

    ``rings[seat]``: all seats clockwise, this one first. ``sides[seat]``: bit mask of the seats on its side.
    """

    rules: Rulebook
    seats: int
    rings: tuple[tuple[int, ...], ...]
    sides: tuple[int, ...]
    attack_limit: int
    limit_by_hand: bool
    low_limit: int
    low_until_first_bout: bool
    hand_size: int
    opening: str
    only_after_beaten: bool
    throwers: str
    handoff: bool
    last_gives_first: bool
    low_limit_gives: bool
    transfer: bool
    transfer_first_bout: bool
    transfer_single_rank: bool
    show: bool
    show_once: bool
    target_covers: bool
    gives_on: bool
    gives_first_phase: bool
    clockwise_draw: bool
    draw_to_start: bool
    swap: bool
    swap_for_ace: bool
    second_trump: bool
    at_once: bool
    first_wins: bool
    all_out_loses: bool
    first_player_wins: bool
    same_attacker: bool
    lowest_rank: int
    pack_mask: int

    @classmethod
    def of(cls, rules: Rulebook, seating: Seating) -> House:
        """Build the house's rules for this table."""
        names, count = seating.seats, len(seating.seats)
        place = {seat: number for number, seat in enumerate(names)}
        return cls(
            rules=rules,
            seats=count,
            rings=tuple(tuple((seat + step) % count for step in range(count)) for seat in range(count)),
            sides=tuple(sum(1 << place[other] for other in seating.team(seat)) for seat in names),
            attack_limit=NO_LIMIT if rules.attack_limit is None else rules.attack_limit,
            limit_by_hand=rules.limit_by_hand,
            low_limit=NO_LIMIT if rules.low_limit is None else rules.low_limit,
            low_until_first_bout=rules.low_limit_until == "first_bout",
            hand_size=rules.hand_size,
            opening=rules.opening,
            only_after_beaten=rules.throw_timing == "after_beaten",
            throwers=rules.throwers,
            handoff=rules.throw_order == "handoff",
            last_gives_first=rules.give_order == "last_attacker_first",
            low_limit_gives=rules.low_limit_gives,
            transfer=rules.transfer,
            transfer_first_bout=rules.transfer_first_bout,
            transfer_single_rank=rules.transfer_when == "single_rank",
            show=rules.transfer_show != "off",
            show_once=rules.transfer_show == "per_bout",
            target_covers=rules.transfer_target == "hand_covers",
            gives_on=rules.give_on != "off",
            gives_first_phase=rules.give_on == "opening_rank_first_phase",
            clockwise_draw=rules.draw_order == "clockwise_from_attacker",
            draw_to_start=rules.draw_to == "start_of_bout",
            swap=rules.trump_swap != "off" and rules.turn_up == "under_talon",
            swap_for_ace=rules.trump_swap == "ace_only",
            second_trump=rules.second_trump != "none",
            at_once=rules.end_check == "immediate",
            first_wins=rules.result == "first_out_wins",
            all_out_loses=rules.all_out == "defender_loses",
            first_player_wins=rules.team_end == "first_player_out",
            same_attacker=rules.defender_out_next == "same_attacker",
            lowest_rank=RANKS.index(PACK_SIZES[rules.pack]),
            pack_mask=mask_of(rules.cards()),
        )

    @property
    def has_two_sides(self) -> bool:
        """Check whether what one side wins is what the other loses: two players, or two teams."""
        return self.seats == 2 or self.sides[0] != 1

    def lowest_trump(self, trump: int) -> int:
        """Return the one card that may be exchanged for the turn-up."""
        return 1 << (RANK_COUNT * trump + self.lowest_rank)

    def bout_limit(self, number: int, beaten_off: int, held: int) -> int:
        """Attack cards allowed in a bout whose defender began it with ``held`` cards (docs/rules.md, 3)."""
        limit = self.house_limit(number, beaten_off)
        return min(limit, held) if self.limit_by_hand else limit

    def house_limit(self, number: int, beaten_off: int) -> int:
        """Attack cards allowed whatever the defender holds."""
        is_early = number == 1 if self.low_until_first_bout else beaten_off == 0
        return min(self.attack_limit, self.low_limit) if is_early else self.attack_limit
