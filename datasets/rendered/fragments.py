"""
Plan a rendered fragment from its seed: the game, the people and their hands, the camera, the lamp, the table.

The game, its rules and how cards are handled are those of ``datasets.clips``; lists have the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from datasets.clips.ground_truth import set_times
from datasets.clips.habits import Habits
from datasets.clips.motion import ArmPose, Performance
from datasets.clips.recipes import Recipe, arm_styles, drawn, faces_of, set_stage, story_of
from datasets.clips.stage import PinholeCamera
from datasets.clips.table_tops import bare_top
from datasets.decks.deck_art import DeckError
from datasets.decks.library import RESERVED
from datasets.rendered.arm_model import Build
from datasets.rendered.blender import Lamp
from datasets.rendered.people import Appearance, People
from datasets.rendered.seated_director import SeatedDirector
from datasets.rendered.visibility import arm_outline_px

SIZE = (854, 480)
PX_PER_MM = (1.02, 1.12)
"""A card at the middle of the table is 85 px tall and more, wherever the camera stands."""
ELEVATION = (74.0, 88.0)
RULES = "podkidnoy-36"
PILES_MM = (-50.0, 20.0)
"""How far from the middle line talon and discard pile lie, so that no hand with a fan covers them."""
SKIN_GAIN = (0.75, 1.0)
FPS = 12


@dataclass(frozen=True, slots=True, eq=False)
class RenderedFragment:
    """A fragment that is ready to be rendered."""

    recipe: Recipe
    performance: Performance
    people: People
    lamp: Lamp

    @property
    def camera(self) -> PinholeCamera:
        """Return the camera over the table."""
        return self.performance.stage.camera

    def faces(self) -> dict[str, np.ndarray]:
        """Return the pictures of the deck's faces and back, straight RGBA."""
        return faces_of(self.recipe)

    def top(self) -> np.ndarray:
        """Return the table, (h, w, 3) uint8 BGR."""
        rng = np.random.default_rng((self.recipe.seed, 3))
        return np.clip(bare_top(self.recipe.surface, rng), 0, 255).astype(np.uint8)


def linear(bgr: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the linear RGB, 0..1, of an sRGB colour in BGR, 0..255."""
    share = np.array(bgr[::-1], float) / 255
    found = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(found[0]), float(found[1]), float(found[2])


def plan(seed: int, wheel: Path, **words: Any) -> RenderedFragment:
    """
    Plan the fragment of a seed. ``words``: those of lists of clips (``docs/clips.md``) that fit: ``seats``, ``deck``,
    ``surface``, ``elevation``, ``scale``, ``fps``, ``seconds``, ``talon``, ``free``, ``habits``.
    """
    rng = np.random.default_rng((seed, 61))
    deck = str(words.get("deck") or "own")
    if deck in RESERVED:
        raise DeckError(f"expected a deck that training may use, got {deck}, which is reserved for checks")
    chosen = {
        "rules": RULES, "seats": 2, "fps": FPS, "seconds": 30.0, "talon": int(rng.integers(6, 19)),
        "elevation": float(rng.uniform(*ELEVATION)), "scale": float(rng.uniform(*PX_PER_MM)),
    }  # fmt: skip
    recipe = drawn(seed, **(chosen | words), height=SIZE[1], faults=0, mishaps="none")
    camera = PinholeCamera(
        SIZE, recipe.camera.elevation_deg, recipe.camera.px_per_mm, recipe.camera.view_deg, recipe.camera.roll_deg
    )
    recipe = replace(recipe, camera=camera, habits=_calm(recipe.habits))
    story = story_of(recipe)
    seats = story.start.seats
    stage = set_stage(recipe, seats)
    (tx, ty), (hx, hy) = stage.talon_mm, stage.heap_mm
    if tx * hx < 0:  # between the hands that hold fans
        stage = replace(
            stage, talon_mm=(tx, float(np.clip(ty, *PILES_MM))), heap_mm=(hx, float(np.clip(hy, *PILES_MM)))
        )
    left = frozenset(seat for seat in seats if rng.random() < 0.12)
    with_fans = tuple(seat for seat in seats if rng.random() < 0.75) or seats[:1]
    director = SeatedDirector(stage, np.random.default_rng((seed, 2)), habits=recipe.habits, left=left)
    performance = director.perform_seated(story, recipe.seconds, with_fans)
    performance.fps = recipe.fps
    appearances = appearances_of(recipe, seats, rng)
    people = People.seated(wheel, performance, appearances, left, director.fans)

    def outline_px(arm: ArmPose, at: float) -> np.ndarray:
        return arm_outline_px(camera, people.surface(arm, at))

    set_times(performance, outline_px)
    return RenderedFragment(recipe, performance, people, lamp_of(rng))


def _calm(habits: Habits) -> Habits:
    """Return the habits without what the rendered hands do in their own way, or don't have."""
    return replace(
        habits, rests=0.0, hesitates=0.0, glass=0.0, phone=0.0, cloth=0.0, head=0.0, pieces=0.0, pushes=0.0, hides=0.0,
        across=min(habits.across, 0.4),
    )  # fmt: skip


def appearances_of(recipe: Recipe, seats: tuple[str, ...], rng: np.random.Generator) -> dict[str, Appearance]:
    """Return the colours and builds of the people."""
    found = {}
    for order, (seat, style) in enumerate(arm_styles(recipe, seats).items()):
        female, weight = bool(rng.random() < 0.5), float(rng.uniform(-0.5, 0.7))
        cuff = float(rng.uniform(12, 60)) if rng.random() < 0.8 else float(rng.uniform(110, 190))
        shade = float(rng.uniform(*SKIN_GAIN))
        skin = linear(tuple(c * shade for c in style.skin[:3]))
        found[seat] = Appearance(skin, linear(style.sleeve), Build(female, weight, cuff, recipe.seed * 7 + order))
    return found


def lamp_of(rng: np.random.Generator) -> Lamp:
    """Draw a lamp: over the table, aside of it, near or large."""
    turn, away = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(200, 900))
    height = float(rng.uniform(900, 1500))
    warm = float(rng.uniform(-0.05, 0.16))
    far = (away**2 + height**2) / 1e6
    ambient = float(rng.uniform(0.25, 0.6))
    return Lamp(
        (away * float(np.cos(turn)), away * float(np.sin(turn)), height), float(rng.uniform(150, 600)),
        1150.0 * far * (1.0 - 0.7 * ambient), (1.0, 1.0 - warm * 0.4, 1.0 - warm), ambient,
    )  # fmt: skip


def cut_short(fragment: RenderedFragment, pictures: int) -> RenderedFragment:
    """Return the fragment as if filming had ended after ``pictures`` pictures, without what becomes certain later."""
    performance = fragment.performance
    seconds = pictures / performance.fps
    actions = [
        action if action.step is None or action.at <= seconds else replace(action, step=None)
        for action in performance.actions
    ]
    return replace(fragment, performance=replace(performance, actions=actions, seconds=seconds))


def plan_listed(entry: Mapping[str, Any], wheel: Path) -> RenderedFragment:
    """Plan a fragment as a list of clips names it."""
    words = {key: value for key, value in entry.items() if key not in ("name", "seed")}
    return plan(int(entry["seed"]), wheel, **words)
