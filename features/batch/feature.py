"""Declare many reviews side by side: `kozyr review` with `--out`, `--workers` and `--dask`."""

from __future__ import annotations

from features.batch.options import ManyReviewsOptions
from webapp.commands.options import STORED_IF_ASKED
from webapp.features import Command, Feature
from webapp.loadable import Loadable

FEATURE = Feature(
    "batch",
    commands=(
        Command(
            "review",
            "Referee a recorded game as fast as the machine allows.",
            (ManyReviewsOptions,),
            Loadable("features.batch.command:run"),
            STORED_IF_ASKED,
        ),
    ),
)
