"""
The table at rest, before the first frame and later: the types between tracking and events.

An ``Observation`` is the table as it was when it was observed at rest; ``vision.actions`` names the difference of two
of them. There are no pixels and no arrays here: places are millimetres on the table, measured from the middle of the
picture, x to the right and y towards the seat at the bottom edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.cards import Card
from vision.geometry.pose import Pose
from vision.motion.hand_pass import Touch


@dataclass(frozen=True, slots=True)
class InitialState:
    """
    What is known of the game before the first frame, or when the table has to be looked at as if for the first time.

    ``turnup``: the card under the talon. ``talon``: cards in it, the turn-up with them. ``bout``: cards that lie there
    already. ``dealt``: False where the match begins before the deal. ``pack``: how many cards the pack has, None where
    it is not known. ``has_game``: without one no card is a turn-up, wherever it lies.
    """

    turnup: Card | None = None
    talon: int | None = None
    bout: tuple[Card, ...] = ()
    dealt: bool = False
    pack: int | None = None
    has_game: bool = True

    @property
    def has_talon(self) -> bool:
        """
        Check whether a talon may lie there: not if it is known to have run out; before the deal there is a pack.

        >>> InitialState.of({"talon": 0}).has_talon, InitialState.of(None).has_talon
        (False, True)
        """
        return not self.dealt or self.talon != 0

    @classmethod
    def of(cls, start: Mapping[str, object] | None, pack: int | None = None, has_game: bool = True) -> InitialState:
        """
        Read the ``start`` of a record's header (docs/record.md); None: before the deal.

        Without a game, as under rule set ``free``, nothing will be dealt.

        >>> InitialState.of({"turnup": "9h", "talon": 18}).turnup
        Card(9h)
        >>> InitialState.of(None).dealt, InitialState.of(None, has_game=False).dealt
        (False, True)
        """
        if start is None:
            return cls(dealt=not has_game, pack=pack, has_game=has_game)
        turnup, talon = start.get("turnup"), start.get("talon")
        return cls(
            None if turnup is None else Card.parse(turnup),
            talon if isinstance(talon, int) else None,
            dealt=True,
            pack=pack,
        )

    @classmethod
    def resumed(cls, state: Mapping[str, Any], pack: int | None = None) -> InitialState:
        """
        Read a position during a game (docs/record.md, *The state*); the cards of the bout are in it.

        >>> state = {"phase": "attack", "turnup": "9h", "talon": 12, "hands": {"A": 5}, "table": [["7s", "Ts"]]}
        >>> InitialState.resumed(state).bout
        (Card(7s), Card(Ts))
        >>> state |= {"talon": 36, "hands": {"A": 0}, "table": []}
        >>> InitialState.resumed(state | {"phase": "lead"}).dealt, InitialState.resumed(state | {"phase": "free"}).dealt
        (False, True)
        """
        bout = tuple(Card.parse(card) for pair in state["table"] for card in pair if card is not None)
        turnup = None if state["turnup"] is None else Card.parse(state["turnup"])
        is_free = state["phase"] == "free"  # no game: there are no counts of hands and talon
        dealt = is_free or bool(bout) or any(state["hands"].values())
        return cls(turnup, state["talon"] if dealt and not is_free else None, bout, dealt, pack, not is_free)


@dataclass(frozen=True, slots=True)
class LyingCard:
    """
    One face-up card at rest.

    ``key``: the same card keeps its key while it lies, also when it is knocked or hidden for a while. ``on``: key of
    the card it lies across, ``overlap`` the share of it that lies on that card. ``clear_at``: when the hand was clear
    of it. ``touched``: the hands that may have brought it. ``partly_overlaps``: key of the open card that it shares an
    edge with and lies across of none. ``is_blurred``: it is about to be seen more sharply than by now.
    """

    key: int
    card: Card
    confidence: float
    alternatives: tuple[tuple[Card, float], ...]
    pose: Pose
    on: int | None = None
    overlap: float = 0.0
    clear_at: float = 0.0
    touched: tuple[Touch, ...] = ()
    partly_overlaps: int | None = None
    is_blurred: bool = False


@dataclass(frozen=True, slots=True)
class Pile:
    """
    A face-down pile, talon or heap.

    ``changed_at``: when it last changed, in seconds, None if never. ``began_at``: when a pile came to lie there,
    None if it lay there from the start. ``grown_at``: when it last changed as by a card that came, None if never.
    """

    pose: Pose
    changed_at: float | None = None
    began_at: float | None = None
    grown_at: float | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A card that lay in the bout (or the turn-up) and is there no more, since ``at``."""

    key: int
    at: float
    touched: tuple[Touch, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """
    The table at rest, as far as it could be seen.

    ``bout``: face-up cards in the order they came to lie. ``talon`` and ``heap``: None where no such pile lies.
    ``hidden``: keys of cards that lie under a hand now and are taken to lie as before. ``gone``: what has left since
    the observation before. ``unread``: cards that lie there too and could not be read; their names are guesses.
    ``turnup_in_hand``: the turn-up was seen in a hand or pulled out, and no card has been found in its place since.
    ``missed``: keys of cards that this inference should have found and did not: they may have gone. ``is_waiting``: a
    card at rest waits for the name of the one that it lies on.
    """

    at: float
    bout: tuple[LyingCard, ...] = ()
    turnup: LyingCard | None = None
    talon: Pile | None = None
    heap: Pile | None = None
    gone: tuple[Gone, ...] = ()
    hidden: frozenset[int] = frozenset()
    unread: tuple[LyingCard, ...] = ()
    turnup_in_hand: bool = False
    missed: frozenset[int] = frozenset()
    is_waiting: bool = False

    def lying(self, key: int) -> LyingCard | None:
        """Return the card of the bout with that key, if it lies there."""
        return next((card for card in self.bout if card.key == key), None)
