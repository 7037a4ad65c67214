"""
List the decisions that a position offers, by the rules that judge them (:mod:`referee.rule_order`).

:func:`legal` lists what the rules allow a seat, whoever is asked; :func:`choices` what the search lets the seat choose
that is asked: it leaves out what differs only in order.
"""

from __future__ import annotations

from functools import lru_cache

from referee.analysis.position import ATTACK, BEAT, GOES_ON, PASS, SHOW, TAKE, TRANSFER, Decision, Position
from referee.card_sets import bits_of, cards_of
from referee.legal import openings_of
from referee.plays import Beat, Give, Laid, Lead, Take, ThrowIn, Transfer
from referee.rule_order import RULES_OF, SEEN, first_fault, playable
from referee.rules.table import Seat
from referee.rules.transfer import rank_of_attack

LEAD_RULES = [rule for rule in RULES_OF[Lead] if rule not in SEEN]
"""The rules of an opening of several cards, with all hands known."""


def choices(position: Position) -> list[Decision]:
    """Return the decisions open to the seat that is asked."""
    if not position.attack_count:
        return openings(position)
    if position.unbeaten and not position.is_taking:
        # In which order cards are beaten changes nothing, but where a beaten card still lets the attack pass on.
        over = [position.unbeaten & -position.unbeaten]
        if position.rules.transfer and position.rules.transfer_when == "single_rank":
            over = list(bits_of(position.unbeaten))
        return [*beats(position, over), *transfers(position), *takes(position)]
    found: list[Decision] = [(ATTACK, bit, 0) for bit in bits_of(position.can_add)]
    found.append((PASS, 0, 0))
    return found


def openings(position: Position) -> list[Decision]:
    """Return the cards with which the principal attacker may open the bout."""
    seat = position.attacker
    hand = position.hands[seat]
    found: list[Decision] = [(ATTACK, bit, 0) for bit in bits_of(playable(Lead, seat, hand, position))]
    most = min(position.limit, hand.bit_count())
    several = openings_of(hand, position.rules, most) if most > 1 else ()
    return found + [(ATTACK, cards, 0) for cards in several if is_legal_opening(position, cards)]


def is_legal_opening(position: Position, cards: int) -> bool:
    """Check whether the principal attacker may open the bout with these cards together."""
    return first_fault(LEAD_RULES, _lead(position.attacker, cards), position) is None


@lru_cache(maxsize=1 << 14)
def _lead(seat: Seat, cards: int) -> Lead:
    return Lead(seat, cards_of(cards))


def beats(position: Position, over: list[int]) -> list[Decision]:
    """Return the cards with which the defender may beat one of these."""
    seat = position.defender
    hand = position.hands[seat]
    return [(BEAT, bit, card) for card in over for bit in bits_of(playable(Beat, seat, hand, position, card))]


def transfers(position: Position) -> list[Decision]:
    """Return the cards with which the defender may pass the attack on now, laid or shown (docs/rules.md, 5)."""
    seat = position.defender
    cards = position.hands[seat] & rank_of_attack(position)
    if not cards:
        return []
    found: list[Decision] = [(TRANSFER, bit, 0) for bit in bits_of(playable(Transfer, seat, cards, position))]
    return found + [(SHOW, bit, 0) for bit in bits_of(playable(Transfer, seat, cards, position, shown=True))]


def takes(position: Position) -> list[Decision]:
    """Return the take, if the defender may take now."""
    fault = first_fault(RULES_OF[Take], Take(position.defender), position)  # type: ignore[arg-type]
    return [(TAKE, 0, 0)] if fault is None else []


def legal(position: Position, seat: int) -> list[Decision]:
    """Return what the rules allow this seat now, apart from exchanging the lowest trump."""
    if position.losers != GOES_ON or seat in position.out:
        return []
    if not position.attack_count:
        return openings(position) if seat == position.attacker else []
    if seat == position.defender:
        if position.is_taking:
            return []
        return [*beats(position, list(bits_of(position.unbeaten))), *transfers(position), *takes(position)]
    return [(ATTACK, bit, 0) for bit in bits_of(added(position, seat))]


def added(position: Position, seat: int) -> int:
    """Return the cards that an attacker may throw in or give on now; attackers who have not passed keep their turn."""
    kind: type[Laid] = Give if position.is_taking else ThrowIn
    skipped, position.skipped = position.skipped, 0
    cards = playable(kind, seat, position.hands[seat], position) if position.hands[seat] else 0
    position.skipped = skipped
    return cards
