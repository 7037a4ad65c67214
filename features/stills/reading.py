"""Read one still picture for ``kozyr read``: cards, places, probabilities, and which covers which."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from features.stills.detector import StillDetector, ThoroughDetector
from referee.cards import RANKS, pack
from vision.capture.image_files import Image, PictureError, open_picture
from vision.detection.card_detector import CardDetector, NetworkCardDetector, load_card_detector
from vision.detection.detections import (
    BACK,
    BACK_INDEX,
    CLASS_NAMES,
    EVEN_ODDS,
    FACE_COUNT,
    FACES,
    NOTHING_INDEX,
    Detections,
)
from vision.detection.mirroring import mirror_evidence, reads_unsurely, turned_back
from vision.detection.z_order import attack_defence_pairs, z_order

LARGEST_PX = 4096
"""
Longer side in pixels to which huge pictures are reduced first; more resolution adds nothing. Set by hand, 2026-11.
"""
LEAST_ALTERNATIVE_SHARE = 0.01
"""Class share from which an alternative is reported, 0..1. Set by hand, 2026-11."""
STRANGER = 0.02
"""Prior probability of a card outside the pack relative to one of the pack. Chosen by hand, as in tracking."""
CLEAR = 0.9
"""Share that a name outside the pack must reach after the prior to be reported. Chosen by hand."""
ONE_CARD = 1.15
"""
Two outlines of one name belong to one card if all their corners lie within this many diagonals of a card: both ends of
a card that is covered in its middle do. Chosen by hand; cards side by side are 1.4 diagonals apart.
"""


@dataclass(frozen=True, slots=True)
class StillSettings:
    """What is reported of a single picture."""

    least_share: float = 0.6
    """
    Share of the most likely class below which a reading is not reported: a wrong card is worse than a missing one. Of
    ten such readings on photographs to learn from (rf100-open, ccml) two were right, 2026-11.
    """
    convincing: float = 0.6
    """
    Finder confidence times class share that one face must reach for any face of the picture to be reported, or ...
    """
    plain: float = 0.97
    """... the class share that one face must reach by itself: print and dominoes resemble cards a little."""
    pack_size: int = 36
    """Number of cards of the pack, 24, 32, 36 or 52: a prior for the names (`pack_prior`)."""
    may_widen: bool = False
    """Whether a picture on which a rank below six is read surely is read with a pack of 52 instead."""


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
        """Return the card as in docs/record.md, *Still pictures*."""
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
    """
    The cards of one picture, and its pairs as (attack, defence or None), indices of ``cards``.

    ``mirrored``: the picture is mirrored and was read as if turned back; corners are those of its own pixels.
    """

    cards: tuple[ReadCard, ...]
    pairs: tuple[tuple[int, int | None], ...]
    mirrored: bool = False

    def named_pairs(self) -> tuple[tuple[str, str | None], ...]:
        """Return the pairs as names of cards."""
        return tuple((self.cards[a].card, None if d is None else self.cards[d].card) for a, d in self.pairs)

    def as_json(self) -> dict[str, Any]:
        """Return the keys ``cards`` and ``pairs`` of docs/record.md, *Still pictures*."""
        return {
            "cards": [card.as_json() for card in self.cards],
            "pairs": [{"attack": attack, "defence": defence} for attack, defence in self.named_pairs()],
            **({"mirrored": True} if self.mirrored else {}),
        }


@cache
def _shipped_detector() -> NetworkCardDetector:
    return load_card_detector()


def read_picture(picture: str | Path | Image, pack_size: int | None = None) -> StillReading:
    """
    Read the cards of one picture with the shipped networks, which are loaded once.

    ``picture``: a file, or pixels (h, w, 3) uint8 BGR. ``pack_size``: 24, 32, 36 or 52; None: 36, or 52 if a lower rank
    is read surely. Raises ``PictureError`` for a file that is no picture.
    """
    image_bgr = open_picture(Path(picture)) if isinstance(picture, str | Path) else picture
    settings = StillSettings(may_widen=True) if pack_size is None else StillSettings(pack_size=pack_size)
    return read_still(_shipped_detector(), image_bgr, settings)


def read_still(
    detector: CardDetector,
    image_bgr: np.ndarray,
    settings: StillSettings | None = None,
    *,
    may_be_mirrored: bool = True,
) -> StillReading:
    """
    Return the cards and pairs of a (h, w, 3) uint8 picture; a mirrored one is turned back first.

    A card is reported once, however many of its indices show; two cards of one name that lie apart are both reported.
    """
    settings = settings or StillSettings()
    scale = min(1.0, LARGEST_PX / max(image_bgr.shape[:2]))
    if scale < 1.0:
        image_bgr = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if isinstance(detector, NetworkCardDetector):
        detector = StillDetector(detector)
    if isinstance(detector, ThoroughDetector):
        studied = detector.study(image_bgr)
        if may_be_mirrored and isinstance(detector, StillDetector) and reads_unsurely(studied.seen):
            evidence = mirror_evidence(detector.networks.classifier, image_bgr, studied.seen)
            if evidence.is_mirrored:
                flipped = np.ascontiguousarray(image_bgr[:, ::-1])
                turned = read_still(detector, flipped, settings, may_be_mirrored=False)
                return _as_mirrored(turned, image_bgr.shape[1], scale)
        seen, members = with_pack_prior(studied.seen, settings)
        kept = convincing(seen, worth_reporting(seen, settings), settings)
        order = studied.order.among(kept, seen.corners_px)
    else:
        seen, members = with_pack_prior(detector.detect(image_bgr), settings)
        kept = convincing(seen, worth_reporting(seen, settings), settings)
        order = z_order(image_bgr, seen.corners_px[kept])
    corners, probabilities = seen.corners_px[kept], seen.probabilities[kept]
    names = [CLASS_NAMES[index] for index in probabilities.argmax(axis=1)] if len(kept) else []
    cards = tuple(
        ReadCard(
            card=name,
            confidence=float(probabilities[i].max()),
            alternatives=_alternatives(probabilities[i], members),
            corners_px=corners[i] / np.float32(scale),
            covered=float(order.covered[i]),
            in_pack=name == BACK or bool(members[CLASS_NAMES.index(name)]),
        )
        for i, name in enumerate(names)
    )
    areas = np.array([cv2.contourArea(quad) for quad in corners])
    face_up = np.array([name != BACK for name in names], bool)
    chosen = dict(attack_defence_pairs(order, areas, face_up)) if len(cards) else {}
    defences = set(chosen.values())
    pairs: list[tuple[int, int | None]] = []
    for i in np.argsort(corners[:, :, 0].mean(axis=1), kind="stable"):  # from left to right, as people read a table
        under_back = any(order.upper[j, i] > EVEN_ODDS and not face_up[j] for j in range(len(names)))
        if face_up[i] and i not in defences and not under_back:
            pairs.append((int(i), chosen.get(i)))
    return StillReading(cards, tuple(pairs))


def _as_mirrored(turned: StillReading, width: int, scale: float) -> StillReading:
    """
    Return the reading of a picture that was turned back in pixels of the mirrored one, which is ``width`` pixels wide.

    ``scale``: pixels that were read for one of the picture's own.
    """
    cards = (replace(card, corners_px=turned_back(card.corners_px, width) / np.float32(scale)) for card in turned.cards)
    return StillReading(tuple(cards), turned.pairs[::-1], mirrored=True)


def with_pack_prior(seen: Detections, settings: StillSettings) -> tuple[Detections, npt.NDArray[np.bool_]]:
    """
    Return the detections with the pack as a prior of their names, and (52,) bool, which faces the pack holds.

    A name outside the pack is kept only if it is clear although such cards are rare. Otherwise its share goes to "no
    card", and the names of the pack keep theirs: the reading is uncertain rather than moved to another name.
    """
    members = _members(settings.pack_size)
    weighted = seen.probabilities.copy()
    weighted[:, :FACE_COUNT][:, ~members] *= STRANGER
    weighted /= np.maximum(weighted.sum(axis=1, keepdims=True), 1e-12)
    outside = np.where(members, 0.0, weighted[:, :FACE_COUNT])
    is_clear = outside.max(axis=1, initial=0.0) >= CLEAR
    low = [RANKS.index(FACES[face].rank) < RANKS.index("6") for face in outside[is_clear].argmax(axis=1)]
    if settings.may_widen and any(low):
        return seen, _members(52)
    faces = weighted[:, :FACE_COUNT]
    unclear = outside * ~is_clear[:, None]
    faces -= unclear
    weighted[:, NOTHING_INDEX] += unclear.sum(axis=1)
    return Detections(seen.corners_px, seen.confidence, weighted), members


def _members(pack_size: int) -> npt.NDArray[np.bool_]:
    """Return (52,) bool: which faces a pack of this size holds."""
    in_pack = set(pack(pack_size))
    return np.array([face in in_pack for face in FACES])


def worth_reporting(seen: Detections, settings: StillSettings) -> list[int]:
    """Return the detections to report: sure enough, the surer of several of one card, and all backs."""
    best = seen.best
    score = seen.probabilities.max(axis=1) * np.sqrt(seen.confidence) if len(seen) else np.zeros(0)
    diagonal = float(_diagonals(seen.corners_px).max(initial=0.0))
    kept: list[int] = []
    for index in np.argsort(-score):
        name, share = int(best[index]), float(seen.probabilities[index].max())
        if share < settings.least_share or name > BACK_INDEX:
            continue
        same = [k for k in kept if name < FACE_COUNT and best[k] == name]
        if same and (share < settings.plain or any(_is_one_card(seen.corners_px[[index, k]], diagonal) for k in same)):
            continue
        kept.append(int(index))
    return kept


def _diagonals(corners_px: np.ndarray) -> np.ndarray:
    """Return the longer diagonals of (n, 4, 2) quads, (n,), in px."""
    longer: np.ndarray = np.linalg.norm(corners_px[:, :2] - corners_px[:, 2:], axis=2).max(axis=1)
    return longer


def _is_one_card(pair: np.ndarray, diagonal: float) -> bool:
    """
    Check whether two outlines of one name, (2, 4, 2) px, overlap or fit on one card. ``diagonal``: the longest of this
    picture, in px.
    """
    if cv2.intersectConvexConvex(pair[0], pair[1])[0] > 0.0:
        return True
    points = pair.reshape(-1, 2)
    extent = float(np.linalg.norm(points[:, None] - points[None], axis=2).max())
    return extent <= ONE_CARD * diagonal


def convincing(seen: Detections, kept: list[int], settings: StillSettings) -> list[int]:
    """Return ``kept`` if one of its faces is clear to finder and classifier, else only its backs."""
    faces = [i for i in kept if seen.best[i] < FACE_COUNT]
    surest = seen.probabilities.max(axis=1) if len(seen) else seen.confidence
    if any(seen.confidence[i] * surest[i] >= settings.convincing or surest[i] >= settings.plain for i in faces):
        return kept
    return [i for i in kept if i not in faces]


def _alternatives(probabilities: np.ndarray, members: npt.NDArray[np.bool_]) -> tuple[tuple[str, float], ...]:
    """Return the next likely names; the best of the pack is among them where the likeliest lies outside it."""
    best, *order = (int(k) for k in np.argsort(-probabilities)[:4])
    chosen = [k for k in order if probabilities[k] >= LEAST_ALTERNATIVE_SHARE]
    if best < FACE_COUNT and not members[best]:
        in_pack = int(np.where(members, probabilities[:FACE_COUNT], -1.0).argmax())
        chosen = [in_pack, *(k for k in chosen if k != in_pack)]
    return tuple((CLASS_NAMES[k], float(probabilities[k])) for k in chosen)


def read_file(detector: CardDetector, path: Path, settings: StillSettings | None = None) -> dict[str, Any]:
    """Return the line of ``kozyr read --json`` for one file; if it cannot be read, with its ``error``."""
    try:
        image = open_picture(path)
    except PictureError as error:
        return {"picture": str(path), "error": str(error)}
    began = time.perf_counter()
    reading = read_still(detector, image, settings)
    took_ms = (time.perf_counter() - began) * 1e3
    return as_line(str(path), image, reading, took_ms)


def as_line(name: str, image_bgr: np.ndarray, reading: StillReading, took_ms: float) -> dict[str, Any]:
    """Return the line of docs/record.md, *Still pictures*, for a picture that was read."""
    height, width = image_bgr.shape[:2]
    return {
        "picture": name,
        "width": width,
        "height": height,
        **reading.as_json(),
        "took_ms": round(took_ms, 1),
    }
