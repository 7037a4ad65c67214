"""
Draw over a film what editing programs draw: cards and titles that slide in from an edge, pictures shown in between.

No camera sees them: they follow no light, lie on no table, are brought by no hand, and the truth doesn't contain them.

    overlay     what is drawn
    row         cards side by side slide in from an edge, stay for a while, and slide out again
    corner      the same with a single card, large, in a corner
    title       a strip with words slides in above the lower edge
    insert      a picture of cards fanned on a plain ground takes the film's place, by a cut
    freeze      the film stands still, and goes on by a cut to where play is by then
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

OVERLAYS = ("row", "corner", "title", "insert", "freeze")
"""What may be drawn over a film."""
OPENING_S, STAYS_S, SLIDES_S = 1.5, 2.6, 0.5
"""Seconds before the first of them; for which one stays; which it takes to slide in, and out."""
FREEZES_S = 1.4
"""Seconds for which the film stands still."""
WORDS = ("HOW TO PLAY DURAK", "LIKE AND SUBSCRIBE", "PART TWO: THE ATTACK", "ANNA  12 : 9  BORIS")


class Overlays:
    """Draws ``wishes`` over a film of ``seconds``, evenly spread. ``faces``: straight RGBA pictures of the cards."""

    def __init__(
        self, wishes: Sequence[str], faces: Mapping[str, np.ndarray], seconds: float, rng: np.random.Generator
    ) -> None:
        self._wishes, self._faces, self._rng = tuple(wishes), faces, rng
        spare = seconds - OPENING_S - len(wishes) * (STAYS_S + 2 * SLIDES_S)
        self._pause_s = max(spare / max(len(wishes), 1), 0.3)
        self._drawn: dict[int, tuple[np.ndarray, tuple[float, float]]] = {}
        self._frozen: dict[int, np.ndarray] = {}

    def over(self, picture: np.ndarray, at: float) -> np.ndarray:
        """
        Return the picture of the time ``at`` (s), (h, w, 3) uint8 BGR, with everything that is drawn over it then.
        """
        period_s = STAYS_S + 2 * SLIDES_S + self._pause_s
        k, since = divmod(at - OPENING_S, period_s)
        if at < OPENING_S or k >= len(self._wishes) or since > period_s - self._pause_s:
            return picture
        number = int(k)
        if self._wishes[number] == "freeze":
            return self._frozen.setdefault(number, picture) if since < FREEZES_S else picture
        if number not in self._drawn:
            self._drawn[number] = self._draw(self._wishes[number], picture.shape[0], picture.shape[1])
        layer, way = self._drawn[number]
        if self._wishes[number] == "insert":
            return picture if since < SLIDES_S or since > SLIDES_S + STAYS_S else layer[:, :, :3].copy()
        away = max(1 - since / SLIDES_S, (since - SLIDES_S - STAYS_S) / SLIDES_S, 0.0)
        away = away * away * (3 - 2 * away)
        height, width = picture.shape[:2]
        move = np.array([[1, 0, way[0] * away * width], [0, 1, way[1] * away * height]], np.float32)
        moved = cv2.warpAffine(layer, move, (width, height)).astype(np.float32)
        share = moved[:, :, 3:] / 255
        return np.asarray(picture * (1 - share) + moved[:, :, :3] * share, np.uint8)

    def _draw(self, wish: str, height: int, width: int) -> tuple[np.ndarray, tuple[float, float]]:
        """Draw the layer (h, w, 4) at rest; return it, and from where it comes in, in pictures."""
        layer = np.zeros((height, width, 4), np.uint8)
        if wish == "title":
            top, bottom = round(height * 0.8), round(height * 0.9)
            layer[top:bottom, round(width * 0.06) : round(width * 0.62)] = (160, 60, 20, 255)
            words = str(self._rng.choice(WORDS))
            at = (round(width * 0.08), round(bottom - 0.03 * height))
            colour = (255, 255, 255, 255)
            cv2.putText(layer, words, at, cv2.FONT_HERSHEY_DUPLEX, height / 560, colour, 2, cv2.LINE_AA)
            return layer, (-1.0, 0.0)
        if wish == "insert":
            layer[:] = (*(int(v) for v in self._rng.integers(40, 200, 3)), 255)
            for k in range(4):
                self._put(layer, 0.45, (0.3 + 0.13 * k, 0.5 + 0.02 * abs(k - 1.5)), 14.0 * (1.5 - k))
            return layer, (0.0, 0.0)
        if wish == "corner":
            left = bool(self._rng.random() < 0.5)
            self._put(layer, 0.5, (0.14 if left else 0.86, 0.36), 0.0)
            return layer, (-0.4 if left else 0.4, 0.0)
        for k in range(3):
            self._put(layer, 0.3, (0.3 + 0.2 * k, 0.24), 0.0)
        return layer, (0.0, -0.6)

    def _put(self, layer: np.ndarray, tall: float, at: tuple[float, float], turn_deg: float) -> None:
        """Draw one face ``tall`` pictures high with its middle ``at`` shares of the layer."""
        names = [name for name in self._faces if name != "back"]
        face = self._faces[names[int(self._rng.integers(len(names)))]]
        face = cv2.cvtColor(face, cv2.COLOR_RGBA2BGRA)
        height, width = layer.shape[:2]
        zoom = tall * height / face.shape[0]
        turn = cv2.getRotationMatrix2D((face.shape[1] / 2, face.shape[0] / 2), turn_deg, zoom)
        turn[:, 2] += np.array(at) * (width, height) - (face.shape[1] / 2, face.shape[0] / 2)
        shown = cv2.warpAffine(face, turn, (width, height), flags=cv2.INTER_AREA).astype(np.float32)
        share = shown[:, :, 3:] / 255
        before = layer.astype(np.float32)
        layer[:, :, :3] = before[:, :, :3] * (1 - share) + shown[:, :, :3] * share
        layer[:, :, 3] = np.maximum(before[:, :, 3], shown[:, :, 3])
