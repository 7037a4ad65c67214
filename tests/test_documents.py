"""Documents: existing folders, files and links, line lengths, and contents."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from tests.source_tree import ROOT, python_files, text_of

WIDEST = 120
CODE = ("vision", "referee", "webapp", "features", "datasets", "models", "benchmarks", "tests")
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "datasets" / "README.md",
    *sorted((ROOT / "benchmarks").glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "models").glob("*.md")),
]
FENCED = re.compile(r"^```.*?^```$", re.S | re.M)
ENDINGS = r"py|md|toml|onnx|txt|yaml|jsonl|mp4|png|html|js"


def named_paths(text: str) -> Iterator[str]:
    """
    Yield files and folders written in back-ticks: with a slash, and a known first folder or a file's ending.

    A part in capitals is a placeholder for any name.
    """
    for code in re.findall(r"`([^`\n]+)`", FENCED.sub("", text)):
        if any(part.isupper() for part in re.split(r"[/.]", code)):
            continue
        if re.fullmatch(rf"[\w./-]+/[\w.-]+\.({ENDINGS})|({'|'.join(CODE)}|docs)/[\w./-]*", code):
            yield code


def is_there(path: str, document: Path) -> bool:
    return (ROOT / path).exists() or (document.parent / path).exists()


MADE_BY_COMMANDS = ("runs/", "photos/")
"""Folders that commands in the documents write to, or that users have."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_and_links_of_a_document_exist(document: Path) -> None:
    text = text_of(document)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", FENCED.sub("", text)) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []
    if document.name == "architecture.md":
        return  # it names files relative to their section's folder, checked below
    paths = [path for path in named_paths(text) if not path.startswith(MADE_BY_COMMANDS)]
    assert [path for path in paths if not is_there(path, document)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_documents_are_not_too_long(document: Path) -> None:
    def is_free(line: str) -> bool:
        return line.lstrip().startswith("|") or "://" in line

    lines = enumerate(text_of(document).splitlines(), 1)
    assert [number for number, line in lines if len(line) > WIDEST and not is_free(line)] == []


def test_documents_name_no_path_outside_the_repository() -> None:
    outside = re.compile(r"\.\./shared|(?<![\w./])/(?:work|home|root|mnt)/")
    assert [document.name for document in DOCUMENTS if outside.search(text_of(document))] == []


LENGTHS = {"README.md": 150, "docs/architecture.md": 300, "docs/targets.md": 90}


@pytest.mark.parametrize(("name", "lines"), LENGTHS.items())
def test_document_keeps_its_length(name: str, lines: int) -> None:
    assert len(text_of(ROOT / name).splitlines()) <= lines


def test_each_version_of_the_changelog_has_a_date_and_under_sixty_lines() -> None:
    parts = re.split(r"^## ", text_of(ROOT / "CHANGELOG.md"), flags=re.M)[1:]
    headings = [part.splitlines()[0] for part in parts]
    assert headings[0] == "Unreleased"
    assert [heading for heading in headings[1:] if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", heading)] == []
    assert [
        heading for heading, part in zip(headings[1:], parts[1:], strict=True) if len(part.splitlines()) >= 60
    ] == []
    version = re.search(r'^version = "(.+)"$', text_of(ROOT / "pyproject.toml"), flags=re.M)
    assert version is not None
    assert headings[1].split(" - ")[0] == version[1]


def test_picture_of_the_readme_is_a_small_animation() -> None:
    picture = ROOT / "docs" / "table.webp"
    assert "docs/table.webp" in text_of(ROOT / "README.md")
    assert picture.stat().st_size < 2_000_000
    is_read, animation = cv2.imreadanimation(str(picture))
    assert is_read
    assert len(animation.frames) > 20


def code_folders() -> set[str]:
    """Return every folder with Python files, except the tests and the migrations' steps."""
    places = [place for place in CODE if place != "tests"]
    folders = {str(path.parent.relative_to(ROOT)) for path in python_files(*places)}
    return {folder for folder in folders if not folder.endswith("migrations/versions")}


def sections() -> Iterator[tuple[str, str]]:
    """Yield the architecture's sections as (folder, text); the introduction has the folder ``.``."""
    introduction, *parts = re.split(r"^#{2,3} ", text_of(ROOT / "docs" / "architecture.md"), flags=re.M)
    yield ".", introduction
    for part in parts:
        heading, _, text = part.partition("\n")
        yield heading.strip(), text


def test_architecture_has_a_section_for_every_code_folder() -> None:
    folders = {heading for heading, _ in sections()}
    assert code_folders() - folders == set()
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


def test_files_named_in_the_architecture_exist() -> None:
    missing = []
    for folder, text in sections():
        for code in re.findall(r"`([^`\n]+)`", text):
            if re.fullmatch(rf"[\w./-]+\.({ENDINGS})|({'|'.join(CODE)}|docs)/[\w./-]*", code) and not (
                (ROOT / folder / code).exists() or (ROOT / code).exists()
            ):
                missing.append(f"{folder}: {code}")
    assert missing == []


def test_examples_of_the_readme_give_the_shown_output() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried) == (0, 11)
