"""Declare the trace: `kozyr trace`."""

from __future__ import annotations

from features.trace.options import TraceOptions
from webapp.commands.options import STORED_IF_ASKED
from webapp.features import Changes, Command, Feature
from webapp.loadable import Loadable

FROM_A_CLIP: Changes = {
    **STORED_IF_ASKED,
    **dict.fromkeys(("begin_s", "cuts_bars", "record", "keep", "store", "films", "film", "table")),
}

FEATURE = Feature(
    "trace",
    commands=(
        Command(
            "trace",
            "Show what every stage saw and thought of a moment of a recorded game.",
            (TraceOptions,),
            Loadable("features.trace.command:run"),
            FROM_A_CLIP,
            after="review",
        ),
    ),
)
