"""Declare moments: their actions of `kozyr matches`, routes and page, and the job that judges a match again."""

from __future__ import annotations

from features.moments.options import ExportOptions, MomentOptions, RejudgedMatchOptions, ReplayOptions
from webapp.features import Feature, JobKind, MatchesAction, Page
from webapp.loadable import Loadable

FEATURE = Feature(
    "moments",
    actions=(
        MatchesAction(
            "export",
            "Write the record, the game in notation, the film and what they were made with into a zip file.",
            ExportOptions,
            Loadable("features.moments.command:run_export"),
            after="show",
        ),
        MatchesAction(
            "rejudge",
            "Judge a match again, and say ruling by ruling what comes out differently.",
            RejudgedMatchOptions,
            Loadable("features.moments.rejudge:run"),
            after="delete",
        ),
        MatchesAction(
            "moment",
            "Pack a moment for others: the record, ten seconds of film, its cards, its calls.",
            MomentOptions,
            Loadable("features.moments.command:run_moment"),
            after="delete",
        ),
        MatchesAction(
            "replay-moment",
            "Judge a moment that was sent: its calls then, and those of its record and its film today.",
            ReplayOptions,
            Loadable("features.moments.command:run_replay"),
            after="delete",
            changes=dict.fromkeys(("from_film", "rules", "options")),
            of_match=False,
        ),
    ),
    routes=(Loadable("features.moments.routes:moments"),),
    pages=(Page("again", "Judge a kept match again", of_match=True),),
    page_parts={"match_ways": "match_again.html", "match_files": "match_packed.html", "match_films": "board_film.html"},
    jobs=(JobKind("rejudge", Loadable("features.moments.rejudge:rejudge_stored")),),
)
