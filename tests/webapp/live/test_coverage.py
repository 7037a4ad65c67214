"""After a film one sentence says what of it could be refereed, and what not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from webapp.commands import cli
from webapp.live.review_loop import Coverage


@dataclass
class View:
    """A view of the pipeline."""

    cards: tuple[Any, ...] = ()
    blind: bool = False
    moved_at: float | None = None


@dataclass
class Card:
    """A card in the view."""

    is_confirmed: bool
    card: str | None = "7s"


def watched(table: Any, view: View, seconds: int, hidden: tuple[int, ...] = ()) -> Coverage:
    """Return a film of so many seconds at ten frames each; in the seconds ``hidden`` nothing can be seen."""
    coverage = Coverage()
    for number in range(seconds * 10 + 1):
        view.blind = number // 10 in hidden
        coverage.sample(table.Frame(number, number / 10), view)
    return coverage


def test_a_moved_camera_is_counted(table: Any) -> None:
    view = View((Card(True),))
    coverage = Coverage()
    for number in range(300):
        view.moved_at = None if number < 120 else 12.0
        coverage.sample(table.Frame(number, number / 10), view)
    played(coverage, 3.0, 20.0)
    assert coverage.sentence.endswith("; the camera was moved at 0:12, and followed")


def played(coverage: Coverage, *times_s: float) -> Coverage:
    for at_s in times_s:
        coverage.hear({"at": at_s, "event": "placed", "card": "7s"})
    return coverage


def test_a_film_without_a_card_names_what_to_check(table: Any) -> None:
    coverage = watched(table, View((Card(is_confirmed=False), Card(is_confirmed=True, card=None))), 12)
    assert "saw none face up in 12 s of film: nothing was refereed; is the table in the picture" in coverage.sentence
    assert coverage.is_useless


def test_a_picture_named_as_a_film_names_the_command_for_pictures(table: Any) -> None:
    assert watched(table, View(), 0).sentence.startswith("expected a film, got a single picture")


def test_cards_that_nobody_plays(table: Any) -> None:
    coverage = watched(table, View((Card(is_confirmed=True),)), 12)
    assert "nobody laid one" in coverage.sentence
    assert coverage.is_useless


def test_a_game_seen_whole(table: Any) -> None:
    coverage = played(watched(table, View(), 200), 3.0, 75.5)
    coverage.hear({"announce": "result", "kind": "fool", "seats": ["B"]})
    assert coverage.sentence == "refereed 2 plays from 0:03 to 1:15, to the end of the game"
    assert not coverage.is_useless


def test_a_film_that_ends_too_early_and_hides_the_table_meanwhile(table: Any) -> None:
    coverage = played(watched(table, View(), 60, hidden=(20, 21, 22, 40)), 3.0)
    assert coverage.sentence == (
        "refereed one play from 0:03 to 0:03; the film ends before the game does; "
        "not refereed: 0:20 to 0:22, 0:40 to 0:40, when the table was hidden"
    )


@pytest.mark.parametrize(
    ("ruling", "fault", "words"),
    [
        ("impossible", "duplicate-card", "is it one pack"),
        ("illegal", "not-principal", "sit as --seats says"),
    ],
)
def test_many_faults_of_one_kind_have_a_cause_outside_the_game(table: Any, ruling: str, fault: str, words: str) -> None:
    coverage = played(watched(table, View(), 5), 1.0)
    for _ in range(2):
        coverage.hear({"line": 3, "ruling": ruling, "fault": fault})
    assert words not in coverage.sentence
    coverage.hear({"line": 3, "ruling": ruling, "fault": fault})
    assert words in coverage.sentence


def test_a_film_of_nothing_through_the_front_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dark.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 180))
    for _ in range(30):
        writer.write(np.full((180, 320, 3), 12, np.uint8))
    writer.release()
    assert cli.main(["review", str(path), "--seats", "A,B", "--json"]) == 1
    said = capsys.readouterr()
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert [line for line in lines if "ruling" in line] == []
    assert "saw none face up in 3 s" in lines[-1]["summary"]["refereed"]
    assert lines[-1]["summary"]["refereed"] in said.err
    assert said.err.count("\n") == 1


def test_a_few_questions_about_who_are_part_of_play(table: Any) -> None:
    coverage = played(watched(table, View(), 5), 1.0)
    for _ in range(8):
        coverage.hear({"line": 3, "ruling": "legal", "play": "beat"})
    for _ in range(3):
        coverage.hear({"line": 4, "ruling": "unclear", "fault": "priority"})
    assert "--seats" not in coverage.sentence
    coverage.hear({"line": 5, "ruling": "illegal", "fault": "draw-out-of-turn"})
    assert "4 plays came from a seat whose turn it was not" in coverage.sentence


@pytest.mark.parametrize(("times_s", "told"), [((3.0,), "one change from 0:03 to 0:03"), ((3.0, 9.0), "2 changes")])
def test_without_a_game_changes_are_reported_and_nothing_is_missed(
    table: Any, times_s: tuple[float, ...], told: str
) -> None:
    coverage = watched(table, View(), 12)
    coverage.hear({"kozyr": 1, "rules": "free", "seats": ["A", "B"], "dealer": "B"})
    sentence = played(coverage, *times_s).sentence
    assert sentence.startswith(f"reported {told}")
    assert sentence.endswith("; nothing is judged")
