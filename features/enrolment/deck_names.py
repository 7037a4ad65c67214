"""Parse what people write of a deck: its name, which names a file, and the order of its cards."""

from __future__ import annotations

from pathlib import Path

from referee.cards import RANKS, Card
from vision.data_home import data_home

SUFFIX = ".deck"
LONGEST_NAME = 60
"""Letters of a deck's name. File systems allow 255 bytes, and a letter takes up to four. Set by hand, 2026-11."""


def deck_name(text: str) -> str:
    """
    Check the name of a deck: a name, kept in ``decks_home``, or a file ending in ``.deck`` anywhere.

    >>> deck_name("Атласные 2")
    'Атласные 2'
    >>> deck_name("../mine.deck")
    '../mine.deck'
    >>> deck_name("../mine")
    Traceback (most recent call last):
        ...
    ValueError: expected letters, digits, spaces, - and _ as a deck's name, or a file ending in .deck, got '../mine'
    """
    name = text.strip()
    plain = bool(name) and len(name) <= LONGEST_NAME and all(c.isalnum() or c in " -_" for c in name)
    if not plain and not (name.endswith(SUFFIX) and Path(name).stem.strip()):
        raise ValueError(
            f"expected letters, digits, spaces, - and _ as a deck's name, or a file ending in {SUFFIX}, got {text!r}"
        )
    return name


def card_list(text: str) -> tuple[Card, ...]:
    """
    Parse cards by name, runs of one suit in short form, each card once: ``6s-As,7h``.

    >>> [str(card) for card in card_list("9s-Qs,7h 8d-6d")]
    ['9s', 'Ts', 'Js', 'Qs', '7h', '8d', '7d', '6d']
    >>> card_list("6s-Ah")
    Traceback (most recent call last):
        ...
    ValueError: expected a run within one suit such as 6s-As, got '6s-Ah'
    >>> card_list("6s-8s,7s")
    Traceback (most recent call last):
        ...
    ValueError: expected each card once, got 7s twice
    """
    cards: list[Card] = []
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not dash:
            cards.append(Card.parse(part))
            continue
        start, end = Card.parse(first), Card.parse(last)
        if start.suit is not end.suit:
            raise ValueError(f"expected a run within one suit such as 6s-As, got {part!r}")
        low, high = RANKS.index(str(start)[0]), RANKS.index(str(end)[0])
        step = 1 if low <= high else -1
        cards.extend(Card.parse(RANKS[k] + str(start)[1]) for k in range(low, high + step, step))
    if not cards:
        raise ValueError(f"expected cards in order such as 6s-As,6h-Ah, got {text!r}")
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"expected each card once, got {card} twice")
    return tuple(cards)


def decks_home() -> Path:
    """Return the folder of decks that were named without one: ``decks`` in the program's data folder."""
    return data_home() / "decks"


def deck_path(name: str) -> Path:
    """Return the file of the deck called ``name`` (``deck_name``)."""
    return Path(name).expanduser() if name.endswith(SUFFIX) else decks_home() / f"{name}{SUFFIX}"


def known_decks() -> tuple[str, ...]:
    """Return the names of this user's decks."""
    home = decks_home()
    return tuple(sorted(path.stem for path in home.glob(f"*{SUFFIX}"))) if home.is_dir() else ()
