"""The program's voice: lines on standard output, notes for people on standard error, apart from each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from webapp.errors import OutputLostError


def as_line(values: Mapping[str, Any]) -> str:
    """
    Return one JSON object as one line of text, without the line's end.

    >>> as_line({"event": "placed", "card": "9h"})
    '{"event": "placed", "card": "9h"}'
    """
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def say_text(text: str) -> None:
    """Print one line on standard output, at once; ``OutputLostError`` if it cannot be written."""
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever read it has gone; the command knows what to do
        raise
    except OSError as error:
        raise OutputLostError(
            f"The operating system refused: standard output: {error.strerror}; make room and run it again"
        ) from None


def say_json(values: Mapping[str, Any]) -> None:
    say_text(as_line(values))


def note(sentence: str) -> None:
    """Print a note for people on standard error; ignore a closed one."""
    try:
        print(f"kozyr: {sentence}", file=sys.stderr, flush=True)
    except OSError:
        return


def note_picture(picture: str) -> None:
    """Print a picture made of letters on standard error; nothing where its letters can't be shown there."""
    try:
        picture.encode(sys.stderr.encoding or "ascii")
        print(picture, file=sys.stderr, end="", flush=True)
    except (OSError, UnicodeEncodeError):
        return
