"""Temperature fitting: temperatures change how sure readings are, and are fitted to their outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from models.evaluation.fit_temperature import ScoredReading, claims_at, surprise


def readings(share: float, right: int, wrong: int) -> list[ScoredReading]:
    shares = np.full(54, (1 - share) / 53, np.float32)
    shares[5] = share
    return [ScoredReading(shares, k < right) for k in range(right + wrong)]


@pytest.mark.parametrize(("change", "surer"), [(0.5, True), (2.0, False)])
def test_lower_temperature_makes_readings_surer(change: float, surer: bool) -> None:
    (before, _), (after, is_right) = claims_at(readings(0.7, 1, 0), 1.0)[0], claims_at(readings(0.7, 1, 0), change)[0]
    assert before == pytest.approx(0.7, abs=1e-4)
    assert (after > before) == surer
    assert is_right


def test_underconfident_readings_give_a_lower_temperature() -> None:
    timid, bold = readings(0.7, 19, 1), readings(0.99, 15, 5)
    assert surprise(claims_at(timid, 0.8)) < surprise(claims_at(timid, 1.0))
    assert surprise(claims_at(bold, 1.2)) < surprise(claims_at(bold, 1.0))
