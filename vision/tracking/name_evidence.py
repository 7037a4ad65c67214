"""
How much a reading of a card counts, and which names the card may have.

Three facts decide:

* **Novelty.** A classifier shown the same pixels repeats its error, so a repeated crop counts for nothing. Noise, light
  and cover count by how much they change the crop.
* **Sharpness.** A webcam hunts for its focus after a hand has been in the picture, and its compression draws what has
  just moved in coarse blocks. For up to a second small cards are read as their look-alikes.
* **The pack.** A card from outside the pack may lie there by mistake, but a "five" in a game from six on was nearly
  always a misread card, and accused its player. Such a name is never reported. Its probability is not given to the
  cards of the pack either, which would turn a real foreign card into its neighbour: it stays with "no card of this
  pack", and a card read clearly as foreign is reported as unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card, pack
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, FACES
from vision.geometry.quads import Array, Mask

Crop = npt.NDArray[np.float32]

CROP_SPOTS = (24, 33)
"""Columns and rows of a crop: one or two for a stroke of an index."""
PIXELS_PER_SPOT = 4
"""Pixels of the picture averaged into a spot, each way."""
CROPS_KEPT = 8
"""Crops remembered for a card, the newest ones."""
LEAST_BOX_PX = 5
"""A box with a shorter side has no sharpness."""
MOST_ALTERNATIVES = 4
"""Names reported beside the most probable one, at most. Chosen by hand."""
LEAST_ALTERNATIVE = 0.02
"""Least share of such a name. Chosen by hand."""


def crop_of(grey: Mask, quad_px: Array) -> Crop:
    """
    Return a card as (n,) float32 spots of mean 0 and length 1, so that light and contrast as a whole don't matter.

    ``grey``: (rows, columns) uint8. ``quad_px``: (4, 2). All spots are 0 where nothing on the card differs.
    """
    columns, rows = (PIXELS_PER_SPOT * count for count in CROP_SPOTS)
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    whole = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(quad_px.astype(np.float32), corners), (columns, rows))
    spots = cv2.resize(whole, CROP_SPOTS, interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    spots -= spots.mean()
    length = float(np.linalg.norm(spots))
    return spots / length if length > 1 else np.zeros_like(spots)


def novelty(crop: Crop, known: Sequence[Crop], alike: float) -> float:
    """
    Return the share, 0 to 1, of a reading that the readings of the crops ``known`` have not given already.

    ``alike``: distance of two crops (0 the same, 1.4 nothing in common) at which the errors agree to exp(-1).

    >>> card, other = np.eye(2, dtype=np.float32)
    >>> novelty(card, [other, card], 0.17), round(novelty(card, [other], 0.17), 3), novelty(card, [], 0.17)
    (0.0, 1.0, 1.0)
    """
    if not known:
        return 1.0
    nearest = min(float(np.square(crop - other).sum()) for other in known)
    return 1.0 - float(np.exp(-2 * nearest**2 / alike**4))


@dataclass(slots=True)
class SeenCrops:
    """The crops of a track, cut out at ``cut_px`` (4, 2), where it has lain since it moved last."""

    cut_px: Array | None = None
    crops: list[Crop] = field(default_factory=list)

    def novelty(self, grey: Mask, quad_px: Array, alike: float, *, has_moved: bool) -> float:
        """Return the novelty of a crop of the card at ``quad_px`` (4, 2), and remember the crop."""
        if has_moved or self.cut_px is None:
            self.cut_px, self.crops = quad_px, []
        crop = crop_of(grey, self.cut_px)
        share = novelty(crop, self.crops, alike)
        self.crops = [*self.crops, crop][-CROPS_KEPT:]
        return share


def sharpness(grey: Mask, quad_px: Array) -> float:
    """
    Return the energy of the gradients in the box round a card (4, 2), divided by the variance.

    Blur lowers it, light and contrast don't. ``grey``: (rows, columns) uint8. 0 where nothing of the card is in the
    picture, or nothing on it differs.

    >>> card = np.array([[8, 8], [40, 8], [40, 40], [8, 40]], np.float32)
    >>> print_ = np.zeros((48, 48), np.uint8)
    >>> print_[20:28, 20:28] = 200
    >>> bool(sharpness(print_, card) > 1.5 * sharpness(cv2.GaussianBlur(print_, (0, 0), 2), card))
    True
    """
    rows, columns = grey.shape
    left, top = np.floor(quad_px.min(axis=0)).astype(int)
    right, bottom = np.ceil(quad_px.max(axis=0)).astype(int)
    part = grey[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    if min(part.shape) < LEAST_BOX_PX:
        return 0.0
    across, down = cv2.Sobel(part, cv2.CV_32F, 1, 0), cv2.Sobel(part, cv2.CV_32F, 0, 1)
    variance = float(part.var())
    return 0.0 if variance < 1.0 else float((across**2 + down**2).mean()) / variance


@dataclass(frozen=True, slots=True, eq=False)
class NamePrior:
    """``in_pack``: (52,) bool, which faces may be reported. ``log_likelihoods``: (54,), before any reading."""

    in_pack: npt.NDArray[np.bool_]
    log_likelihoods: npt.NDArray[np.float64]

    @classmethod
    def of(cls, pack_size: int | None, stranger: float) -> NamePrior:
        """
        Return the prior for a pack of ``pack_size`` cards; None: all cards alike.

        ``stranger``: probability of a card from outside the pack, relative to one of it.

        >>> prior = NamePrior.of(36, 0.02)
        >>> [round(float(np.exp(prior.log_likelihoods[CLASS_NAMES.index(card)])), 3) for card in ("3d", "6d")]
        [0.02, 1.0]
        """
        members = set(FACES if pack_size is None else pack(pack_size))
        in_pack = np.array([card in members for card in FACES])
        log_likelihoods = np.zeros(len(CLASS_NAMES))
        log_likelihoods[:FACE_COUNT][~in_pack] = np.log(stranger)
        return cls(in_pack, log_likelihoods)

    def reading(self, shares: npt.NDArray[np.float64]) -> tuple[Card, float, tuple[tuple[Card, float], ...]]:
        """
        Return the most probable face of the pack, its share among all faces, and the alternatives with theirs.

        ``shares``: (54,) probability of each name.

        >>> shares = np.zeros(len(CLASS_NAMES))
        >>> shares[[CLASS_NAMES.index(card) for card in ("5h", "6h", "9h")]] = 0.9, 0.06, 0.04
        >>> NamePrior.of(36, 0.02).reading(shares)
        (Card(6h), 0.06, ((Card(9h), 0.04),))
        """
        faces = shares[:FACE_COUNT] / max(float(shares[:FACE_COUNT].sum()), 1e-12)
        allowed = np.where(self.in_pack, faces, -1.0)
        best, *order = (int(k) for k in np.argsort(allowed)[::-1][: 1 + MOST_ALTERNATIVES])
        others = tuple((FACES[k], round(float(faces[k]), 3)) for k in order if allowed[k] >= LEAST_ALTERNATIVE)
        return FACES[best], float(faces[best]), others

    def stranger_share(self, shares: npt.NDArray[np.float64]) -> float:
        """
        Return the share, 0..1, of the faces from outside the pack among all faces. ``shares``: (54,).

        >>> shares = np.zeros(len(CLASS_NAMES))
        >>> shares[[CLASS_NAMES.index(card) for card in ("5h", "6h")]] = 0.75, 0.25
        >>> NamePrior.of(36, 0.02).stranger_share(shares), NamePrior.of(52, 0.02).stranger_share(shares)
        (0.75, 0.0)
        """
        faces = shares[:FACE_COUNT]
        return float(faces[~self.in_pack].sum()) / max(float(faces.sum()), 1e-12)


ANY_CARD = NamePrior.of(None, 1.0)
"""The prior where the pack is not known."""
