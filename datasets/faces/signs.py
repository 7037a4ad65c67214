"""
Draw rank and suit signs as masks, for faces with random layouts.

A *writing* is one hand or font with its thirteen ranks, a *suit set* one shape for each of the four suits. Both are
drawn from seeds by ``datasets.decks.lettering``; the same seeds and fonts on the machine give the same signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.deck_art import RANK_COLUMNS, SUIT_ROWS, draw_text
from datasets.decks.lettering import COURT_LETTERS, SUIT_SHAPES, Hand, sign_fonts, write_sign

TALL_PX = 88
"""Height of a sign as it is drawn; faces only shrink them."""
CELL_PX = (240, 136)
"""Width and height of the place that each sign is drawn in; slanted tens are the widest."""
INKED = 24
"""Opacity out of 255 from which a pixel belongs to a sign."""
WRITINGS_A_SHEET, SUIT_SETS_A_SHEET = 12, 24
LETTERINGS = {"english": 0.5, "russian": 0.26, "german": 0.12, "french": 0.12}
"""How often the court letters are which."""
WRITTEN_SUITS = 0.35
"""How often the suits are a font's."""


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """
    writings: each rank text (``T`` for the ten) -> (h, w) uint8 mask, cut to its ink. letterings: whose letters each
    writing has. suits: each suit -> mask.
    """

    writings: tuple[dict[str, np.ndarray], ...]
    letterings: tuple[str, ...]
    suits: tuple[dict[str, np.ndarray], ...]


def _cells(rows: list[list[str]]) -> list[list[np.ndarray]]:
    """Return each drawing, centred about x = 0 and ``TALL_PX`` high from y = 0, as a mask cut to its ink."""
    width, height = CELL_PX
    columns = max(len(row) for row in rows)
    parts = [
        f'<g transform="translate({column * width + width / 2} {index * height + 16})">{drawing}</g>'
        for index, row in enumerate(rows)
        for column, drawing in enumerate(row)
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width}" height="{len(rows) * height}">'
        f"{''.join(parts)}</svg>"
    )
    alpha = draw_text(svg)[..., 3]
    return [
        [
            _cut(alpha[index * height : (index + 1) * height, column * width : (column + 1) * width])
            for column in range(len(row))
        ]
        for index, row in enumerate(rows)
    ]


def _cut(cell: np.ndarray) -> np.ndarray:
    ys, xs = np.nonzero(cell > INKED)
    if not len(xs):
        return np.zeros((1, 1), np.uint8)
    return np.ascontiguousarray(cell[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


def _writing(seed: int) -> tuple[str, list[str]]:
    """Return lettering and the drawings of the thirteen ranks of one writing."""
    rng = np.random.default_rng([seed, 0x516])
    lettering = str(rng.choice(list(LETTERINGS), p=list(LETTERINGS.values())))
    hand = Hand.draw(rng, lettering == "russian", every=True)
    letters = dict(COURT_LETTERS[lettering])
    if lettering == "french" and rng.random() < 0.4:
        letters["A"] = "A"
    texts = ["10" if rank == "T" else letters.get(rank, rank) for rank in RANK_COLUMNS]
    return lettering, [hand.write(text, TALL_PX, "#000000") for text in texts]


def _suit_set(seed: int) -> list[str]:
    """Return the drawings of the four suits of one set."""
    rng = np.random.default_rng([seed, 0x5417])
    fonts = sign_fonts()
    font = str(rng.choice(fonts)) if fonts and rng.random() < WRITTEN_SUITS else ""
    drawings = []
    for suit in SUIT_ROWS:
        path = SUIT_SHAPES[suit](rng)
        sign = (
            write_sign(font, suit, TALL_PX, "#000000")
            if font
            else f'<path transform="scale({TALL_PX / 100})" d="{path}"/>'
        )
        drawings.append(f'<g transform="translate(0 {TALL_PX / 2})">{sign}</g>')
    return drawings


def _drawn(first: int, writings: int, suit_sets: int) -> dict[str, np.ndarray]:
    masks: dict[str, np.ndarray] = {}
    for start in range(0, writings, WRITINGS_A_SHEET):
        numbers = range(start, min(start + WRITINGS_A_SHEET, writings))
        drawn = [_writing(first + number) for number in numbers]
        for number, (lettering, _), row in zip(numbers, drawn, _cells([d for _, d in drawn]), strict=True):
            masks |= {f"{number} {lettering} {rank}": mask for rank, mask in zip(RANK_COLUMNS, row, strict=True)}
    for start in range(0, suit_sets, SUIT_SETS_A_SHEET):
        numbers = range(start, min(start + SUIT_SETS_A_SHEET, suit_sets))
        for number, row in zip(numbers, _cells([_suit_set(first + number) for number in numbers]), strict=True):
            masks |= {f"{number} suit {suit}": mask for suit, mask in zip(SUIT_ROWS, row, strict=True)}
    return masks


def gathered(masks: dict[str, np.ndarray]) -> Signs:
    """Return the signs of a kept file: its names and masks."""
    writings: dict[tuple[int, str], dict[str, np.ndarray]] = {}
    suits: dict[int, dict[str, np.ndarray]] = {}
    for name, mask in masks.items():
        number, kind, sign = name.split(" ")
        if kind == "suit":
            suits.setdefault(int(number), {})[sign] = mask
        else:
            writings.setdefault((int(number), kind), {})[sign] = mask
    # A font may leave a sign blank, or hang out of its place: such a writing or set is no use.
    whole = {key: signs for key, signs in writings.items() if all(_fits(mask) for mask in signs.values())}
    return Signs(
        tuple(whole.values()),
        tuple(lettering for _, lettering in whole),
        tuple(signs for signs in suits.values() if all(_fits(mask) for mask in signs.values())),
    )


def _fits(mask: np.ndarray) -> bool:
    return bool(TALL_PX * 0.6 < mask.shape[0] < CELL_PX[1] - 4 and 10 < mask.shape[1] < CELL_PX[0] - 4)


def load_signs(first: int, writings: int, suit_sets: int, cache: Path | None = None) -> Signs:
    """
    Load the signs of the seeds from ``first`` on, kept in the folder ``cache`` if one is given.

    About 20 ms a writing; the first time every font is measured too. ``cv2.error`` or ``DeckError`` as drawing says.
    """
    file = cache / f"signs-{first}-{writings}-{suit_sets}.npz" if cache else None
    if file is not None and file.is_file():
        with np.load(file) as stored:
            return gathered({name: stored[name] for name in stored.files})
    masks = _drawn(first, writings, suit_sets)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f".{file.name}")
        with unfinished.open("wb") as out:
            np.savez(out, allow_pickle=False, **masks)
        unfinished.replace(file)
    return gathered(masks)


def fitted(mask: np.ndarray, widest: float, tallest: float) -> np.ndarray:
    """Scale the sign to the largest that fits into ``widest`` times ``tallest`` pixels, its shape kept."""
    scale = min(widest / mask.shape[1], tallest / mask.shape[0])
    size = (max(1, round(mask.shape[1] * scale)), max(1, round(mask.shape[0] * scale)))
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
