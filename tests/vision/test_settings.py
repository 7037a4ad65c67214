"""Every setting of the eye says what it does and where its value comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import vision

ROOT = Path(vision.__file__).parent
FILES = sorted(
    [
        *(ROOT / "motion").glob("*.py"),
        *(ROOT / "tracking").glob("*.py"),
        *(
            ROOT / "events" / f"{name}.py"
            for name in ("arrivals", "attribution", "changes", "departures", "draws", "turnup")
        ),
        ROOT / "look_schedule.py",
        ROOT / "pipeline_settings.py",
    ]
)


def settings_of(file: Path) -> Iterator[ast.ClassDef]:
    """The classes of settings in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
            yield node


def numbers_of(settings: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(name, docstring) of each setting that is a number; the docstring is empty where there is none."""
    for field, after in zip(settings.body, [*settings.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and ast.unparse(field.annotation) in ("float", "int"):
            assert isinstance(field.target, ast.Name)
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield field.target.id, str(said)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_setting_says_what_it_does_and_every_class_where_its_values_come_from(file: Path) -> None:
    for settings in settings_of(file):
        numbers = dict(numbers_of(settings))
        assert [name for name, said in numbers.items() if not said] == []
        said = " ".join(((ast.get_docstring(settings) or "") + " ".join(numbers.values())).split())
        assert not numbers or "Set by hand, 20" in said, settings.name


def test_the_settings_are_found_at_all() -> None:
    found = [name for file in FILES for settings in settings_of(file) for name, _ in numbers_of(settings)]
    assert len(found) > 150
