"""Films whose picture size changes: joined streams, or a camera app that was rotated."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.capture.sources import open_source

SIZES = ((160, 90), (120, 68), (320, 240))
EACH = 12


def pictures(size: tuple[int, int]) -> list[np.ndarray]:
    """Return pictures of a table under a drawn panel on the left, so that the film is searched for panels."""
    noise = np.random.default_rng(7)
    images = []
    for _ in range(EACH):
        image = noise.integers(60, 220, (size[1], size[0], 3), np.uint8)
        image[:, : size[0] // 4] = 30
        images.append(image)
    return images


def motion_jpeg(path: Path) -> None:
    path.write_bytes(
        b"".join(cv2.imencode(".jpg", picture)[1].tobytes() for size in SIZES for picture in pictures(size))
    )


def transport_stream(path: Path) -> None:
    whole = b""
    for number, size in enumerate(SIZES):
        part = path.with_name(f"{number}.ts")
        with av.open(str(part), "w", format="mpegts") as output:
            stream = output.add_stream("libx264", rate=Fraction(25))
            stream.width, stream.height = size
            stream.pix_fmt = "yuv420p"
            for index, image in enumerate(pictures(size)):
                frame = av.VideoFrame.from_ndarray(image, format="bgr24")
                frame.pts, frame.time_base = number * EACH + index, Fraction(1, 25)
                output.mux(stream.encode(frame))
            output.mux(stream.encode())
        whole += part.read_bytes()
    path.write_bytes(whole)


@pytest.mark.parametrize(("name", "make"), [("a.mjpeg", motion_jpeg), ("a.ts", transport_stream)])
def test_film_with_changing_picture_size_is_played_to_its_end(tmp_path: Path, name: str, make: object) -> None:
    make(tmp_path / name)  # type: ignore[operator]
    with open_source(str(tmp_path / name)) as source:
        shapes = [frame.image_bgr.shape[1::-1] for frame in source]
    assert set(SIZES[1:]) <= set(shapes), "a part of another size is not cropped, because its panels are unknown"
    assert len(shapes) >= 3 * EACH - 2
