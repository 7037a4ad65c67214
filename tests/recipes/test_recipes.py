"""The recipes of `docs/recipes` work: each is carried out on a copy of the tree."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.recipes.recipe import carry_out, copied_tree, run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the tree."""
    return copied_tree(tmp_path / "tree")


def test_language_is_added_by_its_recipe(tree: Path) -> None:
    carry_out("language", tree)
    printed = run(
        'python -c \'from webapp.text.catalogue import counted, messages; print(messages("de")["page.language"]); '
        'print(counted("word.card", 2, "de"))\'',
        tree,
    )
    assert printed.splitlines() == ["Deutsch", "2 cards"]
    page = run(
        "python -c 'from webapp.live.board import Board; from webapp.web.app import create_app; "
        "from webapp.web.app_services import AppConfig; "
        'client = create_app(AppConfig(), Board()).test_client(); print(client.get("/?language=de").status_code)\'',
        tree,
    )
    assert page.split() == ["200"]


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
