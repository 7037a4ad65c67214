"""
One card on the table, as long as it lies there, the readings of its name, and thresholds that several steps share.

Three facts decide how much a reading of a card counts, and which names the card may have:

* **Novelty.** A classifier shown the same pixels repeats its error, so a repeated crop counts for nothing. Noise, light
  and cover count by how much they change the crop.
* **Sharpness.** A webcam hunts for its focus after a hand has been in the picture, and its compression draws what has
  just moved in coarse blocks. For up to a second small cards are read as their look-alikes.
* **The pack.** A card from outside the pack may lie there by mistake, but a "five" in a game from six on is more often
  a misread card. Such a name needs ``PATIENCE`` inferences. Until then its probability is not given to the cards of
  the pack either, which would turn a real card from outside it into its neighbour.

Shares are from 0 to 1, of an area or of all probability; distances are in card diagonals. All values were chosen by
hand on development clips, 2026-11, where no other source is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card, pack
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, FACES, NOTHING_INDEX
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import Array, Mask, fill
from vision.motion.arm_regions import Flags
from vision.motion.motion_report import MotionReport
from vision.table.observation import LyingCard

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
    def of(cls, pack_size: int | None, outside: float) -> NamePrior:
        """
        Return the prior for a pack of ``pack_size`` cards; None: all cards alike.

        ``outside``: probability of a card from outside the pack, relative to one of it.

        >>> prior = NamePrior.of(36, 0.02)
        >>> [round(float(np.exp(prior.log_likelihoods[CLASS_NAMES.index(card)])), 3) for card in ("3d", "6d")]
        [0.02, 1.0]
        """
        members = set(FACES if pack_size is None else pack(pack_size))
        in_pack = np.array([card in members for card in FACES])
        log_likelihoods = np.zeros(len(CLASS_NAMES))
        log_likelihoods[:FACE_COUNT][~in_pack] = np.log(outside)
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

    def outside_pack_share(self, shares: npt.NDArray[np.float64]) -> float:
        """
        Return the share, 0..1, of the faces from outside the pack among all faces. ``shares``: (54,).

        >>> shares = np.zeros(len(CLASS_NAMES))
        >>> shares[[CLASS_NAMES.index(card) for card in ("5h", "6h")]] = 0.75, 0.25
        >>> NamePrior.of(36, 0.02).outside_pack_share(shares), NamePrior.of(52, 0.02).outside_pack_share(shares)
        (0.75, 0.0)
        """
        faces = shares[:FACE_COUNT]
        return float(faces[~self.in_pack].sum()) / max(float(faces.sum()), 1e-12)


ANY_CARD = NamePrior.of(None, 1.0)
"""The prior where the pack is not known."""


UNDER_TALON = 0.1
"""Least share of the turn-up's area that lies under the talon."""
NO_CARD = 0.5
"""A detection that is "none" with a higher probability is no card."""
AT_REST = 0.02
"""Two inferences that find a card within this distance show it at rest."""
VISIBLE_SHARE = 0.25
"""If less of a card is in view, not finding it says nothing."""
FULL_VIEW = 0.6
"""If more of a card is in view, it lies open: another reading there, or a change never explained, is no such card."""
STIRRED_SHARE = 0.05
"""A card whose place changed by less was not touched: a shadow's rim or a neighbour's edge."""
UNMISTAKABLE = 0.9
"""Probability from which a name counts as read clearly: a card read so can't become unreadable by being touched."""
READABLE = 0.42
"""A detection read with less probability, on a card found again with more, is a second detection of that card."""
NAMELESS = 0.25
"""A card none of whose names is more probable has no name."""
CLEAR_CONFIDENCE, CLEAR_READ = 0.75, 0.95
"""Confidence of the finder and probability of the name from which a card is found beyond doubt."""
BLURRED = 0.8
"""A card is blurred if it is less sharp than this share of its sharpest inference."""
LIES_ON = LIES_ACROSS
"""Least overlap with a card that a new card lies on."""


# Thresholds of matching, and of how much a track is trusted.
TRACK_LEAST_CONFIDENCE = 0.35
"""Weaker detections begin no track."""
CERTAIN_NAME = 0.7
"""A detection read with this probability is a card and no arm."""
ARM_COVER = 0.08
"""A detection of which arms hide more is in a hand, or can't be read now."""
SAME_PLACE = 0.3
"""Centres this close may be the same card, at rest or knocked."""
MOST_WEIGHT = 4.0
"""Older readings fade beyond this sum of weights, so that a wrong name can still be corrected."""
OUTSIDE_PACK_PRIOR = 0.03
"""Prior of a card from outside the pack, relative to one of it."""
PATIENCE = 4
"""Inferences after which an uncertain card is reported with its alternatives, one from outside the pack by name."""
OUTSIDE_PACK_SHARE = 0.5
"""Probability of all cards from outside the pack from which the card is one of them."""
FRESH_SHARE = 0.35
"""Share of a new card's place that must have changed."""
INFERENCES_TO_GO = 2
"""Inferences in a row that must miss a card before its track ends."""
STILL_INFERENCES = 2
"""Inferences in a row that must find a card at one place before it is at rest."""


NAMED, GUESS_COUNT = 0.5, 8
"""
Least probability of a card's name; and number of inferences after which a card that the finder found with that
confidence is named by less, down to ``NAMELESS``.
"""
ONE_MORE_INFERENCE = 0.8
"""A card read with less is inferred again before it is reported, ``PATIENCE`` times at most."""
LABEL_NATS = 30.0
"""Nats by which a person's label outweighs every reading; readings add up to less (``MOST_WEIGHT``)."""
SHARPER = 1.1
"""Sharpness relative to the sharpest inference before from which an inference counts as a first one."""
BLUR_POWER = 2.0
"""A reading counts with this power of its sharpness relative to the sharpest."""


class CardState(Enum):
    """
    What is known of a card that a track follows. ``vision.table.card_states.next_state`` has the conditions.

        from       when                                                                   to
        CLAIMED    found again at rest, and a change of the picture explains it           ON_TABLE
        CLAIMED    found free of arms once, and another card was laid over it since       ON_TABLE
        CLAIMED    found again at rest, and nothing explains it                           GONE
        CLAIMED    everything that lies there is taken as known: the session begins       ON_TABLE
        EXPECTED   found again at rest: no change of the picture has to explain it        ON_TABLE
        ON_TABLE   a back, and a hand that rests in the picture holds it                  HELD
        HELD       no hand holds it any more                                              ON_TABLE
        ON_TABLE   the turn-up, and another detection reads it in a hand                  DRAWN
        any        missed for long enough (``Misses``)                                    GONE

    A card that was read beyond doubt under an arm that has gone, or that was found for a second, begins on the table.
    """

    CLAIMED = "detected, and not explained yet: not reported"
    EXPECTED = "the announced turn-up, not found at first, or the talon on it: not reported"
    ON_TABLE = "at rest and explained: reported"
    HELD = "in a hand that rests in the picture: not reported"
    DRAWN = "the turn-up, which was read in a hand: whatever shows at its place is another card"
    GONE = "not there any more, or never explained: its track ends"


UNREPORTED = frozenset({CardState.CLAIMED, CardState.EXPECTED})
"""States of a track that is no card of the table yet."""


@dataclass(frozen=True, slots=True)
class Misses:
    """
    The inferences in a row that should have found a card and did not.

    ``count``: how many. ``since_at``: the first of them, in seconds. ``log_odds``: what they add to the log-odds that
    it lies there, at most 0.
    """

    count: int = 0
    since_at: float = 0.0
    log_odds: float = 0.0

    def __bool__(self) -> bool:
        return self.count > 0


NOT_MISSED = Misses()


@dataclass(slots=True, eq=False)
class Track:
    """
    One card on the table. The filter alone changes it.

    Place: ``corners_px`` (4, 2). Times in seconds: ``first_at`` and ``seen_at``, first and last found; ``empty_at``,
    last known not to lie there; ``laid_at``, came to lie where it lies.

    Name: ``evidence`` (54,) summed log-probabilities, ``weight`` of all readings; ``prior``, the names it may have;
    ``known_as``, the label of a person; ``surest``, probability of the name in the best single reading.

    Counts of inferences: ``inferences`` that found it; ``open_inferences``, with no arm over it; ``still``, in a row at
    the same place.

    ``changed_since_found``: (rows, columns), what has changed of its place since it was last found, None if nothing.
    ``sharpest``: best sharpness; ``is_blurred``: the newest inference was less sharp, or is to be followed by sharper
    ones. ``seen``: its crops. ``least_arm``: least share of it, 0..1, that the segmentation showed as an arm in an
    inference that found it, not measured any more once it is small enough for a card that no hand holds; None if it was
    never measured. ``odds``: log-odds that it lies there, as of when it was last found and by what hands have done
    since; ``misses`` add to them.

    ``lying``: the card as it lay in the newest observation, None if it did not.
    """

    key: int
    corners_px: Array
    first_at: float
    empty_at: float
    laid_at: float = 0.0
    seen_at: float = 0.0
    evidence: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(CLASS_NAMES)))
    weight: float = 0.0
    inferences: int = 0
    still: int = 0
    misses: Misses = NOT_MISSED
    confidence: float = 0.0
    changed_since_found: Flags | None = None
    state: CardState = CardState.CLAIMED
    surest: float = 0.0
    sharpest: float = 0.0
    seen: SeenCrops = field(default_factory=SeenCrops)
    is_blurred: bool = False
    prior: NamePrior = ANY_CARD
    known_as: Card | None = None
    open_inferences: int = 0
    least_arm: float | None = None
    free_at: float | None = None
    odds: float = 0.0
    lying: LyingCard | None = None

    @property
    def is_confirmed(self) -> bool:
        """Check whether it is a card of the table: it accounts for the change at its place."""
        return self.state not in UNREPORTED

    @property
    def is_drawn(self) -> bool:
        """Check whether it was the turn-up, which a hand has taken."""
        return self.state is CardState.DRAWN

    def confirm(self, odds: float) -> None:
        """Make it a card of the table with these log-odds, if it is none yet."""
        if not self.is_confirmed:
            self.state = CardState.ON_TABLE
        self.odds = odds

    @property
    def probability(self) -> float:
        """Return the probability that it lies there."""
        return 1 / (1 + float(np.exp(-(self.odds + self.misses.log_odds))))

    @property
    def best(self) -> int:
        """Return the index into ``CLASS_NAMES`` of the most probable name."""
        return int(np.argmax(self.evidence))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Return the probability of each name, (54,)."""
        return _shares(self.evidence)

    @property
    def single_reading(self) -> float:
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
    def is_outside_pack(self) -> bool:
        """Check whether it was read, surely enough, as a card from outside the pack."""
        return self.inferences >= PATIENCE and self.prior.outside_pack_share(self.shares) >= OUTSIDE_PACK_SHARE

    @property
    def has_name(self) -> bool:
        """Check whether it is read well enough to be a card, or found often enough."""
        share = self.reading()[1]
        return share >= NAMED or (share >= NAMELESS and self.inferences >= GUESS_COUNT and self.confidence >= NAMED)

    @property
    def is_unread(self) -> bool:
        """Check whether a card lies there that has no name after ``PATIENCE`` inferences."""
        is_face = self.is_confirmed and not self.is_back and not self.is_nothing
        return is_face and self.inferences >= PATIENCE and not self.has_name

    @property
    def is_unsure(self) -> bool:
        """Check whether a face is read too poorly to be reported before a further inference."""
        is_poor = self.inferences < PATIENCE and self.reading()[1] < ONE_MORE_INFERENCE
        return is_poor and not (self.is_back or self.is_nothing)

    def reading(self) -> tuple[Card, float, tuple[tuple[Card, float], ...]]:
        """
        Return the most probable face of the pack, its share among all faces, and the alternatives.

        A card from outside the pack is reported as it was read, without the prior: the referee weighs how rarely one
        is laid.
        """
        if not self.is_outside_pack:
            return self.prior.reading(self.shares)
        return ANY_CARD.reading(_shares(self.evidence - self.prior.log_likelihoods))

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


def _shares(evidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the probability of each name. ``evidence``: (54,) summed log-probabilities."""
    raised = np.exp(evidence - evidence.max())
    total: npt.NDArray[np.float64] = raised / raised.sum()
    return total


@dataclass(frozen=True, slots=True)
class TrackUpdate:
    """What one inference did to the tracks: those begun, those ended, and whether anything is still uncertain."""

    begun: tuple[Track, ...]
    gone: tuple[Track, ...]
    doubtful: bool


@dataclass(frozen=True, slots=True, eq=False)
class FrameFacts:
    """
    A frame on which inference runs.

    ``at``: seconds. ``arms``: (rows, columns) of the reduced picture, what arms and their shadows hide. ``scale``:
    full-size pixels for one of the reduced picture. ``restless``: (rows, columns), what differs from the table as it
    was and is not at rest yet.
    """

    at: float
    arms: Flags
    scale: float
    restless: Flags

    @classmethod
    def of(cls, motion: MotionReport) -> FrameFacts:
        """Return the facts of the frame of a motion report."""
        return cls(motion.at, motion.hidden, motion.scale, motion.restless)

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns of the reduced picture."""
        return self.arms.shape[0], self.arms.shape[1]

    def filled(self, quad_px: Array) -> Mask:
        """Return the reduced picture, 255 within a card (4, 2), 0 elsewhere."""
        return fill(self.shape, quad_px, 1 / self.scale)

    def place(self, quad_px: Array) -> Flags:
        """Return which pixels of the reduced picture a card (4, 2) covers."""
        return self.filled(quad_px) > 0
