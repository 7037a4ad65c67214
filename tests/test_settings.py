"""Every setting has a description, and every class of settings names the source of its values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source_tree import ROOT, python_files, text_of

SETTINGS = re.compile(r"\w+(Settings|Limits|Thresholds)|Limits|Thresholds|Rates|Timeouts")
CLASS = re.compile(rf"^\s*class (?:{SETTINGS.pattern})\b", re.MULTILINE)
FILES = [file for file in python_files("vision", "referee", "webapp", "features") if CLASS.search(text_of(file))]
SOURCE = re.compile(r"\b20\d\d-\d\d\b|`python -m |docs/\w+\.md|\b(chosen|set) by hand\b", re.IGNORECASE)


def settings_of(file: Path) -> Iterator[ast.ClassDef]:
    """Yield the classes of settings in a file."""
    for node in ast.walk(ast.parse(text_of(file))):
        if isinstance(node, ast.ClassDef) and SETTINGS.fullmatch(node.name):
            yield node


def numbers_of(settings: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield (name, docstring) of each setting that is a number; the docstring is empty where there is none."""
    for field, after in zip(settings.body, [*settings.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and re.search("float|int", ast.unparse(field.annotation)):
            assert isinstance(field.target, ast.Name)
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield field.target.id, " ".join(str(text).split())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_settings_are_described_and_their_classes_name_a_source(file: Path) -> None:
    for settings in settings_of(file):
        numbers = dict(numbers_of(settings))
        assert [name for name, text in numbers.items() if not text] == [], settings.name
        text = f"{ast.get_docstring(settings) or ''} {' '.join(numbers.values())}"
        assert not numbers or SOURCE.search(" ".join(text.split())), settings.name


def test_settings_are_found() -> None:
    assert len(FILES) > 15
    assert {"FinderSettings", "MotionSettings"} <= {settings.name for file in FILES for settings in settings_of(file)}
