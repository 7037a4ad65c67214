"""Labels of photographs: what is read from them and what is said when they are broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datasets.photos import LabelsError, load_photos


def write(folder: Path, *lines: object) -> Path:
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return folder


LINE = {"picture": "a.jpg", "kind": "card-boxes", "cards": [{"card": "7s", "box": [1, 2, 3, 4]}], "split": "dev"}


def test_a_split_holds_its_own_pictures(tmp_path: Path) -> None:
    write(tmp_path, LINE, {**LINE, "picture": "b.jpg", "split": "check"})
    assert [picture.path.name for picture in load_photos(tmp_path, "check")] == ["b.jpg"]
    assert len(load_photos(tmp_path)) == 2


def test_whole_cards_keep_a_box_each(tmp_path: Path) -> None:
    cards = [{"card": "K?", "box": [0, 0, 1, 1]}, {"card": "K?", "box": [5, 5, 6, 6]}, {"card": "back", "box": [0] * 4}]
    (picture,) = load_photos(write(tmp_path, {**LINE, "kind": "card-boxes-rank-only", "cards": cards, "grey": True}))
    assert [card.card for card in picture.faces] == ["K?", "K?"]
    assert picture.grey


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match="expected a set of labelled pictures"):
        load_photos(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "line", [{**LINE, "kind": "guesses"}, {"picture": "a.jpg"}, {**LINE, "cards": [{"card": "7s"}]}]
)
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: object) -> None:
    with pytest.raises(LabelsError, match=r"labels\.jsonl:2: expected a line of labels"):
        load_photos(write(tmp_path, LINE, line))
