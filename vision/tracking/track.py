"""One card on the table, as long as it lies there: what all inferences together say of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import Array
from vision.motion.arm_regions import Flags
from vision.tracking.name_evidence import ANY_CARD, NamePrior, SeenCrops
from vision.tracking.track_settings import BLURRED, NAMELESS

LABEL_NATS = 30.0
"""Nats by which a person's label outweighs every reading; readings add up to less (``TrackSettings.most_weight``)."""
SHARPER = 1.1
"""An inference that shows a card so many times as sharp as any before counts as a first one."""
BLUR_POWER = 2.0
"""A reading counts with this power of its sharpness relative to the sharpest."""


@dataclass(slots=True, eq=False)
class Track:
    """
    One card on the table. The tracker alone changes it.

    Place: ``corners_px`` (4, 2). Times in seconds: ``first_at`` and ``seen_at``, first and last found; ``empty_at``,
    last known not to lie there; ``laid_at``, came to lie where it lies; ``gone_at``, first missed.

    Name: ``evidence`` (54,) summed log-probabilities, ``weight`` of all readings; ``prior``, the names it may have;
    ``known_as``, the label of a person; ``surest``, probability of the name in the best single reading.

    Counts of inferences: ``looks`` that found it; ``open_looks``, with no arm over it; ``still``, in a row at the same
    place; ``missed``, in a row that should have found it and did not.

    ``stirred``: (rows, columns), what has changed of its place since it was last found, None if nothing. ``confirmed``:
    it accounts for the change at its place. ``is_sought``: it is the announced turn-up, not found at first, or the
    talon on it. ``pulled``: it was seen in a hand. ``sharpest``: best sharpness; ``is_blurred``: the newest
    inference was less sharp, or is to be followed by sharper ones. ``seen``: its crops.
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
    is_sought: bool = False
    surest: float = 0.0
    sharpest: float = 0.0
    seen: SeenCrops = field(default_factory=SeenCrops)
    is_blurred: bool = False
    prior: NamePrior = ANY_CARD
    known_as: Card | None = None
    open_looks: int = 0

    @property
    def best(self) -> int:
        """Return the index into ``CLASS_NAMES`` of the most probable name."""
        return int(np.argmax(self.evidence))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Return the probability of each name, (54,)."""
        raised = np.exp(self.evidence - self.evidence.max())
        total: npt.NDArray[np.float64] = raised / raised.sum()
        return total

    @property
    def one_look(self) -> float:
        """
        Return the probability of the best face in an average single reading: many equal readings of a cup make no card.
        """
        raised = np.exp((self.evidence - self.evidence.max()) / max(self.weight, 1.0))[:FACE_COUNT]
        return float(raised.max() / raised.sum())

    @property
    def is_back(self) -> bool:
        """Check whether it lies face down."""
        return self.best == BACK_INDEX

    @property
    def is_nothing(self) -> bool:
        """Check whether it is classified as "none"."""
        return self.best == NOTHING_INDEX

    @property
    def is_nameless(self) -> bool:
        """Check whether no inference has been able to read it."""
        return float(self.shares.max()) < NAMELESS

    @property
    def stranger_share(self) -> float:
        """Return the probability, 0..1, that it is a card from outside the pack."""
        return self.prior.stranger_share(self.shares)

    def reading(self) -> tuple[Card, float, tuple[tuple[Card, float], ...]]:
        """Return the most probable face of the pack, its share among all faces, and the alternatives."""
        return self.prior.reading(self.shares)

    def add_reading(self, names: npt.NDArray[np.float64], weight: float, most_weight: float) -> None:
        """Add the probabilities of one inference, (54,), each above 0, with a weight of 0 to 1."""
        self.evidence += weight * np.log(names)
        self.evidence -= self.evidence.max()
        self.weight += weight
        if self.weight > most_weight:
            self.evidence *= most_weight / self.weight
            self.weight = most_weight
        self.apply_label()

    def apply_label(self) -> None:
        """Override the readings with the label of a person, if there is one."""
        if self.known_as is not None:
            self.evidence = np.full(len(CLASS_NAMES), -LABEL_NATS)
            self.evidence[CLASS_NAMES.index(str(self.known_as))] = 0.0

    def weigh_by_sharpness(self, sharp: float, weight: float, *, is_blurred: bool) -> float:
        """
        Return the weight of a reading with this sharpness, and remember the sharpness.

        A reading that is clearly the sharpest so far counts as a first one, and the earlier ones fade; a blurred one
        counts for less. ``is_blurred``: most cards are blurred in this inference.
        """
        best = self.sharpest
        self.sharpest = max(best, sharp)
        is_sharpest = bool(best) and sharp >= SHARPER * best
        self.is_blurred = is_sharpest or is_blurred or sharp < BLURRED * best
        if is_sharpest:
            self.fade((best / sharp) ** BLUR_POWER)
            return 1.0
        return weight * min(sharp / best, 1.0) ** BLUR_POWER if best else weight

    def fade(self, share: float) -> None:
        """Let the readings so far count for ``share``, 0..1, of what they did; the prior stays."""
        before = self.prior.log_likelihoods
        self.evidence = before + share * (self.evidence - self.evidence.max() - before)
        self.weight *= share


@dataclass(frozen=True, slots=True)
class TrackUpdate:
    """What one inference did to the tracks: those begun, those ended, and whether anything is still uncertain."""

    begun: tuple[Track, ...]
    gone: tuple[Track, ...]
    doubtful: bool


@dataclass(frozen=True, slots=True)
class PileHints:
    """
    What the piles mean for the tracks in the next inference.

    ``turnup_key``, ``turnup``: the turn-up, which may be exchanged where it lies, so that nothing comes or goes.
    ``sought``: the turn-up that was announced and not found yet; it may be found where nothing changed. ``keys``:
    tracks on talon or heap; whatever they read as, they are not re-identified elsewhere. ``replaced``: key of the old
    turn-up, in whose place another was found; its track ends. ``lower_first``: pairs of keys (lower, upper) whose order
    the tracker has wrong.
    """

    turnup_key: int | None = None
    turnup: Card | None = None
    sought: Card | None = None
    keys: frozenset[int] = frozenset()
    replaced: int | None = None
    lower_first: tuple[tuple[int, int], ...] = ()
