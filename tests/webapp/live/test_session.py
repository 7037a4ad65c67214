"""Match session without threads and camera: results of frames, presses and corrections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.cards import Card
from referee.events import Blocked, Corrected, Pressed
from referee.record import event_from_json
from vision.capture.sources import Frame
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView, SeenCard
from webapp.errors import WrongCallError
from webapp.live.match_files import MatchFiles
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions, MatchOptions
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog, MatchUpdate


def events_of(update: MatchUpdate) -> list[Any]:
    """Return the lines of the record among those of an update."""
    return [line for line in update.lines if "event" in line]


def test_frame_gives_lines_and_a_view(match: MatchLog, table: Any) -> None:
    pipeline = table.Pipeline({3: (table.placed(0.3, "7s", "A"),)})
    session = table.session((), pipeline, match)
    begun = session.begin()
    assert [line.get("kozyr") for line in begun.lines][:1] == [1]
    assert [line["announce"] for line in begun.lines if "announce" in line] == ["turn"]
    assert session.match.view.state["table"] == []
    updates = [session.on_frame(frame) for frame in table.frames(10)]
    assert [len(events_of(update)) for update in updates] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert [line["play"] for line in updates[3].lines if "ruling" in line] == ["lead"]
    assert session.match.view.state["table"] == [["7s", None]]


def test_stream_that_freezes_again_and_again_is_blocked_once(match: MatchLog, table: Any) -> None:
    blocked = {number: (Blocked(at=number / 10, reason="no picture"),) for number in (1, 4, 7)}
    session = table.session((), table.Pipeline({**blocked, 8: (table.placed(0.8, "7s", "A"),)}), match)
    session.begin()
    assert session.match.view.state["table"] == []
    updates = [session.on_frame(frame) for frame in table.frames(10)]
    updates.append(session.on_blocked("no picture from the camera for 2 s"))
    kinds = [line["event"] for update in updates for line in events_of(update)]
    assert kinds == ["blocked", "placed", "blocked"], "the next event is the end of the first"


def test_press_has_the_time_of_the_newest_frame(match: MatchLog, table: Any) -> None:
    session = table.session((), table.Pipeline({3: (table.placed(0.3, "7s", "A"),)}), match)
    session.begin()
    for frame in table.frames(6):
        session.on_frame(frame)
    update = session.on_press(Pressed(at=0.0, button="take", by="B"))
    assert [line["at"] for line in events_of(update)] == [0.5]
    assert session.match.view.state["phase"] == "take"


def test_correction_announces_its_changes(match: MatchLog, table: Any) -> None:
    session = table.session((), table.Pipeline({3: (table.placed(0.3, "7s", "A"),)}), match)
    session.begin()
    for frame in table.frames(6):
        session.on_frame(frame)
    correction = event_from_json(
        {"at": 0, "event": "corrected", "line": 2, "to": {"event": "placed", "card": "7d", "by": "A"}}
    )
    assert isinstance(correction, Corrected)
    update = session.on_correction(correction)
    assert update.texts["en"] == "7♠ was 7♦."
    assert session.match.view.state["table"] == [["7d", None]]


def test_statements_of_an_earlier_run_keep_their_times(match: MatchLog, table: Any) -> None:
    pressed = (Pressed(at=0.4, button="take", by="B"), Pressed(at=9.0, button="done"))
    session = table.session((), table.Pipeline({3: (table.placed(0.3, "7s", "A"),)}), match, statements=pressed)
    session.begin()
    updates = [session.on_frame(frame) for frame in table.frames(6)]
    assert [line["event"] for line in events_of(updates[4])] == ["pressed"]
    assert [line["event"] for line in events_of(session.finish())] == ["pressed"]
    assert session.files.is_over


def test_opened_parts_are_closed_if_an_input_is_unusable(match: MatchLog, tmp_path: Path) -> None:
    clip = tmp_path / "a.png"
    assert cv2.imwrite(str(clip), np.full((48, 64, 3), 90, np.uint8))
    options = MatchOptions(str(clip), match.header, files=FileOptions(record=clip))
    with pytest.raises(WrongCallError, match="expected --record to name another file than the one being read"):
        MatchSession.open(options)


def test_single_pictures_do_not_resume_a_match(match: MatchLog, tmp_path: Path) -> None:
    clip = tmp_path / "a.png"
    assert cv2.imwrite(str(clip), np.full((48, 64, 3), 90, np.uint8))
    options = MatchOptions(str(clip), match.header, keeping=KeepingOptions(keep=True, resume=""))
    with pytest.raises(WrongCallError, match="expected moving pictures to go on with a match"):
        MatchSession.open(options)


def test_take_is_listed_among_the_calls_until_corrected(match: MatchLog, table: Any) -> None:
    taken = event_from_json({"at": 0.7, "event": "swept", "to": "B"})
    session = table.session((), table.Pipeline({3: (table.placed(0.3, "7s", "A"),), 7: (taken,)}), match)
    session.begin()
    for frame in table.frames(5):
        session.on_frame(frame)
    session.on_press(Pressed(at=0.0, button="take", by="B"))
    for frame in list(table.frames(12))[5:]:
        session.on_frame(frame)
    takes = [call for call in session.match.view.calls if call.content.get("announce") == "take"]
    assert [(call.content["seat"], call.text.in_language("en")) for call in takes] == [("B", "B takes the cards")]
    correction = event_from_json({"at": 0, "event": "corrected", "line": takes[0].line, "to": None})
    assert isinstance(correction, Corrected)
    session.on_correction(correction)
    assert not [call for call in session.match.view.calls if call.content.get("announce") == "take"]


class Writer:
    """What a session asks of the writer of a match that is kept."""

    trouble = None


@dataclass
class Recorder:
    """A film that is turned on or off."""

    is_on: bool

    def look(self, frame: Frame, view: PipelineView | None, events: tuple[Any, ...]) -> None: ...


@pytest.mark.parametrize(
    ("kept", "film", "has_crop"),
    [
        (True, None, True),
        (True, Recorder(is_on=False), True),
        (True, Recorder(is_on=True), False),
        (False, None, False),
    ],
)
def test_card_of_a_line_is_in_memory_where_no_film_shows_it(
    match: MatchLog, table: Any, kept: bool, film: Recorder | None, has_crop: bool
) -> None:
    lying = SeenCard(
        1, ((20, 10), (40, 10), (40, 40), (20, 40)), Card.parse("7s"), 0.9, "bout", None, is_confirmed=True
    )
    view = PipelineView(0, 0.3, (lying,), (), TableLayout.guessed((64, 48), ("A", "B")))
    pipeline = table.Pipeline({3: (table.placed(0.3, "7s", "A"),)}, view=view)
    files = MatchFiles(match_writer=Writer() if kept else None, film=film)  # type: ignore[arg-type]
    session = table.session((), pipeline, match, files=files)
    session.begin()
    for number in range(5):
        session.on_frame(Frame(np.full((48, 64, 3), 90, np.uint8), number, number / 10))
    found = session.crop_of(2)
    assert (found is not None) is has_crop
    if found is not None:
        assert found[0] == "7s"
        assert cv2.imdecode(np.frombuffer(found[1], np.uint8), cv2.IMREAD_COLOR) is not None
    assert [session.crop_of(line) for line in (0, 1, 3, 99)] == [None] * 4


def test_match_notes_the_deck_that_it_is_read_with() -> None:
    for deck, kept in ((None, None), ("blue", "blue"), ("/media/stick/blue.deck", None)):
        assert DetectorOptions.of_deck(None, deck).kept_deck == kept
