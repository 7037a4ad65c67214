"""The list of features: every place that it names is there, and importing it stays light."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.source_tree import python_files, text_of
from webapp.commands.options import TableOptions, parsed, read_options
from webapp.features import NAMES, PLACE, Feature, features
from webapp.loadable import Loadable

ROOT = Path(__file__).parents[2]
HEAVY = {"cv2", "numpy", "onnxruntime", "flask", "sqlalchemy", "lark", "PIL"}


def places_of(value: object) -> Iterator[Loadable[object]]:
    """Yield everything that a feature names by its place."""
    if isinstance(value, Loadable):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from places_of(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from places_of(getattr(value, field.name))


def test_every_package_is_in_the_list() -> None:
    assert {path.parent.name for path in PLACE.glob("*/__init__.py")} == set(NAMES)
    assert tuple(feature.name for feature in features()) == NAMES


@pytest.mark.parametrize("feature", features(), ids=lambda feature: feature.name)
def test_named_places_are_there(feature: Feature) -> None:
    assert all(loadable.place.startswith(f"features.{feature.name}.") for loadable in places_of(feature))
    assert all(loadable.load() is not None for loadable in places_of(feature))
    templates = [*feature.page_parts.values(), *(f"{page.name}.html" for page in feature.pages)]
    assert [name for name in templates if not (feature.folder / "templates" / name).is_file()] == []


def test_list_of_commands_imports_no_large_library() -> None:
    program = "import sys; from webapp.commands.options import parser; parser(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert HEAVY & set(done.stdout.split()) == set()


def test_argument_of_a_feature_is_handed_on_with_the_options_that_it_adds_to() -> None:
    given = parsed(["watch", "0", "--seats", "A,B", "--deck", "blue", "--notify", "http://127.0.0.1:9/lines"])
    options = read_options(TableOptions, given)
    assert options.keeping.of_features == {"notify": "http://127.0.0.1:9/lines"}
    assert (options.detector.of_features, options.detector.deck) == ({"deck": "blue"}, "blue")
    assert read_options(TableOptions, parsed(["watch", "0", "--seats", "A,B"])).keeping.of_features == {}


OF_ALL_PROGRAMS = {
    "tests/browser/test_review_page.py": "downloads a moment from a page of the core",
    "tests/test_security.py": "docs/security.md promises limits of features, too",
    "tests/webapp/commands/test_matches.py": "exports a match, which a feature writes",
    "tests/webapp/fuzz.py": "random input for every reader of the program",
    "tests/webapp/store/test_damaged_rows.py": "a damaged row hides no list, that of the analyses among them",
    "tests/webapp/web/test_http_routes.py": "every route of every program",
    "tests/webapp/web/test_reading_changes_nothing.py": "every route of every program",
    "tests/webapp/web/test_refusals.py": "every route of every program",
}
"""Tests beside those of the features that need one, each with the reason."""


def test_tests_of_the_core_need_no_feature() -> None:
    imports = re.compile(r"^\s*(?:from|import) features\b", re.MULTILINE)
    elsewhere = [str(file.relative_to(ROOT)) for file in python_files("tests") if imports.search(text_of(file))]
    needing = [file for file in elsewhere if not file.startswith(("tests/features/", "tests/lab/"))]
    assert set(needing) == set(OF_ALL_PROGRAMS)
