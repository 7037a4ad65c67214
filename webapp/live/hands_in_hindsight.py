"""
Derive what later plays prove about the hands. Pages show it after a match, never during it.

Whoever lays a card held it before, as far back as no unknown card came to that hand. So the lines are walked from last
to first: a card that is laid joins the hand, one that came from table or talon leaves it, and where unseen cards came,
nothing earlier is proven. A take is compared with the proven hand: could the cards have been beaten?

Works on what a replay holds (``webapp.live.replay``): lines with ``event`` and ``state`` as docs/record.md has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.cards import Card, Suit

BACK = "back"
"""A card that lies face down: nobody knows which it is."""
Hands = dict[str, set[str]]
Step = Mapping[str, Any]


def add_hindsight(
    start: Mapping[str, Any], steps: Sequence[dict[str, Any]], pack: Sequence[str], dead: set[str]
) -> None:
    """
    Add to each step what later lines prove: ``later`` ({seat: cards that were in that hand after it, beyond what was
    known then}), and to a take ``take`` (``seat``, and ``could``: pairs of card and what would have beaten it, or
    ``could_not``: cards that nothing in the hand beat).

    ``start``: the position before the first step. ``pack``: all cards in play. ``dead``: those that lay in the discard
    pile from the beginning.
    """
    if not steps:
        return
    walk = _Backwards(_at_the_end(steps, pack, dead))
    for place in range(len(steps) - 1, -1, -1):
        step, before = steps[place], steps[place - 1]["state"] if place else start
        later = {seat: sorted(cards) for seat in step["state"]["hands"] if (cards := walk.beyond(step["state"], seat))}
        if later:
            step["later"] = later
        walk.cross(step["event"], before, step["state"])
        taker = _who_takes(step["event"], before, step["state"])
        if taker is not None and (proof := _proof(walk.hand(before, taker), before, taker)) is not None:
            step["take"] = proof


class _Backwards:
    """Hold the proven hands between two lines while walking back."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._was: dict[str, str] = {}  # true name of a reread card, by the name that was read first
        self._laid_by: dict[str, str] = {}

    def hand(self, state: Mapping[str, Any], seat: str) -> set[str]:
        """Return all proven cards of a hand; only what was known then if the two contradict each other."""
        known, count = set(state["known"].get(seat, ())), state["hands"].get(seat)
        proven = known | self._hands.get(seat, set())
        return proven if count is not None and len(proven) <= count else known

    def beyond(self, state: Mapping[str, Any], seat: str) -> set[str]:
        """Return what is proven of a hand beyond what was known then."""
        return self.hand(state, seat) - set(state["known"].get(seat, ()))

    def cross(self, event: Step, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Step back over a line, from the hands after it to those before it."""
        kind, by, card = event["event"], event.get("by"), event.get("card")
        if kind in ("dealt", "corrected") or event.get("button") == "undo":
            self._hands, self._was, self._laid_by = {}, {}, {}
            return
        self._lose(*self._on(before, event))
        expected = dict.fromkeys(after["hands"], 0)
        if kind == "placed" and card != BACK:
            card = self._was.pop(str(card), str(card))
            by = self._laid_by.pop(card, by)
            self._lose(card)
            stays_open = card in _open(after)  # a card that breaks a rule counts as held until the fault is forgiven
            self._add(by, card, expected, 0 if stays_open else -1)
        elif kind == "reread":
            self._was[event["was"]] = str(card)
        elif event.get("button") == "assign":
            self._laid_by[str(card)] = event["to"]
        elif kind == "shown":
            self._add(by, card, expected, 0)
        elif kind == "swapped":
            self._lose(str(before.get("turnup")))
            self._add(by, card, expected, 0)
        elif kind == "lifted" and by in expected:
            expected[by] = 1
        elif kind == "swept" and event.get("to") in expected:
            expected[event["to"]] = len(self._on(before, event)) - len(event.get("left") or ())
        for seat, came in expected.items():
            was, now = before["hands"].get(seat), after["hands"].get(seat)
            if kind == "drawn" and seat == (by or seat) and card is not None and event.get("count", 1) == 1:
                self._lose(str(card))
            elif was is None or now is None or now - was > came:
                self._hands.pop(seat, None)  # cards came that nobody saw

    def _add(self, by: str | None, card: str | None, expected: dict[str, int], came: int) -> None:
        if by in expected and card is not None and by is not None:
            self._hands.setdefault(by, set()).add(card)
            expected[by] = came

    def _lose(self, *cards: str) -> None:
        for hand in self._hands.values():
            hand.difference_update(cards)

    @staticmethod
    def _on(before: Mapping[str, Any], event: Step) -> list[str]:
        """Return the cards that a line takes from the table."""
        if event["event"] == "lifted":
            return [str(event.get("card"))]
        return _cards_on(before) if event["event"] == "swept" else []


def _cards_on(state: Mapping[str, Any]) -> list[str]:
    return [card for pair in state["table"] for card in pair if card is not None] + _open(state)


def _open(state: Mapping[str, Any]) -> list[str]:
    return [card for matter in state["open"] for card in matter.get("cards", ())]


def _at_the_end(steps: Sequence[Step], pack: Sequence[str], dead: set[str]) -> Hands:
    """Infer the only unknown hand once the talon is empty: all cards that were never seen elsewhere."""
    last = steps[-1]["state"]
    if last["talon"] != 0 or any(count is None for count in last["hands"].values()):
        return {}
    seen = set(dead).union(*(set(cards) for cards in last["known"].values()))
    for step in steps:
        event = step["event"]
        seen |= {event[key] for key in ("card", "turnup") if isinstance(event.get(key), str)}
        seen |= {*_cards_on(step["state"]), str(step["state"].get("turnup"))}
    unseen = [card for card in pack if card not in seen]
    lacking = {seat: count - len(last["known"].get(seat, ())) for seat, count in last["hands"].items()}
    seats = [seat for seat, count in lacking.items() if count]
    return {seats[0]: set(unseen)} if len(seats) == 1 and lacking[seats[0]] == len(unseen) else {}


def _who_takes(event: Step, before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the defender if this line is the take: as it was announced, else as the cards go to that hand."""
    defender: str | None = before.get("defender")
    says = before["phase"] == "attack" and after["phase"] == "take"
    sweeps = before["phase"] == "attack" and event["event"] == "swept" and event.get("to") == defender
    return defender if defender is not None and (says or sweeps) else None


def _proof(hand: set[str], before: Mapping[str, Any], seat: str) -> Mapping[str, Any] | None:
    """Return what the proven hand implies for the taken cards; None if it leaves that open."""
    if before["trump"] is None:
        return None
    trump = Suit(before["trump"])
    open_cards = [attack for attack, defence in before["table"] if defence is None and attack != BACK]
    if not open_cards:
        return None
    cheapest = sorted(map(Card.parse, hand), key=lambda card: (card.is_trump(trump), card.height))
    beats = {attack: [str(card) for card in cheapest if card.beats(Card.parse(attack), trump)] for attack in open_cards}
    pairs = _paired(open_cards, beats, frozenset())
    if pairs is not None:
        return {"seat": seat, "could": [list(pair) for pair in pairs]}
    if len(hand) != before["hands"][seat]:
        return None
    alone = [attack for attack in open_cards if not beats[attack]]
    return {"seat": seat, "could_not": alone or open_cards}


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
