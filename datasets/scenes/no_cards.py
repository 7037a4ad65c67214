"""
Make pictures without cards: whatever is read there was invented.

Bare tables with things and hands, pages of print, screens, people, chips, keyboards, calendars, dominoes, boxes, dark
and white frames, gaming cloths with words and numbers, bank notes, phones, tickets, hands: each drawn from a seed, as
large as pictures come.
``python -m datasets.scenes.no_cards --sheet OUT.png`` shows some.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from datasets.scenes.clutter import hand_over
from datasets.scenes.light import develop, expose, light_scene, smear
from datasets.scenes.no_card_print import bank_note, felt_print, phone_screen, ticket
from datasets.scenes.scene import Art, make_scene
from datasets.scenes.surfaces import any_colour, lay_surface

Colour = tuple[float, float, float]
SIZES = ((1280, 720), (1920, 1080), (640, 480), (320, 240), (720, 1280))
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)


def _colour(rng: np.random.Generator) -> Colour:
    blue, green, red = (float(v) for v in any_colour(rng))
    return blue, green, red


def _table(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    return lay_surface(rng, np.eye(3), size, tiles)


def _write(
    image: np.ndarray, text: str, at: tuple[float, float], height_px: float, ink: Colour, font: int, bold: bool = False
) -> None:
    """Write text whose capitals are about ``height_px`` tall, its lower left corner at ``at``."""
    scale = height_px / 22
    thickness = max(1, round(scale * (2.6 if bold else 1.3)))
    cv2.putText(image, text, (int(at[0]), int(at[1])), font, scale, ink, thickness, cv2.LINE_AA)


def _words(rng: np.random.Generator, count: int) -> str:
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    made = []
    for _ in range(count):
        if rng.random() < 0.12:
            made.append(str(rng.integers(1, 2030)))
        else:
            made.append("".join(rng.choice(list(letters[:20]), int(rng.integers(1, 9)))))
    return " ".join(made)


def _tilted(rng: np.random.Generator, ground: np.ndarray, thing: np.ndarray, share: float) -> np.ndarray:
    """Lay a flat thing on the ground, turned and seen askew, its longer side about ``share`` of the picture's."""
    height, width = ground.shape[:2]
    h, w = thing.shape[:2]
    scale = share * max(height, width) / max(h, w)
    box = cv2.boxPoints(((width / 2, height / 2), (w * scale, h * scale), float(rng.uniform(0, 360))))
    box += rng.normal(0, 0.02 * max(width, height), (4, 2)).astype(np.float32)
    source = np.array([[0, h], [0, 0], [w, 0], [w, h]], np.float32)
    onto = cv2.getPerspectiveTransform(source, box.astype(np.float32))
    mask = cv2.warpPerspective(np.full((h, w), 255, np.uint8), onto, (width, height))
    laid = cv2.warpPerspective(thing, onto, (width, height), flags=cv2.INTER_AREA)
    out: np.ndarray = np.where(mask[..., None] > 127, laid, ground)
    return out


def page(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """
    Draw a printed page, filling the picture or lying on the table: headline, columns, a table of numbers, a picture.
    """
    sheet = np.full((1100, 780, 3), int(rng.integers(215, 256)), np.uint8)
    font, ink = int(rng.choice(FONTS)), (20.0, 20.0, 20.0)
    _write(sheet, _words(rng, 4).upper()[:24], (60, 110), 34, ink, font, bold=True)
    columns = int(rng.integers(1, 4))
    step = float(rng.uniform(16, 30))
    for column in range(columns):
        x, wide = 60 + column * 670 / columns, int(52 / columns)
        for y in np.arange(170, 1040, step):
            if rng.random() < 0.92:
                _write(sheet, _words(rng, 12)[:wide], (x, y), step * 0.45, ink, font)
    if rng.random() < 0.5:
        at = (int(rng.integers(60, 300)), int(rng.integers(200, 600)))
        cv2.rectangle(sheet, at, (at[0] + 300, at[1] + 220), _colour(rng), -1)
        _write(sheet, str(rng.choice(list(LETTERS))), (at[0] + 100, at[1] + 170), 110, _colour(rng), font, bold=True)
    share = float(rng.uniform(0.5, 1.6))
    return _tilted(rng, _table(rng, size, tiles), sheet, share)


def screenshot(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a desktop: windows, icons, tables and buttons, pixel-sharp."""
    width, height = size
    image = np.full((height, width, 3), _colour(rng), np.uint8)
    for row in range(5):
        for column in range(2):
            x, y = 20 + column * 90, 20 + row * 100
            cv2.rectangle(image, (x, y), (x + 48, y + 48), _colour(rng), -1)
            _write(image, _words(rng, 1)[:7], (x, y + 64), 9, (240.0, 240.0, 240.0), FONTS[0])
    for _ in range(int(rng.integers(1, 4))):
        x, y = int(rng.integers(0, width // 2)), int(rng.integers(0, height // 2))
        w, h = int(rng.integers(width // 4, width // 2)), int(rng.integers(height // 4, height // 2))
        cv2.rectangle(image, (x, y), (x + w, y + h), (250, 250, 250), -1)
        cv2.rectangle(image, (x, y), (x + w, y + 22), _colour(rng), -1)
        for line in range(y + 44, y + h, 20):
            _write(image, _words(rng, 10)[: max(1, w // 9)], (x + 10, line), 10, (40.0, 40.0, 40.0), FONTS[0])
        for button in range(x + 10, x + w - 80, 90):
            cv2.rectangle(image, (button, y + h - 34), (button + 76, y + h - 8), (215, 215, 215), -1)
            _write(image, _words(rng, 1)[:6], (button + 10, y + h - 15), 10, (20.0, 20.0, 20.0), FONTS[0])
    return image


def person(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw head and shoulders before a wall."""
    width, height = size
    image = np.full((height, width, 3), _colour(rng), np.float32)
    unit = min(width, height)
    x, y = width * rng.uniform(0.35, 0.65), height * rng.uniform(0.3, 0.45)
    r = unit * float(rng.uniform(0.13, 0.24))
    tone = float(rng.uniform(0.35, 1.0))
    skin: Colour = (145 * tone, 180 * tone, 230 * tone)
    shirt, hair = _colour(rng), tuple(c * 0.4 for c in _colour(rng))

    def spot(dx: float, dy: float, a: float, b: float, colour: tuple[float, ...], turn: float = 0) -> None:
        centre = (int(x + dx * r), int(y + dy * r))
        cv2.ellipse(image, centre, (max(1, int(a * r)), max(1, int(b * r))), turn, 0, 360, colour, -1, cv2.LINE_AA)

    spot(0, 4.2, 2.8, 2.6, shirt)
    spot(0, 1.2, 0.5, 0.9, tuple(c * 0.9 for c in skin))
    spot(0, -0.35, 1.12, 1.25, hair)
    spot(0, 0, 0.95, 1.25, skin)
    for side in (-1, 1):
        spot(side * 0.4, -0.1, 0.2, 0.11, (245, 245, 245))
        spot(side * 0.4, -0.1, 0.09, 0.1, (50, 40, 30))
        spot(side * 0.4, -0.35, 0.26, 0.05, hair, side * 8.0)
    spot(0, 0.25, 0.12, 0.28, tuple(c * 0.9 for c in skin))
    spot(0, 0.72, 0.36, 0.1, (90, 80, 180))
    for button in range(4):
        spot(0, 2.2 + button * 0.7, 0.07, 0.07, (230, 230, 230))
    return np.clip(cv2.GaussianBlur(image, (0, 0), 1 + unit / 600), 0, 255).astype(np.uint8)


def chips(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a poker table: chips in stacks and heaps, a dealer's button."""
    width, height = size
    image = _table(rng, size, tiles) if rng.random() < 0.4 else np.full((height, width, 3), (60, 105, 30), np.uint8)
    unit = min(size)
    for _ in range(int(rng.integers(8, 40))):
        r = unit * rng.uniform(0.025, 0.07)
        x, y = rng.uniform(0, 1, 2) * size
        colour, mark = _colour(rng), (235.0, 235.0, 235.0)
        for level in range(int(rng.integers(1, 7))):
            centre = (int(x), int(y - level * r * 0.18))
            cv2.circle(image, centre, int(r), tuple(c * 0.7 for c in colour), -1, cv2.LINE_AA)
            cv2.circle(image, centre, int(r * 0.97), colour, -1, cv2.LINE_AA)
            for angle in range(0, 360, 60):
                cv2.ellipse(image, centre, (int(r * 0.9),) * 2, angle, 0, 18, mark, max(1, int(r * 0.18)), cv2.LINE_AA)
            cv2.circle(image, centre, int(r * 0.62), mark, max(1, int(r * 0.05)), cv2.LINE_AA)
        text = str(rng.choice(["1", "5", "10", "25", "50", "100", "D", "A", "K"]))
        at = (centre[0] - r * 0.25 * len(text), centre[1] + r * 0.25)
        _write(image, text, at, r * 0.5, mark, FONTS[2], bold=True)
    return image


def keys(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a keyboard, a calculator or a calendar: rows of upright boxes with a letter or a number in the corner."""
    columns, rows = (int(v) for v in rng.integers((3, 3), (12, 7)))
    dark = bool(rng.random() < 0.5)
    paper, ink = ((45.0, 45.0, 45.0), (235.0, 235.0, 235.0)) if dark else ((245.0, 245.0, 245.0), (30.0, 30.0, 30.0))
    board = np.full((rows * 90 + 20, columns * 72 + 20, 3), _colour(rng), np.uint8)
    numbers = bool(rng.random() < 0.5)
    for row in range(rows):
        for column in range(columns):
            x, y = 14 + column * 72, 14 + row * 90
            cv2.rectangle(board, (x, y), (x + 62, y + 80), paper, -1, cv2.LINE_AA)
            text = str(row * columns + column + 1) if numbers else str(rng.choice(list(LETTERS)))
            red = numbers and column == columns - 1
            _write(board, text, (x + 6, y + 28), 18, (40.0, 40.0, 210.0) if red else ink, FONTS[0])
    return _tilted(rng, _table(rng, size, tiles), board, float(rng.uniform(0.3, 1.2)))


def dominoes(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw domino stones: white rectangles with pips, of nearly a card's shape."""
    image = _table(rng, size, tiles)
    for _ in range(int(rng.integers(3, 9))):
        stone = np.full((120, 240, 3), 240, np.uint8)
        cv2.line(stone, (120, 8), (120, 112), (60, 60, 60), 3)
        for half in (0, 120):
            for place in rng.permutation(9)[: int(rng.integers(0, 7))]:
                centre = (half + 28 + int(place % 3) * 32, 28 + int(place // 3) * 32)
                cv2.circle(stone, centre, 10, (30, 30, 30), -1, cv2.LINE_AA)
        reach = (rng.uniform(-0.4, 0.4, 2) * size).astype(np.float32)
        moved = cv2.warpAffine(
            image, np.array([[1, 0, -reach[0]], [0, 1, -reach[1]]]), size, borderMode=cv2.BORDER_WRAP
        )
        laid = _tilted(rng, moved, stone, float(rng.uniform(0.12, 0.3)))
        image = cv2.warpAffine(laid, np.array([[1, 0, reach[0]], [0, 1, reach[1]]]), size, borderMode=cv2.BORDER_WRAP)
    return image


def box(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a packet as tall as a card, with an emblem and words on it: matches, sweets, a pack's own box."""
    front = np.full((300, 210, 3), _colour(rng), np.uint8)
    ink, font = _colour(rng), int(rng.choice(FONTS))
    cv2.rectangle(front, (10, 10), (199, 289), ink, 3)
    kind = rng.integers(0, 3)
    if kind == 0:
        cv2.circle(front, (105, 150), 60, ink, -1, cv2.LINE_AA)
    elif kind == 1:
        star = [
            (105 + r * np.sin(k * np.pi / 5), 150 - r * np.cos(k * np.pi / 5))
            for k in range(10)
            for r in [(70, 30)[k % 2]]
        ]
        cv2.fillPoly(front, [np.array(star, np.int32)], ink, cv2.LINE_AA)
    else:
        cv2.fillPoly(front, [np.array([[105, 80], [160, 150], [105, 220], [50, 150]], np.int32)], ink, cv2.LINE_AA)
    _write(front, _words(rng, 2).upper()[:9], (25, 50), 20, ink, font, bold=True)
    _write(front, _words(rng, 2)[:14], (25, 275), 11, ink, font)
    return _tilted(rng, _table(rng, size, tiles), front, float(rng.uniform(0.1, 0.6)))


def plain(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a lens cap, a lamp in the lens, noise, or a fade from dark to light."""
    width, height = size
    kind = rng.integers(0, 4)
    if kind == 0:
        return np.clip(rng.normal(3, 3, (height, width, 3)), 0, 255).astype(np.uint8)
    if kind == 1:
        return np.full((height, width, 3), 255, np.uint8)
    if kind == 2:
        return rng.integers(0, 256, (height, width, 3), np.uint8)
    fade = np.linspace(0, 255, width, dtype=np.float32)[None, :, None] * np.ones((height, 1, 3), np.float32)
    return fade.astype(np.uint8)


def felt(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw a gaming cloth with words, numbers and boxes, filling the picture or nearly."""
    return _tilted(rng, _table(rng, size, tiles), felt_print(rng), float(rng.uniform(0.8, 2.2)))


def money(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw bank notes on a table."""
    return _strewn(rng, _table(rng, size, tiles), [bank_note(rng) for _ in range(int(rng.integers(1, 4)))])


def phones(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw phones on a table."""
    return _strewn(rng, _table(rng, size, tiles), [phone_screen(rng) for _ in range(int(rng.integers(1, 3)))])


def tickets(rng: np.random.Generator, size: tuple[int, int], tiles: list[np.ndarray]) -> np.ndarray:
    """Draw tickets, labels and business cards on a table: of a card's shape, but no cards."""
    return _strewn(rng, _table(rng, size, tiles), [ticket(rng) for _ in range(int(rng.integers(2, 6)))])


def _strewn(rng: np.random.Generator, image: np.ndarray, things: list[np.ndarray]) -> np.ndarray:
    """Lay flat things about a picture, each turned and seen askew."""
    height, width = image.shape[:2]
    for thing in things:
        reach = rng.uniform(-0.38, 0.38, 2) * (width, height)
        there = np.array([[1, 0, -reach[0]], [0, 1, -reach[1]]])
        moved = cv2.warpAffine(image, there, (width, height), borderMode=cv2.BORDER_WRAP)
        laid = _tilted(rng, moved, thing, float(rng.uniform(0.12, 0.5)))
        back = np.array([[1, 0, reach[0]], [0, 1, reach[1]]])
        image = cv2.warpAffine(laid, back, (width, height), borderMode=cv2.BORDER_WRAP)
    return image


def hands(rng: np.random.Generator, size: tuple[int, int], art: Art) -> np.ndarray:
    """Draw fists and open hands over a table, from far off to filling the picture."""
    image = _table(rng, size, art.tiles).astype(np.float32)
    cover = np.zeros(image.shape[:2], bool)
    for _ in range(int(rng.integers(1, 4))):
        hand_over(
            rng, image, cover, art.hands, rng.uniform(0.15, 0.85, 2) * size, float(rng.uniform(0.1, 0.6)) * size[1]
        )
    return np.clip(image, 0, 255).astype(np.uint8)


DRAWN: dict[str, Callable[[np.random.Generator, tuple[int, int], list[np.ndarray]], np.ndarray]] = {
    "page": page,
    "screenshot": screenshot,
    "person": person,
    "chips": chips,
    "keys": keys,
    "dominoes": dominoes,
    "box": box,
    "plain": plain,
    "felt": felt,
    "money": money,
    "phones": phones,
    "tickets": tickets,
}
KINDS = ("table", *DRAWN, "hands")
LIT = frozenset({*DRAWN, "hands"} - {"screenshot", "plain"})
"""Kinds that are photographed: lamps, exposure, blur and compression are added. ``table`` brings its own."""


def no_card_picture(art: Art, seed: int) -> tuple[str, np.ndarray]:
    """
    Return the kind and the picture, (h, w, 3) uint8, of this seed; kinds take turns, every other one is a bare table.
    """
    rng = np.random.default_rng([seed, 0x0CA])
    size = SIZES[int(rng.integers(len(SIZES)))]
    kind = "table" if seed % 2 else KINDS[1 + seed // 2 % (len(KINDS) - 1)]
    if kind == "table":
        return kind, make_scene(art, seed, size, (0.1 * size[1], 0.4 * size[1]), poses=[]).image
    image = hands(rng, size, art) if kind == "hands" else DRAWN[kind](rng, size, art.tiles)
    if kind in LIT:
        lit = expose(rng, light_scene(rng, image.astype(np.float32)))
        image = develop(rng, smear(rng, lit, max(size) / 1280))
    return kind, image


def main() -> None:
    """Draw a sheet of pictures without cards, to be checked by a person."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sheet", type=Path, required=True)
    parser.add_argument("--art", type=Path, help="folder of further art: textures and hands")
    args = parser.parse_args()
    folder = args.art
    from datasets.decks.library import load_decks
    from datasets.scenes.scene import load_art

    art = load_art(
        load_decks(["own"], 320), folder / "textures" if folder else None, folder / "hands" if folder else None
    )
    shown = range(0, 4 * len(KINDS), 2)
    tiles = [cv2.resize(no_card_picture(art, seed)[1], (400, 240), interpolation=cv2.INTER_AREA) for seed in shown]
    cv2.imwrite(str(args.sheet), np.vstack([np.hstack(tiles[i : i + 2]) for i in range(0, len(tiles) - 1, 2)]))


if __name__ == "__main__":
    main()
