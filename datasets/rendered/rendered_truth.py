"""
The truth of rendered pictures: where every card is, how much of it is covered, which pixel shows what.

Films have the tracks of ``datasets.clips`` (``docs/clips.md``). Stills are written for the training feeds: photographs
with corners (``photos.jsonl``, for the finder), frames labelled pixel by pixel (``frames.npz``, for the segmenter), and
for each still its masks (``NAME.masks.png``: 0 nothing, 255 arm, else the number of a card) and ``NAME.json`` with the
cards in that order and the covered share of each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.clips.ground_truth import MASK_SCALE, Moment
from datasets.clips.label_maps import ARM, CARD, OTHER
from datasets.clips.labelled_frames import KEPT_PX
from datasets.clips.projection import card_px
from datasets.clips.stage import PinholeCamera, PosedCard
from datasets.clips.training_frames import LEAST_VISIBLE
from datasets.photos.corners import Photo, write_photos
from datasets.rendered import visibility
from datasets.rendered.people import ArmSurface, People
from datasets.rendered.visibility import Visible, arm_outline_px, see

ARM_MASK = 255


def cards_at(moment: Moment) -> list[PosedCard]:
    """Return all cards of a moment, the lowest first."""
    return [*moment.lying, *moment.carried]


def shows_face(camera: PinholeCamera, card: PosedCard) -> bool:
    """Check whether the camera sees the card's face rather than its back."""
    a, b, c = camera.project(card.pose.corners())[:3]
    return bool((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0)


def lines_of(camera: PinholeCamera, cards: Sequence[PosedCard], seen: Visible, resting: int) -> list[dict[str, Any]]:
    """Return what the truth says of each card; those from ``resting`` on move."""
    return [
        {
            "card": str(card.card) if shows_face(camera, card) else "back",
            "corners_px": np.round(card_px(camera, card.pose), 1).tolist(),
            "covered": round(float(np.clip(covered, 0, 1)), 3),
            "moving": number >= resting,
        }
        for number, (card, covered) in enumerate(zip(cards, seen.covered, strict=True))
    ]


class RenderedWitness:
    """Writes the truth of every frame of a rendered film."""

    def __init__(self, camera: PinholeCamera, people: People) -> None:
        self.camera, self.people = camera, people
        self._last: tuple[Moment, dict[str, Any]] | None = None

    def see(self, moment: Moment) -> dict[str, Any]:
        """Return one line of the truth: cards with corners_px, covered, moving; hands with their outlines."""
        if self._last is not None:
            before, line = self._last
            if (before.lying, before.carried, before.arms) == (moment.lying, moment.carried, moment.arms):
                return line | {"at": round(moment.at, 3)}
        surfaces = self.people.surfaces(moment)
        cards = cards_at(moment)
        seen = see(self.camera, [card.pose for card in cards], surfaces, MASK_SCALE)
        hands = [self._hand(arm.seat, arm.tip, surface) for arm, surface in zip(moment.arms, surfaces, strict=True)]
        line = {
            "at": round(moment.at, 3),
            "cards": lines_of(self.camera, cards, seen, len(moment.lying)),
            "hands": hands,
        }
        self._last = moment, line
        return line

    def _hand(self, seat: str, tip: tuple[float, float, float], surface: ArmSurface) -> dict[str, Any]:
        outline = arm_outline_px(self.camera, surface)
        return {
            "seat": seat,
            "tip_px": np.round(self.camera.project(np.array(tip)), 1).tolist(),
            "outline_px": np.round(outline[::8], 1).tolist(),
        }


def label_map(seen: Visible) -> np.ndarray:
    """Return (h, w) uint8 of ``OTHER``, ``CARD`` and ``ARM``."""
    labels = np.full(seen.owner.shape, OTHER, np.uint8)
    labels[seen.owner >= 0] = CARD
    labels[seen.owner == visibility.ARM] = ARM
    return labels


class LabelledStills:
    """Collects stills and writes them for the training feeds."""

    def __init__(self, folder: Path, camera: PinholeCamera, people: People) -> None:
        self.folder, self.camera, self.people = folder, camera, people
        self._photos: list[Photo] = []
        self._pictures: list[np.ndarray] = []
        self._labels: list[np.ndarray] = []
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, picture: np.ndarray, moment: Moment) -> None:
        """Write a picture (h, w, 3) uint8 BGR with its masks and its cards."""
        path = self.folder / f"{name}.jpg"
        cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
        cards = cards_at(moment)
        seen = see(self.camera, [card.pose for card in cards], self.people.surfaces(moment))
        masks = np.where(seen.owner == visibility.ARM, ARM_MASK, seen.owner + 1).astype(np.uint8)
        cv2.imwrite(str(self.folder / f"{name}.masks.png"), masks)
        lines = lines_of(self.camera, cards, seen, len(moment.lying))
        (self.folder / f"{name}.json").write_text(json.dumps({"cards": lines}) + "\n", "utf-8")
        labelled = [line for line in lines if 1 - line["covered"] >= LEAST_VISIBLE]
        corners = np.array([line["corners_px"] for line in labelled], np.float32).reshape(-1, 4, 2)
        self._photos.append(Photo(path.resolve(), corners, tuple(line["card"] for line in labelled), True))
        self._pictures.append(cv2.resize(picture, KEPT_PX, interpolation=cv2.INTER_AREA))
        self._labels.append(cv2.resize(label_map(seen), KEPT_PX, interpolation=cv2.INTER_NEAREST))

    def write(self) -> None:
        """Write the lists for the finder's and the segmenter's training."""
        write_photos(self.folder / "photos.jsonl", self._photos)
        np.savez(self.folder / "frames.npz", pictures=np.stack(self._pictures), labels=np.stack(self._labels))
