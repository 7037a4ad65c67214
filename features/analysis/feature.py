"""Declare the analysis of matches that are over: `kozyr analyse`, its job, its routes and the page of puzzles."""

from __future__ import annotations

from features.analysis.options import AnalyseOptions
from webapp.features import Command, Feature, JobKind, Page
from webapp.loadable import Loadable

FEATURE = Feature(
    "analysis",
    commands=(
        Command(
            "analyse",
            "Rate the plays of a match that is over: what each cost, and what was best.",
            (AnalyseOptions,),
            Loadable("features.analysis.command:run"),
            after="matches",
            is_for_players=True,
        ),
    ),
    routes=(Loadable("features.analysis.routes:analyses"),),
    pages=(
        Page(
            "puzzles",
            "Endings of kept games in which one decision alone does not lose",
            "puzzles_title",
            of_matches=True,
        ),
        Page("summary", "How a game went: its turning point, best and costliest plays", of_match=True),
        Page("mistakes", "Costly decisions of a game, to be tried again", of_match=True),
    ),
    page_parts={"after_game": "after_game.html"},
    jobs=(JobKind("analyse", Loadable("features.analysis.stored_analyses:analyse_stored")),),
    player_facts=Loadable("features.analysis.stored_analyses:analysed_matches"),
)
