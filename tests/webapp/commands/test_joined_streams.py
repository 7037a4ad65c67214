"""`kozyr review` of a film of two joined H.264 streams whose pictures differ in size."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import open_source
from vision.data_home import data_home
from webapp.shipped_recording import DEMO_CLIP
from webapp.store.database import Database
from webapp.store.films import FOLDER, Films
from webapp.store.matches import Matches

SIZES = ((1280, 720), (960, 540))
FPS, EACH = 25, 25
TWO_CARDS_LIE_S = 5.2
TICK = Fraction(1, FPS)


def encoded(image: np.ndarray, size: tuple[int, int]) -> bytes:
    """Encode one second of H.264 of this picture in this size, with headers in the stream."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height = size
    encoder.pix_fmt, encoder.time_base, encoder.options = "yuv420p", TICK, {"preset": "ultrafast"}
    packets = []
    for number in range(EACH):
        frame = av.VideoFrame.from_ndarray(cv2.resize(image, size), format="bgr24")
        frame.pts, frame.time_base = number, TICK
        packets += encoder.encode(frame)
    return b"".join(map(bytes, (*packets, *encoder.encode(None))))


@pytest.fixture
def joined(tmp_path: Path) -> Path:
    """Write an MP4 of two cards on a table whose stream changes its size after a second."""
    with open_source(str(DEMO_CLIP)) as source:
        image = next(frame.image_bgr for frame in source if frame.at >= TWO_CARDS_LIE_S)
    raw, film = tmp_path / "x.h264", tmp_path / "x.mp4"
    raw.write_bytes(b"".join(encoded(image, size) for size in SIZES))
    with av.open(str(raw), options={"framerate": str(FPS)}) as streams, av.open(str(film), "w") as output:
        stream = output.add_stream_from_template(streams.streams.video[0])
        for number, packet in enumerate(demuxed for demuxed in streams.demux(video=0) if demuxed.size):
            packet.stream, packet.time_base, packet.duration = stream, TICK, 1
            packet.pts = packet.dts = number
            output.mux(packet)
    return film


@pytest.mark.thorough
def test_film_with_changing_size_is_refereed_to_its_end_and_stored(
    joined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    command = [sys.executable, "-m", "webapp.commands.cli", "review", str(joined), "--keep"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{len(SIZES) * EACH} frames" in done.stdout
    assert done.stderr.count("kozyr: the picture is 960x540 from 1.00 s on, not 1280x720: the game goes on\n") == 1
    database = Database.open()
    (stored,) = Matches(database).list()
    database.close()
    assert stored["ended"]
    film = Films(data_home() / FOLDER).film(stored["match"])
    assert film is not None
    assert len(film.frames_s) == len(SIZES) * EACH
