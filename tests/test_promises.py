"""Each rule has an id, a function, a paragraph with its source, a phrase in each language, and a case."""

from __future__ import annotations

import inspect
import re
import string
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import referee.rules
import webapp.text.present
from referee.record import Header, event_from_json
from referee.rulebook import OPTIONS, PRESETS, FaultId, rulebook
from referee.rulings import KINDS, Verdict
from tests.referee.certain_referee import Referee
from tests.referee.house import HOUSES
from tests.referee.scenarios import load
from tests.source_tree import ROOT, python_files, text_of
from webapp.text.catalogue import LANGUAGES, nested, page_words
from webapp.text.present import explain, say

CASES = [case for path in sorted((ROOT / "tests" / "cases").glob("*.yaml")) for case in load(path)]
LAW = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
RECORD = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
SOURCE = re.compile(r"Source:\s|\[(French|French\s+house|pagat|Hebrew|Spanish)\]")
FAULTS = [str(fault) for fault in FaultId]

RULE_FUNCTIONS = [
    function
    for file in sorted(Path(*referee.rules.__path__).glob("*.py"))
    for _, function in inspect.getmembers(import_module(f"referee.rules.{file.stem}"), inspect.isfunction)
    if function.__module__ == f"referee.rules.{file.stem}"
]


@pytest.mark.parametrize("fault", FaultId, ids=FAULTS)
def test_every_fault_has_a_function_that_names_it(fault: FaultId) -> None:
    assert any(
        f"FaultId.{fault.name}" in inspect.getsource(function) and str(fault) in (function.__doc__ or "")
        for function in RULE_FUNCTIONS
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_has_a_paragraph_in_the_rules(fault: str) -> None:
    assert LAW.count(f"- **`{fault}`**:") == 1


def test_every_paragraph_of_the_rules_has_a_source() -> None:
    paragraphs = re.findall(r"- \*\*`[a-z-]+`\*\*:(.*?)(?=\n- |\n\n)", LAW, re.S)
    assert len(paragraphs) == len(FAULTS)
    assert [text for text in paragraphs if not SOURCE.search(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_and_announcement_has_a_phrase(language: str) -> None:
    table = nested(language)
    assert set(FAULTS) == set(table["fault"])
    assert set(KINDS) - {"lead", "result", "doubt"} == set(table["announce"])


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


def test_every_announcement_is_described_in_the_record_document() -> None:
    assert [kind for kind in KINDS if f"| `{kind}` |" not in RECORD] == []


def test_rules_list_every_option_with_values_and_every_rule_set() -> None:
    def word(value: object) -> str:
        return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    for option in OPTIONS.values():
        values = ", ".join(f"`{word(value)}`" for value in option.values)
        assert f"| `{option.name}` | {values}{', any count' if option.counts else ''} | {option.meaning} |" in LAW
    for preset in PRESETS.values():
        differs = ", ".join(f"`{name}` {word(value)}" for name, value in preset.differs.items()) or "nothing"
        assert f"| `{preset.name}` | {', '.join(map(str, preset.players))} | {differs} |" in LAW


def announced(kind: str, fact: str | None = None) -> set[Any]:
    """Return the announcements of a kind that cases expect; with ``fact``: the values of it."""
    expected = [line["announce"] for case in CASES for line in case["expect"] if "announce" in line]
    return {line.get(fact) if fact else kind for line in expected if line["announce"] == kind}


@pytest.mark.parametrize("kind", KINDS)
def test_every_announcement_has_a_case(kind: str) -> None:
    assert announced(kind)


@pytest.mark.parametrize(
    ("kind", "fact", "section"),
    [
        ("lead", "reason", "lead"),
        ("result", "kind", "result"),
        ("withdrawn", "of", "withdrawn"),
        ("doubt", "reason", "doubt"),
    ],
)
def test_every_reason_and_every_ending_has_a_case(kind: str, fact: str, section: str) -> None:
    assert set(nested("en")[section]) <= announced(kind, fact)


def test_every_reason_of_a_doubt_has_a_case() -> None:
    source = "".join(text_of(path) for path in python_files("referee"))
    reasons = set(re.findall(r'"doubt",\s+reason="([a-z-]+)"', source))
    assert len(reasons) > 5
    assert reasons <= announced("doubt", "reason")
    assert all(reasons == set(nested(language)["doubt"]) for language in LANGUAGES)


def test_every_option_value_has_a_case() -> None:
    headers = [case["record"][0] for case in CASES]
    played = [rulebook(header["rules"], header.get("options")).as_json() for header in headers]
    for option in OPTIONS.values():
        assert [value for value in option.values if not any(rules[option.name] == value for rules in played)] == []


TO_MATTER: dict[str, dict[str, object]] = {
    "low_limit": {"low_limit_until": "first_bout"},
    "low_limit_until": {"low_limit": 5},
    "transfer_when": {"transfer": True},
    "transfer_show": {"transfer": True},
    "transfer_target": {"transfer": True},
    "transfer_first_bout": {"transfer": True},
    "low_limit_gives": {"low_limit": 5, "low_limit_until": "first_bout"},
    "team_end": {"teams": "2x2", "result": "first_out_wins"},
}
"""Other options that must be set for an option to have an effect."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_each_option_value_changes_the_explanation_of_the_rules(option: Any, language: str) -> None:
    explanations = []
    for value in (*option.values, *((4, 7) if option.counts else ())):
        house = {**TO_MATTER.get(option.name, {}), option.name: value}
        if house.get("low_limit", 5) is None or house.get("low_limit_until", "first_bout") is None:
            house = {}
        explanations.append(tuple(explain(rulebook("podkidnoy-36", house), language)))
    assert len(set(explanations)) == len(explanations)


def slots(table: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the key of every phrase of a language, with the names of its placeholders."""
    for key, phrase in table.items():
        if isinstance(phrase, Mapping):
            yield from slots(phrase, f"{place}{key}.")
        else:
            yield f"{place}{key}", frozenset(name for _, name, _, _ in string.Formatter().parse(phrase) if name)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_phrases_have_the_same_placeholders_in_every_language(language: str) -> None:
    english, other = dict(slots(nested("en"))), dict(slots(nested(language)))
    assert set(english) == set(other)
    assert len(english) > 200
    # Facts that stand in the grammar of one language only: the subject, and counts that decide the form of a word.
    grammar = {"by", "seat", "cards", "count", "principal", "before"}
    assert [key for key in english if english[key] - grammar != other[key] - grammar] == []


def test_sentences_of_cases_have_all_their_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking: list[str] = []

    class Recorded(dict[str, object]):
        def __missing__(self, key: str) -> str:
            lacking.append(key)
            return ""

    monkeypatch.setattr(webapp.text.present, "defaultdict", lambda missing, known: Recorded(known))
    written: set[str] = set()
    for case in CASES:
        referee, at = Referee(Header.parse(case["record"][0])), 0.0
        for data in case["record"][1:]:
            event = event_from_json(data, at)
            at = event.at
            step = referee.apply(event)
            for language in LANGUAGES:
                written.update(say(result, language) for result in (*step.rulings, *step.announcements))
    assert lacking == []
    assert len(written) > 400


def test_all_languages_have_the_same_phrases() -> None:
    english, others = nested("en"), [nested(language) for language in LANGUAGES[1:]]
    for other in others:
        assert {section: set(english[section]) for section in english} == {
            section: set(other[section]) for section in other
        }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_rule_set_is_described_in_plain_words(preset: str, language: str) -> None:
    sentences = explain(rulebook(preset), language)
    assert len(sentences) > 15
    assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_the_described_options(preset: str) -> None:
    house, players = HOUSES[preset]
    rules = rulebook(preset)
    assert {option: getattr(rules, option) for option in house} == house
    assert PRESETS[preset].players == players


def test_every_described_preset_exists() -> None:
    assert set(PRESETS) == set(HOUSES)


def test_every_option_value_has_a_sentence() -> None:
    for language in LANGUAGES:
        table = nested(language)["option"]
        for option in OPTIONS.values():
            for value in option.values:
                phrase = table[f"{option.name}_none"] if value is None else table[option.name]
                assert isinstance(phrase, str) or str(value).lower() in phrase


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_conflict_of_options_has_a_sentence(language: str) -> None:
    conflicts = {option.name for option in OPTIONS.values() if option.needs} | {"seats"}
    assert {f"conflict_{conflict}" for conflict in conflicts} <= page_words(language).keys()
