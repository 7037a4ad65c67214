"""Declare moments: their actions of `kozyr matches`, routes and page, and the job that judges a match again."""

from __future__ import annotations

from features.moments.options import ExportOptions, MomentOptions, RejudgedMatchOptions, ReplayOptions
from webapp.features import Action, Feature, JobKind, Named, Page

FEATURE = Feature(
    "moments",
    actions=(
        Action(
            "export",
            "Write the record, the game in notation, the film and what they were made with into a zip file.",
            ExportOptions,
            Named("features.moments.command:run_export"),
            after="show",
        ),
        Action(
            "rejudge",
            "Judge a match again, and say ruling by ruling what comes out differently.",
            RejudgedMatchOptions,
            Named("features.moments.rejudge:run"),
            after="delete",
        ),
        Action(
            "moment",
            "Pack a moment for others: the record, ten seconds of film, its cards, its calls.",
            MomentOptions,
            Named("features.moments.command:run_moment"),
            after="delete",
        ),
        Action(
            "replay-moment",
            "Judge a moment that was sent: its calls then, and those of its record and its film today.",
            ReplayOptions,
            Named("features.moments.command:run_replay"),
            after="delete",
            changes=dict.fromkeys(("from_film", "rules", "options")),
            of_match=False,
        ),
    ),
    routes=(Named("features.moments.routes:moments"),),
    pages=(Page("again", "Judge a kept match again", of_match=True),),
    page_parts={"match_ways": "match_again.html", "match_files": "match_packed.html"},
    jobs=(JobKind("rejudge", Named("features.moments.rejudge:rejudge_kept")),),
)
