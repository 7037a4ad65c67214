"""Likelihoods of reported changes by cue."""

from __future__ import annotations

import json
from datetime import date
from importlib.resources import files
from pathlib import Path

import pytest

import vision
from vision.events.evidence import AS_REPORTED, Likelihoods

DATA = json.loads(files("vision.events").joinpath("likelihoods.json").read_text("utf-8"))
SOURCE = "".join(
    path.read_text("utf-8")
    for path in (
        *(Path(vision.__file__).parent / "events").glob("*.py"),
        Path(vision.__file__).parent / "table_session.py",
    )
)


@pytest.mark.parametrize("outcomes", [("nothing",), ("nothing", "two"), ("nothing", "two", "three")])
@pytest.mark.parametrize("cue", ["counted", "never met"])
def test_shares_sum_to_one(cue: str, outcomes: tuple[str, ...]) -> None:
    shares = Likelihoods({"counted": {AS_REPORTED: 7, "two": 2}}, as_reported=4.0, instead=0.2).of(cue, outcomes)
    assert shares.as_reported + sum(shares.instead.values()) == pytest.approx(1.0)


def test_unknown_cue_has_the_prior() -> None:
    shares = Likelihoods({}, as_reported=4.0, instead=1.0).of("never met", ("nothing", "two"))
    assert shares.as_reported == pytest.approx(0.8)
    assert shares.instead == {"nothing": pytest.approx(0.1), "two": pytest.approx(0.1)}


def test_counts_outweigh_the_prior() -> None:
    counted = Likelihoods({"met": {AS_REPORTED: 10, "nothing": 90}}, as_reported=4.0, instead=0.2)
    assert counted.of("met", ("nothing",)).instead["nothing"] > 0.8


def test_shipped_likelihoods_have_date_and_clips() -> None:
    made = DATA["made"]
    assert date.fromisoformat(made["date"]) >= date(2026, 11, 1)
    assert made["clips"] == sorted(set(made["clips"]))
    assert made["clips"]
    assert made["by"] == "python -m benchmarks.fit_likelihoods"


def test_shipped_likelihoods_are_whole_counts_and_never_certain() -> None:
    shipped = Likelihoods.shipped()
    for cue, counted in DATA["counts"].items():
        assert all(isinstance(number, int) and number > 0 for number in counted.values()), cue
        outcomes = tuple(outcome for outcome in counted if outcome != AS_REPORTED) or ("nothing",)
        assert 0 < shipped.of(cue, outcomes).as_reported < 1, cue


def test_every_shipped_cue_exists_in_the_pipeline() -> None:
    for cue in DATA["counts"]:
        kind, _, situation = cue.partition(": ")
        assert f'"{cue}"' in SOURCE or (kind in ("drawn", "unseen") and f'"{situation}"' in SOURCE), cue
