"""The options of `kozyr convert`."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.live.match_options import flag


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """A record or a notation to convert. ``to``: the format to write where no file ending shows it."""

    source: str = flag(metavar="INPUT", help="a record or a game in notation; - is standard input")
    target: str = flag(metavar="OUTPUT", help="the file to write; - is standard output")
    to: str | None = flag("--to", choices=("record", "notation"), help="what to write, where no file ending tells")
    overwrites: bool = flag("--force", default=False, action="store_true", help="overwrite OUTPUT if it is there")
