"""
Possible mistakes in a position of the independent engine, each with every fault that applies.

Written from the rules, like the engine: the referee may name any of the true faults (docs/record.md, *How judging goes
on*), and ``priority`` only where nothing harder is broken.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.referee.engine import Deal


@dataclass(frozen=True, slots=True)
class Mistake:
    """
    An event that breaks a rule.

    ``faults``: those true of it; ``cure``: how it is put right, "lift", "undo", or "leave" where nothing stays open;
    ``grades``: the verdicts it may get, empty for any; ``stands``: what the engine does if it counts as made;
    ``may_lie``: the card may be left lying while others play on.
    """

    faults: set[str]
    event: str
    facts: dict[str, Any]
    cure: str
    grades: frozenset[str] | set[str] = frozenset()
    stands: Callable[[], None] | None = None
    may_lie: bool = False


def height_of(card: str) -> int:
    """Return the rank's place from low to high."""
    return "23456789TJQKA".index(card[0])


def before_opening(deal: Deal, rng: random.Random) -> list[Mistake]:
    """Return mistakes after the bout has begun and before a card is laid."""
    wrong = [Mistake({"pass-opening"}, "pressed", {"button": "pass", "by": deal.attacker}, "leave")]
    wrong.append(Mistake({"nothing-to-take"}, "pressed", {"button": "take", "by": deal.defender}, "leave"))
    for seat in deal.seats:
        if seat != deal.attacker and deal.free(seat):
            facts = {"card": rng.choice(deal.free(seat)), "by": seat}
            faults = {"not-principal", "player-out"} if seat in deal.out else {"not-principal"}
            wrong.append(Mistake(faults, "placed", facts, "lift"))
    owed = deal.owes_lead()
    if owed is not None and deal.attacker in deal.named and deal.house["opening"] != "pairs_plus_one":
        # A card of the same rank may yet get the trump beside it.
        others = [card for card in deal.free(deal.attacker) if card[0] != owed[0]]
        if others:
            facts = {"card": rng.choice(others), "by": deal.attacker}
            wrong.append(Mistake({"lead-not-lowest-trump"}, "placed", facts, "lift"))
    hand = deal.free(deal.defender)
    if hand:
        facts = {"card": rng.choice(hand), "by": deal.defender, "on": rng.choice(sorted(deal.pack))}
        wrong.append(Mistake({"no-such-attack"}, "placed", facts, "lift"))
    return wrong + anywhere(deal, rng, deal.attacker) + swaps(deal, rng)


def anywhere(deal: Deal, rng: random.Random, seat: str) -> list[Mistake]:
    """Return cards that can't be there, laid by a seat that has cards in its hand; and touches of piles."""
    wrong: list[Mistake] = []
    impossible = {"impossible"}
    if deal.free(seat):
        if deal.heap:
            facts = {"card": rng.choice(deal.heap), "by": seat}
            wrong.append(Mistake({"dead-card"}, "placed", facts, "lift", impossible))
        if deal.lies_under:
            facts = {"card": deal.shown, "by": seat}
            wrong.append(Mistake({"card-in-talon"}, "placed", facts, "lift", impossible))
        outside = [rank + "s" for rank in "258" if rank + "s" not in deal.pack]
        if outside:
            facts = {"card": rng.choice(outside), "by": seat}
            wrong.append(Mistake({"not-in-pack"}, "placed", facts, "lift", impossible))
        if deal.cards:
            facts = {"card": rng.choice(deal.cards), "by": seat}
            wrong.append(Mistake({"duplicate-card"}, "placed", facts, "lift", impossible))
        for other in deal.seats:
            if other != seat and deal.seen[other] - deal.aside:
                facts = {"card": rng.choice(sorted(deal.seen[other] - deal.aside)), "by": seat}
                wrong.append(Mistake({"card-held-by-other"}, "placed", facts, "lift", impossible))
    elsewhere = [
        card for other in deal.seats if other != seat for card in deal.free(other) if card not in deal.seen[other]
    ]
    if elsewhere and deal.seen[seat] == set(deal.hands[seat]):
        # Every card of the hand has been seen, or it is empty.
        faults = {"not-in-hand"} if deal.free(seat) else {"hand-ledger", "not-in-hand"}
        wrong.append(Mistake(faults, "placed", {"card": rng.choice(elsewhere), "by": seat}, "lift", impossible))
    for gone in deal.out:
        if elsewhere and gone != seat:
            facts = {"card": rng.choice(elsewhere), "by": gone}
            wrong.append(Mistake({"player-out"}, "placed", facts, "lift", impossible))
    if deal.heap:
        wrong.append(Mistake({"heap-touched"}, "pressed", {"button": "touched", "what": "heap"}, "leave"))
    fault = "draw-not-due" if deal.talon else "draw-empty"
    wrong.append(Mistake({fault}, "drawn", {"by": seat, "count": 1}, "undo"))
    return wrong


def swaps(deal: Deal, rng: random.Random) -> list[Mistake]:
    """Return exchanges of the lowest trump for the turn-up that are not allowed."""
    wrong: list[Mistake] = []
    if deal.house["turn_up"] != "under_talon" or not deal.had_talon or deal.trump_changed:
        return wrong
    allowed = deal.swappers()
    for seat in deal.seats:
        trumps = [card for card in deal.free(seat) if card[1] == deal.trump]
        if not trumps or (deal.shown_drawn_by is not None and seat in deal.refilled):
            # Whether the lowest trump was drawn in the last refill or before it only its holder knows.
            continue
        card = rng.choice(trumps)
        if (seat, card) not in allowed:
            faults = deal.swap_faults(seat, card)
            wrong.append(Mistake(faults, "swapped", {"card": card, "by": seat}, "undo"))
    return wrong


def while_drawing(deal: Deal, rng: random.Random, seat: str, count: int, partly: bool) -> list[Mistake]:
    """Return mistakes while ``seat`` owes itself ``count`` cards, ``partly``: having drawn some already."""
    wrong = [Mistake({"draw-too-many"}, "drawn", {"by": seat, "count": count + 1}, "undo")]
    for other in deal.seats:
        if other != seat:
            faults = {"draw-too-few"} if partly else {"draw-out-of-turn"}
            if other in deal.out or not deal.owes(other):
                faults |= {"draw-not-due"}
            wrong.append(Mistake(faults, "drawn", {"by": other, "count": 1}, "undo"))
    hand = deal.free(deal.defender)
    if hand:
        faults = {"draw-pending", "draw-too-few"} if partly else {"draw-pending"}
        wrong.append(Mistake(faults, "placed", {"card": rng.choice(hand), "by": deal.defender}, "lift"))
    return wrong + swaps(deal, rng)


def in_bout(deal: Deal, rng: random.Random) -> list[Mistake]:
    """Return mistakes while cards are on the table."""
    defender, hand = deal.defender, deal.free(deal.defender)
    wrong = anywhere(deal, rng, rng.choice(deal.seats if not deal.out else deal.living()))
    beaten = [pair for pair in deal.pairs if pair[1]]
    if hand:
        wrong += _wrong_defence(deal, rng, rng.choice(hand), beaten)
        wrong += _wrong_transfers(deal, rng)
    if not deal.unbeaten and not deal.taking:
        wrong.append(Mistake({"nothing-to-take"}, "pressed", {"button": "take", "by": defender}, "leave"))
        wrong.append(Mistake({"nothing-to-take"}, "swept", {"to": defender}, "undo"))
    if deal.unbeaten:
        wrong.append(Mistake({"take-incomplete" if deal.taking else "unbeaten-cards"}, "swept", {"to": "heap"}, "undo"))
        facts = {"to": defender, "left": [deal.unbeaten[0]]}
        wrong.append(Mistake({"take-incomplete"}, "swept", facts, "undo"))
        for other in deal.living():
            if other != defender:
                facts = {"button": "take", "by": other}
                wrong.append(Mistake({"not-defender"}, "pressed", facts, "leave"))
                wrong.append(Mistake({"not-defender"}, "swept", {"to": other}, "undo"))
    for seat in deal.living():
        if seat != defender and deal.free(seat):
            wrong += _wrong_attacks(deal, rng, seat, rng.choice(deal.free(seat)))
            wrong += out_of_order(deal, rng, seat)
    return wrong + swaps(deal, rng)


def out_of_order(deal: Deal, rng: random.Random, seat: str) -> list[Mistake]:
    """Return a card that could be thrown in or given on, were it the seat's turn, or had it not stopped for good."""
    order = {"priority", "lost-right", "give-order"}
    fitting = [card for card in deal.free(seat) if deal.attack_faults(seat, card) & order]
    return _wrong_attacks(deal, rng, seat, rng.choice(fitting)) if fitting and seat != deal.defender else []


def _wrong_defence(deal: Deal, rng: random.Random, card: str, beaten: list[list[str | None]]) -> list[Mistake]:
    wrong: list[Mistake] = []
    by = deal.defender
    for over in deal.unbeaten:
        if deal.taking:
            wrong.append(Mistake({"take-is-final"}, "placed", {"card": card, "by": by, "on": over}, "lift"))
        elif not deal.beats(card, over):

            def stands(over: str = over) -> None:
                deal.beat(card, over)

            facts = {"card": card, "by": by, "on": over}
            wrong.append(Mistake({"does-not-beat"}, "placed", facts, "lift", {"illegal"}, stands, may_lie=True))
    if not deal.taking:
        if beaten:
            facts = {"card": card, "by": by, "on": str(rng.choice(beaten)[0])}
            wrong.append(Mistake({"already-beaten"}, "placed", facts, "lift", {"illegal"}, may_lie=True))
        nowhere = [other for other in sorted(deal.pack) if other not in deal.cards and other != card]
        facts = {"card": card, "by": by, "on": rng.choice(nowhere)}
        wrong.append(Mistake({"no-such-attack"}, "placed", facts, "lift"))
        if not deal.unbeaten and not deal.house["transfer"]:
            facts = {"card": card, "by": by}
            wrong.append(Mistake({"not-entitled"}, "placed", facts, "lift", {"illegal"}, may_lie=True))
    return wrong


def _wrong_transfers(deal: Deal, rng: random.Random) -> list[Mistake]:
    wrong: list[Mistake] = []
    if not deal.unbeaten and not deal.house["transfer"]:
        return wrong
    for card in deal.free(deal.defender):
        for show in (False, True):
            faults = deal.transfer_faults(card, show)
            if faults:
                facts = {"card": card, "by": deal.defender}
                wrong.append(Mistake(faults, "shown" if show else "placed", facts, "leave" if show else "lift"))
    seldom = [made for made in wrong if "show-repeated" in made.faults]
    return rng.sample(wrong, min(len(wrong), 4)) + seldom


def _wrong_attacks(deal: Deal, rng: random.Random, seat: str, card: str) -> list[Mistake]:
    wrong: list[Mistake] = []
    if deal.unbeaten and not deal.taking:
        over = deal.unbeaten[0]

        def crosses() -> None:
            deal.beat(card, over, seat)

        facts = {"card": card, "by": seat, "on": over}
        wrong.append(Mistake({"not-defender"}, "placed", facts, "lift", {"illegal"}, crosses, may_lie=True))
    faults = deal.attack_faults(seat, card)
    if not faults:
        return wrong

    def thrown() -> None:
        deal.attack(seat, (card,))

    stands = thrown if deal.order_now() != "handoff" and "not-entitled" not in faults else None
    facts = {"card": card, "by": seat}
    wrong.append(Mistake(faults, "placed", facts, "lift", frozenset(), stands, may_lie=True))
    return wrong
