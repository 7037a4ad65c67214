"""Every setting says what it is, what raising and lowering it does, and where its value comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(file for package in ("vision", "referee", "webapp") for file in (ROOT / package).rglob("*.py"))

SETTINGS = re.compile(r"\w+(Settings|Limits|Thresholds)|Limits|Thresholds|Rates|Patience")
RAISED = re.compile(r"[.;:,?] (higher|more|longer|larger|greater|farther|wider)\b", re.IGNORECASE)
LOWERED = re.compile(r"([.;:,]| or| and) (lower|less|fewer|shorter|smaller|nearer|narrower)\b", re.IGNORECASE)
SOURCE = re.compile(r"\b20\d\d-\d\d\b|`python -m |docs/\w+\.md")
NO_SCALE = {
    ("FinderSettings", "network"): "which network",
    ("StillSettings", "pack_size"): "the pack that is played with",
    ("LookAlikeSettings", "seed"): "a seed is as good as another",
}
"""(class, setting) -> why raising and lowering mean nothing."""


def settings_of(file: Path) -> Iterator[ast.ClassDef]:
    """The classes of settings in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and SETTINGS.fullmatch(node.name):
            yield node


def numbers_of(settings: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(name, docstring) of each setting that is a number; the docstring is empty where there is none."""
    for field, after in zip(settings.body, [*settings.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and re.search("float|int", ast.unparse(field.annotation)):
            assert isinstance(field.target, ast.Name)
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield field.target.id, " ".join(str(said).split())


def sentences_of(settings: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(name of the last, docstrings together) of settings that share one sentence: "... and so far", "The same of"."""
    name, together = "", ""
    for setting, said in numbers_of(settings):
        if together and not (together.endswith("...") or said.startswith(("...", "The same"))):
            yield name, together
            together = ""
        name, together = setting, f"{together} {said}".strip()
    if together:
        yield name, together


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_setting_says_what_it_is_and_every_class_where_its_values_come_from(file: Path) -> None:
    for settings in settings_of(file):
        numbers = dict(numbers_of(settings))
        assert [name for name, said in numbers.items() if not said] == [], settings.name
        said = f"{ast.get_docstring(settings) or ''} {' '.join(numbers.values())}"
        assert not numbers or SOURCE.search(" ".join(said.split())), settings.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_setting_says_what_raising_and_what_lowering_it_does(file: Path) -> None:
    for settings in settings_of(file):
        for name, said in sentences_of(settings):
            if (settings.name, name) not in NO_SCALE:
                assert RAISED.search(said), f"{settings.name}.{name}: what does raising it do?"
                assert LOWERED.search(said), f"{settings.name}.{name}: what does lowering it do?"


def test_the_settings_are_found_at_all() -> None:
    found = [name for file in FILES for settings in settings_of(file) for name, _ in numbers_of(settings)]
    assert len(found) > 350
