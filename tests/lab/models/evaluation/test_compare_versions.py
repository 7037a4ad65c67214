"""Comparison of two versions, each a folder whose program reports scripted cards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.evaluation import compare_versions
from vision.capture.image_files import open_picture

CLI = """
import json, sys
def main():
    assert sys.argv[1:5] == ["read", "--pack", "52", "--json"], sys.argv
    corners = [[20, 20], [80, 20], [80, 110], [20, 110]]
    for name in sys.argv[5:]:
        cards = [dict(card=card, confidence=0.9, corners=corners) for card in CARDS]
        print(json.dumps(dict(picture=name, cards=cards, pairs=[], took_ms=5.0)))
    return 0
"""


def version(folder: Path, *cards: str) -> Path:
    """Make a version of the program that reports these cards on every picture."""
    commands = folder / "webapp" / "commands"
    commands.mkdir(parents=True)
    for package in (commands, commands.parent):
        (package / "__init__.py").touch()
    (commands / "cli.py").write_text(f"CARDS = {list(cards)}\n{CLI}")
    return folder


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos" / "table"
    folder.mkdir(parents=True)
    write_labels(folder, "dev")
    return folder.parent


def write_labels(folder: Path, split: str) -> None:
    cards = [{"card": name, "box": [20, 20, 80, 110]} for name in ("7s", "8s")]
    line = {"picture": "a.png", "kind": "card-boxes", "cards": cards, "maybe": ["Qd"], "split": split}
    (folder / "labels.jsonl").write_text(json.dumps(line))
    cv2.imwrite(str(folder / "a.png"), np.full((160, 220, 3), 90, np.uint8))


@pytest.mark.parametrize(
    ("before", "now", "printed", "status"),
    [
        (["7s"], ["7s", "8s"], "table/a.png: won 8s", 0),
        (["7s", "8s"], ["8s"], "table/a.png: lost 7s", 1),
        (["7s", "8s"], ["7s", "8s", "9h"], "table/a.png: wrong now 9h", 1),
        (["7s", "9h"], ["8s"], "table/a.png: won 8s; lost 7s; wrong before 9h", 0),
    ],
)
def test_cards_won_and_lost_are_named_and_a_loss_fails(
    photos: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    before: list[str],
    now: list[str],
    printed: str,
    status: int,
) -> None:
    out = tmp_path / "pages"
    versions = [str(version(tmp_path / name, *cards)) for name, cards in (("before", before), ("now", now))]
    assert compare_versions.main([*versions, "--photos", str(photos), "--out", str(out)]) == status
    assert printed in capsys.readouterr().out
    drawn = open_picture(out / "table-a.jpg")
    assert drawn.shape[1] > 2 * drawn.shape[0], "both readings stand side by side"
    assert 'src="table-a.jpg"' in (out / "index.html").read_text()


def test_equal_answers_change_nothing(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compare_versions, "ROOT", version(tmp_path / "now", "7s", "Qd"))
    assert compare_versions.main([str(version(tmp_path / "before", "7s")), "--photos", str(photos)]) == 0
    printed = capsys.readouterr().out
    assert "table: 1 pictures, 2 cards; right 1 → 1, wrong 0 → 0, exact 0 → 0" in printed
    assert "cards won 0, lost 0; wrong names 0 → 0" in printed


def test_losses_of_a_guard_fail_without_being_named(
    photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_labels(photos / "table", "check")
    out = tmp_path / "pages"
    versions = [str(version(tmp_path / "before", "7s", "8s")), str(version(tmp_path / "now", "7s", "9h"))]
    asked = [*versions, "--photos", str(photos), "--out", str(out)]
    assert compare_versions.main(asked) == 1
    printed = capsys.readouterr().out
    assert "right 2 → 1, wrong 0 → 1" in printed
    assert "8s" not in printed
    assert [file.name for file in out.iterdir()] == ["index.html"]
    assert "8s" not in (out / "index.html").read_text()
    assert compare_versions.main([*asked, "--named"]) == 1
    assert "lost 8s" in capsys.readouterr().out


def test_check_pictures_of_a_set_with_others_are_not_read(
    photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = photos / "table" / "labels.jsonl"
    line = labels.read_text()
    labels.write_text(line + "\n" + line.replace('"dev"', '"check"'))
    versions = [str(version(tmp_path / name, "7s")) for name in ("before", "now")]
    asked = [*versions, "--photos", str(photos), "--out", str(tmp_path / "pages")]
    assert compare_versions.main(asked) == 0
    assert "table: 1 pictures" in capsys.readouterr().out


def test_a_commit_is_checked_out_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = version(tmp_path / "repository", "7s")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(compare_versions, "ROOT", repository)
    with compare_versions.checkout("HEAD") as folder:
        assert (folder / "webapp" / "commands" / "cli.py").is_file()
    assert not folder.exists()
    with (
        pytest.raises(SystemExit, match="expected a commit or the folder of a checkout, got 'nowhere'"),
        compare_versions.checkout("nowhere"),
    ):
        pass
