"""
Prints of invented decks against custom: what made networks name cards wrongly and be sure of it.

A frame round the pips counted for a court, a large index for another rank, and of two suits of one colour the commoner
one was named. Each deck of these seeds has one such print or several. All lengths are in hundredths of a card's height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from datasets.decks.invented_faces import HEIGHT, colour

KINDS = {
    "panel": 0.42,
    "large index": 0.25,
    "one ink": 0.15,
    "one index": 0.1,
    "outlined pips": 0.15,
    "silhouettes": 0.2,
    "words": 0.12,
}
"""How often a deck has which print; one that none was drawn for has a panel."""
INDEX_TALL = (20.0, 34.0)
"""Smallest and largest height of the rank in a large index."""
WORDS = tuple(
    dict(zip("A23456789TJQK", words.split(), strict=True))
    for words in (
        "ACE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING",
        "As Zwei Drei Vier Fünf Sechs Sieben Acht Neun Zehn Bube Dame König",
        "туз два три четыре пять шесть семь восемь девять десять валет дама король",
    )
)
"""Names of the ranks in three languages."""


@dataclass(frozen=True, slots=True)
class CustomPrint:
    """
    The print of one deck. ``kinds``: of ``KINDS``. ``panel_fill``: colour of the panel, "none" without one.
    ``panel_line``: breadth of the line round it, 0 without one. ``panel_share``: its width and height as shares of the
    room between the indices. ``words``: rank -> word. ``is_squared``: numerals are square with rounded corners.
    """

    kinds: frozenset[str]
    panel_fill: str
    panel_line: float
    panel_share: tuple[float, float]
    index_tall: float
    words: Mapping[str, str]
    is_squared: bool

    @classmethod
    def draw(cls, rng: np.random.Generator) -> CustomPrint:
        """Choose by lot."""
        kinds = frozenset(kind for kind, share in KINDS.items() if rng.random() < share) or frozenset({"panel"})
        tinted, lined = [(True, True), (False, True), (True, False)][int(rng.choice(3, p=[0.45, 0.35, 0.2]))]
        tint = colour(rng.uniform(0, 180), rng.uniform(0.04, 0.5), rng.uniform(0.7, 1))
        return cls(
            kinds,
            tint if tinted else "none",
            float(rng.uniform(0.3, 1.2)) if lined else 0.0,
            (float(rng.uniform(0.6, 1)), float(rng.uniform(0.5, 0.98))),
            float(rng.uniform(*INDEX_TALL)),
            WORDS[int(rng.integers(len(WORDS)))],
            bool(rng.random() < 0.3),
        )

    def panel(self, box: tuple[float, float, float, float]) -> str:
        """Draw the panel in ``box`` (x, y, width, height)."""
        x, y, w, h = box
        return (
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" fill="{self.panel_fill}" '
            f'stroke="#282828" stroke-width="{self.panel_line:.2f}"/>'
        )

    def word(self, rank: str, width: float, ink: str, font: str) -> str:
        """Write the rank as a word across the middle of a card ``width`` wide."""
        text = self.words[rank]
        tall = min(14.0, 1.35 * (width - 6) / len(text))
        return (
            f'<text x="{width / 2:.2f}" y="{HEIGHT / 2 + tall * 0.35:.2f}" font-size="{tall:.2f}" '
            f'font-family="{font}" text-anchor="middle" fill="{ink}">{text}</text>'
        )


def as_silhouette(face: np.ndarray, box: tuple[int, int, int, int], ink: tuple[int, int, int]) -> None:
    """Replace what is printed in ``box`` (x0, y0, x1, y1) px of a face (h, w, 4) RGBA by its shadow in one ink."""
    x0, y0, x1, y1 = box
    part = face[y0:y1, x0:x1, :3].astype(np.int32)
    paper = np.median(np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]), axis=0)
    face[y0:y1, x0:x1, :3][np.abs(part - paper).max(axis=2) > 40] = ink
