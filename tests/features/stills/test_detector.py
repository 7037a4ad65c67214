"""Study of a still picture: hidden cards are found beside others, and no card is invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from features.stills.chain_search import ChainSearchSettings
from features.stills.detector import ReadOnce, StillDetector
from features.stills.study import PrintSettings, Refine, SearchAround, Study
from vision.detection.card_detector import PassedOver, load_card_detector
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.finder import Proposals
from vision.detection.occluded_reading import Read
from vision.detection.overlap_network import UNDER, Overlaps
from vision.geometry.amodal_completion import CompletionSettings
from vision.geometry.quads import iou

SEVEN, TWENTY, THIRTY = 7, 20, 30
RECORDING = Path(__file__).parents[3] / "webapp" / "recordings" / "demo.mp4"
PICTURE = (640, 480)


def card_at(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32)


def reading(index: int, share: float) -> np.ndarray:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


ATTACK, DEFENCE, LOWEST = card_at(100, 100), card_at(120, 130), card_at(80, 70)
NONE = Proposals(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))
NOTHING = PassedOver(NONE, NONE)


def study_of(read: Read, search_around: SearchAround, refine_once: Refine | None = None) -> Study:
    """Return a study in which corners stay as they are and edges are no evidence."""
    same = lambda quads: quads  # noqa: E731
    settings = ChainSearchSettings(), PrintSettings(), CompletionSettings()
    unreported = (lambda one, other: 0.5), (lambda one, other, beside: 0.0)
    return Study(same, refine_once or same, same, read, search_around, *unreported, *settings, PICTURE)


class Table:
    """Three overlapping cards; the reading of one depends on its outline and on which occluders are painted out."""

    cards = ((LOWEST, THIRTY), (ATTACK, SEVEN), (DEFENCE, TWENTY))

    def __init__(self, hinted: float = 0.95, face: float = 0.9) -> None:
        self.hinted, self.face = hinted, face

    def read(self, cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        answers = []
        for card, above in zip(cards, occluders, strict=True):
            shares = [iou(card, own) for own, _ in self.cards]
            which = int(np.argmax(shares))
            higher = [own for own, _ in self.cards[which + 1 : which + 2]]
            is_bare = all(any(np.allclose(lid, own, atol=1) for lid in above) for own in higher)
            answers.append(reading(self.cards[which][1], self.face if shares[which] > 0.9 and is_bare else 0.4))
        return np.array(answers)

    def search_around(self, cards: np.ndarray) -> Overlaps:
        share = np.zeros((len(cards), 2), np.float32)
        places = np.tile(cards[:, None], (1, 2, 1, 1))
        for row, card in enumerate(cards):
            which = int(np.argmax([iou(card, own) for own, _ in self.cards]))
            if which:
                share[row, UNDER] = self.hinted
                places[row, UNDER] = self.cards[which - 1][0] + np.float32(0.5)
        return Overlaps(share, places)

    def study(self) -> Study:
        return study_of(self.read, self.search_around)


def seen(*cards: tuple[np.ndarray, int, float]) -> Detections:
    return Detections(
        np.stack([quad for quad, _, _ in cards]),
        np.full(len(cards), 0.9, np.float32),
        np.array([reading(index, share) for _, index, share in cards]),
    )


def test_cards_are_found_beneath_a_card_one_after_another() -> None:
    studied = Table().study().study(seen((DEFENCE, TWENTY, 0.99)), NOTHING)
    assert studied.seen.best.tolist() == [TWENTY, SEVEN, THIRTY]
    assert studied.order.upper[0, 1] == 1
    assert studied.order.upper[1, 2] == 1
    assert studied.order.covered[1] == pytest.approx(40 * 54 / (60 * 84), abs=0.05)


@pytest.mark.parametrize(("hinted", "face"), [(0.2, 0.9), (0.95, 0.5)])
def test_improbable_or_unreadable_hidden_card_is_not_reported(hinted: float, face: float) -> None:
    studied = Table(hinted, face).study().study(seen((DEFENCE, TWENTY, 0.99)), NOTHING)
    assert studied.seen.best.tolist() == [TWENTY]


def test_bad_outline_is_replaced_if_the_new_one_reads_surer() -> None:
    badly = ATTACK + np.float32([8, 6])
    studied = Table().study().study(seen((badly, THIRTY, 0.45), (DEFENCE, TWENTY, 0.99)), NOTHING)
    assert studied.seen.best.tolist()[:2] == [SEVEN, TWENTY]
    assert iou(studied.seen.corners_px[0], ATTACK) > 0.95


def test_outline_that_reads_surely_stays() -> None:
    nearly = ATTACK + np.float32([4, 3])
    studied = Table().study().study(seen((nearly, SEVEN, 0.97), (DEFENCE, TWENTY, 0.99)), NOTHING)
    assert np.array_equal(studied.seen.corners_px[0], nearly)


def test_face_already_detected_is_not_found_beneath() -> None:
    elsewhere = card_at(400, 100)
    studied = Table().study().study(seen((DEFENCE, TWENTY, 0.99), (elsewhere, SEVEN, 0.99)), NOTHING)
    assert studied.seen.best.tolist().count(SEVEN) == 1


@pytest.mark.parametrize("as_faint", [False, True])
def test_dropped_proposal_is_reconsidered_as_card_beneath(as_faint: bool) -> None:
    near = card_at(128, 142)
    table = Table(hinted=0.0)
    table.cards = ((near, SEVEN), (DEFENCE, TWENTY))
    proposals = Proposals(np.stack([DEFENCE, near]), np.array([0.9, 0.2], np.float32))
    passed = PassedOver(NONE, proposals) if as_faint else PassedOver(proposals, NONE)
    studied = table.study().study(seen((DEFENCE, TWENTY, 0.99)), passed)
    assert studied.seen.best.tolist() == [TWENTY, SEVEN]


def test_empty_picture_has_no_cards() -> None:
    none = Detections(
        np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), np.zeros((0, len(CLASS_NAMES)), np.float32)
    )
    assert len(Table().study().study(none, NOTHING).seen) == 0


def echo_study(left_share: float) -> Study:
    """
    Return a study of two outlines over one card; with one of them painted out the other reads as a face with this
    share.
    """

    def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        return np.array([reading(TWENTY, left_share if above else 0.8) for above in occluders])

    def nothing_round(cards: np.ndarray) -> Overlaps:
        return Overlaps(np.zeros((len(cards), 2), np.float32), np.tile(cards[:, None], (1, 2, 1, 1)))

    return study_of(read, nothing_round)


@pytest.mark.parametrize(("left_share", "seen"), [(0.2, [SEVEN]), (0.9, [SEVEN, TWENTY])])
def test_card_detected_twice_is_reported_once(left_share: float, seen: list[int]) -> None:
    corners = np.stack([card_at(100, 100), card_at(122, 115)])
    rows = np.array([reading(SEVEN, 0.99), reading(TWENTY, 0.85)])
    studied = echo_study(left_share).study(Detections(corners, np.array([0.9, 0.5], np.float32), rows), NOTHING)
    assert studied.seen.best.tolist() == seen
    assert len(studied.order.covered) == len(seen)


COLUMN = [card_at(200, 100 + 24 * k) for k in range(5)]
"""Five cards of a column, each on the one before; their classes are their places."""


def column_study(sure: float) -> Study:
    """
    Return a study in which covered cards read surely only at their own place and with their occluders painted out.
    """

    def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        answers = []
        for card, above in zip(cards, occluders, strict=True):
            shares = [iou(card, own) for own in COLUMN]
            which = int(np.argmax(shares))
            upper = COLUMN[which + 1 : which + 2]
            is_bare = all(any(iou(lid, own) > 0.9 for lid in above) for own in upper)
            answers.append(reading(which, sure if shares[which] > 0.9 and is_bare else 0.3))
        return np.array(answers)

    def search_around(cards: np.ndarray) -> Overlaps:
        share = np.zeros((len(cards), 2), np.float32)
        places = np.tile(cards[:, None], (1, 2, 1, 1))
        for row, card in enumerate(cards):
            below = [other for other in cards if other[0, 1] < card[0, 1]]
            if below:
                share[row, UNDER], places[row, UNDER] = 0.95, below[-1]
        return Overlaps(share, places)

    return study_of(read, search_around)


@pytest.mark.parametrize(("sure", "names"), [(0.95, [0, 1, 2, 3, 4]), (0.6, [0, 1, 3, 4])])
def test_missing_card_of_a_column_is_found_at_its_place(sure: float, names: list[int]) -> None:
    found = seen(*((COLUMN[k], k, 0.99) for k in (0, 1, 3, 4)))
    studied = column_study(sure).study(found, NOTHING)
    assert sorted(studied.seen.best.tolist()) == names
    if len(names) == 5:
        last = studied.seen.best.tolist().index(2)
        above, below = (studied.seen.best.tolist().index(name) for name in (3, 1))
        assert studied.order.upper[above, last] > 0.5
        assert iou(studied.seen.corners_px[last], COLUMN[2]) > 0.95
        assert not studied.order.upper[below, last] > 0.5


def test_unreadable_outline_does_not_prevent_finding_the_card_beneath() -> None:
    near = card_at(128, 142)
    table = Table(hinted=0.0)
    table.cards = ((near, SEVEN), (DEFENCE, TWENTY))
    double = Proposals(near[None], np.array([0.5], np.float32))
    unread = (near + np.float32([2, 1]), THIRTY, 0.3)
    studied = table.study().study(seen((DEFENCE, TWENTY, 0.99), unread), PassedOver(double, NONE))
    assert SEVEN in studied.seen.best.tolist()
    assert studied.seen.probabilities[studied.seen.best.tolist().index(SEVEN), SEVEN] > 0.8


def test_reading_is_cached_by_place_and_occluders() -> None:
    asked: list[int] = []

    def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        asked.extend(len(above) for above in occluders)
        return np.array([reading(SEVEN, 0.5 + 0.1 * len(above)) for above in occluders])

    once = ReadOnce(read)
    first = once(np.stack([ATTACK, ATTACK]), [[DEFENCE], []])
    again = once(np.stack([ATTACK, ATTACK]), [[], [DEFENCE]])
    assert np.array_equal(first, again[::-1])
    assert sorted(asked) == [0, 1]


def test_hint_to_a_surely_read_card_is_not_followed() -> None:
    table = Table()
    followed: list[int] = []

    def refine(quads: np.ndarray) -> np.ndarray:
        followed.append(len(quads))
        return quads

    study = replace(table.study(), refine=refine)
    study.study(seen((LOWEST, THIRTY, 0.99), (ATTACK, SEVEN, 0.99), (DEFENCE, TWENTY, 0.99)), NOTHING)
    assert followed == []


def test_part_of_a_surer_card_is_dropped() -> None:
    part = np.array([[122, 132], [178, 132], [178, 170], [122, 170]], np.float32)
    table = Table(hinted=0.0)
    detections = [(DEFENCE, TWENTY, 0.99), (part, THIRTY, 0.8)]
    assert table.study().study(seen(*detections), NOTHING).seen.best.tolist() == [TWENTY]


def test_print_on_a_certain_card_is_dropped_however_surely_it_is_read() -> None:
    part = np.array([[122, 134], [178, 134], [178, 172], [122, 172]], np.float32)
    both = seen((DEFENCE, TWENTY, 0.99), (part, THIRTY, 0.99))
    study = Table(hinted=0.0).study()
    assert study.study(both, NOTHING).seen.best.tolist() == [TWENTY]
    faint = replace(both, confidence=np.array([0.5, 0.9], np.float32))
    assert study.study(faint, NOTHING).seen.best.tolist() == [TWENTY, THIRTY]


class BadlyReported(Table):
    """
    The card beneath the defence, predicted surely and placed half a card off; the refiner finds it from near enough.
    """

    cards = ((card_at(128, 170), SEVEN), (DEFENCE, TWENTY))

    def search_around(self, cards: np.ndarray) -> Overlaps:
        around = super().search_around(cards)
        around.corners_px[:, UNDER] += np.float32([-10, -20])
        return around

    def refine_once(self, quads: np.ndarray) -> np.ndarray:
        truth = self.cards[0][0]
        return np.stack([truth if iou(quad, truth) > 0.5 else quad for quad in quads])


@pytest.mark.parametrize("face", [0.95, 0.8])
def test_hinted_card_is_found_near_its_wrong_place(face: float) -> None:
    table = BadlyReported(face=face)
    study = study_of(table.read, table.search_around, table.refine_once)
    studied = study.study(seen((DEFENCE, TWENTY, 0.99)), NOTHING)
    assert studied.seen.best.tolist() == ([TWENTY, SEVEN] if face > 0.9 else [TWENTY])
    if face > 0.9:
        assert studied.order.upper[0, 1] == 1
        assert iou(studied.seen.corners_px[1], table.cards[0][0]) > 0.9


def test_outline_cut_at_its_cover_is_completed_and_keeps_its_name() -> None:
    table = BadlyReported(hinted=0.0)
    under = table.cards[0][0]
    cut = under.copy()
    cut[:2, 1] = DEFENCE[2, 1]
    study = study_of(table.read, table.search_around, table.refine_once)
    others = [(card_at(320, 60), THIRTY, 0.99), (card_at(420, 60), 12, 0.99)]
    studied = study.study(seen((DEFENCE, TWENTY, 0.99), (cut, SEVEN, 0.85), *others), NOTHING)
    assert iou(cut, under) < 0.6
    assert iou(studied.seen.corners_px[1], under) > 0.9
    assert studied.seen.best.tolist() == [TWENTY, SEVEN, THIRTY, 12]


def test_a_picture_is_read_alike_whichever_was_read_before() -> None:
    film = cv2.VideoCapture(str(RECORDING))
    frames = []
    for moment_ms in (12_000, 12_400):
        film.set(cv2.CAP_PROP_POS_MSEC, moment_ms)
        frames.append(film.read()[1])
    networks = load_card_detector()
    StillDetector(networks).study(frames[0])
    after, alone = (StillDetector(detector).study(frames[1]).seen for detector in (networks, load_card_detector()))
    assert len(alone)
    np.testing.assert_array_equal(after.corners_px, alone.corners_px)
    np.testing.assert_array_equal(after.probabilities, alone.probabilities)


def test_a_card_between_two_of_a_row_is_read_beneath_the_upper_one_alone() -> None:
    upper, between, lower = card_at(124, 100), card_at(112, 100), card_at(100, 100)

    def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        def name(card: np.ndarray, above: list[np.ndarray]) -> np.ndarray:
            if iou(card, upper) > 0.9:
                return reading(SEVEN, 0.99)
            if iou(card, lower) > 0.9:
                return reading(THIRTY, 0.99)
            return reading(TWENTY, 0.95 if above and all(iou(lid, upper) > 0.9 for lid in above) else 0.4)

        return np.stack([name(*one) for one in zip(cards, occluders, strict=True)])

    def upper_lies_on_lower(cards: np.ndarray) -> Overlaps:
        share = np.zeros((len(cards), 2), np.float32)
        share[:, UNDER] = [0.95 * (iou(card, upper) > 0.9) for card in cards]
        return Overlaps(share, np.tile(lower, (len(cards), 2, 1, 1)))

    passed = PassedOver(Proposals(between[None], np.array([0.4], np.float32)), NONE)
    both = seen((upper, SEVEN, 0.99), (lower, THIRTY, 0.99))
    studied = study_of(read, upper_lies_on_lower).study(both, passed)
    assert sorted(studied.seen.best.tolist()) == [SEVEN, TWENTY, THIRTY]
    order = [int(np.flatnonzero(studied.seen.best == card)[0]) for card in (SEVEN, TWENTY, THIRTY)]
    above = studied.order.upper[np.ix_(order, order)]
    assert above[0, 1] > 0.5 > above[1, 0]
    assert above[1, 2] > 0.5 > above[2, 1]
