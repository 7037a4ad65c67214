"""What a line costs."""

from __future__ import annotations

from benchmarks.long_records import calls_by_line


def test_shipped_record_is_judged_within_its_number_of_calls() -> None:
    calls = calls_by_line()
    assert len(calls) == 45
    assert sum(calls.values()) <= 100_000
    assert max(calls.values()) <= 27_000
