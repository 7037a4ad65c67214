"""Runtime with its two threads, and a scripted source, pipeline and clock."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any

import pytest

from referee.cards import Card
from referee.errors import RecordError
from referee.events import Corrected, Pressed, Swept
from referee.record import Header, event_from_json, event_to_json
from tests.patience import PATIENCE_S
from vision.capture.sources import STREAM_STALLED
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView, SeenCard
from webapp.commands.interruption import THREADS
from webapp.live.board import Condition, SnapshotHub, TableWarning
from webapp.live.runtime import PlaybackMode, Runtime, Timeouts
from webapp.match.log import MatchLog

FAST = PlaybackMode(live=False, paced=False)
QUICK = Timeouts(silence_s=2.0, health_s=0.005)


class Lines(list[Mapping[str, Any]]):
    """Collects the lines."""

    def take(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        self.extend(lines)

    def kinds(self, key: str) -> list[Any]:
        return [line[key] for line in self if key in line]


def until(board: SnapshotHub, holds: Any) -> Any:
    """Return the first snapshot of which ``holds`` is true."""
    snapshot = board.newest
    while not holds(snapshot):
        newer = board.wait_beyond(snapshot.version, 10)
        assert newer is not None, f"nothing more came after {snapshot}"
        snapshot = newer
    return snapshot


def test_threads_that_may_hang_are_daemons(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    runtime = Runtime(table.session(table.frames(1), table.Pipeline({}), match), board, FAST, clock=table.Clock())
    assert {runtime._source.name, runtime._thread.name} == set(THREADS)


def test_file_is_refereed_frame_by_frame_to_its_end(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    pipeline = table.Pipeline({3: (table.placed(0.3, "7s", "A"),)}, last=(table.placed(1.9, "Ts", "B", "7s"),))
    lines = Lines()
    runtime = Runtime(
        table.session(table.frames(20), pipeline, match),
        board,
        FAST,
        table.FakeListener(on_lines=lines.take),
        clock=table.Clock(),
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert pipeline.seen == list(range(20))
    assert lines.kinds("event") == ["placed", "placed"]
    assert lines.kinds("play") == ["lead", "beat"]
    assert board.newest.view.state["table"] == [["7s", "Ts"]]
    assert board.newest.camera.condition is Condition.ENDED
    assert (board.newest.camera.frames, board.newest.camera.dropped) == (20, 0)
    assert runtime.failure is None


def test_objects_are_frozen_with_each_line_and_unfrozen_at_the_end(
    match: MatchLog, board: SnapshotHub, table: Any
) -> None:
    frozen: list[int] = []
    pipeline = table.Pipeline({5: (table.placed(0.5, "7s", "A"),)})
    runtime = Runtime(
        table.session(table.frames(20), pipeline, match),
        board,
        PlaybackMode(live=False, paced=False),
        table.FakeListener(on_lines=lambda lines: frozen.append(gc.get_freeze_count())),
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert frozen[0] < frozen[-1]
    assert gc.get_freeze_count() == 0


def test_paced_file_plays_in_real_time(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    clock = table.Clock()
    runtime = Runtime(
        table.session(table.frames(4), table.Pipeline({}), match),
        board,
        PlaybackMode(live=False, paced=True),
        clock=clock,
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert clock.waits == [0.0, 0.1, 0.1, 0.1]


def test_press_has_the_time_of_the_newest_picture(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    pipeline = table.Pipeline({5: (table.placed(0.5, "7s", "A"),)})
    runtime = Runtime(
        table.session(table.frames(10), pipeline, match), board, FAST, clock=table.Clock(), patience=QUICK
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    assert runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="take", by="B"))
    snapshot = until(board, lambda s: s.view.state["phase"] == "take")
    runtime.stop()
    assert snapshot.view.last_event == event_to_json(Pressed(at=0.9, button="take", by="B"))


@pytest.mark.parametrize("trouble", [None, "expected room on the disk, got none"])
def test_answer_to_a_press_is_its_line_and_whether_that_is_kept(
    match: MatchLog, board: SnapshotHub, table: Any, trouble: str | None
) -> None:
    session = table.session(table.frames(3), table.Pipeline({}), match)
    session.files.match_writer = SimpleNamespace(trouble=trouble, end=lambda: None, try_again=lambda: None)
    runtime = Runtime(session, board, FAST, clock=table.Clock(), patience=QUICK)
    runtime.start()
    pressed = [
        runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="wait", by=by)) for by in ("A", "B")
    ]
    answers = [press.result(PATIENCE_S) for press in pressed if press is not None]
    session.files.match_writer = None
    runtime.stop()
    assert [(answer.line, answer.is_stored) for answer in answers] == [(2, trouble is None), (3, trouble is None)]


def test_press_that_nobody_judged_is_cancelled_at_the_end(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    runtime = Runtime(table.session(table.frames(1), table.Pipeline({}), match), board, FAST, clock=table.Clock())
    press = runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="take", by="B"))
    assert press is not None
    runtime.mailbox.close()
    runtime._thread.start()
    with pytest.raises(CancelledError):
        press.result(PATIENCE_S)
    runtime.stop()


def test_correction_is_refereed_and_passed_to_the_pipeline(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    named: list[tuple[str, str]] = []

    class NamedPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def name(self, was: Card, card: Card) -> None:
            named.append((str(was), str(card)))

    pipeline = NamedPipeline({5: (table.placed(0.5, "7s", "A"),)})
    printed_lines: list[Mapping[str, Any]] = []
    runtime = Runtime(
        table.session(table.frames(10), pipeline, match),
        board,
        FAST,
        table.FakeListener(on_lines=printed_lines.extend),
        clock=table.Clock(),
        patience=QUICK,
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    to = {"event": "placed", "card": "7d", "by": "A"}
    correction = event_from_json({"at": 0, "event": "corrected", "line": 2, "to": to, "by": "B"})
    assert isinstance(correction, Corrected)
    done = runtime.correct(correction)
    assert done is not None
    assert (done.line, done.texts["en"]) == (3, "7♠ was 7♦.")
    assert printed_lines[-len(done.lines)] == {"at": 0.9, "event": "corrected", "line": 2, "to": to, "by": "B"}
    with pytest.raises(RecordError, match="earlier event's line"):
        runtime.correct(Corrected(at=0.0, line=77, to=None))
    undone = runtime.correct(Pressed(at=0.0, button="undo"))
    assert undone is not None
    assert named == [("7s", "7d"), ("7d", "7s")]
    runtime.stop()
    assert runtime.correct(Pressed(at=0.0, button="undo")) is None


def test_picture_names_cards_as_all_pages_do(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    seven, ten = Card.parse("7s"), Card.parse("Td")
    shown = [SeenCard(place, (), card, 0.9, "bout", None, True) for place, card in enumerate((seven, ten, None))]
    pipeline = table.Pipeline({5: (table.placed(0.5, "7s", "A"),)})
    pipeline.view = PipelineView(0, 0.0, tuple(shown), (), TableLayout.guessed((640, 360), ("A", "B", "C")))
    runtime = Runtime(
        table.session(table.frames(10), pipeline, match), board, FAST, clock=table.Clock(), patience=QUICK
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    to = {"event": "placed", "card": "7d", "by": "A"}
    runtime.correct(event_from_json({"at": 0, "event": "corrected", "line": 2, "to": to, "by": "B"}))  # type: ignore[arg-type]
    runtime.stop()
    assert board.picture is not None
    assert board.picture.view is not None
    assert [str(card.card) for card in board.picture.view.cards] == ["7d", "Td", "None"]


def test_presses_and_camera_changes_are_logged(
    match: MatchLog, board: SnapshotHub, table: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "webapp")
    frames = [table.Frame(0, 0.0), table.Frame(1, 0.1, "the camera sends no pictures"), table.Frame(2, 0.2)]
    runtime = Runtime(
        table.session(frames, table.Pipeline({}), match), board, FAST, clock=table.Clock(), patience=QUICK
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    assert runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="take", by="B"))
    until(board, lambda s: s.view.last_event is not None)
    runtime.stop()
    messages = [record.getMessage() for record in caplog.records]
    assert messages[:4] == [
        "the camera: watching",
        "the camera: lost, the camera sends no pictures",
        "the camera: watching",
        "the camera: ended",
    ]
    assert messages[4].startswith("pressed: Pressed(at=0.2")


def test_presses_are_refused_after_stop(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    runtime = Runtime(table.session(table.frames(1), table.Pipeline({}), match), board, FAST, clock=table.Clock())
    runtime.start()
    runtime.stop()
    assert not runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="take", by="B"))
    assert board.closed


@pytest.mark.parametrize(
    ("cause", "words"), [(None, "check its cable and its lamp"), (STREAM_STALLED, "is the network up?")]
)
def test_silent_camera_is_lost_and_found_again(
    match: MatchLog, board: SnapshotHub, table: Any, cause: str | None, words: str
) -> None:
    clock = table.Clock()
    silent, again, over = threading.Event(), threading.Event(), threading.Event()

    def camera() -> Iterator[Any]:
        yield table.Frame(0, 0.0)
        silent.wait(PATIENCE_S)
        clock.time_s += 3.0
        again.wait(PATIENCE_S)
        yield table.Frame(1, 3.1)
        over.wait(PATIENCE_S)

    lines = Lines()
    manner = PlaybackMode(live=True, paced=False, stall_cause=cause)
    runtime = Runtime(
        table.session(camera(), table.Pipeline({}), match),
        board,
        manner,
        table.FakeListener(on_lines=lines.take),
        clock=clock,
        patience=QUICK,
    )
    runtime.start()
    until(board, lambda s: s.camera.condition is Condition.WATCHING)
    silent.set()
    lost = until(board, lambda s: s.camera.condition is Condition.LOST)
    assert lost.camera.trouble is not None
    assert lost.camera.trouble.startswith("no picture from the camera for 3 s")
    assert lost.camera.trouble.endswith(words)
    assert lost.camera.cause == cause
    again.set()
    until(board, lambda s: s.camera.condition is Condition.WATCHING)
    over.set()
    runtime.stop()
    assert lines.kinds("event") == ["blocked"]


def test_camera_is_not_lost_while_the_program_is_slow(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    clock, waits, over = table.Clock(), threading.Event(), threading.Event()

    class SlowPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> tuple[Any, ...]:
            clock.time_s += 5.0
            return super().feed(frame)  # type: ignore[no-any-return]

    def camera() -> Iterator[Any]:
        for number in range(3):
            yield table.Frame(number, 5.0 * number)
            waits.wait(0.05)  # until the table thread has waited in vain several times
        over.wait(PATIENCE_S)

    lines = Lines()
    runtime = Runtime(
        table.session(camera(), SlowPipeline({}), match),
        board,
        PlaybackMode(live=True, paced=False),
        table.FakeListener(on_lines=lines.take),
        clock=clock,
        patience=QUICK,
    )
    runtime.start()
    until(board, lambda s: s.camera.frames == 3)
    conditions = board.newest.camera.condition
    over.set()
    runtime.stop()
    assert conditions is Condition.WATCHING
    assert lines.kinds("event") == []


@pytest.mark.parametrize(("arrivals", "pace"), [(20.0, "slow"), (5.0, "few")])
def test_slow_program_is_distinguished_from_few_pictures(
    match: MatchLog, board: SnapshotHub, table: Any, arrivals: float, pace: str
) -> None:
    clock = table.Clock()

    class SlowPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> tuple[Any, ...]:
            clock.time_s += 0.2
            return super().feed(frame)  # type: ignore[no-any-return]

    manner = PlaybackMode(live=True, paced=False, on_demand=True, arrivals=lambda: arrivals)
    seen: list[Any] = []
    publish = board.publish
    board.publish = lambda **changes: seen.append(changes.get("camera")) or publish(**changes)  # type: ignore[method-assign]
    runtime = Runtime(
        table.session(table.frames(9), SlowPipeline({}), match), board, manner, clock=clock, patience=QUICK
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert {health.pace for health in seen if health is not None} == {None, pace}


def test_table_out_of_sight_after_the_end_is_not_recorded(header: Any, board: SnapshotHub, table: Any) -> None:
    last = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 34, "bout": 9, "beaten_off": 5}
    match = MatchLog(
        Header.parse(
            table.header
            | {"seats": ["A", "B"], "dealer": "B"}
            | {"start": {**last, "hands": {"A": 1, "B": 1}, "attacker": "A"}}
        )
    )
    pipeline = table.Pipeline({1: (table.placed(0.1, "7s", "A"),), 2: (Swept(at=0.2, to="B"),)})
    source = (*table.frames(4), table.Frame(4, 9.0, lost="the camera repeats one picture"))
    session = table.session(source, pipeline, match)
    session.begin()
    for frame in source[:4]:
        session.on_frame(frame)
    assert match.result is not None
    assert session.on_blocked("the camera repeats one picture").lines == ()


def test_source_with_its_own_newest_picture_is_read_on_demand(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    read: list[int] = []
    at_judging: list[int] = []

    class SlowPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> tuple[Any, ...]:
            at_judging.append(len(read))
            threading.Event().wait(0.01)  # time in which an unrestricted source would read further frames
            return super().feed(frame)  # type: ignore[no-any-return]

    def newest() -> Iterator[Any]:
        for number in range(8):
            read.append(number)
            yield table.Frame(number, number / 10)

    session = table.session(newest(), SlowPipeline({}), match)
    runtime = Runtime(session, board, PlaybackMode(live=True, paced=False, on_demand=True))
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert at_judging == list(range(1, 9)), "each picture was read after the one before was refereed"
    assert board.newest.camera.dropped == 0


def test_lost_camera_is_not_reported_as_finished_recording(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    manner = PlaybackMode(live=True, paced=False)
    runtime = Runtime(table.session(table.frames(3), table.Pipeline({}), match), board, manner, clock=table.Clock())
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert board.newest.camera.condition is Condition.GIVEN_UP
    assert "go on on the page" in str(board.newest.camera.trouble)


def test_lost_frame_is_shown_on_the_page(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    source = (table.Frame(0, 0.0), table.Frame(1, 0.1, lost="the camera repeats one picture"))
    runtime = Runtime(table.session(source, table.Pipeline({}), match), board, FAST, clock=table.Clock())
    seen = []
    publish = board.publish
    board.publish = lambda **changes: seen.append(changes.get("camera")) or publish(**changes)  # type: ignore[method-assign]
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert (Condition.LOST, "the camera repeats one picture") in [(c.condition, c.trouble) for c in seen if c]


@pytest.mark.parametrize(("sways", "condition"), [(False, Condition.HIDDEN), (True, Condition.SWAYING)])
def test_blind_pipeline_is_not_reported_as_watching(
    match: MatchLog, board: SnapshotHub, table: Any, sways: bool, condition: Condition
) -> None:
    class HiddenPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> tuple[Any, ...]:
            is_hidden = 5 <= frame.number < 10
            reason = "something hides the table" if is_hidden else None
            self.view = SimpleNamespace(moved_at=None, blocked_by=reason, sways=sways and is_hidden)
            return super().feed(frame)  # type: ignore[no-any-return]

    runtime = Runtime(table.session(table.frames(20), HiddenPipeline({}), match), board, FAST, clock=table.Clock())
    seen: list[Any] = []
    publish = board.publish
    board.publish = lambda **changes: seen.append(changes.get("camera")) or publish(**changes)  # type: ignore[method-assign]
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    conditions = [(health.condition, health.trouble) for health in seen if health is not None]
    first = conditions.index((condition, "something hides the table"))
    assert (Condition.WATCHING, None) in conditions[:first]
    assert (Condition.WATCHING, None) in conditions[first:]


def test_failing_source_is_reported_and_blocks_the_table(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    def breaking() -> Iterator[Any]:
        yield table.Frame(0, 0.0)
        raise RuntimeError("expected pictures, got a pulled cable")

    lines = Lines()
    runtime = Runtime(
        table.session(breaking(), table.Pipeline({}), match),
        board,
        FAST,
        table.FakeListener(on_lines=lines.take),
        clock=table.Clock(),
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert "pulled cable" in str(runtime.failure)
    assert lines.kinds("event") == ["blocked"]
    assert board.newest.camera.condition is Condition.LOST


def test_internal_error_stops_the_referee_and_is_reported(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    class BrokenPipeline(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> tuple[()]:
            raise AssertionError("a card in two places")

    runtime = Runtime(table.session(table.frames(5), BrokenPipeline({}), match), board, FAST, clock=table.Clock())
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert isinstance(runtime.failure, AssertionError)
    assert board.newest.camera.condition is Condition.STOPPED
    assert "a card in two places" in str(board.newest.camera.trouble)


def test_failing_store_is_reported_while_it_fails(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    warnings_now: list[TableWarning] = [TableWarning("record", "the disk is full")]
    runtime = Runtime(
        table.session(table.frames(5), table.Pipeline({}), match),
        board,
        FAST,
        table.FakeListener(more_warnings=lambda: tuple(warnings_now)),
        clock=table.Clock(),
        patience=Timeouts(health_s=0.0),
    )
    runtime.start()
    until(board, lambda s: s.warnings == (TableWarning("record", "the disk is full"),))
    warnings_now.clear()
    runtime.mailbox.press(runtime.session.on_press, Pressed(at=0.0, button="take", by="B"))
    until(board, lambda s: s.warnings == ())
    runtime.stop()
    assert runtime.failure is None


def test_board_has_the_newest_picture(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    runtime = Runtime(table.session(table.frames(7), table.Pipeline({}), match), board, FAST, clock=table.Clock())
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert board.picture is not None
    assert board.picture.number == 6


def test_moved_camera_is_reported_at_once(match: MatchLog, board: SnapshotHub, table: Any) -> None:
    class Pushed(table.Pipeline):  # type: ignore[misc, name-defined]
        def feed(self, frame: Any) -> Any:
            events = super().feed(frame)
            self.view = SimpleNamespace(moved_at=0.7 if frame.number >= 7 else None, blocked_by=None)
            return events

    published_moves = []
    publish = board.publish

    def published(**changes: Any) -> Any:
        snapshot = publish(**changes)
        published_moves.append((snapshot.camera.frames, snapshot.camera.moved_at_s))
        return snapshot

    board.publish = published  # type: ignore[method-assign]
    runtime = Runtime(table.session(table.frames(20), Pushed({}), match), board, FAST, clock=table.Clock())
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert (8, 0.7) in published_moves
    assert board.newest.camera.as_json()["moved_at"] == 0.7


def test_waiting_correction_is_released_if_the_referee_stops(
    match: MatchLog, board: SnapshotHub, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = table.Pipeline({5: (table.placed(0.5, "7s", "A"),)})
    session = table.session(table.frames(10), pipeline, match)
    runtime = Runtime(session, board, FAST, clock=table.Clock(), patience=QUICK)
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)

    def broken(correction: Any) -> Any:
        raise AssertionError("a card in two places")

    monkeypatch.setattr(match, "correct", broken)
    assert runtime.correct(Pressed(at=0.0, button="undo")) is None
    until(board, lambda s: s.camera.condition is Condition.STOPPED)
    runtime.stop()
    assert "a card in two places" in str(runtime.failure)
