"""The live picture is drawn once, by a single thread, whichever thread requests it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE_S
from webapp.live.board import Picture
from webapp.web import api
from webapp.web.api import as_jpeg


def test_one_thread_draws_each_picture_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_by: list[int] = []

    def draw(image: np.ndarray, view: object) -> np.ndarray:
        drawn_by.append(threading.get_ident())
        return image

    monkeypatch.setattr(api, "draw", draw)
    pictures = [Picture(number, np.full((90, 160, 3), number, np.uint8), object()) for number in range(4)]
    askers, together = 8, threading.Barrier(8)

    def ask(picture: Picture) -> bytes:
        together.wait(PATIENCE_S)
        return as_jpeg(picture)

    with ThreadPoolExecutor(askers) as pool:
        for picture in pictures:
            answers = set(pool.map(ask, [picture] * askers, timeout=PATIENCE_S))
            assert len(answers) == 1
            image = cv2.imdecode(np.frombuffer(answers.pop(), np.uint8), cv2.IMREAD_COLOR)
            assert image.shape == (90, 160, 3)
    assert len(drawn_by) == len(pictures)
    assert len(set(drawn_by)) == 1
