"""The reader's trial: `docs/architecture.md` names the file to open for each of twenty questions."""

from __future__ import annotations

import ast
import re

import pytest
import yaml

from tests.source_tree import ROOT, text_of

QUESTIONS = yaml.safe_load((ROOT / "tests" / "reader_questions.yaml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["file"])
def test_answer_exists(question: dict[str, str]) -> None:
    defined = set()
    for node in ast.parse(text_of(ROOT / question["file"])).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                defined.add(name)
    assert question["name"] in defined


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["file"])
def test_page_names_the_file_in_the_section_of_its_folder(question: dict[str, str]) -> None:
    folder, _, file = question["file"].rpartition("/")
    (section,) = re.findall(rf"^#+ {folder}\n(.*?)(?=^#|\Z)", PAGE, re.M | re.S)
    assert f"`{file}`" in section


def test_trial_has_twenty_questions() -> None:
    assert len(QUESTIONS) == len({question["file"] for question in QUESTIONS}) == 20
