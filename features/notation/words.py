"""Read and write the smallest pieces of the notation: cards, seats, texts, numbers."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from features.notation.grammar import reserved_words
from features.notation.notated_game import shortened

_SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
_CARD = re.compile(r"(?:10|[2-9TJQKA])[shdc]", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_](?:[\w-]*\w)?")
UNKNOWN = "??"
"""A card whose face nobody made out."""

NOBODY_KNOWN = "?"
"""A seat that nobody knows."""


def read_suit(text: str) -> str:
    """
    Parse a suit to its letter.

    >>> read_suit("H"), read_suit("♣")
    ('h', 'c')
    """
    return _SUITS.get(text[0], text[0].lower())


def read_rank(text: str) -> str:
    """
    Parse a rank to its letter.

    >>> read_rank("10"), read_rank("q")
    ('T', 'Q')
    """
    return "T" if text == "10" else text.upper()


def read_card(text: str) -> str:
    """
    Parse a card to the record's form.

    >>> read_card("10H"), read_card("q♠"), read_card("7c")
    ('Th', 'Qs', '7c')
    """
    text = text.removesuffix("\ufe0f")
    return read_rank(text[:-1]) + read_suit(text[-1])


def whole(text: str) -> int:
    """
    Parse a whole number.

    >>> whole("9" * 5000)
    Traceback (most recent call last):
        ...
    ValueError: expected a whole number of at most nine digits, got '9999999999999999999999999999999999999...'
    """
    if len(text) > 9:
        raise ValueError(f"expected a whole number of at most nine digits, got {shortened(text)}")
    return int(text)


def read_text(text: str) -> str:
    return str(json.loads(text) if text.startswith('"') else text)


def read_seat(text: str) -> str | None:
    """
    Parse the seat before a colon (``Anna:``); None where it is not known.

    >>> read_seat("Anna:"), read_seat('"Mary Ann" :'), read_seat("?:")
    ('Anna', 'Mary Ann', None)
    """
    name = text.removesuffix(":").rstrip()
    return None if name == NOBODY_KNOWN else read_text(name)


def name(text: str | None) -> str:
    """
    Write a seat, in quotation marks where it could be taken for something else.

    >>> name("Anna"), name("Mary Ann"), name("take"), name("Ad"), name(None)
    ('Anna', '"Mary Ann"', '"take"', '"Ad"', '?')
    """
    if text is None:
        return NOBODY_KNOWN
    return text if is_bare(text) else as_json(text)


def is_bare(text: str) -> bool:
    return bool(_NAME.fullmatch(text)) and text not in reserved_words() and not _CARD.fullmatch(text)


def number(value: float) -> str:
    """
    Write a number as short as possible.

    >>> number(12.0), number(0.84), number(1e-7)
    ('12', '0.84', '1e-07')
    """
    text = repr(value)
    return text.removesuffix(".0")


def as_json(value: Any) -> str:
    """
    Write JSON with every letter as it is, except those that can't be seen.

    >>> as_json({"who": "Аня", "x": "\\u200b"})
    '{"who": "Аня", "x": "\\\\u200b"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def read_comment(text: str) -> str:
    """
    Return the text of a comment, on one line.

    >>> read_comment("{ well\\n   done }"), read_comment("; to the end")
    ('well done', 'to the end')
    """
    return " ".join((text[1:-1] if text.startswith("{") else text[1:]).split())


def comment(text: object) -> str | None:
    """
    Write a comment in its short form; return None where it has none.

    >>> comment("well done"), comment("a } within"), comment("two  spaces")
    ('{well done}', '; a } within', None)
    """
    if not isinstance(text, str) or not text or " ".join(text.split()) != text:
        return None
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
        return None
    return f"; {text}" if "}" in text else f"{{{text}}}"
