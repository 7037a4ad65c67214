"""Evaluation from end to end with a scripted detector."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.photos.labels import LabelledCard, LabelledPicture
from models.evaluation import check_sets, composed_sets, evaluate
from models.evaluation.check_sets import CheckSet, Made
from models.evaluation.composed_sets import ComposedSet
from models.evaluation.scoring import score_set
from models.evaluation.targets import TARGETS, Target, TargetResult, against_targets
from vision.detection.detections import CLASS_NAMES, Detections


class OneCardDetector:
    """Fake detector that finds the seven of spades on every picture, and unsurely the eight."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        quad = np.array([[20, 20], [80, 20], [80, 110], [20, 110]], np.float32)
        corners = np.stack([quad, quad + np.float32(100) * np.array([1, 0], np.float32)]).astype(np.float32)
        probabilities = np.zeros((2, len(CLASS_NAMES)), np.float32)
        probabilities[0, CLASS_NAMES.index("7s")] = 1.0
        probabilities[1] = 0.8 / (len(CLASS_NAMES) - 1)
        probabilities[1, CLASS_NAMES.index("8s")] = 0.2
        return Detections(corners, np.array([0.9, 0.9], np.float32), probabilities)


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(evaluate, "load_card_detector", lambda weights: OneCardDetector())
    folder = tmp_path / "photos" / "table"
    folder.mkdir(parents=True)
    cards = [{"card": "7s", "box": [20, 20, 80, 110]}, {"card": "8s", "box": [120, 20, 180, 110]}]
    lines = [{"picture": f"{n}.png", "kind": "card-boxes", "cards": cards, "split": "dev"} for n in range(2)]
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    for number in range(2):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((160, 220, 3), 90, np.uint8))
    return folder.parent


def test_set_is_read_scored_and_written_as_json(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["--photos", str(photos), "--split", "dev", "--set", "table", "--json"]
    assert evaluate.main(call) == 0
    line, *targets = capsys.readouterr().out.splitlines()
    assert len(targets) == len(TARGETS)
    result = json.loads(line)
    assert (result["set"], result["split"], result["pictures"]) == ("table", "dev", 2)
    assert (result["right"], result["invented"], result["missed"]) == (2, 0, 2)
    assert result["causes"] == {"found, not reported": 2}
    assert result["conditions"]["card height"] == ["70 to 110 px: 50.0 % of 4"]


def test_figures_are_written_to_the_named_file(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    assert evaluate.main(["--photos", str(photos), "--split", "dev", "--set", "table", "--out", str(out)]) == 0
    result = json.loads(out.read_text("utf-8"))
    assert result["on"] == {"split": "dev", "sets": ["table"]}
    assert result["counts"]["sets"][0]["right"] == 2
    assert len(result["counts"]["targets"]) == len(TARGETS)
    assert set(result["weights"]) == {"finder", "corner_refiner", "classifier", "overlap_network"}


def test_worst_pictures_are_written_to_a_page(photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pages"
    call = ["--photos", str(photos), "--split", "dev", "--set", "table", "--worst", "1", "--out", str(out)]
    assert evaluate.main(call) == 0
    assert "F1 66.7 %" in capsys.readouterr().out
    page = (out / "table-dev" / "index.html").read_text()
    assert page.count("<figure>") == 1
    assert "found, not reported 1" in page
    assert 'href="table-dev/index.html"' in (out / "index.html").read_text()


@pytest.mark.parametrize("call", [["--photos", "nowhere"], ["--set", "kitchen"]])
def test_missing_data_is_reported_with_one_sentence(
    photos: Path, call: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main(["--photos", str(photos), *call]) == 1
    message = capsys.readouterr().err
    assert message.startswith("expected ")
    assert message.count("\n") == 1


def test_quick_run_uses_few_pictures_and_reports_every_target(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def two_cards(art: object, seed: int, split: str) -> Made:
        cards = (LabelledCard("7s", ((20, 20, 80, 110),)), LabelledCard("8d", ((200, 20, 260, 110),), asked=False))
        picture = LabelledPicture(Path(f"{seed}.png"), "card-boxes", cards, split, pairs=(("7s", None),))
        return picture, np.full((160, 320, 3), 90, np.uint8)

    made = CheckSet("pair tables", 100, "two cards", two_cards)
    monkeypatch.setattr(evaluate, "CHECK_SETS", (made,))
    monkeypatch.setattr(evaluate, "NAMES", ("pair tables",))
    monkeypatch.setattr(check_sets, "NAMES", ("pair tables",))
    monkeypatch.setattr(check_sets, "art_for", lambda check_set, split: None)
    composed = ComposedSet("photographed pairs", 100, two_cards)
    monkeypatch.setattr(evaluate, "COMPOSED_SETS", (composed,))
    monkeypatch.setattr(evaluate, "COMPOSED_NAMES", ("photographed pairs",))
    monkeypatch.setattr(composed_sets, "COMPOSED_NAMES", ("photographed pairs",))
    monkeypatch.setattr(composed_sets, "composed_art", lambda split, photos: None)
    assert evaluate.main(["--photos", str(photos), "--split", "check", "--quick", "3"]) == 0
    printed = capsys.readouterr().out
    assert "pair tables, check: 3 pictures, 3 cards asked for" in printed
    assert "100.0 % right; whole tables exact 100.0 %" in printed, "a card without a target does not count as missed"
    assert "| pair tables | pairs right | >= 99.50 % | 100.00 % | yes |" in printed
    assert "photographed pairs, check: 3 pictures, 3 cards asked for" in printed
    assert "| photographed pairs | pairs right | >= 97.00 % | 100.00 % | yes |" in printed
    assert "| rf100-open | pictures exact | >= 95.00 % | not measured |  |" in printed


def test_a_missed_target_is_reported_as_missed() -> None:
    invents = TargetResult("no cards", "check", score_set([], 0.97), None, {})
    assert "not measured" in against_targets([invents])
    assert not Target("a", "b", lambda result: 0.5, least=0.9).is_met(0.899)
    assert Target("a", "b", lambda result: 0.5, most=0.02, unit="").is_met(0.02)


def test_evaluation_needs_no_pytorch() -> None:
    program = "import models.evaluation.evaluate, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[4], check=False).returncode == 0
