"""Line printer: the game continues when standard output fails."""

from __future__ import annotations

import pytest

from webapp.commands import line_printer
from webapp.commands.line_printer import LinePrinter, LivePrinter
from webapp.errors import OutputLostError
from webapp.text.catalogue import page_words

LINE = {"line": 4, "at": 1.0, "ruling": "legal", "text": "A leads 7."}


def test_failed_output_is_reported_once_and_later_lines_are_dropped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = []

    def full(values: object) -> None:
        tried.append(values)
        raise OutputLostError("The operating system refused: standard output: No space left on device")

    monkeypatch.setattr(line_printer, "say_json", full)
    printer = LivePrinter(True)
    printer.all((LINE, LINE))
    printer(LINE)
    assert (len(tried), printer.is_lost) == (1, True)
    assert capsys.readouterr().err.count("the game goes on") == 1


def test_notes_without_a_question_are_not_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    note = {"line": 5, "at": 2.0, "ruling": "unclear", "fault": "attack-not-closed", "text": "B had not said so."}
    LinePrinter(False).all((LINE, note, {**note, "question": {"ask": "leave"}, "text": "B had not. Was it?"}))
    assert capsys.readouterr().out.splitlines() == [" 0:01    A leads 7.", " 0:02  ? B had not. Was it?"]


def test_takes_and_discards_are_printed_in_the_language_of_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    swept = {"line": 6, "at": 61.0, "event": "swept", "to": "heap"}
    LinePrinter(False, "ru").all((swept, {**swept, "to": "Аня"}))
    assert capsys.readouterr().out.splitlines() == [
        f" 1:01    {page_words('ru')['swept_heap']}",
        f" 1:01    {page_words('ru')['swept_seat'].format(who='Аня')}",
    ]


def test_sweep_follows_the_rulings_that_it_settles(capsys: pytest.CaptureFixture[str]) -> None:
    swept = {"at": 6.0, "event": "swept", "to": "heap"}
    beaten = {"line": 3, "at": 4.0, "ruling": "legal", "text": "B beats 8 with 10."}
    printer = LinePrinter(False)
    for line in (LINE, swept, beaten, {"line": 4, "at": 6.0, "announce": "draw", "text": "To draw: A 1."}):
        printer(line)
    discarded = f" 0:06    {page_words('en')['swept_heap']}"
    assert capsys.readouterr().out.splitlines() == [
        " 0:01    A leads 7.",
        " 0:04    B beats 8 with 10.",
        discarded,
        " 0:06    To draw: A 1.",
    ]
    printer.all((swept, beaten))
    assert capsys.readouterr().out.splitlines() == [" 0:04    B beats 8 with 10.", discarded]


@pytest.mark.parametrize("untimed", [{}, {"at": None}], ids=["no key", "null"])
def test_sweep_of_a_record_without_times_is_printed(
    capsys: pytest.CaptureFixture[str], untimed: dict[str, None]
) -> None:
    beaten = {**untimed, "line": 3, "ruling": "legal", "text": "B beats 8 with 10."}
    LinePrinter(False).all(({**untimed, "event": "swept", "to": "heap"}, beaten))
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        page_words("en")["swept_heap"],
        "B beats 8 with 10.",
    ]


def test_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    printer = LivePrinter(True)
    printer(LINE)
    assert '"ruling": "legal"' in capsys.readouterr().out
    assert not printer.is_lost
