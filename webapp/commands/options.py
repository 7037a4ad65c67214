"""The options of each command as frozen values, made from the parsed command line by the command's ``call``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from referee.cards import Card
from referee.errors import RulebookError
from referee.record import Header
from referee.rulebook import OPTIONS, rulebook
from webapp.commands.match_header import HeaderOptions
from webapp.errors import WrongCallError
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions, MatchOptions
from webapp.text.catalogue import LANGUAGES


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """A rule set, options of it, and the language of the sentences; None and empty: as the record has it."""

    rules: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    language: str = LANGUAGES[0]

    def check(self) -> None:
        """Raise ``WrongCallError`` for an unknown rule set, option or value."""
        try:
            if self.rules is not None:
                rulebook(self.rules, dict(self.options))
            for name, value in self.options:
                if name not in OPTIONS or not OPTIONS[name].allows(value):
                    rulebook("podkidnoy-36", {name: value})
        except RulebookError as error:
            raise WrongCallError(str(error)) from None

    def header(self, header: Header) -> Header:
        """Return the record's header with these rules and options."""
        if self.rules is not None:
            header = replace(header, rules=self.rules, options={})
        return replace(header, options={**header.options, **dict(self.options)}) if self.options else header


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """
    Where the page is served and who may open it.

    ``port``: None for the usual one. ``pair``: who is asked for a code, ``always`` everybody, ``never`` nobody, None
    everybody but this machine. ``pairing``: the file for address, token and PIN.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    tls: bool = False
    pair: str | None = None
    pairing: Path | None = None
    opens_browser: bool = True


@dataclass(frozen=True, slots=True)
class TableOptions:
    """
    A table with its page, on which one game after another is refereed.

    ``exits``: end when the source ends. ``is_paced``: play a video at its own speed, else as fast as possible.
    ``notify``: the address that every line is posted to.
    """

    serving: ServingOptions = ServingOptions()
    detector: DetectorOptions = DetectorOptions()
    keeping: KeepingOptions = KeepingOptions()
    files: FileOptions = FileOptions()
    language: str = LANGUAGES[0]
    as_json: bool = False
    exits: bool = False
    is_paced: bool = True
    notify: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """
    One recorded game, or one kept match by its ID. ``begin_s``: the second of the clip to begin at. ``cuts_bars``: are
    bars and panels beside the film's picture cut off?
    """

    clip: str
    header: HeaderOptions = HeaderOptions()
    begin_s: float = 0.0
    language: str = LANGUAGES[0]
    detector: DetectorOptions = DetectorOptions()
    keeping: KeepingOptions = KeepingOptions()
    files: FileOptions = FileOptions()
    cuts_bars: bool = True

    def match(self, header: Header) -> MatchOptions:
        """Return the options of the match under its header."""
        return MatchOptions(self.clip, header, self.language, self.detector, self.keeping, self.files, is_replay=True)


@dataclass(frozen=True, slots=True)
class ReviewsOptions:
    """
    Several recorded games, each reviewed by ``each``. ``out``: the folder of results, None to print them.
    ``workers``: processes side by side, ``dask``: the address of a scheduler; both only with ``out``.
    """

    clips: tuple[str, ...]
    each: ReviewOptions
    out: Path | None = None
    workers: int = 1
    dask: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """A moment of a recorded game, from ``begin_s`` to ``end_s``, shown in the folder ``out``."""

    review: ReviewOptions
    begin_s: float
    end_s: float
    out: Path
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Still pictures to read."""

    pictures: tuple[str, ...]
    header: HeaderOptions = HeaderOptions()
    detector: DetectorOptions = DetectorOptions()
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class EnrolOptions:
    """
    A deck to learn. ``source``: what shows the cards, None to rename cards only. ``order``: the order in which they are
    shown. ``adds``: keep what was learnt of this deck before. ``renamings``: (name so far, true name).
    """

    name: str
    source: str | None = None
    pack: int | None = None
    order: tuple[Card, ...] = ()
    adds: bool = False
    renamings: tuple[tuple[Card, Card], ...] = ()
    weights: Path | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """
    A record, a game in notation or a kept match to analyse.

    ``playouts``: for each decision, None for the usual number. ``workers``: decisions that are rated side by side.
    """

    source: str
    playouts: int | None = None
    seed: int = 0
    workers: int = 1
    dask: str | None = None
    store: str | None = None
    language: str = LANGUAGES[0]
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """A record or a notation to convert. ``to``: the format to write where no file ending shows it."""

    source: str
    target: str
    to: str | None = None
    overwrites: bool = False


@dataclass(frozen=True, slots=True)
class RefereeOptions:
    """A record to judge. ``with_states``: print the position after each event as well."""

    record: str
    rules: RuleOptions = RuleOptions()
    as_json: bool = False
    with_states: bool = False
