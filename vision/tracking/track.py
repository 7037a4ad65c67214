"""One card on the table, as long as it lies there: what all looks together say of it, and how far they are trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import Array
from vision.motion.background_subtraction import Flags
from vision.tracking.name_prior import ANY_CARD, NamePrior


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """Limits for matching and for trusting."""

    least_confidence: float = 0.35
    """Weaker detections are not used at all."""
    arm_cover: float = 0.08
    """A detection hidden by arms by more than this is in a hand, or not to be read now."""
    same_place: float = 0.3
    """Centres this close (in card diagonals) may be the same card lying still or knocked."""
    duplicate_iou: float = 0.7
    """Two detections that share this much, with one name, are one card."""
    name_floor: float = 0.003
    """No look may exclude a name more strongly than this: classifiers err."""
    stranger: float = 0.02
    """How likely a card from outside the pack is, beside one of it: read clearly, and again, it is no card of the pack
    and has no name (``name_prior``)."""
    later_weight: float = 0.2
    """Weight of a further look at a card that lies as it lay: its errors are those of the first."""
    stirred_weight: float = 0.5
    """The same after the picture has changed there: light and cover may be others, the angle is not."""
    most_weight: float = 4.0
    """Older looks fade beyond this weight, so that a name once wrong can still be put right."""
    strip_share: float = 0.1
    """A look at a card of which so much is in view counts for a tenth ..."""
    strip_slope: float = 0.4
    """... and at one of which so much more is in view for all: in a trial (its script is not kept here) one of 165 sure
    readings of half-covered invented cards was wrong, and seven of sixty of strips."""
    visible_share: float = 0.25
    """With less of a card in view, not finding it means nothing."""
    stirred_share: float = 0.05
    """A card whose place changed less than this was not touched: a shadow's rim, a neighbour's edge."""
    changed_share: float = 0.2
    """So much of a card's visible place must have changed before it can be gone."""
    fresh_share: float = 0.35
    """So much of a new card's own place must have changed: on a white cloth only its print and rim do."""
    pale_share: float = 0.04
    """The same where one is found and read beyond doubt: on a cloth of its own colour only its print changes."""
    pale_confidence: float = 0.75
    pale_sure: float = 0.95
    replaced_confidence: float = 0.65
    """The same in place of a pale card's, where it lies in the place of another that is not found again."""
    own_share: float = 0.15
    """A new card must have so much of its place to itself, beside other new ones."""
    unexplained_share: float = 0.35
    """A change as large as this much of a card, next to cards, is more than shadows and a card pushed aside."""
    looks_to_go: int = 2
    """Looks in a row that must miss a card before it is gone."""
    looks_after_pull: int = 6
    """The same for a turn-up seen in a hand: another will soon be put in its place."""
    lies_on: float = 0.12
    """A new card shares so much with one it lies across."""
    contradicted: float = 0.12
    """A claim that would leave less than this in view of a card that the same look has found again is none."""
    clear_share: float = 0.42
    """A claim read less surely than this, on top of a card found again more surely, is an echo of that card."""
    under_talon: float = 0.1
    """A turn-up that was not made out at first shares so much with the talon on it."""
    sure_share: float = 0.9
    """So surely is a card read that can't become unreadable by being touched."""
    pulled_share: float = 0.9
    """So surely read elsewhere, where no other card lies, a turn-up that isn't found at its place is in a hand."""
    nameless: float = 0.25
    """A card that has no name surer than this is one that nobody can read."""
    looks_to_know: int = 4
    """A card seen fewer times than this is asked about where it isn't found, though nothing touched it."""
    elsewhere_share: float = 0.5
    """So surely a look must name a card that it knows again at quite another place; less may be anything."""


@dataclass(slots=True, eq=False)
class Track:
    """
    One card on the table, as long as it lies there.

    ``evidence``: (54,) summed log-probabilities. ``looks``: how often it was found. ``weight``: how much evidence.
    ``missed``: looks in a row that should have found it. ``empty_at``: last look
    before it was found. ``laid_at``: when it came to lie where it lies.
    ``still``: looks in a row that found it at the same place. ``stirred``: its place has changed since it was last
    found. ``pulled``: it was seen in a hand. ``said``: it is the turn-up that was said to lie there
    and was not made out at first, or the talon on it. ``prior``: the names it may have.
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
    prior: NamePrior = ANY_CARD

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """(54,) how likely each name is, all looks together."""
        raised = np.exp(self.evidence - self.evidence.max())
        total: npt.NDArray[np.float64] = raised / raised.sum()
        return total

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
