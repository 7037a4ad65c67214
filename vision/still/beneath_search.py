"""
A card beneath another of which it is known that one lies there, and not where.

A look round a card tells surely whether one lies beneath it, and places it within a half of the true one. From there
the corner refiner seldom finds it. So it is begun from a dozen places round the one told, laid rigidly after each pass
(``vision/still/rigid_outlines.py``): those that come near the card end on it, those that don't go on wandering or end
where no face is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import FACE_COUNT
from vision.detection.occluded_reading import Read
from vision.detection.z_order import hidden_share
from vision.geometry.amodal_completion import is_convex, rigid_card
from vision.geometry.quads import Array, iou, warp
from vision.still.rigid_outlines import CardPlane, Refine, RigidSettings, settled


@dataclass(frozen=True, slots=True)
class BeneathSettings:
    """
    Where it is begun and what is believed. Chosen on 45 covered cards of development tables of photographed pairs,
    2026-11: begun at the place told 25 were read rightly, from twelve places 38, none wrongly.
    """

    told: float = 0.6
    """How surely a look round a card must tell of one beneath."""
    away_mm: tuple[float, ...] = (-8.0, 8.0, 24.0)
    """Millimetres from the place told, away from the card on it, at which it is begun: a place is told too near."""
    turns: tuple[float, ...] = (0.0, 0.5, -0.5, float(np.pi / 2))
    """Radians from the turn told."""
    most_moved: float = 0.12
    """Share of a card that it may still move in the last pass."""
    same_iou: float = 0.9
    """Two that end so near each other are read as one."""
    most_read: int = 6
    """Ends read, those that moved least."""
    most_hidden: float = 0.88
    """Share of a card that may be hidden for it to be read at all."""
    sure: float = 0.9
    """Share of one face from which it is believed."""


@dataclass(frozen=True, slots=True, eq=False)
class Beneath:
    """A card found. corners_px: (4, 2). reading: (54,)."""

    corners_px: Array
    reading: Array


def starts(told: Array, lid: Array, plane: CardPlane, settings: BeneathSettings) -> Array:
    """(n, 4, 2) px: cards of the deck round the place ``told`` (4, 2) beneath ``lid`` (4, 2)."""
    card = warp(plane.to_mm, plane.laid(told, np.ones(4, np.float32)))
    middle = card.mean(axis=0)
    away = middle - warp(plane.to_mm, lid).mean(axis=0)
    away = away / max(float(np.linalg.norm(away)), 1e-6)
    turn = float(np.arctan2(*(card[1] - card[0])[::-1]))
    at = [(middle + far * away, turn + turned) for far in settings.away_mm for turned in settings.turns]
    cards = [rigid_card(float(x), float(y), angle, plane.size_mm) for (x, y), angle in at]
    return warp(plane.to_px, np.stack(cards))


def search_beneath(
    told: Array,
    lids: Sequence[Array],
    taken: set[int],
    refine: Refine,
    read: Read,
    plane: CardPlane,
    rigid: RigidSettings,
    settings: BeneathSettings,
) -> Beneath | None:
    """
    The card near the place ``told`` (4, 2) px, on which ``lids`` (4, 2) lie, the first of them told of it.

    taken: classes of faces that lie elsewhere.
    """
    begun = starts(told, lids[0], plane, settings)
    ends, moved = settled(begun, [list(lids)] * len(begun), refine, plane, rigid)
    kept: list[int] = []
    for k in np.argsort(moved):
        if (
            moved[k] <= settings.most_moved
            and is_convex(ends[k])
            and hidden_share(ends[k], list(lids)) <= settings.most_hidden
            and all(iou(ends[k], ends[other]) < settings.same_iou for other in kept)
        ):
            kept.append(int(k))
    kept = kept[: settings.most_read]
    if not kept:
        return None
    readings = read(ends[kept], [list(lids)] * len(kept))
    found = [
        (float(reading.max()), k, reading)
        for k, reading in zip(kept, readings, strict=True)
        if int(reading.argmax()) < FACE_COUNT and int(reading.argmax()) not in taken
    ]
    sure, k, reading = max(found, key=lambda each: each[0], default=(0.0, -1, readings[0]))
    return Beneath(ends[k], reading) if sure >= settings.sure else None
