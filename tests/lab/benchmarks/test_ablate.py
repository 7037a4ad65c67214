"""Ablation: the numbers it finds, where a change applies, and that it ends with the trial."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.ablate import Number, changed, numbers
from benchmarks.structure import ROOT, unreached
from referee.belief import rates
from referee.belief.decide import THRESHOLDS, Thresholds
from referee.rulebook import FaultId
from vision.geometry import quads
from vision.motion import motion_report
from vision.table import card_filter


@pytest.fixture(scope="module")
def by_name() -> dict[str, Number]:
    return {str(number): number for number in numbers()}


def test_every_named_number_is_reached() -> None:
    assert unreached(ROOT) == {}


def test_changed_setting_applies_to_all_instances_and_is_restored(by_name: dict[str, Number]) -> None:
    was = THRESHOLDS.accuse
    with changed(by_name["Thresholds.accuse"], 0.5):
        assert (THRESHOLDS.accuse, Thresholds().accuse) == (0.5, 0.5)
        assert Thresholds().sure == THRESHOLDS.sure
    assert (THRESHOLDS.accuse, Thresholds().accuse) == (was, was)


def test_instance_with_a_value_of_its_own_keeps_it(by_name: dict[str, Number]) -> None:
    with changed(by_name["Rates.misread"], 0.2):
        assert (rates.RATES.misread, rates.PERSON.misread) == (0.2, 0.0)


def test_number_within_a_setting_is_changed_alone(by_name: dict[str, Number]) -> None:
    was = rates.SENSOR_PRIOR.levels
    with changed(by_name["SensorPrior.levels[2][1]"], 0.2):
        assert rates.SENSOR_PRIOR.levels == rates.SensorPrior().levels == (*was[:2], (1.0, 0.2), was[3])
    assert rates.SENSOR_PRIOR.levels == was


def test_number_in_a_dictionary_changes_for_all_who_hold_it(by_name: dict[str, Number]) -> None:
    was = rates.RATES.of(FaultId.GAME_OVER)
    with changed(by_name["referee.belief.rates.FAULTS[game-over]"], 0.25):
        assert rates.RATES.of(FaultId.GAME_OVER) == 0.25
    assert rates.RATES.of(FaultId.GAME_OVER) == was


def test_changed_constant_applies_where_it_was_imported_and_is_restored(by_name: dict[str, Number]) -> None:
    with changed(by_name["vision.motion.motion_report.NEVER"], -5.0):
        assert (motion_report.NEVER, card_filter.NEVER) == (-5.0, -5.0)
    assert motion_report.NEVER == card_filter.NEVER == -1e9


def test_constant_computed_from_a_changed_one_is_computed_again(by_name: dict[str, Number]) -> None:
    was = card_filter._SPILL
    with changed(by_name["vision.table.card_filter.SPILL_PX"], 5):
        assert np.array_equal(card_filter._SPILL, np.ones((11, 11), np.uint8))
    assert card_filter._SPILL is was


def test_stored_results_of_functions_are_forgotten(by_name: dict[str, Number]) -> None:
    square_px = np.array([[[10, 10], [16, 10], [16, 19], [10, 19]]], np.float64)
    quads._fitted(square_px.tobytes(), (64, 64))
    with changed(by_name["Thresholds.accuse"], 0.5):
        assert quads._fitted.cache_info().currsize == 0
