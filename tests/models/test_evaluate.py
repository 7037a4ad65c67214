"""The evaluation from end to end, with a sight that sees what the test says."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models import evaluate
from vision.detections import CLASS_NAMES, Detections


class SeesOneCard:
    """Sees the seven of spades on every picture, and faintly the eight."""

    def look(self, image_bgr: np.ndarray) -> Detections:
        quad = np.array([[20, 20], [80, 20], [80, 110], [20, 110]], np.float32)
        corners = np.stack([quad, quad + np.float32(100) * np.array([1, 0], np.float32)]).astype(np.float32)
        probabilities = np.zeros((2, len(CLASS_NAMES)), np.float32)
        probabilities[0, CLASS_NAMES.index("7s")] = 1.0
        probabilities[1] = 0.8 / (len(CLASS_NAMES) - 1)
        probabilities[1, CLASS_NAMES.index("8s")] = 0.2
        return Detections(corners, np.array([0.9, 0.9], np.float32), probabilities)


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(evaluate, "load_sight", lambda weights: SeesOneCard())
    folder = tmp_path / "photos" / "table"
    folder.mkdir(parents=True)
    cards = [{"card": "7s", "box": [20, 20, 80, 110]}, {"card": "8s", "box": [120, 20, 180, 110]}]
    lines = [{"picture": f"{n}.png", "kind": "card-boxes", "cards": cards, "split": "dev"} for n in range(2)]
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    for number in range(2):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((160, 220, 3), 90, np.uint8))
    return folder.parent


def test_a_set_is_read_scored_and_told_as_json(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["--photos", str(photos), "--split", "dev", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    result = json.loads(line)
    assert (result["set"], result["split"], result["pictures"]) == ("table", "dev", 2)
    assert (result["right"], result["invented"], result["missed"]) == (2, 0, 2)
    assert result["causes"] == {"found, not told": 2}
    assert result["conditions"]["card height"] == ["70 to 110 px: 50.0 % of 4"]


def test_the_worst_pictures_get_a_page(photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pages"
    assert evaluate.main(["--photos", str(photos), "--split", "dev", "--worst", "1", "--out", str(out)]) == 0
    assert "F1 66.7 %" in capsys.readouterr().out
    page = (out / "table-dev" / "index.html").read_text()
    assert page.count("<figure>") == 1
    assert "found, not told 1" in page


@pytest.mark.parametrize("call", [["--photos", "nowhere"], ["--set", "kitchen"]])
def test_what_is_missing_is_said_in_one_sentence(
    photos: Path, call: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main(["--photos", str(photos), *call]) == 1
    message = capsys.readouterr().err
    assert message.startswith("expected ")
    assert message.count("\n") == 1
