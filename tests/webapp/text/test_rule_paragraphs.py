"""Every fault has its paragraph at hand in every language, with the section that it stands in and its source."""

from __future__ import annotations

import pytest

from referee.rulings import FaultId
from webapp.text.catalogue import LANGUAGES
from webapp.text.rule_paragraphs import paragraph


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", FaultId, ids=str)
def test_every_fault_has_its_paragraph(fault: FaultId, language: str) -> None:
    told = paragraph(str(fault), language)
    assert told is not None
    assert told["section"][0].isdigit()
    assert len(told["text"]) > 15
    assert not set("[]`*") & set(told["text"] + told.get("source", ""))


def test_a_rule_that_follows_from_others_has_no_source() -> None:
    assert "source" not in (paragraph("no-such-attack") or {})
    assert (paragraph("not-defender", "ru") or {})["source"] == "Так говорят все источники."
    assert (paragraph("show-off", "fr") or {})["source"] == "Source\u00a0: une encyclopédie hébraïque."
