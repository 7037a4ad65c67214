"""Measure of many viewers: delays from an event's report to the frame that shows it."""

from __future__ import annotations

from benchmarks.viewers import paint_delays_ms


def test_delay_runs_from_the_report_to_the_first_frame_with_the_event() -> None:
    reported = [(1, 10.0), (2, 10.5), (3, 11.0), (4, 11.5)]
    painted = [[4, 9990.0], [1, 10040.0], [2, 10580.0], [4, 11530.0]]
    assert [round(delay_ms) for delay_ms in paint_delays_ms(reported, painted)] == [40, 80, 30], (
        "of the third no frame was painted"
    )
