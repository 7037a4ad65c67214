"""The options of `kozyr hall`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.commands.options import ServingOptions, same, verbose
from webapp.live.match_options import KeepingOptions
from webapp.web.port import PORT

NOTIFY = "notify"
"""The option for the address that every line is posted to."""
HALL_PORT = PORT + 1
"""The port of a hall: another than a table's, which may run on the same machine."""


@dataclass(frozen=True, slots=True)
class HallOptions:
    store: str | None = same(KeepingOptions, "store")
    films: Path | None = same(KeepingOptions, "films")
    serving: ServingOptions = ServingOptions()
    verbose: int = verbose()
