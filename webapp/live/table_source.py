"""The source that a table was given, opened: a phone is waited for, everything else is there or is not."""

from __future__ import annotations

from collections.abc import Callable

from vision.capture.phone import PHONE
from vision.capture.sources import Source, open_source
from webapp.live.board import Board
from webapp.live.phone_camera import PhoneCamera, wait_for_phone


def open_table_source(spec: str, phone: PhoneCamera, board: Board, is_asked: Callable[[], bool]) -> Source | None:
    """
    Open a source for a table; ``SourceError`` where that can't be done.

    A phone may be anywhere: it is waited for, and the page says so. None: something else ``is_asked`` meanwhile.
    """
    return wait_for_phone(phone, board, is_asked) if spec == PHONE else open_source(spec)
