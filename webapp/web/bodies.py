"""
The JSON objects that requests send, as structs, and the numbers in their addresses.

What is read here is what `GET /api/openapi.json` describes.

Events (`POST /api/press`, `/api/correct`) are those of a record; the choices of a set-up are in
``webapp/live/game_setup.py``, a phone's report in ``webapp/live/phone_camera.py``.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from referee.fields import MISFITS, misfit, parse_card
from webapp.live.game_setup import SetupChoices
from webapp.live.series import MOST_LOSSES

T = TypeVar("T")
STREAMS = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://")

A_SERIES = "to how many losses a series is played, or null"
A_DECK = 'a deck to learn such as {"name": "blue", "pack": 36}'
Line = Annotated[int, Meta(description="the number of a line")]


class Refusal(Struct, frozen=True):
    """
    The answer to a request that is refused: the reason in one sentence. ``text``: the same for players, in the language
    of the request, where pages cannot tell it from the status.
    """

    error: str
    text: str | UnsetType = UNSET


class Switch(Struct, frozen=True):
    """Whether something shall be on."""

    on: bool


class CommentBody(Struct, frozen=True):
    """A comment on a line; an empty one deletes it."""

    line: Line
    comment: str


class AnswerBody(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the `answers` of an open matter: `answer`, and what it names (`card`, `by`)."""

    line: Line
    answer: str
    card: str | UnsetType = UNSET
    by: str | UnsetType = UNSET


class CameraBody(Struct, frozen=True):
    """The number of a camera of this machine."""

    source: Annotated[str, Meta(max_length=20, description="a camera number such as 0")]


class EnrolmentBody(Struct, frozen=True):
    """A deck to learn from its cards; `order` as `kozyr enrol --order`; `finish` keeps what was learnt."""

    name: Annotated[str, Meta(description="the name of a deck")]
    pack: Annotated[Literal[24, 32, 36, 52], Meta(description="a pack of 24, 32, 36 or 52 cards")] = 36
    order: Annotated[str, Meta(description="the order of the cards such as '6s-As,6h-Ah'")] = ""
    finish: bool | None = False


class SetupBody(SetupChoices, frozen=True, kw_only=True, omit_defaults=True):
    """Choices of a set-up and orders beside them; `enrol` null stops the enrolment."""

    again: bool = False
    begin: bool | UnsetType = UNSET
    end: bool = False
    next: bool = False
    insist: bool = False
    propose: bool = False
    resume: Annotated[str, Meta(description="the ID of a kept match")] | UnsetType = UNSET
    series: Annotated[int, Meta(ge=1, le=MOST_LOSSES, description=A_SERIES)] | UnsetType | None = UNSET
    enrol: Annotated[EnrolmentBody, Meta(description=A_DECK)] | UnsetType | None = UNSET


class FilmBody(SetupChoices, frozen=True, kw_only=True, omit_defaults=True):
    """A film that is about to be sent, and by which rules it was played."""

    name: str
    bytes: int


class BodyError(ValueError):
    """A request's body that can't be read: status 400."""


def read_object(body: bytes, example: str) -> dict[str, Any]:
    """Read a JSON object; ``BodyError`` if it is none. ``example``: what is expected, such as an object."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BodyError(f"expected {example}, got something else")
    return values


def read_body(body: bytes, kind: type[T], example: str) -> T:
    """
    Read a request's JSON; ``BodyError`` says what was expected.

    >>> read_body(b'{"on": 1}', Switch, 'JSON such as {"on": true}')
    Traceback (most recent call last):
        ...
    webapp.web.bodies.BodyError: expected JSON such as {"on": true} with "on" to be true or false, got 1
    """
    values = read_object(body, example)
    try:
        return convert(values, kind, dec_hook=parse_card)
    except MISFITS:
        reason = str(misfit(values, kind, "it")).removeprefix("expected ")
        raise BodyError(f"expected {example} with {reason}") from None


LARGEST = 2**31 - 1
"""Frames, lines and bytes of a piece stay below it, and every store can compare with it."""


LATEST_MS = 1e14
"""Wall clock in milliseconds since 1970 that is still accepted: the year 5138."""


def whole(text: str) -> int:
    """
    Read a whole number, for ``request.args.get(..., type=whole)``: ``ValueError`` makes that the default.

    >>> whole("12"), whole("-1")
    (12, -1)
    >>> whole("9223372036854775808")
    Traceback (most recent call last):
        ...
    ValueError: expected a number up to 2147483647
    """
    number = int(text) if len(text) <= 20 else LARGEST + 1
    if abs(number) > LARGEST:
        raise ValueError(f"expected a number up to {LARGEST}")
    return number


def seconds(text: str) -> float:
    """Read a finite time in seconds; ``ValueError`` for anything else."""
    value = float(text)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError("expected seconds")
    return value


def wall_clock_ms(text: str) -> float:
    """Read a moment in milliseconds since 1970, before the year 5138; ``ValueError`` for anything else."""
    value = float(text)
    if not 0 <= value <= LATEST_MS:
        raise ValueError("expected milliseconds since 1970")
    return value
