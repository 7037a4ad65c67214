"""`kozyr review`: the header, events with the referee's lines between them, and the summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.film_part import cut_film
from webapp.commands import cli
from webapp.errors import OutputLostError
from webapp.live.match_files import RecordFile
from webapp.live.review_loop import begun_at, review
from webapp.match.log import MatchLog
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD


def lines_of(match: MatchLog, table: Any) -> list[Any]:
    """Review two plays: a lead, and a card that does not beat it."""
    pipeline = table.Pipeline({2: (table.placed(0.2, "9s", "A"),)}, last=(table.placed(0.9, "7s", "B", "9s"),))
    ticks = iter((50.0, 50.5))
    return list(review(table.session((), pipeline, match, frame_s=0.1), table.frames(10), lambda: next(ticks)))


def test_lines_are_in_the_documented_order(match: MatchLog, table: Any) -> None:
    lines = lines_of(match, table)
    assert lines[0]["kozyr"] == 1
    kinds = [line.get("event") or line.get("ruling") or "other" for line in lines[1:-1] if "announce" not in line]
    assert kinds == ["placed", "legal", "placed", "illegal"]
    assert list(lines[-1]) == ["summary"]


def test_ruling_has_the_line_of_its_event(match: MatchLog, table: Any) -> None:
    rulings = [line for line in lines_of(match, table) if "ruling" in line]
    assert [(ruling["line"], ruling["at"]) for ruling in rulings] == [(2, 0.2), (3, 0.9)]
    assert rulings[1]["fault"] == "does-not-beat"
    assert rulings[1]["text"].strip()


def test_summary_counts_rulings(match: MatchLog, table: Any) -> None:
    summary = lines_of(match, table)[-1]["summary"]
    assert summary == {
        "frames": 10,
        "seconds_of_clip": 1.0,
        "seconds_taken": 0.5,
        "rulings": {"legal": 1, "illegal": 1, "impossible": 0, "unclear": 0},
        "result": None,
        "doubts": 0,
    }


def test_written_record_is_accepted_by_the_referee(tmp_path: Path, table: Any, header: Any) -> None:
    from referee.record import read_record

    path = tmp_path / "game.jsonl"
    with RecordFile(path) as record:
        lines = lines_of(MatchLog(header, record), table)
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert written == [line for line in lines if "kozyr" in line or "event" in line]
    assert len(list(read_record(path.read_text(encoding="utf-8").splitlines(), "game.jsonl"))) == 3


def test_earlier_record_is_kept_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("an older game\n")
    with RecordFile(path) as record:
        record.write({"kozyr": 1})
    assert path.read_text() == '{"kozyr": 1}\n'
    assert (tmp_path / "game.jsonl.1").read_text() == "an older game\n"


def test_unwritable_record_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputLostError, match="The operating system refused:"):
        RecordFile(tmp_path / "no" / "such" / "folder.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_full_disk_is_one_sentence() -> None:
    record = RecordFile(Path("/dev/full"))
    record.write({"kozyr": 1})
    with pytest.raises(OutputLostError, match="expected room for the record"):
        record.close()


def test_review_from_a_later_time_keeps_the_clip_times(match: MatchLog, table: Any) -> None:
    pipeline = table.Pipeline({2: (table.placed(0.2, "9s", "A"),), 6: (table.placed(0.6, "Ts", "B"),)})
    ticks = iter((0.0, 0.0))
    session = table.session((), pipeline, match, frame_s=0.1)
    lines = list(review(session, begun_at(table.frames(10), 0.5), lambda: next(ticks)))
    assert pipeline.seen == [5, 6, 7, 8, 9]
    assert [line["at"] for line in lines if "event" in line] == [0.6]
    assert (lines[-1]["summary"]["frames"], lines[-1]["summary"]["seconds_of_clip"]) == (5, 0.5)


def test_start_beyond_the_end_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["review", str(DEMO_CLIP), "--from", "1:40"]) == 2
    err = capsys.readouterr().err
    assert "expected --from within" in err
    assert err.count("\n") == 1


@pytest.mark.thorough
def test_review_starts_at_the_requested_second(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut_film(DEMO_CLIP, tmp_path / "beginning.mp4", 8.0)
    call = ["review", str(tmp_path / "beginning.mp4"), "--start", str(DEMO_RECORD), "--from", "4", "--json"]
    assert cli.main(call) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["seats"] == ["Anya", "Boris", "Vera"]
    assert all(line["at"] >= 4 for line in lines if "at" in line)
    assert lines[-1]["summary"]["seconds_of_clip"] == pytest.approx(4.0, abs=0.1)
    runs, megapixels = lines[-1]["summary"]["cost"]["finder"]
    assert runs > 3
    assert megapixels > runs * 0.1


def test_path_of_the_record_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "webapp")
    RecordFile(tmp_path / "game.jsonl").close()
    assert [record.getMessage() for record in caplog.records] == [f"the record is written to {tmp_path / 'game.jsonl'}"]
