"""Paragraphs of the rules: every fault has one in every language, with its section and source."""

from __future__ import annotations

import pytest

from referee.rulebook import FaultId
from webapp.text.catalogue import LANGUAGES
from webapp.text.rule_paragraphs import paragraph


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", FaultId, ids=str)
def test_every_fault_has_its_paragraph(fault: FaultId, language: str) -> None:
    entry = paragraph(str(fault), language)
    assert entry is not None
    assert entry["section"][0].isdigit()
    assert len(entry["text"]) > 15
    assert not set("[]`*") & set(entry["text"] + entry.get("source", ""))


def test_derived_rule_has_no_source() -> None:
    assert "source" not in (paragraph("no-such-attack") or {})
    assert (paragraph("not-defender", "ru") or {})["source"] == "Так говорят все источники."
    assert (paragraph("show-off", "fr") or {})["source"] == "Source\u00a0: une encyclopédie hébraïque."
