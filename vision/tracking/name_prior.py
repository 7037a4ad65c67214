"""
Which names a card of this game may have: how likely each is before any look, and what may be told after all of them.

A card from outside the pack, a stranger, may lie on the table by mistake, or may be another card misread. It is never
told by name: a five told in a game from six on was nearly always a misread card, and accused its player. Nor is its
likelihood given to the cards of the pack, which would turn a real stranger surely into its neighbour. It stays with "no
card of this pack": what is read clearly as a stranger has no name that is likely, and is told as unread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from referee.cards import Card, pack
from vision.detection.detections import CLASS_NAMES, FACE_COUNT, FACES

MOST_ALTERNATIVES = 4
"""
Names told beside the likeliest, at most. More tell what cannot be, fewer may leave out the true one. Set by hand,
2026-11.
"""
LEAST_ALTERNATIVE = 0.02
"""
Share from which a name is told beside the likeliest, 0..1. Higher leaves out true names, lower tells noise. Set by
hand, 2026-11.
"""


@dataclass(frozen=True, slots=True, eq=False)
class NamePrior:
    """``in_pack``: (52,) bool, which faces may be told. ``log_likelihoods``: (54,) of each name before any look."""

    in_pack: npt.NDArray[np.bool_]
    log_likelihoods: npt.NDArray[np.float64]

    @classmethod
    def of(cls, pack_size: int | None, stranger: float) -> NamePrior:
        """
        For a pack of ``pack_size`` cards; None: every card alike. ``stranger``: how likely a card is that the pack
        lacks, beside one that it has.

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
        The likeliest face of the pack, its share among all faces, strangers too, and the others worth naming.

        ``shares``: (54,) how likely each name is.

        >>> shares = np.zeros(len(CLASS_NAMES))
        >>> shares[[CLASS_NAMES.index(card) for card in ("5h", "6h", "9h")]] = 0.9, 0.06, 0.04
        >>> NamePrior.of(36, 0.02).reading(shares)
        (Card(6h), 0.06, ((Card(9h), 0.04),))
        """
        faces = shares[:FACE_COUNT] / max(float(shares[:FACE_COUNT].sum()), 1e-12)
        told = np.where(self.in_pack, faces, -1.0)
        best, *order = (int(k) for k in np.argsort(told)[::-1][: 1 + MOST_ALTERNATIVES])
        others = tuple((FACES[k], round(float(faces[k]), 3)) for k in order if told[k] >= LEAST_ALTERNATIVE)
        return FACES[best], float(faces[best]), others

    def stranger_share(self, shares: npt.NDArray[np.float64]) -> float:
        """
        The share of all faces that the pack lacks, among faces, 0..1; ``shares``: (54,).

        >>> shares = np.zeros(len(CLASS_NAMES))
        >>> shares[[CLASS_NAMES.index(card) for card in ("5h", "6h")]] = 0.75, 0.25
        >>> NamePrior.of(36, 0.02).stranger_share(shares), NamePrior.of(52, 0.02).stranger_share(shares)
        (0.75, 0.0)
        """
        faces = shares[:FACE_COUNT]
        return float(faces[~self.in_pack].sum()) / max(float(faces.sum()), 1e-12)


ANY_CARD = NamePrior.of(None, 1.0)
"""Where nobody said which pack is played with."""
