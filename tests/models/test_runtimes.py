"""Both runtimes give the same answers: onnxruntime as shipped, Ultralytics where the extra ``train`` is installed."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("ultralytics", reason="Ultralytics comes with the extra 'train'; without it one runtime remains")

from ultralytics import YOLO

from models.checkpoints import save_pt
from models.corners import new_corner_model
from models.export import to_onnx
from models.reader import new_reader
from vision.detections import CLASS_NAMES
from vision.reader import CROP_PX, rectify
from vision.sight import load_sight
from vision.sources import open_source
from vision.weights import CHECKOUT, Network, open_network

CLIP = Path(__file__).parents[2] / "webapp" / "recordings" / "demo.mp4"


def both(net: object, folder: Path, task: str, size: tuple[int, int]) -> tuple[Network, Network]:
    """A network saved as .pt and exported, opened by either runtime."""
    save_pt(net, folder / "net.pt")
    to_onnx(folder / "net.pt", folder / "out.onnx", task, size)
    return open_network(folder / "net.pt"), open_network(folder / "out.onnx")


@pytest.mark.filterwarnings("ignore")
def test_a_finder_answers_alike_as_pt_and_as_onnx(tmp_path: Path) -> None:
    torch, onnx = both(new_corner_model(), tmp_path, "pose", (640, 640))
    batch = np.random.default_rng(1).random((1, 3, 384, 640), np.float32)
    one, other = torch.run(batch), onnx.run(batch)
    assert one.shape == other.shape
    np.testing.assert_allclose(one[0, 4], other[0, 4], atol=2e-3)
    np.testing.assert_allclose(one[0, 5:], other[0, 5:], atol=1.0)


@pytest.mark.filterwarnings("ignore")
def test_a_reader_answers_alike_as_pt_and_as_onnx(tmp_path: Path) -> None:
    torch, onnx = both(new_reader(), tmp_path, "classify", (CROP_PX[1], CROP_PX[0]))
    batch = np.random.default_rng(1).random((5, 3, CROP_PX[1], CROP_PX[0]), np.float32)
    np.testing.assert_allclose(torch.run(batch), onnx.run(batch), atol=2e-3)


@pytest.mark.filterwarnings("ignore")
def test_the_shipped_weights_see_the_same_cards_through_ultralytics() -> None:
    with open_source(str(CLIP)) as source:
        image = next(frame.image_bgr for frame in source if frame.at >= 20)
    sight = load_sight()
    ours = sight.look(image)
    size = 32 * round(image.shape[0] / image.shape[1] * 640 / 32), 640
    found = YOLO(CHECKOUT / "detector.onnx", task="pose").predict(image, imgsz=size, conf=0.3, iou=0.9, verbose=False)[
        0
    ]
    theirs = found.keypoints.xy.numpy().astype(np.float32)
    crops = rectify(image, theirs)[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
    named = open_network(CHECKOUT / "reader.onnx").run(np.ascontiguousarray(crops)).argmax(axis=1)
    assert len(ours) > 3
    for quad, best in zip(ours.corners_px, ours.best, strict=True):
        near = np.linalg.norm(theirs.mean(axis=1) - quad.mean(axis=0), axis=1)
        tall = np.sqrt(cv2.contourArea(quad))
        assert near.min() < 0.1 * tall
        assert CLASS_NAMES[named[near.argmin()]] == CLASS_NAMES[best]
