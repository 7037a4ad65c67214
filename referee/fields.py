"""
Read JSON values of records and requests into typed values (``msgspec``), and say in one sentence what doesn't fit.

The description of a type is written once: the JSON Schema has it, and the error for a value that is none of the type,
such as ``expected "count" to be a whole number of at least 1, got 0``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from msgspec import Meta, Struct, UnsetType, ValidationError, convert, to_builtins
from msgspec.structs import fields

from referee.cards import Card
from referee.errors import RecordError

T = TypeVar("T")

Json = dict[str, Any]
"""A JSON object that is read from text or written as text."""

Facts = Mapping[str, Any]
"""A read-only mapping from names to values: cards, counts, names of seats, or parts of a JSON object."""

Name = Annotated[str, Meta(description="the name of a seat")]
Number = Annotated[float, Meta(ge=-1e12, le=1e12, description="a number")]
Probability = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]
Count = Annotated[int, Meta(ge=0, le=10_000, description="a whole number from 0 to 10,000")]
Ordinal = Annotated[int, Meta(ge=1, le=10_000, description="a whole number from 1 to 10,000")]
LineNumber = Annotated[int, Meta(ge=1, le=10_000_000, description="the number of a line, from 1")]
Cards = Annotated[tuple[Card, ...], Meta(description="a list of cards")]

MISFITS = (ValidationError, UnicodeError)
"""Raised for values of a wrong type; ``UnicodeError`` for half a surrogate pair where a number or a word should be."""

_WORDS = {
    Card: "a card such as '9h' or 'Ts'",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    tuple: "a list",
}
"""Descriptions of types without one of their own; any other type is ``an object``."""


class RecordMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of a record, written without keys that have their default, in every process the same."""

    def __reduce__(self) -> tuple[object, ...]:
        # msgspec omits a text that is the default itself, not an equal one, as another process would unpickle it.
        named = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return partial(type(self), **{name: value for name, value, default in named if value != default}), ()


class PlainValue(Struct, frozen=True):
    """A value that JSON shows as it is, field by field."""

    def as_json(self) -> Json:
        """Return the fields by name."""
        return cast("Json", plain(to_builtins(self, enc_hook=dict)))


def fail(expected: str, got: object) -> RecordError:
    """Return an error that states what was expected and what came, shortened."""
    text = repr(got)
    return RecordError(f"expected {expected}, got {text if len(text) <= 80 else text[:77] + '...'}")


def read(value: object, kind: type[T], what: str, words: str = "") -> T:
    """
    Convert a JSON value; :class:`RecordError` states what was expected of ``what`` (``words``: of the whole).

    >>> read("Ts", Card, '"card"')
    Card(Ts)
    >>> read({"A": 6, "B": -1}, dict[str, Count], '"hands"')
    Traceback (most recent call last):
        ...
    referee.errors.RecordError: expected "hands" of B to be a whole number from 0 to 10,000, got -1
    """
    try:
        return convert(value, kind, dec_hook=parse_card)
    except MISFITS:
        raise misfit(value, kind, what, (words, value)) from None


def parse_card(kind: type, value: object) -> Card:
    """Read the text of a card, for ``msgspec``, which knows no cards."""
    return Card.parse(value)


def misfit(value: object, kind: Any, what: str, whole: tuple[str, object] = ("", None)) -> RecordError:
    """
    Return the error for a value that doesn't convert to this type. It is about the innermost part whose type has a
    description. ``whole``: the description of the value that this one is a part of, and that value.
    """
    kind, words = _described(kind)
    whole = (words, value) if words else whole
    for part, part_kind, name in _parts(value, kind, what):
        try:
            convert(part, part_kind, dec_hook=parse_card)
        except MISFITS:
            if part_kind is Card and get_args(kind)[1:] == (...,):
                return fail(f"{what} to hold cards such as '9h' or 'Ts'", value)
            return misfit(part, part_kind, name, whole if name == what else ("", None))
    if isinstance(value, dict) and _is_struct(kind):
        missing = next((field for field in fields(kind) if field.required and field.encode_name not in value), None)
        if missing is not None:
            needed, words = _described(missing.type)
            words = words or _WORDS.get(needed, "given")
            return fail(f'"{missing.encode_name}" {"with" if needed is Card else "to be"} {words}', value)
        known = [field.encode_name for field in fields(kind)]
        unknown = [key for key in value if key not in known]
        if kind.__struct_config__.forbid_unknown_fields and unknown and not whole[0]:
            return fail(f"one of {', '.join(known)}", unknown[0])
    if kind is float and type(value) in (int, float) and words.startswith("a number from"):
        return fail(f"{what} {words.removeprefix('a number ')}", value)
    words, value = whole if whole[0] else (_WORDS.get(get_origin(kind) or kind, "an object"), value)
    return fail(f"{what} to be {words}", value)


def _described(kind: Any) -> tuple[Any, str]:
    """Return the type without annotations, null and absence; and its description, empty where it has none."""
    words = ""
    if get_origin(kind) is Annotated:
        kind, meta = get_args(kind)
        words = meta.description or ""
    if get_origin(kind) in (Union, UnionType):
        kind, inner = _described(
            next(alternative for alternative in get_args(kind) if alternative not in (NoneType, UnsetType))
        )
        words = words or inner
    if get_origin(kind) is Literal:
        words = words or f"one of {', '.join(map(str, get_args(kind)))}"
    return kind, _WORDS[Card] if kind is Card else words


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _parts(value: object, kind: Any, what: str) -> Iterator[tuple[object, Any, str]]:
    """Yield the parts of a value, each with its type and its name; a list's parts have the name of the list."""
    origin, kinds = get_origin(kind), get_args(kind)
    if isinstance(value, dict) and _is_struct(kind):
        names = ((field.encode_name, field.type) for field in fields(kind))
        yield from ((value[name], part_kind, f'"{name}"') for name, part_kind in names if name in value)
    elif isinstance(value, dict) and origin in (dict, Mapping):
        yield from ((part, kinds[1], f"{what} of {key}") for key, part in value.items())
    elif (
        isinstance(value, list) and origin in (list, tuple) and (kinds[1:] in ((), (...,)) or len(kinds) == len(value))
    ):
        yield from zip(value, repeat(kinds[0]) if kinds[1:] in ((), (...,)) else kinds, repeat(what), strict=False)


def check_distinct(cards: tuple[Card, ...], what: str) -> None:
    """Raise :class:`RecordError` where a card is named twice."""
    if len(set(cards)) != len(cards):
        raise fail(f"{what} to name each card once", list(map(str, cards)))


def plain(value: Any) -> Any:
    """Convert facts to JSON values: cards and enums to text, tuples and sets to lists."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, frozenset):
        return sorted(plain(item) for item in value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Card | Enum) else value
