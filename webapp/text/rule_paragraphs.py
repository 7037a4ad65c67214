"""
Return the rule that a fault breaks: its paragraph in the reader's language, its section of docs/rules.md, the source.

The wheel contains docs/rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from webapp.text.catalogue import LANGUAGES, messages

SHIPPED = Path(__file__).parent / "rules.md"
IN_CHECKOUT = Path(__file__).parent.parent.parent / "docs" / "rules.md"
SECTION = re.compile(r"^## (?P<number>\d+)\. ")
PARAGRAPH = re.compile(r"^- (?P<ids>\*\*`[^:]*`\*\*): (?P<text>.*)$")
FAULT = re.compile(r"\*\*`([a-z-]+)`\*\*")
SOURCE = re.compile(r"\[(French house|French|pagat|Hebrew|Spanish|t-online|Alemi)\]")
ALL = "Source: all."


def paragraph(fault: str, language: str = LANGUAGES[0]) -> Mapping[str, str] | None:
    """
    Return ``section`` (number and title), ``text`` and ``source`` of a fault; None if no paragraph is about it.
    No ``source`` where the rule follows from others.

    >>> paragraph("rank-not-on-table")["text"][:45]
    'A card that is thrown in has a rank that alre'
    >>> paragraph("rank-not-on-table", "ru")["section"], paragraph("heap-touched")["source"]
    ('3. Заход', 'Source: pagat.com, a Hebrew encyclopaedia.')
    >>> paragraph("no-such-fault") is None
    True
    """
    found = _paragraphs().get(fault)
    if found is None:
        return None
    number, paragraph = found
    words = messages(language)
    sources = [words[f"rule_source.{name.replace(' ', '_')}"] for name in dict.fromkeys(SOURCE.findall(paragraph))]
    found_rule = {"section": f"{number}. {words[f'rule_section.{number}']}", "text": words[f"rule.{fault}"]}
    if ALL in paragraph:
        return {**found_rule, "source": words["rule_source.all"]}
    return (
        {**found_rule, "source": words["rule_source.told"].format(sources=", ".join(sources))}
        if sources
        else found_rule
    )


@cache
def _paragraphs() -> Mapping[str, tuple[str, str]]:
    place = SHIPPED if SHIPPED.is_file() else IN_CHECKOUT
    found: dict[str, tuple[str, str]] = {}
    section, ids = "", list[str]()
    for line in place.read_text(encoding="utf-8").splitlines():
        if titled := SECTION.match(line):
            section, ids = titled["number"], []
        elif begun := PARAGRAPH.match(line):
            ids = FAULT.findall(begun["ids"])
            found.update(dict.fromkeys(ids, (section, begun["text"])))
        elif ids and line.startswith("  "):
            found.update({fault: (section, f"{found[fault][1]} {line.strip()}") for fault in ids})
        else:
            ids = []
    return found
