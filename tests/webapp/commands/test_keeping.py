"""Warnings while a match can't be stored."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from webapp.commands.line_printer import WarningNotes
from webapp.live.board import TableWarning
from webapp.live.match_files import MatchFiles
from webapp.text.catalogue import LANGUAGES, page_words


def test_failing_store_is_a_warning_on_the_page_and_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    tried = []
    match_writer: Any = SimpleNamespace(
        trouble="kozyr.db: expected room, got none", try_again=lambda: tried.append(True)
    )
    notes = WarningNotes()
    for _ in range(3):
        warnings = MatchFiles(match_writer=match_writer).warnings
        assert warnings == (TableWarning("store", "kozyr.db: expected room, got none"),)
        notes.print(warnings)
    match_writer.trouble = None
    notes.print(MatchFiles(match_writer=match_writer).warnings)
    assert capsys.readouterr().err.splitlines() == [
        "kozyr: kozyr.db: expected room, got none",
        "kozyr: the store goes on; nothing of it is lost",
    ]
    assert len(tried) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_warning_has_a_text_in_every_language(language: str) -> None:
    assert page_words(language)["warning_store"]
