"""Run `kozyr` alone: a game is set up on the page, then refereed live."""

from __future__ import annotations

import argparse
import logging

from webapp.commands.match_header import shipped_setup
from webapp.commands.option_groups import EVERYWHERE, table_options
from webapp.commands.options import TableOptions
from webapp.commands.table_of_games import serve_table
from webapp.live.cameras import found_cameras
from webapp.live.game_setup import GameSetup
from webapp.live.remembered import last_games
from webapp.live.setup_desk import SetupDesk

logger = logging.getLogger(__name__)
AS_LAST_TIME = ("seats", "rules", "options", "deck", "tone")


def call(arguments: argparse.Namespace) -> int:
    """Run `kozyr` alone."""
    # Games are set up on a tablet or a phone, each of which needs a code.
    return run_setup(table_options(arguments, must_keep=False, usual_host=EVERYWHERE))


def run_setup(options: TableOptions) -> int:
    """Serve a table whose game, camera and players are chosen on the page."""
    cameras = found_cameras()
    if not cameras:
        return serve_table(options, SetupDesk(shipped_setup(options.language), begins=False))
    setup = GameSetup(source=cameras[0]["source"], language=options.language, recording=options.keeping.film)
    for game in last_games()[:1]:
        try:
            setup = setup.changed({key: game[key] for key in AS_LAST_TIME if key in game})
        except ValueError as error:
            logger.info("the last game can't be chosen again: %s", error)
    return serve_table(options, SetupDesk(setup, begins=False))
