"""The shipped recording as other cameras would have filmed it gives the recording's events."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.film_variants import VARIANTS, frames, play, write
from vision.capture.sources import open_source


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        pytest.param("sway-10px-1.7Hz", 10.5, id="a phone arm that sways"),
        pytest.param("mirrored", 20.0, id="mirrored"),
    ],
)
def test_variant_gives_the_events_of_the_recording(name: str, seconds: float) -> None:
    found = play(VARIANTS[name], seconds)
    assert found.right == found.events >= 3, found.mistakes
    assert (found.invented, found.seats_wrong, found.accusations, found.blocked) == (0, 0, 0, 0), found.mistakes
    assert found.notes == ()


def test_composed_frames_are_the_same_each_time() -> None:
    for variant in (VARIANTS["dim-noisy"], VARIANTS["sway-4px-1.0Hz"]):
        first, again = (list(frames(variant, 0.1)) for _ in range(2))
        assert all(np.array_equal(a.image_bgr, b.image_bgr) for a, b in zip(first, again, strict=True))


def test_written_film_begins_late_with_uneven_times(tmp_path: Path) -> None:
    with open_source(str(write(VARIANTS["uneven-times"], tmp_path, 0.4))) as source:
        assert [round(frame.at, 2) for frame in source] == [round(k / 25, 2) for k in range(11)]
