"""Locate the recording that ships with the program, and set up its game, which begins in mid-deal."""

from __future__ import annotations

from pathlib import Path

from referee.record import Header
from webapp.commands.match_header import read_header
from webapp.errors import UnusableInputError
from webapp.live.game_setup import GameSetup
from webapp.text.catalogue import LANGUAGES

RECORDINGS = Path(__file__).parent.parent / "recordings"
DEMO_CLIP = RECORDINGS / "demo.mp4"
DEMO_RECORD = RECORDINGS / "demo.jsonl"
"""The truth of the shipped recording. Only its first line is used here: where the game begins."""


def check_is_there() -> None:
    """Raise ``UnusableInputError`` if the recording was not installed."""
    if not (DEMO_CLIP.is_file() and DEMO_RECORD.is_file()):
        raise UnusableInputError(f"expected the recording {DEMO_CLIP}, found none; reinstall kozyr")


def shipped_setup(language: str = LANGUAGES[0]) -> GameSetup:
    """Return the setup of the shipped game."""
    check_is_there()
    header = Header.parse(read_header(DEMO_RECORD))
    return GameSetup.of(header, source=str(DEMO_CLIP), language=language)
