"""What the command line says about pairing. It imports nothing that takes time: every command is described at once."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_pairing_options(command: argparse.ArgumentParser) -> None:
    """Who is asked for a code, and where the codes are written."""
    command.add_argument(
        "--pair",
        choices=("always", "never"),
        help="ask for a code on this machine too, or ask nobody (default: ask everybody but this machine)",
    )
    command.add_argument(
        "--pairing", type=Path, metavar="FILE", help="write address, token and PIN there as JSON, readable by you alone"
    )
