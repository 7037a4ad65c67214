"""
House rules as one frozen value, and the presets (docs/rules.md, 11 and 12).

A :class:`Rulebook` holds one value for every option. :func:`rulebook` builds one from a preset's name and the options
that a table changes; it refuses options that contradict each other, with the reason. Options are read from the
rulebook only; no other module keeps a copy of a limit, a pack or an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
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


def option(*values: object, means: str, counts: bool = False) -> Any:
    """Return the field of a rulebook's option: its values, the default first, and what it decides."""
    return field(default=values[0], metadata={"values": values, "means": means, "counts": counts})


@dataclass(frozen=True, slots=True)
class Rulebook:
    """
    One value for every option of docs/rules.md, 11, each declared here; the defaults are ``podkidnoy-36``.

    >>> Rulebook().lowest_trump(Suit.HEARTS)
    Card(6h)
    """

    name: str = "podkidnoy-36"
    pack: int = option(36, 24, 52, means="cards in play: from six, nine, two")
    hand_size: int = option(6, means="cards dealt, and drawn up to", counts=True)
    draw_to: str = option("hand_size", "start_of_bout", means="what a hand is drawn up to")
    turn_up: str = option("under_talon", "dealers_last_card", means="where the card that names the trump lies")
    turn_up_no_talon: str = option("dealers_last_card", "shown_before_deal", means="the same when all cards are dealt")
    ace_trump: str = option("kept", "redrawn", means="what if the turn-up is an ace")
    redeal: str = option("none", "five_of_suit", means="which first hand, shown, has the deal done again")
    second_trump: str = option("none", "last_talon_card", means="does the last talon card name a new trump")
    first_lead: str = option("lowest_trump", "left_of_dealer", means="who opens the first deal of a session")
    no_trump: str = option("left_of_dealer", "redeal", "lowest_high_card", means="what if nobody holds a trump")
    one_without_trump: str = option("trump_holder", "no_trump_holder", means="who leads if only some hold one")
    later_lead: str = option(
        "left_of_fool", "right_of_fool", "winner", "same_as_first", means="who opens the next deals"
    )
    dealer: str = option("loser", means="who deals next")
    touch_pack: str = option(
        "becomes_fool",
        "cut_allowed",
        "cut_required",
        "unstated",
        means="what if another than the dealer touches the pack",
    )
    opening: str = option("same_rank", "single", "pairs_plus_one", means="shape of the opening")
    throw_timing: str = option(
        "any_time", "after_beaten", means="may cards be thrown in before the others are answered"
    )
    throwers: str = option("all_opponents", "neighbours", "principal", means="who may attack besides the principal")
    throw_order: str = option("priority", "handoff", "free", means="in which order they attack")
    attack_limit: int | None = option(6, None, means="attack cards in a bout", counts=True)
    limit_by_hand: bool = option(True, False, means="never more attack cards than the defender held")
    low_limit: int | None = option(None, 5, means="a lower limit early in the deal", counts=True)
    low_limit_until: str | None = option(None, "first_bout", "first_discard", means="until when the lower limit holds")
    low_limit_gives: bool = option(True, False, means="does the lower limit bind cards added after a take")
    excess: str = option("defender_returns", means="who picks the cards that go back when there are too many")
    transfer: bool = option(False, True, means="may the attack be passed on")
    transfer_when: str = option("no_beaten_card", "single_rank", means="until when it may be passed on")
    transfer_show: str = option("off", "per_bout", "free", means="passing on by showing the trump of the rank")
    transfer_target: str = option("hand_covers", "unlimited", means="must the next hand cover what would lie before it")
    transfer_first_bout: bool = option(True, False, means="may the attack be passed on in the first bout")
    give_on: str = option("as_throw_in", "opening_rank_first_phase", "off", means="cards added after a take")
    give_order: str = option("priority", "last_attacker_first", "free", means="in which order they are added")
    draw_order: str = option("attackers_then_defender", "clockwise_from_attacker", means="in which order hands draw")
    trump_swap: str = option("any", "ace_only", "off", means="may the lowest trump be exchanged for the turn-up")
    teams: str = option("none", "2x2", "3x3", means="every other seat belongs together")
    defender_out_next: str = option("pass_turn", "same_attacker", means="who attacks after a defender went out beating")
    end_check: str = option("end_of_bout", "immediate", means="when an empty hand counts")
    result: str = option("last_with_cards_loses", "first_out_wins", means="what an empty hand counts for")
    all_out: str = option("draw", "defender_loses", means="what if nobody has cards left")
    team_end: str = option("team_out", "first_player_out", means="when a team has won or lost")
    score: str = option("losses", means="what a session counts, by player or by team")
    etiquette: str = option("relaxed", "strict", means="is it asked whether leave was given, or only noted")

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


OPTIONS: Mapping[str, RuleOption] = MappingProxyType(
    {
        each.name: RuleOption(each.name, each.metadata["values"], each.metadata["means"], each.metadata["counts"])
        for each in fields(Rulebook)
        if each.metadata
    }
)
"""Every option by name, in the order of docs/rules.md, 11."""

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
