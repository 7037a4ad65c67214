"""Coverage: one sentence after a film about which parts could be refereed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.cards import Card
from webapp.commands import cli
from webapp.live.review_loop import Coverage

SEVEN = Card.parse("7s")


@dataclass
class View:
    """A view of the pipeline."""

    cards: tuple[Any, ...] = ()
    blind: bool = False
    moved_at: float | None = None
    sways: bool = False


@dataclass
class SeenCard:
    """A card in the view."""

    is_confirmed: bool
    card: Card | None = SEVEN


def coverage_of(table: Any, view: View, seconds: int, hidden: tuple[int, ...] = ()) -> Coverage:
    """
    Return the coverage of a film of ``seconds`` seconds at ten frames each; in the seconds ``hidden`` it is blind.
    """
    coverage = Coverage()
    for number in range(seconds * 10 + 1):
        view.blind = number // 10 in hidden
        coverage.sample(table.Frame(number, number / 10), lambda: view)
    return coverage


def test_camera_moves_are_counted(table: Any) -> None:
    view = View((SeenCard(True),))
    coverage = Coverage()
    for number in range(300):
        view.moved_at = None if number < 120 else 12.0
        coverage.sample(table.Frame(number, number / 10), lambda: view)
    played(coverage, 3.0, 20.0)
    assert coverage.sentence.endswith("; the camera was moved at 0:12, and followed")


def played(coverage: Coverage, *times_s: float) -> Coverage:
    for at_s in times_s:
        coverage.hear({"at": at_s, "event": "placed", "card": "7s"})
    return coverage


def test_film_without_a_card_says_what_to_check(table: Any) -> None:
    coverage = coverage_of(table, View((SeenCard(is_confirmed=False), SeenCard(is_confirmed=True, card=None))), 12)
    assert "saw none face up in 12 s of film: nothing was refereed; is the table in the picture" in coverage.sentence
    assert coverage.is_useless


def test_picture_given_as_film_names_the_command_for_pictures(table: Any) -> None:
    assert coverage_of(table, View(), 0).sentence.startswith("expected a film, got a single picture")


def test_film_with_cards_and_no_play(table: Any) -> None:
    coverage = coverage_of(table, View((SeenCard(is_confirmed=True),)), 12)
    assert coverage.sentence == ("saw 7♠ for 12 s, but in 12 s of film nobody laid one: there was nothing to referee")
    assert coverage.is_useless


def test_film_with_a_card_misread_for_a_moment_says_what_was_seen(table: Any) -> None:
    coverage = Coverage()
    for number in range(121):
        view = View((SeenCard(is_confirmed=True),) if 30 <= number < 45 else ())
        coverage.sample(table.Frame(number, number / 10), lambda view=view: view)  # type: ignore[misc]
    assert "saw only what may be 7♠ for 2 s in 12 s of film: nothing was refereed" in coverage.sentence
    assert coverage.is_useless


def test_film_with_a_complete_game(table: Any) -> None:
    coverage = played(coverage_of(table, View(), 200), 3.0, 75.5)
    coverage.hear({"announce": "result", "kind": "fool", "seats": ["B"]})
    assert coverage.sentence == "refereed 2 plays from 0:03 to 1:15, to the end of the game"
    assert not coverage.is_useless


def test_film_that_ends_early_with_hidden_periods(table: Any) -> None:
    coverage = played(coverage_of(table, View(), 60, hidden=(20, 21, 22, 40)), 3.0)
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
def test_many_faults_of_one_kind_suggest_a_wrong_setup(table: Any, ruling: str, fault: str, words: str) -> None:
    coverage = played(coverage_of(table, View(), 5), 1.0)
    for _ in range(2):
        coverage.hear({"line": 3, "ruling": ruling, "fault": fault})
    assert words not in coverage.sentence
    coverage.hear({"line": 3, "ruling": ruling, "fault": fault})
    assert words in coverage.sentence


def test_review_of_an_empty_film_prints_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dark.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 180))
    for _ in range(30):
        writer.write(np.full((180, 320, 3), 12, np.uint8))
    writer.release()
    assert cli.main(["review", str(path), "--seats", "A,B", "--json"]) == 1
    output = capsys.readouterr()
    lines = [json.loads(line) for line in output.out.splitlines()]
    assert [line for line in lines if "ruling" in line] == []
    assert "saw none face up in 3 s" in lines[-1]["summary"]["refereed"]
    assert lines[-1]["summary"]["refereed"] in output.err
    assert output.err.count("\n") == 1


def test_few_questions_suggest_no_wrong_setup(table: Any) -> None:
    coverage = played(coverage_of(table, View(), 5), 1.0)
    for _ in range(8):
        coverage.hear({"line": 3, "ruling": "legal", "play": "beat"})
    for _ in range(3):
        coverage.hear({"line": 4, "ruling": "unclear", "fault": "priority"})
    assert "--seats" not in coverage.sentence
    coverage.hear({"line": 5, "ruling": "illegal", "fault": "draw-out-of-turn"})
    assert "4 plays came from a seat whose turn it was not" in coverage.sentence


@pytest.mark.parametrize(
    ("times_s", "beginning"), [((3.0,), "one change from 0:03 to 0:03"), ((3.0, 9.0), "2 changes")]
)
def test_film_without_a_game_reports_its_changes(table: Any, times_s: tuple[float, ...], beginning: str) -> None:
    coverage = coverage_of(table, View(), 12)
    coverage.hear({"kozyr": 1, "rules": "free", "seats": ["A", "B"], "dealer": "B"})
    sentence = played(coverage, *times_s).sentence
    assert sentence.startswith(f"reported {beginning}")
    assert sentence.endswith("; nothing is judged")
