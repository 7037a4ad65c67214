"""Sources: the frames they give, and one sentence for sources that can't be opened."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import (
    STREAM_STALLED,
    CameraSource,
    Repeats,
    SourceError,
    SourceSettings,
    open_source,
    read_picture,
)


def picture(seed: int = 0, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    """Return a noisy picture (rows, columns, 3)."""
    return np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), np.uint8)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Eighty frames at 20 frames a second."""
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for k in range(80):
        writer.write(picture(k))
    writer.release()
    return path


def test_frames_have_the_times_of_the_video(clip: Path) -> None:
    with open_source(str(clip)) as source:
        assert (source.size, source.fps, source.live, source.frame_count) == ((64, 48), 20.0, False, 80)
        frames = list(source)
    assert [frame.number for frame in frames] == list(range(80))
    assert [frame.at for frame in frames] == pytest.approx([k / 20 for k in range(80)])
    assert frames[0].image_bgr.shape == (48, 64, 3)
    assert source.notes == []


def test_truncated_video_is_played_to_its_end_with_a_note(clip: Path, tmp_path: Path) -> None:
    data = clip.read_bytes()
    short = tmp_path / "short.avi"
    short.write_bytes(data[: len(data) // 2])
    source = open_source(str(short))
    frames = list(source)
    assert 10 < len(frames) < 60
    assert len(source.notes) == 1
    assert f"got {len(frames)}" in source.notes[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.mp4", b"not a film " * 50),
        ("text.txt", b"a letter"),
        ("broken.jpg", b"\xff\xd8\xff rubbish"),
        ("empty.mp4", b""),
    ],
)
def test_file_that_is_no_film_is_refused_with_one_sentence(
    tmp_path: Path, name: str, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        open_source(str(tmp_path / name))
    text = str(caught.value)
    assert name in text
    assert "expected" in text
    assert "got" in text
    assert "\n" not in text
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("spec", ["", "no/such/thing.mp4", "97", "99999999999999", "9" * 5000, "²"])
def test_missing_source_is_refused(spec: str) -> None:
    with pytest.raises(SourceError, match="expected"):
        open_source(spec)


def test_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(SourceError, match="folder of pictures"):
        open_source(str(tmp_path))


def test_folder_shows_each_picture_for_a_second_and_notes_broken_ones(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(1))
    (tmp_path / "b.png").write_bytes(b"rubbish")
    cv2.imwrite(str(tmp_path / "c.png"), picture(2, (80, 60)))
    source = open_source(str(tmp_path), settings=SourceSettings(still_s=1.0, still_fps=10))
    frames = list(source)
    assert len(frames) == 20
    assert [frame.number for frame in frames if frame.cut] == [10]
    assert frames[10].image_bgr.shape == (60, 80, 3)
    assert [round(frame.at, 6) for frame in frames] == [round(k / 10, 6) for k in range(20)]
    assert len(source.notes) == 1
    assert "b.png" in source.notes[0]


def test_picture_is_turned_by_its_exif_orientation(tmp_path: Path) -> None:
    done, data = cv2.imencode(".jpg", np.zeros((40, 60, 3), np.uint8))
    assert done
    # APP1 segment with one tag: orientation 6, a quarter turn.
    tag = b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
    raw = bytes(data)
    path = tmp_path / "turned.jpg"
    path.write_bytes(raw[:2] + b"\xff\xe1" + (len(tag) + 2).to_bytes(2, "big") + tag + raw[2:])
    assert read_picture(path).shape == (60, 40, 3)


@pytest.mark.parametrize("shape", [(30, 40), (30, 40, 4)])
def test_grey_transparent_and_16_bit_pictures_are_converted_to_bgr(tmp_path: Path, shape: tuple[int, ...]) -> None:
    for kind in (np.uint8, np.uint16):
        path = tmp_path / f"{len(shape)}-{np.dtype(kind)}.png"
        cv2.imwrite(str(path), np.full(shape, np.iinfo(kind).max // 2, kind))
        image = read_picture(path)
        assert image.shape == (30, 40, 3)
        assert image.dtype == np.uint8


class FakeCamera:
    """Fake device that returns a list of pictures; None is a failed read."""

    def __init__(self, pictures: list[np.ndarray | None]) -> None:
        self.pictures = pictures

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return bool(self.pictures)

    def read(self) -> tuple[bool, np.ndarray | None]:
        image = self.pictures.pop(0) if self.pictures else None
        return image is not None, image

    def get(self, _: int) -> float:
        return 25.0

    def release(self) -> None:
        self.pictures = []


def camera(
    connections: list[list[np.ndarray | None]], step_s: float = 0.04, retries: int = 3, device: int | str = 0
) -> tuple[CameraSource, list[float]]:
    """Return a camera that opens with the pictures of the next connection each time, and the list of its pauses."""
    pauses: list[float] = []
    now = [0.0]

    def clock() -> float:
        now[0] += step_s
        return now[0]

    def connect(*_: object) -> FakeCamera:
        return FakeCamera(connections.pop(0) if connections else [])

    wait: Callable[[float], None] = pauses.append
    settings = SourceSettings(retries=retries)
    return CameraSource(device, "camera 0", clock, settings, connect, wait), pauses  # type: ignore[arg-type]


def test_lost_camera_is_reported_and_reconnected() -> None:
    source, pauses = camera([[picture(1), picture(2)], [], [picture(3), picture(4)]])
    frames = list(source)
    assert [frame.lost is None for frame in frames] == [True, True, False, False, True, True, False, False, False]
    assert len(pauses) == 5
    assert np.array_equal(frames[2].image_bgr, picture(2))
    assert [frame.at for frame in frames] == sorted(frame.at for frame in frames)
    assert len(source.notes) == 1


@pytest.mark.parametrize(
    ("device", "cause", "words"),
    [
        (0, None, "the camera sends no pictures"),
        ("rtsp://192.168.1.5/live", STREAM_STALLED, "is the camera or its app still sending, and is the network up?"),
    ],
)
def test_lost_camera_names_what_to_check_for_its_kind(device: int | str, cause: str | None, words: str) -> None:
    source, _ = camera([[picture(1)]], device=device)
    lost = [frame for frame in source if frame.lost is not None]
    assert {frame.cause for frame in lost} == {cause}
    assert all(words in str(frame.lost) for frame in lost)


def test_mirrored_camera_is_turned_back_from_any_frame_on() -> None:
    ramp = np.arange(640, dtype=np.uint16).astype(np.uint8).reshape(1, -1, 1).repeat(360, axis=0).repeat(3, axis=2)
    source, _ = camera([[ramp, ramp + 1, ramp + 2]])
    frames = iter(source)
    assert np.array_equal(next(frames).image_bgr, ramp)
    source.is_mirrored = True
    assert np.array_equal(next(frames).image_bgr, (ramp + 1)[:, ::-1])


def test_camera_closed_by_another_thread_is_released_after_the_read() -> None:
    released: list[str] = []
    is_reading, may_end = threading.Event(), threading.Event()

    class Slow(FakeCamera):
        def read(self) -> tuple[bool, np.ndarray | None]:
            if len(self.pictures) > 1:
                return super().read()
            is_reading.set()
            assert may_end.wait(PATIENCE_S)
            released.append("read")
            return False, None

        def release(self) -> None:
            released.append("released")

    slow = Slow([picture(1), picture(2)])
    source = CameraSource(0, "camera 0", lambda: 0.0, SourceSettings(), lambda *_: slow, lambda _: None)  # type: ignore[arg-type, return-value]
    reader = threading.Thread(target=lambda: list(source))
    reader.start()
    assert is_reading.wait(PATIENCE_S)
    source.close()
    may_end.set()
    reader.join(PATIENCE_S)
    assert released[:2] == ["read", "released"]


def test_opening_loss_and_reconnection_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "vision")
    source, _ = camera([[picture(1), picture(2)], [], [picture(3), picture(4)]])
    list(source)
    messages = [record.message.split(" at ")[0] for record in caplog.records]
    opened = f"camera 0: opened, {source.size[0]} x {source.size[1]}, 25.0 frames a second, live"
    assert messages == [opened, "camera 0: lost", "camera 0: reconnected", "camera 0: lost"]


def test_camera_that_repeats_one_picture_is_lost() -> None:
    same = picture(1)
    source, _ = camera([[same] * 100, [picture(5)]])
    frames = list(source)
    assert frames[0].lost is None
    assert "repeats" in str(next(frame.lost for frame in frames if frame.lost))
    assert any(frame.lost is None and np.array_equal(frame.image_bgr, picture(5)) for frame in frames)


def test_noisy_pictures_are_not_stalled() -> None:
    repeats = Repeats(stall_s=2.0)
    assert not any(repeats.stalled(picture(k), k / 25) for k in range(200))


def test_camera_without_pictures_is_refused() -> None:
    with pytest.raises(SourceError, match="plugged in"):
        camera([[None]])
