"""
The setup of the next game, shared by the page and the program.

Web threads read and change the setup. To begin a game, to end one or to choose another camera they leave an order here,
which wakes the main thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from msgspec import field
from msgspec.structs import replace

from referee.fields import PlainValue
from webapp.live.board import Condition, Snapshot
from webapp.live.game_setup import GameSetup
from webapp.live.position_proposal import (
    NOTHING_SEEN,
    Contradiction,
    SeenTable,
    contradictions,
    fitting_rules,
    proposed_start,
    values_for_seats,
)

CTRL_C_S = 0.5
"""
Seconds after which a wait is interrupted: ctrl-C ends no blocking wait on Windows, nor elsewhere where the system gives
the signal to another thread than the main one, as it does under strace.
"""


class GamePhase(Enum):
    """The phase of the table: a game is being set up, or one is on (and may be over)."""

    CHOOSING = "choosing"
    PLAYING = "playing"


class UnderWayError(Exception):
    """A change was refused since a game goes on. The text is one sentence."""


class ContradictedError(Exception):
    """A setup was refused since the camera sees something else. Nothing was changed; a person may insist."""

    def __init__(self, contradiction: Contradiction) -> None:
        super().__init__(contradiction.kind)
        self.contradiction = contradiction


class CameraView(PlainValue, frozen=True):
    """
    The camera's view of the table before a game, which ``GET /api/setup`` sends under ``view``.

    ``outline``: the table, as shares of the picture. ``table``: what it shows of a game that is under way. ``trouble``:
    why there is no view, or no game; ``cause``: ``deck`` where the chosen deck can't be used.
    """

    problems: tuple[Mapping[str, Any], ...] = ()
    cards: tuple[tuple[str, float], ...] = ()
    hands_at_deg: tuple[float, ...] = field(default=(), name="hands_at")
    trouble: str | None = None
    cause: str | None = None
    enrolment: Mapping[str, Any] | None = None
    outline: tuple[tuple[float, float], ...] = ()
    table: SeenTable = NOTHING_SEEN


class SharedSetup:
    """
    The setup, the phase of the table, and the order for the main thread. Thread-safe; all but ``view`` is changed here.

    ``is_asked``: there is an order that the main thread has not taken. ``enrols``: the deck that is being enrolled
    (``name``, ``pack``, ``order``), None if none is.
    """

    def __init__(self, setup: GameSetup, *, begins: bool) -> None:
        self._changed = threading.Condition()
        self.setup = setup
        self.phase = GamePhase.CHOOSING
        self._begins = begins
        self.is_asked = begins
        self._resumed: str | None = None
        self.enrols: Mapping[str, Any] | None = None
        self._insisted: frozenset[Contradiction] = frozenset()
        self.view = CameraView()

    @property
    def is_choosing(self) -> bool:
        """Check whether a game is being set up, and none is about to begin."""
        return self.phase is GamePhase.CHOOSING and not self._begins

    def change(
        self,
        values: Mapping[str, Any],
        newest: Snapshot,
        *,
        begin: bool | None = None,
        ends: bool = False,
        insists: bool = False,
        proposes: bool = False,
    ) -> GameSetup:
        """
        Change the setup; ``ValueError`` says what is invalid, ``UnderWayError`` that a card was already laid,
        ``ContradictedError`` that the camera sees another position.

        ``begin``: start the game now. None: restart a game that has begun, else begin as soon as the setup is complete.
        ``ends``: a game that goes on ends for this one.
        ``insists``: a person states it all the same; the same contradiction is not raised again. ``proposes``: adapt
        rules, dealer and position to ``seats``.
        """
        with self._changed:
            if self.is_under_way(newest) and not ends:
                raise UnderWayError(
                    'expected a change before the first card, got one in mid-game; end the game with {"end": true}'
                )
            setup = self.setup.changed(values_for_seats(self.setup, values, self.view.table) if proposes else values)
            is_other_source = setup.source != self.setup.source
            missing = (*setup.missing, *(() if is_other_source else self._lacks_picture(newest)))
            if begin and missing:
                raise ValueError(f"expected {MISSING[missing[0]]} before a game begins, got none; name it first")
            begins = begin or (begin is None and not missing)
            if not is_other_source and (begins or "start" in values):
                self._check_against_view(setup, insists=insists)
            self.setup = setup
            if is_other_source:
                self.view = CameraView()
            if begins:
                self._order(begins=True)
            elif is_other_source:
                self._order(begins=self._begins)
            return setup

    def missing(self, newest: Snapshot) -> tuple[str, ...]:
        """Return what a game needs and lacks: what has not been chosen, and ``picture`` while the camera sends none."""
        return (*self.setup.missing, *self._lacks_picture(newest))

    def _lacks_picture(self, newest: Snapshot) -> tuple[str, ...]:
        if self.phase is GamePhase.PLAYING or self.setup.source is None:
            return ()
        is_refused = self.view.trouble is not None and self.view.cause is None
        return ("picture",) if is_refused or newest.camera.condition in SENDS_NOTHING else ()

    def proposal(self) -> Mapping[str, Any] | None:
        """Return the position that the camera's view suggests, as a record header's ``start``; None: no players."""
        setup, table = self.setup, self.view.table
        trump = None if setup.start is None else setup.start.get("trump")
        return proposed_start(setup.rules, setup.options, setup.seats, table, trump)

    def _check_against_view(self, setup: GameSetup, *, insists: bool) -> None:
        """Raise ``ContradictedError`` if the view contradicts what nobody insisted on; the caller holds the lock."""
        if self.phase is GamePhase.PLAYING:
            return  # the view is of the time before the game
        found = contradictions(setup.rules, setup.options, setup.start, self.view.table)
        if insists:
            self._insisted |= frozenset(found)
        for contradiction in found:
            if contradiction not in self._insisted:
                raise ContradictedError(contradiction)

    def is_under_way(self, newest: Snapshot) -> bool:
        """Check whether a game goes on in which a card has been laid."""
        is_on = self.phase is GamePhase.PLAYING and not self.is_asked
        return is_on and has_begun(newest) and not is_over(newest)

    def resume(self, setup: GameSetup, match: str, newest: Snapshot) -> GameSetup:
        """
        Go on with a stored match, whose header gave ``setup``. ``UnderWayError`` while a game goes on that is watched.
        """
        with self._changed:
            if self.is_under_way(newest) and newest.camera.condition is not Condition.GIVEN_UP:
                raise UnderWayError("expected no game at the table, got one in mid-game; end it first")
            if setup.source is None:
                raise ValueError(f"expected {MISSING['source']} to go on with, got none; choose it first")
            self.setup = setup
            self._order(begins=True)
            self._resumed = match
            return setup

    def take_resumed(self) -> str | None:
        """Return the ID of the stored match to go on with, once; None: a new one begins."""
        with self._changed:
            resumed, self._resumed = self._resumed, None
            return resumed

    def next_game(
        self,
        newest: Snapshot,
        seats: tuple[str, ...] | None = None,
        *,
        turnup: str | None = None,
        insists: bool = False,
    ) -> GameSetup:
        """
        Set up the next game, dealt and led as was announced. ``UnderWayError`` while a game goes on.

        ``seats``: who plays now, if others or in other places; where the dealer's left was to lead, whoever sits there
        now does. ``ValueError`` where so many cannot play.

        ``turnup``: the card that the camera sees under the talon. If it is that of the game that ended,
        ``ContradictedError``, unless a person ``insists``: it would be taken for the turn-up of the next deal.
        """
        with self._changed:
            if self.is_under_way(newest):
                raise UnderWayError("expected the game to be over, got one in mid-game; end it first")
            ended = newest.view.state
            if turnup is not None and not insists and ended.get("talon") and turnup == ended.get("turnup"):
                raise ContradictedError(Contradiction("gathered", turnup, turnup))
            deal = next((call.content for call in reversed(newest.view.calls) if call.kind == "deal"), {})
            dealer = deal.get("dealer") or loser_of(newest.view.state.get("result"), self.setup.seats)
            lead = deal.get("leads")
            setup, before = self.setup, self.setup.seats
            dealer = dealer or setup.dealer
            if seats is not None and seats != before:
                leads_left = dealer in before and lead == _left_of(str(dealer), before)
                dealer = dealer if dealer in seats else None
                lead = _left_of(dealer, seats) if leads_left and dealer else lead if lead in seats else None
                rules, options = fitting_rules(setup.rules, setup.options, len(seats))
                setup = replace(setup, seats=seats, rules=rules, options=options)
            setup = replace(setup, start=None, lead=lead, dealer=dealer)
            setup.header()  # raises if so many cannot play
            self.setup = setup
            self._order(begins=True)
            return self.setup

    def play_again(self, newest: Snapshot) -> GameSetup:
        """Play a recording once more, as it was set up. ``UnderWayError`` while it goes on."""
        with self._changed:
            if self.phase is GamePhase.PLAYING and not is_over(newest):
                raise UnderWayError("expected the recording to be over, got one that goes on; end it first")
            self._order(begins=True)
            return self.setup

    def end(self) -> None:
        with self._changed:
            self._order(begins=False)

    def turn_back(self) -> None:
        with self._changed:
            self.setup = replace(self.setup, mirrored=True)

    def enrol(self, values: Mapping[str, Any] | None) -> None:
        with self._changed:
            self.enrols = values

    def learn_on(self, unstored: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Go on with a deck that could not be kept, unless people have asked for something else meanwhile."""
        with self._changed:
            if self.enrols is unstored:
                self.enrols = values

    def chosen_deck(self, name: str) -> None:
        with self._changed:
            self.enrols = None
            self.setup = replace(self.setup, deck=name)

    def _order(self, *, begins: bool) -> None:
        """Leave an order for the main thread and wake it; the caller holds the lock."""
        self._begins, self.is_asked, self._resumed = begins, True, None
        self._changed.notify_all()

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # --- the main thread ---

    def wait(self, until: Callable[[], bool] = lambda: False, timeout_s: float | None = None) -> bool:
        """
        Block until there is an order, until the time is up, or until ``until`` holds, which is checked after ``wake``.

        Return whether there is an order.
        """
        with self._changed:
            if timeout_s is not None:
                self._changed.wait_for(lambda: self.is_asked or until(), timeout_s)
            else:
                while not (self.is_asked or until()):
                    self._changed.wait(CTRL_C_S)
            return self.is_asked

    def take_up(self) -> GameSetup | None:
        with self._changed:
            begins, self._begins, self.is_asked = self._begins, False, False
            self.phase = GamePhase.PLAYING if begins else GamePhase.CHOOSING
            if begins:
                self.view, self._insisted = CameraView(), frozenset()
            return self.setup if begins else None

    def could_not(self, trouble: str) -> None:
        with self._changed:
            self.phase = GamePhase.CHOOSING
            self.view = CameraView(trouble=trouble)


SENDS_NOTHING = (Condition.LOST, Condition.GIVEN_UP)
"""Conditions of a camera with which no game begins."""
MISSING = {
    "source": "a camera or a film",
    "picture": "a picture of the camera",
    "seats": "two to six players",
    "trump": "the trump suit of the position",
    "talon": "the number of cards left in the draw pile",
}
"""What ``SharedSetup.missing`` names, in words."""


def has_begun(newest: Snapshot) -> bool:
    """Check whether a play was made or the game was decided, as by a player who gave up before the first card."""
    state = newest.view.state
    return any(newest.view.rulings.values()) or bool(state.get("table")) or state.get("result") is not None


def is_over(newest: Snapshot) -> bool:
    """Check whether the game is over: by its result, or with its film. A lost camera ends no game."""
    over = (Condition.ENDED, Condition.STOPPED)
    return newest.view.state.get("result") is not None or newest.camera.condition in over


def _left_of(name: str, seats: tuple[str, ...]) -> str:
    return seats[(seats.index(name) + 1) % len(seats)]


def loser_of(result: Mapping[str, Any] | None, seats: tuple[str, ...]) -> str | None:
    """
    Return who deals next by the usual rule: the fool, or the first seat that did not win; None after a draw.

    >>> loser_of({"kind": "fool", "seats": ["B"]}, ("A", "B"))
    'B'
    >>> loser_of({"kind": "winner", "seats": ["A"]}, ("A", "B")), loser_of({"kind": "draw", "seats": []}, ("A", "B"))
    ('B', None)
    """
    if result is None or not result.get("seats"):
        return None
    named = tuple(result["seats"])
    if str(result["kind"]).endswith("fool"):
        return str(named[0])
    if len(seats) - len(named) == 1:
        return next(seat for seat in seats if seat not in named)
    return None
