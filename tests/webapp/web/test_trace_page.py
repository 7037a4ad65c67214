"""The page of a trace: what was seen and thought in plain words, and nothing fetched from elsewhere."""

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


def judged(**changes: Any) -> dict[str, Any]:
    """A card that was told, but for ``changes``."""
    touch = {"visit": 3, "seat": "A", "likely": "A", "hid": 0.9, "tip_mm": 12.2, "last_over": 10.4}
    lying = {"what": "a card lies there", "card": "7s", "track": 4, "confidence": 0.91, "alternatives": [["7c", 0.08]]}
    return {
        "kind": "judged",
        "when": 10.6,
        "noticed": [PLACED],
        "heard": [PLACED],
        "told": [PLACED],
        "foreseen": {"accuses": True, "asks": False, "owed": [["B", 2]], "open": 1},
        "notes": [{"label": "hypothesis", "text": "B drew unseen", "weight": 0.25}],
        "rests_on": [[{**lying, "clear_at": 10.4, "hands": [touch]}]],
        "before": NOWHERE,
        "after": {**NOWHERE, "bout": [{"track": 4, "card": "7s", "on": None}]},
        **changes,
    }


def text_of(*entries: dict[str, Any]) -> str:
    """What the page says, without its tags."""
    page = re.sub(r"<(style|script)>.*?</\1>", "", trace_page(ABOUT, entries), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", page).replace("&#34;", '"').split())


def test_what_was_told_stands_with_what_it_rests_on() -> None:
    said = text_of(judged())
    assert "Told: A lays 7s (91 %)" in said
    assert (
        "certain at 10.40 s , understood 0.20 s later" in said or "certain at 10.40 s, understood 0.20 s later" in said
    )
    assert "It might be 7c 8 %" in said
    assert "the referee would accuse somebody; draws owed: B 2; 1 earlier plays are open" in said
    assert "hypothesis (0.25): B drew unseen" in said
    assert "Table before: nothing in the bout; talon" in said
    assert "Table after: 7s; talon" in said
    assert "hand 3 of A hid 90 % of its place, its finger tips came within 12 mm" in said


def test_what_was_told_otherwise_says_what_was_heard() -> None:
    other = {**PLACED, "confidence": 0.6}
    assert "Heard was: A lays 7s (91 %)" in text_of(judged(told=[other]))
    assert "Heard was" not in text_of(judged())


def test_what_is_held_back_or_dropped_is_called_so() -> None:
    assert title(judged(told=None)) == "Held back: A lays 7s (91 %)"
    waits = {"label": "waits", "text": "cards have left"}
    assert title(judged(noticed=[], heard=[], told=None, notes=[waits])) == "Waiting: cards have left"
    assert title(judged(told=[])) == "Not told after all: A lays 7s (91 %)"


def test_a_line_of_the_record_that_repeats_what_was_told_is_not_in_the_contents() -> None:
    blocked = {"at": 11.0, "event": "blocked", "reason": "something hides the table"}
    page = trace_page(
        ABOUT,
        [judged(), {"kind": "line", "when": 10.6, "line": PLACED}, {"kind": "line", "when": 11.0, "line": blocked}],
    )
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert "Record: A lays 7s" not in contents
    assert "Record: not refereed: something hides the table" in contents
    assert "Record: A lays 7s" in page


def test_whatever_a_name_holds_is_text() -> None:
    page = trace_page({**ABOUT, "header": {"rules": "x", "seats": ["<b>A", "B"]}}, [judged()])
    assert "<b>A" not in page
    assert "&lt;game&gt;.mp4" in page


def test_the_page_fetches_nothing_from_elsewhere() -> None:
    page = trace_page(ABOUT, [judged()])
    assert not re.findall(r"(?:https?:)?//[a-z]", page)
    assert not re.findall(r"<link|<script src|@import|url\(", page)


def test_every_event_of_the_eye_has_words() -> None:
    events: tuple[dict[str, Any], ...] = (
        {"event": "placed", "card": None, "on": "7s"},
        {"event": "lifted", "card": "7s", "by": "A"},
        {"event": "dealt", "turnup": "9h"},
        {"event": "swept", "to": "B"},
        {"event": "drawn", "by": "A", "count": 2, "card": "9h"},
        {"event": "swapped", "card": "6h", "by": "A"},
        {"event": "reread", "was": "7s", "card": "7c"},
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
        "not refereed: dark",
        "somebody: tick",
    ]
