"""The options of the actions of `kozyr matches` that pack moments and judge again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.commands.match_header import HeaderOptions
from webapp.commands.options import MatchesOptions, language, same
from webapp.live.match_options import DetectorOptions, flag


@dataclass(frozen=True, slots=True)
class RejudgeOptions:
    """
    A stored match that is judged again, by its film or its record. ``rules``: None for those of the match.
    ``language``: of the sentences.
    """

    match: str = ""
    from_film: bool = flag(
        "--from-film", default=False, action="store_true", help="read its film with today's networks, not its record"
    )
    rules: str | None = same(HeaderOptions, "rules", help="by this rule set")
    options: tuple[tuple[str, Any], ...] = same(HeaderOptions, "options")
    detector: DetectorOptions = DetectorOptions()
    language: str = language()


@dataclass(frozen=True, slots=True)
class RejudgedMatchOptions:
    stored: MatchesOptions = MatchesOptions()
    asked: RejudgeOptions = RejudgeOptions()


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """A stored match that is written into a new zip file."""

    match: str = ""
    file: Path = flag(type=Path, metavar="FILE.zip", help="a new file")
    stored: MatchesOptions = MatchesOptions()


@dataclass(frozen=True, slots=True)
class MomentOptions:
    """A moment that is packed into a new zip file. ``film``: with pictures."""

    match: str = ""
    line: int = flag(type=int, metavar="LINE", help="the line of the record that it is about")
    file: Path = flag(type=Path, metavar="FILE.zip", help="a new file")
    film: bool = flag("--no-film", default=True, action="store_false", help="without pictures: the record alone")
    stored: MatchesOptions = MatchesOptions()


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """A moment that was sent, to be judged today; of ``asked`` the networks and the language count."""

    file: Path = flag(type=Path, metavar="FILE.zip", help="as 'kozyr matches moment' packed it")
    stored: MatchesOptions = MatchesOptions()
    asked: RejudgeOptions = RejudgeOptions()
