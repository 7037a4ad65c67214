"""The command line of `kozyr matches`: its actions and their options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from webapp.commands.option_groups import (
    Parsers,
    add_films_option,
    add_language_option,
    add_set_option,
    add_weights_option,
)


def add_matches_parser(subparsers: Parsers) -> argparse.ArgumentParser:
    """Add the parser of ``kozyr matches`` and return it."""
    what = "List, show, judge again, export and delete kept matches; say how often everybody was the fool."
    top: argparse.ArgumentParser = subparsers.add_parser("matches", help=what, description=what, allow_abbrev=False)
    top.set_defaults(action="list", module="matches")
    _add_common_options(top)
    actions = top.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, help_: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        return made

    def about_match(name: str, help_: str) -> argparse.ArgumentParser:
        made = action(name, help_)
        made.add_argument("match", metavar="ID", help="the match, as 'kozyr matches' lists it")
        return made

    show = about_match("show", "Header, events, rulings and announcements, in order.")
    export = about_match(
        "export", "Write the record, the game in notation, the film and what they were made with into a zip file."
    )
    export.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    delete = about_match("delete", "Forget a match for good.")
    delete.add_argument("--yes", action="store_true", help="yes, for good")
    rejudge = about_match("rejudge", "Judge a match again, and say ruling by ruling what comes out differently.")
    rejudge.add_argument("--from-film", action="store_true", help="read its film with today's networks, not its record")
    rejudge.add_argument("--rules", metavar="NAME", help="by this rule set")
    add_set_option(rejudge)
    moment = about_match("moment", "Pack a moment for others: the record, ten seconds of film, its cards, its calls.")
    moment.add_argument("line", type=int, metavar="LINE", help="the line of the record that it is about")
    moment.add_argument("file", type=Path, metavar="FILE.zip", help="a new file")
    moment.add_argument("--no-film", dest="film", action="store_false", help="without pictures: the record alone")
    replay = action(
        "replay-moment", "Judge a moment that was sent: its calls then, and those of its record and its film today."
    )
    replay.add_argument("file", type=Path, metavar="FILE.zip", help="as 'kozyr matches moment' packed it")
    for made in (rejudge, replay):
        add_weights_option(made)
        made.add_argument("--deck", metavar="NAME", help="your own deck, shown before with 'kozyr enrol NAME'")
        add_language_option(made)
    rejudge.set_defaults(module="rejudge")
    for made in (moment, replay):
        made.set_defaults(module="moments")
    pictures = action(
        "labelled",
        "Keep cards that people put right as labelled pictures for training, on this machine (off unless you say so).",
    )
    wish = pictures.add_mutually_exclusive_group()
    wish.add_argument("--on", dest="wish", action="store_const", const="on", help="keep them from now on")
    wish.add_argument("--off", dest="wish", action="store_const", const="off", help="keep none from now on")
    wish.add_argument("--delete", dest="wish", action="store_const", const="delete", help="delete all that were kept")
    scores = action("scores", "Evenings and scores: who played, who was the fool how often, teams and streaks.")
    scores.add_argument("--csv", action="store_true", help="a row for each player of each evening, for spreadsheets")
    for made in (show, export, delete, rejudge, moment, replay, pictures, scores):
        _add_common_options(made, default=argparse.SUPPRESS)
    return top


def _add_common_options(parser: argparse.ArgumentParser, **default: Any) -> None:
    # The same before the action or after it; SUPPRESS keeps a value given before.
    parser.add_argument("--json", action="store_true", help="one JSON object per line", **default)
    parser.add_argument("--store", metavar="URL", help="another store than the usual one", **default)
    add_films_option(parser, **default)
