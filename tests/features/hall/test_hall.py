"""`kozyr hall` at the command line: errors are one sentence; the rest is tested in tests/webapp/store."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from webapp.commands import cli


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("--store", "zzz"), 2, "expected a store such as sqlite:///kozyr.db"),
        (("--store", "sqlite:////nowhere/kozyr.db"), 1, "expected a store that may be written"),
        (("--host", "203.0.113.9"), 1, "expected --host to be an address of this machine"),
        (("--pairing", "/nowhere/codes.json"), 1, "The operating system refused: /nowhere"),
        (("extra",), 2, "expected options that this command has"),
    ],
)
def test_error_of_the_hall_is_one_sentence(
    arguments: tuple[str, ...],
    status: int,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    assert cli.main(["hall", "--no-browser", "--port", "0", *arguments]) == status
    output = capsys.readouterr()
    assert (output.out, sentence in output.err.splitlines()[-1]) == ("", True)


def test_occupied_port_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert cli.main(["hall", "--no-browser", "--port", str(port)]) == 1
    assert f"choose one with --port {port + 1}" in capsys.readouterr().err
