"""Match API: a match from a header, its events one by one, and its state."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import referee
from referee import Match
from referee.errors import RecordError
from referee.events import Swept
from referee.header import Header

START = {"trump": "h", "talon": 0, "hands": {"A": 1, "B": 2}, "attacker": "A"}
HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": START}
LEAD = {"at": 1, "event": "placed", "card": "7s", "by": "A"}


def test_documentation_quotes_the_doctest() -> None:
    page = (Path(__file__).parents[2] / "docs" / "record.md").read_text(encoding="utf-8")
    assert referee.__doc__ is not None
    lines = [line for line in referee.__doc__.splitlines()[3:] if line]
    assert "\n".join(["```python", *lines, "```"]) in page


def test_match_runs_from_its_header_to_its_result() -> None:
    match = Match(Header.parse(HEADER))
    match.apply(LEAD)
    assert [message.line for message in match.apply(Swept(at=2.0, to="B"))] == [3] * 4
    assert match.finish() == ()
    assert match.state["result"] == {"kind": "fool", "seats": ["B"]}
    assert [ruling.play for ruling in match.rulings] == ["lead"]
    assert [announcement.kind for announcement in match.announcements] == ["turn", "out", "result", "score", "deal"]


def test_unusable_event_does_not_change_the_match() -> None:
    match = Match(HEADER)
    match.apply(LEAD)
    before = match.state
    with pytest.raises(RecordError, match="time never runs backwards"):
        match.apply({"at": 0.5, "event": "tick"})
    with pytest.raises(RecordError, match="one of the seats A, B"):
        match.apply({"at": 2, "event": "placed", "card": "8s", "by": "X"})
    assert (match.line, match.state) == (2, before)


def test_a_deal_ends_with_the_record_where_nobody_can_play_on() -> None:
    start = {"trump": "h", "talon": 0, "hands": {"A": 1, "B": 1}, "attacker": "A"}
    match = Match({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "start": start})
    match.apply({"at": 1, "event": "placed", "card": "7s", "by": "A"})
    match.apply({"at": 2, "event": "placed", "card": "8s", "by": "B", "on": "7s"})
    assert match.state["result"] is None
    announced = [message.what.as_json() for message in match.finish()]
    assert {"announce": "result", "kind": "draw", "seats": []} in announced
    assert match.state["result"] == {"kind": "draw", "seats": []}


def test_a_record_ends_decided_where_the_defender_alone_holds_cards() -> None:
    fool = {"kind": "fool", "seats": ["B"]}
    for rules, hands, result in (
        ("podkidnoy-36", {"A": 1, "B": 2}, fool),
        ("podkidnoy-36", {"A": 1, "B": 1}, None),  # he may beat it with his last
        ("podkidnoy-36", {"A": 1, "B": 2, "C": 1}, None),  # a card may be thrown in
        ("perevodnoy", {"A": 1, "B": 2}, fool),
        ("podkidnoy-teams-4", {"A": 1, "B": 1, "C": 0, "D": 3}, {"kind": "team-fool", "seats": ["B", "D"]}),
        ("hebrew-transfer", {"A": 1, "B": 2}, None),  # it may be passed on to an empty hand
    ):
        start = {"trump": "h", "talon": 0, "hands": hands, "attacker": "A"}
        match = Match({**HEADER, "rules": rules, "seats": list(hands), "start": start})
        match.apply(LEAD)
        assert match.state["result"] is None
        match.finish()
        assert match.state["result"] == result


def test_match_lists_and_makes_plays_and_shows_itself_as_text() -> None:
    match = Match(HEADER)
    lead = match.legal_plays("A")[0]
    assert match.fault_of(lead) is None
    assert [message.what.as_json()["ruling"] for message in match.play(lead)] == ["legal"]
    assert str(match.fault_of(lead).id) == "duplicate-card"  # type: ignore[union-attr]
    assert str(match).splitlines() == [
        "attack; trump h, talon 0, beaten 33",
        "A attacks, 0 cards",
        "B defends, 2 cards",
        f"table: {lead.cards[0]}",
    ]
    assert {str(play) for play in match.legal_plays("B")} >= {"B: take"}


def test_referee_imports_no_pictures_and_no_pages() -> None:
    code = "import sys, referee; print({'numpy', 'cv2', 'flask'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
