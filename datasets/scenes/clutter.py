"""Things on a table that are no cards: hands, sleeves, glasses, coins, papers, phones; under the cards or over them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from datasets.scenes.surfaces import any_colour


def load_hands(folder: Path | None) -> list[np.ndarray]:
    """Load hands before a green screen as BGRA, the green matted away softly and taken out of the edges."""
    hands = []
    if folder is None or not folder.is_dir():
        return []
    for path in sorted(folder.iterdir()):
        image = cv2.imread(str(path))
        if image is None:
            continue
        blue, green, red = (channel.astype(np.float32) for channel in cv2.split(image))
        greenness = green - np.maximum(blue, red)
        alpha = np.clip((35 - greenness) / 30, 0, 1)
        soft = cv2.GaussianBlur(alpha, (0, 0), 0.8)
        green = np.minimum(green, np.maximum(blue, red))
        hands.append(cv2.merge([blue, green, red, soft * 255]).astype(np.uint8))
    return hands


def paste(image: np.ndarray, cover: np.ndarray | None, patch: np.ndarray, matrix: np.ndarray) -> None:
    """Lay a BGRA patch over a float32 picture in place, through ``matrix`` (2, 3); ``cover`` (h, w) bool is marked."""
    height, width = image.shape[:2]
    h, w = patch.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    at = corners @ matrix[:, :2].T + matrix[:, 2]
    x0, y0 = np.maximum(np.floor(at.min(axis=0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(at.max(axis=0)).astype(int), (width, height))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    local = matrix.copy()
    local[:, 2] -= (x0, y0)
    warped = cv2.warpAffine(patch, local, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_AREA).astype(np.float32)
    alpha = warped[..., 3:] / 255
    region = image[y0:y1, x0:x1]
    region += alpha * (warped[..., :3] - region)
    if cover is not None:
        cover[y0:y1, x0:x1] |= alpha[..., 0] > 0.5


def _reach(
    rng: np.random.Generator, hand: np.ndarray, size: tuple[int, int], goal: np.ndarray, length_px: float
) -> np.ndarray:
    """
    Return the (2, 3) matrix that brings a hand (its wrist at the picture's right or left) to ``goal`` from a side.
    """
    h, w = hand.shape[:2]
    scale = length_px / w
    angle = rng.uniform(0, 2 * np.pi)
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    linear = np.array([[cos, -sin * mirror], [sin, cos * mirror]])
    return np.column_stack([linear, goal - linear @ np.array([w / 2, h / 2])])


def arm(rng: np.random.Generator, image: np.ndarray, cover: np.ndarray, goal: np.ndarray, width_px: float) -> None:
    """Draw a sleeve with a plain hand from outside the picture to ``goal``, in place; mark ``cover``."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    away = np.array([np.cos(angle), np.sin(angle)])
    side = np.array([-away[1], away[0]])
    skin = np.array([[rng.uniform(60, 150), rng.uniform(90, 180), rng.uniform(130, 235)]], np.float32) * rng.uniform(
        0.5, 1.0
    )
    far = goal + away * (width + height)
    wrist = goal + away * width_px * rng.uniform(0.8, 2.5)
    mask = np.zeros((height, width), np.uint8)
    forearm = np.array(
        [
            goal + side * width_px * 0.3,
            goal - side * width_px * 0.3,
            far - side * width_px * 0.6,
            far + side * width_px * 0.6,
        ]
    )
    cv2.fillPoly(mask, [forearm.astype(np.int32)], 255)
    cv2.circle(mask, tuple(int(v) for v in goal), int(width_px * 0.45), 255, -1)
    for spread in np.linspace(-0.7, 0.7, 4) + rng.normal(0, 0.1, 4):
        tip = goal - width_px * rng.uniform(0.6, 1.2) * (away * np.cos(spread) + side * np.sin(spread))
        cv2.line(
            mask,
            tuple(int(v) for v in goal),
            tuple(int(v) for v in tip),
            255,
            max(1, int(width_px * rng.uniform(0.18, 0.26))),
        )
    soft = cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32)[..., None] / 255
    shade = cv2.GaussianBlur(mask, (0, 0), max(1.0, width_px / 6)).astype(np.float32)[..., None] / 255
    image += soft * (skin[0] * (0.45 + 0.6 * shade) - image)
    cover |= mask > 127
    if rng.random() < 0.7:
        sleeve = np.zeros((height, width), np.uint8)
        cuff = np.array(
            [
                wrist + side * width_px * 0.6,
                wrist - side * width_px * 0.6,
                far - side * width_px * 0.9,
                far + side * width_px * 0.9,
            ]
        )
        cv2.fillPoly(sleeve, [cuff.astype(np.int32)], 255)
        soft = cv2.GaussianBlur(sleeve, (0, 0), 0.8).astype(np.float32)[..., None] / 255
        image += soft * (any_colour(rng) * (0.6 + 0.4 * shade) - image)
        cover |= sleeve > 127


def thing(rng: np.random.Generator, image: np.ndarray, cover: np.ndarray, at: np.ndarray, size_px: float) -> None:
    """Draw one object seen from above, in place: paper, book, box, glass, coin, phone, pen, bowl."""
    height, width = image.shape[:2]
    kind = rng.integers(0, 8)
    colour = tuple(float(v) for v in any_colour(rng))
    centre = tuple(int(v) for v in at)
    mask = np.zeros((height, width), np.uint8)
    angle = float(rng.uniform(0, 180))
    if kind in (0, 1, 2, 5):  # paper, book, box, phone: rectangles, near card shape or not
        ratio = rng.uniform(0.4, 1.0)
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (size_px, size_px * ratio), angle))
        cv2.fillPoly(mask, [box.astype(np.int32)], 255)
        image[mask > 0] = 0.15 * image[mask > 0] + 0.85 * np.array(
            (rng.uniform(200, 255),) * 3 if kind == 0 else colour, np.float32
        )
        if kind in (0, 1):  # print
            along, down = (box[1] - box[0]), (box[3] - box[0])
            for line in np.linspace(0.1, 0.9, int(rng.integers(3, 14))):
                a = box[0] + along * 0.1 + down * line
                b = box[0] + along * rng.uniform(0.4, 0.95) + down * line
                cv2.line(image, tuple(int(v) for v in a), tuple(int(v) for v in b), (40.0, 40.0, 40.0), 1)
            if rng.random() < 0.5:
                word = "".join(rng.choice(list("AKQJVDRTB10987652"), int(rng.integers(1, 6))))
                at_word = tuple(int(v) for v in box[0] * 0.6 + box[2] * 0.4)
                letters = np.zeros((height, width), np.uint8)
                cv2.putText(letters, word, at_word, int(rng.integers(0, 8)), size_px / 120, 255, 1, cv2.LINE_AA)
                image[letters > 100] = colour
        elif rng.random() < 0.6:
            cv2.polylines(image, [box.astype(np.int32)], True, (230.0, 230.0, 230.0), 1, cv2.LINE_AA)
    elif kind == 3:  # a glass: what is under it shows through
        radius = max(2, int(size_px * 0.35))
        cv2.circle(mask, centre, radius, 255, -1)
        image[mask > 0] = image[mask > 0] * rng.uniform(0.7, 1.0) + rng.uniform(0, 30)
        cv2.circle(image, centre, radius, (235.0, 235.0, 235.0), max(1, radius // 12), cv2.LINE_AA)
        cv2.circle(image, centre, int(radius * 0.8), (200.0, 205.0, 210.0), 1, cv2.LINE_AA)
        mask[:] = 0
    elif kind in (4, 7):  # coin, plate, bowl
        radius = max(2, int(size_px * (0.12 if kind == 4 else 0.5)))
        cv2.circle(mask, centre, radius, 255, -1)
        image[mask > 0] = colour
        cv2.circle(image, centre, int(radius * 0.8), tuple(c * 0.8 for c in colour), max(1, radius // 10), cv2.LINE_AA)
    else:  # pen
        step = np.array([np.cos(angle), np.sin(angle)]) * size_px * 0.7
        ends = [tuple(int(v) for v in at - step), tuple(int(v) for v in at + step)]
        cv2.line(image, ends[0], ends[1], colour, max(2, int(size_px / 14)), cv2.LINE_AA)
        cv2.line(mask, ends[0], ends[1], 255, max(2, int(size_px / 14)))
    cover |= mask > 0


def hand_over(
    rng: np.random.Generator,
    image: np.ndarray,
    cover: np.ndarray,
    hands: list[np.ndarray],
    goal: np.ndarray,
    size_px: float,
) -> None:
    """Draw a hand over the cards: a photographed one where there are some, else a drawn arm."""
    if hands and rng.random() < 0.6:
        hand = hands[int(rng.integers(len(hands)))]
        tone = np.ones(4, np.float32)
        tone[:3] = rng.uniform(0.5, 1.1) * (1 + rng.normal(0, 0.06, 3))
        hand = np.clip(hand * tone, 0, 255).astype(np.uint8)
        size = (image.shape[1], image.shape[0])
        paste(image, cover, hand, _reach(rng, hand, size, goal, size_px * 2.2))
    else:
        arm(rng, image, cover, goal, size_px * 0.6)
