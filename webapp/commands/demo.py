"""`kozyr demo`: the recording that ships with the program, with the dashboard."""

from __future__ import annotations

import argparse
from pathlib import Path

from webapp.commands.match_header import Wishes, header_for, read_header
from webapp.commands.watch import referee_table
from webapp.errors import UnusableInputError

RECORDINGS = Path(__file__).parent.parent / "recordings"
DEMO_CLIP = RECORDINGS / "demo.mp4"
DEMO_RECORD = RECORDINGS / "demo.jsonl"
"""The truth of the shipped recording. Only its first line is used here: where the game begins."""


def run_demo(arguments: argparse.Namespace, wishes: Wishes) -> int:
    """The shipped recording, with the dashboard."""
    if not (DEMO_CLIP.is_file() and DEMO_RECORD.is_file()):
        raise UnusableInputError(f"expected the recording {DEMO_CLIP}, found none; install kozyr anew")
    start = None if wishes.start else (str(DEMO_RECORD), read_header(DEMO_RECORD))
    header = header_for(wishes, start)
    return referee_table(arguments, header, str(DEMO_CLIP), paced=not arguments.exit, must_keep=False)
