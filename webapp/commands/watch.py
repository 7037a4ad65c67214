"""Run `kozyr watch` and `kozyr` alone: referee a table, live or from a file, with its page."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgspec.structs import replace

from referee.record import Header
from referee.rulebook import FREE
from vision.capture.phone import PHONE
from vision.capture.sources import PICTURE_SUFFIXES, open_source
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.options import EVERYWHERE, THIS_MACHINE, TableOptions, read_options, table_options
from webapp.commands.table_of_games import serve_table
from webapp.errors import WrongCallError
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup


def call(arguments: argparse.Namespace) -> int:
    usual_host = EVERYWHERE if arguments.source == PHONE else THIS_MACHINE  # a phone reaches no other
    options = table_options(arguments, must_keep=True, usual_host=usual_host)
    return run_watch(arguments.source, options, read_options(HeaderOptions, arguments))


def run_watch(source: str, options: TableOptions, header: HeaderOptions) -> int:
    """Referee what ``source`` shows, with the dashboard; the game is set up on the page where no players are named."""
    resume = options.keeping.resume
    if resume is not None and (header != HeaderOptions() or options.tone is not None or not options.keeping.keep):
        raise WrongCallError(
            "expected --resume without --no-keep and options about the match, got some of them; leave them away: "
            "a match goes on as it began"
        )
    is_seated = bool(header.seats or header.start or resume is not None or header.rules == FREE)
    return referee_table(options, header_for(header, tone=options.tone), source, is_seated=is_seated)


def referee_table(options: TableOptions, header: Header, source: str, *, is_seated: bool = True) -> int:
    """
    Referee what ``source`` shows, and serve the page; return the exit status.

    ``is_seated``: the players are known, else they are asked for on the page.
    """
    setup = GameSetup.of(
        header, source=source, deck=options.detector.deck, language=options.language, recording=options.keeping.film
    )
    stills = Path(source).is_dir() or Path(source).suffix.lower() in PICTURE_SUFFIXES
    if is_seated or stills:
        return serve_table(options, SharedSetup(setup, begins=True), header)
    if source != PHONE:
        with open_source(source):  # a wrong source is an error of the command line, not of the page
            pass
    if options.exits:
        raise WrongCallError(
            "expected the players' names, clockwise as the camera sees them, the first at the bottom edge, got "
            f"none; name them: kozyr watch {source} --seats Anna,Boris, or leave --exit away and name them on the page"
        )
    return serve_table(options, SharedSetup(replace(setup, seats=(), dealer=None), begins=False))
