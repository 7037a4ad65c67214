"""Both runtimes give the same outputs: onnxruntime as shipped, Ultralytics if the extra ``train`` is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ultralytics", reason="Ultralytics comes with the extra 'train'; without it one runtime remains")

import torch
from ultralytics.nn.autobackend import AutoBackend

from models.training.checkpoints import save_pt
from models.training.classifier import new_classifier
from models.training.export import to_onnx
from models.training.finder import new_box_model, new_corner_model
from vision.capture.sources import open_source
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.classifier import CROP_PX, CardClassifier
from vision.detection.finder import CardFinder
from vision.detection.networks import CHECKOUT, FeatureNetwork, Network, open_network

CLIP = Path(__file__).parents[4] / "webapp" / "recordings" / "demo.mp4"


def both(net: object, folder: Path, task: str, size: tuple[int, int]) -> tuple[Network, Network]:
    """Save a network as .pt, export it, and open both by their runtimes."""
    save_pt(net, folder / "net.pt")
    to_onnx(folder / "net.pt", folder / "out.onnx", task, size)
    return open_network(folder / "net.pt"), open_network(folder / "out.onnx")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("task", "new"), [("pose", new_corner_model), ("obb", new_box_model)])
def test_finder_gives_the_same_output_as_pt_and_as_onnx(tmp_path: Path, task: str, new: Callable[[], object]) -> None:
    pt, onnx = both(new(), tmp_path, task, (640, 640))
    batch = np.random.default_rng(1).random((1, 3, 384, 640), np.float32)
    one, other = pt.run(batch), onnx.run(batch)
    assert one.shape == other.shape
    np.testing.assert_allclose(one[0, 4], other[0, 4], atol=2e-3)
    np.testing.assert_allclose(one[0, 5:], other[0, 5:], atol=1.0)


@pytest.mark.filterwarnings("ignore")
def test_classifier_gives_the_same_output_as_pt_and_as_onnx(tmp_path: Path) -> None:
    pt, onnx = both(new_classifier(), tmp_path, "classify", (CROP_PX[1], CROP_PX[0]))
    batch = np.random.default_rng(1).random((5, 3, CROP_PX[1], CROP_PX[0]), np.float32)
    np.testing.assert_allclose(pt.run(batch), onnx.run(batch), atol=2e-3)


@pytest.mark.filterwarnings("ignore")
def test_exported_classifier_returns_features_and_the_same_output(tmp_path: Path) -> None:
    _, onnx = both(new_classifier(), tmp_path, "classify", (CROP_PX[1], CROP_PX[0]))
    assert isinstance(onnx, FeatureNetwork)
    assert onnx.has_features
    batch = np.random.default_rng(2).random((3, 3, CROP_PX[1], CROP_PX[0]), np.float32)
    answer, features = onnx.run_with_features(batch)
    np.testing.assert_allclose(answer, onnx.run(batch), atol=1e-6)
    assert features.ndim == 2
    assert len(features) == 3
    assert features.shape[1] > answer.shape[1]


class ThroughUltralytics:
    """Shipped network that Ultralytics' own backend runs."""

    def __init__(self, name: str) -> None:
        self.backend = AutoBackend(str(CHECKOUT / f"{name}.onnx"))

    def run(self, batch: np.ndarray) -> np.ndarray:
        output = self.backend(torch.from_numpy(batch))
        return (output[0] if isinstance(output, list | tuple) else output).numpy()


@pytest.mark.filterwarnings("ignore")
def test_shipped_weights_detect_the_same_cards_with_ultralytics() -> None:
    with open_source(str(CLIP)) as source:
        image = next(frame.image_bgr for frame in source if frame.at >= 20)
    ours = load_card_detector()
    theirs = NetworkCardDetector(
        CardFinder(ThroughUltralytics("finder"), ours.finder.settings),
        ours.corner_refiner,
        CardClassifier(ThroughUltralytics("classifier"), ours.classifier.settings),
        ours.overlaps,
    )
    one, other = ours.detect(image), theirs.detect(image)
    assert len(one) > 5
    assert one.best.tolist() == other.best.tolist()
    np.testing.assert_allclose(one.corners_px, other.corners_px, atol=1.0)
