"""
Cut the art of a deck into single cards.

Three shapes of art exist: a *sheet* (one drawing with the cards in a grid), *elements* (one drawing in which each card
is a named group) and a *folder* (one picture per card). All end as straight-alpha RGBA, cropped to the card's
outline, all cards of a deck of one size. ``rsvg-convert`` does the drawing.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

RANK_COLUMNS = "A23456789TJQK"
"""Columns of a sheet from Aisleriot."""
SUIT_ROWS = "cdhs"
"""Rows of a sheet from Aisleriot."""
OPAQUE = 128
"""Alpha from which a pixel belongs to the card: soft shadows below it are cut off."""

ELEMENT_RANKS = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
ELEMENT_SUITS = {"c": "club", "d": "diamond", "h": "heart", "s": "spade"}


class DeckError(Exception):
    """Deck art is missing or can't be used; the text is one sentence for people."""


def _draw(svg: Path, *options: str) -> np.ndarray:
    """Render a drawing: (h, w, 4) uint8 RGBA, straight alpha."""
    return _convert([*options, str(svg)], None, svg.name)


def draw_text(svg: str) -> np.ndarray:
    """Render a drawing given as text: (h, w, 4) uint8 RGBA, straight alpha."""
    return _convert([], svg.encode(), "an invented deck")


def _convert(arguments: list[str], text: bytes | None, name: str) -> np.ndarray:
    try:
        done = subprocess.run(
            ["rsvg-convert", "--unlimited", *arguments], input=text, capture_output=True, check=False, timeout=300
        )
    except FileNotFoundError:
        raise DeckError(
            "expected the program rsvg-convert to draw the decks, found none; install Debian's package librsvg2-bin"
        ) from None
    image = cv2.imdecode(np.frombuffer(done.stdout, np.uint8), cv2.IMREAD_UNCHANGED) if done.stdout else None
    if image is None or image.ndim != 3:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise DeckError(f"expected rsvg-convert to draw {name}, got {why[0] if why else 'nothing'}; is it whole?")
    # A drawing without a see-through place is decoded without alpha.
    return cv2.cvtColor(image, cv2.COLOR_BGRA2RGBA if image.shape[2] == 4 else cv2.COLOR_BGR2RGBA)


def crop_to_card(rgba: np.ndarray) -> np.ndarray | None:
    """
    Cut a picture down to its largest opaque patch, the card; whatever else lies in the picture becomes transparent.

    ``None`` if nothing in the picture is opaque.
    """
    opaque = (rgba[..., 3] >= OPAQUE).astype(np.uint8)
    count, patches, stats, _ = cv2.connectedComponentsWithStats(opaque, connectivity=4)
    if count < 2:
        return None
    card = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    x, y, w, h = (int(v) for v in stats[card, :4])
    cut = rgba[y : y + h, x : x + w].copy()
    # The rim's half-transparent pixels stay, strangers further off go.
    near = cv2.dilate((patches[y : y + h, x : x + w] == card).astype(np.uint8), np.ones((3, 3), np.uint8))
    cut[near == 0] = 0
    return cut


def cut_grid(
    sheet: np.ndarray, columns: Sequence[str], rows: Sequence[str], back_at: tuple[int, int] | None, row_count: int
) -> dict[str, np.ndarray]:
    """
    Cut a sheet into cards: ``columns`` are ranks, ``rows`` suits, ``back_at`` the (column, row) of the face-down card.

    Returns card text (or ``back``) -> RGBA of the card's own size. Empty places are left out.
    """
    height, width = sheet.shape[:2]
    places = {rank + suit: (column, row) for row, suit in enumerate(rows) for column, rank in enumerate(columns)}
    if back_at is not None:
        places["back"] = back_at
    cards = {}
    for name, (column, row) in places.items():
        left, right = round(column * width / len(columns)), round((column + 1) * width / len(columns))
        top, bottom = round(row * height / row_count), round((row + 1) * height / row_count)
        card = crop_to_card(sheet[top:bottom, left:right])
        if card is not None:
            cards[name] = card
    return cards


def from_sheet(
    svg: Path,
    height_px: int,
    columns: Sequence[str] = RANK_COLUMNS,
    rows: Sequence[str] = SUIT_ROWS,
    back_at: tuple[int, int] | None = (2, 4),
) -> dict[str, np.ndarray]:
    """
    Cut cards from a drawing that holds 13 x 5 of them, drawn a little larger than asked, so that they are only shrunk.
    """
    sheet = _draw(svg, "--height", str(round(height_px * 1.15) * 5), "--keep-aspect-ratio")
    return cut_grid(sheet, columns, rows, back_at, row_count=5)


def from_elements(svg: Path, height_px: int) -> dict[str, np.ndarray]:
    """Cut cards from a drawing that names them ``1_club`` ... ``king_spade`` and ``back``."""
    names = {
        rank + suit: f"{ELEMENT_RANKS.get(rank, rank)}_{ELEMENT_SUITS[suit]}"
        for suit in SUIT_ROWS
        for rank in RANK_COLUMNS
    }
    names["back"] = "back"
    probe = crop_to_card(_draw(svg, "--export-id", names["7s"], "--zoom", "1"))
    if probe is None:
        raise DeckError(f"expected a card in {svg.name}, got an empty picture; is the package whole?")
    zoom = height_px * 1.1 / probe.shape[0]
    cards = {}
    for name, element in names.items():
        card = crop_to_card(_draw(svg, "--export-id", element, "--zoom", f"{zoom:.4f}"))
        if card is not None and card.shape[0] < height_px:
            # Some decks hold their courts at another size.
            larger = zoom * height_px * 1.05 / card.shape[0]
            card = crop_to_card(_draw(svg, "--export-id", element, "--zoom", f"{larger:.4f}"))
        if card is not None:
            cards[name] = card
    return cards


def from_folder(
    folder: Path, height_px: int, finish: Callable[[str, np.ndarray], np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """Read cards from a folder that holds a picture each, named by the card: ``Ts.png``, ``9h.svg``, ``back.png``."""
    names = {rank + suit for suit in SUIT_ROWS for rank in RANK_COLUMNS} | {"back"}
    cards = {}
    for path in sorted(folder.iterdir()):
        if path.stem not in names or path.suffix not in (".svg", ".png", ".jpg"):
            continue
        if path.suffix == ".svg":
            rgba = _draw(path, "--height", str(height_px), "--keep-aspect-ratio")
        else:
            image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
            if image is None:
                raise DeckError(f"expected a picture of a card in {path.name}, got something unreadable")
            code = {2: cv2.COLOR_GRAY2RGBA, 3: cv2.COLOR_BGR2RGBA}.get(
                image.ndim if image.ndim == 2 else image.shape[2], cv2.COLOR_BGRA2RGBA
            )
            rgba = cv2.cvtColor(image, code)
        if finish is not None:
            rgba = finish(path.stem, rgba)
        card = crop_to_card(rgba)
        if card is not None:
            cards[path.stem] = card
    return cards


def round_corners(rgba: np.ndarray, share: float = 0.05) -> np.ndarray:
    """Make the corners transparent along a circle of ``share`` of the card's width."""
    height, width = rgba.shape[:2]
    radius = max(1, round(width * share))
    mask = np.zeros((height * 4, width * 4), np.uint8)
    r4, h4, w4 = radius * 4, height * 4 - 1, width * 4 - 1
    cv2.rectangle(mask, (r4, 0), (w4 - r4, h4), 255, -1)
    cv2.rectangle(mask, (0, r4), (w4, h4 - r4), 255, -1)
    for x in (r4, w4 - r4):
        for y in (r4, h4 - r4):
            cv2.circle(mask, (x, y), r4, 255, -1)
    rounded = rgba.copy()
    rounded[..., 3] = np.minimum(rgba[..., 3], cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA))
    return rounded


def ink_red(name: str, rgba: np.ndarray) -> np.ndarray:
    """Give a black and white photograph of a card its outline, and the red suits their ink."""
    coloured = round_corners(rgba, 0.06)
    if name[-1] in "dh":
        # Dark ink turns red, paper stays: only red keeps its light.
        coloured[..., 0] = np.maximum(coloured[..., 0], 190)
    return coloured


def to_one_size(cards: dict[str, np.ndarray], height_px: int) -> dict[str, np.ndarray]:
    """Return all cards of a deck at ``height_px`` and the deck's usual width; colour is averaged by its opacity."""
    width_px = round(height_px * float(np.median([card.shape[1] / card.shape[0] for card in cards.values()])))
    same = {}
    for name, card in cards.items():
        alpha = card[..., 3:].astype(np.float32) / 255
        held = np.concatenate([card[..., :3].astype(np.float32) * alpha, alpha], axis=2)
        smaller = card.shape[0] >= height_px
        held = cv2.resize(held, (width_px, height_px), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)
        shrunk = np.clip(held[..., 3:], 0, 1)
        colour = held[..., :3] / np.maximum(shrunk, 1e-4)
        same[name] = np.concatenate([np.clip(colour, 0, 255), shrunk * 255], axis=2).round().astype(np.uint8)
    return same


def cached(file: Path, draw: Callable[[], dict[str, np.ndarray]], stamp: str) -> dict[str, np.ndarray]:
    """
    Return the cards from ``file`` if they were drawn with the same ``stamp``, else draw and store them.

    Kept uncompressed and mapped into memory, so that many training workers share one copy.
    """
    names_file = file.with_suffix(".json")
    try:
        known = json.loads(names_file.read_text())
        if known["stamp"] == stamp:
            stack = np.asarray(np.load(file, mmap_mode="r"))
            return dict(zip(known["names"], stack, strict=True))
    except (OSError, ValueError, KeyError):
        pass  # Not drawn yet, or half written: draw again.
    cards = draw()
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}")
    with unfinished.open("wb") as out:
        np.save(out, np.stack(list(cards.values())))
    unfinished.replace(file)
    names_file.write_text(json.dumps({"stamp": stamp, "names": list(cards)}))
    return cards
