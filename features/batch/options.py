"""The options of `kozyr review` where it reviews many clips."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.commands.options import MOST_WORKERS, ReviewOptions, ReviewsOptions, same, whole
from webapp.live.match_options import flag


@dataclass(frozen=True, slots=True)
class ManyReviewsOptions:
    """
    Several recorded games, each reviewed by ``each``. ``out``: the folder of results, None to print them.
    ``workers``: processes side by side, ``dask``: the address of a scheduler; both only with ``out``.
    """

    clips: tuple[str, ...] = same(ReviewsOptions, "clips")
    out: Path | None = flag(
        "--out", type=Path, metavar="DIR", help="write each clip's lines into DIR/NAME.jsonl; what is there is skipped"
    )
    workers: int = flag(
        "--workers",
        default=1,
        type=whole(f"a number of workers from 1 to {MOST_WORKERS}", 1, MOST_WORKERS),
        metavar="N",
        help="with --out: so many clips side by side",
    )
    dask: str | None = flag("--dask", metavar="ADDRESS", help="with --out: on the workers of this Dask scheduler")
    each: ReviewOptions = ReviewOptions()
