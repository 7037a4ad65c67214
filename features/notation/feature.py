"""Declare the notation: `kozyr convert`, the routes that read and write it, and the page for pasting a game."""

from __future__ import annotations

from features.notation.options import ConvertOptions
from webapp.features import Command, Feature, Page
from webapp.loadable import Loadable

FEATURE = Feature(
    "notation",
    commands=(
        Command(
            "convert",
            "Turn a record (.jsonl) into the notation (.durak), or back.",
            (ConvertOptions,),
            Loadable("features.notation.command:run"),
            after="matches",
        ),
    ),
    routes=(
        Loadable("features.notation.routes:notation_interface"),
        Loadable("features.notation.routes:written_matches"),
    ),
    pages=(Page("notation", "Paste a game in notation and step through it", "notation_link", of_referee=True),),
    page_parts={"match_files": "written_match.html", "match_films": "game_address.html"},
)
