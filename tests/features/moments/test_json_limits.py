"""Limits of JSON and zip files: small files that would unpack to gigabytes are refused before unpacking."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from features.moments.moment_zip import MOST_PARTS, read_moment
from webapp.errors import UnusableInputError
from webapp.json_limits import MOST_LINES, MOST_VALUES, parse_limited, parse_lines_limited

ABOUT = {"kozyr_moment": 1, "match": "m", "line": 2, "at": 1.0, "from": 0.0, "to": 4.0, "said": [], "versions": {}}
MOST_MEMORY_BYTES = 60_000_000


def packed(folder: Path, about: bytes | None = None, record: bytes = b"{}\n", **more: bytes) -> Path:
    path = folder / "moment.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as zipped:
        zipped.writestr("moment.json", json.dumps(ABOUT) if about is None else about)
        zipped.writestr("record.jsonl", record)
        for name, content in more.items():
            zipped.writestr(name, content)
    return path


def test_moment_of_usual_size_is_read(tmp_path: Path) -> None:
    moment = read_moment(packed(tmp_path, record=b'{"kozyr": 1}\n{"at": 1.0}\n'))
    assert (moment.about["line"], moment.record, moment.film) == (2, ({"kozyr": 1}, {"at": 1.0}), None)


@pytest.mark.parametrize(
    ("about", "record"),
    [
        (None, b"{}\n" * 15_000_000),  # 50 kB of zip, over 1 GB of objects
        (None, b"{}\n" * 2_000_000),
        (None, b"[" * 15_000_000),
        (None, b"[[" + b"[]," * 500_000 + b"[]]]"),
        (b"[" * 100_000 + b"]" * 100_000, b"{}\n"),
        (b'{"kozyr_moment": 2}', b"{}\n"),
        (b"[" + b"[]," * 2_000_000 + b"[]]", b"{}\n"),
    ],
    ids=[
        "45 MB of objects",
        "6 MB of objects",
        "open brackets",
        "many lists",
        "deep",
        "another kind",
        "many in front",
    ],
)
def test_file_that_unpacks_to_gigabytes_is_refused_in_little_memory(
    tmp_path: Path, about: bytes | None, record: bytes
) -> None:
    path = packed(tmp_path, about, record)
    assert path.stat().st_size < 300_000
    tracemalloc.start()
    try:
        with pytest.raises(UnusableInputError, match="another kind of file, or a damaged one"):
            read_moment(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY_BYTES
    finally:
        tracemalloc.stop()


def test_zip_file_with_too_many_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="another kind of file"):
        read_moment(packed(tmp_path, **{f"crops/{number}": b"" for number in range(MOST_PARTS)}))


def test_part_with_a_false_size_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, record=b"{}\n" * 10_000)
    content = path.read_bytes()
    path.write_bytes(content.replace((30_000).to_bytes(4, "little"), (3).to_bytes(4, "little")))
    with pytest.raises(UnusableInputError, match="another kind of file"):
        read_moment(path)


def test_error_names_the_limit() -> None:
    with pytest.raises(ValueError, match=f"at most {MOST_LINES} lines"):
        parse_lines_limited(b"1\n" * (MOST_LINES + 1))
    with pytest.raises(ValueError, match=f"at most {MOST_VALUES} values"):
        parse_limited(b"," * (MOST_VALUES + 1))
    with pytest.raises(ValueError, match="at most 32 brackets"):
        parse_limited(b"[" * 33 + b"]" * 33)
    with pytest.raises(ValueError, match="at most 32 brackets"):
        parse_limited(b'["\\\\", ' + b"[" * 33 + b"]" * 34)
    assert parse_limited(b'["[[[[,,,:\\"[["]') == ['[[[[,,,:"[[']


def test_long_string_is_checked_in_linear_time() -> None:
    assert len(parse_limited(b'"' + b'\\"a' * 500_000 + b'"')) == 1_000_000
