"""Pictures of young formats are decoded in a process of their own, whose death costs one picture."""

from __future__ import annotations

import random
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import PIL.Image
import pytest

from tests.sample_size import sample_size
from vision.capture.decoder_process import DecoderLimits, DecoderProcess
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


def test_limit_of_pixels_holds_there(decoder: DecoderProcess) -> None:
    assert "at most 1 megapixels, got one of 1024 x 1024 px" in refusal(decoder, avif(1024))


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
