"""Read single fields of a record's line; a :class:`RecordError` states what was expected and what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cards import Card
from referee.errors import RecordError


def fail(expected: str, got: object) -> RecordError:
    """Return an error that states what was expected and what came, shortened."""
    text = repr(got)
    return RecordError(f"expected {expected}, got {text if len(text) <= 80 else text[:77] + '...'}")


def card_of(data: Mapping[str, Any], key: str) -> Card:
    """Read the card under this key."""
    try:
        return Card.parse(data[key])
    except KeyError:
        raise fail(f"\"{key}\" with a card such as '9h'", dict(data)) from None
    except (ValueError, TypeError):
        raise fail(f"\"{key}\" to be a card such as '9h' or 'Ts'", data[key]) from None


def optional_card_of(data: Mapping[str, Any], key: str) -> Card | None:
    """Read the card under this key; None where it is missing or null."""
    return None if data.get(key) is None else card_of(data, key)


def cards_of(value: object, what: str) -> tuple[Card, ...]:
    """Read a list of different cards."""
    if not isinstance(value, list):
        raise fail(f"{what} to be a list of cards", value)
    try:
        cards = tuple(Card.parse(card) for card in value)
    except (ValueError, TypeError):
        raise fail(f"{what} to hold cards such as '9h' or 'Ts'", value) from None
    if len(set(cards)) != len(cards):
        raise fail(f"{what} to name each card once", value)
    return cards


def name_of(data: Mapping[str, Any], key: str) -> str | None:
    """Read the name under this key; None where it is missing."""
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise fail(f'"{key}" to be the name of a seat', value)
    return value


def count_of(value: object, what: str, least: int = 0) -> int:
    """Read a whole number from ``least`` to ten thousand."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10_000:
        raise fail(f"{what} to be a whole number of at least {least}", value)
    return value


def probability_of(value: object, what: str) -> float:
    """Read a number from 0 to 1."""
    number = number_of(value, what)
    if not 0 <= number <= 1:
        raise fail(f"{what} from 0 to 1", number)
    return number


def number_of(value: object, what: str) -> float:
    """Read a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e12:
        raise fail(f"{what} to be a number", value)
    return float(value)
