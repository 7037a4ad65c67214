"""Folder of pictures: each is read alone, outlined and reported, without rulings."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from features.stills.picture_log import Stills
from features.stills.pipeline import PictureRead, StillPipeline
from features.stills.reading import StillSettings
from referee.record import Header
from tests.patience import PATIENCE_S
from vision.capture.sources import PictureSource, SourceSettings
from vision.detection.detections import CLASS_NAMES, Detections
from webapp.commands import cli
from webapp.live import vision_opening
from webapp.live.board import Condition, SnapshotHub
from webapp.live.runtime import PlaybackMode, Runtime
from webapp.live.session import MatchSession

CARD = np.array([[100, 100], [190, 100], [190, 225], [100, 225]], np.float32)
ONE_LEVEL = 40


class Sorter:
    """Fake detector: 7s on the dark picture, Kd and a back on the light one."""

    inferences = 0

    def detect(self, image_bgr: np.ndarray) -> Detections:
        self.inferences += 1
        names = ["7s"] if image_bgr.mean() < 128 else ["Kd", "back"]
        shares = np.full((len(names), len(CLASS_NAMES)), 0.001, np.float32)
        for row, name in zip(shares, names, strict=True):
            row[CLASS_NAMES.index(name)] = 0.9
        corners = np.stack([CARD + np.float32([250 * place, 0]) for place in range(len(names))]).astype(np.float32)
        return Detections(corners, np.full(len(names), 0.9, np.float32), shares)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder of two pictures and a broken one."""
    for name, level in (("a.png", ONE_LEVEL), ("c.png", 200)):
        assert cv2.imwrite(str(tmp_path / name), np.full((480, 640, 3), level, np.uint8))
    (tmp_path / "b.png").write_bytes(b"rubbish")
    return tmp_path


@pytest.fixture
def sorter(monkeypatch: pytest.MonkeyPatch) -> Sorter:
    """Replace the networks by the fake detector."""
    made = Sorter()
    monkeypatch.setattr(vision_opening, "detector_for", lambda options, pack: made)
    return made


@pytest.mark.parametrize("command", ["review", "watch"])
def test_every_picture_is_read_once_without_rulings(
    folder: Path, sorter: Sorter, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--exit", "--no-browser", "--port", "0") if command == "watch" else ()
    status = cli.main([command, str(folder), "--json", *more])
    output = capsys.readouterr()
    header, *pictures, last = map(json.loads, output.out.splitlines())
    assert status == 1, "one of the pictures is broken"
    assert "b.png" in output.err
    assert header["kozyr"] == 1
    assert [Path(line["picture"]).name for line in pictures] == ["a.png", "c.png"]
    assert [[card["card"] for card in line["cards"]] for line in pictures] == [["7s"], ["Kd", "back"]]
    assert [line["text"] for line in pictures] == ["On this picture: 7♠.", "On this picture: K♦, face down: 1."]
    assert last["summary"]["pictures"] == sorter.inferences == 2
    assert set(last["summary"]["rulings"].values()) == {0}


def test_start_position_for_single_pictures_is_refused(
    folder: Path, sorter: Sorter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["review", str(folder), "--record", str(tmp_path / "game.jsonl")]) == 1
    assert "no game is refereed" in capsys.readouterr().err


def test_page_shows_outlined_cards_and_no_seats(folder: Path, header: Header, board: SnapshotHub) -> None:
    source = PictureSource((folder / "a.png", folder / "c.png"), "pictures", SourceSettings(still_s=0.4))
    runtime = Runtime(
        MatchSession(header, source, StillPipeline(Sorter(), StillSettings()), Stills(header)),
        board,
        PlaybackMode(live=False, paced=False),
    )
    runtime.start()
    assert runtime.done.wait(PATIENCE_S)
    runtime.stop()
    assert board.newest.view.seats == ()
    assert board.newest.view.state["table"] == [["Kd", None]]
    assert board.newest.calls[-1].text.in_language("ru") == "На снимке: К♦, рубашкой вверх: 1."
    assert board.newest.camera.condition is Condition.ENDED
    assert board.picture is not None
    (face, back) = board.picture.view.cards
    assert (str(face.card), back.card) == ("Kd", None)
    assert np.array_equal(face.corners_px, CARD)


def test_press_has_no_effect_on_a_picture(header: Header) -> None:
    stills = Stills(header)
    assert stills.judge("a press") == ()
    (line,) = stills.judge(PictureRead(1.25, {"picture": "a.png", "cards": [], "pairs": []}))
    assert (line["at"], line["text"]) == (1.25, "No cards on this picture.")
