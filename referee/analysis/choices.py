"""
List the decisions that a position offers.

:func:`legal` lists what the rules allow a seat, whoever is asked: the same as the referee's rules. :func:`choices`
lists what the search lets the seat choose that is asked; it leaves out what differs only in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from referee.analysis.decisions import ATTACK, BEAT, PASS, TAKE, Decision
from referee.analysis.position import GOES_ON, Position, beating, transfers
from referee.card_sets import RANK_COUNT, SPREAD, bits_of, same_ranks

LARGE_HAND = 8
"""From so many cards on, openings of pairs and one extra have up to three cards: with five there are thousands."""


def choices(position: Position) -> list[Decision]:
    """Return the decisions open to the seat that is asked."""
    if not position.attacks:
        return openings(position)
    seat = position.asked
    if position.unbeaten and not position.taking:
        # In which order cards are beaten changes nothing, but where a beaten card still lets the attack pass on.
        over = [position.unbeaten & -position.unbeaten]
        if position.house.transfer_single_rank and position.house.transfer:
            over = list(bits_of(position.unbeaten))
        found: list[Decision] = [(BEAT, bit, card) for card in over for bit in bits_of(beating(position, card))]
        if position.house.transfer:
            found += transfers(position)
        found.append((TAKE, 0, 0))
        return found
    fits = position.hands[seat] & same_ranks(position.table)
    found = [(ATTACK, bit, 0) for bit in bits_of(fits)]
    found.append((PASS, 0, 0))
    return found


def openings(position: Position) -> list[Decision]:
    """Return the cards with which the principal attacker may open the bout."""
    hand, opening = position.hands[position.attacker], position.house.opening
    found: list[Decision] = [(ATTACK, bit, 0) for bit in bits_of(hand)]
    most = min(position.limit, hand.bit_count())
    if opening == "single" or most < 2:
        return found
    if opening == "same_rank":
        found += [(ATTACK, cards, 0) for cards in _of_one_rank(hand, most)]
        return found
    cards = list(bits_of(hand))
    for size in range(2, min(most, 5 if len(cards) < LARGE_HAND else 3) + 1):
        for several in combinations(cards, size):
            if _is_pairs_and_one(several):
                found.append((ATTACK, sum(several), 0))
    return found


def _of_one_rank(hand: int, most: int) -> Iterator[int]:
    """Yield all sets of two to four cards of one rank."""
    for rank in range(RANK_COUNT):
        alike = list(bits_of(hand & SPREAD << rank))
        for size in range(2, min(most, len(alike)) + 1):
            for several in combinations(alike, size):
                yield sum(several)


def _is_pairs_and_one(cards: tuple[int, ...]) -> bool:
    """Check whether an even number of cards is all pairs, an odd number pairs and one extra card (Durek)."""
    odd = 0
    for bit in cards:
        odd ^= 1 << (bit.bit_length() - 1) % RANK_COUNT
    return odd.bit_count() == len(cards) % 2


def legal(position: Position, seat: int) -> list[Decision]:
    """Return what the rules allow this seat now, apart from exchanging the lowest trump."""
    if position.losers != GOES_ON or seat in position.out:
        return []
    if not position.attacks:
        return openings(position) if seat == position.attacker else []
    if seat == position.defender:
        if position.taking:
            return []
        found: list[Decision] = [
            (BEAT, bit, over) for over in bits_of(position.unbeaten) for bit in bits_of(beating(position, over))
        ]
        return found + transfers(position) + ([(TAKE, 0, 0)] if position.unbeaten else [])
    return [(ATTACK, bit, 0) for bit in bits_of(added(position, seat))]


def added(position: Position, seat: int) -> int:
    """Return the cards that an attacker may throw in or give on now."""
    house = position.house
    hand = position.hands[seat]
    if position.attacks >= position.limit or not hand:
        return 0
    attackers = position.attackers(position.attacker)
    if position.taking:
        if not house.gives_on:
            return 0
        if house.gives_first_phase:
            attackers = (position.attacker,)
            if position.thrown or position.table.bit_count() > position.attacks:
                return 0
    elif house.only_after_beaten and position.unbeaten:
        return 0
    if seat not in attackers or not _is_his_turn(position, seat):
        return 0
    return hand & same_ranks(position.table)


def _is_his_turn(position: Position, seat: int) -> bool:
    """Check whether everybody before the seat has stopped, where there is an order (docs/rules.md, 3 and 6)."""
    rules = position.house.rules
    order = rules.give_order if position.taking else rules.throw_order
    if order == "free":
        return True
    first = position.attacker if order == "priority" else position.last_attacker
    for other in position.attackers(first):
        if order == "handoff" and not position.hands[other]:
            continue
        if other == seat:
            return order != "handoff" or not position.passed >> seat & 1
        if position.hands[other] and not position.passed >> other & 1:
            return False
    return False
