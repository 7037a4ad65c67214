"""
Print something at random on a face: pips, right or wrong in number, ornaments, bar codes, words, pictures, nothing.

Each filling draws on a float32 BGR canvas in place. Only the pips identify the card, and those may be too few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.decks.invented import PIP_PLACES
from datasets.faces.signs import Signs, fitted
from datasets.scenes.surfaces import any_colour

PIP_RANKS = tuple(PIP_PLACES)


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """The input of a filling: the card, its suit's mask, the inks, and pictures that may be printed."""

    rng: np.random.Generator
    canvas: np.ndarray
    rank: str
    suit_mask: np.ndarray
    ink: np.ndarray
    paper: np.ndarray
    pictures: Sequence[np.ndarray]


def print_mask(canvas: np.ndarray, mask: np.ndarray, x: float, y: float, ink: np.ndarray, turn: int = 0) -> None:
    """Print a mask (h, w) uint8 with its middle at x, y px, turned clockwise by ``turn`` quarters, in place."""
    if turn % 4:
        mask = np.rot90(mask, -turn)
    h, w = mask.shape
    left, top = round(x - w / 2), round(y - h / 2)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(canvas.shape[1], left + w), min(canvas.shape[0], top + h)
    if x1 <= x0 or y1 <= y0:
        return
    alpha = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    region = canvas[y0:y1, x0:x1]
    region += alpha * (ink - region)


def pips(work: Filling, rank: str | None = None) -> None:
    """Print as many suit signs as the rank has, in the usual rows; courts get one or two."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    places = PIP_PLACES.get(rank or work.rank, [(0.5, 0.5)])
    left, top = float(rng.uniform(0.25, 0.36)) * w, float(rng.uniform(0.13, 0.25)) * h
    size = float(rng.uniform(0.09, 0.19)) * h if len(places) > 1 else float(rng.uniform(0.14, 0.5)) * h
    pip = fitted(work.suit_mask, size, size)
    for along, down in places:
        x, y = left + along * (w - 2 * left), top + down * (h - 2 * top)
        print_mask(work.canvas, pip, x, y, work.ink, 2 * int(down > 0.5))


def wrong_pips(work: Filling) -> None:
    """Print another number of pips than the index has."""
    pips(work, str(work.rng.choice(PIP_RANKS)))


def one_pip(work: Filling) -> None:
    """Print one large suit sign, full or pale."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    size = float(rng.uniform(0.25, 0.75)) * w
    pale = float(rng.choice([1.0, rng.uniform(0.1, 0.5)]))
    ink = work.paper + (work.ink - work.paper) * pale
    print_mask(work.canvas, fitted(work.suit_mask, size, size), w / 2, h * float(rng.uniform(0.4, 0.6)), ink)


def bar_code(work: Filling) -> None:
    """Print a bar code, lying or standing, in the middle or at an edge."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    tall, wide = float(rng.uniform(0.04, 0.16)) * h, float(rng.uniform(0.3, 0.85)) * w
    bars = (rng.random(int(rng.integers(24, 60))) < 0.5).astype(np.uint8) * 255
    code = cv2.resize(np.tile(bars, (4, 1)), (round(wide), round(tall)), interpolation=cv2.INTER_NEAREST)
    turn = int(rng.random() < 0.3)
    x = w * float(rng.choice([0.5, rng.uniform(0.2, 0.8)], p=[0.7, 0.3]))
    y = h * float(rng.choice([0.5, rng.uniform(0.1, 0.9)], p=[0.7, 0.3]))
    black = np.array(rng.uniform(0, 50, 3) if work.paper.mean() > 110 else rng.uniform(200, 255, 3), np.float32)
    print_mask(work.canvas, code, x, y, black, turn)


def words(work: Filling) -> None:
    """Print lines of small print."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    scale, layer = float(rng.uniform(0.25, 0.8)), np.zeros((h, w), np.uint8)
    for line in range(int(rng.integers(1, 7))):
        text = "".join(rng.choice(list("ABCDEFGHILMNOPRSTUVabcdeilmnoprstu    0123456789"), int(rng.integers(4, 18))))
        at = (int(w * rng.uniform(0.05, 0.3)), int(h * 0.2 + line * scale * 30 + h * rng.uniform(0, 0.3)))
        cv2.putText(layer, text, at, int(rng.integers(0, 8)), scale, 255, 1, cv2.LINE_AA)
    print_mask(work.canvas, layer, w / 2, h / 2, any_colour(rng))


def ornament(work: Filling) -> None:
    """Print frames, rings, petals and rules, the lower half being the upper one turned."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    layer = work.canvas.copy()
    for _ in range(int(rng.integers(1, 6))):
        colour, thick = tuple(float(v) for v in any_colour(rng)), int(rng.choice([-1, 1, 1, 2, 3]))
        x, y, size = int(rng.uniform(0, w)), int(rng.uniform(0, h / 2)), float(rng.uniform(0.04, 0.4)) * w
        kind = rng.integers(5)
        if kind == 0:
            inset = int(rng.uniform(0.02, 0.15) * w)
            cv2.rectangle(layer, (inset, inset), (w - inset, h - inset), colour, max(thick, 1), cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(layer, (w // 2, h // 2), int(size * 1.2), colour, thick, cv2.LINE_AA)
        elif kind == 2:
            for turn in range(0, 360, int(rng.choice([30, 45, 60]))):
                cv2.ellipse(layer, (w // 2, h // 2), (int(size), int(size / 5)), turn, 0, 360, colour, thick)
        elif kind == 3:
            cv2.line(
                layer, (x, y), (int(rng.uniform(0, w)), int(rng.uniform(0, h))), colour, max(thick, 1), cv2.LINE_AA
            )
        else:
            cv2.ellipse(
                layer, (x, y), (int(size / 2), int(size / 3)), float(rng.uniform(0, 180)), 0, 360, colour, thick
            )
    if rng.random() < 0.7:
        layer[h - h // 2 :] = layer[: h // 2][::-1, ::-1]
    canvas = work.canvas
    canvas += float(rng.uniform(0.3, 1)) * (layer - canvas)


def picture(work: Filling) -> None:
    """Print a picture over part of the card or all of it, often both ways up like a court."""
    rng, (h, w) = work.rng, work.canvas.shape[:2]
    if not len(work.pictures):
        ornament(work)
        return
    source = work.pictures[int(rng.integers(len(work.pictures)))]
    margin = float(rng.choice([0.0, rng.uniform(0.05, 0.25)], p=[0.3, 0.7]))
    x0, y0 = int(margin * w), int(margin * 0.6 * h)
    room = (w - 2 * x0, h - 2 * y0)
    share = float(rng.uniform(0.4, 1))
    sh, sw = source.shape[:2]
    top, left = int((1 - share) * sh * rng.random()), int((1 - share) * sw * rng.random())
    part = source[top : top + max(2, int(share * sh)), left : left + max(2, int(share * sw))]
    laid = cv2.resize(part, room, interpolation=cv2.INTER_LINEAR).astype(np.float32)
    if rng.random() < 0.6:
        half = room[1] // 2
        laid[room[1] - half :] = laid[:half][::-1, ::-1]
    region = work.canvas[y0 : y0 + room[1], x0 : x0 + room[0]]
    region += float(rng.uniform(0.35, 1)) * (laid - region)


def nothing(work: Filling) -> None:
    """Leave the card empty but for its index."""


def several(work: Filling) -> None:
    """Print two of the others, one over the other."""
    for index in work.rng.integers(0, len(_PLAIN), 2):
        _PLAIN[int(index)](work)


_PLAIN: tuple[Callable[[Filling], None], ...] = (pips, one_pip, bar_code, words, ornament, picture)
FILLINGS: dict[Callable[[Filling], None], float] = {
    nothing: 0.2,
    pips: 0.2,
    wrong_pips: 0.07,
    one_pip: 0.11,
    bar_code: 0.08,
    words: 0.05,
    ornament: 0.09,
    picture: 0.12,
    several: 0.08,
}
"""How often the faces of a deck are filled with what."""
COURTS: dict[Callable[[Filling], None], float] = {picture: 0.45, ornament: 0.2, one_pip: 0.1, nothing: 0.15, words: 0.1}
"""Chances of the fillings of court cards, of decks whose number cards have pips."""


def by_lot(rng: np.random.Generator, shares: dict[Callable[[Filling], None], float]) -> Callable[[Filling], None]:
    """Draw one of the fillings at random."""
    return list(shares)[int(rng.choice(len(shares), p=np.array(list(shares.values())) / sum(shares.values())))]


def suit_of(signs: Signs, number: int, suit: str) -> np.ndarray:
    """Return a suit's mask of set ``number``."""
    return signs.suits[number % len(signs.suits)][suit]
