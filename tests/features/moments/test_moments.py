"""
Moments: exported and replayed by one command; those in `tests/moments` give the same rulings as before.

A moment becomes a test when its file is added there: the rulings must equal those of its record, or ``expected`` in its
``moment.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from features.moments.command import replayed
from features.moments.moment_zip import read_moment
from referee.record import event_from_json
from tests.webapp.commands.conftest import EVENTS
from tests.webapp.conftest import FakePipeline
from vision.capture.film_file import Film, FilmFile
from vision.data_home import data_home
from webapp.live import vision_opening
from webapp.live.match_options import MatchOptions
from webapp.match.stored_matches import compared_content
from webapp.store.films import FOLDER, Films

Call = Callable[..., tuple[int, list[Any], str]]
MOMENTS = sorted((Path(__file__).parents[2] / "moments").glob("*.zip"))


@pytest.mark.parametrize("path", MOMENTS, ids=lambda path: path.stem)
def test_stored_moment_gives_the_expected_rulings(path: Path) -> None:
    moment = read_moment(path)
    expected = moment.about.get("expected", moment.about["said"])
    assert [compared_content(ruling) for ruling in replayed(moment)["record"]] == [
        compared_content(ruling) for ruling in expected
    ]


def test_at_least_one_moment_is_stored() -> None:
    assert MOMENTS


def test_moment_is_exported_and_replayed(
    kozyr: Call, filmed_match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "moment.zip"
    status, _, noted = kozyr("matches", "moment", filmed_match, 6, file)
    assert status == 0
    assert f"kozyr matches replay-moment {file}" in noted
    with ZipFile(file) as packed:
        assert sorted(packed.namelist()) == ["film.mp4", "moment.json", "record.jsonl"]
        (tmp_path / "film.mp4").write_bytes(packed.read("film.mp4"))
        about = json.loads(packed.read("moment.json"))
    assert len(Film([FilmFile(tmp_path / "film.mp4")]).frames_s) == 30
    assert (about["line"], about["at"], about["from"], about["to"]) == (6, 3.0, 0.0, 6.0)

    def pipeline(options: MatchOptions, zones: object, observer: object, state: Any) -> FakePipeline:
        assert state["table"] == []
        return FakePipeline({10: (event_from_json(EVENTS[0]),), 20: (event_from_json(EVENTS[3]),)})

    monkeypatch.setattr(vision_opening, "pipeline_for", pipeline)
    status, (found,), _ = kozyr("matches", "replay-moment", file, "--json")
    assert status == 0
    then = [(line["ruling"], line["cards"]) for line in found["said"]]
    assert then == [("legal", ["7s"]), ("legal", ["Ts"]), ("illegal", ["Kd"])]
    assert [(line["ruling"], line["cards"]) for line in found["record"]] == then
    assert [(line["ruling"], line["cards"]) for line in found["film"]] == then[:2]
    assert set(found["versions"]) == {"then", "now"}


def test_moment_contains_ten_seconds_of_a_long_film(filmed_match: str) -> None:
    film = Films(data_home() / FOLDER).film(filmed_match)
    assert film is not None
    whole, part = (b"".join(film.cut(*span)) for span in ((0.0, 9.0), (1.2, 1.8)))
    assert len(part) < len(whole)
    place = data_home() / "part.mp4"
    place.write_bytes(part)
    again = Film([FilmFile(place)])
    assert [round(float(at), 3) for at in again.frames_s] == [round(1 + number / 10, 3) for number in range(10)]
    assert again.picture(1.55) is not None


def test_moment_without_a_film_is_replayed_from_the_record(kozyr: Call, filmed_match: str, tmp_path: Path) -> None:
    file = tmp_path / "moment.zip"
    assert kozyr("matches", "moment", filmed_match, 6, file, "--no-film")[0] == 0
    status, (found,), _ = kozyr("matches", "replay-moment", file, "--json")
    assert (status, found["film"], len(found["record"])) == (0, None, 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["moment", "MATCH", "99", "new.zip"], "expected the line of an event"),
        (["moment", "MATCH", "1", "new.zip"], "expected the line of an event"),
        (["moment", "MATCH", "2", "there.zip"], "expected the name of a new file"),
        (["replay-moment", "there.zip"], "another kind of file, or a damaged one"),
        (["replay-moment", "nothing.zip"], "No such file"),
        (["replay-moment", "other.zip"], "expected a moment that kozyr packed"),
    ],
)
def test_error_is_one_sentence(kozyr: Call, filmed_match: str, tmp_path: Path, call: list[str], words: str) -> None:
    (tmp_path / "there.zip").write_bytes(b"PK no zip")
    with ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("moment.json", "[]")
        other.writestr("record.jsonl", "{}")
    named = [filmed_match if word == "MATCH" else tmp_path / word if word.endswith(".zip") else word for word in call]
    status, lines, noted = kozyr("matches", *named)
    assert (status, lines) == (1, [])
    assert words in noted
    assert not (tmp_path / "new.zip").exists()


@pytest.mark.parametrize(
    "values",
    [
        {"line": 10**400},
        {"line": 0},
        {"line": 2.5},
        {"at": 10**400},
        {"at": float("inf")},
        {"from": None},
        {"said": [1, None]},
        {"said": [{"at": 1.0}]},
        {"said": [{"text": "x", "at": "now"}]},
        {"said": [{"text": "x", "at": float("nan")}]},
        {"match": 5},
        {"kozyr_moment": 2},
    ],
    ids=str,
)
def test_moment_with_impossible_values_is_one_sentence(values: dict[str, Any], kozyr: Call, tmp_path: Path) -> None:
    file = tmp_path / "moment.zip"
    with ZipFile(MOMENTS[0]) as packed, ZipFile(file, "w") as damaged:
        for name in packed.namelist():
            content = packed.read(name)
            if name == "moment.json":
                content = json.dumps({**json.loads(content), **values}).encode()
            damaged.writestr(name, content)
    for form in ([], ["--json"]):
        status, lines, noted = kozyr("matches", "replay-moment", file, *form)
        assert (status, lines, noted.count("\n")) == (1, [], 1)
        assert "expected a moment that kozyr packed" in noted
