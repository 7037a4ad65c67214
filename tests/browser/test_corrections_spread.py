"""A whole game in which one device makes corrections of every kind while another watches."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page

from referee.events import Corrected, Pressed
from referee.record import event_to_json
from tests.browser.conftest import Table, soon
from webapp.match.log import MatchUpdate

Lay = Callable[..., Table]
Open = Callable[..., Page]
RECORDING = Path("webapp/recordings/demo.jsonl")

SEEN_WITHIN_MS = 300
"""
Milliseconds on a machine that has nothing else to do; a busy one takes longer in proportion to the wait for a core.
"""
WATCH = """
window.changed = [];
addEventListener("DOMContentLoaded", () => {
  const note = () => requestAnimationFrame(() => setTimeout(() => window.changed.push(Date.now())));
  for (const place of ["#call", "#calls", "k-board", "#stock"])
    new MutationObserver(note)
      .observe(document.querySelector(place), { childList: true, subtree: true, attributes: true });
});
"""
CHANGED_SINCE = "sent => window.changed.filter((at) => at >= sent)"
CORRECT = """async (statement) => {
  const sent = Date.now();
  const answer = await fetch("/api/correct", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(statement),
  });
  return [sent, answer.status, await answer.json()];
}"""
UNDO = {"event": "pressed", "button": "undo"}


@dataclass
class ShareOfACore:
    """How long the referee took for its corrections, and how long it computed in that time."""

    took_s: float = 0.0
    computed_s: float = 0.0

    def of(self, correct: Callable[..., MatchUpdate]) -> Callable[..., MatchUpdate]:
        """Return the same function, with its calls counted."""

        def counted(correction: Corrected | Pressed) -> MatchUpdate:
            began_s, had_s = time.perf_counter(), time.thread_time()
            done = correct(correction)
            self.took_s += time.perf_counter() - began_s
            self.computed_s += time.thread_time() - had_s
            return done

        return counted

    @property
    def waits(self) -> float:
        """Return how many times longer everything takes than on an idle machine."""
        return self.took_s / self.computed_s


def corrections(table: Table) -> list[dict[str, Any]]:
    """Return one correction of every kind, of what happened last."""
    last = {event_to_json(believed_line.event)["event"]: believed_line for believed_line in table.match.believed_lines}

    def corrected_event(kind: str, **changes: Any) -> dict[str, Any]:
        plain = {key: value for key, value in event_to_json(last[kind].event).items() if key != "at"}
        return {"line": last[kind].line, "to": plain | changes}

    newest = table.match.believed_lines[-1]
    return [
        corrected_event("placed", card="7c"),
        corrected_event("placed", by="Anya"),
        corrected_event("swept", to="Boris"),
        corrected_event("drawn", count=2),
        {"line": last["placed"].line, "to": None},
        {"after": newest.line, "insert": {"event": "placed", "card": "7h", "by": "Boris", "at": newest.event.at}},
        {"table": {"hands": {"Anya": 4, "Boris": 4, "Vera": 4}, "talon": 2}},
    ]


@pytest.mark.thorough
def test_every_kind_of_correction_reaches_another_device_at_once(
    lay: Lay, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, *events = (json.loads(line) for line in RECORDING.read_text("utf-8").splitlines())
    table = lay(witness="camera", **header)
    share = ShareOfACore()
    monkeypatch.setattr(table.match, "correct", share.of(table.match.correct))
    referee = open_page(table.address)
    looks_on = open_page(table.address, "phone", before=WATCH)
    took_ms: list[float] = []
    for count in range(len(events)):
        table.happens({key: value for key, value in events[count].items() if key != "fault"})
        if count not in (12, 30):
            continue
        before = table.match.view.state
        for correction in corrections(table):
            for statement in ({"event": "corrected", **correction}, UNDO):
                looks_on.wait_for_timeout(100)  # what came before is shown
                sent, status, answer = referee.evaluate(CORRECT, statement)
                if status == 409 and "contradicts" in answer:  # as the sheet does when somebody insists
                    sent, status, answer = referee.evaluate(CORRECT, {**statement, "anyway": True})
                assert status in (200, 202), (statement, answer)
                seen = soon(looks_on, lambda sent=sent: looks_on.evaluate(CHANGED_SINCE, sent))  # type: ignore[misc]
                took_ms.append(seen[0] - sent)
            assert table.match.view.state == before, f"undone: {correction}"
    table.match.finish()
    assert table.match.result == {"kind": "fool", "seats": ["Vera"]}, "as in a game without corrections"
    assert median(took_ms) <= SEEN_WITHIN_MS * share.waits, (share.waits, took_ms)
