"""
Prove from later plays what a hand held.

Whoever lays a card held it before, as far back as no unknown card came to that hand. So the steps of a match are walked
from last to first: a card that is laid joins the hand, one that came from table or talon leaves it, and where unseen
cards came, nothing earlier is proven. A take is compared with the proven hand: could the cards have been beaten?
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from referee.cards import BACK, Card, Suit
from webapp.match.view import TablePosition, TimelineStep, View

Hands = dict[str, set[str]]


class TakeProof(Struct, frozen=True, omit_defaults=True):
    """
    What the proven hand of ``seat`` implies for the cards that it takes: ``could``, pairs of card and what would have
    beaten it, or ``could_not``, cards that nothing in the hand beats.
    """

    seat: str
    could: list[list[str]] | UnsetType = UNSET
    could_not: list[str] | UnsetType = UNSET


class Hindsight(Struct, frozen=True, omit_defaults=True):
    """What later steps prove of a step: ``later``, cards in hands after it beyond what was known then; and its take."""

    later: dict[str, list[str]] = {}
    take: TakeProof | UnsetType = UNSET


def hindsight(view: View, pack: Sequence[str], dead: Collection[str] = ()) -> list[Hindsight]:
    """
    Return for each step of a view what later ones prove. ``pack``: all cards in play; ``dead``: those that lay in the
    discard pile from the beginning.
    """
    return list(_backwards(view, pack, dead))[::-1]


def _backwards(view: View, pack: Sequence[str], dead: Collection[str]) -> Iterator[Hindsight]:
    steps = view.timeline
    hands: Hands = _last_hand(steps, pack, dead) if steps else {}
    names: dict[str, str] = {}  # true name of a reread card, by the name that was read first
    laid_by: dict[str, str] = {}  # who laid a card, as people stated later

    def proven(position: TablePosition, seat: str) -> set[str]:
        """Return all proven cards of a hand; only what was known then if the two contradict each other."""
        known, count = set(position.known.get(seat, ())), position.hands.get(seat)
        cards = known | hands.get(seat, set())
        return cards if count is not None and len(cards) <= count else known

    for place in range(len(steps) - 1, -1, -1):
        after, before = steps[place].position, steps[place - 1].position if place else view.start
        event = steps[place].event
        assert before is not None
        found = {seat: sorted(proven(after, seat) - set(after.known.get(seat, ()))) for seat in after.hands}
        later = {seat: cards for seat, cards in found.items() if cards}
        kind, by, card = event["event"], event.get("by"), event.get("card")
        if kind in ("dealt", "corrected") or event.get("button") == "undo":
            hands, names, laid_by = {}, {}, {}
        else:
            gone = [str(card)] if kind == "lifted" else before.cards if kind == "swept" else []
            came = dict.fromkeys(after.hands, 0)  # how many cards came to each hand that everybody saw
            joins = None  # the card that was in a hand before the step
            if kind == "placed" and card != BACK:
                joins = names.pop(str(card), str(card))
                by = laid_by.pop(joins, by)
                gone = [joins]
                is_open = any(joins in matter.get("cards", ()) for matter in after.open)
                expected = 0 if is_open else -1  # a card that breaks a rule counts as held until that is forgiven
            elif kind in ("shown", "swapped"):
                joins, expected = card, 0
                gone = [str(before.turnup)] if kind == "swapped" else []
            elif kind == "reread":
                names[event["was"]] = str(card)
            elif event.get("button") == "assign":
                laid_by[str(card)] = event["to"]
            elif kind == "lifted" and by in came:
                came[by] = 1
            elif kind == "swept" and event.get("to") in came:
                came[event["to"]] = len(before.cards) - len(event.get("left") or ())
            for hand in hands.values():
                hand.difference_update(gone)
            if joins is not None and by in came:
                hands.setdefault(by, set()).add(joins)
                came[by] = expected
            for seat, seen in came.items():
                was, now = before.hands.get(seat), after.hands.get(seat)
                if kind == "drawn" and seat == (by or seat) and card is not None and event.get("count", 1) == 1:
                    for hand in hands.values():
                        hand.discard(str(card))
                elif was is None or now is None or now - was > seen:
                    hands.pop(seat, None)  # unseen cards joined the hand
        take = _take(event, before, after, proven)
        yield Hindsight(later, UNSET if take is None else take)


def _last_hand(steps: Sequence[TimelineStep], pack: Sequence[str], dead: Collection[str]) -> Hands:
    """Infer the only unknown hand once the talon is empty: all cards that were never seen elsewhere."""
    last = steps[-1].position
    if last.talon != 0 or any(count is None for count in last.hands.values()):
        return {}
    seen = set(dead).union(*map(set, last.known.values()))
    for step in steps:
        seen |= {step.event[key] for key in ("card", "turnup") if isinstance(step.event.get(key), str)}
        seen |= {*step.position.cards, str(step.position.turnup)}
    unseen = {card for card in pack if card not in seen}
    lacking = {seat: count - len(last.known.get(seat, ())) for seat, count in last.hands.items()}
    seats = [seat for seat, count in lacking.items() if count]
    return {seats[0]: unseen} if len(seats) == 1 and lacking[seats[0]] == len(unseen) else {}


def _take(event: Mapping[str, Any], before: TablePosition, after: TablePosition, proven: Any) -> TakeProof | None:
    """Return what the hand implies if this step is the take: as it was announced, else as the cards go to that hand."""
    seat = before.defender
    is_sweep = event["event"] == "swept" and event.get("to") == seat
    if seat is None or before.phase != "attack" or not (after.phase == "take" or is_sweep) or before.trump is None:
        return None
    hand, trump = proven(before, seat), Suit(before.trump)
    attacks = [attack for attack, defence in before.table if defence is None and attack not in (None, BACK)]
    if not attacks:
        return None
    cheapest = sorted(map(Card.parse, hand), key=lambda card: (card.is_trump(trump), card.height))
    beats = {
        attack: [str(card) for card in cheapest if card.beats(Card.parse(str(attack)), trump)] for attack in attacks
    }
    pairs = _paired(
        [str(attack) for attack in attacks], {str(card): cards for card, cards in beats.items()}, frozenset()
    )
    if pairs is not None:
        return TakeProof(seat, could=[list(pair) for pair in pairs])
    if len(hand) != before.hands[seat]:
        return None
    return TakeProof(
        seat, could_not=[str(attack) for attack in attacks if not beats[attack]] or [str(attack) for attack in attacks]
    )


def _paired(
    attacks: Sequence[str], beats: Mapping[str, Sequence[str]], used: frozenset[str]
) -> tuple[tuple[str, str], ...] | None:
    """Match every attack with a different card that beats it; None if that is impossible."""
    if not attacks:
        return ()
    for card in beats[attacks[0]]:
        if card not in used and (rest := _paired(attacks[1:], beats, used | {card})) is not None:
            return ((attacks[0], card), *rest)
    return None
