"""``docs/notation.md`` contains the grammar in use and valid examples."""

from __future__ import annotations

import re

import pytest

from features.notation.grammar import grammar_text, reserved_words
from features.notation.parser import parse_notation, read_games
from features.notation.writer import write_games
from referee.match_judge import MatchJudge
from referee.rulebook import FaultId
from referee.rulings import Ruling, Verdict
from tests.features.notation.examples import EXAMPLES, PAGE
from tests.referee.certain_referee import Referee


def test_page_contains_the_grammar() -> None:
    assert PAGE.count(f"```lark\n{grammar_text()}```") == 1


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_in_canonical_form(text: str) -> None:
    assert write_games(read_games(text)) == text


def test_first_example_is_ruled_as_documented() -> None:
    [(header, events)] = parse_notation(EXAMPLES[0])
    referee = Referee(header)
    rulings = [ruling for event in events for ruling in referee.apply(event).rulings]
    faults = [ruling.fault for ruling in rulings if ruling.verdict is not Verdict.LEGAL]
    assert faults == [FaultId.RANK_NOT_ON_TABLE]


def test_correction_of_the_third_example_withdraws_the_fault() -> None:
    [(header, events)] = parse_notation(EXAMPLES[2])
    judge = MatchJudge(header)
    lines = [message.as_json() for line, event in enumerate(events, start=2) for message in judge.apply(line, event)]
    assert [line["fault"] for line in lines if line.get("ruling") == "illegal"] == ["does-not-beat"]
    assert [line["of"] for line in lines if "withdrawn" in line] == [3]
    assert not any(message.what.fault for message in judge.holding if isinstance(message.what, Ruling))
    assert judge.state.as_json()["hands"] == {"Anna": 6, "Boris": 5}


def test_every_tag_and_keyword_is_documented() -> None:
    prose = PAGE.split("## The grammar")[0]
    undocumented = {word for word in reserved_words() if not re.search(rf"\b{word}\b", prose)}
    assert undocumented == {"false", "null"}
