"""`kozyr watch`, and `kozyr` alone: a table, live or from a file, refereed with the dashboard."""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace
from pathlib import Path

from referee.record import Header
from referee.rulebook import FREE
from vision.capture.phone import PHONE
from vision.capture.sources import PICTURE_SUFFIXES, open_source
from webapp.commands.match_header import Wishes, header_for
from webapp.commands.shipped_recording import shipped_setup
from webapp.commands.table_of_games import serve_table
from webapp.errors import WrongCallError
from webapp.live.cameras import found_cameras
from webapp.live.game_setup import GameSetup
from webapp.live.remembered import last_games
from webapp.live.setup_desk import SetupDesk

logger = logging.getLogger(__name__)
AS_LAST_TIME = ("seats", "rules", "options", "deck", "tone")


def run_watch(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """A table, live or from a file, with the dashboard; set up on the page where nobody says who plays."""
    if arguments.resume is not None and (wishes != Wishes() or not arguments.keep):
        raise WrongCallError(
            "expected --resume without --no-keep and options about the match, got some of them; leave them away: "
            "a match goes on as it began"
        )
    is_seated = bool(wishes.seats or wishes.start or arguments.resume is not None or wishes.rules == FREE)
    return referee_table(arguments, header_for(wishes), arguments.source, paced=True, is_seated=is_seated)


def run_setup(arguments: argparse.Namespace) -> int:
    """A table about which nothing is said yet: everything is chosen on the page."""
    cameras = found_cameras()
    if not cameras:
        return serve_table(arguments, SetupDesk(shipped_setup(arguments.language), begins=False), must_keep=False)
    setup = GameSetup(source=cameras[0]["source"], language=arguments.language, recording=arguments.film)
    for game in last_games()[:1]:
        try:
            setup = setup.changed({key: game[key] for key in AS_LAST_TIME if key in game})
        except ValueError as error:
            logger.info("the last game can't be chosen again: %s", error)
    return serve_table(arguments, SetupDesk(setup, begins=False), must_keep=False)


def referee_table(
    arguments: argparse.Namespace,
    header: Header,
    spec: str,
    *,
    paced: bool,
    is_seated: bool = True,
    must_keep: bool = True,
) -> int:
    """
    Referee what ``spec`` shows, and serve the page meanwhile.

    ``is_seated``: does somebody say who plays? Else it is asked on the page. ``must_keep``: where the match can't be
    kept, though nobody asked for it to be, nothing is refereed.
    """
    setup = GameSetup.of(
        header, source=spec, deck=arguments.deck, language=arguments.language, recording=arguments.film
    )
    stills = Path(spec).is_dir() or Path(spec).suffix.lower() in PICTURE_SUFFIXES
    if not (is_seated or stills):
        if spec != PHONE:
            with open_source(spec):  # what was named at the command line is wrong there, not on the page
                pass
        if arguments.exit:
            raise WrongCallError(
                "expected the players' names, clockwise as the camera sees them, the first at the bottom edge, got "
                f"none; say them so: kozyr watch {spec} --seats Anna,Boris, or leave --exit away and say it on the page"
            )
        desk = SetupDesk(replace(setup, seats=(), dealer=None), begins=False)
        return serve_table(arguments, desk, paced=paced, must_keep=must_keep)
    return serve_table(arguments, SetupDesk(setup, begins=True), header=header, paced=paced, must_keep=must_keep)
