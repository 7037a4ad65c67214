"""
The rules of docs/rules.md, 11 and 12 as the independent engine knows them: its own transcription, not the referee's.

Keys and values are those of a record's ``options``.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations
from typing import Any

PODKIDNOY: dict[str, Any] = {
    "pack": 36,
    "hand_size": 6,
    "turn_up": "under_talon",
    "turn_up_no_talon": "dealers_last_card",
    "ace_trump": "kept",
    "redeal": "none",
    "second_trump": "none",
    "first_lead": "lowest_trump",
    "no_trump": "left_of_dealer",
    "one_without_trump": "trump_holder",
    "later_lead": "left_of_fool",
    "touch_pack": "becomes_fool",
    "opening": "same_rank",
    "throw_timing": "any_time",
    "throwers": "all_opponents",
    "throw_order": "priority",
    "attack_limit": 6,
    "limit_by_hand": True,
    "low_limit": None,
    "low_limit_until": None,
    "low_limit_gives": True,
    "transfer": False,
    "transfer_when": "no_beaten_card",
    "transfer_show": "off",
    "transfer_target": "hand_covers",
    "transfer_first_bout": True,
    "give_on": "as_throw_in",
    "give_order": "priority",
    "draw_order": "attackers_then_defender",
    "draw_to": "hand_size",
    "trump_swap": "any",
    "teams": "none",
    "defender_out_next": "pass_turn",
    "end_check": "end_of_bout",
    "result": "last_with_cards_loses",
    "all_out": "draw",
    "team_end": "team_out",
    "etiquette": "relaxed",
}

FRENCH = PODKIDNOY | {
    "no_trump": "redeal",
    "later_lead": "winner",
    "opening": "single",
    "throw_timing": "after_beaten",
    "throw_order": "handoff",
    "give_order": "last_attacker_first",
    "trump_swap": "off",
    "touch_pack": "unstated",
    "end_check": "immediate",
    "result": "first_out_wins",
}

HEBREW = PODKIDNOY | {
    "turn_up_no_talon": "shown_before_deal",
    "later_lead": "right_of_fool",
    "throw_order": "free",
    "give_order": "free",
    "trump_swap": "off",
    "touch_pack": "unstated",
    "all_out": "defender_loses",
}

SPANISH = PODKIDNOY | {
    "turn_up": "dealers_last_card",
    "opening": "single",
    "throw_timing": "after_beaten",
    "throw_order": "free",
    "attack_limit": None,
    "give_on": "off",
    "draw_order": "clockwise_from_attacker",
    "trump_swap": "off",
    "defender_out_next": "same_attacker",
}

HOUSES: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "podkidnoy-36": (PODKIDNOY, (2, 3, 4, 5, 6)),
    "podkidnoy-teams-4": (PODKIDNOY | {"teams": "2x2"}, (4,)),
    "podkidnoy-teams-6": (PODKIDNOY | {"teams": "3x3"}, (6,)),
    "podkidnoy-neighbours": (PODKIDNOY | {"throwers": "neighbours"}, (5, 6)),
    "podkidnoy-first5": (PODKIDNOY | {"low_limit": 5, "low_limit_until": "first_bout"}, (4, 5, 6)),
    "podkidnoy-24": (PODKIDNOY | {"pack": 24}, (2,)),
    "podkidnoy-32": (PODKIDNOY | {"pack": 32}, (2, 3, 4, 5)),
    "podkidnoy-52": (PODKIDNOY | {"pack": 52}, (5, 6)),
    "severnyi": (PODKIDNOY | {"second_trump": "last_talon_card"}, (2, 3, 4, 5)),
    "perevodnoy": (PODKIDNOY | {"transfer": True}, (2, 3, 4, 5, 6)),
    "french-2": (FRENCH, (2,)),
    "french-3": (FRENCH, (3,)),
    "french-4-teams": (FRENCH | {"teams": "2x2", "team_end": "first_player_out"}, (4,)),
    "french-house-2": (
        PODKIDNOY
        | {
            "no_trump": "lowest_high_card",
            "one_without_trump": "no_trump_holder",
            "later_lead": "same_as_first",
            "throw_timing": "after_beaten",
            "attack_limit": None,
            "limit_by_hand": False,
            "transfer": True,
            "transfer_when": "single_rank",
            "transfer_target": "unlimited",
            "give_on": "opening_rank_first_phase",
            "trump_swap": "off",
            "touch_pack": "unstated",
            "end_check": "immediate",
            "result": "first_out_wins",
        },
        (2,),
    ),
    "hebrew": (HEBREW, (2, 3, 4, 5, 6)),
    "hebrew-first5": (HEBREW | {"low_limit": 5, "low_limit_until": "first_discard"}, (2, 3, 4, 5, 6)),
    "hebrew-transfer": (
        HEBREW | {"transfer": True, "transfer_show": "per_bout", "transfer_target": "unlimited"},
        (2, 3, 4, 5, 6),
    ),
    "hebrew-in-turn": (HEBREW | {"throw_order": "priority"}, (2, 3, 4, 5, 6)),
    "spanish": (SPANISH, (2, 3, 4, 5, 6)),
    "spanish-pairs": (SPANISH | {"teams": "2x2"}, (4,)),
    "durek-platkowy": (SPANISH | {"pack": 52, "hand_size": 5, "opening": "pairs_plus_one"}, (2, 3, 4, 5, 6)),
}
"""Preset -> its options and the numbers of players it is for."""

VALUES: dict[str, tuple[Any, ...]] = {
    "pack": (36, 24, 32, 52),
    "hand_size": (6, 3, 4, 5, 7),
    "draw_to": ("hand_size", "start_of_bout"),
    "turn_up": ("under_talon", "dealers_last_card"),
    "turn_up_no_talon": ("dealers_last_card", "shown_before_deal"),
    "ace_trump": ("kept", "redrawn"),
    "redeal": ("none", "five_of_suit", "one_colour"),
    "second_trump": ("none", "last_talon_card"),
    "first_lead": ("lowest_trump", "left_of_dealer", "lowest_trump_itself"),
    "no_trump": ("left_of_dealer", "redeal", "lowest_high_card"),
    "one_without_trump": ("trump_holder", "no_trump_holder"),
    "later_lead": ("left_of_fool", "right_of_fool", "winner", "same_as_first"),
    "touch_pack": ("becomes_fool", "cut_allowed", "cut_required", "unstated"),
    "opening": ("same_rank", "single", "pairs_plus_one"),
    "throw_timing": ("any_time", "after_beaten"),
    "throwers": ("all_opponents", "neighbours", "principal"),
    "throw_order": ("priority", "handoff", "free"),
    "attack_limit": (6, None, 1, 4),
    "limit_by_hand": (True, False),
    "low_limit": (None, 5, 2),
    "low_limit_until": (None, "first_bout", "first_discard"),
    "low_limit_gives": (True, False),
    "transfer": (False, True),
    "transfer_when": ("no_beaten_card", "single_rank", "one_unbeaten"),
    "transfer_show": ("off", "per_bout", "free"),
    "transfer_target": ("hand_covers", "unlimited"),
    "transfer_first_bout": (True, False),
    "give_on": ("as_throw_in", "opening_rank_first_phase", "off"),
    "give_order": ("priority", "last_attacker_first", "free"),
    "draw_order": ("attackers_then_defender", "clockwise_from_attacker"),
    "trump_swap": ("any", "ace_only", "off"),
    "teams": ("none", "2x2", "3x3"),
    "defender_out_next": ("pass_turn", "same_attacker"),
    "end_check": ("end_of_bout", "immediate"),
    "result": ("last_with_cards_loses", "first_out_wins"),
    "all_out": ("draw", "defender_loses"),
    "team_end": ("team_out", "first_player_out"),
    "etiquette": ("relaxed", "strict"),
}
"""Every option of docs/rules.md, 11 that has more than one value, with its values and some counts."""


def random_house(rng: random.Random, players: int) -> dict[str, Any]:
    """Return random options that make sense together, for ``players`` players."""
    while True:
        often = rng.choice((0.15, 0.5, 1.0))
        house = {option: rng.choice(values) if rng.random() < often else values[0] for option, values in VALUES.items()}
        if makes_sense(house, players):
            return house


def makes_sense(house: dict[str, Any], players: int) -> bool:
    """
    Check whether ``players`` players can play by these rules.

    An attack that goes on against a defender who is out already is left out.
    """
    cards = players * house["hand_size"]
    return (
        {"none": players, "2x2": 4, "3x3": 6}[house["teams"]] == players
        and cards <= house["pack"]
        and (house["second_trump"] == "none" or house["pack"] - cards >= 2)
        and (house["low_limit"] is None) == (house["low_limit_until"] is None)
        and (house["transfer"] or house["transfer_show"] == "off")
        and not (house["transfer"] and house["teams"] != "none")
        and (house["all_out"] == "draw" or house["result"] == "last_with_cards_loses")
        and (house["team_end"] == "team_out" or (house["teams"] != "none" and house["result"] == "first_out_wins"))
        and (house["limit_by_hand"] or house["end_check"] == "end_of_bout" or house["result"] == "first_out_wins")
    )


Pair = tuple[tuple[str, Any], tuple[str, Any]]
"""Two options, each with a value."""


def pairs_of(house: dict[str, Any]) -> set[Pair]:
    """Return every two options of a house."""
    return set(combinations(((option, house[option]) for option in VALUES), 2))


@cache
def houses_with_every_pair(seed: int) -> tuple[list[tuple[int, dict[str, Any]]], set[Pair]]:
    """
    Return few houses, each with a number of players, in which every two values of two options are played together.

    And the pairs that make no sense together in any of many houses tried.
    """
    rng = random.Random(seed)
    left = {
        ((one, mine), (other, its))
        for one, other in combinations(VALUES, 2)
        for mine in VALUES[one]
        for its in VALUES[other]
    }
    houses: list[tuple[int, dict[str, Any]]] = []
    senseless: set[Pair] = set()
    while left:
        pair = min(left, key=str)
        found = [drawn for drawn in (_house_with(rng, dict(pair)) for _ in range(10)) if drawn is not None]
        if not found:
            senseless.add(pair)
            left.discard(pair)
            continue
        best = max(found, key=lambda drawn: len(left & pairs_of(drawn[1])))
        houses.append(best)
        left -= pairs_of(best[1])
    return houses, senseless


def _house_with(rng: random.Random, fixed: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
    """Return a house with these values, all others random; None where many tries find none that makes sense."""
    for _ in range(200):
        house = {option: rng.choice(values) for option, values in VALUES.items()} | fixed
        # What hangs together is drawn together, else too few make sense.
        if "low_limit" not in fixed and "low_limit_until" not in fixed and rng.random() < 0.5:
            house |= {"low_limit": None, "low_limit_until": None}
        if rng.random() < 0.5:
            house |= {"transfer_show": "off", "team_end": "team_out", "teams": "none"} | fixed
        players = {"none": rng.randint(2, 6), "2x2": 4, "3x3": 6}[house["teams"]]
        if makes_sense(house, players):
            return players, house
    return None
