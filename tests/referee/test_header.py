"""Header of a record: required keys and round trips."""

from __future__ import annotations

import pytest

from referee.errors import RecordError
from referee.header import Header
from tests.referee.record_lines import HEADER


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ([], 'a header with "kozyr"'),
        ({"rules": "podkidnoy-36"}, 'a header with "kozyr"'),
        (HEADER | {"tone": 3}, "tone"),
    ],
)
def test_invalid_header_is_refused(data: object, wanted: str) -> None:
    with pytest.raises(RecordError, match=wanted):
        Header.parse(data)


def test_tone_and_witness_survive_a_round_trip() -> None:
    header = Header.parse(HEADER | {"tone": "silent", "witness": "camera"})
    assert Header.parse(header.as_json()) == header


def test_start_with_an_attacker_needs_no_dealer() -> None:
    start = {"trump": "h", "talon": 0, "hands": {"A": 18, "B": 18}, "attacker": "A"}
    header = Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "start": start})
    assert header.dealer is None
    assert Header.parse(header.as_json()) == header
    del start["attacker"]
    with pytest.raises(RecordError, match='"dealer" to be one of the seats A, B, got None'):
        Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "start": start})
