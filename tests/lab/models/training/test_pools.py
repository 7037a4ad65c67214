"""Pools of training pictures: labels follow the augmentation of their pictures."""

from itertools import islice

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("ultralytics", reason="needs the extra train")

from models.training import pools  # noqa: E402
from models.training.feeds import turned_box  # noqa: E402
from vision.detection.classifier import with_indices  # noqa: E402

CPU = torch.device("cpu")
SIDE = 128


def random_quads(count: int) -> np.ndarray:
    """Return (count, 4, 2) float32 px: obliquely seen cards."""
    rng = np.random.default_rng(3)
    quads = []
    for _ in range(count):
        box = (tuple(rng.uniform(40, 90, 2)), (rng.uniform(15, 30), rng.uniform(31, 50)), float(rng.uniform(0, 360)))
        quads.append(np.roll(cv2.boxPoints(box), 1, axis=0) + rng.normal(0, 1.0, (4, 2)))
    return np.array(quads, np.float32)


def test_boxes_around_quads_equal_those_of_the_feeds() -> None:
    quads = random_quads(200)
    boxes = pools.turned_boxes(torch.from_numpy(quads)).numpy()
    wanted = np.array([turned_box(quad) for quad in quads])
    area = boxes[:, 2] * boxes[:, 3]
    np.testing.assert_allclose(area, wanted[:, 2] * wanted[:, 3], rtol=1e-3)
    # Two boxes of nearly the same area may differ.
    assert (np.abs(boxes[:, :2] - wanted[:, :2]) < 0.6).all(1).mean() > 0.9
    turn = np.abs(np.sin(boxes[:, 4] - wanted[:, 4]))
    assert (turn < 0.1).mean() > 0.97


def filled_pool() -> pools.ScenePool:
    """Return a pool of eight pictures, each with one white card on black."""
    pool = pools.ScenePool(8, SIDE, CPU)
    quads = random_quads(8)
    images = np.zeros((8, SIDE, SIDE), np.uint8)
    for image, quad in zip(images, quads, strict=True):
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), 255)
    pool.add(
        {
            "img": torch.from_numpy(images)[:, None].repeat(1, 3, 1, 1),
            "batch_idx": torch.arange(8.0),
            "keypoints": torch.from_numpy(quads / SIDE),
            "visible": torch.ones(8),
        }
    )
    return pool


@pytest.mark.parametrize("mosaic", [0.0, 1.0])
def test_augmented_labels_stay_on_their_cards(monkeypatch: pytest.MonkeyPatch, mosaic: float) -> None:
    torch.manual_seed(5)
    monkeypatch.setattr(pools, "MOSAIC", mosaic)
    monkeypatch.setattr(pools, "in_other_light", lambda pictures, strength=1.0: pictures)
    batch = filled_pool().draw(16)
    assert len(batch["bboxes"]) >= 8
    inside, around = [], []
    for index, quad in zip(batch["batch_idx"], batch["keypoints"], strict=True):
        picture = batch["img"][int(index)].std(0) + batch["img"][int(index)].mean(0)
        middle = quad.mean(0)
        for share, values in ((0.6, inside), (1.5, around)):
            for corner in quad:
                x, y = ((middle + (corner - middle) * share) * SIDE).round().int().tolist()
                if 0 <= x < SIDE and 0 <= y < SIDE:
                    values.append(float(picture[y, x]))
    assert np.median(inside) > 250
    assert np.mean(np.array(around) < 250) > 0.6


def test_card_moved_out_of_the_picture_has_no_label() -> None:
    quads = torch.tensor([[[[-0.5, 0.1], [-0.1, 0.1], [-0.1, 0.9], [-0.5, 0.9]]]])
    assert float(pools.share_inside(quads)) == 0.0
    assert float(pools.share_inside(quads + 0.3)) == pytest.approx(0.4, abs=0.11)


def test_indices_are_enlarged_as_by_the_classifier() -> None:
    crops = np.random.default_rng(1).integers(0, 256, (3, 132, 96, 3)).astype(np.uint8)
    wanted = with_indices(crops)
    got = pools.with_indices(torch.from_numpy(crops.transpose(0, 3, 1, 2)).float()).numpy().transpose(0, 2, 3, 1)
    assert np.abs(got - wanted).max() <= 1.0


def test_crop_pool_keeps_classes_and_drops_the_oldest_crops() -> None:
    pool = pools.CropPool(4, CPU)
    for first in (0, 3):
        classes = torch.arange(first, first + 3)
        pool.add([(classes * 20).to(torch.uint8)[:, None, None, None].repeat(1, 3, 132, 96), classes])
    assert pool.count == 4
    crops, classes = pool.draw(64)
    assert set(classes.tolist()) <= {2, 3, 4, 5}
    order = [float(crops[classes == value].mean()) for value in sorted(set(classes.tolist()))]
    assert order == sorted(order)


def test_pool_raises_the_error_of_its_source() -> None:
    def fresh():
        yield [torch.zeros(4, 3, 132, 96, dtype=torch.uint8), torch.zeros(4, dtype=torch.int64)]
        raise OSError("no picture")

    batches = pools.drawn_batches(pools.CropPool(4, CPU), fresh(), 2, lambda text: None)
    with pytest.raises(OSError, match="no picture"):
        sum(1 for _ in islice(batches, 10_000))
