"""
List the plays that break no rule.

A play is legal where every rule of :data:`~referee.rules.RULES_OF` passes, the same functions that judge it; this
module only says which plays there are to try. What a seat holds is known as far as a spectator knows it: every card
that may be in the hand is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple, TypeVar

from referee.cards import RANKS, Card, CardSet, bits_of, cards_of, ranks_of, same_ranks
from referee.effects.read_laid import read_laid
from referee.events import HEAP, Drawn, Placed, Pressed, Shown, Swapped, Swept, TableEvent
from referee.game import GameState, Phase
from referee.plays import Beat, Done, Draw, Give, Kind, Laid, Lead, Pass, Play, Swap, Sweep, Take, ThrowIn, Transfer
from referee.rulebook import Rulebook
from referee.rules import fault_of, first_fault, rules_of_laid
from referee.rules.order import turn_by_handoff
from referee.rules.sweep import still_attacking
from referee.rules.whole_hand import PLACED, one_card, playable, possible

P = TypeVar("P", bound=Play)

LONG_OPENING = 5
SHORT_OPENING = 3
LARGE_HAND = 10
"""
Cards of an opening of several ranks (``pairs_plus_one``) that is tried: ``LONG_OPENING`` where fewer than
``LARGE_HAND`` cards may be in the hand, else ``SHORT_OPENING``, since there are thousands.
"""


def legal_plays(position: GameState, seat: str | None = None) -> Iterator[Play]:
    """
    Yield the plays that break no rule: those of one seat, or those of all and what belongs to no seat (``None``).

    Cards thrown in, given on or passed on with are listed one by one, since several are the same plays in a row; an
    opening is listed with all its cards, in one order; longer openings of several ranks than :data:`LONG_OPENING` and
    :data:`SHORT_OPENING` are not listed.
    """
    if position.phase in (Phase.OVER, Phase.FREE) or not position.dealt:
        return
    for player in position.living if seat is None else (seat,):
        yield from _laid(position, player)
        yield from _said(position, player)
        yield from legal_swaps(position, player)
        yield from legal_draws(position, player)
    bout = position.bout
    if seat is None and bout is not None and bout.attacks:
        if still_attacking(position.table):
            yield from _passing((Done(),), position)
        yield from _passing((Sweep(HEAP), Sweep(bout.defender)), position)


def legal_swaps(position: GameState, seat: str) -> Iterator[Swap]:
    """Yield the exchange of the lowest trump, if the seat may make it."""
    if position.trump is not None:
        yield from _passing((Swap(seat, position.rules.lowest_trump(position.trump)),), position)


def legal_draws(position: GameState, seat: str) -> Iterator[Draw]:
    """Yield the draws that the seat may make now, of one card up to all that it owes."""
    if position.due and position.due[0][0] == seat:
        yield from _passing((Draw(seat, count) for count in range(1, position.due[0][1] + 1)), position)


def legal_takes(position: GameState, seat: str) -> Iterator[Take]:
    """Yield the take, if the seat defends and may announce it."""
    bout = position.bout
    if bout is not None and bout.attacks and seat == bout.defender and position.phase is Phase.ATTACK:
        yield from _passing((Take(seat),), position)


def _passing(plays: Iterable[P], position: GameState) -> Iterator[P]:
    return (play for play in plays if fault_of(play, position) is None)


def possible_cards(position: GameState, seat: str) -> CardSet:
    """Return the cards that the seat may play by all that is known of the hands, whatever the place."""
    return CardSet(possible(position.seating.number_of[seat], position.table))


def ranks_to_add(position: GameState) -> tuple[str, ...]:
    """
    Return the ranks of which somebody may throw a card in or give one on now, low to high.

    Leave is not asked for: it is spoken. A rank whose cards are all gone is left out.
    """
    table = position.table
    if position.phase not in (Phase.ATTACK, Phase.TAKE) or not table.attack_count:
        return ()
    kind: Kind = Give if table.is_taking else ThrowIn
    ranks = set[str]()
    for seat in table.attackers:
        ranks |= ranks_of(playable(kind, seat, possible(seat, table), table, any_turn=True))
    return tuple(sorted(ranks, key=RANKS.index))


class LegalCards(NamedTuple):
    """The cards, as a set, that a seat may lay singly as one kind of play, across ``over`` or beside the others."""

    by: str
    kind: type[Laid]
    mask: int
    over: Card | None = None
    shown: bool = False

    def play(self, *cards: Card) -> Laid:
        if self.over is not None:
            return Beat(self.by, cards, self.over)
        return Transfer(self.by, cards, self.shown) if self.kind is Transfer else self.kind(self.by, cards)


def legal_cards(
    position: GameState, seat: str, *, any_turn: bool = False, held: int | None = None
) -> Iterator[LegalCards]:
    """
    Yield the cards that the seat may lay singly: each card that it may hold, on each place where it can lie.

    ``any_turn``: do not ask who attacks before whom, since leave is spoken. ``held``: the cards that may be in the
    hand; None: the :func:`possible_cards`.
    """
    bout = position.bout
    held = possible_cards(position, seat).mask if held is None else held
    if position.phase in (Phase.OVER, Phase.FREE) or not held:
        return
    places: tuple[Card | None, ...] = (None,) if bout is None or bout.ended is not None else (None, *bout.unbeaten)
    tried = [read_laid(cards_of(held & -held), seat, over, position) for over in places]
    if bout is not None and bout.attacks and seat == bout.defender:
        tried.append(Transfer(seat, cards_of(held & -held), shown=True))
    for over, play in zip((*places, None), tried, strict=False):
        shown = isinstance(play, Transfer) and play.shown
        kind: Kind = type(play)
        if over is not None and kind is not Beat:
            continue  # a card given on is the same play wherever it is laid
        number, bit = position.seating.number_of[seat], 0 if over is None else over.bit
        mask = playable(kind, number, held, position.table, bit, shown, any_turn)
        numbered = one_card(kind, number, held & -held, bit, shown)
        if mask and first_fault(PLACED.intersection(rules_of_laid(kind)), numbered, position.table) is None:
            yield LegalCards(seat, type(play), mask, over, shown)


def _laid(position: GameState, seat: str) -> Iterator[Play]:
    legal, cards = tuple(legal_cards(position, seat)), possible_cards(position, seat)
    for card in cards:
        yield from (option.play(card) for option in legal if card.bit & option.mask)
    if cards and isinstance(read_laid(cards_of(cards.mask)[:1], seat, None, position), Lead):
        several = openings_of(cards.mask, position.rules, position.ledger.hands[seat])
        yield from _passing((Lead(seat, cards_of(mask)) for mask in several), position)


def openings_of(cards: int, rules: Rulebook, most: int) -> Iterator[int]:
    """Yield sets of two to ``most`` cards that may open a bout: of one rank, and of several where the house has it."""
    if rules.opening == "pairs_plus_one":
        longest = LONG_OPENING if cards.bit_count() < LARGE_HAND else SHORT_OPENING
        for size in range(2, min(longest, most) + 1):
            yield from map(sum, combinations(bits_of(cards), size))
        return
    while cards:
        alike = cards & same_ranks(cards & -cards)
        cards ^= alike
        for size in range(2, min(alike.bit_count(), most) + 1):
            yield from map(sum, combinations(bits_of(alike), size))


def _said(position: GameState, seat: str) -> Iterator[Play]:
    """Yield the statements that are open to the seat and change something."""
    bout = position.bout
    if bout is None or not bout.attacks:
        return
    yield from legal_takes(position, seat)
    if seat == bout.defender:
        return
    if (number := position.seating.number_of[seat]) in still_attacking(position.table):
        by_turn = position.phase is Phase.ATTACK and position.rules.throw_order == "handoff"
        if not by_turn or turn_by_handoff(position.table, number) == number:
            yield from _passing((Pass(seat),), position)


def events_of(play: Play, at: float = 0.0) -> tuple[TableEvent, ...]:
    """
    Return the events that report a play. Drawn cards are reported unseen.

    >>> [event.card for event in events_of(Lead("A", (Card.parse("7s"), Card.parse("7h"))))]
    [Card(7s), Card(7h)]
    """
    match play:
        case Transfer(shown=True):
            return (Shown(at=at, card=play.cards[0], by=play.by),)
        case Laid():
            on = play.over if isinstance(play, Beat) else None
            return tuple(Placed(at=at, card=card, by=play.by, on=on) for card in play.cards)
        case Sweep():
            return (Swept(at=at, to=play.to, left=play.left),)
        case Draw():
            return (Drawn(at=at, by=play.by, count=play.count),)
        case Swap():
            return (Swapped(at=at, card=play.card, by=play.by),)
        case Take():
            return (Pressed(at=at, button="take", by=play.by),)
        case Pass():
            return (Pressed(at=at, button="pass", by=play.by),)
    return (Pressed(at=at, button="done", by=play.by),)
