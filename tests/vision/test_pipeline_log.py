"""Log messages of the stages for a simulated table, and none without a handler."""

from __future__ import annotations

import logging

import pytest

from referee.cards import Card
from tests.vision.tabletop import Lying, play, with_talon
from vision.pipeline import Pipeline
from vision.table.observation import InitialState

START = InitialState(turnup=Card.parse("9h"), talon=5, dealt=True)


def test_events_of_a_game_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "vision")
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), table.lay("A", Lying("7s", 0, 0)), table.rest(0.5))
    messages = [record.message for record in caplog.records]
    assert any(text.startswith("the talon is found") for text in messages)
    assert any(text.startswith("reported: Placed(") and "7s" in text for text in messages)
    assert not any(record.levelno < logging.INFO for record in caplog.records)


def test_inferences_and_tracks_are_logged_at_the_finest_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "vision")
    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), table.lay("A", Lying("7s", 0, 0)), table.rest(0.5))
    messages = [record.message for record in caplog.records]
    assert any(text.startswith("inference ") and "because the picture has changed" in text for text in messages)
    assert any(text.startswith("track ") and text.endswith("as 7s") for text in messages)


def test_camera_motion_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "vision")
    table = with_talon(heap=2)
    table.lying += [Lying("7s", -60, 0), Lying("8d", 60, -40, 20), Lying("Tc", 0, 80, 70)]
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.5), table.bump((26, 14)), table.rest(3.0))
    assert any(record.message.startswith("the camera was moved") for record in caplog.records)


def test_nothing_is_printed_without_a_log_handler(capsys: pytest.CaptureFixture[str]) -> None:
    table = with_talon()
    play(Pipeline(table, table.seats, START), table.rest(1.0), table.lay("A", Lying("7s", 0, 0)), table.rest(0.5))
    assert capsys.readouterr() == ("", "")
