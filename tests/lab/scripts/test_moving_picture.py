"""Animation of the README: screenshots at intervals of film time, without warnings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("playwright")

from scripts import moving_picture
from scripts.moving_picture import address_of, screenshots, shrunk, write_animation


class Demo:
    """Fake demo process that ends after ``polls`` polls."""

    def __init__(self, polls: int) -> None:
        self.polls = polls

    def poll(self) -> int | None:
        self.polls -= 1
        return 0 if self.polls < 0 else None


class Page:
    """Fake page whose screenshots have increasing grey values; ``warnings`` gives the number of warnings."""

    def __init__(self, warnings: Iterator[int]) -> None:
        self.taken = 0
        self.warnings = warnings

    def locator(self, selector: str) -> Page:
        return self

    def count(self) -> int:
        return next(self.warnings)

    def screenshot(self, **how: str) -> bytes:
        self.taken += 1
        return cv2.imencode(f".{how['type']}", np.full((4, 4, 3), self.taken, np.uint8))[1].tobytes()


def test_pictures_are_one_second_of_film_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float | None] = [None, 0.0, 0.1, 0.5, 1.2, 1.3]
    monkeypatch.setattr(moving_picture, "POLL_S", 0)
    times = iter(seconds)
    monkeypatch.setattr(moving_picture, "film_time_s", lambda address: next(times))
    page: Any = Page(iter([0, 0, 0, 0]))
    demo: Any = Demo(4)
    assert [int(shot[0, 0, 0]) for shot in screenshots(page, "http://x/", demo, 1.0)] == [1, 2]


def test_picture_with_a_warning_or_after_the_end_is_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.0, 0.2, 0.2, None])
    monkeypatch.setattr(moving_picture, "film_time_s", lambda address: next(times))
    monkeypatch.setattr(moving_picture, "POLL_S", 0)
    page: Any = Page(iter([1, 0, 1, 0]))
    demo: Any = Demo(3)
    assert list(screenshots(page, "http://x/", demo, 1.0)) == []
    assert page.taken == 2


def test_animation_keeps_pictures_and_times(tmp_path: Path) -> None:
    pictures = [np.full((30, 40, 3), value, np.uint8) for value in (0, 120, 255)]
    size = write_animation(tmp_path / "a.webp", [shrunk(picture, 20) for picture in pictures], [100, 100, 900], 60)
    assert size == (tmp_path / "a.webp").stat().st_size
    is_read, animation = cv2.imreadanimation(str(tmp_path / "a.webp"))
    assert is_read
    assert [frame.shape[:2] for frame in animation.frames] == [(15, 20)] * 3
    assert list(animation.durations) == [100, 100, 900]


def test_demo_that_ends_at_once_is_an_error(tmp_path: Path) -> None:
    ended: Any = Demo(0)
    with pytest.raises(RuntimeError, match="did not start"):
        address_of(tmp_path / "none.json", ended)


def test_address_is_read_from_the_pairing_file(tmp_path: Path) -> None:
    (tmp_path / "codes.json").write_text('{"url": "http://127.0.0.1:1/", "pin": "1"}', "utf-8")
    running: Any = Demo(3)
    assert address_of(tmp_path / "codes.json", running) == "http://127.0.0.1:1/"
