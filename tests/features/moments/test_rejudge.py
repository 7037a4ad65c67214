"""`kozyr rejudge`: a stored match is refereed again, and differing rulings are listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from features.moments.comparison import compared
from referee.record import event_from_json
from tests.webapp.commands.conftest import EVENTS
from tests.webapp.conftest import FakePipeline
from vision.capture.video_writer import FilmWriter
from vision.data_home import data_home
from webapp.live import vision_opening
from webapp.live.match_options import MatchOptions
from webapp.match.stored_matches import rulings_then
from webapp.store.films import FOLDER, Films

Call = Callable[..., tuple[int, list[Any], str]]
LEAD = {"line": 2, "at": 1.0, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "A leads 7♠."}
BEAT = {"line": 5, "at": 2.0, "ruling": "legal", "play": "beat", "cards": ["Ts"], "by": "B", "text": "B beats it."}


def kinds(lines: list[Any]) -> list[tuple[str, list[str]]]:
    changes = [line for line in lines if "change" in line]
    return [(line["change"], (line["was"] or line["now"])["cards"]) for line in changes]


def test_refereeing_the_record_again_gives_no_difference(kozyr: Call, filmed_match: str) -> None:
    status, lines, _ = kozyr("matches", "rejudge", filmed_match, "--json")
    assert status == 0
    assert kinds(lines) == [("same", ["7s"]), ("same", ["Ts"]), ("same", ["Kd"])]
    assert lines[-1]["summary"]["from"] == "record"


def test_other_rules_remove_rulings(kozyr: Call, filmed_match: str) -> None:
    status, lines, _ = kozyr("matches", "rejudge", filmed_match, "--json", "--rules", "free", "--language", "ru")
    assert status == 0
    assert [line["was"]["ruling"] for line in lines if line.get("change") == "gone"] == ["legal", "legal", "illegal"]
    assert "подкинуть нельзя" in lines[2]["was"]["text"]  # in the requested language and not the stored one
    assert lines[-1]["summary"] == {
        "match": filmed_match,
        "from": "record",
        "rules": "free",
        "same": 0,
        "gone": 3,
        "new": 0,
        "changed": 0,
        "unfilmed": 0,
        "result": {"was": None, "now": None},
    }


def test_another_fault_of_a_play_is_a_change() -> None:
    wrong = {**BEAT, "ruling": "illegal", "fault": "does-not-beat"}
    assert [change["change"] for change in compared([LEAD, BEAT], [LEAD, wrong], by_line=True)] == ["same", "changed"]
    assert [change["change"] for change in compared([LEAD], [BEAT], by_line=True)] == ["gone", "new"]


def test_rulings_of_the_film_are_matched_by_play(
    kozyr: Call, filmed_match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipeline(options: MatchOptions, *more: object, **others: object) -> FakePipeline:
        later = event_from_json({**EVENTS[3], "at": 2.4})  # type: ignore[dict-item]
        return FakePipeline({10: (event_from_json(EVENTS[0]),), 24: (later,)})

    monkeypatch.setattr(vision_opening, "pipeline_for", pipeline)
    status, lines, noted = kozyr("matches", "rejudge", filmed_match, "--json", "--from-film")
    assert status == 0
    assert kinds(lines) == [("same", ["7s"]), ("same", ["Ts"]), ("gone", ["Kd"])]
    assert "kozyr: 50 %" in noted
    assert lines[1]["now"]["at"] == 2.4


def test_rulings_outside_the_film_are_not_listed_as_removed(
    kozyr: Call, filmed_match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = Films(data_home() / FOLDER).parts(filmed_match)[0]
    with FilmWriter(film.with_name("short.mp4"), (160, 90), 0.0) as short:
        for number in range(4):
            short.add(np.full((90, 160, 3), 90, np.uint8), number / 10, wait=True)
    film.with_name("short.mp4").replace(film)
    monkeypatch.setattr(vision_opening, "pipeline_for", lambda *more, **others: FakePipeline({}))
    status, lines, _ = kozyr("matches", "rejudge", filmed_match, "--json", "--from-film")
    assert (status, kinds(lines)) == (0, [("gone", ["7s"])])
    assert lines[-1]["summary"]["unfilmed"] == 2


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        (["--rules", "whist"], 2, "'kozyr rules' lists"),
        (["--set", "attack_limit=many"], 2, "attack_limit"),
        (["--set", "attack_limit"], 2, "expected OPTION=VALUE"),
        (["--from-film"], 1, "expected a film of match"),
    ],
)
def test_error_is_one_sentence(kozyr: Call, filmed_match: str, more: list[str], status: int, words: str) -> None:
    Films(data_home() / FOLDER).delete(filmed_match)
    came, lines, noted = kozyr("matches", "rejudge", filmed_match, "--json", *more)
    assert (came, lines) == (status, [])
    assert words in noted


def test_revised_ruling_replaces_the_old_one() -> None:
    wrong = {**BEAT, "ruling": "illegal", "fault": "does-not-beat"}
    again = {**BEAT, "line": 9, "of": 5, "at": 7.0}
    record = [{"kozyr": 1}, *({"event": "tick", "at": float(n)} for n in range(1, 9))]
    assert [ruling["ruling"] for ruling in rulings_then([*record, LEAD, wrong, again])] == ["legal", "legal"]
    withdrawn = {"line": 9, "withdrawn": "does-not-beat", "of": 5, "text": "..."}
    assert rulings_then([*record, LEAD, wrong, withdrawn]) == [{**LEAD, "at": 1.0}]


def test_nearest_of_two_equal_plays_is_matched() -> None:
    later = {**LEAD, "line": 8, "at": 4.0}
    changes = compared([LEAD, later], [{**later, "line": 6, "at": 3.6}], by_line=False)
    assert [(change["change"], change["at"]) for change in changes] == [("same", 1.0), ("gone", 4.0)]
