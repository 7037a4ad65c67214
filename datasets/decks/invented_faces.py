"""
Faces of invented decks that are not paper: a picture over the whole card, strong colours, a broad rim.

Most decks are dark print on pale paper, and a network that saw only those takes a card of another kind for a coaster.
All drawings are SVG in units of a hundredth of the card's height.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

HEIGHT = 100.0
"""Cards are laid out 100 units high."""
KINDS = {"paper": 0.5, "picture": 0.18, "vivid": 0.13, "rim": 0.12, "by suit": 0.07}
"""How often a deck's faces are of which kind."""
WHOLE_COURTS = 0.3
"""How often the court pictures fill the whole card, the indices printed upon them."""


def colour(hue: float, saturation: float, value: float) -> str:
    """Return a colour as SVG writes it; hue 0 to 180 as in OpenCV, the others 0 to 1."""
    hsv = np.array([[[hue % 180, saturation * 255, value * 255]]]).astype(np.uint8)
    r, g, b = (int(v) for v in cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0])
    return f"#{r:02x}{g:02x}{b:02x}"


def _any(rng: np.random.Generator) -> str:
    return colour(rng.uniform(0, 180), rng.uniform(0.1, 1), rng.uniform(0.1, 1))


@dataclass(frozen=True)
class Face:
    """
    The style of one deck's faces.

    kind: one of ``KINDS``. paper: its colour, ``None`` if the deck's own. ink: suit -> colour, ``None`` likewise.
    rim: breadth and colour of the coloured rim. pale: how far a picture is hidden by a veil of the paper's colour, 0 to
    1. same: every card bears the same picture. whole_courts: court pictures fill the card. plate: opacity of the plate
    below an index that would otherwise stand upon a picture.
    """

    kind: str
    paper: str | None
    ink: dict[str, str] | None
    rim: tuple[float, str]
    pale: float
    same: bool
    whole_courts: bool
    plate: float
    papers: dict[str, str]
    seed: int

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Face:
        """Choose by lot."""
        kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        paper, ink, papers = None, None, {}
        if kind == "vivid":
            dark = rng.random() < 0.6
            hue = rng.uniform(0, 180)
            paper = colour(hue, rng.uniform(0.45, 1), rng.uniform(0.2, 0.6) if dark else rng.uniform(0.7, 1))
            ink = _two_inks(rng, dark)
        elif kind == "by suit":
            hue = rng.uniform(0, 180)
            value, saturation = rng.uniform(0.25, 0.5), rng.uniform(0.4, 1)
            papers = {
                suit: colour(hue + turn, saturation, value) for suit, turn in zip("hdsc", (0, 45, 90, 135), strict=True)
            }
            pale = colour(rng.uniform(0, 180), rng.uniform(0, 0.15), rng.uniform(0.85, 1))
            ink = dict.fromkeys("hdsc", pale)
        rim = (float(rng.uniform(2.5, 9)), _any(rng)) if kind == "rim" or rng.random() < 0.05 else (0.0, "")
        return cls(
            kind,
            paper,
            ink,
            rim,
            pale=float(rng.uniform(0.35, 0.8)),
            same=bool(rng.random() < 0.4),
            whole_courts=bool(kind == "picture" or rng.random() < WHOLE_COURTS),
            plate=float(rng.choice([0.0, rng.uniform(0.5, 1)], p=[0.3, 0.7])),
            papers=papers,
            seed=int(rng.integers(1 << 30)),
        )

    def ground(self, paper: str, width: float, card: str) -> str:
        """Return the picture of a card before its print: the deck's ground, or nothing on paper faces."""
        whole = f'width="{width:.2f}" height="{HEIGHT}"'
        out = ""
        if card[1] in self.papers:
            out += f'<rect {whole} fill="{self.papers[card[1]]}"/>'
        if self.kind == "picture":
            lot = [self.seed] if self.same else [self.seed, *card.encode()]
            out += picture(np.random.default_rng(lot), width)
            out += f'<rect {whole} fill="{paper}" opacity="{self.pale:.2f}"/>'
        broad, tint = self.rim
        if broad:
            out += (
                f'<rect x="{broad / 2:.2f}" y="{broad / 2:.2f}" width="{width - broad:.2f}" '
                f'height="{HEIGHT - broad:.2f}" fill="none" stroke="{tint}" stroke-width="{broad:.2f}"/>'
            )
        return out


def _two_inks(rng: np.random.Generator, dark: bool) -> dict[str, str]:
    """Return inks that stand out from a strong colour: pale and gold on dark, black and deep red or white on bright."""
    pale = colour(rng.uniform(0, 180), rng.uniform(0, 0.12), rng.uniform(0.88, 1))
    black = colour(rng.uniform(0, 180), rng.uniform(0, 0.5), rng.uniform(0, 0.15))
    if rng.random() < 0.25:
        return dict.fromkeys("hdsc", pale if dark else black)
    if dark:
        other = colour(rng.uniform(15, 30), rng.uniform(0.5, 1), rng.uniform(0.85, 1))
        return {"h": other, "d": other, "s": pale, "c": pale}
    other = pale if rng.random() < 0.5 else colour(rng.uniform(-6, 6), 1, rng.uniform(0.35, 0.6))
    return {"h": other, "d": other, "s": black, "c": black}


def picture(rng: np.random.Generator, width: float) -> str:
    """Draw a picture over the whole card: a shaded ground with hills, discs, rays and blots at random."""
    mark = f"g{int(rng.integers(1 << 40)):x}"
    x, y = rng.uniform(0, 1, 2)
    out = (
        f'<linearGradient id="{mark}" x1="{x:.2f}" y1="0" x2="{y:.2f}" y2="1"><stop offset="0" '
        f'stop-color="{_any(rng)}"/><stop offset="1" stop-color="{_any(rng)}"/></linearGradient>'
        f'<rect width="{width:.2f}" height="{HEIGHT}" fill="url(#{mark})"/>'
    )
    for _ in range(int(rng.integers(3, 14))):
        paint, see = _any(rng), rng.uniform(0.3, 1)
        cx, cy, size = rng.uniform(-0.1, 1.1) * width, rng.uniform(-0.1, 1.1) * HEIGHT, rng.uniform(3, 32)
        kind = rng.choice(["disc", "hill", "ray", "blot"])
        if kind == "disc":
            shape = f'<ellipse cx="{cx:.1f}" cy="{cy:.1f}" rx="{size:.1f}" ry="{size * rng.uniform(0.4, 1.6):.1f}"'
        elif kind == "hill":
            tops = " ".join(f"L{at * width / 4:.1f},{cy + rng.uniform(-18, 18):.1f}" for at in range(5))
            shape = f'<path d="M0,{HEIGHT} {tops} L{width:.1f},{HEIGHT} Z"'
        elif kind == "ray":
            turn, thick = rng.uniform(0, 180), rng.uniform(0.5, 6)
            shape = (
                f'<rect x="-80" y="{-thick / 2:.1f}" width="160" height="{thick:.1f}" '
                f'transform="translate({cx:.1f} {cy:.1f}) rotate({turn:.0f})"'
            )
        else:
            round_about = np.linspace(0, 2 * np.pi, int(rng.integers(4, 11)), endpoint=False)
            reach = size * rng.uniform(0.3, 1, len(round_about))
            corners = np.stack([cx + reach * np.cos(round_about), cy + reach * np.sin(round_about)], axis=1)
            shape = f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"'
        out += f'{shape} fill="{paint}" opacity="{see:.2f}"/>'
    return out
