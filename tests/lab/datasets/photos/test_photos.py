"""Labels of photographs: their content, and the errors for invalid files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import pytest

from datasets.decks.library import DeckError
from datasets.photos.corners import Photo, agree, read_photos, varied, write_photos
from datasets.photos.labels import LabelsError, load_photos
from datasets.photos.photographed_deck import photographed_deck
from models.evaluation.conditions import is_plain_to_see
from models.evaluation.scoring import NOT_FOUND, score_picture
from vision.detection.card_detector import NetworkCardDetector
from vision.detection.detections import CLASS_NAMES
from vision.detection.finder import Proposals


def write(folder: Path, *lines: object) -> Path:
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return folder


LINE = {"picture": "a.jpg", "kind": "card-boxes", "cards": [{"card": "7s", "box": [1, 2, 3, 4]}], "split": "dev"}


def test_split_contains_only_its_own_pictures(tmp_path: Path) -> None:
    write(tmp_path, LINE, {**LINE, "picture": "b.jpg", "split": "check"})
    assert [picture.path.name for picture in load_photos(tmp_path, "check")] == ["b.jpg"]
    assert len(load_photos(tmp_path)) == 2


def test_whole_cards_have_one_box_each(tmp_path: Path) -> None:
    cards = [{"card": "K?", "box": [0, 0, 1, 1]}, {"card": "K?", "box": [5, 5, 6, 6]}, {"card": "back", "box": [0] * 4}]
    (picture,) = load_photos(write(tmp_path, {**LINE, "kind": "card-boxes-rank-only", "cards": cards, "grey": True}))
    assert [card.card for card in picture.faces] == ["K?", "K?"]
    assert picture.grey


def test_boxes_are_made_only_from_labelled_corners(tmp_path: Path) -> None:
    cards = [{"card": "7s", "corners": [[1, 2], [30, 4], [28, 50], [0, 48]]}, {"card": "8d"}]
    (picture,) = load_photos(write(tmp_path, {**LINE, "kind": "cards", "cards": cards}))
    assert picture.cards[0].boxes == ((0.0, 2.0, 30.0, 50.0),)
    assert picture.cards[0].corners_px == ((1, 2), (30, 4), (28, 50), (0, 48))
    assert (picture.cards[1].boxes, picture.cards[1].corners_px) == ((), None)
    (scored,) = score_picture(picture, []).cards[1:]
    assert scored.cause == NOT_FOUND
    assert not is_plain_to_see(scored)


def test_deck_is_cut_from_pictures_of_single_faces(tmp_path: Path) -> None:
    photo = np.zeros((400, 300, 3), np.uint8)
    quad = np.array([[60, 50], [220, 60], [210, 300], [50, 290]], np.int32)
    cv2.fillConvexPoly(photo, quad, (40, 180, 240))
    cv2.imwrite(str(tmp_path / "one.png"), photo)
    alone = {"card": "7s", "corners": quad.tolist()}
    line = {**LINE, "picture": "one.png", "kind": "cards", "cards": [alone]}
    write(tmp_path, line, {**line, "cards": [alone, {**alone, "card": "8s"}]})
    deck = photographed_deck(tmp_path, 160)
    assert list(deck.faces) == ["7s"]
    face = deck.faces["7s"]
    assert face.shape == (160, 106, 4)
    assert face[80, 53].tolist() == [240, 180, 40, 255]
    assert face[0, 0, 3] == 0, "corners are round"
    assert face[face[..., 3] == 255][:, 0].min() > 200, "no table shows beside the card"
    with pytest.raises(DeckError, match="expected pictures of single faces"):
        photographed_deck(write(tmp_path, LINE), 160)
    with pytest.raises(DeckError, match="expected a set of labelled pictures"):
        photographed_deck(tmp_path / "nowhere", 160)


def test_error_names_the_missing_set(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match="expected a set of labelled pictures"):
        load_photos(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "line", [{**LINE, "kind": "guesses"}, {"picture": "a.jpg"}, {**LINE, "cards": [{"card": "7s"}]}]
)
def test_error_names_the_number_of_an_invalid_line(tmp_path: Path, line: object) -> None:
    with pytest.raises(LabelsError, match=r"labels\.jsonl:2: expected a line of labels"):
        load_photos(write(tmp_path, LINE, line))


def test_squeezed_photograph_is_stretched_with_its_corners(tmp_path: Path) -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "a.png"), image)
    corners = np.array([[[80, 80], [120, 80], [120, 136], [80, 136]]], np.float32)
    shapes = []
    for stretched in (False, True):
        photo = Photo(tmp_path / "a.png", corners, ("7s",), complete=True, stretched=stretched)
        tall = []
        for seed in range(30):
            _, quads, names, _ = varied(np.random.default_rng(seed), photo, (200, 200), (40, 120))
            assert names == ("7s",)
            sides = np.linalg.norm(quads[0] - np.roll(quads[0], 1, axis=0), axis=1)
            tall.append((sides[0] + sides[2]) / (sides[1] + sides[3]))
        shapes.append((min(tall), max(tall)))
    assert shapes[0] == pytest.approx((1.4, 1.4), abs=0.01)
    assert shapes[1][0] < 1.5
    assert 1.8 < shapes[1][1] <= 1.4 * 1.8 + 0.01


class Pipeline:
    """Fake pipeline that proposes these quads and reads them as these classes."""

    def __init__(self, *claims: tuple[float, float, str]) -> None:
        corners = np.array([[[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]] for x, y, _ in claims], np.float32)
        self.found = Proposals(corners, np.linspace(0.9, 0.5, len(claims)).astype(np.float32))
        self.rows = np.array(
            [[float(class_name == name) for class_name in CLASS_NAMES] for _, _, name in claims], np.float32
        )
        self.finder = self.corner_refiner = self.classifier = self

    def find(self, image: np.ndarray, least: float) -> Proposals:
        return self.found.above(least)

    def refine(self, image: np.ndarray, corners: np.ndarray) -> np.ndarray:
        return corners

    def read(self, image: np.ndarray, corners: np.ndarray) -> np.ndarray:
        return self.rows


@pytest.mark.parametrize(
    ("others", "complete"),
    [
        ([], True),
        ([(18, 12, "7s")], True),  # the same card, outlined a second time
        ([(120, 10, "none")], True),
        ([(120, 10, "Kd")], False),  # a card without a label
    ],
)
def test_photo_is_complete_if_every_detected_card_is_labelled(
    others: list[tuple[float, float, str]], complete: bool, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.jpg"), np.zeros((120, 200, 3), np.uint8))
    line = {**LINE, "kind": "index-boxes", "cards": [{"card": "7s", "box": [14, 14, 22, 26]}]}
    (picture,) = load_photos(write(tmp_path, line), "dev")
    photo = agree(cast(NetworkCardDetector, Pipeline((10, 10, "7s"), *others)), picture)
    assert photo is not None
    assert photo.names == ("7s",)
    assert photo.complete == complete


@pytest.mark.parametrize(("name", "is_agreed"), [("7s", True), ("9c", False)])
def test_unsure_detection_counts_only_if_it_agrees_with_its_label(name: str, is_agreed: bool, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.jpg"), np.zeros((120, 200, 3), np.uint8))
    line = {**LINE, "kind": "index-boxes", "cards": [{"card": "7s", "box": [14, 14, 22, 26]}]}
    (picture,) = load_photos(write(tmp_path, line), "dev")
    pipeline = Pipeline((10, 10, name))
    pipeline.found = Proposals(pipeline.found.corners_px, np.array([0.2], np.float32))
    assert (agree(cast(NetworkCardDetector, pipeline), picture) is not None) == is_agreed


def test_joker_has_a_box_and_no_class_of_the_pack(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.jpg"), np.zeros((120, 200, 3), np.uint8))
    cards = [{"card": "joker", "box": [10, 10, 70, 94]}]
    (picture,) = load_photos(write(tmp_path, {**LINE, "cards": cards}), "dev")
    photo = agree(cast(NetworkCardDetector, Pipeline((10, 10, "Kh"))), picture)
    assert photo is not None
    assert photo.names == ("none",)
    assert photo.complete


def test_agreed_labels_survive_a_round_trip(tmp_path: Path) -> None:
    photo = Photo(Path("/a.png"), np.ones((1, 4, 2), np.float32), ("7s",), complete=False, stretched=True)
    write_photos(tmp_path / "agreed.jsonl", [photo])
    (back,) = read_photos(tmp_path / "agreed.jsonl")
    assert (back.names, back.complete, back.stretched) == (("7s",), False, True)
    assert (back.corners_px == photo.corners_px).all()
