"""Warnings on standard error, and log messages with -v."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest

from webapp.commands import cli
from webapp.commands.cli import logging_printed


@pytest.fixture
def picture(tmp_path: Path) -> str:
    """Write a picture of an empty table."""
    path = tmp_path / "bare.png"
    cv2.imwrite(str(path), np.full((90, 160, 3), (40, 90, 50), np.uint8))
    return str(path)


def test_command_logs_nothing_by_default(picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", picture]) == 0
    assert capsys.readouterr().err == ""


def test_v_logs_only_to_standard_error(picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", "-v", picture]) == 0
    output = capsys.readouterr()
    assert "INFO vision.detection.networks: network finder" in output.err
    assert "ready after" in output.err
    assert output.out == f"{picture}: no cards\n"


def test_command_after_one_with_v_logs_nothing(picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["read", "-vv", picture])
    capsys.readouterr()
    cli.main(["read", picture])
    assert capsys.readouterr().err == ""


def test_v_logs_info_and_vv_debug_messages(capsys: pytest.CaptureFixture[str]) -> None:
    for verbosity, logged in ((0, ""), (1, "what happens"), (2, "what happens, every step")):
        with logging_printed(verbosity):
            logging.getLogger("vision.anything").debug("every step")
            logging.getLogger("webapp.anything").info("what happens")
            logging.getLogger("webapp.anything").warning("what is amiss")
            logging.getLogger("elsewhere").info("of no interest")
        err = capsys.readouterr().err
        assert err == "kozyr: what is amiss\n" if not verbosity else "what is amiss" in err
        assert ("what happens" in err, "every step" in err) == ("what happens" in logged, "every step" in logged)
        assert "of no interest" not in err


@pytest.mark.parametrize("command", ["demo", "watch", "review", "trace", "read", "enrol", "doctor"])
def test_commands_that_read_pictures_or_referee_accept_v(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([command, "--help"])
    assert "--verbose" in capsys.readouterr().out
