"""
List the features: packages under `features/` that hang on beside the referee, each whole.

This module alone names them. A feature declares itself as ``FEATURE`` in ``features/NAME/feature.py``, which is light
to import: what takes time stands there as a ``Loadable``, and is imported when it is first needed. A tree without
`features/`, or without one of its packages, has a shorter list.

The core asks this list where a feature may have its part. What the core hands to a feature is declared in modules that
do not know the list (an import contract), so no import goes round in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from webapp.loadable import Loadable

if TYPE_CHECKING:
    from flask import Blueprint

    from vision.detection.card_detector import NetworkCardDetector
    from webapp.live.board import BoardFollower, SnapshotHub
    from webapp.live.decks import Decks
    from webapp.live.match_options import DetectorOptions, KeepingOptions
    from webapp.live.picture_reader import OpensPictures
    from webapp.store.matches import Matches
    from webapp.web.app_services import AppConfig

NAMES = ("analysis", "notation", "trace", "enrolment", "stills", "hall", "batch", "moments")
"""Packages of `features/`. Commands and actions that follow the same one of the core stand in this order."""
PLACE = Path(__file__).parent.parent / "features"

Arguments: TypeAlias = Mapping[str, object]
"""What ``argparse.ArgumentParser.add_argument`` takes; under ``flags`` the names of the argument."""
Changes: TypeAlias = Mapping[str, Arguments | None]
"""By field what its argument has otherwise in one command; None: the command does not offer it."""
NO_CHANGES: Changes = MappingProxyType({})


if TYPE_CHECKING:
    Routes: TypeAlias = Callable[[AppConfig], Blueprint]
    WrapsDetector: TypeAlias = Callable[[NetworkCardDetector, DetectorOptions, int], NetworkCardDetector]
    Reporters: TypeAlias = Callable[
        [SnapshotHub, Matches | None, str, str | None, KeepingOptions], Iterable[BoardFollower]
    ]


@dataclass(frozen=True, slots=True)
class Command:
    """
    A command of `kozyr`.

    ``options``: dataclasses whose fields are its arguments. ``run``: called with the options where there is one such
    class, else with what was parsed; returns the exit status. ``changes``: what its arguments have otherwise than the
    fields say. ``after``: the command of the core that it follows in the list; a command with the name of one of the
    core takes its place.
    """

    name: str
    summary: str
    options: tuple[type, ...]
    run: Loadable[Callable[..., int]]
    changes: Changes = field(default_factory=dict)
    after: str = ""
    is_for_players: bool = False


@dataclass(frozen=True, slots=True)
class MatchesAction:
    """
    An action of `kozyr matches`.

    ``options``: a dataclass whose fields are its arguments; one of type ``MatchesOptions`` holds those of all actions.
    ``run``: called with the options; returns the exit status. ``after``: the action of the core that it follows.
    ``of_match``: it takes the ID of a match.
    """

    name: str
    summary: str
    options: type
    run: Loadable[Callable[..., int]]
    after: str
    changes: Changes = field(default_factory=dict)
    of_match: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """
    A page that needs nothing of the server but its template, ``NAME.html``, at ``/NAME``.

    ``word``: its name in the row of links of the stored matches, a word of the catalogues; empty: no link.
    ``of_match``: it stands at ``/matches/MATCH/NAME``. ``of_matches``: a program that keeps none says so there.
    ``of_referee``: only referees see the link.
    """

    name: str
    summary: str
    word: str = ""
    of_match: bool = False
    of_matches: bool = False
    of_referee: bool = False


@dataclass(frozen=True, slots=True)
class JobKind:
    """
    Work of minutes on a stored match, or what else its route names, run in its own process.

    ``work(tools, match, request)``: ``tools`` are ``webapp.live.background_jobs.JobTools``, ``request`` is what the
    route handed to ``LongWork.start``; its result is that of the job.
    """

    name: str
    work: Loadable[Callable[..., object]]


@dataclass(frozen=True, slots=True)
class Feature:
    """
    What a feature adds to the program.

    ``commands``, ``actions`` (of `kozyr matches`), ``routes``, ``pages`` and ``jobs``: its own.
    ``routes_elsewhere``: routes of another program of the feature, which are described but not served.
    ``option_flags``: by class of the core's options and by name the arguments that it adds there. The values stand in
    that class's field ``of_features``.
    ``wraps_detector(detector, options, pack_size)``: returns the detector that a match uses.
    ``decks``: the decks that players have shown. ``opens_pictures``: reads single pictures in place of a game.
    ``reporters(board, matches, table, address, keeping)``: threads that pass on what happens at a table.
    ``player_facts(matches, name)``: keys that it adds to the answer about a player.
    ``page_parts``: by place on a page of the core the template that is put there.
    """

    name: str
    commands: tuple[Command, ...] = ()
    actions: tuple[MatchesAction, ...] = ()
    routes: tuple[Loadable[Routes], ...] = ()
    routes_elsewhere: tuple[Loadable[Routes], ...] = ()
    pages: tuple[Page, ...] = ()
    page_parts: Mapping[str, str] = field(default_factory=dict)
    jobs: tuple[JobKind, ...] = ()
    option_flags: Mapping[type, Mapping[str, Arguments]] = field(default_factory=dict)
    wraps_detector: Loadable[WrapsDetector] | None = None
    decks: Loadable[Decks] | None = None
    opens_pictures: Loadable[OpensPictures] | None = None
    reporters: Loadable[Reporters] | None = None
    player_facts: Loadable[Callable[[Matches, str], Mapping[str, object]]] | None = None

    @property
    def folder(self) -> Path:
        """Return the folder of the package, which may hold ``templates`` and ``static``."""
        return PLACE / self.name


@cache
def features() -> tuple[Feature, ...]:
    """Return the features of this tree, in the order of ``NAMES``."""
    found: list[Loadable[Feature]] = [
        Loadable(f"features.{name}.feature:FEATURE") for name in NAMES if (PLACE / name / "feature.py").is_file()
    ]
    return tuple(loadable.load() for loadable in found)


def flags_of_features(kind: type) -> Mapping[str, Arguments]:
    """Return by name the arguments that features add to a class of the core's options."""
    return {name: how for feature in features() for name, how in feature.option_flags.get(kind, {}).items()}
