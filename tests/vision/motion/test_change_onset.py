"""Time since which a card lies at its place, if a hand hid it before an inference."""

from __future__ import annotations

import numpy as np

from vision.motion.change_history import ChangeOnsets
from vision.motion.motion_report import MotionReport

CARD = np.array([[20, 20], [40, 20], [40, 48], [20, 48]], np.float32)
INSIDE = (slice(20, 48), slice(20, 40))


def report(at: float, *, arm: bool = False, residue: bool = False, changed: bool = False) -> MotionReport:
    """Return one frame's report: an arm, motion, or something that came to rest is at the card's place."""
    shape = (90, 160)
    labels = np.zeros(shape, np.uint8)
    restless, taken_up = np.zeros(shape, bool), np.zeros(shape, bool)
    labels[INSIDE] = arm
    restless[INSIDE], taken_up[INSIDE] = residue, changed
    return MotionReport(at, 1.0, (), labels, taken_up, restless, False)


def test_card_visible_before_another_hand_has_that_onset() -> None:
    appearances = ChangeOnsets()
    for frame in (report(0.0), report(1.0, arm=True), report(1.2, residue=True), report(1.3, arm=True)):
        appearances.update(frame)
    appearances.update(report(5.0, residue=True))
    appearances.update(report(5.2, changed=True))
    appearances.update(report(5.3))
    assert appearances.since(CARD, after=0.5) == np.float32(1.2)
    assert appearances.since(CARD, after=2.0) is None
    assert appearances.since(CARD + 60, after=0.5) is None


def test_change_that_disappears_is_a_shadow() -> None:
    appearances = ChangeOnsets()
    for frame in (report(0.0), report(1.0, residue=True), report(1.1), report(4.0, residue=True)):
        appearances.update(frame)
    assert appearances.since(CARD, after=0.5) == 4.0


def test_card_in_place_of_a_removed_one_has_a_later_onset() -> None:
    appearances = ChangeOnsets()
    for frame in (
        report(0.0),
        report(1.0, residue=True),
        report(1.1, changed=True),
        report(1.2),
        report(3.0, arm=True),
    ):
        appearances.update(frame)
    appearances.update(report(3.2, residue=True))
    assert appearances.since(CARD, after=2.0) == np.float32(3.2)
