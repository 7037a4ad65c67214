"""
Explain why a decision was worse or better than others, as data: an id and the cards it is about.

Each check states a fact of the position that a player can see for himself. The first one that is true is given; where
none is, no reason is given. The catalogues hold a sentence for each id (``page.analysis_why_ID``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from referee.analysis.decisions import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, WAIT, Decision
from referee.analysis.playouts import height, lowest
from referee.analysis.position import Position
from referee.card_sets import BEATEN_BY, RANK_COUNT, SUIT_MASKS, bits_of, cards_of, same_ranks

Reason = Mapping[str, str]
"""``id`` names the sentence, the other keys what it is about: cards, or a player's name."""
HIGH = 0.75
"""From this height on a plain card is high: in a pack of 36 the queen. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Compared:
    """
    A decision and the best one in a position. ``seats``: the players' names. ``sure``: the cards that the
    player held without doubt; other cards give no reason. ``added``: who threw in which card of the rank that the
    played card brought to the table.
    """

    position: Position
    seat: int
    played: Decision
    best: Decision
    seats: tuple[str, ...]
    sure: int
    added: tuple[tuple[str, int], ...] = ()

    @property
    def hand(self) -> int:
        """Return the cards that the deciding player certainly held."""
        return self.position.hands[self.seat] & self.sure

    @property
    def is_sure(self) -> bool:
        """Check whether every card of the hand is certain."""
        return self.hand == self.position.hands[self.seat]

    @property
    def trumps(self) -> int:
        """Return all trumps of the pack."""
        return SUIT_MASKS[self.position.trump]


def reason_of(compared: Compared) -> Reason | None:
    """Return why the best decision was better than the one made; None if no check is true."""
    checks = ABOUT_PLAYED if compared.best[1] & ~compared.sure else WORSE
    return next((found for check in checks if (found := check(compared)) is not None), None)


def praise_of(compared: Compared) -> Reason | None:
    """Return why the decision made, the only good one, was good; None if no check is true."""
    position, (kind, _, _) = compared.position, compared.played
    held = compared.hand & compared.trumps
    if kind != TAKE or not compared.is_sure or not position.talon or held.bit_count() < 2:
        return None
    needs_trump = [
        over
        for over in bits_of(position.unbeaten)
        if not compared.hand & BEATEN_BY[position.trump][over] & ~compared.trumps
    ]
    if not needs_trump:
        return None
    return {"id": "take_kept_trumps", "taken": shown(position.table), "kept": shown(held)}


def shown(cards: int) -> str:
    """Format cards as a sentence lists them."""
    return " ".join(map(str, cards_of(cards)))


def _is_cheaper(card: int, than: int, trumps: int) -> bool:
    """Check whether a card is plain where the other is a trump, or lower in the same suit."""
    if than & trumps and not card & trumps:
        return True
    same_suit = (card.bit_length() - 1) // RANK_COUNT == (than.bit_length() - 1) // RANK_COUNT
    return same_suit and card < than


def lower_beats(it: Compared) -> Reason | None:
    """Return a reason if the same card could have been beaten with a cheaper one."""
    (kind, card, over), (best, lower, same) = it.played, it.best
    if kind != BEAT or best != BEAT or over != same or not _is_cheaper(lower, card, it.trumps):
        return None
    return {"id": "lower_beats", "card": shown(card), "over": shown(over), "lower": shown(lower)}


def gave_rank(it: Compared) -> Reason | None:
    """Return a reason if the card laid brought a rank to the table of which another player then threw a card in."""
    (kind, card, _), (best, other, _) = it.played, it.best
    if kind != BEAT or not it.added or best not in (BEAT, TAKE) or same_ranks(card) == same_ranks(other):
        return None
    who, given = it.added[0]
    return {"id": "gave_rank", "card": shown(card), "who": who, "given": shown(given)}


def beats_in_vain(it: Compared) -> Reason | None:
    """Return a reason if a card was beaten while another one lay there that could not be beaten."""
    (kind, card, over), position = it.played, it.position
    if kind != BEAT or it.best[0] != TAKE or not it.is_sure:
        return None
    for left in bits_of(position.unbeaten & ~over):
        if not it.hand & ~card & BEATEN_BY[position.trump][left]:
            return {"id": "beats_in_vain", "card": shown(card), "left": shown(left)}
    return None


def trump_spent(it: Compared) -> Reason | None:
    """Return a reason if a trump was laid on a plain card where taking was better."""
    (kind, card, over), held = it.played, it.hand & it.trumps
    if kind != BEAT or it.best[0] != TAKE or not card & it.trumps or over & it.trumps:
        return None
    if held == card:
        if not it.is_sure:
            return None
        return {"id": "trump_spent", "card": shown(card), "over": shown(over)}
    return {"id": "take_keeps_trumps", "taken": shown(it.position.table), "kept": shown(held)}


def could_transfer(it: Compared) -> Reason | None:
    """Return a reason if the attack could have been passed on."""
    if it.best[0] not in (TRANSFER, SHOW) or it.played[0] not in (BEAT, TAKE):
        return None
    return {"id": "could_transfer", "card": shown(it.best[1])}


def could_beat(it: Compared) -> Reason | None:
    """Return a reason if the player took but could beat what lay there."""
    best, card, over = it.best
    if it.played[0] != TAKE or best != BEAT:
        return None
    for each in bits_of(it.position.unbeaten):
        if not it.hand & BEATEN_BY[it.position.trump][each]:
            return None
    return {"id": "could_beat", "card": shown(card), "over": shown(over)}


def transfer_spent_trump(it: Compared) -> Reason | None:
    """Return a reason if a trump was laid only to pass the attack on."""
    kind, card, _ = it.played
    if kind != TRANSFER or not card & it.trumps or it.best[1] & card:
        return None
    return {"id": "transfer_spent_trump", "card": shown(card)}


def gave_strong(it: Compared) -> Reason | None:
    """Return a reason if a trump or a high card was given on to a player who took."""
    kind, card, _ = it.played
    if kind != ATTACK or not it.position.is_taking or it.best[0] != PASS:
        return None
    if not card & it.trumps and height(card, it.position.house) < HIGH:
        return None
    return {"id": "gave_strong", "card": shown(card), "who": it.seats[it.position.defender]}


def threw_trump(it: Compared) -> Reason | None:
    """Return a reason if a trump was thrown in."""
    kind, card, _ = it.played
    if kind != ATTACK or not it.position.attack_count or not card & it.trumps or it.best[1] & it.trumps:
        return None
    return {"id": "threw_trump", "card": shown(card)}


def threw_high(it: Compared) -> Reason | None:
    """Return a reason if a high plain card was thrown in where stopping was better."""
    kind, card, _ = it.played
    if kind != ATTACK or not it.position.attack_count or it.best[0] not in (PASS, WAIT):
        return None
    if height(card, it.position.house) < HIGH:
        return None
    return {"id": "threw_high", "card": shown(card)}


def could_add(it: Compared) -> Reason | None:
    """Return a reason if the player stopped while holding a card to throw in, or to give on."""
    if it.played[0] not in (PASS, WAIT) or it.best[0] != ATTACK:
        return None
    if it.position.is_taking:
        return {"id": "could_give", "card": shown(it.best[1]), "who": it.seats[it.position.defender]}
    return {"id": "could_add", "card": shown(it.best[1])}


def led_several(it: Compared) -> Reason | None:
    """Return a reason if more cards of the rank could have been led together."""
    (kind, cards, _), (best, more, _) = it.played, it.best
    if kind != ATTACK or it.position.attack_count or best != ATTACK or cards & ~more or cards == more:
        return None
    return {"id": "led_several", "cards": shown(more)}


def led_too_many(it: Compared) -> Reason | None:
    """Return a reason if fewer cards of the rank would have done."""
    (kind, cards, _), (best, fewer, _) = it.played, it.best
    if kind != ATTACK or it.position.attack_count or best != ATTACK or fewer & ~cards or cards == fewer:
        return None
    return {"id": "led_too_many", "cards": shown(cards), "kept": shown(cards & ~fewer)}


def led_trump(it: Compared) -> Reason | None:
    """Return a reason if the bout was opened with a trump although plain cards were there."""
    (kind, cards, _), (best, other, _) = it.played, it.best
    if kind != ATTACK or it.position.attack_count or best != ATTACK or not cards & it.trumps or other & it.trumps:
        return None
    return {"id": "led_trump", "card": shown(cards & it.trumps), "lower": shown(other)}


def led_high(it: Compared) -> Reason | None:
    """Return a reason if the bout was opened with a higher plain card than the best one."""
    (kind, cards, _), (best, other, _) = it.played, it.best
    if kind != ATTACK or it.position.attack_count or best != ATTACK or (cards | other) & it.trumps:
        return None
    house = it.position.house
    one, lower = lowest(cards, it.position.trump), lowest(other, it.position.trump)
    if height(one, house) <= height(lower, house):
        return None
    return {"id": "led_high", "card": shown(cards), "lower": shown(other)}


WORSE: tuple[Callable[[Compared], Reason | None], ...] = (
    lower_beats,
    gave_rank,
    beats_in_vain,
    trump_spent,
    could_transfer,
    could_beat,
    transfer_spent_trump,
    gave_strong,
    threw_trump,
    threw_high,
    could_add,
    led_several,
    led_too_many,
    led_trump,
    led_high,
)
"""Asked in this order."""
ABOUT_PLAYED = (gave_rank, transfer_spent_trump, gave_strong, threw_trump, threw_high)
"""These are true whatever else the player held."""
REASONS = (
    *("lower_beats", "gave_rank", "beats_in_vain", "trump_spent", "take_keeps_trumps", "could_transfer", "could_beat"),
    *("transfer_spent_trump", "gave_strong", "threw_trump", "threw_high", "could_add", "could_give", "led_several"),
    *("led_too_many", "led_trump", "led_high", "take_kept_trumps"),
)
"""Every id."""
