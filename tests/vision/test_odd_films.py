"""
Unusual films: changing frame rate, missing frames, rotation, a missing end.

Each frame is given once, upright, with its recording time.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.capture.sources import SourceError, open_source

SIZE = (160, 96)
RED, BLUE = (30, 30, 220), (220, 30, 30)


def picture() -> np.ndarray:
    """Return a table that is red at its left and blue at its right end; (96, 160, 3) BGR."""
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    image[:, :60], image[:, 100:] = RED, BLUE
    return image


def film(
    path: Path,
    times_s: Sequence[float],
    index_first: bool = True,
    codec: str = "libx264",
    pixel: Fraction = Fraction(1),
) -> Path:
    """Write a film whose frames have these times. ``pixel``: a pixel's width by its height."""
    options = {"movflags": "faststart"} if index_first and path.suffix == ".mp4" else {}
    with av.open(str(path), "w", options=options) as output:
        stream = output.add_stream(codec, rate=25)
        stream.width, stream.height = SIZE
        stream.codec_context.sample_aspect_ratio = pixel
        stream.pix_fmt = "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stream.codec_context.gop_size = 10
        for at in times_s:
            frame = av.VideoFrame.from_ndarray(picture(), format="bgr24")
            frame.pts = round(at * 1000)
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
    return path


def seen(path: Path) -> tuple[list[float], list[np.ndarray], list[str]]:
    """Return times, pictures and notes."""
    with open_source(str(path)) as source:
        frames = list(source)
    assert [frame.number for frame in frames] == list(range(len(frames)))
    return [frame.at for frame in frames], [frame.image_bgr for frame in frames], source.notes


@pytest.mark.parametrize(
    "times",
    [
        pytest.param([k / 25 for k in range(50)] + [2 + k / 10 for k in range(20)], id="from 25 to 10 a second"),
        pytest.param([k / 25 for k in range(75) if k % 7 not in (2, 3, 5)], id="frames missing"),
        pytest.param([0.0, 0.03, 0.2, 0.21, 0.9, 3.4, 3.44, 3.5], id="irregular times"),
        pytest.param([5 + k / 25 for k in range(30)], id="cut out of a longer film"),
    ],
)
def test_frames_keep_their_recording_times(tmp_path: Path, times: list[float]) -> None:
    at, _, notes = seen(film(tmp_path / "a.mp4", times))
    assert at == pytest.approx([time - times[0] for time in times], abs=0.005)
    assert notes == []


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("suffix", [".mkv", ".webm", ".mp4", ".ts"])
def test_uneven_rate_after_a_late_start_is_not_taken_for_a_cut(tmp_path: Path, suffix: str) -> None:
    times = [5 + k / 25 for k in range(100)] + [9 + k / 8 for k in range(40)]
    at, _, notes = seen(film(tmp_path / f"a{suffix}", times, codec="libvpx" if suffix == ".webm" else "libx264"))
    assert at == pytest.approx([time - 5 for time in times], abs=0.005)
    assert notes == []


def test_truncated_film_without_a_stated_number_of_frames_is_noticed(tmp_path: Path) -> None:
    whole = film(tmp_path / "a.mkv", [k / 25 for k in range(100)]).read_bytes()
    (tmp_path / "cut.mkv").write_bytes(whole[: len(whole) * 3 // 5])
    at, _, notes = seen(tmp_path / "cut.mkv")
    assert 10 < len(at) < 95
    assert "cut short" in notes[0]


@pytest.mark.parametrize(
    ("pixel", "size"), [(Fraction(4, 3), (213, 96)), (Fraction(8, 9), (160, 108)), (Fraction(0), SIZE)]
)
def test_pixels_are_made_square(tmp_path: Path, pixel: Fraction, size: tuple[int, int]) -> None:
    with open_source(str(film(tmp_path / "a.mp4", [k / 25 for k in range(10)], pixel=pixel))) as source:
        assert source.size == size
        assert {frame.image_bgr.shape[1::-1] for frame in source} == {size}


QUARTER = {
    90: ((0, 1), (-1, 0)),
    180: ((-1, 0), (0, -1)),
    270: ((0, -1), (1, 0)),
}


def turn(path: Path, degrees: int) -> Path:
    """Write this rotation into the film's header; its pictures are unchanged."""
    data = path.read_bytes()

    def matrix(rows: tuple[tuple[int, int], tuple[int, int]]) -> bytes:
        (a, b), (c, d) = rows
        return (
            b"".join((value << 16 & 0xFFFFFFFF).to_bytes(4, "big") for value in (a, b))
            + bytes(4)
            + b"".join((value << 16 & 0xFFFFFFFF).to_bytes(4, "big") for value in (c, d))
            + bytes(4)
        )

    head = data.index(b"tkhd")
    place = data.index(matrix(((1, 0), (0, 1))), head)
    path.write_bytes(data[:place] + matrix(QUARTER[degrees]) + data[place + 24 :])
    return path


@pytest.mark.parametrize("degrees", QUARTER)
def test_rotated_film_is_shown_upright(tmp_path: Path, degrees: int) -> None:
    _, pictures, _ = seen(turn(film(tmp_path / "a.mp4", [k / 25 for k in range(10)]), degrees))
    upright = np.rot90(picture(), -degrees // 90)
    assert pictures[0].shape == upright.shape
    assert np.abs(pictures[-1].astype(int) - upright).mean() < 12


def test_truncated_film_plays_its_remaining_frames(tmp_path: Path) -> None:
    whole = film(tmp_path / "a.mp4", [k / 25 for k in range(100)]).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) * 3 // 5])
    at, _, notes = seen(tmp_path / "cut.mp4")
    assert 10 < len(at) < 95
    assert "cut short" in notes[0]


def test_unplayable_film_without_its_end_gets_advice(tmp_path: Path) -> None:
    whole = film(tmp_path / "a.mp4", [k / 25 for k in range(100)], index_first=False).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) * 3 // 5])
    with pytest.raises(SourceError, match="is it whole"):
        open_source(str(tmp_path / "cut.mp4"))


@pytest.mark.parametrize("name", ["song.mp4", "song.wav"])
def test_sound_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with av.open(str(path), "w") as output:
        stream = output.add_stream("aac" if name.endswith("mp4") else "pcm_s16le", rate=8000)
        stream.layout = "mono"
        kind = "fltp" if name.endswith("mp4") else "s16"
        silence = np.zeros((1, 1024), np.float32 if kind == "fltp" else np.int16)
        for k in range(10):
            frame = av.AudioFrame.from_ndarray(silence, format=kind, layout="mono")
            frame.sample_rate, frame.pts = 8000, k * 1024
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
    with pytest.raises(SourceError, match="without a readable frame"):
        open_source(str(path))


def test_film_without_frames_is_refused(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", [0.0])
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"mdat") + 4] + bytes(len(data) - data.index(b"mdat") - 4))
    with pytest.raises(SourceError, match="readable"):
        open_source(str(path))


def test_animated_gif_is_a_film_and_single_picture_gif_a_still(tmp_path: Path) -> None:
    table = np.full((96, 160, 3), 90, np.uint8)
    for count in (1, 4):
        frames = cv2.Animation()
        frames.frames = [cv2.add(table, 20.0 * k) for k in range(count)]
        frames.durations = [100] * count
        path = tmp_path / f"{count}.gif"
        assert cv2.imwriteanimation(str(path), frames)
        with open_source(str(path)) as source:
            assert source.stills == (count == 1)
            at = [frame.at for frame in source]
        if count > 1:
            assert at == pytest.approx([0.0, 0.1, 0.2, 0.3])
