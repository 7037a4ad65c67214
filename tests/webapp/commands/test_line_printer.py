"""Nobody hears the lines any more: the game goes on."""

from __future__ import annotations

import pytest

from webapp.commands import line_printer
from webapp.commands.line_printer import LivePrinter
from webapp.errors import OutputLostError

LINE = {"line": 4, "at": 1.0, "ruling": "legal", "text": "A leads 7."}


def test_a_full_output_is_noted_once_and_the_lines_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = []

    def full(values: object) -> None:
        tried.append(values)
        raise OutputLostError("expected room to write on standard output, got 'No space left on device'")

    monkeypatch.setattr(line_printer, "say_json", full)
    tell = LivePrinter(True)
    tell.all((LINE, LINE))
    tell(LINE)
    assert (len(tried), tell.is_lost) == (1, True)
    assert capsys.readouterr().err.count("the game goes on") == 1


def test_what_can_be_heard_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    tell = LivePrinter(True)
    tell(LINE)
    assert '"ruling": "legal"' in capsys.readouterr().out
    assert not tell.is_lost
