"""
Glyphs, pips and brush of the project's own deck: everything is a path, so no font is ever needed.

Units are tenths of a millimetre, as on the card (630 x 880). A glyph stands in a box 62 wide and 100 high and is
drawn as a stroked line with round joins; a pip fills a box of 100 x 100 round its origin.
"""

# ruff: noqa: E501 - the data of a path is one word; broken lines would hide its shape
from __future__ import annotations

SUIT_PATHS = {
    "s": (
        "M0-50C10-30 44-8 44 16C44 30 34 37 24 37C15 37 7 32 3 24C4 34 8 43 16 50H-16C-8 43-4 34-3 24C-7 32-15 37-24 37"
        "C-34 37-44 30-44 16C-44-8-10-30 0-50Z"
    ),
    "h": (
        "M0 48C-12 30-46 8-46-18C-46-36-34-45-22-45C-11-45-3-38 0-28C3-38 11-45 22-45C34-45 46-36 46-18C46 8 12 30 0 48Z"
    ),
    "d": "M0-52C8-32 22-13 38 0C22 13 8 32 0 52C-8 32-22 13-38 0C-22-13-8-32 0-52Z",
    "c": (
        "M0-49A22 22 0 0 1 17-13A22 22 0 1 1 5 17C6 30 9 42 16 50H-16C-9 42-6 30-5 17A22 22 0 1 1-17-13A22 22 0 0 1 0-49Z"
    ),
}
"""Suit letter -> outline of its pip."""

INKS = {"s": "#15151d", "c": "#15151d", "h": "#c8102e", "d": "#c8102e"}
"""Suit letter -> colour of pips and indices."""

GLYPHS = {
    "2": "M6 25C6 9 17 0 31 0C46 0 57 10 57 26C57 50 24 66 5 100H58",
    "3": "M7 13C12 5 20 0 31 0C45 0 55 9 55 23C55 38 44 47 27 47C47 47 58 57 58 73C58 90 46 100 30 100C18 100 9 95 4 85",
    "4": "M45 100V0L3 70H60",
    "5": "M53 0H14L9 46C15 40 22 37 31 37C47 37 58 50 58 68C58 87 47 100 30 100C19 100 10 95 4 86",
    "6": "M52 12C47 4 41 0 33 0C14 0 4 22 4 58C4 85 14 100 31 100C47 100 58 87 58 69C58 51 47 40 32 40C18 40 7 49 4 64",
    "7": "M4 0H57C41 28 27 60 24 100",
    "8": (
        "M31 0C44 0 53 9 53 23C53 37 43 46 31 46C19 46 9 37 9 23C9 9 18 0 31 0Z"
        "M31 46C47 46 58 56 58 73C58 90 46 100 31 100C16 100 4 90 4 73C4 56 15 46 31 46Z"
    ),
    "9": "M10 88C15 96 21 100 29 100C48 100 58 78 58 42C58 15 48 0 31 0C15 0 4 13 4 31C4 49 15 60 30 60C44 60 55 51 58 36",
    "T": "M-5 16L9 0V100M48 0C60 0 68 16 68 50C68 84 60 100 48 100C36 100 28 84 28 50C28 16 36 0 48 0Z",
    "J": ("M8 0V100H33C49 100 58 89 58 73C58 57 49 47 33 47H8M8 0H30C45 0 53 9 53 23C53 38 45 47 30 47"),
    "Q": "M12 82C21 66 23 38 23 0H51V82M0 100V82H62V100",
    "K": "M8 0V100M57 0C49 28 38 48 10 50C38 50 47 72 59 100",
    "A": "M0 16V0H62V16M31 0V100M18 100H44",
}
"""Rank letter -> the line that writes its Russian index: 2 to 10, then В Д К Т for jack, queen, king, ace."""

_LATIN_ACE = "M2 100L31 0L60 100M13 66H49"

ENGLISH_GLYPHS = {
    "J": "M30 0H58M46 0V72C46 90 39 100 26 100C13 100 5 91 4 76",
    "Q": "M31 0C50 0 58 20 58 50C58 80 50 100 31 100C12 100 4 80 4 50C4 20 12 0 31 0ZM36 74L62 106",
    "K": "M8 0V100M57 0L8 62M27 40L59 100",
    "A": _LATIN_ACE,
}
"""Rank letter -> the line that writes its English index, where that is another than the Russian one."""

FRENCH_GLYPHS = {
    "J": "M2 0L31 100L60 0",
    "Q": "M8 0V100H26C50 100 60 78 60 50C60 22 50 0 26 0H8Z",
    "K": "M8 100V0H32C49 0 57 12 57 27C57 42 49 54 32 54H8M32 54L60 100",
    "A": _LATIN_ACE,
}
"""Outlines of the French letters: V, D, R and A."""

GLYPH_WIDTH = 62
GLYPH_HEIGHT = 100


def number(value: float) -> str:
    """Format a coordinate as short text: at most one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def shape(d: str, fill: str = "none", stroke: str = "", width: float = 0) -> str:
    """Return one SVG path; without ``stroke`` the group's own pen draws its outline."""
    pen = f' stroke="{stroke}"' if stroke else ""
    if width:
        pen += f' stroke-width="{number(width)}"'
    return f'<path d="{d}" fill="{fill}"{pen}/>'


def ellipse(cx: float, cy: float, rx: float, ry: float, fill: str, stroke: str = "") -> str:
    """Return one SVG ellipse."""
    pen = f' stroke="{stroke}"' if stroke else ""
    if rx == ry:
        return f'<circle cx="{number(cx)}" cy="{number(cy)}" r="{number(rx)}" fill="{fill}"{pen}/>'
    return f'<ellipse cx="{number(cx)}" cy="{number(cy)}" rx="{number(rx)}" ry="{number(ry)}" fill="{fill}"{pen}/>'


def pip(suit: str, cx: float, cy: float, size: float, turned: bool = False, ink: str = "") -> str:
    """Draw a suit sign ``size`` high with its middle at (cx, cy), upside down if ``turned``."""
    turn = " rotate(180)" if turned else ""
    return (
        f'<path transform="translate({number(cx)} {number(cy)}){turn} scale({size / 100:.3g})" '
        f'd="{SUIT_PATHS[suit]}" fill="{ink or INKS[suit]}" stroke="none"/>'
    )


def glyph(line: str, cx: float, top: float, height: float, ink: str, weight: float = 15) -> str:
    """Draw an index along ``line``, centred on ``cx``, ``height`` high, with a pen ``weight`` parts in 100 wide."""
    scale = height / GLYPH_HEIGHT
    left = cx - GLYPH_WIDTH / 2 * scale
    return (
        f'<path transform="translate({number(left)} {number(top)}) scale({scale:.3g})" d="{line}" fill="none" '
        f'stroke="{ink}" stroke-width="{number(weight)}" stroke-linecap="round" stroke-linejoin="round"/>'
    )
