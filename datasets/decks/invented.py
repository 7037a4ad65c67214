"""
Invent decks at random, one for each seed.

A few dozen real decks teach a classifier those decks. So that it learns *indices, pips and suits* instead, every seed
here
makes another deck: lettering (fonts and drawn hands; Latin, German, French, Cyrillic court letters), one to four
indices of any size, pip layouts, suit shapes, two or four colours, dark, foil and tinted faces, plain, shaded, glossy
or woven, frames, abstract courts or courts borrowed from real decks, print on the face, odd ways of
printing (``ODD``), pictures and strong colours over the whole face (``datasets.decks.invented_faces``), prints against
custom (``datasets.decks.invented_prints``), age and wear, and a back.

The whole deck is one drawing, rendered once; about half a second a deck.

    python -m datasets.decks.invented --seed 1 --count 6 --sheet invented.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from datasets.decks import invented_courts
from datasets.decks.deck_art import RANK_COLUMNS, SUIT_ROWS, draw_text, round_corners
from datasets.decks.invented_faces import HEIGHT, Face, colour
from datasets.decks.invented_prints import CustomPrint, as_silhouette
from datasets.decks.lettering import COURT_LETTERS, SUIT_SHAPES, Hand, sign_fonts, write_sign
from datasets.decks.library import Deck, contact_sheet

PIP_PLACES: dict[str, list[tuple[float, float]]] = {
    "2": [(0.5, 0), (0.5, 1)],
    "3": [(0.5, 0), (0.5, 0.5), (0.5, 1)],
    "4": [(0, 0), (1, 0), (0, 1), (1, 1)],
    "5": [(0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)],
    "6": [(0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)],
    "7": [(0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1), (0.5, 0.25)],
    "8": [(0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1), (0.5, 0.25), (0.5, 0.75)],
    "9": [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 0.5)],
    "T": [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 1 / 6), (0.5, 5 / 6)],
}
"""Rank -> places of its pips, across and down the pip field."""


ODD = {"mirrored": 0.07, "middle": 0.05, "suit first": 0.03, "tab": 0.04}
"""
How often a deck is printed in an odd way: indices in the right-hand corners, a large rank in the middle of number
cards, the suit above the rank, indices light on a tab of their colour.
"""
FIRST_ODD = 150_000
"""Decks of lower seeds are printed as before there were odd ones: weights were trained and checked on them."""
FIRST_PICTURED = 200_000
"""First seed of decks with pictured faces; faces of decks of lower seeds are paper."""
FIRST_LETTERED = 250_000
"""
First seed of decks in any font and with written suits; decks of lower seeds are written in the usual fonts only, and
their suits are drawn.
"""
FIRST_REPRINTED = 500_000
"""First seed of decks printed against custom; decks of lower seeds are printed as before."""
REPRINTED_CHECK = range(590_000, 591_000)
"""Seeds of such decks that are for checking alone: no training and no tuning may open them."""
WRITTEN_SUITS = 0.3
"""How often the suits of a deck are a font's."""


class _Style:
    """
    Everything that is the same on all cards of one invented deck, drawn by lot from ``rng``.

    ``lot``: another source for what is odd about it, so that the other lots stay what they were; ``None``: nothing is.
    ``face``: what its faces are made of; ``None``: paper. ``every``: it may be written in any font. ``reprint``: how it
    is printed against custom; ``None``: it is not.
    """

    corners: tuple[tuple[int, int, bool], ...]
    suit_beside: bool
    margin: float
    paper: str
    ink: dict[str, str]

    def __init__(
        self,
        rng: np.random.Generator,
        lot: np.random.Generator | None,
        face: Face | None,
        every: bool = False,
        reprint: CustomPrint | None = None,
    ) -> None:
        self.rng = rng
        self.width = HEIGHT * float(rng.choice([0.714, 0.643, rng.uniform(0.62, 0.75)]))
        self.indices = str(rng.choice(["english", "russian", "german", "french"], p=[0.42, 0.3, 0.14, 0.14]))
        self.letters = dict(COURT_LETTERS[self.indices])
        if self.indices == "french" and rng.random() < 0.4:
            self.letters["A"] = "A"
        self.hand = Hand.draw(rng, self.indices == "russian", every)
        if reprint is not None and reprint.is_squared:
            self.hand = replace(self.hand, font="", weight=min(self.hand.weight, 0.2), squared=True)
        signs = sign_fonts() if every and rng.random() < WRITTEN_SUITS else ()
        self.sign_font = str(rng.choice(signs)) if signs else ""
        self.shapes = {suit: shape(rng) for suit, shape in SUIT_SHAPES.items()}
        self.kinds: frozenset[str] = reprint.kinds if reprint else frozenset()
        self.reprint = reprint
        self._choose_colours(rng)
        self._choose_index(rng)
        self._choose_field(rng)
        self.radius = self.width * float(rng.uniform(0.03, 0.09))
        self.brand = rng.random() < 0.3
        self.odd = {name: lot is not None and bool(lot.random() < share) for name, share in ODD.items()}
        if self.odd["mirrored"]:
            self.corners = tuple((1 - right, below, with_rank) for right, below, with_rank in self.corners)
        self.suit_beside = self.suit_beside and not self.odd["suit first"]
        self.face = face
        if face is not None:
            self.paper, self.ink = face.paper or self.paper, face.ink or self.ink
            # A rim is printed round the indices, or they stand upon it.
            self.margin += face.rim[0] * (face.seed % 3 > 0)
        if "one ink" in self.kinds:
            self.ink = dict.fromkeys("hdsc", self.ink[str(rng.choice(list("sh"), p=[0.75, 0.25]))])

    def _choose_colours(self, rng: np.random.Generator) -> None:
        kind = rng.choice(["two", "four", "dark", "foil", "tinted"], p=[0.5, 0.15, 0.12, 0.08, 0.15])
        red, black = _colour(rng, (0, 8), (0.7, 1), (0.55, 0.95)), _colour(rng, (0, 180), (0, 0.5), (0, 0.22))
        self.four_colours = bool(kind == "four")
        self.paper = _colour(rng, (12, 32), (0, 0.12), (0.9, 1.0))
        self.line = _colour(rng, (0, 180), (0, 0.3), (0.3, 0.8))
        self.ink = {"h": red, "d": red, "s": black, "c": black}
        if kind == "four":
            gold = _colour(rng, (12, 26), (0.7, 1), (0.75, 0.95))
            blue, green = _colour(rng, (100, 120), (0.6, 1), (0.5, 0.9)), _colour(rng, (50, 75), (0.6, 1), (0.3, 0.6))
            schemes = [(red, blue, black, green), (red, gold, blue, green), (red, gold, green, black)]
            self.ink = dict(zip("hdsc", schemes[int(rng.integers(3))], strict=True))
        elif kind in ("dark", "foil"):
            self.paper = _colour(rng, (0, 180), (0, 0.7), (0.03, 0.22))
            pale = _colour(rng, (0, 180), (0, 0.08), (0.8, 1))
            gold = _colour(rng, (18, 25), (0.4, 0.8), (0.7, 0.95))
            bright = gold if kind == "foil" else _colour(rng, (0, 6), (0.7, 0.95), (0.75, 1))
            self.ink = {"h": bright, "d": bright, "s": pale, "c": pale}
            if rng.random() < 0.15:
                self.ink = dict.fromkeys("hdsc", gold)
        elif kind == "tinted":
            # Pale enough for black ink and for deep red, or so strong that only ink with a pale rim would do.
            self.paper = _colour(rng, (0, 180), (0.05, 0.45), (0.62, 0.97))
            deep = _colour(rng, (0, 8), (0.8, 1), (0.45, 0.75))
            self.ink = {"h": deep, "d": deep, "s": "#101010", "c": "#101010"}
        self.dark = kind in ("dark", "foil")
        self.ground = str(rng.choice(["plain", "shaded", "gloss", "woven", "panel"], p=[0.64, 0.12, 0.1, 0.07, 0.07]))
        # Where the light of a shaded or glossy face comes from is the same on every card of the deck.
        self.ground_lot = rng.random(6)

    def _choose_index(self, rng: np.random.Generator) -> None:
        self.index_h = float(
            rng.choice([rng.uniform(8, 13), rng.uniform(12, 19), rng.uniform(19, 27)], p=[0.4, 0.45, 0.15])
        )
        # Leave room: two indices and their suits share the width when all four corners are printed.
        layout = rng.choice(["two", "four", "one", "split"], p=[0.56, 0.34, 0.04, 0.06])
        if layout == "four":
            self.index_h = min(self.index_h, 15)
        if "one index" in self.kinds:
            layout = "one"
        if self.reprint is not None and "large index" in self.kinds:
            layout, self.index_h = "one" if layout == "one" else "two", self.reprint.index_tall
        corners: dict[str, tuple[tuple[int, int, bool], ...]] = {
            "two": ((0, 0, True), (1, 1, True)),
            "four": ((0, 0, True), (1, 0, True), (0, 1, True), (1, 1, True)),
            "one": ((0, 0, True),),
            "split": ((0, 0, True), (1, 1, True), (1, 0, False), (0, 1, False)),
        }
        self.corners = corners[str(layout)]
        self.four_corners = bool(layout == "four")
        self.suit_h = self.index_h * float(rng.uniform(0.5, 0.95))
        self.suit_beside = bool(layout in ("two", "one") and self.index_h < 17 and rng.random() < 0.08)
        self.margin = float(rng.uniform(1.5, 4.5))
        self.index_w = max(self.hand.advance("Q") * self.index_h, self.hand.advance("10") * self.index_h, self.suit_h)
        widest = self.width * (0.28 if self.four_corners else 0.4)
        if self.index_w > widest:
            shrink = widest / self.index_w
            self.index_h, self.suit_h, self.index_w = self.index_h * shrink, self.suit_h * shrink, widest

    def _choose_field(self, rng: np.random.Generator) -> None:
        inner = self.margin + self.index_w
        left = min(max(self.width * float(rng.uniform(0.24, 0.32)), inner + float(rng.uniform(4, 9))), self.width * 0.4)
        self.field_x = (left, self.width - left)
        top = float(rng.uniform(13, 22))
        self.field_y = (top, HEIGHT - top)
        # Pips keep clear of each other and of the index; beside a huge index there is one pip or none.
        beside = 2 * (left - inner)
        self.pip_h = min(float(rng.uniform(11, 19)), (HEIGHT - 2 * top) / 3 * 0.95, (self.width - 2 * left) * 0.75 + 3)
        self.pip_h = max(min(self.pip_h, beside), 7.0)
        self.one_big_pip = bool(beside < 5 or rng.random() < 0.06)
        self.upright_pips = rng.random() < 0.12
        self.frame = str(rng.choice(["none", "line", "double", "tint"], p=[0.62, 0.2, 0.08, 0.1]))
        self.court_frame = bool(rng.random() < 0.6)
        self.panel_box: tuple[float, float, float, float] | None = None
        if self.reprint is not None and "panel" in self.kinds:
            across, down = self.reprint.panel_share
            room = max(self.width - 2 * (inner + 1), self.width * 0.3)
            w, h = room * across, (HEIGHT - 12) * down
            self.panel_box = ((self.width - w) / 2, (HEIGHT - h) / 2, w, h)
            # Pips stand inside the panel, three in its width and four or five in its height.
            self.pip_h = min(self.pip_h, w * 0.3, h / 5.5)
            self.one_big_pip = bool(rng.random() < 0.04)
            self.field_x = ((self.width - w) / 2 + self.pip_h * 0.75, (self.width + w) / 2 - self.pip_h * 0.75)
            self.field_y = ((HEIGHT - h) / 2 + self.pip_h * 0.75, (HEIGHT + h) / 2 - self.pip_h * 0.75)

    def suit(self, suit: str, x: float, y: float, size: float, turned: bool = False, ink: str | None = None) -> str:
        """Draw a suit sign about (x, y), in its colour or in ``ink``."""
        turn = " rotate(180)" if turned else ""
        if "outlined pips" in self.kinds:
            return (
                f'<path transform="translate({x:.2f} {y:.2f}){turn} scale({size / 100:.4f})" '
                f'fill="none" stroke="{ink or self.ink[suit]}" stroke-width="{600 / max(size, 6.0):.1f}" '
                f'd="{self.shapes[suit]}"/>'
            )
        if self.sign_font:
            sign = write_sign(self.sign_font, suit, size, ink or self.ink[suit])
            return f'<g transform="translate({x:.2f} {y:.2f}){turn}">{sign}</g>'
        return (
            f'<path transform="translate({x:.2f} {y:.2f}){turn} scale({size / 100:.4f})" '
            f'fill="{ink or self.ink[suit]}" '
            f'd="{self.shapes[suit]}"/>'
        )


def _colour(
    rng: np.random.Generator, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]
) -> str:
    """Draw a colour at random; hue runs 0 to 180 as in OpenCV."""
    return colour(rng.uniform(*hue), rng.uniform(*saturation), rng.uniform(*value))


def _ground(style: _Style) -> str:
    """
    Draw the face before anything is printed on it: plain paper, shaded, glossy, woven, or with a panel set into it.
    """
    w, lot = style.width, style.ground_lot
    whole = f'width="{w:.2f}" height="{HEIGHT}"'
    out = f'<rect {whole} fill="{style.paper}"/>'
    # A shade may not come near the colour of the ink: dark faces lighten, pale ones darken, both a little.
    other, strength = ("#ffffff", 0.08 + 0.22 * lot[0]) if style.dark else ("#000000", 0.05 + 0.2 * lot[0])
    if style.ground == "shaded":
        if lot[1] < 0.5:
            kind, (x, y) = "linear", np.array([np.cos(2 * np.pi * lot[2]), np.sin(2 * np.pi * lot[2])]) / 2
            place = f'x1="{0.5 - x:.2f}" y1="{0.5 - y:.2f}" x2="{0.5 + x:.2f}" y2="{0.5 + y:.2f}"'
        else:
            kind = "radial"
            place = f'cx="{0.2 + 0.6 * lot[2]:.2f}" cy="{0.2 + 0.6 * lot[3]:.2f}" r="{0.5 + lot[4]:.2f}"'
        first, last = (0, strength) if lot[5] < 0.5 else (strength, 0)
        out += (
            f'<{kind}Gradient id="ground" {place}><stop offset="0" stop-color="{other}" stop-opacity="{first:.2f}"/>'
            f'<stop offset="1" stop-color="{other}" stop-opacity="{last:.2f}"/></{kind}Gradient>'
            f'<rect {whole} fill="url(#ground)"/>'
        )
    elif style.ground == "gloss":
        x, y, rx, ry = w * (lot[1] * 1.6 - 0.3), HEIGHT * (lot[2] * 1.2 - 0.4), w * (0.5 + lot[3]), 20 + 50 * lot[4]
        out += (
            f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="#ffffff" '
            f'opacity="{0.06 + 0.2 * lot[5]:.2f}"/>'
        )
    elif style.ground == "woven":
        step, width = 1.5 + 5 * lot[1], 0.2 + 0.5 * lot[2]
        lines = "".join(
            f"M{at:.2f} 0 L{at + slant * HEIGHT:.2f} {HEIGHT} "
            for slant in ((1, -1) if lot[3] < 0.5 else (lot[4] * 2 - 1,))
            for at in np.arange(-HEIGHT, w + HEIGHT, step)
        )
        out += f'<path d="{lines}" stroke="{other}" stroke-width="{width:.2f}" opacity="{strength:.2f}" fill="none"/>'
    elif style.ground == "panel":
        rim = 1.5 + 8 * lot[1]
        out += (
            f'<rect x="{rim:.1f}" y="{rim:.1f}" width="{w - 2 * rim:.1f}" height="{HEIGHT - 2 * rim:.1f}" '
            f'rx="{6 * lot[2]:.1f}" fill="{other}" opacity="{strength:.2f}"/>'
        )
    return out


def _plate(style: _Style, rank: str, half: float, with_rank: bool) -> str:
    """Draw a patch of paper below an index that stands upon a picture."""
    face = style.face
    if face is None or not face.plate or style.odd["tab"]:
        return ""
    if face.kind != "picture" and not (face.whole_courts and rank in "JQK"):
        return ""
    tall = (style.index_h if with_rank else 0) + style.suit_h + 2.8
    return (
        f'<rect x="{-half - 0.8:.2f}" y="-.8" width="{2 * half + 1.6:.2f}" height="{tall:.2f}" rx="{face.seed % 4}" '
        f'fill="{style.paper}" opacity="{face.plate:.2f}"/>'
    )


def _indices(style: _Style, rank: str, suit: str) -> str:
    text = "10" if rank == "T" else style.letters.get(rank, rank)
    half, out = style.index_w / 2, []
    for right, below, with_rank in style.corners:
        x = style.margin + half
        mark = _plate(style, rank, half, with_rank)
        if with_rank and style.odd["tab"]:
            tall = style.index_h + style.suit_h + 3.2
            mark += f'<rect x="{-half - 1:.2f}" y="-1" width="{2 * half + 2:.2f}" height="{tall:.2f}" rx="1" '
            mark += f'fill="{style.ink[suit]}"/>'
        ink = style.paper if style.odd["tab"] else style.ink[suit]
        if with_rank:
            rank_y = style.suit_h + 1.2 if style.odd["suit first"] else 0.0
            mark += f'<g transform="translate(0 {rank_y:.2f})">{style.hand.write(text, style.index_h, ink)}</g>'
            if style.odd["suit first"]:
                mark += style.suit(suit, 0, style.suit_h / 2, style.suit_h, ink=ink)
            elif style.suit_beside:
                mark += style.suit(suit, half + style.suit_h * 0.6, style.index_h / 2, style.suit_h)
            else:
                mark += style.suit(suit, 0, style.index_h + 1.2 + style.suit_h / 2, style.suit_h, ink=ink)
        else:
            mark += style.suit(suit, 0, style.suit_h / 2, style.suit_h)
        if right:
            x = style.width - x
        if below:
            place = f"translate({x:.2f} {HEIGHT - style.margin:.2f}) rotate(180)"
        else:
            place = f"translate({x:.2f} {style.margin:.2f})"
        out.append(f'<g transform="{place}">{mark}</g>')
    return "".join(out)


def _pips(style: _Style, rank: str, suit: str) -> str:
    rng = style.rng
    middle = (style.width / 2, HEIGHT / 2)
    if rank == "A":
        size = float(rng.uniform(14, 42))
        if style.panel_box is not None:
            size = min(size, 0.8 * style.panel_box[2])
        ring = ""
        if rng.random() < 0.25:
            radius = min(size * rng.uniform(0.75, 1), style.width / 2 - style.margin - style.index_w * 0.5)
            ring = (
                f'<circle cx="{middle[0]:.1f}" cy="{middle[1]}" r="{radius:.1f}" fill="none" '
                f'stroke="{style.ink[suit]}" stroke-width="{rng.uniform(0.3, 1.4):.2f}" '
                f'stroke-dasharray="{rng.uniform(0.5, 3):.1f}"/>'
            )
        return ring + style.suit(suit, *middle, min(size, style.width - 2 * (style.margin + style.index_w) + 12))
    if style.odd["middle"]:
        text, tall = "10" if rank == "T" else rank, HEIGHT * 0.3
        wide = style.hand.advance(text) * tall
        tall *= min(1.0, (style.width - 2 * (style.margin + style.index_w)) / wide)
        written = style.hand.write(text, tall, style.ink[suit])
        return f'<g transform="translate({middle[0]:.2f} {middle[1] - tall:.2f})">{written}</g>' + style.suit(
            suit, middle[0], middle[1] + HEIGHT * 0.13, HEIGHT * 0.16
        )
    if style.reprint is not None and "words" in style.kinds:
        return style.reprint.word(rank, style.width, style.ink[suit], style.hand.font or "DejaVu Sans")
    if style.one_big_pip:
        return style.suit(suit, *middle, min(40.0, style.width * 0.8 - 2 * style.index_w + 10))
    (left, right), (top, bottom) = style.field_x, style.field_y
    out = []
    for across, down in PIP_PLACES[rank]:
        turned = down > 0.5 and not style.upright_pips
        size = min(style.pip_h, (right - left) * 0.5 + 4) if rank in "9T78" else style.pip_h
        out.append(style.suit(suit, left + across * (right - left), top + down * (bottom - top), size, turned))
    return "".join(out)


def _face(style: _Style, rank: str, suit: str) -> str:
    w = style.width
    parts = [_ground(style)]
    if style.face is not None:
        parts.append(style.face.ground(style.paper, w, rank + suit))
    if style.frame != "none":
        inset = {"line": 3.0, "double": 2.2, "tint": 1.6}[style.frame]
        rim = 0.4 if style.frame == "line" else 0.7
        for extra in (0.0, 1.4) if style.frame == "double" else (0.0,):
            i = inset + extra
            parts.append(
                f'<rect x="{i}" y="{i}" width="{w - 2 * i:.2f}" height="{HEIGHT - 2 * i:.2f}" rx="2" fill="none" '
                f'stroke="{style.line}" stroke-width="{rim}"/>'
            )
    if style.reprint is not None and style.panel_box is not None:
        parts.append(style.reprint.panel(style.panel_box))
    if rank in "JQK":
        left = min(style.margin + style.index_w + 1.2, w * 0.36)
        box = (left, 5.0, w - 2 * left, HEIGHT - 10.0)
        if style.face is not None and style.face.whole_courts:
            inset = style.face.rim[0]
            box = (inset, inset, w - 2 * inset, HEIGHT - 2 * inset)
        parts.append(invented_courts.court(style.rng, box, style.paper, style.court_frame))
        size = min(style.pip_h, box[2] * 0.42)
        if style.rng.random() < 0.7 and box[0] == left:
            x, y = left + size * 0.55, 5 + size * 0.6
            parts.append(style.suit(suit, x, y, size) + style.suit(suit, w - x, HEIGHT - y, size, turned=True))
    else:
        parts.append(_pips(style, rank, suit))
        if style.brand and rank == "A":
            word = "".join(style.rng.choice(list("ABCDEFGHIKLMNOPRSTUVZ"), 8))
            parts.append(
                f'<text x="{w / 2:.1f}" y="{style.rng.uniform(70, 80):.1f}" font-size="{style.rng.uniform(2, 5):.1f}" '
                f'text-anchor="middle" fill="{style.ink[suit]}">{word}</text>'
            )
    parts.append(_indices(style, rank, suit))
    return "".join(parts)


def _aged(rng: np.random.Generator, sheet: np.ndarray) -> np.ndarray:
    """Age a sheet by years of play: paper yellows and stains, ink fades, in broad uneven patches."""
    strength = float(rng.uniform(0.05, 0.35))
    tint = np.array([1.0, rng.uniform(0.9, 0.99), rng.uniform(0.7, 0.93)], np.float32)
    h, w = sheet.shape[:2]
    patches = rng.random((max(2, h // 60), max(2, w // 60))).astype(np.float32)
    patches = cv2.resize(patches, (w, h), interpolation=cv2.INTER_CUBIC)[..., None] * strength
    colour = sheet[..., :3].astype(np.float32)
    faded = colour + (225 - colour) * float(rng.uniform(0, 0.25))
    aged = faded * (1 - patches + patches * tint) * (1 - 0.3 * patches)
    return np.dstack([np.clip(aged, 0, 255).astype(np.uint8), sheet[..., 3]])


def _borrow_courts(rng: np.random.Generator, faces: dict[str, np.ndarray], style: _Style, donor: Deck) -> None:
    """Put the donor's court pictures into the court frames; rank and suit stay, so whatever they show is true."""
    turn, fade = int(rng.integers(0, 180)) if rng.random() < 0.4 else 0, float(rng.uniform(0.4, 1.0))
    for name, face in faces.items():
        picture = donor.faces.get(name)
        if name[0] not in "JQK" or picture is None:
            continue
        h, w = picture.shape[:2]
        cut = picture[round(h * 0.05) : round(h * 0.95), round(w * 0.21) : round(w * 0.79), :3]
        left = min(style.margin + style.index_w + 1.2, style.width * 0.36) / HEIGHT * face.shape[0]
        x0, x1, y0, y1 = (
            round(left),
            round(face.shape[1] - left),
            round(face.shape[0] * 0.05),
            round(face.shape[0] * 0.95),
        )
        cut = cv2.resize(cut, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        hsv = cv2.cvtColor(cut, cv2.COLOR_RGB2HSV)
        # A turned hue may make a heart in the picture green, as on a four-colour deck, but never black.
        hsv[..., 0] = (hsv[..., 0].astype(int) + turn) % 180
        hsv[..., 1] = (hsv[..., 1] * fade).astype(np.uint8)
        face[y0:y1, x0:x1, :3] = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)


def _style_of(seed: int) -> _Style:
    """Draw the style of the deck of this seed; its ``rng`` goes on where drawing the deck begins."""
    face = Face.draw(np.random.default_rng([seed, 0xFACE])) if seed >= FIRST_PICTURED else None
    lot = np.random.default_rng([seed, 0x0DD]) if seed >= FIRST_ODD else None
    reprint = CustomPrint.draw(np.random.default_rng([seed, 0x9817])) if seed >= FIRST_REPRINTED else None
    return _Style(np.random.default_rng([seed, 0xDEC]), lot, face, seed >= FIRST_LETTERED, reprint)


def prints_of(seed: int) -> frozenset[str]:
    """Return how the deck of this seed is printed against custom, of ``invented_prints.KINDS``."""
    return _style_of(seed).kinds


def is_extreme(seed: int) -> bool:
    """
    Check whether the deck of this seed has one index a card, or dark, strongly coloured or pictured faces.

    Shops sell few such decks.
    """
    style = _style_of(seed)
    is_paper = style.face is None or style.face.kind in ("paper", "rim")
    return style.dark or not is_paper or sum(with_rank for *_, with_rank in style.corners) == 1


def invent_deck(seed: int, height_px: int = 360, donors: Sequence[Deck] = ()) -> Deck:
    """
    Make up the deck of this seed: 52 faces and a back.

    ``donors``: decks whose court pictures may be borrowed (recoloured, behind this deck's own indices). The same seed,
    donors and set of fonts on the machine give the same deck.
    """
    style = _style_of(seed)
    rng, face = style.rng, style.face
    w_px = round(style.width / HEIGHT * height_px)
    columns = [(rank, suit) for suit in SUIT_ROWS for rank in RANK_COLUMNS]
    step = w_px * HEIGHT / height_px
    cells = [
        f'<svg x="{(place % 13) * step:.4f}" y="{(place // 13) * HEIGHT}" width="{step:.4f}" height="{HEIGHT}" '
        f'viewBox="0 0 {style.width:.4f} {HEIGHT}" preserveAspectRatio="none">{_face(style, rank, suit)}</svg>'
        for place, (rank, suit) in enumerate(columns)
    ]
    back = invented_courts.back(rng, style.width, HEIGHT, style.paper)
    cells.append(
        f'<svg x="{13 * step:.4f}" y="0" width="{step:.4f}" height="{HEIGHT}" '
        f'viewBox="0 0 {style.width:.4f} {HEIGHT}" preserveAspectRatio="none">{back}</svg>'
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{14 * w_px}" height="{4 * height_px}" '
        f'viewBox="0 0 {14 * step:.4f} {4 * HEIGHT}">{"".join(cells)}</svg>'
    )
    sheet = draw_text(svg)
    if rng.random() < 0.35:
        sheet = _aged(rng, sheet)
    faces = {}
    share = style.radius / style.width
    for place, (rank, suit) in enumerate(columns):
        y, x = (place // 13) * height_px, (place % 13) * w_px
        faces[rank + suit] = sheet[y : y + height_px, x : x + w_px].copy()
    donor = donors[int(rng.integers(len(donors)))] if donors and rng.random() < 0.6 else None
    if donor is not None and not (face is not None and face.whole_courts):
        _borrow_courts(rng, faces, style, donor)
    if "silhouettes" in style.kinds:
        left = min(style.margin + style.index_w + 1.2, style.width * 0.36) / style.width * w_px
        box = (round(left) + 2, round(0.06 * height_px), w_px - round(left) - 2, round(0.94 * height_px))
        for name, printed in faces.items():
            if name[0] in "JQK":
                as_silhouette(printed, box, (235, 235, 230) if style.dark else (25, 25, 30))
    rounding = round_corners(np.full((height_px, w_px, 4), 255, np.uint8), share)[..., 3]
    for printed in faces.values():
        printed[..., 3] = rounding
    back_face = sheet[:height_px, 13 * w_px : 14 * w_px].copy()
    back_face[..., 3] = rounding
    name = f"invented-{seed}"
    return Deck(name, "invented", style.indices, faces, back_face, name, style.four_corners, style.four_colours)


def main(argv: list[str] | None = None) -> int:
    """Run the command: show some invented decks."""
    parser = argparse.ArgumentParser(prog="python -m datasets.decks.invented", description="decks made up by lot")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=6, help="how many decks")
    parser.add_argument("--sheet", type=Path, required=True, metavar="OUT.png", help="picture of all their cards")
    args = parser.parse_args(argv)
    sheets = [contact_sheet(invent_deck(args.seed + i, 220)) for i in range(args.count)]
    width = max(sheet.shape[1] for sheet in sheets)
    args.sheet.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(args.sheet), np.vstack([np.pad(s, ((0, 0), (0, width - s.shape[1]), (0, 0))) for s in sheets]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
