"""Every fault has its paragraph at hand, with the section that it stands in."""

from __future__ import annotations

import pytest

from referee.rulings import FaultId
from webapp.text.rule_paragraphs import paragraph


@pytest.mark.parametrize("fault", FaultId, ids=str)
def test_every_fault_has_its_paragraph(fault: FaultId) -> None:
    told = paragraph(str(fault))
    assert told is not None
    assert told["section"][0].isdigit()
    assert len(told["text"]) > 20
