"""
Draw faces with random layouts, and decks of them.

A deck has one style: its signs, its colours, its arrangement and what fills its faces. Nothing in it follows the decks
that people know, so that what a network learns from it is what makes a card's name: a rank sign and a suit sign.

    python -m datasets.faces.face --seed 1 --count 6 --sheet faces.png      # look at some
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.decks import invented_courts
from datasets.decks.deck_art import RANK_COLUMNS, SUIT_ROWS, draw_text, round_corners
from datasets.decks.invented_faces import HEIGHT
from datasets.decks.library import Deck, contact_sheet
from datasets.faces.arrangement import Arrangement, arrange
from datasets.faces.fillings import COURTS, FILLINGS, Filling, by_lot, nothing, pips, print_mask, suit_of, wrong_pips
from datasets.faces.signs import Signs, fitted, load_signs

FACE_PX = 288
"""Height of a face as it is painted."""
CLEARED = 0.85
"""Share of the decks on which nothing else is printed round the signs; on the others they stand upon the filling."""
OUTLINED, TABBED = 0.07, 0.08
"""Shares of the decks whose signs have a rim of another colour, or stand light on a patch of their ink."""
RESERVED_SIGNS, TRAINING_SIGNS = 7_000_000, 1_000_000
"""Seeds of the signs that are kept for checking, and of those that training uses."""


def _hsv(rng: np.random.Generator, *ranges: tuple[float, float]) -> np.ndarray:
    """Draw a random BGR colour, (3,) float32: hue from-to (0 to 180), saturation and value (0 to 1)."""
    hue, saturation, value = (float(rng.uniform(*span)) for span in ranges)
    pixel = np.array([[[hue % 180, saturation * 255, value * 255]]], np.float32).astype(np.uint8)
    return cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def _colours(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw the colours of paper and of an ink for each suit."""
    kind = str(rng.choice(["two", "four", "dark", "one", "tinted"], p=[0.56, 0.12, 0.1, 0.08, 0.14]))
    paper = _hsv(rng, (10, 35), (0, 0.1), (0.88, 1))
    red, black = _hsv(rng, (-8, 8), (0.7, 1), (0.5, 0.95)), _hsv(rng, (0, 180), (0, 0.6), (0, 0.22))
    if kind == "four":
        blue, green = _hsv(rng, (98, 122), (0.6, 1), (0.45, 0.9)), _hsv(rng, (45, 78), (0.6, 1), (0.3, 0.6))
        gold = _hsv(rng, (11, 26), (0.7, 1), (0.75, 0.95))
        schemes = [(red, blue, black, green), (red, gold, blue, green), (red, gold, green, black)]
        return paper, dict(zip("hdsc", schemes[int(rng.integers(3))], strict=True))
    if kind == "dark":
        paper = _hsv(rng, (0, 180), (0, 0.9), (0.03, 0.35))
        pale, bright = _hsv(rng, (0, 180), (0, 0.12), (0.82, 1)), _hsv(rng, (-6, 25), (0.5, 0.95), (0.8, 1))
        return paper, {"h": bright, "d": bright, "s": pale, "c": pale}
    if kind == "one":
        ink = _hsv(rng, (0, 180), (0, 1), (0, 0.4))
        if rng.random() < 0.3:
            paper, ink = _hsv(rng, (0, 180), (0.2, 1), (0.05, 0.35)), paper
        return paper, dict.fromkeys("hdsc", ink)
    if kind == "tinted":
        paper = _hsv(rng, (0, 180), (0.05, 0.5), (0.65, 0.98))
        red = _hsv(rng, (-8, 8), (0.85, 1), (0.4, 0.7))
    return paper, {"h": red, "d": red, "s": black, "c": black}


class LotStyle:
    """Everything that is the same on all cards of one deck, drawn by lot."""

    def __init__(self, rng: np.random.Generator, signs: Signs, relation: str | None = None) -> None:
        self.rng = rng
        self.signs = signs
        self.width = float(rng.choice([0.714, 0.643, rng.uniform(0.6, 0.76)]))
        self.writing = int(rng.integers(len(signs.writings)))
        self.suits = int(rng.integers(len(signs.suits)))
        self.paper, self.inks = _colours(rng)
        self.arrangement: Arrangement = arrange(rng, self.width, relation)
        self.filling = by_lot(rng, FILLINGS)
        self.cleared = bool(rng.random() < CLEARED)
        self.rim = _hsv(rng, (0, 180), (0, 1), (0, 1)) if rng.random() < OUTLINED else None
        self.tabbed = bool(rng.random() < TABBED and self.arrangement.relation != "inside")
        self.radius = float(rng.uniform(0.02, 0.1))

    def face(self, card: str, pictures: Sequence[np.ndarray] = ()) -> np.ndarray:
        """
        Draw the face of ``card`` (``Ts``), (h, w, 4) uint8 RGBA.

        pictures: BGR pictures that may be printed on it, of this card's suit or of none.
        """
        height, width = FACE_PX, round(FACE_PX * self.width)
        canvas = np.empty((height, width, 3), np.float32)
        canvas[:] = self.paper
        ink, mask = self.inks[card[1]], suit_of(self.signs, self.suits, card[1])
        ground = canvas.copy()
        fill = self.filling
        if card[0] in "JQK" and fill in (pips, wrong_pips):
            fill = by_lot(self.rng, COURTS)
        fill(Filling(self.rng, canvas, card[0], mask, ink, self.paper, pictures))
        if fill is not nothing and self.cleared:
            self._clear(canvas, ground)
        self._print_marks(canvas, card, ink, mask)
        rgba = np.dstack([np.clip(canvas[..., ::-1], 0, 255).astype(np.uint8), np.full((height, width), 255, np.uint8)])
        return round_corners(rgba, self.radius)

    def _clear(self, canvas: np.ndarray, ground: np.ndarray) -> None:
        edge = float(self.rng.uniform(0.008, 0.03))
        for mark in self.arrangement.marks:
            x0, y0, x1, y1 = (
                max(0, round((value + side * edge) * FACE_PX))
                for value, side in zip(mark.box(), (-1, -1, 1, 1), strict=True)
            )
            canvas[y0:y1, x0:x1] = ground[y0:y1, x0:x1]

    def _print_marks(self, canvas: np.ndarray, card: str, ink: np.ndarray, suit_mask: np.ndarray) -> None:
        rank_mask = self.signs.writings[self.writing][card[0]]
        for mark in self.arrangement.marks:
            sign = fitted(rank_mask if mark.sign == "rank" else suit_mask, mark.wide * FACE_PX, mark.tall * FACE_PX)
            if mark.sign == "rank" and card[0] in "69" and self.arrangement.needs_line:
                sign = np.pad(sign, ((0, max(3, sign.shape[0] // 7)), (0, 0)))
                sign[-max(2, sign.shape[0] // 12) :] = 255
            x, y = mark.x * FACE_PX, mark.y * FACE_PX
            colour = self.paper if mark.light or self.tabbed else ink
            if self.tabbed:
                pad = max(2, round(0.012 * FACE_PX))
                tab = np.full((sign.shape[0] + 2 * pad, sign.shape[1] + 2 * pad), 255, np.uint8)
                print_mask(canvas, tab, x, y, ink, mark.turn)
            elif self.rim is not None and not mark.light:
                print_mask(canvas, cv2.dilate(np.pad(sign, 3), np.ones((3, 3), np.uint8)), x, y, self.rim, mark.turn)
            print_mask(canvas, sign, x, y, colour, mark.turn)


def court_pictures(decks: Sequence[Deck]) -> dict[str, list[np.ndarray]]:
    """Return suit -> the middles of the court cards of these decks, BGR, to be printed on faces of the same suit."""
    found: dict[str, list[np.ndarray]] = {suit: [] for suit in SUIT_ROWS}
    for deck in decks:
        for name, face in deck.faces.items():
            if name[0] in "JQK":
                h, w = face.shape[:2]
                cut = face[round(h * 0.06) : round(h * 0.94), round(w * 0.22) : round(w * 0.78), 2::-1]
                found[name[1]].append(cv2.resize(cut, (110, 180), interpolation=cv2.INTER_AREA))
    return found


def lot_deck(
    seed: int, signs: Signs, pictures: dict[str, list[np.ndarray]] | None = None, relation: str | None = None
) -> Deck:
    """Draw the deck of this seed: 52 faces and a back. ``relation``: see ``arrange``."""
    rng = np.random.default_rng([seed, 0x1A1])
    style = LotStyle(rng, signs, relation)
    faces = {
        rank + suit: style.face(rank + suit, (pictures or {}).get(suit, ()))
        for suit in SUIT_ROWS
        for rank in RANK_COLUMNS
    }
    height, width = faces["As"].shape[:2]
    drawing = invented_courts.back(rng, HEIGHT * style.width, HEIGHT, "#f6f4ee")
    back = draw_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {HEIGHT * style.width:.3f} {HEIGHT}" preserveAspectRatio="none">{drawing}</svg>'
    )
    name = f"lot-{seed}-{style.arrangement.relation}"
    lettering = signs.letterings[style.writing]
    four = len([m for m in style.arrangement.marks if m.sign == "rank"]) == 4
    return Deck(name, "lot", lettering, faces, round_corners(back[:height, :width], style.radius), name, four, False)


def main(argv: list[str] | None = None) -> int:
    """Run the command: show some decks."""
    parser = argparse.ArgumentParser(prog="python -m datasets.faces.face", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=6, help="how many decks")
    parser.add_argument("--relation", help="how rank and suit stand to each other; default: by lot")
    parser.add_argument("--sheet", type=Path, required=True, metavar="OUT.png", help="picture of all their cards")
    args = parser.parse_args(argv)
    signs = load_signs(TRAINING_SIGNS + 500_000, 24, 24)
    sheets = [contact_sheet(lot_deck(args.seed + i, signs, None, args.relation)) for i in range(args.count)]
    width = max(sheet.shape[1] for sheet in sheets)
    args.sheet.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(args.sheet), np.vstack([np.pad(s, ((0, 0), (0, width - s.shape[1]), (0, 0))) for s in sheets]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
