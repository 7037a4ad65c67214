"""What lies on one still picture, in the words of ``kozyr read``: cards, where, how sure, which covers which."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.cards import pack
from vision.capture.image_files import PictureError, open_picture
from vision.detection.card_detector import CardDetector, NetworkCardDetector
from vision.detection.detections import BACK, BACK_INDEX, CLASS_NAMES, EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.z_order import attack_defence_pairs, z_order
from vision.still.detector import StillDetector, ThoroughDetector

LARGEST_PX = 4096
"""
Longer side in pixels to which huge pictures are reduced before anything else: more shows nothing more of a card and
takes time. Set by hand, 2026-11.
"""
LEAST_ALTERNATIVE_SHARE = 0.01
"""
Share from which other readings of a card are told, 0..1. Higher leaves out true names, lower tells noise. Set by hand,
2026-11.
"""


@dataclass(frozen=True, slots=True)
class StillSettings:
    """What counts as seen on a picture that stands alone."""

    least_share: float = 0.6
    """
    Share of the likeliest name below which a reading is not told: a wrong card is worse than a missing one. Higher
    misses cards. Of ten such readings on photographs to learn from (rf100-open, ccml) two were right, 2026-11.
    Lower tells wrong ones.
    """
    convincing: float = 0.6
    """
    The finder's confidence times the reading that one face must reach for any face of the picture to be told, or ...
    Higher tells nothing of bad photographs, lower tells dominoes (those of ``dev`` reach 0.58, 2026-11).
    """
    plain: float = 0.97
    """
    ... the share that one reading must reach by itself: print and dominoes are cards a little. Higher and lower as with
    ``convincing``; set by hand, 2026-11.
    """
    pack_size: int = 36
    """Cards outside this pack are told with ``in_pack`` false. A larger pack allows more names, a smaller one fewer."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadCard:
    """One card of a picture. corners_px: (4, 2) float32. covered: share hidden by other cards."""

    card: str
    confidence: float
    alternatives: tuple[tuple[str, float], ...]
    corners_px: np.ndarray
    covered: float
    in_pack: bool

    def as_json(self) -> dict[str, Any]:
        """As docs/record.md, *Still pictures*, has it."""
        return {
            "card": self.card,
            "confidence": round(self.confidence, 4),
            "alternatives": [[name, round(share, 4)] for name, share in self.alternatives],
            "in_pack": self.in_pack,
            "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in self.corners_px],
            "covered": round(self.covered, 3),
        }


@dataclass(frozen=True, slots=True, eq=False)
class StillReading:
    """All that was seen on one picture; pairs are (attack, defence or None)."""

    cards: tuple[ReadCard, ...]
    pairs: tuple[tuple[str, str | None], ...]

    def as_json(self) -> dict[str, Any]:
        """The keys ``cards`` and ``pairs`` of docs/record.md, *Still pictures*."""
        return {
            "cards": [card.as_json() for card in self.cards],
            "pairs": [{"attack": attack, "defence": defence} for attack, defence in self.pairs],
        }


def read_still(detector: CardDetector, image_bgr: np.ndarray, settings: StillSettings | None = None) -> StillReading:
    """Look at a picture that stands alone; each card of the pack is told once, where it is seen best."""
    settings = settings or StillSettings()
    scale = min(1.0, LARGEST_PX / max(image_bgr.shape[:2]))
    if scale < 1.0:
        image_bgr = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if isinstance(detector, NetworkCardDetector):
        detector = StillDetector(detector)
    if isinstance(detector, ThoroughDetector):
        studied = detector.study(image_bgr)
        seen = studied.seen
        kept = convincing(seen, worth_telling(seen, settings.least_share), settings)
        order = studied.order.among(kept, seen.corners_px)
    else:
        seen = detector.detect(image_bgr)
        kept = convincing(seen, worth_telling(seen, settings.least_share), settings)
        order = z_order(image_bgr, seen.corners_px[kept])
    corners, probabilities = seen.corners_px[kept], seen.probabilities[kept]
    names = [CLASS_NAMES[index] for index in probabilities.argmax(axis=1)] if len(kept) else []
    members = {str(card) for card in pack(settings.pack_size)}
    cards = tuple(
        ReadCard(
            card=name,
            confidence=float(probabilities[i].max()),
            alternatives=_alternatives(probabilities[i]),
            corners_px=corners[i] / np.float32(scale),
            covered=float(order.covered[i]),
            in_pack=name == BACK or name in members,
        )
        for i, name in enumerate(names)
    )
    areas = np.array([cv2.contourArea(quad) for quad in corners])
    face_up = np.array([name != BACK for name in names], bool)
    chosen = dict(attack_defence_pairs(order, areas, face_up)) if len(cards) else {}
    defences = set(chosen.values())
    told_pairs = []
    for i in np.argsort(corners[:, :, 0].mean(axis=1), kind="stable"):  # from left to right, as people read a table
        name = names[i]
        under_back = any(order.upper[j, i] > EVEN_ODDS and not face_up[j] for j in range(len(names)))
        if face_up[i] and i not in defences and not under_back:
            told_pairs.append((name, names[chosen[i]] if i in chosen else None))
    return StillReading(cards, tuple(told_pairs))


def worth_telling(seen: Detections, least: float) -> list[int]:
    """Which detections to tell: sure enough, and of two that read as one card the surer; backs all."""
    best = seen.best
    score = seen.probabilities.max(axis=1) * np.sqrt(seen.confidence) if len(seen) else np.zeros(0)
    kept: list[int] = []
    names: set[int] = set()
    for index in np.argsort(-score):
        name = int(best[index])
        if seen.probabilities[index, name] < least or name > BACK_INDEX or (name < FACE_COUNT and name in names):
            continue
        names.add(name)
        kept.append(int(index))
    return kept


def convincing(seen: Detections, kept: list[int], settings: StillSettings) -> list[int]:
    """What is kept of a picture: faces only where one of them is plain to finder and classifier, else only backs."""
    faces = [i for i in kept if seen.best[i] < FACE_COUNT]
    surest = seen.probabilities.max(axis=1) if len(seen) else seen.confidence
    if any(seen.confidence[i] * surest[i] >= settings.convincing or surest[i] >= settings.plain for i in faces):
        return kept
    return [i for i in kept if i not in faces]


def _alternatives(probabilities: np.ndarray) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-probabilities)[1:4]
    return tuple(
        (CLASS_NAMES[i], float(probabilities[i])) for i in order if probabilities[i] >= LEAST_ALTERNATIVE_SHARE
    )


def read_file(detector: CardDetector, path: Path, settings: StillSettings | None = None) -> dict[str, Any]:
    """The line of ``kozyr read --json`` for one file; a picture that can't be read gives its ``error``."""
    try:
        image = open_picture(path)
    except PictureError as error:
        return {"picture": str(path), "error": str(error)}
    began = time.perf_counter()
    reading = read_still(detector, image, settings)
    took_ms = (time.perf_counter() - began) * 1e3
    return as_line(str(path), image, reading, took_ms)


def as_line(name: str, image_bgr: np.ndarray, reading: StillReading, took_ms: float) -> dict[str, Any]:
    """The line of docs/record.md, *Still pictures*, for a picture that was read."""
    height, width = image_bgr.shape[:2]
    return {
        "picture": name,
        "width": width,
        "height": height,
        **reading.as_json(),
        "took_ms": round(took_ms, 1),
    }
