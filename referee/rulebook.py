"""
House rules as one frozen value, the presets (docs/rules.md, 11 and 12), and the ids of what breaks a rule.

A :class:`Rulebook` holds one value for every option. :func:`rulebook` builds one from a preset's name and the options
that a table changes; it refuses options that contradict each other, with the reason. Options are read from the
rulebook only; no other module keeps a copy of a limit, a pack or an order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import Any

from referee.cards import PACK_SIZES, Card, CardSet, Suit, pack
from referee.errors import RulebookError
from referee.fields import Json

Check = Callable[["Rulebook"], bool]

MOST_CARDS = 52
"""The largest count that an option may have: the size of the largest pack."""


@dataclass(frozen=True, slots=True)
class RuleOption:
    """
    One option: its values, the default first, and what it decides.

    ``counts``: any whole number from 1 to 52 will do as well as the values listed. ``is_common``: many houses change
    it, so the set-up page shows it first. ``needs``: what must hold of the other options, each with the reason.
    ``is_idle``: whether it decides nothing under these rules.
    """

    name: str
    values: tuple[object, ...]
    meaning: str
    counts: bool
    is_common: bool
    needs: tuple[tuple[Check, str], ...]
    is_idle: Check

    @property
    def default(self) -> object:
        return self.values[0]

    def allows(self, value: object) -> bool:
        """Check whether the option may have this value. ``true`` is not 1, and 6.0 is not a count."""
        if self.counts and type(value) is int:
            return 1 <= value <= MOST_CARDS
        return any(type(value) is type(permitted) and value == permitted for permitted in self.values)

    @property
    def expected(self) -> str:
        """Return the allowed values as text, for an error."""
        listed = ", ".join("null" if value is None else str(value).lower() for value in self.values)
        return f"a whole number from 1 to {MOST_CARDS}, or {listed}" if self.counts else f"one of {listed}"


def option(
    *values: object,
    means: str,
    counts: bool = False,
    common: bool = False,
    needs: tuple[tuple[Check, str], ...] = (),
    idle: Check = lambda rules: False,
) -> Any:
    """
    Declare an option of the rulebook; the arguments are those of :class:`RuleOption`.

    Records, ``--set``, ``kozyr rules`` and the set-up page take it from here, its sentences from the messages
    ``option.NAME.VALUE`` of the catalogues.
    """
    row = {"values": values, "meaning": means, "counts": counts, "is_common": common, "needs": needs, "is_idle": idle}
    return field(default=values[0], metadata=row)


def _no_transfer(rules: Rulebook) -> bool:
    return not rules.transfer


def _left_leads(rules: Rulebook) -> bool:
    return rules.first_lead == "left_of_dealer"


@dataclass(frozen=True, slots=True)
class Rulebook:
    """
    One value for every option of docs/rules.md, 11, each declared here; the defaults are ``podkidnoy-36``.

    >>> Rulebook().lowest_trump(Suit.HEARTS)
    Card(6h)
    """

    name: str = "podkidnoy-36"
    pack: int = option(36, 24, 32, 52, means="cards in play: from six, nine, seven, two")
    hand_size: int = option(6, means="cards dealt, and drawn up to", counts=True)
    draw_to: str = option("hand_size", "start_of_bout", means="what a hand is drawn up to")
    turn_up: str = option("under_talon", "dealers_last_card", means="where the card that names the trump lies")
    turn_up_no_talon: str = option("dealers_last_card", "shown_before_deal", means="the same when all cards are dealt")
    ace_trump: str = option(
        "kept", "redrawn", means="what if the turn-up is an ace", idle=lambda r: r.turn_up == "dealers_last_card"
    )
    redeal: str = option("none", "five_of_suit", "one_colour", means="which first hand, shown, has the deal done again")
    second_trump: str = option("none", "last_talon_card", means="does the last talon card name a new trump")
    first_lead: str = option(
        "lowest_trump", "left_of_dealer", "lowest_trump_itself", means="who opens the first deal of a session"
    )
    no_trump: str = option(
        "left_of_dealer", "redeal", "lowest_high_card", means="what if nobody holds a trump", idle=_left_leads
    )
    one_without_trump: str = option(
        "trump_holder", "no_trump_holder", means="who leads if only some hold one", idle=_left_leads
    )
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
    throwers: str = option(
        "all_opponents", "neighbours", "principal", means="who may attack besides the principal", common=True
    )
    throw_order: str = option(
        "priority",
        "handoff",
        "free",
        means="in which order they attack",
        idle=lambda r: r.throwers == "principal" and r.throw_order != "handoff",
    )
    attack_limit: int | None = option(6, None, means="attack cards in a bout", counts=True, common=True)
    limit_by_hand: bool = option(True, False, means="never more attack cards than the defender held")
    low_limit: int | None = option(
        None,
        5,
        means="a lower limit early in the deal",
        counts=True,
        common=True,
        needs=(
            (
                lambda r: (r.low_limit is None) == (r.low_limit_until is None),
                "a lower limit and its end belong together: expected both low_limit and low_limit_until, or neither",
            ),
        ),
    )
    low_limit_until: str | None = option(
        None, "first_bout", "first_discard", means="until when the lower limit holds", common=True
    )
    low_limit_gives: bool = option(
        True, False, means="does the lower limit bind cards added after a take", idle=lambda r: r.low_limit is None
    )
    excess: str = option(
        "defender_returns",
        means="who picks the cards that go back when there are too many",
        idle=lambda r: r.attack_limit is None and r.low_limit is None and not r.limit_by_hand,
    )
    transfer: bool = option(
        False,
        True,
        means="may the attack be passed on",
        common=True,
        needs=(
            (
                lambda r: not (r.transfer and r.teams != "none"),
                'transfer is played alone: expected teams "none" with transfer true',
            ),
        ),
    )
    transfer_when: str = option(
        "no_beaten_card", "single_rank", "one_unbeaten", means="until when it may be passed on", idle=_no_transfer
    )
    transfer_show: str = option(
        "off",
        "per_bout",
        "free",
        means="passing on by showing the trump of the rank",
        needs=(
            (
                lambda r: r.transfer or r.transfer_show == "off",
                'showing a trump passes the attack on: expected transfer true with transfer_show "per_bout" or "free"',
            ),
        ),
        idle=_no_transfer,
    )
    transfer_target: str = option(
        "hand_covers", "unlimited", means="must the next hand cover what would lie before it", idle=_no_transfer
    )
    transfer_first_bout: bool = option(
        True, False, means="may the attack be passed on in the first bout", idle=_no_transfer
    )
    give_on: str = option(
        "as_throw_in", "opening_rank_first_phase", "off", means="cards added after a take", common=True
    )
    give_order: str = option(
        "priority",
        "last_attacker_first",
        "free",
        means="in which order they are added",
        idle=lambda r: r.give_on == "off" or r.throwers == "principal",
    )
    draw_order: str = option("attackers_then_defender", "clockwise_from_attacker", means="in which order hands draw")
    trump_swap: str = option(
        "any",
        "ace_only",
        "off",
        means="may the lowest trump be exchanged for the turn-up",
        common=True,
        idle=lambda r: r.trump_swap != "off" and r.turn_up == "dealers_last_card",
    )
    teams: str = option("none", "2x2", "3x3", means="every other seat belongs together")
    defender_out_next: str = option(
        "pass_turn",
        "same_attacker",
        means="who attacks after a defender went out beating",
        idle=lambda r: r.result == "first_out_wins" and (r.teams == "none" or r.team_end == "first_player_out"),
    )
    end_check: str = option("end_of_bout", "immediate", means="when an empty hand counts")
    result: str = option("last_with_cards_loses", "first_out_wins", means="what an empty hand counts for")
    all_out: str = option(
        "draw",
        "defender_loses",
        means="what if nobody has cards left",
        needs=(
            (
                lambda r: r.all_out == "draw" or r.result == "last_with_cards_loses",
                'where the first out wins somebody has won before all are out: expected all_out "draw"',
            ),
        ),
        idle=lambda r: r.result == "first_out_wins",
    )
    team_end: str = option(
        "team_out",
        "first_player_out",
        means="when a team has won or lost",
        needs=(
            (
                lambda r: r.team_end == "team_out" or r.teams != "none",
                'only a team can end so: expected teams "2x2" or "3x3" with team_end "first_player_out"',
            ),
            (
                lambda r: r.team_end == "team_out" or r.result == "first_out_wins",
                'the first out wins for his team: expected result "first_out_wins" with team_end "first_player_out"',
            ),
        ),
        idle=lambda r: r.teams == "none",
    )
    score: str = option("losses", means="what a session counts, by player or by team")
    etiquette: str = option("relaxed", "strict", means="is it asked whether leave was given, or only noted")

    def __post_init__(self) -> None:
        """Raise :class:`RulebookError` for options that contradict each other, with the reason as its text."""
        for rule_option in fields(self):
            for holds, reason in rule_option.metadata.get("needs", ()):
                if not holds(self):
                    raise RulebookError(reason, rule_option.name)

    def check_seats(self, seats: int) -> None:
        """Raise :class:`RulebookError` where these rules can't be played by ``seats`` players."""
        if self.name == FREE:
            return
        wanted = {"none": seats, "2x2": 4, "3x3": 6}[self.teams]
        if seats != wanted:
            raise RulebookError(f"expected {wanted} seats for teams {self.teams}, got {seats}", "seats")
        if self.name in PRESETS and seats not in PRESETS[self.name].players:
            allowed = PRESETS[self.name].players
            text = f"{allowed[0]}" if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}"
            raise RulebookError(f"expected {text} seats for {self.name}, got {seats}", "seats")
        if seats * self.hand_size > self.pack:
            raise RulebookError(
                f"expected a pack of at least {seats * self.hand_size} cards for {seats} hands of {self.hand_size}, "
                f"got {self.pack}",
                "seats",
            )
        if self.second_trump != "none" and self.talon_after_deal(seats) < 2:
            raise RulebookError(f"expected a talon for the second trump, got none with {seats} seats", "seats")

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
        """Return the nine, seven, six or two of trumps, the one card that may be exchanged (docs/rules.md, 8)."""
        return Card(PACK_SIZES[self.pack], trump)

    def cards(self) -> CardSet:
        return _PACKS[self.pack]

    def as_json(self) -> Json:
        return {name: getattr(self, name) for name in OPTIONS}


OPTIONS: Mapping[str, RuleOption] = MappingProxyType(
    {field.name: RuleOption(field.name, **field.metadata) for field in fields(Rulebook) if field.metadata}
)
"""Every option by name, in the order of docs/rules.md, 11."""

_PACKS = {size: CardSet.of(pack(size)) for size in PACK_SIZES}


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
            Preset("podkidnoy-32", (2, 3, 4, 5), {"pack": 32}),
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
    referee.errors.RulebookError: expected a rule set such as podkidnoy-36 or perevodnoy (kozyr rules lists them), got 'podkidnoy-37'; did you mean podkidnoy-36?
    >>> rulebook("podkidnoy-36", {"pack": 40})
    Traceback (most recent call last):
        ...
    referee.errors.RulebookError: expected option pack to be one of 36, 24, 32, 52, got 40
    """  # noqa: E501 - an error's text is one line
    if name == FREE:
        return _free({"pack": 52} | dict(options or {}))
    if name not in PRESETS:
        alike = get_close_matches(name, PRESETS)
        meant = next((f"; did you mean {preset}?" for preset in PRESETS if preset in alike), "")
        raise RulebookError(
            f"expected a rule set such as podkidnoy-36 or perevodnoy (kozyr rules lists them), got {name[:60]!r}{meant}"
        )
    changes: Json = {**PRESETS[name].differs, **(options or {})}
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


class FaultId(Enum):
    """The ids of all faults (docs/record.md)."""

    __hash__ = object.__hash__  # there is one object of each, and hypotheses are compared by them

    NOT_IN_PACK = "not-in-pack"
    DEAD_CARD = "dead-card"
    DUPLICATE_CARD = "duplicate-card"
    CARD_IN_TALON = "card-in-talon"
    CARD_HELD_BY_OTHER = "card-held-by-other"
    NOT_IN_HAND = "not-in-hand"
    HAND_LEDGER = "hand-ledger"
    NOT_PRINCIPAL = "not-principal"
    NOT_DEFENDER = "not-defender"
    NOT_ENTITLED = "not-entitled"
    PLAYER_OUT = "player-out"
    PRIORITY = "priority"
    LOST_RIGHT = "lost-right"
    GIVE_ORDER = "give-order"
    OPENING_SHAPE = "opening-shape"
    LEAD_NOT_LOWEST_TRUMP = "lead-not-lowest-trump"
    PASS_OPENING = "pass-opening"
    TOO_EARLY = "too-early"
    RANK_NOT_ON_TABLE = "rank-not-on-table"
    LIMIT_EXCEEDED = "limit-exceeded"
    DOES_NOT_BEAT = "does-not-beat"
    NO_SUCH_ATTACK = "no-such-attack"
    ALREADY_BEATEN = "already-beaten"
    TAKE_IS_FINAL = "take-is-final"
    NOTHING_TO_TAKE = "nothing-to-take"
    TRANSFER_OFF = "transfer-off"
    TRANSFER_RANK = "transfer-rank"
    TRANSFER_AFTER_BEAT = "transfer-after-beat"
    TRANSFER_MIXED_RANKS = "transfer-mixed-ranks"
    TRANSFER_TARGET_SHORT = "transfer-target-short"
    NOTHING_TO_TRANSFER = "nothing-to-transfer"
    SHOW_OFF = "show-off"
    SHOW_NOT_TRUMP = "show-not-trump"
    SHOW_REPEATED = "show-repeated"
    GIVE_OFF = "give-off"
    UNBEATEN_CARDS = "unbeaten-cards"
    ATTACK_NOT_CLOSED = "attack-not-closed"
    TAKE_INCOMPLETE = "take-incomplete"
    HEAP_TOUCHED = "heap-touched"
    DRAW_NOT_DUE = "draw-not-due"
    DRAW_OUT_OF_TURN = "draw-out-of-turn"
    DRAW_TOO_MANY = "draw-too-many"
    DRAW_TOO_FEW = "draw-too-few"
    DRAW_PENDING = "draw-pending"
    DRAW_EMPTY = "draw-empty"
    SWAP_OFF = "swap-off"
    SWAP_WRONG_CARD = "swap-wrong-card"
    SWAP_TOO_LATE = "swap-too-late"
    SWAP_NOT_ORIGINAL = "swap-not-original"
    SWAP_ONLY_FOR_ACE = "swap-only-for-ace"
    TOUCHED_PACK = "touched-pack"
    FALSE_LEAD_CLAIM = "false-lead-claim"
    GAME_OVER = "game-over"

    def __str__(self) -> str:
        return self.value
