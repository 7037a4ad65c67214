"""
Letters and suit signs of invented decks, as SVG.

Card makers draw their own indices, narrow and heavy, unlike any book face. So next to the machine's fonts there is a
hand here that draws every index with strokes: one skeleton per letter, and weight, width, slant, ends and serifs are
drawn by lot.
All shapes live in a box one unit high, the top left corner at the origin.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from xml.sax.saxutils import escape

import numpy as np

from datasets.decks.deck_art import draw_text

COURT_LETTERS = {
    "english": {"A": "A", "J": "J", "Q": "Q", "K": "K"},
    "german": {"A": "A", "J": "B", "Q": "D", "K": "K"},
    "french": {"A": "1", "J": "V", "Q": "D", "K": "R"},
    "russian": {"A": "Т", "J": "В", "Q": "Д", "K": "К"},
}
"""What is printed for the ranks that are no number."""

_SIX = "M.50,.03 C.16,.04 .03,.38 .03,.68 C.03,1.10 .60,1.10 .60,.68 C.60,.32 .14,.30 .04,.64"
_BE = "M.05,0 L.05,1 L.30,1 C.68,1 .68,.47 .30,.47 L.05,.47 M.30,.47 C.60,.47 .60,0 .30,0 L.05,0"
_KA = "M.05,0 L.05,1 M.55,0 L.06,.58 M.21,.40 L.59,1"
_TE = "M0,0 L.60,0 M.30,0 L.30,1"

SKELETONS: dict[str, tuple[str, ...]] = {
    "0": ("M.31,0 C.72,0 .72,1 .31,1 C-.10,1 -.10,0 .31,0 Z",),
    "1": ("M.12,.20 L.34,0 L.34,1", "M.14,.16 L.34,0 L.34,1 M.12,1 L.56,1", "M.30,0 L.30,1"),
    "2": (
        "M.02,.27 C.02,-.09 .58,-.09 .58,.27 C.58,.52 .10,.68 .02,1 L.60,1",
        "M.02,.24 C.06,-.08 .60,-.06 .57,.30 C.54,.58 .08,.74 .03,1 C.22,.84 .38,1.06 .60,.94",
    ),
    "3": (
        (
            "M.04,.16 C.14,-.07 .57,-.06 .57,.25 C.57,.44 .38,.48 .22,.48 "
            "C.40,.48 .60,.54 .60,.74 C.60,1.07 .12,1.07 .02,.82"
        ),
        "M.05,0 L.56,0 L.26,.40 C.50,.38 .60,.54 .60,.70 C.60,1.07 .14,1.07 .02,.84",
    ),
    "4": ("M.46,1 L.46,0 L0,.70 L.62,.70", "M.46,1 L.46,.38 M.30,0 L0,.70 L.62,.70"),
    "5": ("M.55,0 L.11,0 L.06,.44 C.28,.31 .60,.40 .60,.69 C.60,1.06 .12,1.08 0,.85",),
    "6": (_SIX, "M.44,0 C.20,.22 .03,.45 .03,.70 C.03,1.09 .60,1.09 .60,.70 C.60,.36 .16,.34 .06,.58"),
    "7": (
        "M0,0 L.60,0 C.36,.34 .25,.68 .22,1",
        "M.02,.14 L.02,0 L.60,0 L.20,1",
        "M0,0 L.60,0 L.22,1 M.16,.50 L.54,.50",
    ),
    "8": (
        (
            "M.31,0 C.64,0 .64,.47 .31,.47 C-.02,.47 -.02,0 .31,0 Z "
            "M.31,.47 C.72,.47 .72,1 .31,1 C-.10,1 -.10,.47 .31,.47 Z"
        ),
    ),
    "A": ("M0,1 L.30,0 L.60,1 M.11,.66 L.49,.66",),
    "J": (
        "M.44,0 L.44,.74 C.44,1.08 .03,1.08 .02,.74",
        "M.22,0 L.60,0 M.44,0 L.44,.74 C.44,1.08 .03,1.08 .02,.74",
    ),
    "Q": (
        "M.31,0 C.72,0 .72,1 .31,1 C-.10,1 -.10,0 .31,0 Z M.34,.70 L.60,1.06",
        "M.31,0 C.72,0 .72,1 .31,1 C-.10,1 -.10,0 .31,0 Z M.16,.78 C.34,.70 .40,1.02 .62,.96",
    ),
    "K": (_KA,),
    "К": (_KA, "M.05,0 L.05,1 M.55,0 C.40,.10 .44,.44 .06,.48 C.40,.48 .44,.90 .60,1"),
    "B": (_BE,),
    "В": (_BE,),
    "Т": (_TE, "M.02,.16 L.02,0 L.58,0 L.58,.16 M.30,0 L.30,1"),
    "D": ("M.05,0 L.05,1 L.24,1 C.72,1 .72,0 .24,0 Z",),
    "Д": (
        "M.10,.82 C.17,.55 .18,.25 .18,0 L.50,0 L.50,.82 M0,1 L0,.82 L.62,.82 L.62,1",
        "M.10,.80 L.31,0 L.52,.80 M-.04,1 L-.04,.80 L.66,.80 L.66,1",
    ),
    "V": ("M0,0 L.30,1 L.60,0",),
    "R": ("M.05,1 L.05,0 L.30,0 C.64,0 .64,.52 .30,.52 L.05,.52 M.28,.52 L.60,1",),
}
"""Letter -> its drawn forms, strokes in a box .62 wide and 1 high."""

_ROUND_SQUARE = "M.14,0 L.48,0 Q.60,0 .60,.12 L.60,.88 Q.60,1 .48,1 L.14,1 Q.02,1 .02,.88 L.02,.12 Q.02,0 .14,0 Z"
SQUARED: dict[str, str] = {
    "0": _ROUND_SQUARE,
    "2": (
        "M.02,.20 L.02,.12 Q.02,0 .14,0 L.48,0 Q.60,0 .60,.12 L.60,.36 Q.60,.47 .48,.48 L.14,.50 "
        "Q.02,.51 .02,.62 L.02,1 L.60,1"
    ),
    "3": (
        "M.02,.18 L.02,.12 Q.02,0 .14,0 L.46,0 Q.58,0 .58,.12 L.58,.36 Q.58,.47 .46,.47 L.20,.47 "
        "M.46,.47 Q.60,.48 .60,.58 L.60,.88 Q.60,1 .48,1 L.14,1 Q.02,1 .02,.88 L.02,.80"
    ),
    "5": "M.58,0 L.04,0 L.04,.42 L.48,.42 Q.60,.42 .60,.54 L.60,.88 Q.60,1 .48,1 L.14,1 Q.02,1 .02,.88 L.02,.80",
    "6": (
        "M.58,.20 L.58,.12 Q.58,0 .46,0 L.14,0 Q.02,0 .02,.12 L.02,.88 Q.02,1 .14,1 L.48,1 Q.60,1 .60,.88 "
        "L.60,.58 Q.60,.46 .48,.46 L.02,.46"
    ),
    "8": (
        "M.16,0 L.46,0 Q.57,0 .57,.12 L.57,.36 Q.57,.47 .46,.47 L.16,.47 Q.05,.47 .05,.36 L.05,.12 Q.05,0 .16,0 Z "
        "M.14,.47 L.48,.47 Q.60,.47 .60,.59 L.60,.88 Q.60,1 .48,1 L.14,1 Q.02,1 .02,.88 L.02,.59 Q.02,.47 .14,.47 Z"
    ),
    "J": "M.22,0 L.44,0 L.44,.88 Q.44,1 .32,1 L.14,1 Q.02,1 .02,.88 L.02,.74",
    "Q": _ROUND_SQUARE + " M.34,.74 L.60,1.06",
}
"""Letter -> its form in square numerals, strokes in the same box; others are as in ``SKELETONS``."""

SERIFS: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((0, 1), (0.6, 1)),
    "J": ((0.44, 0),),
    "K": ((0.05, 0), (0.05, 1), (0.55, 0), (0.59, 1)),
    "К": ((0.05, 0), (0.05, 1), (0.55, 0), (0.59, 1)),
    "V": ((0, 0), (0.6, 0)),
    "R": ((0.05, 1), (0.6, 1)),
    "1": ((0.34, 1),),
    "4": ((0.46, 1),),
}
"""Where a letter's strokes end and may carry a serif (a foot would make an I of a Т)."""
GLYPH_WIDTH = 0.62


USUAL = (
    "C059",
    "DejaVu Sans",
    "DejaVu Sans Mono",
    "DejaVu Serif",
    "Liberation Mono",
    "Liberation Sans",
    "Liberation Sans Narrow",
    "Liberation Serif",
    "Nimbus Mono PS",
    "Nimbus Roman",
    "Nimbus Sans",
    "Nimbus Sans Narrow",
    "Noto Mono",
    "Noto Sans Mono",
    "P052",
    "URW Bookman",
    "URW Gothic",
)
"""Families that come with Debian's drawing tools; decks that know no other font are the same wherever these are."""
UNFIT = (
    *("Z003", "Math", "Dingbats", "Symbol", "Emoji", "Fallback", "Cursor", "Keyboard", "D050000L"),
    *("Chancery", "Chorus", "Classical", "Script", "Delphine", "El Abogado", "Domestic", "Penguin", "StayPuft"),
    *("Steve", "Solothurn", "unifur", "Thin", "Ornament", "Initials", "Icons", "Outline"),
)
"""Parts of names of families that are no card indices: chancery hands, maths faces, signs, initials, scrawls."""
SUIT_SIGNS = {"s": "\u2660", "c": "\u2663", "h": "\u2665", "d": "\u2666"}
"""The suits as letters of a font."""


def _families(pattern: str) -> tuple[str, ...]:
    """
    Return the families of this machine that match fontconfig's ``pattern``, sorted; empty if fontconfig is missing.
    """
    try:
        done = subprocess.run(["fc-list", pattern, "family"], capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        return ()
    families = {line.split(",")[0].strip() for line in done.stdout.splitlines()}
    return tuple(sorted(family for family in families if family and not any(word in family for word in UNFIT)))


@lru_cache(maxsize=4)
def fonts(cyrillic: bool, every: bool = False) -> tuple[str, ...]:
    """
    Return font families of this machine with Latin (or Cyrillic) letters: the usual ones, or ``every`` one there is.
    """
    families = _families(":lang=ru" if cyrillic else ":lang=en")
    return families if every else tuple(family for family in families if family in USUAL)


@lru_cache(maxsize=1)
def sign_fonts() -> tuple[str, ...]:
    """Return font families of this machine that draw the four suits; some claim the signs and leave them blank."""
    families = _families(f":charset={' '.join(f'{ord(sign):x}' for sign in SUIT_SIGNS.values())}")
    return tuple(family for family in families if len(measure_signs(family)) == len(SUIT_SIGNS))


@lru_cache(maxsize=256)
def measure(font: str, weight: int, italic: bool) -> dict[str, tuple[float, float, float, float]]:
    """
    Measure where a font puts its ink: text -> left, top, right, bottom in units of the font size, from the start of the
    base line.

    Measured on a drawing, because fonts differ too much for a rule of thumb.
    """
    letters = {letter for letters in COURT_LETTERS.values() for letter in letters.values()}
    texts = sorted({*"23456789", "10", *letters})
    return dict.fromkeys(texts, (0.0, -0.7, 0.6, 0.0)) | _inks(texts, font, weight, italic)


@lru_cache(maxsize=64)
def measure_signs(font: str) -> dict[str, tuple[float, float, float, float]]:
    """Measure where a font puts the ink of the suits' signs, as ``measure``, but for those it leaves blank."""
    return _inks(list(SUIT_SIGNS.values()), font, 400, False)


def _inks(texts: list[str], font: str, weight: int, italic: bool) -> dict[str, tuple[float, float, float, float]]:
    """Measure the ink of any texts as ``measure`` does; blank ones are left out."""
    em, cell, start = 60, 180, 40
    drawing = "".join(
        f'<text x="{i * cell + start}" y="120" {_font(font, weight, italic, em)}>{escape(text)}</text>'
        for i, text in enumerate(texts)
    )
    sheet = draw_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{cell * len(texts)}" height="160">{drawing}</svg>'
    )
    ink = {}
    for i, text in enumerate(texts):
        ys, xs = np.nonzero(sheet[:, i * cell : (i + 1) * cell, 3] > 96)
        if len(xs):
            box = (xs.min() - start, ys.min() - 120, xs.max() + 1 - start, ys.max() + 1 - 120)
            ink[text] = (float(box[0]) / em, float(box[1]) / em, float(box[2]) / em, float(box[3]) / em)
    return ink


def _font(font: str, weight: int, italic: bool, size: float) -> str:
    style = "italic" if italic else "normal"
    # No text-anchor: rsvg-convert misplaces anchored text that is stretched.
    return f'font-family="{escape(font)}" font-weight="{weight}" font-style="{style}" font-size="{size:.3f}"'


@dataclass(frozen=True, slots=True)
class Hand:
    """
    How one deck writes its indices.

    font: a font family, or empty for the drawn skeletons. weight: stroke as a share of the letter's height, or the
    font's weight over 1000. width: how wide letters run against their usual width. slant: degrees. form: which of the
    drawn forms. squared: drawn numerals are square with rounded corners.
    """

    font: str
    weight: float
    width: float
    slant: float
    round_ends: bool
    serif: float
    form: int
    italic: bool = False
    squared: bool = False

    @classmethod
    def draw(cls, rng: np.random.Generator, cyrillic: bool, every: bool = False) -> Hand:
        """Choose a hand by lot; ``every``: any font there is may write, not only the usual ones."""
        families = fonts(cyrillic, every)
        drawn = not families or rng.random() < 0.5
        return cls(
            font="" if drawn else str(rng.choice(families)),
            weight=float(rng.uniform(0.07, 0.2)) if drawn else float(rng.choice([0.4, 0.4, 0.7, 0.7, 0.7])),
            width=float(rng.uniform(0.7, 1.25)) if drawn else float(rng.uniform(0.6, 1.1)),
            slant=float(rng.uniform(-8, 8)) if rng.random() < 0.15 else 0.0,
            round_ends=bool(rng.random() < 0.5),
            serif=float(rng.uniform(0.14, 0.24)) if rng.random() < 0.4 else 0.0,
            form=int(rng.integers(0, 6)),
            italic=bool(rng.random() < 0.08),
        )

    @property
    def _weight(self) -> int:
        return round(self.weight * 1000)

    def _ink(self, text: str) -> tuple[float, float, float, float]:
        ink = measure(self.font, self._weight, self.italic)[text]
        if text in "QJ":
            # Tails hang below the line: such letters are as high as the others, and the tail hangs out.
            return (ink[0], ink[1], ink[2], min(ink[3], 0.02))
        return ink

    def _across(self, text: str) -> float:
        return self.width * (0.82 if len(text) > 1 else 1.0)

    def advance(self, text: str) -> float:
        """Return the width of ``text`` as a share of its height, strokes included."""
        if self.font:
            left, top, right, bottom = self._ink(text)
            return (right - left) / (bottom - top) * self._across(text)
        squeeze = 0.74 if len(text) > 1 else 1.0
        return (len(text) * (GLYPH_WIDTH * self.width * squeeze) + (len(text) - 1) * self.weight * 1.7) + self.weight

    def write(self, text: str, height: float, ink: str) -> str:
        """Return SVG of ``text``, centred about x = 0, its top at y = 0, ``height`` high."""
        lean = f"skewX({-self.slant:.2f})"
        if self.font:
            left, top, _, bottom = self._ink(text)
            across, size = self._across(text), height / (bottom - top)
            middle = (left + self._ink(text)[2]) / 2 * size * across
            return (
                f'<g transform="translate({-middle:.3f} {-top * size:.3f}) {lean} scale({across:.3f} 1)">'
                f'<text {_font(self.font, self._weight, self.italic, size)} fill="{ink}">{escape(text)}</text></g>'
            )
        squeeze = 0.74 if len(text) > 1 else 1.0
        step = GLYPH_WIDTH * self.width * squeeze + self.weight * 1.7
        left = -self.advance(text) / 2 + self.weight / 2
        cap, join = ("round", "round") if self.round_ends else ("butt", "miter")
        inside = 1 - self.weight
        parts = []
        for place, letter in enumerate(text):
            drawn, turn = ("6", f"rotate(180 {GLYPH_WIDTH / 2} .5) ") if letter == "9" else (letter, "")
            forms = (SQUARED[drawn],) if self.squared and drawn in SQUARED else SKELETONS[drawn]
            path = forms[self.form % len(forms)]
            for x, y in SERIFS.get(letter, ()) if self.serif else ():
                path += f" M{x - self.serif:.3f},{y} L{x + self.serif:.3f},{y}"
            across = self.width * squeeze
            parts.append(
                f'<g transform="translate({left + place * step:.4f} {self.weight / 2:.4f}) '
                f'scale({across:.4f} {inside:.4f}) {turn}"><path d="{path}"/></g>'
            )
        return (
            f'<g transform="scale({height:.3f}) translate(0 1) {lean} translate(0 -1)" fill="none" stroke="{ink}" '
            f'stroke-width="{self.weight:.4f}" stroke-linecap="{cap}" stroke-linejoin="{join}">'
            f"{''.join(parts)}</g>"
        )


def _heart(rng: np.random.Generator) -> str:
    belly, shoulder, dip = rng.uniform(0, 16), rng.uniform(42, 56), rng.uniform(16, 32)
    return (
        f"M0,50 C-8,{28 + belly / 2:.1f} -50,{6 + belly:.1f} -50,-18 "
        f"C-50,-{shoulder:.1f} -10,-{shoulder + 6:.1f} 0,-{dip:.1f} "
        f"C10,-{shoulder + 6:.1f} 50,-{shoulder:.1f} 50,-18 C50,{6 + belly:.1f} 8,{28 + belly / 2:.1f} 0,50 Z"
    )


def _spade(rng: np.random.Generator) -> str:
    belly, shoulder, foot = rng.uniform(0, 14), rng.uniform(34, 46), rng.uniform(12, 24)
    return (
        f"M0,-50 C8,{-30 - belly / 2:.1f} 48,{-10 - belly:.1f} 48,14 C48,{shoulder:.1f} 10,{shoulder:.1f} 4,16 "
        f"C5,34 {foot / 2:.1f},46 {foot:.1f},50 L{-foot:.1f},50 C{-foot / 2:.1f},46 -5,34 -4,16 "
        f"C-10,{shoulder:.1f} -48,{shoulder:.1f} -48,14 C-48,{-10 - belly:.1f} -8,{-30 - belly / 2:.1f} 0,-50 Z"
    )


def _diamond(rng: np.random.Generator) -> str:
    half, bend = rng.uniform(32, 44), rng.uniform(0, 0.22)
    x, y = half / 2 * (1 - bend), 25 * (1 - bend)
    right = f"M0,-50 Q{x:.1f},{-y:.1f} {half:.1f},0 Q{x:.1f},{y:.1f} 0,50"
    return f"{right} Q{-x:.1f},{y:.1f} {-half:.1f},0 Q{-x:.1f},{-y:.1f} 0,-50 Z"


def _club(rng: np.random.Generator) -> str:
    r, side, foot = rng.uniform(20, 25), rng.uniform(23, 27), rng.uniform(11, 22)
    low = rng.uniform(6, 14)

    def disc(x: float, y: float) -> str:
        return f"M{x - r:.1f},{y:.1f} a{r:.1f},{r:.1f} 0 1,1 {2 * r:.1f},0 a{r:.1f},{r:.1f} 0 1,1 {-2 * r:.1f},0 Z "

    # Wound the same way as the discs, or the overlaps would be holes.
    stem = (
        f"M-4,0 L4,0 C4,30 {foot / 2:.1f},46 {foot:.1f},50 L{-foot:.1f},50 C{-foot / 2:.1f},46 -4,30 -4,0 Z "
        f"M-10,-12 L10,-12 L12,{low:.1f} L-12,{low:.1f} Z"
    )
    return disc(0, -50 + r) + disc(-side, low) + disc(side, low) + stem


SUIT_SHAPES: dict[str, Callable[[np.random.Generator], str]] = {"h": _heart, "s": _spade, "d": _diamond, "c": _club}
"""Suit -> a path by lot in a box of 100 x 100 about the origin."""


def write_sign(font: str, suit: str, size: float, ink: str) -> str:
    """Return SVG of a suit as ``font`` draws it, ``size`` high, its middle at the origin."""
    left, top, right, bottom = measure_signs(font)[SUIT_SIGNS[suit]]
    tall = size / max(bottom - top, 1e-3)
    return (
        f'<text transform="translate({-(left + right) / 2 * tall:.3f} {-(top + bottom) / 2 * tall:.3f})" '
        f'{_font(font, 400, False, tall)} fill="{ink}">{SUIT_SIGNS[suit]}</text>'
    )
