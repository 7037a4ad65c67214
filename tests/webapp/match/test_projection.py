"""One projection: what a page shows live is what the log gives later, at every line."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.cards import pack
from referee.events import Placed
from referee.record import Header, event_from_json, event_to_json
from referee.rulebook import rulebook
from tests.sample_size import sample_size
from webapp.match.log import MatchLog, project
from webapp.match.played_game import played_game
from webapp.match.stored_matches import match_facts
from webapp.match.view import View

LOGS = sample_size(12, nightly=200)
LINES = 40
"""Lines of each log. One is judged live, once more line by line, and from its beginning to two of its lines: 1.4 s of
processor time a log."""
CORRECTED = 0.06
"""Share of the lines after which a person corrects an earlier one."""


def shown(view: View) -> dict[str, Any]:
    return view.as_json("en", is_whole=True)


def correction(match: MatchLog, at: float, rng: random.Random) -> dict[str, Any]:
    """Return any correction of a laid card: another card, another seat, or that nothing happened; or an undo."""
    laid = [believed_line for believed_line in match.believed_lines if isinstance(believed_line.event, Placed)]
    kind = rng.choice(("card", "by", "nothing", "undo"))
    if kind == "undo" or not laid:
        return {"event": "pressed", "button": "undo", "at": at}
    line = rng.choice(laid)
    seat = rng.choice(match.header.seats)
    card = str(rng.choice(pack(rulebook(match.header.rules, match.header.options).pack)))
    to = {key: value for key, value in event_to_json(line.event).items() if key in ("event", "card", "by", "on")}
    to |= {"card": card} if kind == "card" else {"by": seat}
    stated = {"line": line.line, "to": None if kind == "nothing" else to}
    return {"event": "corrected", "at": at, "by": seat, "anyway": True, **stated}


def played_live(number: int) -> tuple[MatchLog, Iterator[View]]:
    """Return a log and its views after each line, while it grows: simulated, with faults, corrected now and then."""
    rng = random.Random(number)
    header, *record = game_of(number, Setting(level=1, breakers=0.05 if number % 2 else 0.0)).record()[:LINES]
    header = {**header, "witness": "person" if number % 4 == 1 else "camera"}
    match = MatchLog(Header.parse(header | ({"tone": "hint"} if number % 5 == 2 else {})))

    def views() -> Iterator[View]:
        match.open()
        yield match.view
        for at, lines in groupby(record, key=lambda line: line["at"]):
            match.judge(*map(event_from_json, lines))
            yield match.view
            if rng.random() < CORRECTED:
                match.correct(event_from_json(correction(match, at, rng)))
                yield match.view

    return match, views()


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("number", range(LOGS))
def test_live_view_is_the_projection_of_the_log_at_its_line(number: int) -> None:
    match, views = played_live(number)
    live = {view.line: shown(view) for view in views}
    read = MatchLog(match.header)
    compared = 0
    for view in read.reading(match.lines):
        if view.line in live:
            assert shown(view) == live[view.line], f"line {view.line} of {match.line}"
            compared += 1
    assert compared == len(live)
    for line in random.Random(number).sample(sorted(live), 2):
        assert shown(project(match.lines, line)) == live[line]


def test_all_that_is_shown_of_a_corrected_card_has_its_new_name() -> None:
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start}
    laid = [
        {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
        {"at": 2.0, "event": "placed", "card": "Th", "by": "B", "on": "7s"},
        {"at": 3.0, "event": "corrected", "line": 3, "to": {"event": "placed", "card": "8d", "by": "B", "on": "7s"}},
    ]
    view = project([header, *laid])
    assert "Th" not in json.dumps([view.state, [step.event for step in view.timeline], played_game(view.timeline, {})])
    (fault,) = (call for call in view.calls if call.kind == "illegal")
    assert (fault.line, fault.content["cards"], view.headline.tone) == (3, ["8d"], "illegal")
    assert [call.kind for call in view.headline.calls] == ["illegal", "corrected"], "a fault that it makes comes first"
    assert [pair.attack for pair in view.position.lying] == ["7s", "8d"]  # type: ignore[union-attr]
    assert project([header, *laid], 3).position.lying[0].defence == "Th"  # type: ignore[union-attr]


def headline(*events: dict[str, Any], **header: Any) -> tuple[str, int | None, str | None]:
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
    known = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start, **header}
    shown = project([known, *({"at": float(at), **event} for at, event in enumerate(events, start=1))]).headline
    return shown.tone, shown.line, shown.event and shown.event["event"]


def test_headline_is_never_behind_the_board() -> None:
    lead, beat = {"event": "placed", "card": "7s", "by": "A"}, {"event": "placed", "card": "8s", "by": "B", "on": "7s"}
    assert headline(lead) == ("legal", 2, None)
    assert headline(lead, beat, {"event": "swept", "to": "heap"})[::2] == ("quiet", "swept")
    wrong = {"event": "placed", "card": "Kd", "by": "A"}
    assert headline(lead, beat, wrong) == ("illegal", 4, None)
    more = {"event": "placed", "card": "8c", "by": "A"}
    assert headline(lead, beat, wrong, more) == ("legal", 5, None)
    assert headline(lead, beat, wrong, {"event": "pressed", "button": "done", "by": "C"}) == ("illegal", 4, None)
    lifted = {"event": "lifted", "card": "Kd", "by": "A"}
    assert headline(lead, beat, wrong, lifted) == ("quiet", None, "lifted")
    camera = {"witness": "camera"}
    assert headline(lead, beat, **camera)[1:] in ((3, None), (None, "placed")), "a late ruling on the lead is no news"


def test_game_is_noted_by_bout() -> None:
    hands = {"A": 6, "B": 6}
    start = {"trump": "h", "turnup": "9h", "talon": 24, "hands": hands, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": [*hands], "dealer": "B", "start": start}
    events: list[dict[str, Any]] = [
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "8s", "by": "B", "on": "7s"},
        {"event": "lifted", "card": "8s", "by": "B"},
        {"event": "placed", "card": "Js", "by": "B", "on": "7s"},
        {"event": "swept", "to": "heap"},
        {"event": "drawn", "by": "A"},
        {"event": "drawn", "by": "B"},
        {"event": "placed", "card": "Kd", "by": "B"},
        {"event": "swept", "to": "A"},
        {"event": "drawn", "by": "B"},
        {"event": "placed", "card": "6c", "by": "B"},
    ]
    view = project([header, *({"at": float(at), **event} for at, event in enumerate(events, start=1))])
    assert played_game(view.timeline, {9: "whose?"}) == (
        "1. A 7♠ - B J♠. Beaten off\n2. B K♦. A takes\n   (whose?)\n3. B 6♣.\n"
    )
    assert played_game(view.timeline, {}, "ru").startswith("1. A 7♠ - B В♠. Отбито\n")


def test_card_under_a_wrong_defence_is_no_place_for_a_missed_one() -> None:
    """The sheet offers the cards that lay unbeaten; one that breaks a rule lies there, too, as people see it."""
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start}
    laid: list[dict[str, Any]] = [
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "Td", "by": "B", "on": "7s"},
        {"event": "placed", "card": "Kd", "by": "C"},
        {"event": "placed", "card": "Ad", "by": "B", "on": "Kd"},
        {"event": "lifted", "card": "Td", "by": "B"},
    ]
    view = project([header, *({"at": float(at), **event} for at, event in enumerate(laid, start=1))])
    opened = [step.position.unbeaten for step in view.timeline]
    assert opened == [["7s"], [], ["Kd"], [], ["7s"]]


def test_takes_and_faults_are_counted_as_corrected() -> None:
    """An inserted take counts, one that was denied does not, unless that correction is undone."""
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
    header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B", "C"], "dealer": "C", "start": start}
    record: list[dict[str, Any]] = [
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "Kd", "by": "A"},
        {"event": "lifted", "card": "Kd", "by": "A"},
        {"event": "swept", "to": "B"},
        {"event": "corrected", "line": 5, "to": None, "anyway": True},
        {"event": "pressed", "button": "undo"},
        {"event": "corrected", "line": 5, "to": {"event": "swept", "to": "heap"}, "anyway": True},
        {"event": "corrected", "after": 4, "insert": {"event": "swept", "to": "B"}, "anyway": True},
    ]
    lines = [header, *({"at": float(at), **event} for at, event in enumerate(record, start=1))]
    takes = [dict(match_facts(project(lines, at)).takes) for at in range(5, 10)]
    assert takes == [{"B": 1}, {}, {"B": 1}, {}, {"B": 1}]
    assert match_facts(project(lines, 5)).faults == {"A": {"rank-not-on-table": 1}}


@pytest.mark.parametrize(("options", "leads"), [({"first_lead": "left_of_dealer"}, "A"), ({}, None)])
def test_position_names_who_leads_before_the_deal(options: dict[str, Any], leads: str | None) -> None:
    header = {"kozyr": 1, "rules": "podkidnoy-36", "options": options, "seats": ["A", "B", "C"], "dealer": "C"}
    match = MatchLog(Header.parse(header))
    match.open()
    assert match.view.position.leads == leads
    match.judge(event_from_json({"at": 1.0, "event": "dealt", "turnup": "6h"}))
    assert match.view.position.leads is None, "the bout has begun, or nobody knows"
