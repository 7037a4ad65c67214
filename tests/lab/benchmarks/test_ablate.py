"""Ablation of settings: the numbers it finds, and that a change ends with the trial."""

from __future__ import annotations

from benchmarks.ablate import changed, numbers
from referee.belief.decide import THRESHOLDS, Thresholds


def test_thresholds_of_the_belief_are_found() -> None:
    assert (Thresholds, "accuse", Thresholds.__dataclass_fields__["accuse"].default) in list(numbers())


def test_changed_setting_applies_to_all_instances_and_is_restored() -> None:
    was = THRESHOLDS.accuse
    with changed(Thresholds, "accuse", 0.5):
        assert (THRESHOLDS.accuse, Thresholds().accuse) == (0.5, 0.5)
        assert Thresholds().sure == THRESHOLDS.sure
    assert (THRESHOLDS.accuse, Thresholds().accuse) == (was, was)
