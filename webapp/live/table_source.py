"""Open a table's source: wait for a phone, open anything else at once."""

from __future__ import annotations

from collections.abc import Callable

from vision.capture.phone import PHONE
from vision.capture.sources import Source, open_source
from webapp.live.board import Board
from webapp.live.phone_camera import PhoneCamera, wait_for_phone


def open_table_source(spec: str, phone: PhoneCamera, board: Board, is_asked: Callable[[], bool]) -> Source | None:
    """
    Open a source for a table; ``SourceError`` if that fails.

    If the source is a phone, wait for it and report that on the page. None: another order came (``is_asked``).
    """
    return wait_for_phone(phone, board, is_asked) if spec == PHONE else open_source(spec)
