"""The options of `kozyr enrol`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from features.enrolment.deck_names import card_list, deck_name
from referee.cards import Card
from webapp.commands.match_header import HeaderOptions
from webapp.commands.options import as_json, same, verbose
from webapp.live.match_options import DetectorOptions, checked, flag


def deck_renaming(text: str) -> tuple[Card, Card]:
    """
    Parse the two names of ``--rename WAS=IS``.

    >>> [str(card) for card in deck_renaming("Jh=Kh")]
    ['Jh', 'Kh']
    >>> deck_renaming("Jh")
    Traceback (most recent call last):
        ...
    ValueError: expected WAS=IS such as Jh=Kh, got 'Jh'
    """
    was, equals, now = text.partition("=")
    if not equals:
        raise ValueError(f"expected WAS=IS such as Jh=Kh, got {text!r}")
    return Card.parse(was.strip()), Card.parse(now.strip())


@dataclass(frozen=True, slots=True)
class EnrolOptions:
    """
    A deck to learn. ``source``: what shows the cards, None to rename cards only. ``order``: the order in which they are
    shown. ``adds``: keep what was learnt of this deck before. ``renamings``: (name so far, true name).
    ``from_corrections``, ``forgets_corrections``: learn from corrected cards, or drop that; then nothing is shown.
    """

    name: str = flag(type=checked(deck_name), metavar="NAME", help="a name, or a file ending in .deck")
    source: str | None = flag(
        metavar="SOURCE", nargs="?", help="camera number, device, stream URL, video, picture, folder of pictures"
    )
    pack: int | None = same(HeaderOptions, "pack", help="cards in the deck (default: 36)")
    order: tuple[Card, ...] = flag(
        "--order",
        default=(),
        type=checked(card_list),
        metavar="CARDS",
        help="the order in which they are shown or lie in rows: '6s-As,6h-Ah,6d-Ad,6c-Ac'",
    )
    adds: bool = flag(
        "--more", default=False, action="store_true", help="keep what was learnt of this deck and add to it"
    )
    renamings: tuple[tuple[Card, Card], ...] = flag(
        "--rename",
        default=(),
        action="append",
        type=checked(deck_renaming),
        metavar="WAS=IS",
        help="put a name right (or, with both alike, confirm it); may be repeated",
    )
    from_corrections: bool = flag(
        "--from-corrections",
        default=False,
        action="store_true",
        help="learn from kept pictures of cards that were corrected in games with this deck, if that helps",
    )
    forgets_corrections: bool = flag(
        "--forget-corrections", default=False, action="store_true", help="drop what it has learned from them"
    )
    weights: Path | None = same(DetectorOptions, "weights")
    as_json: bool = as_json("one JSON object on standard output")
    verbose: int = verbose()
