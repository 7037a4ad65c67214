"""The options of `kozyr analyse`."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.commands.options import MOST_WORKERS, as_json, language, same, verbose, whole
from webapp.live.match_options import KeepingOptions, flag

MOST_PLAYOUTS = 10_000_000
SEED_DIGITS = 18


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """
    A record, a game in notation or a stored match to analyse.

    ``playouts``: for each decision, None for the usual number. ``workers``: decisions that are rated side by side.
    """

    source: str = flag(metavar="RECORD|MATCH", help="a record, a game in notation, or a kept match's ID")
    playouts: int | None = flag(
        "--playouts",
        type=whole(f"a number of playouts from 1 to {MOST_PLAYOUTS}", 1, MOST_PLAYOUTS),
        metavar="N",
        help="games played out for each decision (1000)",
    )
    seed: int = flag(
        "--seed",
        default=0,
        type=whole(f"a whole number of at most {SEED_DIGITS} digits as seed", 1 - 10**SEED_DIGITS, 10**SEED_DIGITS - 1),
        metavar="S",
        help="the same seed gives the same lines",
    )
    workers: int = flag(
        "--workers",
        default=1,
        type=whole(f"a number of workers from 1 to {MOST_WORKERS}", 1, MOST_WORKERS),
        metavar="N",
        help="so many decisions side by side",
    )
    dask: str | None = flag("--dask", metavar="ADDRESS", help="on the workers of this Dask scheduler")
    as_json: bool = as_json()
    language: str = language()
    store: str | None = same(KeepingOptions, "store")
    verbose: int = verbose()
