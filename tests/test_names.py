"""Names: unique classes and modules, no imports from test modules, and no old words in tests and tools."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.source_tree import ROOT, python_files, text_of

PACKAGES = ("vision", "referee", "webapp", "features", "datasets", "models", "benchmarks")

SAME_MODULES = {
    "classifier": "one network: how it is used, and how it is trained",
    "finder": "one network: how it is used, and how it is trained",
    "overlap_network": "one network: how it is used, and how it is trained",
    "errors": "each package's own errors",
    "draw": "one play: its rules, and the position after it",
    "swap": "one play: its rules, and the position after it",
    "sweep": "one play: its rules, and the position after it",
    "pipeline": "from frames in a row to events, and from single pictures to cards",
}
"""Module names that occur in several folders, each with the reason."""

CLASS = re.compile(r"^\s*class (\w+)\b.*:", re.MULTILINE)

OLD_WORDS = re.compile(r"(?<![a-z])(?:anew|glance|heard|hears|said|telling|told)(?![a-z])", re.IGNORECASE)
"""Words that the glossary (docs/style.md) replaces by standard terms."""

OLD_WORDS_LEFT = 8
"""Limit of old words in tests and tools: names that the program defines, such as the column ``told`` of a store."""

UNCLEAR_TEST_NAME = re.compile(r"def (test_(?:what|whatever|who|whoever|such)_\w+)")
"""Test names that begin with a clause for a subject, in place of the thing that is tested."""

COMMANDS = "webapp/commands"
"""Files here are named after their commands, even if another folder has a file of that name."""
OF_A_FEATURE = ("command", "feature", "options", "routes")
"""Modules that every feature may have."""


REPLACED = re.compile(
    r"\b(Board|Doubt|Faceless|HandVisit|Heap|House|Kept[A-Z]\w+|Manner|Matter|Patience|SetupDesk|Stray|TableOfGames"
    r"|_?desk|_?unkept|_bear|are_kept|but|errs|heard|in_grace|is_withholding|kept_(?:analyses|devices|games|match|matches)"
    r"|known_again|read_kept|stirred|whatever_card"
    r"|AskedPlace|asked_places|grazes|is_sought|lids|lids_px|refused_claims|sought_pair|turnup_pulled)\b"
)
"""Names that others took the place of (`docs/style.md`); texts may use the words."""

LOOPS_NAMED_EACH = 10
"""Limit of loops whose variable is named ``each`` where a noun exists; a change may lower it."""

BACK_REFERENCE = re.compile(
    r"\bso (?:few|long|many|much|near|often)\b|^(?:And|Likewise|Or|So|The same)\b|^[\d.,]+$", re.IGNORECASE
)
"""Docstrings that need the line before them: "so many", "The same ...", a bare number."""

NEAR_A_BACK_REFERENCE = re.compile(
    r"\bso\s(?:few|long|many|much|near|often)\b"
    r"|\"\"\"\s*(?:And|Likewise|Or|So|The same|[\d.,]+\s*\"\"\")",
    re.IGNORECASE,
)
"""What the text of a file has that may hold such a docstring: the others need not be parsed."""

BACK_REFERENCES_LEFT = 5
"""Limit of such docstrings; a change may lower it."""


def first_party() -> Iterator[Path]:
    yield from (file.relative_to(ROOT) for file in python_files(*PACKAGES))


def classes() -> dict[str, list[str]]:
    """Return for each class name the files that define such a class."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in first_party():
        for name in CLASS.findall(text_of(ROOT / file)):
            found[name].append(str(file))
    return found


def test_class_names_are_unique() -> None:
    shared = {name: files for name, files in classes().items() if len(files) > 1}
    assert shared == {}


def test_module_names_are_unique() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for file in first_party():
        if file.stem not in ("__init__", "__main__", *OF_A_FEATURE) and file.parent.as_posix() != COMMANDS:
            found[file.stem].append(str(file))
    shared = {name: files for name, files in found.items() if len(files) > 1}
    assert {name: files for name, files in shared.items() if name not in SAME_MODULES} == {}
    assert SAME_MODULES.keys() <= shared.keys(), "an unused exception"


def test_classes_are_found() -> None:
    assert len(classes()) > 300


def test_test_modules_are_not_imported() -> None:
    imports = re.compile(r"^\s*(?:from tests(?:\.\w+)*\.test_\w+ import|from tests[.\w]* import test_)", re.MULTILINE)
    assert imports.search("from tests.vision.test_pipeline import bout")
    importing = [str(file) for file in python_files("tests") if imports.search(text_of(file))]
    assert importing == [], "put what several tests need into a module of its own"


def tokens_of(file: Path) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a file."""
    return tokenize.generate_tokens(io.StringIO(text_of(file)).readline)


def old_words(file: Path) -> Iterator[str]:
    """Yield place and text of each old word in the file's names, comments and docstrings."""
    if not OLD_WORDS.search(text_of(file)):
        return
    for token in tokens_of(file):
        if token.type in (tokenize.NAME, tokenize.COMMENT) or token.string.startswith('"""'):
            place = f"{file.relative_to(ROOT)}:{token.start[0]}"
            yield from (f"{place}: {word}" for word in OLD_WORDS.findall(token.string))


def test_tests_and_tools_use_the_terms_of_the_glossary() -> None:
    files = python_files("tests", "benchmarks", "datasets", "models", "scripts")
    found = [place for file in files if file != Path(__file__) for place in old_words(file)]
    assert len(found) <= OLD_WORDS_LEFT, found


def test_replaced_names_do_not_return() -> None:
    found = []
    for file in python_files(*PACKAGES, "tests"):
        if file != Path(__file__) and REPLACED.search(text_of(file)):
            tokens = [token for token in tokens_of(file) if token.type == tokenize.NAME]
            found += [
                f"{file.relative_to(ROOT)}:{t.start[0]}: {t.string}" for t in tokens if REPLACED.fullmatch(t.string)
            ]
    assert found == []


def trees_of(pattern: re.Pattern[str]) -> Iterator[ast.Module]:
    """Yield the syntax trees of packages, tests and scripts whose text has this pattern."""
    for file in python_files(*PACKAGES, "scripts", "tests"):
        if pattern.search(text_of(file)):
            yield ast.parse(text_of(file))


def test_loop_variables_are_named_after_what_they_hold() -> None:
    trees = trees_of(re.compile(r"\beach\b.* in "))
    loops = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    named = [node for loop in loops for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
    assert sum(name.id == "each" for name in named) <= LOOPS_NAMED_EACH


def test_docstrings_stand_alone() -> None:
    found = []
    for tree in trees_of(NEAR_A_BACK_REFERENCE):
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                text = node.value.value.strip()
                found += [text] if BACK_REFERENCE.search(text) else []
    assert len(found) <= BACK_REFERENCES_LEFT, found


def test_test_names_begin_with_the_thing_that_is_tested() -> None:
    files = [file for file in python_files("tests") if file.name.startswith("test_")]
    assert len(files) > 100
    assert [name for file in files for name in UNCLEAR_TEST_NAME.findall(text_of(file))] == []
