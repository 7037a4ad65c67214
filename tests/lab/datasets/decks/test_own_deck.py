"""The project's own deck: complete, well-formed SVG without fonts, and equal to its script's output."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from datasets.decks.own_deck import OUT, drawings, english_drawings, french_drawings
from datasets.decks.own_glyphs import GLYPHS
from referee.cards import RANKS, pack

NAMES = sorted([*(f"{card}.svg" for card in pack(52)), "back.svg"])
SVG = "{http://www.w3.org/2000/svg}"


def test_deck_has_exactly_every_face_and_a_back() -> None:
    assert sorted(path.name for path in OUT.glob("*.svg")) == NAMES


@pytest.mark.parametrize(("folder", "drawn"), [("en", english_drawings()), ("fr", french_drawings())])
def test_faces_of_another_language_are_the_16_with_other_indices(folder: str, drawn: dict[str, str]) -> None:
    written = {f"{folder}/{path.name}": path.read_text(encoding="utf-8") for path in (OUT / folder).glob("*.svg")}
    assert written == drawn
    assert len(written) == 16
    assert not set(written.values()) & set(drawings().values())


def test_every_rank_has_a_glyph() -> None:
    assert sorted(GLYPHS) == sorted(RANKS)


@pytest.mark.parametrize("name", NAMES)
def test_card_file_equals_the_output_of_its_script(name: str) -> None:
    assert (OUT / name).read_text(encoding="utf-8") == drawings()[name]


@pytest.mark.parametrize("name", NAMES)
def test_card_file_is_small_has_card_proportions_and_no_font_or_id(name: str) -> None:
    path: Path = OUT / name
    assert path.stat().st_size < 13_500
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    assert root.get("viewBox") == "0 0 630 880"
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "ellipse"}
    assert not [element for element in root.iter() if element.get("id")]


def test_all_cards_differ() -> None:
    assert len(set(drawings().values())) == len(NAMES)
