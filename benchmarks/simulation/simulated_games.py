"""Simulate games: a setting and a number determine one game."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from benchmarks.simulation.breaking import BreakingSession
from benchmarks.simulation.clumsy_camera import Clumsiness, reported_clumsily
from benchmarks.simulation.erring_camera import Errors, ReportedLine, reported
from benchmarks.simulation.other_words import Words, in_other_words
from benchmarks.simulation.play import QuietSession
from benchmarks.simulation.truth import TrueGame
from referee.rulebook import rulebook
from tests.referee.house import HOUSES

EVERY_HOUSE = tuple((preset, players) for preset, (_, numbers) in HOUSES.items() for players in numbers)


RULES = ("mixed", "all", *HOUSES)
"""The games: a rule set; mixed: podkidnoy-36 in three of four games, else any; all: each in turn."""


WORDS = ("own", "foreign")
"""The form of the records: that of our pipeline, or of some other program (``other_words.py``)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """
    The settings of a simulation.

    ``level``: of the camera's errors (0 none, 1 usual, 2 twice as many). ``breakers``: share of steps against a rule.
    ``mended``: of the mistakes that might stand, the share that the others notice. ``blurred``: faults are reported
    with uncertainty too. ``silent_wrong``: share of cards and seats reported wrongly without any. ``rules``: one of
    :data:`RULES`. ``clumsy``: level of systematic errors (0 none, 1 as on the development clips; ``clumsy_camera.py``).
    ``words``: the form of the record, one of :data:`WORDS`. ``deals``: most deals of a game.
    """

    seed: int = 21
    level: float = 1.0
    breakers: float = 0.0
    mended: float = 0.7
    blurred: bool = False
    silent_wrong: float = 0.0
    rules: str = "mixed"
    clumsy: float = 0.0
    words: str = "own"
    deals: int = 1


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """A true game and the record that the camera reports of it: its header is line 1, ``reported[0]`` is line 2."""

    number: int
    truth: TrueGame
    reported: tuple[ReportedLine, ...]

    def record(self) -> list[dict[str, Any]]:
        """Return the reported record that the referee gets."""
        return [self.truth.header, *(line.event for line in self.reported)]

    def true_record(self) -> list[dict[str, Any]]:
        """Return the true lines, each with the reported one that belongs to it."""
        reported_on = {line.true: number for number, line in enumerate(self.reported, start=2) if line.true is not None}
        return self.truth.as_record(reported_on)


def game_of(number: int, setting: Setting) -> SimulatedGame:
    """Return the game of this number."""
    tries = 0
    while True:
        # The same cards are dealt and played at every level; a deal that never ends is replaced.
        rng = random.Random(f"{setting.seed}/{number}/{tries}")
        preset, players = _table(number, setting.rules, rng)
        if setting.breakers:
            session: QuietSession = BreakingSession(preset, players, rng, setting.breakers, setting.mended)
        else:
            session = QuietSession(preset, players, rng)
        truth = session.play(setting.deals)
        tries += 1
        if truth is not None:
            break
    words_rng = random.Random(f"{setting.seed}/{number}/words")
    words = Words.by_lot(words_rng) if setting.words == "foreign" else None
    alike = words is None or words_rng.random() < 0.5
    errors = Errors.at(setting.level, setting.silent_wrong, setting.blurred, alike)
    seen = reported(truth, errors, session.house["pack"], random.Random(f"{setting.seed}/{number}/camera"))
    pack = sorted(str(card) for card in rulebook(truth.header["rules"]).cards())
    if setting.clumsy:
        rng = random.Random(f"{setting.seed}/{number}/clumsy")
        seen = reported_clumsily(seen, truth.header["seats"], pack, Clumsiness.at(setting.clumsy), rng)
    if words is not None:
        seen = in_other_words(seen, truth.lines, truth.header["seats"], pack, words, words_rng)
    return SimulatedGame(number, truth, tuple(seen))


def _table(number: int, rules: str, rng: random.Random) -> tuple[str, int]:
    if rules == "all":
        return EVERY_HOUSE[number % len(EVERY_HOUSE)]
    if rules == "mixed":
        return ("podkidnoy-36", rng.choice((2, 3, 4))) if number % 4 else rng.choice(EVERY_HOUSE)
    numbers = HOUSES[rules][1]
    return rules, rng.choice([players for players in numbers if players <= 4] or numbers)
