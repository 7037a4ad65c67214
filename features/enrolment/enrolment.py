"""
Learn a deck from its cards shown once: frames in, an ``EnrolledDeck`` out.

Theory of operation. A *showing* is one card lying still at one place, detected in at least two inferences; a card laid
over it, or in its place, has different features and begins another showing. A second showing of one card is merged with
the first; cards in one picture are never the same card. Names are assigned last, for all showings together
(``name_assignment``): by the order that the user gave; by rows in order of rank; else such that no name is used twice.
Missing and doubtful cards are reported, so that they can be shown again; the cards learnt so far are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from features.enrolment.confusable_cards import look_alikes
from features.enrolment.deck_file import CardView, DeckFileError, EnrolledDeck
from features.enrolment.known_deck import KnownDeckClassifier, half_turned, unit_features
from features.enrolment.name_assignment import SURE_NAME, Naming, find_rows, name_showings, named_in_order
from referee.cards import Card, pack
from vision.capture.sources import Frame
from vision.detection.card_detector import CardDetector
from vision.detection.classifier import CardClassifier, rectify
from vision.detection.detections import BACK_INDEX, CLASS_NAMES
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import intersection_area, iou

logger = logging.getLogger(__name__)

LEAST_SHARE = 1e-4
"""Lower bound of a class share in one inference, so that one bad picture excludes no name. Set by hand, 2026-11."""
RIM_PX = 2
"""Pixels by which the corners of a whole card may lie outside the picture. Set by hand, 2026-11."""


class CropReader(Protocol):
    """A classifier that also returns its features (``vision.detection.classifier.CardClassifier``)."""

    def read_crops(self, crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Classify (n, 132, 96, 3) uint8 crops: (n, 54) shares and (n, d) features."""
        ...


# Which detections count as showings. Set by hand, 2026-11.
SHOWING_GAP_S = 0.25
"""Seconds between two inferences."""
SAME_PLACE_IOU = 0.6
"""Intersection over union of the outlines of one card that lies still."""
SAME_CARD_COSINE = 0.95
"""
Cosine of features from which two consecutive detections at one place are the same card: a hand may have laid
another.
"""
SEEN_BEFORE_COSINE = 0.97
"""
Cosine of the features from which a card that was removed and shown again is the same card, if the classifier gives both
the same name.
"""
SHOWING_LEAST_CONFIDENCE = 0.4
"""Finder confidence from which a card is learnt."""
MOST_BACK = 0.9
"""Class share of "back" up to which a card is learnt."""
HIDDEN_SHARE = LIES_ACROSS
"""Share of a card's area that a more confident detection may overlap; beyond it the card is not learnt."""
TOGETHER_S = 1.0
"""Seconds within which cards that lie side by side appeared as one row."""
MOST_MISFIT = 3.0
"""
Log-likelihood per card by which the given order may fall behind the classifier's best assignment; reversed rows
fall behind by four and more.
"""


SHOWING_LOOKS = 2
"""Inferences during which a card must lie still."""
SHOWING_VIEWS = 3
"""Pictures kept per card; under one lamp two more improve little (`docs/decks.md`)."""


@dataclass(slots=True, eq=False)
class Showing:
    """One card at one place. logs: (54,), summed over ``weight`` inferences. seen_in: numbers of the inferences."""

    corners_px: np.ndarray
    crops: list[np.ndarray]
    unit_features: list[np.ndarray]
    logs: np.ndarray
    began_s: float
    seen_in: list[int]
    place: int
    """
    Position of the card in the rows of its first picture: cards that appear together are ordered by row, then from left
    to right.
    """
    inferences: int = 1
    weight: int = 1

    @property
    def mean_logs(self) -> np.ndarray:
        """Return the classifier's mean log shares, (54,)."""
        mean: np.ndarray = self.logs / self.weight
        return mean

    def likeness(self, other: Showing) -> float:
        """Return the largest cosine between pictures of the two showings."""
        return float((np.stack(self.unit_features) @ np.stack(other.unit_features).T).max())


@dataclass(frozen=True, slots=True)
class Learnt:
    """
    The result so far. ``shown``: different cards seen. ``repeats``: further showings of the same cards. ``nameless``:
    showings that seem to be no card of the pack. ``turned``: the order was read from the opposite side of the table.
    """

    deck: EnrolledDeck
    namings: tuple[Naming, ...]
    shown: int
    repeats: int
    nameless: int
    turned: bool = False


@dataclass(frozen=True, slots=True)
class WantedDeck:
    """
    A deck to learn.

    ``known``: the deck of an earlier, unfinished enrolment; its doubtful cards are learnt again. ``order``: names of
    the showings in order, if the user gave them.
    """

    name: str
    pack_size: int
    known: EnrolledDeck | None = None
    order: tuple[Card, ...] = ()


class Enrolment:
    """Learns a deck frame by frame."""

    def __init__(
        self,
        detector: CardDetector,
        classifier: CropReader,
        wanted: WantedDeck,
    ) -> None:
        self._detector, self._reader, self._wanted = detector, classifier, wanted
        known = wanted.known
        self._known = tuple(view for view in known.views if not view.doubtful) if known is not None else ()
        self._known_features = self._features_of([view.crop for view in self._known])
        self.showings: list[Showing] = []
        self._rows: list[tuple[int, ...]] = []
        self._last_at: float | None = None
        self._last_image: np.ndarray | None = None
        self.inferences = 0

    def _features_of(self, crops: Sequence[np.ndarray]) -> np.ndarray:
        """Return the features of n crops, (2n, d): upright, then rotated by half a turn."""
        if not crops:
            return np.zeros((0, 1), np.float32)
        stacked = np.stack(crops)
        return unit_features(self._reader.read_crops(np.concatenate([stacked, half_turned(stacked)]))[1])

    def feed(self, frame: Frame) -> bool:
        """Process one frame; return whether inference ran on it."""
        if frame.lost is not None:
            return False
        if self._last_at is not None and not frame.cut and frame.at - self._last_at < SHOWING_GAP_S:
            return False
        self._last_at = frame.at
        if not frame.cut and self._last_image is not None and np.array_equal(self._last_image, frame.image_bgr):
            for showing in self.showings:  # an unchanged picture would give the same result
                showing.inferences += showing.seen_in[-1] == self.inferences
            return False
        self._last_image = frame.image_bgr
        if frame.cut:
            self.inferences += 1  # nothing continues from the picture before
        self.show(frame.image_bgr, frame.at)
        return True

    def show(self, image_bgr: np.ndarray, at_s: float = 0.0) -> None:
        """Run inference on one picture of the table and update the showings."""
        self.inferences += 1
        seen = self._detector.detect(image_bgr)
        usable = self._whole_cards(seen.corners_px, seen.confidence, seen.probabilities, image_bgr.shape[:2])
        logger.debug("inference %d at %.2f s: %d cards found, %d whole", self.inferences, at_s, len(seen), len(usable))
        if not usable:
            return
        corners = seen.corners_px[usable]
        crops = rectify(image_bgr, corners)
        shares, features = self._reader.read_crops(np.concatenate([crops, half_turned(crops)]))
        logs = np.log(np.maximum(shares.astype(np.float64), LEAST_SHARE))
        logs = (logs[: len(usable)] + logs[len(usable) :]) / 2
        unit = unit_features(features)
        rows = find_rows(corners)
        place = {k: number for number, k in enumerate(k for row in rows for k in row)}
        here: list[int] = []
        for k, quad in enumerate(corners):
            inferences = [unit[k], unit[len(usable) + k]]
            at = self._continued(quad, inferences[0])
            if at is None:
                self.showings.append(Showing(quad, [crops[k]], inferences, logs[k], at_s, [self.inferences], place[k]))
                here.append(len(self.showings) - 1)
                continue
            showing = self.showings[at]
            showing.corners_px = quad
            showing.seen_in.append(self.inferences)
            showing.inferences += 1
            showing.logs = showing.logs + logs[k]
            showing.weight += 1
            if len(showing.crops) < SHOWING_VIEWS:
                showing.crops.append(crops[k])
                showing.unit_features += inferences
            here.append(at)
        self._rows.extend(tuple(here[k] for k in row) for row in rows if len(row) > 1)

    def _whole_cards(
        self, corners: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray, size: tuple[int, int]
    ) -> list[int]:
        """Return the indices of the cards that can be learnt: face up, whole in the picture, not covered."""
        lowest, highest = corners.min(axis=1), corners.max(axis=1)
        inside = (lowest >= -RIM_PX).all(axis=1) & (highest <= np.array([size[1], size[0]]) + RIM_PX - 1).all(axis=1)
        usable = [
            i
            for i in range(len(corners))
            if inside[i] and confidence[i] >= SHOWING_LEAST_CONFIDENCE and probabilities[i, BACK_INDEX] < MOST_BACK
        ]
        return [i for i in usable if not self._is_hidden(i, usable, corners, confidence)]

    def _is_hidden(self, i: int, usable: Sequence[int], corners: np.ndarray, confidence: np.ndarray) -> bool:
        """Check whether a more confident detection may cover this card."""
        own = corners[i]
        size = float(np.linalg.norm(own[1] - own[0]) * np.linalg.norm(own[3] - own[0])) or 1.0
        return any(
            j != i and confidence[j] >= confidence[i] and intersection_area(own, corners[j]) > HIDDEN_SHARE * size
            for j in usable
        )

    def _continued(self, corners: np.ndarray, seen: np.ndarray) -> int | None:
        """
        Return the showing that this detection continues: same card, same place, previous inference; None if there is
        none.
        """
        for index in range(len(self.showings) - 1, -1, -1):
            showing = self.showings[index]
            if showing.seen_in[-1] != self.inferences - 1 or iou(showing.corners_px, corners) < SAME_PLACE_IOU:
                continue
            alike = float((np.stack(showing.unit_features) @ seen).max())
            return index if alike >= SAME_CARD_COSINE else None
        return None

    @property
    def still(self) -> int:
        """Return the number of showings that lay still long enough."""
        return sum(showing.inferences >= SHOWING_LOOKS for showing in self.showings)

    @property
    def shown(self) -> int:
        """Return the number of different cards that lay still long enough."""
        first = self._without_repeats(self.steady)
        return sum(first[i] == i for i in first)

    @property
    def steady(self) -> list[int]:
        """Return these showings in the order shown; cards laid out together by row, then from left to right."""
        still = [i for i, showing in enumerate(self.showings) if showing.inferences >= SHOWING_LOOKS]
        return [i for group in self._groups(still) for i in group]

    def _groups(self, showings: Sequence[int]) -> list[list[int]]:
        """
        Return the showings in order of time, those that appeared together as one group in the order of their rows.
        """
        groups: list[list[int]] = []
        for i in sorted(showings, key=lambda i: (self.showings[i].began_s, i)):
            new = self.showings[i]
            first = self.showings[groups[-1][0]] if groups else None
            if (
                first is not None
                and new.began_s - first.began_s < TOGETHER_S
                and all(set(new.seen_in) & set(self.showings[j].seen_in) for j in groups[-1])
            ):
                groups[-1].append(i)
            else:
                groups.append([i])
        return [self._as_read(group) for group in groups]

    def _as_read(self, group: list[int]) -> list[int]:
        if len({self.showings[i].began_s for i in group}) == 1:
            return sorted(group, key=lambda i: self.showings[i].place)
        rows = find_rows(np.stack([self.showings[i].corners_px for i in group]))
        return [group[k] for row in rows for k in row]

    def learnt(self) -> Learnt:
        """
        Assign names to all showings so far and build the deck; raise ``DeckFileError`` if the given order does not fit.
        """
        steady = self.steady
        first = self._without_repeats(steady)
        kept = [i for i in steady if first[i] == i]
        if self._wanted.order:
            namings, turned = self._by_order(steady, kept)
            if len(kept) != len(self._wanted.order):
                first, kept = {i: i for i in steady}, steady
        else:
            logs = np.stack([self.showings[i].mean_logs for i in kept]) if kept else np.zeros((0, len(CLASS_NAMES)))
            for view in self._known:
                logs[:, CLASS_NAMES.index(str(view.card))] = -np.inf
            namings = name_showings(logs, self._wanted.pack_size, self._rows_among(kept, first))
            turned = False
        views = [view for view in self._known if all(naming.card != view.card for naming in namings)]
        for naming in namings:
            doubtful = naming.sure < SURE_NAME
            showing = self.showings[kept[naming.showing]]
            views += [CardView(naming.card, crop, doubtful) for crop in showing.crops]
        order = {card: k for k, card in enumerate(pack(self._wanted.pack_size))}
        views.sort(key=lambda view: order[view.card])
        repeats = sum(first[i] != i for i in steady)
        deck = EnrolledDeck(self._wanted.name, self._wanted.pack_size, tuple(views))
        return Learnt(deck, namings, len(kept), repeats, len(kept) - len(namings), turned)

    def _by_order(self, steady: Sequence[int], kept: Sequence[int]) -> tuple[tuple[Naming, ...], bool]:
        """
        Assign the names of the given order; raise ``DeckFileError`` if the number of cards or the cards do not fit it.
        """
        count = len(self._wanted.order)
        chosen = kept if len(kept) == count else steady
        groups = self._groups(chosen)
        if len(chosen) != count:
            counts = ", ".join(str(len(group)) for group in groups)
            together = f" ({counts} at a time)" if 1 < len(groups) <= 12 and len(groups) < len(chosen) else ""
            raise DeckFileError(
                f"expected the {count} cards of --order, saw {len(kept)}{together}; lay the cards a finger apart, none "
                "cut by the picture's edge, and show them again"
            )
        position = {showing: k for k, showing in enumerate(chosen)}
        logs = np.stack([self.showings[i].mean_logs for i in chosen])
        names = named_in_order(logs, [[position[i] for i in group] for group in groups], self._wanted.order)
        if names.misfit > MOST_MISFIT:
            free = name_showings(logs, self._wanted.pack_size, ())
            read = " ".join(str(naming.card) for naming in free[:9])
            asked = " ".join(str(card) for card in self._wanted.order[:9])
            raise DeckFileError(
                f"expected the cards in the order of --order ({asked} ...), "
                f"saw what looks more like {read} ...; mend --order, or leave it away"
            )
        return names.namings, names.turned

    def _without_repeats(self, steady: Sequence[int]) -> dict[int, int]:
        """Map each showing to the first showing of the same card, or to -1 if the card was known before."""
        members = [CLASS_NAMES.index(str(card)) for card in pack(self._wanted.pack_size)]
        name = {i: members[int(self.showings[i].mean_logs[members].argmax())] for i in steady}
        known = np.array([CLASS_NAMES.index(str(view.card)) for view in self._known] * 2, np.intp)
        first: dict[int, int] = {}
        for i in steady:
            new = self.showings[i]
            if len(known):
                alike = (np.stack(new.unit_features) @ self._known_features.T).max(axis=0)
                if alike.max() >= SEEN_BEFORE_COSINE and not self._wanted.order:
                    first[i] = -1
                    continue
            near = [
                (new.likeness(self.showings[j]), j)
                for j in first
                if first[j] == j and name[j] == name[i] and not set(new.seen_in) & set(self.showings[j].seen_in)
            ]
            alike_most, which = max(near, default=(-1.0, -1))
            first[i] = which if alike_most >= SEEN_BEFORE_COSINE else i
        return first

    def _rows_among(self, kept: Sequence[int], first: dict[int, int]) -> tuple[tuple[int, ...], ...]:
        """Return the rows seen in any inference, as positions in ``kept``; the longest first, no showing twice."""
        place = {showing: k for k, showing in enumerate(kept)}
        rows: list[tuple[int, ...]] = []
        taken: set[int] = set()
        for row in sorted(set(self._rows), key=len, reverse=True):
            here = tuple(place[first[i]] for i in row if first.get(i, -1) in place)
            if len(here) == len(row) == len(set(here)) and not taken & set(here):
                rows.append(here)
                taken |= set(here)
        return tuple(rows)


COLUMNS = {24: 6, 36: 9, 52: 13}
"""Cards in a row of the sheet, by the pack's size: one suit each."""
LABEL_PX = 22
"""Pixels above each card for its name. Set by hand, 2026-11."""
PAPER, INK, DOUBT = (245, 245, 245), (30, 30, 30), (0, 0, 220)
"""BGR; doubtful names are written in DOUBT."""


def sheet(deck: EnrolledDeck) -> np.ndarray:
    """
    Return the sheet, (h, w, 3) uint8: one row per suit, low to high, each card under its name; missing cards stay
    empty.
    """
    cards = pack(deck.pack_size)
    columns = COLUMNS[deck.pack_size]
    first: dict[Card, np.ndarray] = {}
    for view in deck.views:
        first.setdefault(view.card, view.crop)
    height, width = next(iter(first.values())).shape[:2] if first else (132, 96)
    tall = height + LABEL_PX
    picture = np.full((len(cards) // columns * tall, columns * width, 3), PAPER, np.uint8)
    doubtful = set(deck.doubtful)
    for k, card in enumerate(cards):
        x, y = k % columns * width, k // columns * tall
        if card in first:
            picture[y + LABEL_PX : y + tall, x : x + width] = first[card]
        label = f"{card}?" if card in doubtful else str(card)
        ink = DOUBT if card in doubtful else INK
        cv2.putText(picture, label, (x + 6, y + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.55, ink, 1, cv2.LINE_AA)
    return picture


def keep_deck(deck: EnrolledDeck, path: Path, classifier: CardClassifier) -> EnrolledDeck:
    """Find the pairs of similar cards, then write file and sheet. ``DeckFileError`` if the file can't be written."""
    pairs = look_alikes(KnownDeckClassifier(classifier, deck))
    deck = replace(deck, look_alikes=pairs, weights=classifier.checksum)
    deck.save(path)
    write_sheet(deck, sheet_path(path))
    return deck


def sheet_path(path: Path) -> Path:
    return path.with_suffix(".png")


def write_sheet(deck: EnrolledDeck, path: Path) -> bool:
    """Write the sheet as PNG beside the deck; return False on a write error, which must not lose the deck itself."""
    done, data = cv2.imencode(".png", sheet(deck))
    assert done
    try:
        path.write_bytes(data.tobytes())
    except OSError:
        return False
    return True
