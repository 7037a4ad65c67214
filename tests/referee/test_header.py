"""The first line of a match: what it must say, and that it survives being written."""

from __future__ import annotations

import pytest

from referee.errors import RecordError
from referee.header import Header
from tests.referee.test_record import HEADER


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ([], 'a header with "kozyr"'),
        ({"rules": "podkidnoy-36"}, 'a header with "kozyr"'),
        (HEADER | {"tone": 3}, "tone"),
    ],
)
def test_what_is_no_header_is_refused(data: object, wanted: str) -> None:
    with pytest.raises(RecordError, match=wanted):
        Header.parse(data)


def test_tone_and_witness_survive_being_written() -> None:
    header = Header.parse(HEADER | {"tone": "silent", "witness": "camera"})
    assert Header.parse(header.as_json()) == header
