"""Draw a contact sheet: all cards of a deck with their assigned names, to be checked by a person."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from referee.cards import Card, pack
from vision.enrolment.deck_file import EnrolledDeck

COLUMNS = {24: 6, 36: 9, 52: 13}
"""Cards in a row of the sheet, by the pack's size: one suit each."""
LABEL_PX = 22
"""Pixels above each card for its name. Set by hand, 2026-11."""
PAPER, INK, DOUBT = (245, 245, 245), (30, 30, 30), (0, 0, 220)
"""BGR; doubtful names are written in DOUBT."""


def sheet(deck: EnrolledDeck) -> np.ndarray:
    """
    Return the sheet, (h, w, 3) uint8: one row per suit, low to high, each card under its name; missing cards stay
    empty.
    """
    cards = pack(deck.pack_size)
    columns = COLUMNS[deck.pack_size]
    first: dict[Card, np.ndarray] = {}
    for view in deck.views:
        first.setdefault(view.card, view.crop)
    height, width = next(iter(first.values())).shape[:2] if first else (132, 96)
    tall = height + LABEL_PX
    picture = np.full((len(cards) // columns * tall, columns * width, 3), PAPER, np.uint8)
    doubtful = set(deck.doubtful)
    for k, card in enumerate(cards):
        x, y = k % columns * width, k // columns * tall
        if card in first:
            picture[y + LABEL_PX : y + tall, x : x + width] = first[card]
        label = f"{card}?" if card in doubtful else str(card)
        ink = DOUBT if card in doubtful else INK
        cv2.putText(picture, label, (x + 6, y + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.55, ink, 1, cv2.LINE_AA)
    return picture


def write_sheet(deck: EnrolledDeck, path: Path) -> bool:
    """Write the sheet as PNG beside the deck; return False on a write error, which must not lose the deck itself."""
    done, data = cv2.imencode(".png", sheet(deck))
    assert done
    try:
        path.write_bytes(data.tobytes())
    except OSError:
        return False
    return True
