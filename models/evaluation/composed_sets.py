"""
Tables composed of photographed cards at true scale: crossed pairs, fanned hands, columns, heaps, whole decks.

``check`` uses a deck that was photographed card by card and is kept out of all training; ``dev`` uses other decks.
Asked for are cards with one fully visible index; other cards may be reported and do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from datasets.decks.invented import invent_deck
from datasets.decks.library import Deck, default_art, load_decks
from datasets.photos.photographed_deck import photographed_deck
from datasets.scenes.crowded_layouts import (
    beaten_attacks,
    fanned_hands,
    heap_of_faces,
    large_rows,
    one_fan,
    solitaire,
    stepped_column,
    whole_deck,
)
from datasets.scenes.layouts import Layout
from datasets.scenes.scene import Art, Scene, load_art
from datasets.scenes.true_scale import TableShot, laid_out
from models.evaluation.check_sets import (
    DECK_PX,
    DEV_DECKS,
    FIRST_SEED,
    Made,
    index_corners,
    index_in_view,
    labelled,
    owners,
    shares_in_view,
)
from vision.detection.z_order import shared_areas

CHECK_DECK = "hands5"
"""The set of photographs whose deck ``check`` uses."""
DEV_PHOTOGRAPHED = ("feliksh-photo", "svg-dondorf", "anglo")
"""Decks of ``dev`` beside the invented ones: photographed, with four indices, with two."""
FOUR_CORNERS = ("top left", "top right", "bottom right", "bottom left")
"""Where the photographed deck has its indices."""
LEAST_ASKED = 0.5
"""Smallest share of a table's cards that must show an index."""
LEAST_IN_VIEW = 0.2
"""Smallest visible share of a beaten card."""
VIEW = TableShot()
NEAR_VIEW = replace(VIEW, largest_px=(95.0, 420.0))
"""One pair fills the picture or lies far away."""
DECK_VIEW = replace(VIEW, size=(1920, 1080), elevation_deg=(50.0, 90.0), largest_px=(110.0, 180.0))
"""A whole deck in rows fills a telephone's picture."""
TABLE_VIEW = replace(VIEW, size=(1920, 1080), elevation_deg=(55.0, 90.0), largest_px=(120.0, 240.0))
"""Columns and four hands take room: a telephone's picture of the whole table."""
SMALL_VIEW = replace(VIEW, size=(640, 480), elevation_deg=(50.0, 90.0), largest_px=(150.0, 230.0))
"""A hand in the picture of a cheap webcam."""
LARGE_VIEW = replace(VIEW, size=(1920, 1440), elevation_deg=(65.0, 90.0), largest_px=(480.0, 620.0))
"""Few cards fill a telephone's picture."""


def composed_art(split: str, photos: Path | None) -> Art:
    """Return the deck of a split and tables to lay it on; ``DeckError`` where this machine lacks them."""
    folder = default_art()
    decks: list[Deck]
    if split == "check":
        decks = [photographed_deck((photos or Path("../shared/photos")) / CHECK_DECK, DECK_PX)]
    else:
        decks = [*load_decks(DEV_PHOTOGRAPHED, height_px=DECK_PX), *(invent_deck(seed, DECK_PX) for seed in DEV_DECKS)]
    return load_art(decks, folder / "textures" if folder else None, None)


def _asked(scene: Scene) -> np.ndarray:
    """Return (n,) bool: of which cards an index is seen whole."""
    owner = owners(scene.corners_px, (scene.image.shape[1], scene.image.shape[0]))
    corners = FOUR_CORNERS if scene.deck == CHECK_DECK else index_corners(scene.deck)
    return np.array([index_in_view(scene.corners_px, which, corners, owner) for which in range(len(scene.names))], bool)


def photographed_pairs(art: Art, seed: int, split: str) -> Made | None:
    """
    Make one to six attacks, most of them beaten, each pair apart from the others. Every card and pair is asked for.
    """
    rng = np.random.default_rng([seed, 11])
    layout, on = beaten_attacks(rng)
    scene = laid_out(art, rng, layout, NEAR_VIEW if len(layout) == 2 else VIEW)
    if scene is None or not _asked(scene).all():
        return None
    shares = shares_in_view(scene.corners_px, VIEW.size)
    meeting = {
        (int(low), int(high)) for low, high in zip(*np.nonzero(np.triu(shared_areas(scene.corners_px))), strict=True)
    }
    if shares.min() < LEAST_IN_VIEW or meeting != {(under, i) for i, under in enumerate(on) if under >= 0}:
        return None
    pairs = tuple(
        (scene.names[attack], next((scene.names[i] for i, under in enumerate(on) if under == attack), None))
        for attack in range(len(on))
        if on[attack] < 0
    )
    name = f"photographed-pairs-{seed % 1_000_000}.png"
    truth = labelled(replace(scene, visible=shares), name, split, np.ones(len(on), bool))
    return replace(truth, pairs=pairs), scene.image


def _readable(
    arrange: Callable[[np.random.Generator], Layout], view: TableShot
) -> Callable[[Art, int, str], Made | None]:
    """
    Return a maker of tables arranged by ``arrange``. Asked for: the cards of which an index is seen whole, half of all
    at least.
    """

    def make(art: Art, seed: int, split: str) -> Made | None:
        rng = np.random.default_rng([seed, 12])
        scene = laid_out(art, rng, arrange(rng), view)
        if scene is None:
            return None
        asked = _asked(scene)
        if asked.sum() < LEAST_ASKED * len(asked):
            return None
        seen = replace(scene, visible=shares_in_view(scene.corners_px, view.size))
        return labelled(seen, f"{arrange.__name__}-{seed % 1_000_000}.png", split, asked), scene.image

    return make


@dataclass(frozen=True, slots=True)
class ComposedSet:
    """A named set. ``count``: pictures in full length."""

    name: str
    count: int
    make: Callable[[Art, int, str], Made | None]


COMPOSED_SETS = (
    ComposedSet("photographed pairs", 60, photographed_pairs),
    ComposedSet("photographed fans", 30, _readable(fanned_hands, TABLE_VIEW)),
    ComposedSet("photographed columns", 30, _readable(solitaire, TABLE_VIEW)),
    ComposedSet("photographed heaps", 40, _readable(heap_of_faces, VIEW)),
    ComposedSet("whole decks", 20, _readable(whole_deck, DECK_VIEW)),
    ComposedSet("stepped columns", 60, _readable(stepped_column, VIEW)),
    ComposedSet("small fans", 30, _readable(one_fan, SMALL_VIEW)),
    ComposedSet("large cards", 30, _readable(large_rows, LARGE_VIEW)),
)
"""The place of a set determines its seeds: new sets go to the end."""
COMPOSED_NAMES = tuple(composed.name for composed in COMPOSED_SETS)


def composed_pictures(chosen: ComposedSet, count: int, split: str, photos: Path | None) -> Iterator[Made]:
    """Yield the first ``count`` pictures of a set; ``photos``: the folder of labelled photographs."""
    art = composed_art(split, photos)
    seed = FIRST_SEED[split] + 1_000_000 * (50 + COMPOSED_NAMES.index(chosen.name))
    made = 0
    while made < count:
        picture = chosen.make(art, seed, split)
        seed += 1
        if picture is not None:
            made += 1
            yield picture
