"""
The corners of cards on real photographs, so that these can be trained on.

Labels are upright boxes or index boxes; training wants the four corners of whole cards. A finder that has learnt on
scenes supplies the corners, a classifier checks the names, and the label is the judge: a card counts only where finder
and
label agree. ``python -m datasets.photos.corners`` writes the agreed corners of the ``dev`` photos to a file; ``check``
photos are never opened here.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.photos.labels import Box, LabelledCard, LabelledPicture, load_photos
from datasets.scenes.light import develop, expose
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import iou

UNNAMED = "?"
"""A card whose place is sure and whose name is not: for the finder, not for the classifier."""
SETS = ("rf100-open", "edje", "ccml-phone", "ccml-black")


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """
    One photograph. corners_px (n, 4, 2) float32; names: n card texts; complete: every card in it is among them.

    stretched: the picture was squeezed by somebody to a shape that isn't recorded, so cards may be too wide.
    """

    path: Path
    corners_px: np.ndarray
    names: tuple[str, ...]
    complete: bool
    stretched: bool = False


LEAST, BORNE_OUT = 0.12, 0.5
"""The finder's confidence from which a claim is looked at, and how surely one no surer than ``OTHER_CARD`` must be read
as its label says."""
SAME_CARD = 0.4
"""A claim sharing this much of its union with an agreed card is another word for that card."""
OTHER_CARD = 0.3
"""Confidence of a claim without a label above which a picture with index boxes may show a card nobody labelled."""


def _box_share(quad: np.ndarray, box: Box) -> float:
    low, high = quad.min(axis=0), quad.max(axis=0)
    start, end = np.array(box[:2]), np.array(box[2:])
    shared = np.clip(np.minimum(high, end) - np.maximum(low, start), 0, None).prod()
    return float(shared / ((high - low).prod() + (end - start).prod() - shared))


def _agreed(kind: str, card: LabelledCard, quad: np.ndarray) -> float:
    """Return how well a found quad fits a label, 0..1; 0: not at all."""
    if kind == "index-boxes" and card.card != "back":
        centres = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in card.boxes]
        return 1.0 if all(cv2.pointPolygonTest(quad, centre, False) > 0 for centre in centres) else 0.0
    share = _box_share(quad, card.boxes[0])
    return share if share > 0.7 else 0.0


def agree(detector: NetworkCardDetector, picture: LabelledPicture) -> Photo | None:
    """Return corners for the labelled cards of a photograph where finder and label agree; None where none do."""
    image = cv2.imread(str(picture.path))
    if image is None:
        return None
    found = detector.finder.find(image, LEAST)
    quads = detector.corner_refiner.refine(image, found.corners_px)
    named = detector.classifier.read(image, quads)
    corners, names = [], []
    used: set[int] = set()
    for card in picture.cards:
        fits = [
            (_agreed(picture.kind, card, quad) * float(found.confidence[i]), i)
            for i, quad in enumerate(quads)
            if i not in used
        ]
        score, best = max(fits, default=(0.0, -1))
        if score <= 0.1:
            continue
        name = card.card
        if name == "joker":
            name = CLASS_NAMES[NOTHING_INDEX]  # for the finder a card, for the classifier none of the pack
        elif name.endswith("?"):  # the rank is known; the suit is taken from the classifier where it is sure of it
            shares = [named[best, i] * (text[0] == name[0]) for i, text in enumerate(CLASS_NAMES[:FACE_COUNT])]
            name = CLASS_NAMES[int(np.argmax(shares))] if max(shares) > 0.8 else UNNAMED
        elif picture.kind == "index-boxes" and name != "back":
            # The index may lie inside a quad that is another card's; an unsure claim must be borne out by its reading.
            enough = 0.02 if found.confidence[best] > OTHER_CARD else BORNE_OUT
            if named[best, CLASS_NAMES.index(name)] < enough:
                continue
        used.add(best)
        corners.append(quads[best])
        names.append(name)
    if not corners:
        return None
    complete = len(names) == len(picture.cards)
    indices_only = picture.kind == "index-boxes"
    if indices_only:
        unexplained = [
            i
            for i, quad in enumerate(quads)
            if i not in used
            and found.confidence[i] > OTHER_CARD
            and named[i, NOTHING_INDEX] < 0.5
            and all(iou(quad, own) < SAME_CARD for own in corners)
        ]
        complete &= not unexplained
    return Photo(picture.path, np.stack(corners), tuple(names), complete, stretched=indices_only)


def write_photos(path: Path, photos: list[Photo]) -> None:
    """Store agreed corners, one photograph a line."""
    with path.open("w", encoding="utf-8") as out:
        for photo in photos:
            row = {
                "path": str(photo.path.resolve()),
                "corners": photo.corners_px.round(1).tolist(),
                "names": photo.names,
                "complete": photo.complete,
                "stretched": photo.stretched,
            }
            out.write(json.dumps(row) + "\n")


def read_photos(path: Path) -> list[Photo]:
    """Read the photographs that ``write_photos`` stored."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Photo(
            Path(row["path"]),
            np.array(row["corners"], np.float32),
            tuple(row["names"]),
            row["complete"],
            row.get("stretched", False),
        )
        for row in rows
    ]


def varied(
    rng: np.random.Generator, photo: Photo, size: tuple[int, int], card_px: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], np.ndarray]:
    """
    Turn, scale, shift and light a photograph differently: (image uint8, corners (n, 4, 2), names, visible share (n,)).

    ``card_px``: from-to height of its cards afterwards.
    """
    image, own_corners = np.asarray(cv2.imread(str(photo.path))), photo.corners_px
    if photo.stretched and rng.random() < 0.8:
        unsqueezed = np.array([1.0, rng.uniform(1.0, 1.8)], np.float32)
        image = cv2.resize(image, None, fx=1.0, fy=float(unsqueezed[1]), interpolation=cv2.INTER_LINEAR)
        own_corners = own_corners * unsqueezed
    height, width = image.shape[:2]
    tall = float(np.median(np.linalg.norm(own_corners[:, 3] - own_corners[:, 0], axis=1)))
    low, high = np.log(card_px[0]), np.log(card_px[1])
    scale = float(np.exp(rng.uniform(low, high))) / max(tall, 1.0)
    scale = float(np.clip(scale, 0.7 * min(size) / max(height, width), 1.6))
    if scale < 0.6:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        shrunk = np.array([image.shape[1] / width, image.shape[0] / height], np.float32)
        corners, scale = own_corners * shrunk, 1.0
    else:
        corners = own_corners
    angle = rng.uniform(0, 360) if rng.random() < 0.7 else rng.normal(0, 8)
    focus = corners[int(rng.integers(len(corners)))].mean(axis=0) if rng.random() < 0.7 else corners.mean(axis=(0, 1))
    matrix = cv2.getRotationMatrix2D((float(focus[0]), float(focus[1])), float(angle), scale)
    matrix[:, 2] += np.array(size) * rng.uniform(0.3, 0.7, 2) - focus
    ground = tuple(float(v) for v in rng.uniform(0, 255, 3))
    edge = cv2.BORDER_REFLECT_101 if rng.random() < 0.3 and photo.complete else cv2.BORDER_CONSTANT
    # A mirrored rim would show unlabelled cards, so the rim is plain wherever cards lie near it.
    near_rim = (corners.min() < 60) or (corners.max(axis=(0, 1)) > np.array(image.shape[1::-1]) - 60).any()
    edge = cv2.BORDER_CONSTANT if near_rim else edge
    out = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=edge, borderValue=ground)
    quads = (corners @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    frame = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    visible = np.array(
        [cv2.intersectConvexConvex(quad, frame)[0] / max(cv2.contourArea(quad), 1.0) for quad in quads], np.float32
    )
    lit = expose(rng, out.astype(np.float32)) if rng.random() < 0.6 else out.astype(np.float32)
    return develop(rng, lit), quads, photo.names, visible


def main() -> None:
    """Agree on corners for all dev photos."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos"))
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/photos.jsonl"))
    parser.add_argument("--sets", nargs="+", default=SETS)
    args = parser.parse_args()
    detector = load_card_detector(args.weights)
    agreed: list[Photo] = []
    for name in args.sets:
        rows = load_photos(args.photos / name, "dev")
        photos = [photo for row in rows if (photo := agree(detector, row)) is not None]
        agreed += photos
        cards = sum(len(photo.names) for photo in photos)
        whole = sum(photo.complete for photo in photos)
        print(f"{name}: {len(photos)} of {len(rows)} photos, {cards} cards, {whole} complete", file=sys.stderr)
    write_photos(args.out, agreed)


if __name__ == "__main__":
    main()
