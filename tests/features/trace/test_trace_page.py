"""The page of `kozyr trace` in a browser: every entry, its cards and the options that were weighed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from features.trace.command import TraceRecorder
from referee.cards import Card
from tests.vision.tabletop import Lying, play, with_talon
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table_session import PipelineServices

START = InitialState(turnup=Card.parse("9h"), talon=5, dealt=True)


def test_page_shows_each_entry_with_probabilities_and_options(browser: Browser, tmp_path: Path) -> None:
    table = with_talon()
    recorder = TraceRecorder(tmp_path / "trace", 0.0, 99.0)
    recorder.keep({"kind": "trace", "clip": "<b>game.mp4", "from": 0.0, "to": 9.0})
    pipeline = Pipeline(table, table.seats, START, services=PipelineServices(observer=recorder))
    play(pipeline, table.rest(1.0), table.lay("A", Lying("7s", 0, 0)), table.rest(1.0))
    recorder.lines([{"line": 2, "at": 2.0, "ruling": "legal", "text": "A leads 7\u2660."}], 2.0)
    recorder.state({"phase": "defend"}, 2.0)
    page, errors = browser.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(recorder.page().as_uri())
    expect(page.locator("article")).to_have_count(len(recorder.entries) - 1)
    expect(page.get_by_role("heading", name="Ruling: legal. A leads 7\u2660.")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("<b>game.mp4 from 0.00 s to 9.00 s")
    reported = page.locator("article.reported").first
    expect(reported).to_contain_text("Reported: placed card 7s by A")
    expect(reported).to_contain_text('instead another seat {"by":null}')
    expect(page.get_by_role("cell", name="7s new").first).to_be_visible()
    page.get_by_label("Filter").fill("ruling: legal")
    expect(page.locator("article:visible")).to_have_count(1)
    assert errors == []
    page.close()
    recorder.close()
