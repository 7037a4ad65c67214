"""
Table scenes with exact labels: cards of many decks on many tables, seen by a pinhole camera.

A scene is made of a seed and nothing else but the art at hand. Labels name every card of which enough is in view, with
the four corners of the whole card, hidden parts included. ``python -m datasets.scenes.scene --sheet OUT.png`` shows
some.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.invented import FIRST_LETTERED, invent_deck
from datasets.decks.lettering import fonts
from datasets.decks.library import Deck, load_decks
from datasets.scenes.bending import WHOLE_FACE, Strip, bend, corners_of, outline_of
from datasets.scenes.camera import CARD_MM, TableCamera, look_at_table
from datasets.scenes.clutter import hand_over, load_hands, thing
from datasets.scenes.layouts import ScenePose, any_layout
from datasets.scenes.light import develop, expose, light_scene, smear
from datasets.scenes.surfaces import any_colour, lay_surface, load_tiles

BACK = "back"


@dataclass(frozen=True, slots=True, eq=False)
class Art:
    """
    All that scenes are made of. ``decks``: card text -> premultiplied BGRA, each half as tall as the one before.
    ``bare``: pictures without cards drawn in advance; empty: they are drawn when needed.
    """

    decks: tuple[dict[str, tuple[np.ndarray, ...]], ...]
    names: tuple[str, ...]
    weights: np.ndarray
    tiles: list[np.ndarray]
    hands: list[np.ndarray]
    bare: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """
    A picture and its truth. image: (h, w, 3) uint8 BGR. corners_px: (n, 4, 2) float32, clockwise, 0-1 a short edge.

    names: card text or ``back``. visible: (n,) share of the card in view, what the frame cuts off counted as hidden.
    """

    image: np.ndarray
    corners_px: np.ndarray
    names: tuple[str, ...]
    visible: np.ndarray
    deck: str


def face_levels(face_rgba: np.ndarray) -> tuple[np.ndarray, ...]:
    """
    Convert a face from (h, w, 4) uint8 RGBA to the form that ``Art`` holds: premultiplied BGRA, each half as tall as
    the one before.
    """
    face = cv2.cvtColor(face_rgba, cv2.COLOR_RGBA2BGRA)
    # Colour multiplied by alpha: only then does a warped rim not fade to black.
    face[..., :3] = (face[..., :3].astype(np.uint16) * face[..., 3:] // 255).astype(np.uint8)
    levels = [face]
    while levels[-1].shape[0] > 48:
        h, w = levels[-1].shape[:2]
        levels.append(cv2.resize(levels[-1], (max(1, w // 2), h // 2), interpolation=cv2.INTER_AREA))
    return tuple(levels)


def load_art(
    decks: list[Deck], textures: Path | None, hands: Path | None, weights: dict[str, float] | None = None
) -> Art:
    """Prepare decks, table tiles and hands for drawing. ``weights``: deck name -> how often, 1 where not named."""
    prepared = []
    for deck in decks:
        faces = {name: face_levels(face) for name, face in deck.faces.items()}
        if deck.back is not None:
            faces[BACK] = face_levels(deck.back)
        prepared.append(faces)
    chances = np.array([(weights or {}).get(deck.name, 1.0) for deck in decks], np.float64)
    return Art(
        tuple(prepared),
        tuple(deck.name for deck in decks),
        chances / chances.sum(),
        load_tiles(textures),
        load_hands(hands),
    )


def drawn_back(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw an invented card back: a border and a pattern of lines, dots or rings, or nothing but its colour."""
    h, w = 256, 180
    ground, ink = any_colour(rng), any_colour(rng)
    face = np.empty((h, w, 4), np.float32)
    face[..., :3], face[..., 3] = ground, 255
    colour = (*(float(v) for v in ink), 255.0)
    step = int(rng.integers(6, 30))
    kind = rng.integers(0, 5)
    if kind in (0, 1):
        for offset in range(-h, w + h, step):
            cv2.line(face, (offset, 0), (offset + h, h), colour, max(1, step // 5), cv2.LINE_AA)
            if kind == 1:
                cv2.line(face, (offset + h, 0), (offset, h), colour, max(1, step // 5), cv2.LINE_AA)
    elif kind == 2:
        for y in range(step // 2, h, step):
            for x in range(step // 2, w, step):
                cv2.circle(face, (x, y), max(1, step // 4), colour, -1, cv2.LINE_AA)
    elif kind == 3:
        for radius in range(10, 160, step):
            cv2.ellipse(face, (w // 2, h // 2), (int(radius * 0.7), radius), 0, 0, 360, colour, 2, cv2.LINE_AA)
    border = int(rng.integers(0, 16))
    if border:
        rim = (255.0, 255.0, 255.0, 255.0) if rng.random() < 0.7 else (*(float(v) for v in any_colour(rng)), 255.0)
        cv2.rectangle(face, (0, 0), (w - 1, h - 1), rim, border * 2)
    return face_levels(cv2.cvtColor(np.clip(face, 0, 255).astype(np.uint8), cv2.COLOR_BGRA2RGBA))


@dataclass(frozen=True, slots=True)
class Print:
    """
    How this deck was printed and what years did to it: per-channel gain and lift, a tint of the paper.

    swapped: light and dark have changed places, hues have stayed: white pips and red ones on black.
    """

    gain: np.ndarray
    lift: float
    paper: np.ndarray
    swapped: bool = False


def _printing(rng: np.random.Generator) -> Print:
    aged = rng.random() < 0.25
    paper = np.array([rng.uniform(0.75, 0.95), rng.uniform(0.88, 0.98), 1.0]) if aged else np.ones(3)
    gain = 1 + rng.normal(0, 0.05, 3)
    lift = float(rng.uniform(0, 45)) if rng.random() < 0.5 else 0.0
    return Print(gain.astype(np.float32), lift, paper.astype(np.float32), bool(rng.random() < SWAPPED))


def draw_card(
    image: np.ndarray,
    strips: list[Strip],
    levels: tuple[np.ndarray, ...],
    ink: Print,
    shadow_px: np.ndarray,
    dark: float,
) -> None:
    """Draw one card with its shadow, in place on a float32 picture."""
    height, width = image.shape[:2]
    pad = 3 + np.abs(shadow_px).max() * 2
    outline, quad = outline_of(strips), corners_of(strips)
    x0, y0 = np.maximum(np.floor(outline.min(axis=0) - pad).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(outline.max(axis=0) + pad).astype(int), (width, height))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    tall = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    level = next((lv for lv in reversed(levels) if lv.shape[0] >= tall * 0.95), levels[0])
    h, w = level.shape[:2]
    size = (int(x1 - x0), int(y1 - y0))
    region = image[y0:y1, x0:x1]
    local = (outline - (x0, y0)).astype(np.float32)
    if dark > 0:
        shade = np.zeros((size[1], size[0]), np.float32)
        cv2.fillPoly(shade, [np.round((local + shadow_px) * 8).astype(np.int32)], 1.0, cv2.LINE_AA, 3)
        sigma = max(0.6, float(np.abs(shadow_px).max()) * 0.7)
        region *= 1 - dark * cv2.GaussianBlur(shade, (0, 0), sigma)[..., None]
    for strip in strips:
        source = (strip.face * (w, h)).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(source, (strip.quad - (x0, y0)).astype(np.float32))
        warped = cv2.warpPerspective(level, matrix, size, flags=cv2.INTER_LINEAR).astype(np.float32)
        if len(strips) > 1:
            warped *= _inside(strip.quad - (x0, y0), size)[..., None]
        alpha = warped[..., 3:] / 255
        colours = warped[..., :3]
        if ink.swapped:
            colours = colours + 255 * alpha - colours.max(axis=2, keepdims=True) - colours.min(axis=2, keepdims=True)
        face = (colours * ((255 - ink.lift) / 255) + ink.lift * alpha) * ink.gain * ink.paper * strip.lit
        region *= 1 - alpha
        region += face


def _inside(quad: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """
    Return (h, w) float32, 1 within a quad of the region, with a rim wide enough that neighbouring strips leave no gap.
    """
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(quad * 8).astype(np.int32)], 255, cv2.LINE_8, 3)
    return mask.astype(np.float32) / 255


def _shine(rng: np.random.Generator, image: np.ndarray, quad: np.ndarray) -> None:
    """Draw a gloss streak or gradient over one card, in place."""
    height, width = image.shape[:2]
    x0, y0 = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(quad.max(axis=0)).astype(int), (width, height))
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    ys, xs = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    centre = quad.mean(axis=0) + rng.normal(0, 0.4, 2) * (quad.max(axis=0) - quad.min(axis=0))
    angle = rng.uniform(0, np.pi)
    reach = float(np.linalg.norm(quad[2] - quad[0]))
    a = ((xs - centre[0]) * np.cos(angle) + (ys - centre[1]) * np.sin(angle)) / (reach * rng.uniform(0.08, 0.6))
    b = (-(xs - centre[0]) * np.sin(angle) + (ys - centre[1]) * np.cos(angle)) / (reach * rng.uniform(0.2, 1.5))
    glow = np.exp(-(a**2) - b**2)
    mask = np.zeros(glow.shape, np.float32)
    cv2.fillConvexPoly(mask, np.round(quad - (x0, y0)).astype(np.int32), 1.0)
    image[y0:y1, x0:x1] += (rng.uniform(-60, 190) * glow * mask)[..., None]


def quads_px(camera: TableCamera, poses: list[ScenePose], card_mm: tuple[float, float]) -> np.ndarray:
    """Return (n, 4, 2) float32 px: the corners of each pose's card."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(card_mm) / 2
    corners = []
    for pose in poses:
        cos, sin = np.cos(pose.turn), np.sin(pose.turn)
        corners.append(half @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y))
    return camera.to_px(np.array(corners))


def _area(quads: np.ndarray) -> np.ndarray:
    x, y = quads[..., 0], quads[..., 1]
    return 0.5 * np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1))


def make_scene(
    art: Art,
    seed: int,
    size: tuple[int, int] = (416, 416),
    card_px: tuple[float, float] = (20, 300),
    *,
    poses: list[ScenePose] | None = None,
    deck: int | None = None,
    min_visible: float = 0.12,
) -> Scene:
    """
    Make one scene from ``seed`` alone. ``card_px``: from-to height of a card near the middle, in px.

    ``poses`` and ``deck`` fix the arrangement and the deck for a check set; else both are drawn.
    """
    rng = np.random.default_rng(seed)
    width, height = size
    low, high = np.log(card_px[0]), np.log(card_px[1])
    layout = poses if poses is not None else any_layout(rng)
    # Skewed a little to the large: from a card of a dozen pixels there is not much to learn.
    tall = float(np.exp(low + (high - low) * rng.beta(1.4, 1.1)))
    if poses is None and len(layout) <= 4 and rng.random() < CLOSE_UPS:
        tall = float(rng.uniform(0.8, 2.4)) * min(size)
    # Few cards fill the picture, many are small: or most of them would lie outside.
    if poses is None and len(layout) > 3:
        tall = min(tall, 1.6 * min(size) / np.sqrt(len(layout)))
    angles = [rng.normal(80, 10), rng.uniform(25, 90), rng.uniform(45, 75), rng.uniform(16, 45)]
    elevation = float(np.clip(rng.choice(angles, p=[0.28, 0.28, 0.28, 0.16]), 16, 90))
    aim = (width * rng.uniform(0.25, 0.75), height * rng.uniform(0.25, 0.75)) if rng.random() < 0.8 else None
    camera = look_at_table(rng, size, tall, elevation, aim_px=aim)
    image = lay_surface(rng, camera.matrix, size, art.tiles).astype(np.float32)
    if rng.random() < 0.25:  # the table ends
        edge = camera.matrix @ np.array([rng.uniform(-1, 1) * 300, rng.uniform(-1, 1) * 300, 1.0])
        edge = edge[:2] / edge[2]
        angle = rng.uniform(0, 2 * np.pi)
        away, side = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        far = width + height
        beyond = np.array(
            [edge + side * far, edge - side * far, edge - side * far + away * far, edge + side * far + away * far]
        )
        mask = np.zeros((height, width), np.uint8)
        cv2.fillPoly(mask, [beyond.astype(np.int32)], 255)
        other = lay_surface(rng, np.eye(3), size, art.tiles)
        image[mask > 0] = other[mask > 0]
    ignored = np.zeros((height, width), bool)
    for _ in range(int(rng.poisson(0.9))):
        thing(rng, image, ignored, rng.uniform(0, 1, 2) * size, tall * rng.uniform(0.4, 2.5))
    if rng.random() < 0.03 and poses is None:
        layout = []
    chosen = deck if deck is not None else int(rng.choice(len(art.decks), p=art.weights))
    faces = art.decks[chosen]
    faces = faces if BACK in faces and rng.random() < 0.5 else {**faces, BACK: drawn_back(rng)}
    shuffled = [str(name) for name in rng.permutation([name for name in faces if name != BACK])]
    card_mm = (CARD_MM[0] * float(rng.uniform(0.88, 1.03)), CARD_MM[1])
    names = [BACK if pose.face_down else shuffled[i % len(shuffled)] for i, pose in enumerate(layout)]
    quads = quads_px(camera, layout, card_mm) if layout else np.zeros((0, 4, 2), np.float32)
    used = bool(poses is None and rng.random() < 0.25)  # an old deck: its cards no longer lie flat
    ink = _printing(rng)
    shadow = rng.normal(0, 0.02, 2) * tall
    dark = float(rng.uniform(0, 0.55)) if rng.random() < 0.8 else 0.0
    owner = np.zeros((height, width), np.int16)
    for i, quad in enumerate(quads):
        strips = [Strip(WHOLE_FACE, quad, 1.0)]
        if used and rng.random() < 0.5:
            strips = bend(rng, camera, layout[i], card_mm)
            quad = quads[i] = corners_of(strips)
        draw_card(image, strips, faces[names[i]], ink, shadow, dark)
        cv2.fillPoly(owner, [np.round(outline_of(strips)).astype(np.int32)], i + 1)
        if rng.random() < 0.12:
            _shine(rng, image, quad)
    cover = np.zeros((height, width), bool)
    if rng.random() < 0.2:
        thing(rng, image, cover, rng.uniform(0, 1, 2) * size, tall * rng.uniform(0.3, 1.5))
    if rng.random() < 0.22:
        goal = quads[int(rng.integers(len(quads)))].mean(axis=0) if len(quads) and rng.random() < 0.6 else None
        goal = rng.uniform(0, 1, 2) * size if goal is None else goal + rng.normal(0, 0.5, 2) * tall
        hand_over(rng, image, cover, art.hands, goal, max(tall, 25))
    owner[cover] = 0
    shown = np.bincount(owner.ravel(), minlength=len(quads) + 1)[1 : len(quads) + 1]
    visible = np.minimum(shown / np.maximum(_area(quads), 1.0), 1.0) if len(quads) else np.zeros(0)
    image = light_scene(rng, camera.bend_picture(image))
    quads = camera.distort(quads.reshape(-1, 2)).reshape(quads.shape).astype(np.float32)
    image = smear(rng, expose(rng, image), min(width / 416, tall / LEGIBLE))
    picture = develop(rng, image)
    keep = visible >= min_visible
    return Scene(
        picture,
        quads[keep],
        tuple(name for name, kept in zip(names, keep, strict=True) if kept),
        visible[keep].astype(np.float32),
        art.names[chosen],
    )


CLOSE_UPS = 0.16
"""Share of the scenes with few cards in which one is larger than the picture: a pip is no card, however big."""
LEGIBLE = 80.0
"""A card this tall in px bears the blur of a picture 416 px wide; a smaller one less, or nobody could read it."""
SWAPPED = 0.07
"""Share of the scenes in which the deck is printed light on dark that is dark on light, or the other way round."""
INVENTED_SHARE = 0.55
"""Share of the scenes dealt from invented decks, when there are some."""
MANY_FONTS = 100
"""Fewer families of fonts than this are not what ``datasets/decks/fonts.txt`` brings."""
OFTEN = {"own": 12.0, "Атласные": 2.0, "slavic_costumes": 1.5}
"""Decks dealt more often than their family's share: those with Cyrillic indices are few, and ours is in the demo."""


def standard_art(decks_cache: Path, art: Path | None, *, invented: int = 0, first: int = 1) -> Art:
    """
    Return the art used for training: all decks that are not reserved, each family alike, and ``invented`` invented
    ones.

    ``first``: seed of the first invented deck; another run does well to see other decks.
    """
    decks = load_decks(height_px=320, cache=decks_cache, art=art)
    if first + invented > FIRST_LETTERED and len(fonts(False, every=True)) < MANY_FONTS:
        print(
            f"invented decks from {FIRST_LETTERED} on are written in more fonts than this machine has: install those "
            "of datasets/decks/fonts.txt (datasets/README.md)",
            file=sys.stderr,
        )
    new = [invent_deck(seed, 320, donors=decks) for seed in range(first, first + invented)]
    weights = standard_weights(decks, new)
    return load_art([*decks, *new], art / "textures" if art else None, art / "hands" if art else None, weights)


def standard_weights(decks: list[Deck], new: list[Deck]) -> dict[str, float]:
    """Return how often each deck is dealt: each family of ``decks`` alike, invented ones (``new``) by their share."""
    families = [deck.family for deck in decks]
    weights = {deck.name: OFTEN.get(deck.name, 1 / families.count(deck.family) ** 0.5) for deck in decks}
    weight = sum(weights.values()) * INVENTED_SHARE / (1 - INVENTED_SHARE) / max(1, len(new))
    return weights | {deck.name: weight for deck in new}


def main() -> None:
    """Draw a sheet of scenes with their labels, to be checked by a person."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sheet", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--labels", action="store_true", help="draw the outlines")
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    art = standard_art(args.cache, args.art if args.art.is_dir() else None)
    tiles = []
    for index in range(16):
        scene = make_scene(art, args.seed + index)
        image = scene.image.copy()
        if args.labels:
            for quad, name in zip(scene.corners_px, scene.names, strict=True):
                cv2.polylines(image, [np.round(quad).astype(np.int32)], True, (0, 0, 255), 1, cv2.LINE_AA)
                cv2.circle(image, tuple(int(v) for v in quad[0]), 3, (255, 0, 0), -1)
                cv2.putText(image, name, tuple(int(v) for v in quad.mean(axis=0)), 0, 0.5, (0, 160, 0), 2)
        tiles.append(image)
    cv2.imwrite(str(args.sheet), np.vstack([np.hstack(tiles[i : i + 4]) for i in range(0, 16, 4)]))


if __name__ == "__main__":
    main()
