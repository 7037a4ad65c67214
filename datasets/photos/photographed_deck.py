"""
A deck cut out of photographs: each face, seen by itself and labelled with its corners, laid upright.

The set ``hands5`` holds every face of one deck that way. It is kept out of all training, so that what is composed of
it can check pictures of a deck nobody has learnt.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from datasets.decks.deck_art import DeckError
from datasets.decks.library import Deck
from datasets.photos.labels import LabelsError, load_photos

ROUND = 0.055
"""Radius of a card's round corners, as a share of its width: 3.5 of 63 mm."""
TRIM = 0.012
"""Share of the card's width cut off along each edge, so that no table shows beside it: labels are that exact."""
WIDTH_SHARE = 0.66
"""Width of the face over its height, for a deck whose cards are 58 x 88 mm as this one's are."""


def cut_out(image_bgr: np.ndarray, corners_px: np.ndarray, height_px: int) -> np.ndarray:
    """Cut out the card at (4, 2) px of a photograph, upright: (height_px, w, 4) uint8 RGBA with round corners."""
    width_px = round(height_px * WIDTH_SHARE)
    edge = TRIM * width_px
    low, right, bottom = -edge, width_px - 1 + edge, height_px - 1 + edge
    frame = np.array([[low, low], [right, low], [right, bottom], [low, bottom]], np.float32)
    shrink = float(np.linalg.norm(corners_px[3] - corners_px[0])) / height_px
    if shrink > 2:
        image_bgr = cv2.GaussianBlur(image_bgr, (0, 0), shrink / 3)
    onto = cv2.getPerspectiveTransform(corners_px.astype(np.float32), frame)
    face = cv2.warpPerspective(image_bgr, onto, (width_px, height_px), flags=cv2.INTER_LINEAR)
    radius = ROUND * width_px
    ys, xs = np.mgrid[0:height_px, 0:width_px].astype(np.float32)
    off_x = np.maximum(np.maximum(radius - xs, xs - (width_px - 1 - radius)), 0)
    off_y = np.maximum(np.maximum(radius - ys, ys - (height_px - 1 - radius)), 0)
    alpha = np.clip(radius + 0.5 - np.hypot(off_x, off_y), 0, 1) * 255
    rgba: np.ndarray = np.dstack([cv2.cvtColor(face, cv2.COLOR_BGR2RGB), alpha.astype(np.uint8)])
    return rgba


def photographed_deck(folder: Path, height_px: int) -> Deck:
    """
    Cut out the faces of a set of labelled photographs that lie apart, one picture each; ``DeckError`` without any.

    ``folder`` holds ``labels.jsonl``; ``height_px`` is the height of a face.
    """
    try:
        pictures = load_photos(folder)
    except LabelsError as error:
        raise DeckError(str(error)) from None
    faces: dict[str, np.ndarray] = {}
    for picture in pictures:
        alone = picture.cards[0] if len(picture.cards) == 1 else None
        if alone is None or alone.corners_px is None or not alone.is_face or alone.card in faces:
            continue
        image = cv2.imread(str(picture.path))
        if image is not None:
            faces[alone.card] = cut_out(image, np.array(alone.corners_px, np.float32), height_px)
    if not faces:
        raise DeckError(f"expected pictures of single faces with their corners in {folder}, found none")
    return Deck(folder.name, "photographs", "english", faces, None, four_corners=True)
