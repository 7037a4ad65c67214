"""
The options of a match: everything that decides how it is opened, as frozen values.

The command line's parser, the set-up page and background jobs make them; ``webapp.live.session`` opens matches by them.
They hold no open file and can be sent to another process.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from referee.record import Header
from webapp.loadable import Loadable
from webapp.text.catalogue import LANGUAGES

DECK = "deck"
"""The option by which set-up names one of ``webapp.live.decks.Decks``."""
LONGEST_TABLE = 60
"""Most characters of a table's name."""
T = TypeVar("T")


def flag(*names: str, default: Any = None, **how: Any) -> Any:
    """
    Return a dataclass field that a command line sets. ``names``: its flags, none for a positional argument; ``how``:
    what ``argparse.ArgumentParser.add_argument`` takes (``webapp.commands.options.add_options``).
    """
    return field(default=default, metadata={"flags": names, **how})


OF_FEATURES = "of_features"


def of_features() -> Any:
    """Return a dataclass field for what features add to these options (``Feature.option_flags``), by name if given."""
    return field(default_factory=dict, metadata={OF_FEATURES: True})


def checked(read: Callable[[str], T] | Loadable[Callable[[str], T]]) -> Callable[[str], T]:
    """Wrap a parser as an argparse type whose error sentence reaches the user."""

    def convert(text: str) -> T:
        parse = read.load() if isinstance(read, Loadable) else read
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return convert


def table_name(text: str) -> str:
    """
    Parse the name of a table.

    >>> table_name(" Küche 2 ")
    'Küche 2'
    >>> table_name("")
    Traceback (most recent call last):
        ...
    ValueError: expected a name of 1 to 60 characters that can be printed on one line, got ''
    """
    name = text.strip()
    if not (name and name.isprintable() and len(name) <= LONGEST_TABLE):
        raise ValueError(
            f"expected a name of 1 to {LONGEST_TABLE} characters that can be printed on one line, got {text!r:.80}"
        )
    return name


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """
    Which networks read the cards. ``weights``: None for the shipped ones. ``of_features``: what features make of them,
    such as ``deck``, the deck that set-up has chosen among ``webapp.live.decks.Decks``.
    """

    weights: Path | None = flag("--weights", type=Path, metavar="FILE", help="other weights than the ones shipped")
    of_features: Mapping[str, Any] = of_features()

    @classmethod
    def of_deck(cls, weights: Path | None, deck: str | None) -> DetectorOptions:
        """Return the options for a deck that set-up has chosen, None for any deck."""
        return cls(weights, {} if deck is None else {DECK: deck})

    @property
    def deck(self) -> str | None:
        """Return the name of the players' own deck, None for any deck."""
        return self.of_features.get(DECK)

    @property
    def kept_deck(self) -> str | None:
        """Return that name where it is one of the user's decks, and not a file anywhere."""
        return None if self.deck is None or Path(self.deck).suffix else self.deck


@dataclass(frozen=True, slots=True)
class KeepingOptions:
    """
    Whether and where the match is kept.

    ``must_keep``: a store that cannot be used ends the command, else the match is played without. ``store``: its URL,
    ``films``: the folder of films; None for the usual ones. ``film``: record a film as well. ``table``: the table's
    name, None for this machine's. ``resume``: the ID of the match to continue, empty for the newest one of the table
    that has not ended, None to begin a new match. ``of_features``: who else learns of the match.
    """

    keep: bool = flag("--no-keep", default=False, action="store_false", help="do not keep the match")
    must_keep: bool = True
    of_features: Mapping[str, Any] = of_features()
    store: str | None = flag(
        "--store",
        metavar="URL",
        help="where matches are kept: sqlite:///FILE or postgresql://HOST/NAME (default: $KOZYR_STORE, else a file in "
        "$KOZYR_HOME)",
    )
    films: Path | None = flag(
        "--films",
        type=Path,
        metavar="DIR",
        help="where films of matches are kept (default: beside the store; thrown away after 30 days or beyond 20 GB)",
    )
    film: bool = flag("--no-film", default=True, action="store_false", help="do not film the match that is kept")
    table: str | None = flag(
        "--table", type=checked(table_name), metavar="NAME", help="the table's name (default: the name of this machine)"
    )
    resume: str | None = flag(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with this kept match (default: the newest of this table that has not ended)",
    )


@dataclass(frozen=True, slots=True)
class FileOptions:
    """
    The files of a match beside the store. ``start``: the header that was read. ``record``: where the record is written
    as well. ``zones``: where the places of seats, talon and discard pile are kept.
    """

    start: Path | None = None
    record: Path | None = flag("--record", type=Path, metavar="FILE", help="write the record (JSONL) there as well")
    zones: Path | None = flag(
        "--zones", type=Path, metavar="FILE", help="keep where seats, talon and heap were dragged to, for the next game"
    )


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """
    One match. ``source``: as ``vision.capture.sources.open_source`` takes it. ``language``: of the printed sentences.

    ``is_replay``: the source is a recording that is refereed once; its zones file is read and must exist.
    ``is_mirrored``: the pictures of a camera are turned back.
    """

    source: str
    header: Header
    language: str = LANGUAGES[0]
    detector: DetectorOptions = DetectorOptions()
    keeping: KeepingOptions = KeepingOptions()
    files: FileOptions = FileOptions()
    is_replay: bool = False
    is_mirrored: bool = False
