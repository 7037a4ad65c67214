"""Schedule of inferences: times and reasons."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from vision.inference_schedule import BURST, INFERENCES_PER_S, InferenceReason, InferenceSchedule
from vision.motion.motion_report import Arm, MotionReport

SHAPE = (9, 16)
NOTHING = np.zeros(SHAPE, bool)
CARD = NOTHING.copy()
CARD[2:6, 3:7] = True
ARM = Arm(1, (0.0, 0.0), (5.0, 5.0), 0.1)


def report(at: float, changed: np.ndarray = NOTHING, restless: np.ndarray = NOTHING, arms: int = 0) -> MotionReport:
    """Return what motion detection reports of a frame."""
    labels = np.zeros(SHAPE, np.uint8)
    return MotionReport(at, 4.0, (ARM,) * arms, labels, changed, restless, False)


def asked(
    schedule: InferenceSchedule,
    at: float,
    changed: np.ndarray = NOTHING,
    restless: np.ndarray = NOTHING,
    hidden: np.ndarray = NOTHING,
    held_back: bool = False,
    asks_at: float | None = None,
    arms: int = 0,
) -> InferenceReason | None:
    """Record one frame and return the reason for an inference on it, or None."""
    frame = report(at, changed, restless, arms)
    schedule.add_motion(frame)
    return schedule.next_reason(frame, hidden, held_back, asks_at)


def after_inference(at: float = 1.0, doubtful: bool = False) -> InferenceSchedule:
    """Return a schedule that ran its idle inference, and one at this time."""
    schedule = InferenceSchedule()
    assert asked(schedule, at) is InferenceReason.IDLE
    schedule.finish(at, NOTHING, doubtful)
    return schedule


def test_change_triggers_inference_when_still_or_after_a_time_limit() -> None:
    schedule = after_inference()
    assert asked(schedule, 2.0, CARD, restless=CARD) is None
    assert asked(schedule, 2.04) is InferenceReason.CHANGED
    schedule.finish(2.04, NOTHING, False)
    assert asked(schedule, 2.3) is None
    assert asked(schedule, 3.0, CARD, restless=CARD) is None
    assert asked(schedule, 3.1, restless=CARD) is None
    assert asked(schedule, 3.13, restless=CARD) is InferenceReason.CHANGED


def test_change_under_an_arm_waits_until_the_arm_has_left() -> None:
    schedule = after_inference()
    assert asked(schedule, 2.0, CARD, hidden=CARD) is None
    assert not schedule.is_open(report(2.0), CARD)
    schedule.finish(2.0, CARD, False)
    assert asked(schedule, 2.4) is InferenceReason.CHANGED
    assert schedule.is_open(report(2.4), NOTHING)


def test_inferences_keep_a_minimal_interval() -> None:
    schedule = after_inference()
    assert asked(schedule, 1.05, CARD, held_back=True) is None
    assert asked(schedule, 1.1, held_back=True) is InferenceReason.CHANGED


def test_few_changed_pixels_trigger_no_inference() -> None:
    schedule = after_inference()
    speck = NOTHING.copy()
    speck[0, :9] = True
    assert asked(schedule, 2.0, speck) is None


def test_waiting_evidence_triggers_inference_at_once() -> None:
    assert asked(after_inference(), 1.2, held_back=True) is InferenceReason.HELD_BACK


def test_uncertainty_triggers_three_quick_and_three_slow_inferences() -> None:
    schedule = after_inference(1.0, doubtful=True)
    at, gaps, frame_s = 1.0, [], 1 / 32
    while schedule.is_patient and at < 9:
        since = at
        while asked(schedule, at := at + frame_s) is None:
            assert at < 9
        gaps.append(at - since)
        schedule.finish(at, NOTHING, is_doubtful=True)
    assert gaps == [3 * frame_s] * 3 + [10 * frame_s] * 3
    assert schedule.has_given_up
    assert asked(schedule, at + 0.3) is None
    assert not schedule.is_open(report(at + 0.3), NOTHING)


@pytest.mark.parametrize("settles", [False, True])
def test_card_that_still_settles_keeps_inferences_quick_while_something_changes(settles: bool) -> None:
    schedule = after_inference(1.0, doubtful=True)
    for at in (1.1, 1.2, 1.3):
        asked(schedule, at)
        schedule.finish(at, NOTHING, is_doubtful=True, card_settles=settles)
    reason = asked(schedule, 1.4, changed=CARD, restless=CARD)
    assert reason is (InferenceReason.IN_DOUBT if settles else None)


def test_change_restarts_inferences_for_uncertainty() -> None:
    schedule = after_inference(1.0, doubtful=True)
    for k in range(6):
        schedule.finish(1.1 + k, NOTHING, is_doubtful=True)
    schedule.add_motion(report(7.0, CARD))
    assert not schedule.has_given_up


@pytest.mark.parametrize(
    ("asks_at", "at", "is_still", "reason"),
    [
        (1.5, 1.55, True, None),
        (1.5, 1.65, True, InferenceReason.HAND_LEFT),
        (1.5, 1.65, False, None),
        (1.5, 1.75, False, InferenceReason.HAND_LEFT),
        (0.9, 1.65, True, None),  # the last inference was younger
    ],
)
def test_deciding_inference_runs_when_the_table_is_still(
    asks_at: float, at: float, is_still: bool, reason: InferenceReason | None
) -> None:
    restless = NOTHING if is_still else CARD
    assert asked(after_inference(), at, restless=restless, asks_at=asks_at) is reason


@pytest.mark.parametrize(("arms", "wait_s"), [(0, 1.5), (1, 3.0)])
def test_idle_inference_runs_once_and_later_with_an_arm(arms: int, wait_s: float) -> None:
    schedule = after_inference()
    assert asked(schedule, 9.0, arms=arms) is None, "no change since the last inference"
    schedule.finish(9.0, NOTHING, False)
    schedule.request()
    assert asked(schedule, 9.0 + wait_s - 0.1, arms=arms) is None
    assert asked(schedule, 9.0 + wait_s, restless=CARD, arms=arms) is None
    assert asked(schedule, 9.0 + wait_s, arms=arms) is InferenceReason.IDLE
    schedule.finish(9.0 + wait_s, NOTHING, False)
    assert asked(schedule, 20.0, arms=arms) is None


def test_unusable_inference_is_repeated() -> None:
    schedule = after_inference()
    assert asked(schedule, 2.0, CARD) is InferenceReason.CHANGED
    schedule.finish_unused(2.0)
    assert asked(schedule, 2.2) is InferenceReason.CHANGED
    schedule.finish(2.2, NOTHING, False)
    schedule.finish_unused(2.3)
    assert asked(schedule, 2.5) is InferenceReason.IN_DOUBT


def test_picture_of_another_size_resets_the_schedule() -> None:
    schedule = after_inference()
    assert asked(schedule, 2.0, CARD) is InferenceReason.CHANGED
    small = np.zeros((3, 4), bool)
    frame = replace(report(2.2), changed=small, restless=small, arm_labels=small.astype(np.uint8))
    schedule.add_motion(frame)
    assert schedule.next_reason(frame, small, False, None) is None


def test_uncertainty_triggers_inference_while_something_else_moves() -> None:
    schedule = after_inference(1.0, doubtful=True)
    assert asked(schedule, 1.1, changed=CARD, restless=CARD) is InferenceReason.IN_DOUBT


def test_card_visible_among_arms_triggers_inference_at_once() -> None:
    schedule = after_inference(1.0)
    frame = report(1.1, arms=1)
    schedule.add_motion(frame)
    assert schedule.next_reason(frame, NOTHING, False, None, card_shows=True) is InferenceReason.CARD_SHOWS
    assert schedule.next_reason(frame, NOTHING, False, None) is None


def test_constant_motion_gives_a_limited_rate_of_inferences() -> None:
    schedule = after_inference(1.0)
    inference_times = []
    for frame in range(25 * 60):
        at = 2.0 + frame / 25
        if asked(schedule, at, CARD, restless=CARD, held_back=True):
            schedule.finish(at, NOTHING, is_doubtful=True)
            inference_times.append(at)
    assert BURST + INFERENCES_PER_S * 60 - 3 <= len(inference_times) <= BURST + INFERENCES_PER_S * 60 + 1
    longest = max(later - earlier for earlier, later in pairwise(inference_times))
    assert longest < 0.5, "what changed in the meantime is read within half a second"
    assert asked(schedule, inference_times[-1] + 1 / INFERENCES_PER_S, CARD) is InferenceReason.CHANGED


def test_burst_of_inferences_is_not_limited() -> None:
    schedule = after_inference(1.0)
    for count in range(int(BURST) - 1):
        at = 30.0 + count * 0.1
        assert asked(schedule, at, CARD) is InferenceReason.CHANGED
        schedule.finish(at, NOTHING, False)


def test_card_read_once_is_inferred_again_at_once_though_the_rate_is_limited() -> None:
    schedule, times = InferenceSchedule(), []
    for frame in range(40 * 25):
        at = 1.0 + frame / 25
        if asked(schedule, at, CARD) is not None:
            settles = not times or at - times[-1] > 0.2  # each card is read, and at rest with the second inference
            schedule.finish(at, NOTHING, settles, card_settles=settles)
            times.append(at)
    late = [at for at in times if at > 20.0]
    gaps = [after - before for before, after in pairwise(late)]
    assert len(late) <= 1.1 * INFERENCES_PER_S * 21.0
    assert max(gaps[::2]) <= 0.13 or max(gaps[1::2]) <= 0.13, "two by two"
