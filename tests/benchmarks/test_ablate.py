"""Ablation of settings: which numbers it finds, and that a change ends with the trial."""

from __future__ import annotations

from benchmarks.ablate import changed, numbers
from referee.belief.decide import THRESHOLDS, Thresholds


def test_the_thresholds_of_the_belief_are_among_the_numbers() -> None:
    assert (Thresholds, "accuse", Thresholds.__dataclass_fields__["accuse"].default) in list(numbers())


def test_a_changed_setting_holds_in_old_and_new_instances_and_is_set_back() -> None:
    was = THRESHOLDS.accuse
    with changed(Thresholds, "accuse", 0.5):
        assert (THRESHOLDS.accuse, Thresholds().accuse) == (0.5, 0.5)
        assert Thresholds().sure == THRESHOLDS.sure
    assert (THRESHOLDS.accuse, Thresholds().accuse) == (was, was)
