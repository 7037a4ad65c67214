"""The recipes of `docs/recipes` work: each is carried out on a copy of the tree."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.recipes.recipe import ROOT, carry_out, copied_tree, run
from webapp.text.catalogue import page_words


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the tree."""
    return copied_tree(tmp_path / "tree")


@pytest.mark.thorough
def test_language_is_added_by_its_recipe(tree: Path) -> None:
    carry_out("language", tree)
    printed = run(
        'python -c \'from webapp.text.catalogue import counted, messages; print(messages("de")["page.language"]); '
        'print(counted("word.card", 2, "de"))\'',
        tree,
    )
    assert printed.splitlines() == ["Deutsch", "2 cards"]
    page = run(
        "python -c 'from webapp.live.board import SnapshotHub; from webapp.web.app import create_app; "
        "from webapp.web.app_services import AppConfig; "
        "client = create_app(AppConfig(), SnapshotHub()).test_client(); "
        'print(client.get("/?language=de").status_code)\'',
        tree,
    )
    assert page.split() == ["200"]


@pytest.mark.thorough
def test_option_rule_and_rule_set_are_added_by_their_recipe(tree: Path) -> None:
    carry_out("rules", tree)
    record = tree / "record.jsonl"
    start = {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"A": 6, "B": 6}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-no-trumps", "seats": ["A", "B"], "dealer": "B", "start": start}
    plays = [{"at": at, "event": "placed", "card": card, "by": "A"} for at, card in ((1, "7s"), (2, "7h"))]
    record.write_text("".join(json.dumps(line) + "\n" for line in (header, *plays)), encoding="utf-8")
    lines = [json.loads(line) for line in run("kozyr referee record.jsonl --json", tree).splitlines()]
    assert [(line["ruling"], line.get("fault")) for line in lines if "ruling" in line] == [
        ("legal", None),
        ("illegal", "trump-thrown-in"),
    ]
    compared = run(
        "python -m tests.features.analysis.one_law --rules podkidnoy-no-trumps --games 4 --without-engine", tree
    )
    assert "judge, list, analysis and engine agree" in compared


def test_option_and_rule_change_ten_files_five_of_them_catalogues() -> None:
    text = (ROOT / "docs" / "recipes" / "rules.md").read_text("utf-8").partition("## The rule set")[0]
    changed = set(re.findall(r"```diff\n +(\S+)$", text, re.M))
    assert changed == {
        *("referee/rulebook.py", "referee/rules/attack.py", "referee/rules/__init__.py"),
        *("docs/rules.md", "tests/cases/recipe.yaml"),
    }
    assert {"webapp/text/catalogues/$language.po"} == set(re.findall(r"cat >> (\S+)", text))


@pytest.mark.thorough
def test_page_is_added_by_its_recipe(tree: Path) -> None:
    carry_out("page", tree)
    page = run(
        "python -c 'from webapp.live.board import SnapshotHub; from webapp.web.app import create_app; "
        "from webapp.web.app_services import AppConfig; "
        'print(create_app(AppConfig(), SnapshotHub()).test_client().get("/house-rules?language=ru").text)\'',
        tree,
    )
    assert f"<h1>{page_words('ru')['house_rules']}</h1>" in page
    assert page.count('class="bar-link"') == 4
    assert "`GET /house-rules`" in (tree / "docs" / "http.md").read_text("utf-8")
    text = (ROOT / "docs" / "recipes" / "page.md").read_text("utf-8")
    assert len(re.findall(r"```(?:diff\n +\S+|sh)$", text, re.M)) == 3, "two files by hand, one generated"


@pytest.mark.thorough
def test_feature_is_added_by_its_recipe(tree: Path) -> None:
    printed = carry_out("feature", tree)
    assert "passed" in printed or "100%" in printed
    laid = [{"at": at, "event": "placed", "card": card, "by": by} for at, card, by in ((1, "7s", "A"), (2, "9s", "B"))]
    (tree / "record.jsonl").write_text("".join(json.dumps(line) + "\n" for line in laid), encoding="utf-8")
    assert run("kozyr tally record.jsonl", tree).splitlines() == ["A: 1", "B: 1"]
    assert "kozyr tally " in run("kozyr --help", tree)
    status = run(
        "python -c 'from webapp.live.board import SnapshotHub; from webapp.web.app import create_app; "
        "from webapp.web.app_services import AppConfig; "
        'print(create_app(AppConfig(), SnapshotHub()).test_client().get("/api/matches/x/tally").status_code)\'',
        tree,
    )
    assert status.split() == ["503"], "nothing is kept"
    assert "`GET /api/matches/{match}/tally`" in (tree / "docs" / "http.md").read_text("utf-8")
    run("python -c 'from importlinter.cli import lint_imports; exit(lint_imports())'", tree)


def test_deck_is_added_by_its_recipe(tree: Path) -> None:
    pictures = tree / "my-pictures"
    pictures.mkdir()
    for number, name in enumerate([*(rank + suit for rank in "23456789TJQKA" for suit in "shdc"), "back"]):
        face = np.full((90, 64, 3), 255 - number, np.uint8)
        cv2.putText(face, name, (6, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 200), 1)
        cv2.imwrite(str(pictures / f"{name}.png"), face)
    printed = carry_out("deck", tree)
    assert "grandmas" in printed
    assert "52 faces, back" in printed
    assert (tree / "runs" / "grandmas.png").is_file()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the extra 'train' is not installed")
def test_training_takes_a_step_by_its_recipe(tree: Path) -> None:
    carry_out("training", tree)
    assert any((tree / "runs" / "try").iterdir())
