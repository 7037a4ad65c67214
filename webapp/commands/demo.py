"""`kozyr demo`: play the recording that ships with the program, with the dashboard."""

from __future__ import annotations

import argparse

from webapp.commands.match_header import HeaderOptions, check_is_there, header_for, read_header
from webapp.commands.options import EVERYWHERE, THIS_MACHINE, TableOptions, read_options, table_options
from webapp.commands.watch import referee_table
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD


def call(arguments: argparse.Namespace) -> int:
    # Whoever goes on to a table of their own sets it up on a tablet or a phone, too, each of which needs a code.
    usual_host = THIS_MACHINE if arguments.exits else EVERYWHERE
    options = table_options(arguments, must_keep=False, is_paced=not arguments.exits, usual_host=usual_host)
    return run_demo(options, read_options(HeaderOptions, arguments))


def run_demo(options: TableOptions, header: HeaderOptions) -> int:
    check_is_there()
    start = None if header.start else (str(DEMO_RECORD), read_header(DEMO_RECORD))
    return referee_table(options, header_for(header, start, options.tone), str(DEMO_CLIP))
