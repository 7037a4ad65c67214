"""Reading of still pictures: unique cards, pairs by z-order, and one sentence for an unreadable file."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from features.stills.reading import (
    PictureError,
    StillSettings,
    convincing,
    open_picture,
    read_file,
    read_still,
    with_pack_prior,
)
from referee.cards import pack
from vision.detection.detections import BACK, CLASS_NAMES, Detections
from vision.detection.z_order import probability_above, z_order

UPRIGHT = np.array([[100, 100], [190, 100], [190, 225], [100, 225]], np.float32)


def laid(*cards: tuple[np.ndarray, int]) -> np.ndarray:
    """Return a green table with plain cards, the first lowest; the card's grey is its number."""
    image = np.full((480, 640, 3), (60, 110, 60), np.uint8)
    for quad, level in cards:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (level, level, level), cv2.LINE_AA)
        cv2.polylines(image, [np.round(quad).astype(np.int32)], True, (90, 90, 90), 1, cv2.LINE_AA)
    return image


class Scripted:
    """A detector that returns given detections: (corners, name, share) each."""

    def __init__(self, *seen: tuple[np.ndarray, str, float]) -> None:
        self.seen = seen

    def detect(self, image_bgr: np.ndarray) -> Detections:
        probabilities = np.zeros((len(self.seen), len(CLASS_NAMES)), np.float32)
        for row, (_, name, share) in zip(probabilities, self.seen, strict=True):
            row[:] = (1 - share) / (len(CLASS_NAMES) - 1)
            row[CLASS_NAMES.index(name)] = share
        corners = np.array([quad for quad, _, _ in self.seen], np.float32).reshape(-1, 4, 2)
        return Detections(corners, np.full(len(self.seen), 0.9, np.float32), probabilities)


def turned(quad: np.ndarray, degrees: float, shift: tuple[float, float]) -> np.ndarray:
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    centre = quad.mean(axis=0)
    return ((quad - centre) @ matrix + centre + shift).astype(np.float32)


@pytest.mark.parametrize("degrees", [0, 20, 65, 90])
def test_card_with_visible_edges_is_on_top(degrees: float) -> None:
    over = turned(UPRIGHT, degrees, (30, 40))
    grey = cv2.cvtColor(laid((UPRIGHT, 250), (over, 240)), cv2.COLOR_BGR2GRAY).astype(np.float32)
    assert probability_above(grey, over, UPRIGHT) > 0.6
    assert probability_above(grey, UPRIGHT, over) < 0.4


def test_covered_share_is_an_area_share() -> None:
    over = UPRIGHT + np.array([45, 0], np.float32)
    found = z_order(laid((UPRIGHT, 250), (over, 235)), np.stack([UPRIGHT, over]))
    assert found.covered[0] == pytest.approx(0.5, abs=0.05)
    assert found.covered[1] == 0.0


def test_bout_is_read_as_pairs() -> None:
    over = turned(UPRIGHT, 15, (25, 40))
    alone = UPRIGHT + np.array([250, 0], np.float32)
    image = laid((UPRIGHT, 250), (over, 240), (alone, 250))
    detector = Scripted((over, "Ts", 0.99), (UPRIGHT, "7s", 0.98), (alone, "9d", 0.97))
    reading = read_still(detector, image)
    assert reading.named_pairs() == (("7s", "Ts"), ("9d", None))
    covered = {card.card: card.covered for card in reading.cards}
    assert covered["7s"] > 0.2
    assert covered["Ts"] == covered["9d"] == 0.0


def test_face_is_reported_once_and_unsure_readings_are_dropped() -> None:
    far = UPRIGHT + np.array([250, 100], np.float32)
    third = UPRIGHT + np.array([400, 200], np.float32)
    detector = Scripted((UPRIGHT, "7s", 0.8), (far, "7s", 0.95), (third, "Kd", 0.2))
    cards = read_still(detector, laid(), StillSettings(pack_size=52)).cards
    assert [(card.card, round(card.confidence, 2)) for card in cards] == [("7s", 0.95)]
    np.testing.assert_allclose(cards[0].corners_px, far)


def test_one_card_detected_as_two_that_overlap_is_reported_once() -> None:
    """A close card: an outline around each of its indices, which together are longer than a card."""
    other = UPRIGHT + np.array([0, 0.7 * np.ptp(UPRIGHT[:, 1])], np.float32)
    detector = Scripted((UPRIGHT, "7s", 0.9999), (other, "7s", 0.9998))
    reading = read_still(detector, laid(), StillSettings(pack_size=52))
    assert reading.named_pairs() == (("7s", None),)


def test_all_backs_are_reported_without_pairs() -> None:
    over = turned(UPRIGHT, 90, (0, 30))
    detector = Scripted((UPRIGHT, "9h", 0.99), (over, BACK, 0.99), (over + 200, BACK, 0.99))
    reading = read_still(detector, laid((UPRIGHT, 250), (over, 120)))
    assert [card.card for card in reading.cards].count(BACK) == 2
    assert reading.pairs == (), "the turn-up under the talon is no attack"


def test_faces_without_any_confident_proposal_are_dropped_as_print() -> None:
    faces = np.zeros((3, len(CLASS_NAMES)), np.float32)
    faces[0, 7] = faces[1, 9] = 0.95
    faces[2, CLASS_NAMES.index(BACK)] = 0.95
    quads = np.stack([UPRIGHT, UPRIGHT + 200, UPRIGHT + 400]).astype(np.float32)
    weak = Detections(quads, np.array([0.5, 0.4, 0.4], np.float32), faces)
    assert convincing(weak, [0, 1, 2], StillSettings()) == [2]
    sure = Detections(quads, np.array([0.9, 0.4, 0.4], np.float32), faces)
    assert convincing(sure, [0, 1, 2], StillSettings()) == [0, 1, 2]
    faces[1, 9] = 0.98
    assert convincing(weak, [0, 1, 2], StillSettings()) == [0, 1, 2]


def test_sure_card_outside_the_pack_is_marked_and_lists_alternatives_of_the_pack() -> None:
    detector = Scripted((UPRIGHT, "3d", 0.9999))
    card = read_still(detector, laid()).cards[0]
    assert (card.card, card.in_pack) == ("3d", False)
    assert card.alternatives[0][0] in {str(card) for card in pack(36)}
    assert read_still(detector, laid(), StillSettings(pack_size=52)).cards[0].in_pack


def test_unsure_card_outside_the_pack_is_not_reported() -> None:
    detector = Scripted((UPRIGHT, "5c", 0.99))
    assert read_still(detector, laid()).cards == ()
    assert read_still(detector, laid(), StillSettings(pack_size=52)).cards[0].card == "5c"


def test_pack_prior_decides_between_two_names() -> None:
    shares = np.zeros((1, len(CLASS_NAMES)), np.float32)
    shares[0, [CLASS_NAMES.index("2d"), CLASS_NAMES.index("6d")]] = 0.7, 0.3
    seen = Detections(UPRIGHT[None], np.ones(1, np.float32), shares)
    weighted, members = with_pack_prior(seen, StillSettings(pack_size=36))
    assert CLASS_NAMES[weighted.best[0]] == "6d"
    assert weighted.probabilities.sum() == pytest.approx(1.0)
    assert members.sum() == 36


def test_sure_low_card_widens_the_pack_to_52_if_no_pack_was_given() -> None:
    far = UPRIGHT + np.array([250, 100], np.float32)
    detector = Scripted((UPRIGHT, "3d", 0.9999), (far, "4c", 0.8))
    named = read_still(detector, laid(), StillSettings(pack_size=36))
    assert [card.card for card in named.cards] == ["3d"]
    free = read_still(detector, laid(), StillSettings(pack_size=36, may_widen=True))
    assert [(card.card, card.in_pack) for card in free.cards] == [("3d", True), ("4c", True)]


def test_equal_cards_that_lie_apart_are_both_reported() -> None:
    beside = UPRIGHT + np.array([100, 0], np.float32)
    beaten = turned(UPRIGHT, 15, (20, 30))
    image = laid((UPRIGHT, 250), (beaten, 240), (beside + 250, 250))
    detector = Scripted((UPRIGHT, "9c", 0.99), (beaten, "Tc", 0.99), (beside + 250, "9c", 0.98))
    reading = read_still(detector, image)
    assert sorted(card.card for card in reading.cards) == ["9c", "9c", "Tc"]
    assert sorted(reading.named_pairs(), key=str) == [("9c", "Tc"), ("9c", None)]


def test_two_ends_of_a_card_covered_in_the_middle_are_one_card() -> None:
    top, bottom = UPRIGHT.copy(), UPRIGHT.copy()
    top[2:, 1] = 140
    bottom[:2, 1] = 185
    whole = UPRIGHT + np.array([250, 0], np.float32)
    detector = Scripted((top, "9c", 0.99), (bottom, "9c", 0.98), (whole, "Kd", 0.99), (whole + 120, "7s", 0.99))
    assert [card.card for card in read_still(detector, laid()).cards].count("9c") == 1


def test_result_line_has_the_documented_keys(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), laid())
    line = read_file(Scripted((UPRIGHT, "7s", 0.9)), path)
    assert list(line) == ["picture", "width", "height", "cards", "pairs", "took_ms"]
    assert list(line["cards"][0]) == ["card", "confidence", "alternatives", "in_pack", "corners", "covered"]
    assert (line["width"], line["height"]) == (640, 480)


def test_unreadable_file_gives_one_sentence(tmp_path: Path) -> None:
    whole = cv2.imencode(".jpg", laid())[1].tobytes()
    bad = {
        "missing.jpg": None,
        "empty.jpg": b"",
        "text.png": b"no picture at all",
        "cut.jpg": whole[: len(whole) // 2],
    }
    for name, data in bad.items():
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        line = read_file(Scripted(), path)
        assert list(line) == ["picture", "error"]
        assert "expected" in line["error"]
        assert "\n" not in line["error"]
    with pytest.raises(PictureError, match="folder"):
        open_picture(tmp_path)


@pytest.mark.parametrize("flag", [cv2.IMREAD_GRAYSCALE, None])
def test_grey_16_bit_and_transparent_pictures_are_opened_as_bgr(tmp_path: Path, flag: int | None) -> None:
    image = laid()
    if flag is None:
        image = np.dstack([image, np.full(image.shape[:2], 128, np.uint8)])
    else:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.uint16) * 257
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), image)
    opened = open_picture(path)
    assert opened.shape == (480, 640, 3)
    assert opened.dtype == np.uint8


def test_corners_of_a_huge_picture_are_in_its_own_pixels() -> None:
    huge = np.zeros((4000, 8000, 3), np.uint8)
    reading = read_still(Scripted((UPRIGHT, "7s", 0.9)), huge)
    np.testing.assert_allclose(reading.cards[0].corners_px, UPRIGHT * 8000 / 4096, rtol=1e-3)
