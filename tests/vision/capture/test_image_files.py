"""Picture files of every kind: readable ones open as the same BGR picture, others are refused with one sentence."""

from __future__ import annotations

import base64
import contextlib
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO

import cv2
import numpy as np
import PIL.ExifTags
import PIL.Image
import pytest

from tests.vision.little_memory import output_with_little_memory
from vision.capture.image_files import PictureError, open_picture
from vision.capture.picture_limits import LIMITS, JpegStructure

CMYK_RED = (
    "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJTUjI+WmFaUGBKUVJP"
    "/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P/8AAFAgAEAAYBAEiAAIRAQMRAQQi"
    "AP/EABYAAQEBAAAAAAAAAAAAAAAAAAAEBv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAWAQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAA"
    "AAAA/9oADgQBAAIRAxEEAAA/ALQFVgmnAAAAH//Z"
)
"""A red JPEG of 24 x 16 px in CMYK."""
TWO_FRAMES = (
    "R0lGODlhGAAQAPAAAMAgIAAAACH5BAAAAAAAIf8LTkVUU0NBUEUyLjADAQAAACwAAAAAGAAQAAACEYSPqcvtD6OctNqLs968+68UACH5BAAAAAAALAAAAAAY"
    "ABAAgCAgwAAAAAIRhI+py+0Po5y02ouz3rz7rxQAOw=="
)
"""An animated GIF: red, then blue."""
RED = (32, 32, 192)
HEIC = Path(__file__).parent / "quarters.heic"
"""``quarters()``, held sideways, as pillow-heif writes it."""


def quarters() -> np.ndarray:
    """Return a table whose corners differ: red, green, blue and white, the red one top left; (32, 48, 3)."""
    image = np.zeros((32, 48, 3), np.uint8)
    image[:16, :24], image[:16, 24:], image[16:, :24], image[16:, 24:] = RED, (0, 190, 0), (190, 0, 0), (230, 230, 230)
    return image


def encoded(kind: str, image: np.ndarray) -> bytes:
    """Return the bytes of a picture file."""
    done, data = cv2.imencode(kind, image)
    assert done
    return data.tobytes()


def written(folder: Path, name: str, data: bytes) -> Path:
    """Write a file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path


def opened(folder: Path, data: bytes, name: str = "a.jpg") -> np.ndarray:
    """Open a picture of these bytes."""
    image = open_picture(written(folder, name, data))
    assert image.dtype == np.uint8
    assert image.ndim == 3
    assert image.shape[2] == 3
    return image


def error_message(path: Path) -> str:
    """Return the error message for a picture that can't be read."""
    with pytest.raises(PictureError) as caught:
        open_picture(path)
    message = str(caught.value)
    assert message.startswith((f"{path}: expected ", f"The operating system refused: {path}: "))
    assert ";" in message, "the message contains the next step"
    assert "\n" not in message
    return message


def turned(jpeg: bytes, orientation: int) -> bytes:
    """Return the same JPEG with a header that says how the camera was held."""
    tag = b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" + struct.pack(
        ">HHI", orientation, 0, 0
    )
    return jpeg[:2] + b"\xff\xe1" + (len(tag) + 2).to_bytes(2, "big") + tag + jpeg[2:]


AS_HELD = {
    1: lambda upright: upright,
    2: np.fliplr,
    3: lambda upright: np.rot90(upright, 2),
    4: np.flipud,
    5: lambda upright: np.transpose(upright, (1, 0, 2)),
    6: np.rot90,
    7: lambda upright: np.rot90(np.transpose(upright, (1, 0, 2)), 2),
    8: lambda upright: np.rot90(upright, -1),
}
"""EXIF's eight ways to hold a camera: what its sensor then writes of an upright picture."""


@pytest.mark.parametrize("orientation", AS_HELD)
def test_picture_is_turned_upright_by_its_exif_orientation(tmp_path: Path, orientation: int) -> None:
    sensor = np.ascontiguousarray(AS_HELD[orientation](quarters()))
    image = opened(tmp_path, turned(encoded(".jpg", sensor), orientation))
    assert image.shape == (32, 48, 3)
    for row, column in ((8, 12), (8, 36), (24, 12), (24, 36)):
        assert np.abs(image[row, column].astype(int) - quarters()[row, column]).max() < 40


def palette_png() -> bytes:
    """Return a PNG of 16 x 16 px with a palette: all red."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = struct.pack(">IIBBBBB", 16, 16, 8, 3, 0, 0, 0)
    lines = zlib.compress((b"\x00" + b"\x01" * 16) * 16)
    colours = bytes((0, 0, 0, 192, 32, 32))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"PLTE", colours)
        + chunk(b"IDAT", lines)
        + chunk(b"IEND", b"")
    )


def red(kind: type = np.uint8, alpha: bool = False) -> np.ndarray:
    """Return a picture all in red, in ``kind``'s whole range."""
    top = np.iinfo(kind).max // 255
    image = np.full((16, 24, 3), RED, kind) * kind(top)
    return np.dstack([image, np.full((16, 24), 255 * top, kind)]) if alpha else image


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(base64.b64decode(CMYK_RED), id="CMYK"),
        pytest.param(base64.b64decode(TWO_FRAMES), id="moving GIF: its first frame"),
        pytest.param(palette_png(), id="palette"),
        pytest.param(encoded(".png", red(np.uint16)), id="16 bits"),
        pytest.param(encoded(".png", red(alpha=True)), id="transparent"),
        pytest.param(encoded(".png", red(np.uint16, alpha=True)), id="16 bits and transparent"),
        *(pytest.param(encoded(f".{kind}", red()), id=kind) for kind in ("jpg", "png", "webp", "bmp", "tiff", "ppm")),
    ],
)
def test_every_kind_opens_in_the_same_colours_whatever_its_name(tmp_path: Path, data: bytes) -> None:
    image = opened(tmp_path, data, "named-otherwise.jpg")
    assert np.abs(image[8, 8].astype(int) - RED).max() < 12


def test_grey_pictures_are_opened(tmp_path: Path) -> None:
    for kind, level in ((np.uint8, 128), (np.uint16, 128 * 257)):
        image = opened(tmp_path, encoded(".png", np.full((16, 24), level, kind)))
        assert np.abs(image.astype(int) - 128).max() < 2


def test_truncated_picture_with_an_embedded_preview_is_refused(tmp_path: Path) -> None:
    whole = encoded(".jpg", quarters())
    preview = b"\xff\xe2" + (len(whole) + 2).to_bytes(2, "big") + whole
    assert opened(tmp_path, whole[:2] + preview + whole[2:]).shape == (32, 48, 3)
    error_message(written(tmp_path, "a.jpg", (whole[:2] + preview + whole[2:])[:-20]))


def test_motion_photo_with_appended_film_is_opened(tmp_path: Path) -> None:
    assert opened(tmp_path, encoded(".jpg", quarters()) + b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 100_000).any()


@pytest.mark.parametrize("kind", ["jpg", "png", "webp", "bmp", "tiff", "gif"])
def test_truncated_picture_is_refused(tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (64, 96, 3), np.uint8)
    whole = encoded(f".{kind}", noise)
    error_message(written(tmp_path, f"a.{kind}", whole[: len(whole) * 2 // 3]))
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"Dear Anna,\nthe seven of spades was yours.\n" * 20, "something else"),
        (b"%PDF-1.7 \n" * 20, "something else"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "something else"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"\x00" * 200, "something else"),
        (b"\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1heic" + b"\x00" * 200, "breaks off"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 500, "breaks off"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50 + b"IEND", "breaks off"),
    ],
)
def test_file_that_is_no_picture_is_refused_with_one_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in error_message(written(tmp_path, "table.jpg", data))


@pytest.mark.parametrize(("height", "width"), [(1, 4000), (4000, 1), (100, 4000), (4, 4)])
def test_too_narrow_picture_is_refused(tmp_path: Path, height: int, width: int) -> None:
    path = written(tmp_path, "a.png", encoded(".png", np.full((height, width, 3), 90, np.uint8)))
    assert f"{width} x {height} px" in error_message(path)


def flat(kind: str, width: int, height: int) -> bytes:
    """Return a picture of one grey, which packs into few bytes."""
    return encoded(f".{kind}", np.full((height, width, 3), 90, np.uint8))


def png_of(*chunks: tuple[bytes, int, bytes]) -> bytes:
    """Return a PNG of chunks: kind, claimed length, content."""
    made = [
        size.to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, size, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


def claiming(kind: str) -> bytes:
    """Return a small picture whose header says that it has 60,000 x 60,000 px."""
    data, side = bytearray(flat(kind, 64, 64)), 60_000
    if kind == "png":
        header = struct.pack(">4sII", b"IHDR", side, side) + data[24:29]
        data[12:33] = header + zlib.crc32(header).to_bytes(4, "big")
    elif kind == "jpg":
        place = data.index(b"\xff\xc0") + 5
        data[place : place + 4] = struct.pack(">HH", side, side)
    elif kind == "gif":
        data[6:10] = struct.pack("<HH", side, side)
    elif kind == "bmp":
        data[18:26] = struct.pack("<ii", side, -side)
    elif kind == "ppm":
        data[: data.index(b"255")] = b"P6 # large\n60000 60000\n"
    elif kind == "jp2":  # its stream claims more than its header
        place = data.index(b"\xff\x4f\xff\x51") + 8
        data[place : place + 8] = struct.pack(">II", side, side)
    return bytes(data)


def repacked(kind: str, width: int, height: int, **options: object) -> bytes:
    """Return a grey picture as Pillow writes this kind."""
    file = BytesIO()
    PIL.Image.new("RGB", (width, height), (90, 90, 90)).save(file, kind, **options)
    return file.getvalue()


def box_claiming(kind: str) -> bytes:
    """Return a small AVIF whose box says that it has 60,000 x 60,000 px."""
    data = bytearray(repacked(kind, 64, 64))
    place = data.index(b"ispe") + 8
    data[place : place + 8] = struct.pack(">II", 60_000, 60_000)
    return bytes(data)


def tiff_claiming(tags: dict[int, int]) -> bytes:
    """Return a small TIFF with other values for some tags."""
    data = bytearray(repacked("TIFF", 64, 64, compression="tiff_deflate"))
    (place,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, place)
    for entry in range(place + 2, place + 2 + 12 * count, 12):
        (tag,) = struct.unpack_from("<H", data, entry)
        if tag in tags:
            struct.pack_into("<HII", data, entry + 2, 4, 1, tags[tag])
    return bytes(data)


LARGE: dict[str, Callable[[], bytes]] = {
    **{kind: partial(claiming, kind) for kind in ("png", "jpg", "gif", "bmp", "ppm")},
    "tiff": lambda: tiff_claiming({256: 60_000, 257: 60_000}),
    "webp": lambda: repacked("WEBP", 9000, 8000),
    "progressive jpg": lambda: repacked("JPEG", 9000, 8000, progressive=True),
}


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("kind", LARGE)
def test_picture_with_huge_claimed_size_is_refused_before_decoding(tmp_path: Path, kind: str) -> None:
    assert "at most 65 megapixels, or a JPEG of at most 260, got one of " in error_message(
        written(tmp_path, "a.png", LARGE[kind]())
    )


OPEN = ("from vision.capture.image_files import open_picture", "print(open_picture(Path(argv[1])).shape)")


CONTRADICTORY = {
    "jp2": claiming("jp2"),
    "avif": box_claiming("AVIF"),
    "tiff of large tiles": tiff_claiming({322: 60_000, 323: 60_000}),
    "tiff of large strips": tiff_claiming({278: 0xFFFFFFF0}),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", CONTRADICTORY)
def test_picture_that_claims_two_sizes_uses_no_memory(tmp_path: Path, kind: str) -> None:
    printed = output_with_little_memory(*OPEN, written(tmp_path, "a.png", CONTRADICTORY[kind]), room_mb=300)
    assert "expected a" in printed or printed == "(64, 64, 3)"


@pytest.mark.thorough
@pytest.mark.parametrize("orientation", [1, 6])
def test_jpeg_of_108_megapixels_is_reduced_while_decoding(tmp_path: Path, orientation: int) -> None:
    path = written(tmp_path, "a.jpg", turned(flat("jpg", 12_000, 9_000), orientation))
    shape = "(4500, 6000, 3)" if orientation == 1 else "(6000, 4500, 3)"
    # It takes 300 MB, with more threads up to 130 more; all its pixels would take 750.
    assert output_with_little_memory(*OPEN, path, room_mb=600) == shape


def with_scans(scans: int, width: int = 1600, height: int = 1200) -> bytes:
    """Return a progressive JPEG whose last scan is repeated until it has this many."""
    data = repacked("JPEG", width, height, progressive=True)
    last, end = data.rindex(b"\xff\xda"), data.rindex(b"\xff\xd9")
    return data[:end] + data[last:end] * (scans - data.count(b"\xff\xda")) + data[end:]


def scan_for_each_component(width: int, height: int) -> bytes:
    """Return the start of a baseline JPEG with a scan for each of its three components, and its first scan."""
    data = bytearray(repacked("JPEG", 64, 64, subsampling=0))
    size, scan = data.index(b"\xff\xc0") + 5, data.index(b"\xff\xda")
    data[size : size + 4] = struct.pack(">HH", height, width)
    return bytes(data[:scan]) + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + bytes(500) + b"\xff\xd9"


@pytest.mark.parametrize(("scans", "is_read"), [(10, True), (100, True), (101, False), (20_000, False)])
def test_jpeg_of_too_many_scans_is_refused_before_decoding(tmp_path: Path, scans: int, is_read: bool) -> None:
    path = written(tmp_path, "a.jpg", with_scans(scans))
    if is_read:
        assert open_picture(path).shape == (1200, 1600, 3)
    else:
        assert "expected a JPEG of at most 100 scans, got more" in error_message(path)


def test_jpeg_with_a_scan_for_each_component_is_not_taken_for_a_reducible_one(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jpg", scan_for_each_component(20_000, 13_000))
    assert "at most 65 megapixels" in error_message(path)
    ordinary = repacked("JPEG", 640, 480)
    assert JpegStructure.of(ordinary) == JpegStructure(1, is_reducible=True)
    assert not JpegStructure.of(repacked("JPEG", 640, 480, progressive=True)).is_reducible
    assert not JpegStructure.of(scan_for_each_component(640, 480)).is_reducible


def test_jpeg_of_too_many_segments_is_refused_at_once(tmp_path: Path) -> None:
    data = repacked("JPEG", 640, 480)
    scan = data.index(b"\xff\xda")
    comments = b"\xff\xfe\x00\x02" * (LIMITS.most_segments + 1)
    assert "at most 10000 segments" in error_message(written(tmp_path, "a.jpg", data[:scan] + comments + data[scan:]))
    padded = data[:scan] + b"\xff" * 1_000_000 + data[scan + 1 :]
    assert JpegStructure.of(padded).scans == 1


def test_heic_photograph_is_read_upright(tmp_path: Path) -> None:
    image = opened(tmp_path, HEIC.read_bytes(), "a.heic")
    assert image.shape == (32, 48, 3)
    for row, column in ((8, 12), (8, 36), (24, 12), (24, 36)):
        assert np.abs(image[row, column].astype(int) - quarters()[row, column]).max() < 40


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_and_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jpg")
    for special in (tmp_path / "a.jpg", Path("/dev/zero"), Path("/dev/null")):
        assert "pipe or a device" in error_message(special)


def test_decoders_print_nothing_about_a_damaged_jpeg(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(encoded(".jpg", np.random.default_rng(0).integers(0, 255, (64, 96, 3), np.uint8)))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff\xd0\x00\xff\xd5\x12\xff\xd1"
    with contextlib.suppress(PictureError):
        open_picture(written(tmp_path, "a.jpg", bytes(data)))
    assert capfd.readouterr() == ("", "")


def test_claimed_chunk_of_4_gb_uses_no_memory(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    data = png_of((b"IHDR", 13, header), (b"IDAT", 0xFFFFFF00, b"x" * 20), (b"IEND", 0, b""))
    assert "decoded" in output_with_little_memory(*OPEN, written(tmp_path, "a.png", data), room_mb=300)


@pytest.mark.thorough
def test_picture_of_144_megapixels_is_refused_without_using_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "a.png", flat("png", 12_000, 12_000))
    assert "at most 65 megapixels" in output_with_little_memory(*OPEN, path, room_mb=300)


@pytest.mark.thorough
def test_largest_allowed_picture_opens_within_700_mb(tmp_path: Path) -> None:
    assert "(8000, 8120, 3)" in output_with_little_memory(
        *OPEN, written(tmp_path, "a.png", flat("png", 8120, 8000)), room_mb=700
    )


def test_file_over_256_mb_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.png", b"\x89PNG\r\n\x1a\n")
    with path.open("r+b") as file:
        file.truncate(LIMITS.most_bytes + 1)
    assert "at most 256 MB" in error_message(path)


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    assert "folder" in error_message(tmp_path)
    assert "nothing" in error_message(tmp_path / "none.jpg")
    assert "check the path" in error_message(tmp_path / ("a" * 400 + ".jpg"))


def test_picture_without_read_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "a.png", encoded(".png", red()))

    def refuse(self: Path, mode: str) -> IO[bytes]:
        raise PermissionError(13, "Permission denied", os.fspath(self))

    monkeypatch.setattr(Path, "open", refuse)  # whoever runs the tests as root may read everything
    assert "rights" in error_message(path)


READ_QUIETLY = """
import sys
from pathlib import Path
from vision.capture.image_files import open_picture
print(open_picture(Path(sys.argv[1])).shape)
"""


def test_damaged_metadata_say_nothing_on_the_terminal(tmp_path: Path) -> None:
    metadata = PIL.Image.Exif()
    metadata[PIL.ExifTags.Base.ImageDescription] = "the kitchen table, late in the evening"
    path, file = tmp_path / "a.jpg", BytesIO()
    PIL.Image.new("RGB", (64, 48)).save(file, "JPEG", exif=metadata)
    data = bytearray(file.getvalue())
    place = data.index(b"Exif\0\0") + len(b"Exif\0\0MM\0*\0\0\0\x08")
    data[place : place + 2] = b"\xff\xff"  # as if there were 65,535 tags
    path.write_bytes(data)
    command = [sys.executable, "-c", READ_QUIETLY, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("(48, 64, 3)\n", "")
