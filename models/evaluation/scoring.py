"""
Score the reading of a picture against its labels: pure functions, no networks, no files.

Two questions are kept apart. *Which cards lie on the picture?* compares the set of distinct faces read with the set
labelled (ranks with their number where suits aren't known): right, invented, missed. *What was read at this place?*
pairs each labelled card with the reading that lies there, and says why a missed card was missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from datasets.photos.labels import LabelledCard, LabelledPicture

SAME_PLACE = 0.3
"""Overlap (intersection over union of upright boxes) from which a reading lies where the label lies."""
NOT_FOUND, NOT_REPORTED = "not found", "found, not reported"
WRONG_RANK, WRONG_SUIT, WRONG_BOTH = "wrong rank", "wrong suit", "wrong rank and suit"
INVENTED = "nothing labelled there"


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """One card as read: its text, how sure, where. corners_px: (4, 2). reported: false if it was held back."""

    card: str
    confidence: float
    corners_px: np.ndarray
    reported: bool = True

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Return the upright box around the card."""
        (x0, y0), (x1, y1) = self.corners_px.min(axis=0), self.corners_px.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)


@dataclass(frozen=True, slots=True)
class CardScore:
    """
    One labelled card. read: what was read at its place (``None``: nothing lies there). named: was it reported at all?
    """

    label: LabelledCard
    read: str | None
    named: bool
    cause: str | None

    @property
    def rank_right(self) -> bool:
        """Check whether the rank was read at the card's place."""
        return self.read is not None and self.read[0] == self.label.card[0]

    @property
    def suit_right(self) -> bool:
        """Check whether the suit was read at the card's place, if the label knows it."""
        return self.read is not None and self.read[1] == self.label.card[1]


Pair = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class PairScore:
    """Attacks with the card that beats them (or none). exact: all of them reported, and no others."""

    right: int
    labelled: int
    exact: bool


def score_pairs(labelled: Sequence[Pair], reported: Sequence[Pair]) -> PairScore:
    """
    Compare the reported pairs with those that lie there.

    >>> score_pairs([("7s", "Ts"), ("9d", None)], [("7s", "Ts"), ("9d", "Kd")])
    PairScore(right=1, labelled=2, exact=False)
    """
    there, read = set(labelled), set(reported)
    return PairScore(len(there & read), len(there), there == read)


@dataclass(frozen=True, slots=True)
class PictureScore:
    """
    One picture: how many distinct cards were right, invented and missed, and what became of each.

    cards: the labelled cards. claims: (confidence, right) of each reading.
    """

    right: int
    invented: int
    missed: int
    cards: tuple[CardScore, ...]
    claims: tuple[tuple[float, bool], ...]
    stray: tuple[str, ...]
    """Reported names that are wrong and lie where nothing is labelled."""
    took_ms: float = 0.0
    pairs: PairScore | None = None
    """``None`` where pairs aren't labelled."""

    @property
    def exact(self) -> bool:
        """Check whether every card was named and none invented."""
        return self.invented == 0 and self.missed == 0

    @property
    def causes(self) -> tuple[str, ...]:
        """Return why cards were missed, and names that were reported where nothing is labelled."""
        return (*(card.cause for card in self.cards if card.cause), *(INVENTED for _ in self.stray))


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """
    Return the intersection over union of two upright boxes x0, y0, x1, y1.

    >>> overlap((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def holds(corners: np.ndarray, point: tuple[float, float], slack: float = 0.08) -> bool:
    """Check whether the quad, widened by ``slack`` of its size about its middle, contains the point."""
    middle = corners.mean(axis=0)
    wide = middle + (corners - middle) * (1 + slack)
    edges = np.roll(wide, -1, axis=0) - wide
    to_point = np.asarray(point) - wide
    turns = edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0]
    return bool((turns >= 0).all() or (turns <= 0).all())


def _fits(label: LabelledCard, reading: CardReading, by_index: bool) -> float:
    """Return how well a reading lies at a label's place; 0: not at all."""
    if not by_index:
        return max((overlap(reading.box, box) for box in label.boxes), default=0.0)
    size = float(np.linalg.norm(reading.corners_px[2] - reading.corners_px[0])) or 1.0
    fit = 0.0
    for x0, y0, x1, y1 in label.boxes:
        point = ((x0 + x1) / 2, (y0 + y1) / 2)
        if holds(reading.corners_px, point):
            # An index stands at a corner: of cards lying over one another the one with a corner there is meant.
            nearest = float(np.linalg.norm(reading.corners_px - point, axis=1).min())
            fit += max(0.05, 1 - nearest / size)
    return fit


def match(labels: Sequence[LabelledCard], readings: Sequence[CardReading], by_index: bool) -> list[int | None]:
    """Return for each label the index of the reading at its place, each reading used once, best fits first."""
    least = 1e-9 if by_index else SAME_PLACE
    fits = [
        (fit, i, j)
        for i, label in enumerate(labels)
        for j, reading in enumerate(readings)
        if (fit := _fits(label, reading, by_index)) >= least
    ]
    chosen: list[int | None] = [None] * len(labels)
    used: set[int] = set()
    for _, i, j in sorted(fits, key=lambda fit: -fit[0]):
        if chosen[i] is None and j not in used:
            chosen[i] = j
            used.add(j)
    return chosen


def _cause(label: LabelledCard, at_place: CardReading | None, held_back: CardReading | None) -> str:
    if at_place is None:
        return NOT_FOUND if held_back is None else NOT_REPORTED
    rank = at_place.card[0] == label.card[0]
    suit = label.card[1] in ("?", at_place.card[1])
    if rank and suit:
        return NOT_REPORTED
    if rank:
        return WRONG_SUIT
    return WRONG_RANK if suit else WRONG_BOTH


def names_of(picture: LabelledPicture, reported: Iterable[CardReading]) -> tuple[Counter[str], Counter[str]]:
    """
    Return the names that have to be read on a picture and the names reported: each face once, or each rank with its
    number where suits aren't labelled. Names of cards that lie there and were not asked for are left out.
    """
    if picture.kind == "card-boxes-rank-only":
        labelled, read = (card.card[0] for card in picture.faces), (reading.card[0] for reading in reported)
        return Counter(labelled), Counter(read)
    names = {reading.card for reading in reported} - picture.unasked
    return Counter({card.card for card in picture.faces}), Counter(names)


def score_picture(
    picture: LabelledPicture, readings: Iterable[CardReading], took_ms: float = 0.0, pairs: Sequence[Pair] = ()
) -> PictureScore:
    """
    Score what was read on one picture; readings that were not reported serve only to explain missed cards.

    Names of cards that lie there and were not asked for count neither way. ``pairs``: as reported.
    """
    labels, every = picture.faces, list(readings)
    reported = [reading for reading in every if reading.reported and reading.card not in picture.unasked]
    held_back = [reading for reading in every if not reading.reported]
    by_index = picture.kind == "index-boxes"
    rank_only = picture.kind == "card-boxes-rank-only"
    places = match(labels, reported, by_index)
    there, read = names_of(picture, reported)
    right = (there & read).total()
    hidden = match(labels, held_back, by_index)
    cards = []
    right_at_place: set[int] = set()
    for label, place, behind in zip(labels, places, hidden, strict=True):
        at_place = reported[place] if place is not None else None
        rank_here = at_place is not None and at_place.card[0] == label.card[0]
        named = rank_here if rank_only else label.card in read
        if named and place is not None:
            right_at_place.add(place)
        cause = None if named else _cause(label, at_place, held_back[behind] if behind is not None else None)
        cards.append(CardScore(label, at_place.card if at_place else None, named, cause))
    taken = {place for place in places if place is not None}
    is_right = [j in right_at_place if rank_only else reading.card in there for j, reading in enumerate(reported)]
    return PictureScore(
        right=right,
        invented=read.total() - right,
        missed=there.total() - right,
        cards=tuple(cards),
        claims=tuple((reading.confidence, is_right[j]) for j, reading in enumerate(reported)),
        stray=tuple(reading.card for j, reading in enumerate(reported) if j not in taken and not is_right[j]),
        took_ms=took_ms,
        pairs=None if picture.pairs is None else score_pairs(picture.pairs, pairs),
    )


def calibration_error(claims: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """
    Return the expected calibration error: how far confidence lies from the share that is right, over equal bins of
    confidence.

    >>> round(calibration_error([(0.9, True), (0.9, True), (0.9, False), (0.9, False)]), 6)
    0.4
    """
    if not claims:
        return 0.0
    confidence = np.array([claim[0] for claim in claims])
    right = np.array([claim[1] for claim in claims], float)
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    error = 0.0
    for b in range(bins):
        inside = place == b
        if inside.any():
            error += abs(confidence[inside].mean() - right[inside].mean()) * inside.mean()
    return float(error)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class SetScore:
    """What a set of pictures came to; ``None`` where there was nothing to measure."""

    pictures: int
    labelled: int
    right: int
    invented: int
    missed: int
    exact: float | None
    found: float | None
    """Labelled cards with a reading at their place."""
    rank: float | None
    """Of these, the rank right."""
    suit: float | None
    """Of these, the suit right; ``None`` where suits aren't labelled."""
    rank_of_all: float | None
    """Labelled cards whose rank was read right at their place."""
    calibration: float
    sure: float | None
    """Share of readings called sure."""
    wrong_sure: float | None
    """Share of the sure readings that are wrong."""
    median_ms: float
    p95_ms: float
    causes: tuple[tuple[str, int], ...]
    pairs: float | None = None
    """Labelled pairs reported right, open attacks among them."""
    tables: float | None = None
    """Pictures whose cards and pairs are all right."""
    with_invented: float | None = None
    """Pictures with a reported card that doesn't lie there."""

    @property
    def precision(self) -> float | None:
        """Return the share of the reported cards that lie there."""
        return _share(self.right, self.right + self.invented)

    @property
    def recall(self) -> float | None:
        """Return the share of the cards that lie there that were reported."""
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of precision and recall over distinct cards."""
        return _share(2 * self.right, 2 * self.right + self.invented + self.missed)


def score_set(scores: Sequence[PictureScore], sure_from: float) -> SetScore:
    """Bring the pictures of one set together; sets are never pooled."""
    cards = [card for score in scores for card in score.cards]
    placed = [card for card in cards if card.read is not None]
    suited = [card for card in placed if card.label.card[1] != "?"]
    claims = [claim for score in scores for claim in score.claims]
    sure = [claim for claim in claims if claim[0] >= sure_from]
    took = [score.took_ms for score in scores] or [0.0]
    paired = [(score, score.pairs) for score in scores if score.pairs is not None]
    return SetScore(
        pictures=len(scores),
        labelled=len(cards),
        right=sum(score.right for score in scores),
        invented=sum(score.invented for score in scores),
        missed=sum(score.missed for score in scores),
        exact=_share(sum(score.exact for score in scores), len(scores)),
        found=_share(len(placed), len(cards)),
        rank=_share(sum(card.rank_right for card in placed), len(placed)),
        suit=_share(sum(card.suit_right for card in suited), len(suited)),
        rank_of_all=_share(sum(card.rank_right for card in cards), len(cards)),
        calibration=calibration_error(claims),
        sure=_share(len(sure), len(claims)),
        wrong_sure=_share(sum(not right for _, right in sure), len(sure)),
        median_ms=float(np.median(took)),
        p95_ms=float(np.percentile(took, 95)),
        causes=tuple(Counter(cause for score in scores for cause in score.causes).most_common()),
        pairs=_share(sum(pairs.right for _, pairs in paired), sum(pairs.labelled for _, pairs in paired)),
        tables=_share(sum(score.exact and pairs.exact for score, pairs in paired), len(paired)),
        with_invented=_share(sum(score.invented > 0 for score in scores), len(scores)),
    )
