"""Every rule case in tests/cases gives the expected rulings, announcements and positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.referee.scenarios import differences_of, load

CASES = [case for path in sorted((Path(__file__).parents[1] / "cases").glob("*.yaml")) for case in load(path)]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_referee_rules_as_the_case_expects(case: dict[str, Any]) -> None:
    assert differences_of(case) == []


def test_case_ids_are_unique() -> None:
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids))
