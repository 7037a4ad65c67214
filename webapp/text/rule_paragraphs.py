"""The paragraph of the rules that a fault breaks, out of docs/rules.md, which travels in the wheel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

SHIPPED = Path(__file__).parent / "rules.md"
IN_CHECKOUT = Path(__file__).parent.parent.parent / "docs" / "rules.md"
SECTION = re.compile(r"^## (?P<number>\d+)\. (?P<title>.+)$")
PARAGRAPH = re.compile(r"^- (?P<ids>\*\*`[^:]*`\*\*): (?P<text>.*)$")
FAULT = re.compile(r"\*\*`([a-z-]+)`\*\*")


def paragraph(fault: str) -> Mapping[str, str] | None:
    """
    ``section`` (number and title) and ``text`` of a fault; None where the rules have no paragraph about it.

    >>> paragraph("rank-not-on-table")["text"][:45]
    'a further card has a rank that lies on the ta'
    >>> paragraph("no-such-fault") is None
    True
    """
    return _paragraphs().get(fault)


@cache
def _paragraphs() -> Mapping[str, Mapping[str, str]]:
    place = SHIPPED if SHIPPED.is_file() else IN_CHECKOUT
    found: dict[str, dict[str, str]] = {}
    section, open_ones = "", list[dict[str, str]]()
    for line in place.read_text(encoding="utf-8").splitlines():
        if titled := SECTION.match(line):
            section, open_ones = f"{titled['number']}. {titled['title']}", []
        elif begun := PARAGRAPH.match(line):
            open_ones = [{"section": section, "text": begun["text"]}]
            found.update(dict.fromkeys(FAULT.findall(begun["ids"]), open_ones[0]))
        elif open_ones and line.startswith("  "):
            open_ones[0]["text"] += " " + line.strip()
        else:
            open_ones = []
    return found
