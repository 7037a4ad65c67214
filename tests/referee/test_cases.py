"""Every rule case in tests/cases: the record goes in, the rulings, announcements and positions come out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.referee.scenarios import complaints, load

CASES = [case for path in sorted((Path(__file__).parents[1] / "cases").glob("*.yaml")) for case in load(path)]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_referee_rules_as_the_case_expects(case: dict[str, Any]) -> None:
    assert complaints(case) == []


def test_case_ids_are_unique() -> None:
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids))
