"""A rule has five parts: an id, a function, a paragraph with its source, a phrase per language, a case. Counted."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import referee.rules
from referee.announcements import KINDS
from referee.rulebook import OPTIONS, PRESETS, rulebook
from referee.rulings import FaultId, Verdict
from tests.referee.house import HOUSES
from tests.referee.scenarios import load
from webapp.present import LANGUAGES, explain, phrases

ROOT = Path(__file__).parents[1]
CASES = [case for path in sorted((ROOT / "tests" / "cases").glob("*.yaml")) for case in load(path)]
LAW = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
FAULTS = [str(fault) for fault in FaultId]

RULE_FUNCTIONS = [
    function
    for module in pkgutil.iter_modules(referee.rules.__path__)
    for _, function in inspect.getmembers(importlib.import_module(f"referee.rules.{module.name}"), inspect.isfunction)
    if function.__module__.startswith("referee.rules")
]


@pytest.mark.parametrize("fault", FaultId, ids=FAULTS)
def test_every_fault_has_a_function_that_names_it(fault: FaultId) -> None:
    assert any(
        f"FaultId.{fault.name}" in inspect.getsource(function) and str(fault) in (function.__doc__ or "")
        for function in RULE_FUNCTIONS
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_has_a_paragraph_in_the_law(fault: str) -> None:
    assert LAW.count(f"- **`{fault}`**:") == 1


def test_the_law_gives_a_source_for_every_paragraph() -> None:
    paragraphs = re.findall(r"- \*\*`[a-z-]+`\*\*:(.*?)(?=\n- |\n\n)", LAW, re.S)
    assert len(paragraphs) == len(FAULTS)
    assert [text for text in paragraphs if not re.search(r"Source: |\b00[0-4]\b", text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_and_announcement_has_a_phrase(language: str) -> None:
    table = phrases(language)
    assert set(FAULTS) == set(table["fault"])
    assert set(KINDS) - {"lead", "result"} == set(table["announce"])


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_has_a_case(fault: str) -> None:
    named = {
        name
        for case in CASES
        for expected in case["expect"]
        if expected.get("fault")
        for name in (expected["fault"], *expected.get("or", ()))
    }
    assert fault in named


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_explained(verdict: Verdict) -> None:
    assert f"| `{verdict}` |" in LAW


def test_every_announcement_is_in_the_law() -> None:
    assert [kind for kind in KINDS if f"`{kind}`" not in LAW] == []


def test_languages_say_the_same_things() -> None:
    english, others = phrases("en"), [phrases(language) for language in LANGUAGES[1:]]
    for other in others:
        assert {section: set(english[section]) for section in english} == {
            section: set(other[section]) for section in other
        }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_rule_set_is_told_in_plain_words(preset: str, language: str) -> None:
    sentences = explain(rulebook(preset), language)
    assert len(sentences) > 15
    assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_what_the_law_says(preset: str) -> None:
    house, players = HOUSES[preset]
    rules = rulebook(preset)
    assert {option: getattr(rules, option) for option in house} == house
    assert PRESETS[preset].players == players


def test_every_preset_is_there() -> None:
    assert set(PRESETS) == set(HOUSES)


def test_every_option_value_can_be_said() -> None:
    for language in LANGUAGES:
        table = phrases(language)["option"]
        for option in OPTIONS.values():
            for value in option.values:
                phrase = table[f"{option.name}_none"] if value is None else table[option.name]
                assert isinstance(phrase, str) or str(value).lower() in phrase
