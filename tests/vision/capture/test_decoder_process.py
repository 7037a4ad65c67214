"""Pictures of young formats are decoded in a process of their own, whose death costs one picture."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import pytest

from tests.sample_size import sample_size
from vision.capture import decoder_process, decoder_server
from vision.capture.decoder_process import DecoderDiedError, DecoderLimits, DecoderProcess
from vision.capture.image_files import YOUNG_KINDS, PictureError, decode_picture, open_picture

HEIC = (Path(__file__).parent / "quarters.heic").read_bytes()
MOST_PIXELS = 1_000_000
DEADLY = HEIC[:177] + b"\xa6" + HEIC[178:]
"""A picture with one changed byte, of which the decoder dies."""


def avif(side: int = 64) -> bytes:
    """Return a grey picture as AVIF."""
    file = BytesIO()
    PIL.Image.new("RGB", (side, side), (90, 90, 90)).save(file, "AVIF")
    return file.getvalue()


@pytest.fixture
def decoder() -> Iterator[DecoderProcess]:
    """Yield a process that is not started yet."""
    made = DecoderProcess()
    yield made
    made.close()


def refusal(decoder: DecoderProcess, data: bytes) -> str:
    """Return the sentence for a picture that the process can't decode."""
    with pytest.raises(PictureError, match=r"^expected .*; ") as caught:
        decoder.decode(data, YOUNG_KINDS, MOST_PIXELS)
    return str(caught.value)


def test_picture_that_kills_the_decoder_is_a_sentence_and_the_next_is_read(tmp_path: Path) -> None:
    for name, data in (("a.heic", HEIC), ("b.heic", DEADLY), ("c.heic", HEIC), ("d.avif", avif())):
        path = tmp_path / name
        path.write_bytes(data)
        if data == DEADLY:
            with pytest.raises(
                PictureError, match=f"{path}: expected a whole HEIC or AVIF picture, got one that can't"
            ):
                open_picture(path)
        else:
            assert open_picture(path).any()


def test_process_is_started_once_and_again_after_it_died(decoder: DecoderProcess) -> None:
    def process_id() -> int:
        assert decoder.decode(HEIC, YOUNG_KINDS, MOST_PIXELS).shape == (32, 48, 3)
        assert decoder._process is not None
        return decoder._process.pid

    first = process_id()
    assert process_id() == first
    refusal(decoder, HEIC[:300])  # an ordinary error ends nothing
    assert process_id() == first
    refusal(decoder, DEADLY)
    assert process_id() != first


def test_picture_that_takes_too_long_is_given_up() -> None:
    hasty = DecoderProcess(DecoderLimits(seconds=0.001))
    assert "takes longer than 0.001 s; export it as JPEG" in refusal(hasty, HEIC)


def test_picture_that_takes_too_much_memory_is_given_up() -> None:
    poor = DecoderProcess(DecoderLimits(memory_bytes=20 << 20))
    with pytest.raises(PictureError, match="can't be decoded"):
        poor.decode(avif(4000), YOUNG_KINDS, 16_000_000)
    poor.close()


def test_decoder_without_memory_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*film: object) -> None:
        raise MemoryError

    answers = BytesIO()
    monkeypatch.setattr(decoder_server, "film_pictures", too_large)
    decoder_server._answer({"film": "a.avi", "seconds": 1.0, "samples": 0}, b"", answers)
    decoder = DecoderProcess()
    monkeypatch.setattr(decoder_process, "_asked", lambda process, request: (json.loads(answers.getvalue()), []))
    with pytest.raises(PictureError, match="can't be decoded with 3 GB of memory; convert it") as refused:
        decoder.film_start(tmp_path / "a.avi", 1.0, 0)
    assert not isinstance(refused.value, DecoderDiedError)
    decoder.close()


def test_limit_of_pixels_holds_there(decoder: DecoderProcess) -> None:
    assert "at most 1 megapixels, got one of 1024 x 1024 px" in refusal(decoder, avif(1024))


def film(path: Path, frames: int = 30) -> Path:
    """Write a film of ten frames a second, each a little brighter than the one before."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for number in range(frames):
        writer.write(np.full((48, 64, 3), 40 + 5 * number, np.uint8))
    writer.release()
    return path


def test_beginning_of_a_film_is_decoded_there(decoder: DecoderProcess, tmp_path: Path) -> None:
    start = decoder.film_start(film(tmp_path / "a.avi"), 1.0, 4)
    assert start.first.shape == start.later.shape == (48, 64, 3)
    assert start.first.mean() == pytest.approx(40, abs=4)
    assert start.later.mean() == pytest.approx(90, abs=4)
    assert len(start.samples) == 4
    assert start.samples[0].mean() < start.samples[3].mean()
    short = decoder.film_start(film(tmp_path / "b.avi", frames=3), 1.0, 0)
    assert (short.later == short.first).all()
    (tmp_path / "c.avi").write_bytes(b"no film")
    with pytest.raises(PictureError, match=r"c\.avi: expected a video that can be played, got 7 bytes"):
        decoder.film_start(tmp_path / "c.avi", 1.0, 0)
    assert decoder.decode(HEIC, YOUNG_KINDS, MOST_PIXELS).any(), "the same process reads pictures"


def test_film_whose_decoder_dies_or_takes_too_long_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = film(tmp_path / "a.avi")
    hasty = DecoderProcess(DecoderLimits(seconds=0.001))
    with pytest.raises(PictureError, match=r"a\.avi: expected a film that can be decoded, got one that takes longer"):
        hasty.film_start(path, 1.0, 0)
    dying = DecoderProcess()
    monkeypatch.setattr(decoder_process, "SERVER", "this")  # a process that ends at once
    with pytest.raises(DecoderDiedError, match=r"got one that can't be decoded; convert it to MP4 \(H\.264\)") as died:
        dying.film_start(path, 1.0, 0)
    assert not died.value.by_limit


@pytest.mark.ordinary(10)
@pytest.mark.parametrize("whole", [HEIC, avif()], ids=YOUNG_KINDS[::-1])
def test_random_bytes_in_a_young_format_are_a_picture_or_a_sentence(whole: bytes) -> None:
    chance, refused = random.Random(61), 0
    for _ in range(sample_size(20, nightly=3000)):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(12, len(data))] = chance.randrange(256)
        try:
            decode_picture(bytes(data))
        except PictureError as error:
            refused += str(error).startswith("expected ")
    assert refused
