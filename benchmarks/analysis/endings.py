"""Make random endgames of a rule set: no talon, a few cards in each hand, at the beginning of a bout or within one."""

from __future__ import annotations

import random
from collections.abc import Iterator

from features.analysis.position import GOES_ON, Position, SearchRules, choices
from referee.cards import pack
from referee.rulebook import PRESETS, rulebook
from referee.seating import Seating

SEATS = "ABCDEF"
SHARE_OUT = 0.25
"""Of endings of more than two, how many begin with a seat that is out."""


def house_of(name: str, players: int) -> SearchRules:
    """Return the rules of a preset at a table of ``players``."""
    rules = rulebook(name)
    return SearchRules.of(rules, Seating.of(tuple(SEATS[:players]), rules.teams))


def tables_of_two() -> list[str]:
    """Return the rule sets that two can play."""
    return [name for name, preset in PRESETS.items() if 2 in preset.players]


def tables_of_many() -> list[tuple[str, int]]:
    """Return the rule sets that more than two can play, each with the fewest players of such a table."""
    counts = {name: [count for count in preset.players if count > 2] for name, preset in PRESETS.items()}
    return [(name, min(found)) for name, found in counts.items() if found]


def ending(house: SearchRules, sizes: tuple[int, ...], rng: random.Random, decisions: int = 0) -> Position:
    """
    Return an endgame with hands of these sizes (0: the seat is out), after up to ``decisions`` random decisions that
    leave it undecided.
    """
    cards = [card.bit for card in pack(house.rules.pack)]
    rng.shuffle(cards)
    hands, begin = [], 0
    for size in sizes:
        hands.append(sum(cards[begin : begin + size]))
        begin += size
    position = Position(house, hands, [], rng.randrange(4))
    position.out = tuple(seat for seat, size in enumerate(sizes) if not size)
    position.number, position.beaten_off = rng.choice(((1, 0), (2, 0), (5, 3)))
    position.begin(0, 1)
    for _ in range(decisions):
        after = position.copy()
        after.play(rng.choice(choices(position)))
        if after.losers != GOES_ON:
            break
        position = after
    return position


def small_endings(house: SearchRules, count: int, rng: random.Random, most: int = 3) -> Iterator[Position]:
    """
    Yield ``count`` endgames of two with up to ``most`` cards in a hand.

    At most four in all where a position can come again, and three where a trump need only be shown: brute force without
    a memory takes hours beyond that.
    """
    in_all = 3 if house.rules.transfer_show != "off" else 4 if house.rules.transfer else 2 * most
    for _ in range(count):
        first = rng.randint(1, min(most, in_all - 1))
        sizes = (first, rng.randint(1, min(most, in_all - first)))
        yield ending(house, sizes, rng, rng.choice((0, 0, 1, 2)))


def small_endings_of_many(house: SearchRules, count: int, rng: random.Random) -> Iterator[Position]:
    """
    Yield ``count`` endings of more than two with a card or two in each hand; in one of four a seat is out already.
    """
    most = max(house.seats + 1, 6 - house.rules.transfer - (house.rules.transfer_show != "off"))
    for _ in range(count):
        sizes = [1] * house.seats
        if rng.random() < SHARE_OUT and house.rules.result != "first_out_wins":
            sizes[-1] = 0
        while sum(sizes) < most and rng.random() < 0.8:
            sizes[rng.choice([seat for seat, size in enumerate(sizes) if size])] += 1
        yield ending(house, tuple(sizes), rng, rng.choice((0, 0, 1, 2)))
