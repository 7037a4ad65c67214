"""Pip counting on uncovered cards."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from features.stills.pip_count import LAYOUTS, count_pips, with_counted_pips, with_uncut_outlines
from vision.detection.detections import CLASS_NAMES, Detections

CARD = np.array([[210, 60], [420, 90], [390, 400], [170, 360]], np.float32)
WIDE, TALL = 252, 352
Spots = list[tuple[float, float]]


def places(rank: str) -> Spots:
    """Return where the pips of a rank lie on a card, as shares of its width and height."""
    return [(0.25 + 0.5 * float(x), 0.16 + 0.68 * float(y)) for x, y in LAYOUTS[rank][0]]


def table(spots: Spots, ink: tuple[int, int, int] = (20, 20, 20), index: bool = True, radius: int = 24) -> np.ndarray:
    """Return a picture of a card with these spots, seen obliquely on a green table under uneven light."""
    card = np.full((TALL, WIDE, 3), 235, np.uint8)
    for x, y in spots:
        cv2.circle(card, (round(x * WIDE), round(y * TALL)), radius, ink, -1)
        cv2.putText(card, "7", (round(x * WIDE) - 6, round(y * TALL) + 6), cv2.FONT_HERSHEY_PLAIN, 1, (235, 235, 235))
    if index:
        cv2.putText(card, "8", (10, 34), cv2.FONT_HERSHEY_PLAIN, 2, ink, 2)
    flat = np.array([[0, 0], [WIDE, 0], [WIDE, TALL], [0, TALL]], np.float32)
    picture = np.full((480, 640, 3), (40, 90, 40), np.uint8)
    onto = cv2.getPerspectiveTransform(flat, CARD)
    cv2.warpPerspective(card, onto, (640, 480), picture, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    light = np.linspace(0.7, 1.0, 640)[None, :, None]
    return cv2.GaussianBlur((picture * light).astype(np.uint8), (0, 0), 0.8)


@pytest.mark.parametrize("rank", LAYOUTS)
@pytest.mark.parametrize("turned", [0, 2])
def test_pips_are_counted_either_way_up(rank: str, turned: int) -> None:
    corners = np.roll(CARD, turned, axis=0)
    assert count_pips(table(places(rank)), corners) == rank
    assert count_pips(table(places(rank), ink=(30, 30, 190)), corners) == rank


def test_pip_count_tolerates_corner_noise() -> None:
    rng = np.random.default_rng(4)
    for _ in range(8):
        assert count_pips(table(places("T")), CARD + rng.normal(0, 2.5, (4, 2)).astype(np.float32)) == "T"


def test_hidden_pip_figure_or_ace_gives_no_count() -> None:
    assert count_pips(table(places("T")[1:]), CARD) is None
    assert count_pips(table([*places("4"), (0.5, 0.5)], radius=60), CARD) is None
    assert count_pips(table([(0.5, 0.5)]), CARD) is None
    assert count_pips(table([]), CARD) is None


def in_panel(picture_of: str, tinted: bool, span: float = 0.68) -> np.ndarray:
    """Return a card, seen from straight above, that prints its pips in a narrow panel beside large indices."""
    picture = np.full((480, 640, 3), (40, 90, 40), np.uint8)
    card = picture[60:412, 180:432]
    card[:] = 235
    shade, ink = (170, 200, 120) if tinted else (20, 20, 20), (30, 20, 30)
    cv2.rectangle(card, (76, 40), (176, 312), shade, -1 if tinted else 2)
    for x, y in LAYOUTS[picture_of][0].tolist():
        cv2.circle(card, (round(96 + 60 * x), round(176 + 352 * span * (y - 0.5))), 9, ink, -1)
    for turned in (card, card[::-1, ::-1]):
        upright = turned.copy()
        cv2.putText(upright, "8", (4, 66), cv2.FONT_HERSHEY_SIMPLEX, 2.6, ink, 7)
        turned[:] = upright
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


STRAIGHT = np.array([[180, 60], [432, 60], [432, 412], [180, 412]], np.float32)


@pytest.mark.parametrize("tinted", [True, False], ids=["tinted", "framed"])
@pytest.mark.parametrize("rank", ["2", "3", "6", "8", "T"])
def test_pips_in_a_panel_are_counted(rank: str, tinted: bool) -> None:
    assert count_pips(in_panel(rank, tinted), STRAIGHT) == rank


def test_pip_count_needs_a_layout_that_spans_its_panel() -> None:
    assert count_pips(in_panel("2", True, span=0.3), STRAIGHT) is None, "the middle pips of an eight"


def read_as(shares: dict[str, float]) -> Detections:
    """Return one card with these class shares."""
    probabilities = np.zeros((1, len(CLASS_NAMES)), np.float32)
    for name, share in shares.items():
        probabilities[0, CLASS_NAMES.index(name)] = share
    return Detections(CARD[None], np.array([0.8], np.float32), probabilities)


def test_pip_count_decides_the_rank_and_not_the_suit() -> None:
    seen = read_as({"8s": 0.5, "Ts": 0.35, "Tc": 0.1, "none": 0.05})
    weighted = with_counted_pips(table(places("T")), seen, np.zeros(1, np.float32))
    assert weighted.best[0] == CLASS_NAMES.index("Ts")
    assert weighted.probabilities[0, CLASS_NAMES.index("Ts")] == pytest.approx(0.35 / (0.45 + 0.05 * 0.55))
    assert weighted.probabilities.sum() == pytest.approx(1.0)


def test_pips_against_a_court_leave_the_card_unsure() -> None:
    court = read_as({"Js": 0.98, "Jc": 0.02})
    weighted = with_counted_pips(table(places("8")), court, np.zeros(1, np.float32))
    shares = {name: float(weighted.probabilities[0, CLASS_NAMES.index(name)]) for name in ("Js", "8s", "Jc", "8c")}
    assert shares == pytest.approx({"Js": 0.49, "8s": 0.49, "Jc": 0.01, "8c": 0.01})
    figure = with_counted_pips(table([*places("4"), (0.5, 0.5)], radius=60), court, np.zeros(1, np.float32))
    assert (figure.probabilities == court.probabilities).all()


@pytest.mark.parametrize(
    ("shares", "covered"),
    [({"8s": 0.95, "Ts": 0.05}, 0.0), ({"8s": 0.5, "Ts": 0.5}, 0.1), ({"8s": 0.6, "Qs": 0.4}, 0.0)],
    ids=["read surely", "covered", "not this rank at all"],
)
def test_pip_count_does_not_overrule_a_sure_or_covered_reading(shares: dict[str, float], covered: float) -> None:
    seen = read_as(shares)
    weighted = with_counted_pips(table(places("T")), seen, np.array([covered], np.float32))
    assert np.array_equal(weighted.probabilities, seen.probabilities)


@pytest.mark.parametrize(
    ("pips", "whole_reads", "beside", "name"),
    [
        ("7", {"7c": 0.8}, False, "7c"),
        ("7", {"7c": 0.4, "none": 0.6}, False, "5c"),
        ("7", {"9c": 0.8}, False, "5c"),
        ("7", {"7c": 0.8}, True, "5c"),
    ],
    ids=["a seven cut short", "no card", "other pips than its name", "part of it lies under another card"],
)
def test_an_outline_cut_short_of_its_pips_gives_way_to_the_whole_one(
    pips: str, whole_reads: dict[str, float], beside: bool, name: str
) -> None:
    cut = CARD.copy()
    cut[2:] = 0.65 * CARD[2:] + 0.35 * CARD[[1, 0]]
    five = read_as({"5c": 0.97})
    seen = Detections(cut[None], five.confidence, five.probabilities)
    if beside:
        lying = CARD + np.float32([120, 160])
        seen = seen.beside(Detections(lying[None], five.confidence, read_as({"Kd": 1.0}).probabilities))
    read = lambda cards, occluders: np.tile(read_as(whole_reads).probabilities, (len(cards), 1))  # noqa: E731
    found = with_uncut_outlines(table(places(pips)), seen, CARD[None], read)
    assert CLASS_NAMES[found.best[0]] == name
    assert np.array_equal(found.corners_px[0], CARD if name == "7c" else cut)
