"""Page of a trace: its text, and no resources from other hosts."""

from __future__ import annotations

import re
from typing import Any

from webapp.web.trace_page import event_words, title, trace_page

ABOUT = {
    "clip": "<game>.mp4",
    "from": 10.0,
    "to": 12.5,
    "header": {"rules": "podkidnoy-36", "seats": ["A", "B"]},
    "version": "1.0",
}
NOWHERE: dict[str, Any] = {"bout": [], "unread": [], "turnup": None, "talon": True, "heap": False}
PLACED = {"at": 10.4, "event": "placed", "card": "7s", "by": "A", "confidence": 0.91, "alternatives": [["7c", 0.08]]}

DOUBTS = [
    {"cue": "place: hardly across", "instead": {"beside": {"on": None}}},
    {"cue": "laid", "instead": {"no": None}},
]
NOTICED = {**PLACED, "settles_at": 10.9, "doubts": DOUBTS}
WEIGHED = {
    **NOTICED,
    "doubts": [{**DOUBTS[0], "shares": {"beside": 0.12}}, {**DOUBTS[1], "shares": {"no": 0.0}}],
}


def judged(**changes: Any) -> dict[str, Any]:
    """Return the entry of a reported card with ``changes``."""
    touch = {"visit": 3, "seat": "A", "likely": "A", "hid": 0.9, "tip_mm": 12.2, "last_over": 10.4}
    lying = {"what": "a card lies there", "card": "7s", "track": 4, "confidence": 0.91, "alternatives": [["7c", 0.08]]}
    return {
        "kind": "judged",
        "when": 10.6,
        "noticed": [NOTICED],
        "waiting": [],
        "settled": [WEIGHED],
        "told": [PLACED],
        "notes": [{"label": "hypothesis", "text": "B drew unseen", "weight": 0.25}],
        "rests_on": [[{**lying, "clear_at": 10.4, "hands": [touch]}]],
        "before": NOWHERE,
        "after": {**NOWHERE, "bout": [{"track": 4, "card": "7s", "on": None}]},
        **changes,
    }


def text_of(*entries: dict[str, Any]) -> str:
    """Return the page's text, without its tags."""
    page = re.sub(r"<(style|script)>.*?</\1>", "", trace_page(ABOUT, entries), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", page).replace("&#34;", '"').split())


def test_reported_events_are_shown_with_their_evidence() -> None:
    page_text = text_of(judged())
    assert "Reported: A lays 7s (91 %)" in page_text
    assert (
        "certain at 10.40 s , understood 0.20 s later" in page_text
        or "certain at 10.40 s, understood 0.20 s later" in page_text
    )
    assert "It might be 7c 8 %" in page_text
    assert "Doubt: place: hardly across. Then, instead: beside the others 12 %." in page_text
    assert "Doubt: laid. Then, instead: nothing happened hardly." in page_text
    assert "hypothesis (0.25): B drew unseen" in page_text
    assert "Table before: nothing in the bout; talon" in page_text
    assert "Table after: 7s; talon" in page_text
    assert "hand 3 of A hid 90 % of its place, its finger tips came within 12 mm" in page_text


def test_waiting_events_show_how_long_and_their_alternatives() -> None:
    entry = judged(waiting=[NOTICED], settled=[], told=[])
    assert title(entry) == "Noticed: A lays 7s (91 %)"
    page_text = text_of(entry)
    assert "Waiting: A lays 7s (91 %), until 10.90 s for another inference." in page_text
    assert "Doubt: place: hardly across. Then, instead: beside the others." in page_text


def test_event_that_still_waits_is_marked() -> None:
    waits = {"label": "waits", "text": "cards have left"}
    nothing: dict[str, Any] = {"noticed": [], "settled": [], "told": [], "rests_on": []}
    assert title(judged(**nothing, waiting=[NOTICED], notes=[waits])) == "Waiting: A lays 7s (91 %); cards have left"
    drawn = {"at": 10.5, "event": "drawn", "by": "B", "count": 1, "doubts": []}
    page_text = text_of(judged(**nothing, waiting=[NOTICED, drawn]))
    assert "Waiting: B draws 1, behind what was noticed before it." in page_text


def test_lost_table_precedes_waiting_events_and_has_no_alternatives() -> None:
    blocked = {"at": 10.4, "event": "blocked", "reason": "the camera was moved"}
    page_text = text_of(judged(told=[blocked, PLACED]))
    assert "Reported: not refereed: the camera was moved. Reported: A lays 7s (91 %). Doubt: place" in " ".join(
        page_text.split("  ")
    )


def test_possibly_missed_event_is_shown() -> None:
    page_text = text_of(judged(told=[{**PLACED, "missed": 0.2}]))
    assert "something may have gone unseen before it, 20 %" in page_text


def test_contents_omit_record_lines_of_reported_events() -> None:
    blocked = {"at": 11.0, "event": "blocked", "reason": "something hides the table"}
    page = trace_page(
        ABOUT,
        [judged(), {"kind": "line", "when": 10.6, "line": PLACED}, {"kind": "line", "when": 11.0, "line": blocked}],
    )
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert "Record: A lays 7s" not in contents
    assert "Record: not refereed: something hides the table" in contents
    assert "Record: A lays 7s" in page


def test_names_are_escaped() -> None:
    page = trace_page({**ABOUT, "header": {"rules": "x", "seats": ["<b>A", "B"]}}, [judged()])
    assert "<b>A" not in page
    assert "&lt;game&gt;.mp4" in page


def test_page_loads_nothing_from_other_hosts() -> None:
    page = trace_page(ABOUT, [judged()])
    assert not re.findall(r"(?:https?:)?//[a-z]", page)
    assert not re.findall(r"<link|<script src|@import|url\(", page)


def test_every_event_of_the_pipeline_has_a_text() -> None:
    events: tuple[dict[str, Any], ...] = (
        {"event": "placed", "card": None, "on": "7s"},
        {"event": "lifted", "card": "7s", "by": "A"},
        {"event": "dealt", "turnup": "9h"},
        {"event": "swept", "to": "B"},
        {"event": "drawn", "by": "A", "count": 2, "card": "9h"},
        {"event": "swapped", "card": "6h", "by": "A"},
        {"event": "reread", "was": "7s", "card": "7c"},
        {"event": "reread", "was": "7s", "card": "7s", "confidence": 0.99},
        {"event": "blocked", "reason": "dark"},
        {"event": "tick"},
    )
    assert [event_words(event) for event in events] == [
        "somebody lays a card that nobody can read on 7s",
        "A takes 7s up",
        "the deal is over, the turn-up is 9h",
        "the bout goes to B",
        "A draws 2, 9h",
        "A exchanges 6h for the turn-up",
        "7s turns out to be 7c",
        "7s it is (99 %)",
        "not refereed: dark",
        "somebody: tick",
    ]
