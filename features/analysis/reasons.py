"""
Explain why a decision was worse or better than others, as data: an id and the cards it is about.

Each check states a fact of the position that a player can see for himself. The first one that is true is given; where
none is, no reason is given. The catalogues hold a sentence for each id (``page.analysis_why_ID``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from features.analysis.decision_case import DecisionCase
from features.analysis.playouts import height, lowest
from features.analysis.position import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, WAIT, Decision
from referee.cards import BEATEN_BY, RANK_COUNT, CardSet, bits_of, same_ranks

Reason = Mapping[str, str]
"""``id`` names the sentence, the other keys what it is about: cards, or a player's name."""
HIGH = 0.75
"""From this height on a plain card is high: in a pack of 36 the queen. Chosen by hand."""


def reason_of(case: DecisionCase, best: Decision) -> Reason | None:
    """Return why the best decision was better than the one made; None if no check is true."""
    is_only_about_played = bool(best[1] & ~case.certain)
    found = (reason for about_played, reason in _worse(case, best) if about_played or not is_only_about_played)
    return next(found, None)


def praise_of(case: DecisionCase) -> Reason | None:
    """Return why the decision made, the only good one, was good; None if no check is true."""
    position, hand = case.truth, case.certain
    held = hand & position.trumps
    if case.decision[0] != TAKE or hand != position.hands[case.seat]:
        return None
    if not position.talon or held.bit_count() < 2:
        return None
    plain, beaten_by = hand & ~position.trumps, BEATEN_BY[position.trumps]
    if all(plain & beaten_by[over] for over in bits_of(position.unbeaten)):
        return None
    return {"id": "take_kept_trumps", "taken": shown(position.table), "kept": shown(held)}


def shown(cards: int) -> str:
    """Format cards as a sentence lists them."""
    return str(CardSet(cards))


def _is_cheaper(card: int, than: int, trumps: int) -> bool:
    """Check whether a card is plain where the other is a trump, or lower in the same suit."""
    if than & trumps and not card & trumps:
        return True
    same_suit = (card.bit_length() - 1) // RANK_COUNT == (than.bit_length() - 1) // RANK_COUNT
    return same_suit and card < than


def _worse(case: DecisionCase, decision: Decision) -> Iterator[tuple[bool, Reason]]:
    """
    Yield every reason that is true, the plainest first; with each whether it is about the card played alone.

    Such a reason is true whatever else the player held.
    """
    (kind, card, over), (best, other, same) = case.decision, decision
    position, hand, trumps = case.truth, case.certain, case.truth.trumps
    house, beaten_by, defender = position.house, BEATEN_BY[trumps], case.seats[position.defender]
    is_sure = hand == position.hands[case.seat]
    if kind == BEAT:
        if best == BEAT and over == same and _is_cheaper(other, card, trumps):
            yield False, {"id": "lower_beats", "card": shown(card), "over": shown(over), "lower": shown(other)}
        if case.added and best in (BEAT, TAKE) and same_ranks(card) != same_ranks(other):
            who, given = case.added[0]
            yield True, {"id": "gave_rank", "card": shown(card), "who": who, "given": shown(given)}
        if best == TAKE and is_sure:
            for left in bits_of(position.unbeaten & ~over):
                if not hand & ~card & beaten_by[left]:
                    yield False, {"id": "beats_in_vain", "card": shown(card), "left": shown(left)}
        if best == TAKE and card & trumps and not over & trumps:
            if hand & trumps != card:
                taken, kept = shown(position.table), shown((hand | card) & trumps)
                yield False, {"id": "take_keeps_trumps", "taken": taken, "kept": kept}
            elif is_sure:
                yield False, {"id": "trump_spent", "card": shown(card), "over": shown(over)}
    if best in (TRANSFER, SHOW) and kind in (BEAT, TAKE):
        yield False, {"id": "could_transfer", "card": shown(other)}
    if kind == TAKE and best == BEAT and all(hand & beaten_by[card] for card in bits_of(position.unbeaten)):
        yield False, {"id": "could_beat", "card": shown(other), "over": shown(same)}
    if kind == TRANSFER and card & trumps and not other & card:
        yield True, {"id": "transfer_spent_trump", "card": shown(card)}
    if kind in (PASS, WAIT) and best == ATTACK:
        if position.is_taking:
            yield False, {"id": "could_give", "card": shown(other), "who": defender}
        else:
            yield False, {"id": "could_add", "card": shown(other)}
    if kind != ATTACK:
        return
    is_high = height(card, house) >= HIGH
    if position.is_taking and best == PASS and (card & trumps or is_high):
        yield True, {"id": "gave_strong", "card": shown(card), "who": defender}
    if position.attack_count:
        if card & trumps and not other & trumps:
            yield True, {"id": "threw_trump", "card": shown(card)}
        if best in (PASS, WAIT) and is_high:
            yield True, {"id": "threw_high", "card": shown(card)}
    elif best == ATTACK:
        if not card & ~other and card != other:
            yield False, {"id": "led_several", "cards": shown(other)}
        if not other & ~card and card != other:
            yield False, {"id": "led_too_many", "cards": shown(card), "kept": shown(card & ~other)}
        if card & trumps and not other & trumps:
            yield False, {"id": "led_trump", "card": shown(card & trumps), "lower": shown(other)}
        if not (card | other) & trumps:
            one, lower = lowest(card, position.trump), lowest(other, position.trump)
            if height(one, house) > height(lower, house):
                yield False, {"id": "led_high", "card": shown(card), "lower": shown(other)}


REASONS = (
    *("lower_beats", "gave_rank", "beats_in_vain", "trump_spent", "take_keeps_trumps", "could_transfer", "could_beat"),
    *("transfer_spent_trump", "gave_strong", "threw_trump", "threw_high", "could_add", "could_give", "led_several"),
    *("led_too_many", "led_trump", "led_high", "take_kept_trumps"),
)
"""Every id."""
