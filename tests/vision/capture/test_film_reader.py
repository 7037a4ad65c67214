"""Film files decoded by FFmpeg's libraries: AV1, rotated films of phones, damaged files, seeking."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from tests.vision.little_memory import output_with_little_memory
from vision.capture.film_reader import FilmReader, UnreadableFilmError
from vision.capture.sources import SourceError, open_source

COUNT = 30


def film(place: Path, codec: str = "libx264", **options: str) -> Path:
    """Write a film of 128 x 96, grey from 30 on by 6 a frame, its upper left quarter white, ten frames a second."""
    with av.open(str(place), "w") as container:
        stream = container.add_stream(codec, rate=Fraction(10), options=options)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 128, 96, "yuv420p", 4_000_000
        for number in range(COUNT):
            picture = np.full((96, 128, 3), 30 + 6 * number, np.uint8)
            picture[:48, :64] = 255
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return place


def turned(place: Path) -> Path:
    """Write the same film marked as turned by a quarter clockwise, as telephones do."""
    data = bytearray(place.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 4 + 20 + 16
    data[matrix : matrix + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 96 << 16, 0, 1 << 30)
    place.write_bytes(data)
    return place


@pytest.mark.parametrize(("codec", "name"), [("libsvtav1", "a.mp4"), ("libx264", "a.mkv"), ("mpeg4", "a.avi")])
def test_all_frames_are_read_with_their_times(codec: str, name: str, tmp_path: Path) -> None:
    frames = list(open_source(str(film(tmp_path / name, codec))))
    assert [round(frame.at, 3) for frame in frames] == [round(number / 10, 3) for number in range(COUNT)]
    assert [int(frame.image_bgr[90, 120, 0]) for frame in frames] == pytest.approx(
        [30 + 6 * number for number in range(COUNT)], abs=8
    )


def test_film_with_a_rotation_mark_is_read_upright(tmp_path: Path) -> None:
    picture, _ = FilmReader(turned(film(tmp_path / "a.mp4"))).first
    assert picture.shape == (128, 96, 3)
    assert picture[:60, 52:].min() > 200  # the upper left quarter is the upper right one
    assert picture[70:].max() < 60


def test_undecodable_frames_are_left_out(tmp_path: Path) -> None:
    place = film(tmp_path / "a.mp4", g="5", bf="0", preset="ultrafast")
    data = bytearray(place.read_bytes())
    middle = data.index(b"mdat") + 400 + (len(data) - data.index(b"mdat")) // 3
    data[middle : middle + 40] = bytes(40)
    place.write_bytes(data)
    frames = list(open_source(str(place)))
    assert COUNT - 12 <= len(frames) <= COUNT
    assert frames[-1].image_bgr[90, 120, 0] == pytest.approx(30 + 6 * (COUNT - 1), abs=4)


def test_seek_returns_the_requested_frame(tmp_path: Path) -> None:
    reader = FilmReader(film(tmp_path / "a.mp4"))
    for share in (0.5, 0.2, 0.9):
        picture = reader.frame_at(share)
        assert picture is not None
        assert picture[90, 120, 0] == pytest.approx(30 + 6 * COUNT * share, abs=8)
    reader.close()


def test_file_with_sound_only_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "a.wav"
    place.write_bytes(
        b"RIFF"
        + struct.pack("<I", 1036)
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
        + b"data"
        + struct.pack("<I", 1000)
        + bytes(1000)
    )
    with pytest.raises(UnreadableFilmError):
        FilmReader(place)


def large_film(place: Path, width: int, height: int, count: int) -> Path:
    """Write a film of large grey frames, each a little lighter."""
    with av.open(str(place), "w") as container:
        stream = container.add_stream("mpeg4" if width < 8192 else "libx264", rate=10, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(count):
            frame = av.VideoFrame(width, height, "yuv420p")
            for plane, level in zip(frame.planes, (60 + 10 * number, 128, 128), strict=True):
                plane.update(bytes([level]) * plane.buffer_size)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return place


@pytest.mark.thorough
def test_8k_film_is_reduced_within_bounded_memory(tmp_path: Path) -> None:
    place = large_film(tmp_path / "a.mp4", 7680, 4320, 8)
    imports = "from vision.capture.film_reader import FilmReader"
    code = "print([image.shape for image, _ in FilmReader(Path(argv[1])).frames()][-1])"
    assert output_with_little_memory(imports, code, place, room_mb=900) == "(2160, 3840, 3)"


@pytest.mark.thorough
def test_film_of_too_large_frames_is_refused_by_their_size(tmp_path: Path) -> None:
    place = large_film(tmp_path / "a.mp4", 15_360, 8_640, 1)
    with pytest.raises(SourceError, match="at most 65 megapixels a frame, got one of 15360 x 8640 px"):
        open_source(str(place))


def test_stream_of_an_unknown_codec_is_not_read(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", "mpeg4")
    path.write_bytes(path.read_bytes().replace(b"mp4v", b"?~?~").replace(b"esds", b"free"))
    with pytest.raises(UnreadableFilmError):
        FilmReader(path)
