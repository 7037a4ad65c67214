"""Make the art of one scene: a few faces of a deck that no scene has shown before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from datasets.decks.deck_art import RANK_COLUMNS, SUIT_ROWS
from datasets.decks.library import Deck
from datasets.faces.face import TRAINING_SIGNS, LotStyle, court_pictures
from datasets.faces.signs import Signs, load_signs
from datasets.scenes.layouts import ScenePose, spun
from datasets.scenes.scene import Art, Scene, face_levels, make_scene

CARDS = tuple(rank + suit for suit in SUIT_ROWS for rank in RANK_COLUMNS)
FACES_A_SCENE = 5
"""Faces painted for one scene; a scene with more cards repeats them. More take longer, fewer teach less a scene."""
WRITINGS, SUIT_SETS = 360, 360
OPEN = 0.65
"""Share of the scenes on which the cards lie side by side and face up, so that all of each is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class LotFaces:
    """Faces with random layouts among the scenes: their signs, and the share of scenes in percent."""

    signs: Signs
    pictures: dict[str, list[np.ndarray]]
    share: float

    def art(self, rng: np.random.Generator, art: Art, style: LotStyle | None = None, count: int = FACES_A_SCENE) -> Art:
        """
        Return ``art`` with one deck, of which ``count`` faces are painted. ``style``: the deck's; drawn at random by
        default.
        """
        style = style or LotStyle(rng, self.signs)
        faces = {
            str(card): face_levels(style.face(str(card), self.pictures.get(str(card)[1], ())))
            for card in rng.choice(CARDS, count, replace=False)
        }
        return replace(art, decks=(faces,), names=(f"lot-{style.arrangement.relation}",), weights=np.ones(1))

    def scene(self, rng: np.random.Generator, art: Art, seed: int, size: tuple[int, int]) -> Scene:
        """Make a small scene of these faces; ``size`` (width, height)."""
        if rng.random() >= OPEN:
            return make_scene(self.art(rng, art), seed, size, (60, 260))
        count = int(rng.integers(1, FACES_A_SCENE))
        tallest = 1.3 * min(size) / np.sqrt(count)
        return make_scene(self.art(rng, art), seed, size, (60, tallest), poses=side_by_side(rng, count))


def side_by_side(rng: np.random.Generator, count: int) -> list[ScenePose]:
    """Return a layout in which no card covers another, each either way up."""
    columns = int(np.ceil(np.sqrt(count)))
    poses = [
        ScenePose(
            i % columns * 76 + float(rng.normal(0, 3)),
            i // columns * 102 + float(rng.normal(0, 3)),
            float(rng.normal(0, 0.06)) + np.pi * int(rng.random() < 0.5),
        )
        for i in range(count)
    ]
    return spun(rng, poses)


def lot_faces(share: float, decks: list[Deck], cache: Path) -> LotFaces:
    """Return the faces that training may see; courts of ``decks`` may be printed on them."""
    return LotFaces(load_signs(TRAINING_SIGNS, WRITINGS, SUIT_SETS, cache), court_pictures(decks), share)
