"""`kozyr demo`: the recording that ships with the program, with the dashboard."""

from __future__ import annotations

import argparse

from webapp.commands.match_header import Wishes, header_for, read_header
from webapp.commands.shipped_recording import DEMO_CLIP, DEMO_RECORD, check_is_there
from webapp.commands.watch import referee_table


def run_demo(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """The shipped recording, with the dashboard."""
    check_is_there()
    start = None if wishes.start else (str(DEMO_RECORD), read_header(DEMO_RECORD))
    header = header_for(wishes, start)
    return referee_table(arguments, header, str(DEMO_CLIP), paced=not arguments.exit, must_keep=False)
