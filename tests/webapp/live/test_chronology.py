"""The written record is readable for any times of presses and any delay of the pipeline's reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import Card
from referee.events import Placed, Pressed, Reread, TableEvent, Tick
from referee.record import Header, read_record
from tests.patience import PATIENCE_S
from tests.webapp.conftest import HEADER, FakeClock, FakePipeline, frames
from webapp.live.board import SnapshotHub
from webapp.live.runtime import PlaybackMode, Runtime
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog

CARDS = st.sampled_from(["7s", "8d", "Ts", "9h", "Kc"]).map(Card.parse)
SEATS = st.sampled_from(["A", "B", "C", None])
PRESSES = st.one_of(
    st.builds(
        Pressed, at=st.just(0.0), button=st.sampled_from(["take", "pass", "done", "undo", "challenge"]), by=SEATS
    ),
    st.builds(Reread, at=st.just(0.0), was=CARDS, card=CARDS),
)
HELD_BACK_S = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 3.0])


@st.composite
def plays(draw: st.DrawFn) -> tuple[int, tuple[tuple[float, Card, str | None], ...]]:
    """
    Draw the frame at which the pipeline reports, and the events: how long before that each card came to lie there.
    """
    held_back = draw(st.lists(st.tuples(HELD_BACK_S, CARDS, SEATS), min_size=1, max_size=3))
    return draw(st.integers(0, 19)), tuple(held_back)


class Ledger(list[str]):
    """Record file in memory."""

    def write(self, line: Mapping[str, Any]) -> None:
        self.append(json.dumps(line))


@settings(max_examples=30)
@given(reported=st.lists(plays(), max_size=8), pressed=st.lists(st.tuples(st.integers(0, 19), PRESSES), max_size=10))
def test_record_is_readable_for_any_times_of_presses(reported: Any, pressed: Any) -> None:
    events: dict[int, tuple[TableEvent, ...]] = {}
    for frame, held_back in reported:
        laid = tuple(Placed(at=max(frame / 10 - ago, 0.0), card=card, by=by) for ago, card, by in held_back)
        events[frame] = (*events.get(frame, ()), *laid)

    def filmed() -> Iterator[Any]:
        for frame in frames(20):
            yield frame
            for number, press in pressed:
                if number == frame.number:
                    runtime.mailbox.press(runtime.session.on_press, press)

    ledger = Ledger()
    pipeline = FakePipeline(events, last=(Placed(at=0.4, card=Card.parse("6c"), by="A"),))
    match = MatchLog(Header.parse(HEADER), ledger)
    runtime = Runtime(
        MatchSession(Header.parse(HEADER), filmed(), pipeline, match),
        SnapshotHub(),
        PlaybackMode(live=False, paced=False),
        clock=FakeClock(),
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert runtime.failure is None
    recorded = [entry for _, entry in read_record(ledger) if not isinstance(entry, Tick)]  # a tick decides what waited
    assert len(recorded) == 1 + sum(len(laid) for _, laid in reported) + len(pressed) + 1


@given(st.lists(st.sampled_from([0.0, 0.5, 0.501, 1.0, 1.001, 2.0])))
def test_times_never_decrease_and_different_times_stay_different(times: list[float]) -> None:
    match = MatchLog(Header.parse(HEADER))
    match.open()
    dated_times = [match.judge(Tick(at=at))[0]["at"] for at in times]
    assert dated_times == sorted(dated_times)
    assert [one == other for one, other in pairwise(dated_times)] == [one == other for one, other in pairwise(times)]
