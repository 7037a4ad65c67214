"""Label maps: arm where an arm was painted, card where a card is visible, other elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from datasets.clips.ground_truth import Moment, SceneAt
from datasets.clips.label_maps import ARM, CARD, OTHER, label_map
from datasets.clips.painter import Painter
from datasets.clips.recipes import drawn, rehearse, set_up
from vision.detection import segmentation
from vision.detection.networks import find_manifest, open_network, read_manifest
from vision.detection.segmentation import MAP_PX, Segmenter


def plain_faces() -> dict[str, np.ndarray]:
    """Return cards of one colour that occurs on no table."""
    face = np.zeros((88, 63, 4), np.uint8)
    face[...] = (255, 0, 255, 255)
    return dict.fromkeys([*(f"{r}{s}" for r in "23456789TJQKA" for s in "shdc"), "back"], face)


@cache
def scene() -> tuple[Painter, Moment]:
    """Return a moment at which an arm reaches over the table."""
    recipe = drawn(17, height=180, seconds=30.0, rules="podkidnoy-36", habits="quiet", mishaps="none")
    performance, arms = rehearse(recipe)
    painter, world = set_up(recipe, performance.stage, arms, plain_faces()), SceneAt(performance)
    for at in np.arange(1.0, performance.seconds, 0.2):
        moment = world.at(float(at))
        if moment.arms and len(moment.lying) > 3 and (label_map(painter, moment) == ARM).mean() > 0.03:
            return painter, moment
    raise AssertionError("expected an arm within the clip, found none")


def test_pixels_changed_by_an_arm_are_labelled_arm() -> None:
    painter, moment = scene()
    with_arm = painter.paint(moment).astype(int)
    without = painter.paint(replace(moment, arms=())).astype(int)
    changed = np.abs(with_arm - without).max(axis=2) > 70
    labels = label_map(painter, moment)
    assert changed.sum() > 200
    assert (labels[changed] == ARM).mean() > 0.9


def test_pixels_of_card_colour_are_labelled_card() -> None:
    painter, moment = scene()
    picture = painter.paint(moment).astype(int)
    purple = (picture[..., 0] > picture[..., 1] + 60) & (picture[..., 2] > picture[..., 1] + 60)
    labels = label_map(painter, moment)
    assert purple.sum() > 300
    assert (labels[purple] == CARD).mean() > 0.93
    assert purple[labels == CARD].mean() > 0.8
    assert set(np.unique(labels)) == {OTHER, CARD, ARM}


def test_shipped_segmenter_finds_the_arm_and_labels_no_card_as_arm() -> None:
    painter, moment = scene()
    manifest = read_manifest(find_manifest())
    assert manifest.segmenter is not None
    segmenter = Segmenter(open_network(manifest.file(manifest.segmenter)))
    labels = segmenter(painter.develop(painter.paint(moment)))
    truth = cv2.resize(label_map(painter, moment), MAP_PX, interpolation=cv2.INTER_NEAREST)
    assert (labels[truth == ARM] == segmentation.ARM).mean() > 0.6
    assert (truth[labels == segmentation.ARM] == ARM).mean() > 0.6
    assert (labels[truth == CARD] == segmentation.ARM).mean() < 0.1
