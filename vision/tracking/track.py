"""One card on the table, as long as it lies there: what all looks together say of it, and how far they are trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import Array
from vision.motion.patches import Flags
from vision.tracking.look_novelty import SeenCrops
from vision.tracking.name_prior import ANY_CARD, NamePrior

CERTAIN = 30.0
"""Nats by which a name that people have said is likelier than any other: beyond what looks add up to (``most_weight``).
Higher changes nothing; lower lets other names be told beside it."""


@dataclass(slots=True, eq=False)
class Track:
    """
    One card on the table, as long as it lies there.

    ``evidence``: (54,) summed log-probabilities. ``looks``: how often it was found. ``weight``: how much evidence.
    ``missed``: looks in a row that should have found it. ``empty_at``: last look
    before it was found. ``laid_at``: when it came to lie where it lies.
    ``still``: looks in a row that found it at the same place. ``stirred``: its place has changed since it was last
    found. ``pulled``: it was seen in a hand. ``said``: it is the turn-up that was said to lie there
    and was not made out at first, or the talon on it. ``surest``: how surely one look has read the name that all looks
    together give it. ``sharpest``: how sharp it looked at best; ``is_blurred``: the newest look was not the one that
    will show it best, by what is known. ``seen``: how it looked at each look. ``prior``: the names it may have.
    ``known_as``: people have said which card it is, and no look says otherwise. ``open_looks``: how often it was found
    with no arm over it.
    """

    key: int
    corners_px: Array
    first_at: float
    empty_at: float
    laid_at: float = 0.0
    seen_at: float = 0.0
    evidence: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(CLASS_NAMES)))
    weight: float = 0.0
    looks: int = 0
    still: int = 0
    missed: int = 0
    pulled: bool = False
    confidence: float = 0.0
    stirred: Flags | None = None
    gone_at: float | None = None
    confirmed: bool = False
    said: bool = False
    surest: float = 0.0
    sharpest: float = 0.0
    seen: SeenCrops = field(default_factory=SeenCrops)
    is_blurred: bool = False
    prior: NamePrior = ANY_CARD
    known_as: Card | None = None
    open_looks: int = 0

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """(54,) how likely each name is, all looks together."""
        raised = np.exp(self.evidence - self.evidence.max())
        total: npt.NDArray[np.float64] = raised / raised.sum()
        return total

    def fade(self, share: float) -> None:
        """What the looks so far have said counts only for so much of what it did, 0..1; the prior stays."""
        before = self.prior.log_likelihoods
        self.evidence = before + share * (self.evidence - self.evidence.max() - before)
        self.weight *= share

    def heed_people(self) -> None:
        """Whatever the looks say, it is the card that people say it is."""
        if self.known_as is not None:
            self.evidence = np.full(len(CLASS_NAMES), -CERTAIN)
            self.evidence[CLASS_NAMES.index(str(self.known_as))] = 0.0

    @property
    def one_look(self) -> float:
        """How sure a single look is of the likeliest face, by and large: many like looks at a cup make no card."""
        raised = np.exp((self.evidence - self.evidence.max()) / max(self.weight, 1.0))[:FACE_COUNT]
        return float(raised.max() / raised.sum())

    @property
    def is_back(self) -> bool:
        """Does it lie face down?"""
        return int(np.argmax(self.evidence)) == BACK_INDEX

    @property
    def is_nothing(self) -> bool:
        """Is it no card at all, as the classifier has it?"""
        return int(np.argmax(self.evidence)) == NOTHING_INDEX

    @property
    def stranger_share(self) -> float:
        """How likely it is a card that the pack lacks, 0..1."""
        return self.prior.stranger_share(self.shares)

    def reading(self) -> tuple[Card, float, tuple[tuple[Card, float], ...]]:
        """The likeliest face of the pack, its share among all faces, and the others worth naming (``NamePrior``)."""
        return self.prior.reading(self.shares)


@dataclass(frozen=True, slots=True)
class TrackChange:
    """What one look did: tracks begun, tracks found gone, and whether anything is still in doubt."""

    begun: tuple[Track, ...]
    gone: tuple[Track, ...]
    doubtful: bool


@dataclass(frozen=True, slots=True)
class PiledTracks:
    """
    What talon, turn-up and heap mean for the cards that are followed.

    ``turnup_key``, ``turnup``: the card that may be exchanged where it lies, so that nothing comes or goes. ``sought``:
    the turn-up that is said to lie somewhere and was not made out yet; it may be found where nothing changed. ``keys``:
    what lies on talon or heap; whatever it reads as, it is not found again elsewhere.
    """

    turnup_key: int | None = None
    turnup: Card | None = None
    sought: Card | None = None
    keys: frozenset[int] = frozenset()
