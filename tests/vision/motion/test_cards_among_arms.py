"""A card at rest within an arm region asks for inference; one inference is enough while it stays."""

from __future__ import annotations

import numpy as np

from vision.motion.cards_in_arm_regions import CardsAmongArms
from vision.motion.motion_report import MotionReport

SHAPE = (72, 128)


def patch(x: int, y: int, wide: int, tall: int) -> np.ndarray:
    out = np.zeros(SHAPE, bool)
    out[y : y + tall, x : x + wide] = True
    return out


ARM = patch(30, 20, 60, 52).astype(np.uint8)
LAID = patch(50, 30, 14, 20)
FINGERS = patch(50, 40, 14, 10)


def inferences_asked(shown: list[np.ndarray], labels: np.ndarray = ARM) -> list[bool]:
    among = CardsAmongArms()
    return [among.shows(cards, labels, 0.2 * k) for k, cards in enumerate(shown)]


def test_still_card_triggers_one_inference() -> None:
    assert inferences_asked([LAID] * 6) == [False, True, False, False, False, False]


def test_carried_card_triggers_no_inference() -> None:
    assert not any(inferences_asked([patch(50 + 7 * k, 30, 14, 20) for k in range(4)]))


def test_card_that_becomes_more_visible_triggers_another_inference() -> None:
    assert inferences_asked([LAID & ~FINGERS] * 5 + [LAID] * 3) == [
        False,
        True,
        False,
        False,
        False,
        False,
        True,
        False,
    ]


def test_card_outside_arms_or_speck_triggers_no_inference() -> None:
    assert not any(inferences_asked([LAID] * 4, np.zeros(SHAPE, np.uint8)))
    assert not any(inferences_asked([patch(50, 30, 4, 4)] * 4))


def test_card_is_released_when_the_hand_leaves_it() -> None:
    among, spots = CardsAmongArms(), np.zeros((180, 320), bool)
    spots[75:125, 125:160] = True
    assert not among.is_let_go(FINGERS, [spots])
    assert among.is_let_go(patch(50, 55, 14, 10), [spots])
    assert not among.is_let_go(patch(50, 55, 14, 10), [])


def test_segmentation_runs_more_often_while_a_hand_holds_a_card() -> None:
    among = CardsAmongArms()
    among.shows(LAID, ARM, 1.0)
    assert [among.is_due(report(1.1, 0.0), 0.0, has_held) for has_held in (False, True)] == [False, True]
    assert not among.is_due(report(1.5, 0.0), 1.45, has_held=True)


def report(at: float, still_since: float) -> MotionReport:
    """Return a report with ``ARM``, where ``LAID`` has been at rest since a time (seconds) and all else moves."""
    since = np.full(SHAPE, at, np.float32)
    since[LAID] = still_since
    nothing = np.zeros(SHAPE, bool)
    return MotionReport(at, 1.0, (), ARM, nothing, nothing, True, still_since=since)


def test_part_of_an_arm_region_that_comes_to_rest_without_an_arm_is_bare() -> None:
    among = CardsAmongArms()
    hand = (ARM > 0) & ~LAID & ~np.roll(LAID, 3, axis=0)
    assert among.is_bare(hand, report(1.2, 1.1), last_inference_at=1.0)
    assert not among.is_bare(ARM > 0, report(1.2, 1.1), last_inference_at=1.0), "an arm at rest"
    assert not among.is_bare(hand, report(1.2, 1.16), last_inference_at=1.0), "not at rest for long enough"
    assert not among.is_bare(hand, report(1.3, 1.1), last_inference_at=1.2), "inference has run on it"


def test_segmentation_runs_at_once_where_a_part_of_an_arm_region_comes_to_rest() -> None:
    among = CardsAmongArms()
    among.shows(LAID, ARM, 1.0)
    assert among.is_due(report(1.2, 1.1), 0.0, has_held=False)
    assert not among.is_due(report(1.2, 0.9), 0.0, has_held=False), "it was segmented since"
