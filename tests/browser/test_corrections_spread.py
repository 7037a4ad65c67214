"""A whole game in which one device puts things right, of every kind, while another looks on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page

from referee.record import event_to_json
from tests.browser.conftest import Table

Lay = Callable[..., Table]
Open = Callable[..., Page]
RECORDING = Path("webapp/recordings/demo.jsonl")

SEEN_WITHIN_MS = 300
WATCH = """
window.changed = [];
addEventListener("DOMContentLoaded", () => {
  const note = () => requestAnimationFrame(() => setTimeout(() => window.changed.push(Date.now())));
  for (const id of ["call", "calls", "bout", "seats", "stock"])
    new MutationObserver(note)
      .observe(document.getElementById(id), { childList: true, subtree: true, attributes: true });
});
"""
CORRECT = """async (statement) => {
  const sent = Date.now();
  const answer = await fetch("/api/correct", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(statement),
  });
  return [sent, answer.status, await answer.json()];
}"""
UNDO = {"event": "pressed", "button": "undo"}


def corrections(table: Table) -> list[dict[str, Any]]:
    """One of every kind, of what happened last."""
    last = {event_to_json(each.event)["event"]: each for each in table.match.taken}

    def said(kind: str, **changes: Any) -> dict[str, Any]:
        plain = {key: value for key, value in event_to_json(last[kind].event).items() if key != "at"}
        return {"line": last[kind].line, "to": plain | changes}

    newest = table.match.taken[-1]
    return [
        said("placed", card="7c"),
        said("placed", by="Anya"),
        said("swept", to="Boris"),
        said("drawn", count=2),
        {"line": last["placed"].line, "to": None},
        {"after": newest.line, "insert": {"event": "placed", "card": "7h", "by": "Boris", "at": newest.event.at}},
        {"table": {"hands": {"Anya": 4, "Boris": 4, "Vera": 4}, "talon": 2}},
    ]


def test_every_kind_of_correction_is_seen_on_another_device_at_once(lay: Lay, open_page: Open) -> None:
    header, *events = (json.loads(line) for line in RECORDING.read_text("utf-8").splitlines())
    table = lay(witness="camera", **header)
    referee = open_page(table.address)
    looks_on = open_page(table.address, "phone", before=WATCH)
    took_ms = []
    for count in range(len(events)):
        table.happens({key: value for key, value in events[count].items() if key != "fault"})
        if count not in (12, 30):
            continue
        before = table.match.state
        for correction in corrections(table):
            for statement in ({"event": "corrected", **correction}, UNDO):
                looks_on.wait_for_timeout(100)  # what came before is shown
                sent, status, answer = referee.evaluate(CORRECT, statement)
                assert status in (200, 202), (statement, answer)
                looks_on.wait_for_timeout(SEEN_WITHIN_MS + 100)
                seen = [at for at in looks_on.evaluate("window.changed") if at >= sent]
                assert seen, f"{statement} was not seen on the other device"
                took_ms.append(seen[0] - sent)
            assert table.match.state == before, f"undone: {correction}"
    table.match.finish()
    assert table.match.result == {"kind": "fool", "seats": ["Vera"]}, "as in a game in which nobody put anything right"
    assert median(took_ms) <= SEEN_WITHIN_MS, took_ms
