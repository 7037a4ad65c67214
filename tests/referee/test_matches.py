"""
Whole games with every ruling and announcement stored, so that changes show as a diff.

``tests/matches/NAME.jsonl`` is the record, ``NAME.rulings.jsonl`` what ``kozyr referee NAME.jsonl --json`` prints,
without the texts. To write them again after a wanted change: ``python tests/referee/test_matches.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.referee.match_files import MATCHES, rulings_of


def filed(path: Path) -> Path:
    """Return the file of a record's rulings."""
    return path.with_suffix(".rulings.jsonl")


@pytest.mark.parametrize("path", MATCHES, ids=[path.stem for path in MATCHES])
def test_rulings_of_a_match_equal_the_stored_ones(path: Path) -> None:
    assert rulings_of(path) == filed(path).read_text(encoding="utf-8").splitlines()


def test_matches_end_with_a_result() -> None:
    assert len(MATCHES) >= 6
    for path in MATCHES:
        assert '"announce": "result"' in filed(path).read_text(encoding="utf-8")


if __name__ == "__main__":
    for match in MATCHES:
        filed(match).write_text("\n".join(rulings_of(match)) + "\n", encoding="utf-8")
