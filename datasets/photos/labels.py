"""
Labelled photographs: folders of pictures, each with a ``labels.jsonl`` beside them.

One line per picture: ``{"picture": NAME, "kind": KIND, "cards": [{"card": "7s", "box": [x0, y0, x1, y1]}, ...],
"split": "dev" | "check"}``. Kinds: ``card-boxes`` mark whole cards, ``index-boxes`` mark their printed indices (one or
two a card), ``card-boxes-rank-only`` mark whole cards of which only the rank is known (``K?``), ``cards`` mark their
four corners instead of a box (``"corners": [[x, y], ...]``, clockwise, 0-1 a short edge; left out where not known).
``"maybe"`` names further cards of the picture that need not be read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.cards import RANKS

KINDS = ("card-boxes", "index-boxes", "card-boxes-rank-only", "cards")
Box = tuple[float, float, float, float]


class LabelsError(Exception):
    """Labels are missing or can't be used; the text is one sentence for people."""


@dataclass(frozen=True, slots=True)
class LabelledCard:
    """
    One card that lies on a picture.

    card: its text, ``K?`` where the suit isn't known, ``back`` or ``joker``. boxes: x0, y0, x1, y1 in px, of the whole
    card or of each marked index. visible: share of the card in view, where known. corners_px: the whole card's four
    corners, clockwise, 0-1 a short edge, where known. asked: must it be read? Else it may be, and counts neither way.
    """

    card: str
    boxes: tuple[Box, ...]
    visible: float | None = None
    corners_px: tuple[tuple[float, float], ...] | None = None
    asked: bool = True

    @property
    def is_face(self) -> bool:
        """Check whether it is one of the 52 faces (with or without its suit)."""
        return len(self.card) == 2 and self.card[0] in RANKS and self.card[1] in "shdc?"


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """
    One picture and the cards that lie on it.

    pairs: (attack, defence or None) where known. light, deck: what it was made with, where that is known.
    """

    path: Path
    kind: str
    cards: tuple[LabelledCard, ...]
    split: str
    grey: bool = False
    pairs: tuple[tuple[str, str | None], ...] | None = None
    light: str | None = None
    deck: str | None = None

    @property
    def faces(self) -> tuple[LabelledCard, ...]:
        """Return the cards that lie face up and have to be read, without jokers."""
        return tuple(card for card in self.cards if card.is_face and card.asked)

    @property
    def unasked(self) -> frozenset[str]:
        """Return the visible faces that need not be read."""
        return frozenset(card.card for card in self.cards if card.is_face and not card.asked)


def parse_picture(line: dict[str, Any], folder: Path) -> LabelledPicture:
    """
    Parse one line of labels. The labelled indices of a card are merged, so that each card occurs once.

    >>> line = {"picture": "a.jpg", "kind": "index-boxes", "split": "dev", "maybe": ["8h"],
    ...         "cards": [{"card": "7h", "box": [0, 0, 9, 9]}, {"card": "7h", "box": [50, 70, 59, 79]}]}
    >>> [(card.card, len(card.boxes), card.asked) for card in parse_picture(line, Path(".")).cards]
    [('7h', 2, True), ('8h', 0, False)]
    """
    kind = line["kind"]
    if kind not in KINDS:
        raise ValueError(f"expected a kind of label out of {', '.join(KINDS)}, got {kind!r}")
    path, split, grey = folder / line["picture"], str(line["split"]), bool(line.get("grey", False))
    unasked = tuple(LabelledCard(str(name), (), asked=False) for name in line.get("maybe", ()))
    if kind == "cards":
        named = tuple(_with_corners(str(mark["card"]), mark.get("corners")) for mark in line["cards"])
        return LabelledPicture(path, kind, named + unasked, split, grey)
    marks: list[tuple[str, tuple[Box, ...]]] = []
    for mark in line["cards"]:
        x0, y0, x1, y1 = (float(v) for v in mark["box"])
        marks.append((str(mark["card"]), ((x0, y0, x1, y1),)))
    if kind == "index-boxes":
        together: dict[str, tuple[Box, ...]] = {}
        for name, boxes in marks:
            together[name] = together.get(name, ()) + boxes
        marks = list(together.items())
    cards = tuple(LabelledCard(name, boxes) for name, boxes in marks)
    return LabelledPicture(path, kind, cards + unasked, split, grey)


def _with_corners(name: str, corners: list[list[float]] | None) -> LabelledCard:
    """Return a card whose corners are labelled; one without them lies somewhere on the picture."""
    if corners is None:
        return LabelledCard(name, ())
    if len(corners) != 4:
        raise ValueError(f"expected four corners of {name}, got {len(corners)}")
    quad = tuple((float(x), float(y)) for x, y in corners)
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return LabelledCard(name, ((min(xs), min(ys), max(xs), max(ys)),), corners_px=quad)


def load_photos(folder: Path, split: str | None = None) -> list[LabelledPicture]:
    """Load all labelled pictures of a set, or those of one split, in the order of the labels."""
    labels = folder / "labels.jsonl"
    try:
        lines = labels.read_text("utf-8").splitlines()
    except OSError:
        raise LabelsError(f"expected a set of labelled pictures with labels.jsonl in {folder}, found none") from None
    pictures = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            picture = parse_picture(json.loads(text), folder)
        except (ValueError, KeyError, TypeError) as error:
            raise LabelsError(f"{labels}:{number}: expected a line of labels, got: {error}") from None
        if split is None or picture.split == split:
            pictures.append(picture)
    return pictures
