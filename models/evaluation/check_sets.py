"""
Synthetic check sets: tables with labels exact to the pixel, from fixed seeds, in a fixed order.

``check`` uses the reserved decks, which were never trained on, tuned on or inspected (and, under the hardest light, the
two decks with Cyrillic indices); ``dev`` uses other invented decks outside training and is for tuning. Each set says
what it asks of a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.invented import invent_deck
from datasets.decks.library import DECKS, UNSEEN, Deck, default_art, load_decks
from datasets.photos.labels import LabelledCard, LabelledPicture
from datasets.scenes.layouts import ScenePose, any_layout
from datasets.scenes.no_cards import no_card_picture
from datasets.scenes.scene import Art, Scene, load_art, make_scene
from models.evaluation.hard_light import LAMPS, lit_hard
from vision.detection.detections import BACK

SIZE = (1280, 720)
LEAST_VISIBLE = 0.12
"""Smallest visible share of a card that has to be read."""
COVERED_FROM, COVERED_TO = 0.65, 0.85
DEV_DECKS = tuple(range(9001, 9007))
"""Seeds of the invented decks for tuning; training uses lower ones."""
DECK_PX = 320
FIRST_SEED = {"check": 900_000_000, "dev": 800_000_000}
CYRILLIC = ("Атласные", "openfool-rus")

Made = tuple[LabelledPicture, np.ndarray]


@dataclass(frozen=True, slots=True)
class CheckSet:
    """A named set. ``count``: pictures in full length. ``says``: what it holds."""

    name: str
    count: int
    says: str
    make: Callable[[Art, int, str], Made | None]
    """(art, seed, split) -> a picture, or ``None`` where this seed's table does not fit the set."""
    decks: tuple[str, ...] = UNSEEN


_CORNERS = {"top left": (0, 0), "top right": (1, 0), "bottom right": (1, 1), "bottom left": (0, 1)}
INDEX_SIZE = (0.2, 0.27)
"""Share of a card's width and height that an index takes, its margin included."""


def index_corners(deck: str) -> tuple[str, ...]:
    """Return the corners at which a deck prints an index."""
    if deck.startswith("svg-oxygen"):
        return ("top right",)
    entry = next((entry for entry in DECKS if entry.name == deck), None)
    return tuple(_CORNERS) if entry is not None and entry.four_corners else ("top left", "bottom right")


def owners(quads: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the visible card of each pixel: (h, w) int16, counted from 1; 0: none. Later cards lie on earlier ones."""
    owner = np.zeros((size[1], size[0]), np.int16)
    for i, quad in enumerate(quads):
        cv2.fillConvexPoly(owner, np.round(quad).astype(np.int32), i + 1)
    return owner


def shares_in_view(quads: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the visible share (n,) of each card."""
    shown = np.bincount(owners(quads, size).ravel(), minlength=len(quads) + 1)[1:]
    areas = np.array([cv2.contourArea(quad) for quad in quads])
    shares: np.ndarray = np.minimum(shown / np.maximum(areas, 1.0), 1.0)
    return shares


def index_in_view(quads: np.ndarray, which: int, corners: tuple[str, ...], owner: np.ndarray) -> bool:
    """Check whether one index of card ``which`` is fully visible."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    onto = cv2.getPerspectiveTransform(unit, quads[which].astype(np.float32))
    height, width = owner.shape
    for corner in corners:
        x, y = _CORNERS[corner]
        wide, tall = INDEX_SIZE
        zone = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
        zone += ((1 - wide) * x, (1 - tall) * y)
        area = cv2.perspectiveTransform(zone[None], onto)[0]
        if area.min() < 0 or (area.max(axis=0) >= (width, height)).any():
            continue
        mask = np.zeros(owner.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(area).astype(np.int32), 1)
        if mask.any() and float((owner[mask > 0] == which + 1).mean()) > 0.96:
            return True
    return False


def card_height_px(quad: np.ndarray) -> float:
    """Return the mean length of a card's long edges."""
    return float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2


def labelled(
    scene: Scene, name: str, split: str, asked: np.ndarray, light: str | None = None, pairs: bool = False
) -> LabelledPicture:
    """Return a scene's labels. ``pairs``: its cards are attack, defence, attack, defence, ..."""
    cards = tuple(
        LabelledCard(
            text,
            ((float(quad[:, 0].min()), float(quad[:, 1].min()), float(quad[:, 0].max()), float(quad[:, 1].max())),),
            float(visible),
            tuple((float(x), float(y)) for x, y in quad),
            bool(wanted),
        )
        for text, quad, visible, wanted in zip(scene.names, scene.corners_px, scene.visible, asked, strict=True)
    )
    couples = tuple(zip(scene.names[::2], scene.names[1::2], strict=True)) if pairs else None
    return LabelledPicture(Path(name), "card-boxes", cards, split, pairs=couples, light=light, deck=scene.deck)


def _name(kind: str, scene: Scene, seed: int) -> str:
    return f"{kind}-{scene.deck}-{seed % 1_000_000}.png"


def any_table(art: Art, seed: int, split: str) -> Made:
    """Make any table, cards of about 70 px and more. Asked for: every card that is visible enough."""
    rng = np.random.default_rng([seed, 1])
    layout = any_layout(rng)
    tallest = min(320.0, 1.6 * SIZE[1] / np.sqrt(max(len(layout), 1)))
    scene = make_scene(art, seed, SIZE, (70, max(90.0, tallest)), poses=layout, min_visible=0.01)
    return labelled(scene, _name("table", scene, seed), split, scene.visible >= LEAST_VISIBLE), scene.image


def overlapping(rng: np.random.Generator) -> list[ScenePose]:
    """Lay a row, a column or a fan in which all but the last card show a narrow strip."""
    kind = rng.integers(0, 3)
    count = int(rng.integers(3, 7))
    side = float(rng.choice([-1, 1]))
    turn = rng.uniform(0, 2 * np.pi)
    if kind == 2:
        step, pivot = side * rng.uniform(0.12, 0.22), rng.uniform(70, 120)
        flat = [(pivot * np.sin(step * i), -pivot * np.cos(step * i), step * i) for i in range(count)]
    elif kind == 1:
        step = rng.uniform(0.28, 0.34) * 88
        flat = [(rng.normal(0, 1.5), i * step, rng.normal(0, 0.02)) for i in range(count)]
    else:
        step = side * rng.uniform(0.21, 0.34) * 63
        flat = [(i * step, rng.normal(0, 2.0), rng.normal(0, 0.03)) for i in range(count)]
    middle = np.mean([(x, y) for x, y, _ in flat], axis=0)
    cos, sin = np.cos(turn), np.sin(turn)
    return [
        ScenePose(
            cos * (x - middle[0]) - sin * (y - middle[1]), sin * (x - middle[0]) + cos * (y - middle[1]), angle + turn
        )
        for x, y, angle in flat
    ]


def covered_table(art: Art, seed: int, split: str) -> Made | None:
    """
    Make a table of covered cards. Asked for: cards of at least 70 px, covered 65 to 85 % by other cards alone, with one
    index seen whole.
    """
    rng = np.random.default_rng([seed, 2])
    scene = make_scene(art, seed, SIZE, (80, 230), poses=overlapping(rng), min_visible=-1.0)
    if not len(scene.names):
        return None
    owner = owners(scene.corners_px, SIZE)
    shares = shares_in_view(scene.corners_px, SIZE)
    corners = index_corners(scene.deck)
    asked = np.array(
        [
            name != BACK
            and 1 - COVERED_TO <= share <= 1 - COVERED_FROM
            and scene.visible[i] >= share - 0.02  # nothing else, no hand, hides it
            and card_height_px(scene.corners_px[i]) >= 70
            and index_in_view(scene.corners_px, i, corners, owner)
            for i, (name, share) in enumerate(zip(scene.names, shares, strict=True))
        ]
    )
    return (labelled(scene, _name("covered", scene, seed), split, asked), scene.image) if asked.any() else None


def _inside(quads: np.ndarray, margin: float = 4.0) -> bool:
    return bool(quads.min() >= margin and (quads.max(axis=(0, 1)) <= np.array(SIZE) - margin).all())


def pair_table(art: Art, seed: int, split: str) -> Made | None:
    """
    Make a table of six attacks, each beaten, in two rows of three, all in the picture and nothing over them. Every pair
    is asked for.
    """
    rng = np.random.default_rng([seed, 3])
    habit, shift = rng.uniform(-0.5, 0.5), rng.uniform(-1, 1, 2) * (20, 32)
    step = rng.uniform((92, 122), (112, 142))
    turn = rng.choice([0.0, np.pi]) + rng.normal(0, 0.15)
    cos, sin = np.cos(turn), np.sin(turn)
    poses = []
    for index in range(6):
        x, y = (index % 3 - 1) * step[0] + rng.normal(0, 3), (index // 3 - 0.5) * step[1] + rng.normal(0, 3)
        lean = rng.normal(0, 0.1)
        for dx, dy, angle in ((0.0, 0.0, lean), (*(shift + rng.normal(0, 4, 2)), lean + habit + rng.normal(0, 0.08))):
            poses.append(ScenePose(cos * (x + dx) - sin * (y + dy), sin * (x + dx) + cos * (y + dy), turn + angle))
    scene = make_scene(art, seed, SIZE, (85, 165), poses=poses, min_visible=-1.0)
    if len(scene.names) != 12 or not _inside(scene.corners_px):
        return None
    shares = shares_in_view(scene.corners_px, SIZE)
    if shares.min() < 0.25 or (scene.visible < shares - 0.03).any():
        return None
    if min(card_height_px(quad) for quad in scene.corners_px) < 60:
        return None
    picture = labelled(scene, _name("pairs", scene, seed), split, np.ones(12, bool), pairs=True)
    return picture, scene.image


def hard_light_table(art: Art, seed: int, split: str) -> Made | None:
    """Make any table under one of the hardest lamps. Asked for: cards of at least 70 px, covered at most 65 %."""
    rng = np.random.default_rng([seed, 4])
    layout = any_layout(rng)
    scene = make_scene(art, seed, SIZE, (80, 260), poses=layout, min_visible=0.01)
    name = tuple(LAMPS)[seed % len(LAMPS)]
    tall = np.array([card_height_px(quad) >= 70 for quad in scene.corners_px], bool)
    asked = (scene.visible >= 1 - COVERED_FROM) & tall & np.array([text != BACK for text in scene.names], bool)
    # A picture that came out black or white already would stay so under every lamp.
    if not asked.any() or not np.percentile(scene.image, 90) > 70 or (scene.image > 250).mean() > 0.3:
        return None
    image = lit_hard(rng, scene.image, scene.corners_px, name)
    return labelled(scene, _name("light", scene, seed), split, asked, light=name), image


def bare_table(art: Art, seed: int, split: str) -> Made:
    """Make a picture without cards: every reported card is invented."""
    kind, image = no_card_picture(art, seed)
    return LabelledPicture(Path(f"none-{kind}-{seed % 1_000_000}.png"), "card-boxes", (), split, deck=kind), image


CHECK_SETS = (
    CheckSet("reserved decks", 300, "tables of unseen decks; asked: cards at least 12 % in view", any_table),
    CheckSet("covered cards", 250, "cards covered 65 to 85 %, one index in view, unseen decks", covered_table),
    CheckSet("hardest light", 240, "the two decks with Cyrillic indices under six lamps", hard_light_table, CYRILLIC),
    CheckSet("pair tables", 150, "six beaten attacks a table, unseen decks", pair_table),
    CheckSet("no cards", 300, "pictures without a card", bare_table),
)
NAMES = tuple(check_set.name for check_set in CHECK_SETS)


def art_for(check_set: CheckSet, split: str) -> Art:
    """Return decks, tables and hands of a set. Raises ``DeckError`` if this machine lacks them."""
    folder = default_art()
    decks: list[Deck]
    if split == "dev":
        decks = [invent_deck(seed, DECK_PX) for seed in DEV_DECKS]
    else:
        decks = load_decks(check_set.decks, height_px=DECK_PX, reserved=check_set.decks is UNSEEN)
    return load_art(decks, folder / "textures" if folder else None, folder / "hands" if folder else None)


def pictures_of(check_set: CheckSet, count: int, split: str) -> Iterator[Made]:
    """Yield the first ``count`` pictures of a set; the seeds choose the decks."""
    art = art_for(check_set, split)
    seed = FIRST_SEED[split] + 10_000_000 * NAMES.index(check_set.name)
    made = 0
    while made < count:
        picture = check_set.make(art, seed, split)
        seed += 1
        if picture is not None:
            made += 1
            yield picture
