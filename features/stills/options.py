"""The options of `kozyr read`."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.commands.match_header import HeaderOptions
from webapp.commands.options import as_json, language, verbose
from webapp.live.match_options import DetectorOptions, flag


@dataclass(frozen=True, slots=True)
class ReadOptions:
    pictures: tuple[str, ...] = flag(metavar="PICTURE", nargs="+", help="a picture (JPEG, PNG, ...)")
    header: HeaderOptions = HeaderOptions()
    detector: DetectorOptions = DetectorOptions()
    language: str = language()
    as_json: bool = as_json()
    verbose: int = verbose()
