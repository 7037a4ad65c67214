"""Run `kozyr` alone: a game is set up on the page, then refereed live."""

from __future__ import annotations

import argparse
import json
import logging
from http.client import HTTPConnection, HTTPException

from webapp.commands.match_header import shipped_setup
from webapp.commands.options import EVERYWHERE, THIS_MACHINE, TableOptions, table_options
from webapp.commands.table_of_games import serve_table
from webapp.errors import UnusableInputError
from webapp.live.cameras import found_cameras
from webapp.live.game_setup import GameSetup
from webapp.live.remembered import last_games
from webapp.live.shared_setup import SharedSetup
from webapp.output import note
from webapp.web.port import PORT
from webapp.web.serving import open_browser

logger = logging.getLogger(__name__)
ANSWER_S = 3.0
"""Seconds to wait for an answer of the program that uses the usual port. Chosen by hand, 2026-11."""
MOST_ANSWER_BYTES = 100_000
AS_LAST_TIME = ("seats", "rules", "options", "deck", "tone")


def call(arguments: argparse.Namespace) -> int:
    # Games are set up on a tablet or a phone, each of which needs a code.
    options = table_options(arguments, must_keep=False, usual_host=EVERYWHERE)
    try:
        return run_setup(options)
    except UnusableInputError:
        if options.serving.port is not None or not is_kozyr_at(PORT):
            raise
    # Opened a second time, as by another double click: show the page of the program that runs.
    page = f"http://{THIS_MACHINE}:{PORT}/"
    note(f"kozyr runs already; its page is at {page}")
    if options.serving.opens_browser:
        open_browser(page)
    return 0


def is_kozyr_at(port: int) -> bool:
    """Check whether the program that serves this port of this machine is kozyr."""
    connection = HTTPConnection(THIS_MACHINE, port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/health")
        answer = json.loads(connection.getresponse().read(MOST_ANSWER_BYTES))
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(answer, dict) and isinstance(answer.get("ok"), bool)


def run_setup(options: TableOptions) -> int:
    cameras = found_cameras()
    if not cameras:
        return serve_table(options, SharedSetup(shipped_setup(options.language), begins=False))
    setup = GameSetup(source=cameras[0]["source"], language=options.language, recording=options.keeping.film)
    for game in last_games()[:1]:
        try:
            setup = setup.changed({key: game[key] for key in AS_LAST_TIME if key in game})
        except ValueError as error:
            logger.info("the last game can't be chosen again: %s", error)
    return serve_table(options, SharedSetup(setup, begins=False))
