"""A store that is cut off during a commit holds every confirmed line (`make nightly`: 500 cuts)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.webapp.store.cuts import CutCount, cut_postgres, cut_sqlite


def test_log_cut_at_any_byte_holds_every_confirmed_line(tmp_path: Path) -> None:
    found = cut_sqlite(25, 1, tmp_path)
    assert (found.cuts, found.lost) == (25, 0)
    assert found.confirmed > 200
    assert found.inside > 20


@pytest.mark.thorough
def test_connection_that_ends_at_any_moment_loses_no_confirmed_line(postgres_url: str) -> None:
    found = cut_postgres(10, 1, postgres_url)
    assert (found.cuts, found.lost) == (10, 0)
    assert found.failed > 2
    assert found.confirmed > 10


def test_check_finds_lost_and_foreign_lines() -> None:
    found, record = CutCount(), [{"line": 1}, {"line": 2}, {"line": 3}]
    found.check(record, record[:1], confirmed=2)
    assert found.lost == 1
    with pytest.raises(AssertionError, match="expected the first lines of the record"):
        found.check(record, [record[1]], confirmed=1)
