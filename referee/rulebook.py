"""
House rules as one frozen value, and the presets (docs/rules.md, 11 and 12).

A :class:`Rulebook` holds one value for every option. :func:`rulebook` builds one from a preset's name and the options
that a table changes; it refuses options that contradict each other, with the reason. Options are read from the
rulebook only; no other module keeps a copy of a limit, a pack or an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from referee.cards import PACK_SIZES, Card, Suit, pack
from referee.errors import RulebookError

MOST_CARDS = 52
"""The largest count that an option may have: the size of the largest pack."""


@dataclass(frozen=True, slots=True)
class RuleOption:
    """
    One option: its values, the default first, and what it decides.

    ``counts``: any whole number from 1 to 52 will do as well as the values listed.
    """

    name: str
    values: tuple[object, ...]
    meaning: str
    counts: bool = False

    @property
    def default(self) -> object:
        """Return the value of ``podkidnoy-36``."""
        return self.values[0]

    def allows(self, value: object) -> bool:
        """Check whether the option may have this value. ``true`` is not 1, and 6.0 is not a count."""
        if self.counts and type(value) is int:
            return 1 <= value <= MOST_CARDS
        return any(type(value) is type(each) and value == each for each in self.values)

    @property
    def expected(self) -> str:
        """Return the allowed values as text, for an error."""
        listed = ", ".join("null" if value is None else str(value).lower() for value in self.values)
        return f"a whole number from 1 to {MOST_CARDS}, or {listed}" if self.counts else f"one of {listed}"


OPTIONS = MappingProxyType(
    {
        option.name: option
        for option in (
            RuleOption("pack", (36, 24, 52), "cards in play: from six, nine, two"),
            RuleOption("hand_size", (6,), "cards dealt, and drawn up to", counts=True),
            RuleOption("draw_to", ("hand_size", "start_of_bout"), "what a hand is drawn up to"),
            RuleOption("turn_up", ("under_talon", "dealers_last_card"), "where the card that names the trump lies"),
            RuleOption(
                "turn_up_no_talon", ("dealers_last_card", "shown_before_deal"), "the same when all cards are dealt"
            ),
            RuleOption("ace_trump", ("kept", "redrawn"), "what if the turn-up is an ace"),
            RuleOption("redeal", ("none", "five_of_suit"), "which first hand, shown, has the deal done again"),
            RuleOption("second_trump", ("none", "last_talon_card"), "does the last talon card name a new trump"),
            RuleOption("first_lead", ("lowest_trump", "left_of_dealer"), "who opens the first deal of a session"),
            RuleOption("no_trump", ("left_of_dealer", "redeal", "lowest_high_card"), "what if nobody holds a trump"),
            RuleOption("one_without_trump", ("trump_holder", "no_trump_holder"), "who leads if only some hold one"),
            RuleOption(
                "later_lead", ("left_of_fool", "right_of_fool", "winner", "same_as_first"), "who opens the next deals"
            ),
            RuleOption("dealer", ("loser",), "who deals next"),
            RuleOption(
                "touch_pack",
                ("becomes_fool", "cut_allowed", "cut_required", "unstated"),
                "what if another than the dealer touches the pack",
            ),
            RuleOption("opening", ("same_rank", "single", "pairs_plus_one"), "shape of the opening"),
            RuleOption(
                "throw_timing", ("any_time", "after_beaten"), "may cards be thrown in before the others are answered"
            ),
            RuleOption(
                "throwers", ("all_opponents", "neighbours", "principal"), "who may attack besides the principal"
            ),
            RuleOption("throw_order", ("priority", "handoff", "free"), "in which order they attack"),
            RuleOption("attack_limit", (6, None), "attack cards in a bout", counts=True),
            RuleOption("limit_by_hand", (True, False), "never more attack cards than the defender held"),
            RuleOption("low_limit", (None, 5), "a lower limit early in the deal", counts=True),
            RuleOption("low_limit_until", (None, "first_bout", "first_discard"), "until when the lower limit holds"),
            RuleOption("low_limit_gives", (True, False), "does the lower limit bind cards added after a take"),
            RuleOption("excess", ("defender_returns",), "who picks the cards that go back when there are too many"),
            RuleOption("transfer", (False, True), "may the attack be passed on"),
            RuleOption("transfer_when", ("no_beaten_card", "single_rank"), "until when it may be passed on"),
            RuleOption("transfer_show", ("off", "per_bout", "free"), "passing on by showing the trump of the rank"),
            RuleOption(
                "transfer_target", ("hand_covers", "unlimited"), "must the next hand cover what would lie before it"
            ),
            RuleOption("transfer_first_bout", (True, False), "may the attack be passed on in the first bout"),
            RuleOption("give_on", ("as_throw_in", "opening_rank_first_phase", "off"), "cards added after a take"),
            RuleOption("give_order", ("priority", "last_attacker_first", "free"), "in which order they are added"),
            RuleOption(
                "draw_order", ("attackers_then_defender", "clockwise_from_attacker"), "in which order hands draw"
            ),
            RuleOption("trump_swap", ("any", "ace_only", "off"), "may the lowest trump be exchanged for the turn-up"),
            RuleOption("teams", ("none", "2x2", "3x3"), "every other seat belongs together"),
            RuleOption(
                "defender_out_next", ("pass_turn", "same_attacker"), "who attacks after a defender went out beating"
            ),
            RuleOption("end_check", ("end_of_bout", "immediate"), "when an empty hand counts"),
            RuleOption("result", ("last_with_cards_loses", "first_out_wins"), "what an empty hand counts for"),
            RuleOption("all_out", ("draw", "defender_loses"), "what if nobody has cards left"),
            RuleOption("team_end", ("team_out", "first_player_out"), "when a team has won or lost"),
            RuleOption("score", ("losses",), "what a session counts, by player or by team"),
            RuleOption("etiquette", ("relaxed", "strict"), "is it asked whether leave was given, or only noted"),
        )
    }
)
"""Every option of docs/rules.md, 11 by name, in its order."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """
    One value for every option of docs/rules.md, 11; the defaults are ``podkidnoy-36``.

    >>> Rulebook().lowest_trump(Suit.HEARTS)
    Card(6h)
    """

    name: str = "podkidnoy-36"
    pack: int = 36
    hand_size: int = 6
    draw_to: str = "hand_size"
    turn_up: str = "under_talon"
    turn_up_no_talon: str = "dealers_last_card"
    ace_trump: str = "kept"
    redeal: str = "none"
    second_trump: str = "none"
    first_lead: str = "lowest_trump"
    no_trump: str = "left_of_dealer"
    one_without_trump: str = "trump_holder"
    later_lead: str = "left_of_fool"
    dealer: str = "loser"
    touch_pack: str = "becomes_fool"
    opening: str = "same_rank"
    throw_timing: str = "any_time"
    throwers: str = "all_opponents"
    throw_order: str = "priority"
    attack_limit: int | None = 6
    limit_by_hand: bool = True
    low_limit: int | None = None
    low_limit_until: str | None = None
    low_limit_gives: bool = True
    excess: str = "defender_returns"
    transfer: bool = False
    transfer_when: str = "no_beaten_card"
    transfer_show: str = "off"
    transfer_target: str = "hand_covers"
    transfer_first_bout: bool = True
    give_on: str = "as_throw_in"
    give_order: str = "priority"
    draw_order: str = "attackers_then_defender"
    trump_swap: str = "any"
    teams: str = "none"
    defender_out_next: str = "pass_turn"
    end_check: str = "end_of_bout"
    result: str = "last_with_cards_loses"
    all_out: str = "draw"
    team_end: str = "team_out"
    score: str = "losses"
    etiquette: str = "relaxed"

    def __post_init__(self) -> None:
        """Raise :class:`RulebookError` for options that contradict each other, with the reason as its text."""
        for sense, reason in (
            (
                not (self.transfer and self.teams != "none"),
                'transfer is played alone: expected teams "none" with transfer true',
            ),
            (
                self.transfer or self.transfer_show == "off",
                'showing a trump passes the attack on: expected transfer true with transfer_show "per_bout" or "free"',
            ),
            (
                (self.low_limit is None) == (self.low_limit_until is None),
                "a lower limit and its end belong together: expected both low_limit and low_limit_until, or neither",
            ),
            (
                self.all_out == "draw" or self.result == "last_with_cards_loses",
                'where the first out wins somebody has won before all are out: expected all_out "draw"',
            ),
            (
                self.team_end == "team_out" or self.teams != "none",
                'only a team can end so: expected teams "2x2" or "3x3" with team_end "first_player_out"',
            ),
            (
                self.team_end == "team_out" or self.result == "first_out_wins",
                'the first out wins for his team: expected result "first_out_wins" with team_end "first_player_out"',
            ),
        ):
            if not sense:
                raise RulebookError(reason)

    def check_seats(self, seats: int) -> None:
        """Raise :class:`RulebookError` where these rules can't be played by so many."""
        if self.name == FREE:
            return
        wanted = {"none": seats, "2x2": 4, "3x3": 6}[self.teams]
        if seats != wanted:
            raise RulebookError(f"expected {wanted} seats for teams {self.teams}, got {seats}")
        if self.name in PRESETS and seats not in PRESETS[self.name].players:
            allowed = PRESETS[self.name].players
            text = f"{allowed[0]}" if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}"
            raise RulebookError(f"expected {text} seats for {self.name}, got {seats}")
        if seats * self.hand_size > self.pack:
            raise RulebookError(
                f"expected a pack of at least {seats * self.hand_size} cards for {seats} hands of {self.hand_size}, "
                f"got {self.pack}"
            )
        if self.second_trump != "none" and self.talon_after_deal(seats) < 2:
            raise RulebookError(f"expected a talon for the second trump, got none with {seats} seats")

    def players(self) -> tuple[int, ...]:
        """
        Return the possible numbers of players; raise :class:`RulebookError` where there is none.

        >>> rulebook("podkidnoy-36").players(), rulebook("podkidnoy-36", {"pack": 24}).players()
        ((2, 3, 4, 5, 6), (2, 3, 4))
        """
        fits = []
        refused = []
        for seats in _TWO_TO_SIX if self.name == FREE else PRESETS[self.name].players:
            try:
                self.check_seats(seats)
            except RulebookError as error:
                refused.append(error)
            else:
                fits.append(seats)
        if not fits:
            raise refused[0]
        return tuple(fits)

    def talon_after_deal(self, seats: int) -> int:
        """Return the talon's count after the deal, the turn-up included (docs/rules.md, 1)."""
        return self.pack - seats * self.hand_size

    def lowest_trump(self, trump: Suit) -> Card:
        """Return the nine, six or two of trumps, the one card that may be exchanged (docs/rules.md, 8)."""
        return Card(PACK_SIZES[self.pack], trump)

    def cards(self) -> frozenset[Card]:
        """Return all cards of the pack."""
        return _PACKS[self.pack]

    def as_json(self) -> dict[str, Any]:
        """Return every option with its value, in the order of docs/rules.md, 11."""
        return {name: getattr(self, name) for name in OPTIONS}


_PACKS = {size: frozenset(pack(size)) for size in PACK_SIZES}


@dataclass(frozen=True, slots=True)
class Preset:
    """A rule set with a name: who can play it and what differs from ``podkidnoy-36``."""

    name: str
    players: tuple[int, ...]
    differs: Mapping[str, object]


_FRENCH: dict[str, object] = {
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

_FRENCH_HOUSE: dict[str, object] = {
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
}

_HEBREW: dict[str, object] = {
    "turn_up_no_talon": "shown_before_deal",
    "later_lead": "right_of_fool",
    "throw_order": "free",
    "give_order": "free",
    "trump_swap": "off",
    "all_out": "defender_loses",
    "touch_pack": "unstated",
}

_SPANISH: dict[str, object] = {
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

_TWO_TO_SIX = (2, 3, 4, 5, 6)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset("podkidnoy-36", _TWO_TO_SIX, {}),
            Preset("podkidnoy-teams-4", (4,), {"teams": "2x2"}),
            Preset("podkidnoy-teams-6", (6,), {"teams": "3x3"}),
            Preset("podkidnoy-neighbours", (5, 6), {"throwers": "neighbours"}),
            Preset("podkidnoy-first5", (4, 5, 6), {"low_limit": 5, "low_limit_until": "first_bout"}),
            Preset("podkidnoy-24", (2,), {"pack": 24}),
            Preset("podkidnoy-52", (5, 6), {"pack": 52}),
            Preset("severnyi", (2, 3, 4, 5), {"second_trump": "last_talon_card"}),
            Preset("perevodnoy", _TWO_TO_SIX, {"transfer": True}),
            Preset("french-2", (2,), _FRENCH),
            Preset("french-3", (3,), _FRENCH),
            Preset("french-4-teams", (4,), {**_FRENCH, "teams": "2x2", "team_end": "first_player_out"}),
            Preset("french-house-2", (2,), _FRENCH_HOUSE),
            Preset("hebrew", _TWO_TO_SIX, _HEBREW),
            Preset("hebrew-first5", _TWO_TO_SIX, {**_HEBREW, "low_limit": 5, "low_limit_until": "first_discard"}),
            Preset(
                "hebrew-transfer",
                _TWO_TO_SIX,
                {**_HEBREW, "transfer": True, "transfer_show": "per_bout", "transfer_target": "unlimited"},
            ),
            Preset("hebrew-in-turn", _TWO_TO_SIX, {**_HEBREW, "throw_order": "priority"}),
            Preset("spanish", _TWO_TO_SIX, _SPANISH),
            Preset("spanish-pairs", (4,), {**_SPANISH, "teams": "2x2"}),
            Preset(
                "durek-platkowy", _TWO_TO_SIX, {**_SPANISH, "pack": 52, "hand_size": 5, "opening": "pairs_plus_one"}
            ),
        )
    }
)
"""The rule sets that have a name (docs/rules.md, 12)."""


FREE = "free"
"""Rule set without rules: events are recorded and nothing is judged. Its one option is ``pack``."""


def rulebook(name: str, options: Mapping[str, object] | None = None) -> Rulebook:
    """
    Return the rulebook of a preset, with a table's own ``options`` in place of the preset's values.

    >>> rulebook("podkidnoy-36", {"attack_limit": 5}).attack_limit
    5
    >>> rulebook("podkidnoy-37")
    Traceback (most recent call last):
        ...
    referee.errors.RulebookError: expected a rule set such as podkidnoy-36 or perevodnoy (kozyr rules lists them), got 'podkidnoy-37'
    >>> rulebook("podkidnoy-36", {"pack": 32})
    Traceback (most recent call last):
        ...
    referee.errors.RulebookError: expected option pack to be one of 36, 24, 52, got 32
    """  # noqa: E501 - an error's text is one line
    if name == FREE:
        return _free({"pack": 52} | dict(options or {}))
    if name not in PRESETS:
        raise RulebookError(
            f"expected a rule set such as podkidnoy-36 or perevodnoy (kozyr rules lists them), got {name[:60]!r}"
        )
    changes: dict[str, Any] = {**PRESETS[name].differs, **(options or {})}
    for option, value in changes.items():
        if option not in OPTIONS:
            raise RulebookError(
                f"expected an option such as attack_limit or transfer (kozyr rules lists them), got {option[:60]!r}"
            )
        if not OPTIONS[option].allows(value):
            raise RulebookError(f"expected option {option} to be {OPTIONS[option].expected}, got {str(value)[:60]}")
    return replace(Rulebook(), name=name, **changes)


def _free(options: Mapping[str, object]) -> Rulebook:
    unknown = sorted(options.keys() - {"pack"})
    if unknown:
        raise RulebookError(f"expected no option of {FREE} but pack (it judges nothing), got {unknown[0][:60]!r}")
    pack_size = options["pack"]
    if not OPTIONS["pack"].allows(pack_size):
        raise RulebookError(f"expected option pack to be {OPTIONS['pack'].expected}, got {str(pack_size)[:60]}")
    assert isinstance(pack_size, int)
    return replace(Rulebook(), name=FREE, pack=pack_size)


if {each.name for each in fields(Rulebook)} != {"name", *OPTIONS}:  # pragma: no cover - a slip of ours
    raise RulebookError("the rulebook's fields and the options differ")
