"""What is known of the game before the first frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.cards import Card


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
        Read a position in mid-game (docs/record.md, *The state*): what lies in the bout is known already.

        >>> state = {"phase": "attack", "turnup": "9h", "talon": 12, "hands": {"A": 5}, "table": [["7s", "Ts"]]}
        >>> InitialState.resumed(state).bout
        (Card(7s), Card(Ts))
        >>> state |= {"talon": 36, "hands": {"A": 0}, "table": []}
        >>> InitialState.resumed(state | {"phase": "lead"}).dealt, InitialState.resumed(state | {"phase": "free"}).dealt
        (False, True)
        """
        bout = tuple(Card.parse(card) for pair in state["table"] for card in pair if card is not None)
        turnup = None if state["turnup"] is None else Card.parse(state["turnup"])
        is_free = state["phase"] == "free"  # no game: nobody counts hands and talon
        dealt = is_free or bool(bout) or any(state["hands"].values())
        return cls(turnup, state["talon"] if dealt and not is_free else None, bout, dealt, pack, not is_free)
