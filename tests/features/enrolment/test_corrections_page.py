"""Decks learn from corrected cards on the page of matches: everything is tapped twice."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from features.enrolment.corrected_cards import learn
from features.enrolment.deck_file import CardView, EnrolledDeck, load_deck
from features.enrolment.deck_names import deck_path
from referee.cards import Card, pack
from tests.browser.accessibility import faults_of
from tests.features.enrolment.shown_deck import PatternDetector, PatternNetwork, crop_of, table
from tests.webapp.conftest import HEADER
from vision.capture.video_writer import FilmSettings, FilmWriter
from vision.detection.classifier import CardClassifier
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs, Report
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

Open = Callable[..., Page]
NINE, STRANGE = "9h", Card.parse("3c")


def learn_patterns(report: Report, deck: str, folder: str) -> Mapping[str, Any]:
    """As the feature's job, with networks that know no card; it runs in a process of its own, too."""
    detector: Any = PatternDetector(CardClassifier(PatternNetwork()))
    return learn(deck, LabelledPictures(Path(folder)), detector, report)


@dataclass
class PatternWork:
    """Background jobs that learn decks of patterns."""

    jobs: BackgroundJobs = field(default_factory=BackgroundJobs)
    incoming: None = None

    def start(self, kind: str, match: str, request: object = None) -> BackgroundJob:
        return self.jobs.submit(kind, match, learn_patterns, match, request)


@dataclass
class Kept:
    """The page of matches, the pictures that are kept there, and the work that it starts."""

    address: str
    pictures: LabelledPictures
    work: PatternWork
    match: str

    def correct(self, page: Page) -> None:
        """Correct the card of a line, as the page of the match does."""
        to = {"event": "placed", "card": NINE, "by": "A"}
        for line in (2, 3):
            answer = page.request.post(
                f"{self.address}api/matches/{self.match}/correct", data={"line": line, "to": to, "anyway": True}
            )
            assert answer.status == 202, answer.text()


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    """Serve a match with the deck *blue*, of which the nine of hearts looks strange, and was misread twice."""
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    views = tuple(CardView(card, crop_of(card)) for card in pack(24))
    EnrolledDeck("blue", 24, views, weights="ab" * 32).save(deck_path("blue"))
    films = Films(tmp_path / "films")
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), films)
    writing = Writing.begin("kitchen", datetime.now(UTC), {"deck": "blue"})
    entries = [RecordEntry(1, HEADER)]
    for line in (2, 3):
        jpeg = cv2.imencode(".jpg", table({(4, 1): STRANGE}, seed=line))[1].tobytes()
        data = {"at": float(line), "event": "placed", "card": "Kc", "by": "A"}
        entries.append(RecordEntry(line, data, moment=(line, float(line)), crop=("Kc", b64encode(jpeg).decode())))
    matches.append(writing, entries)
    matches.end(writing)
    with FilmWriter(films.new_part(writing.match), (160, 90), 0.0, FilmSettings(quality=10)) as film:
        for second in range(5):
            film.add(np.full((90, 160, 3), 90, np.uint8), float(second), wait=True)
    board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
    pictures, work = LabelledPictures(), PatternWork()
    services = AppConfig(matches=matches, labelled=pictures, long_work=work)  # type: ignore[arg-type]
    service.start(create_app(services, board))
    yield Kept(service.address, pictures, work, writing.match)
    work.jobs.stop()
    board.close()
    service.stop()


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_deck_learns_from_corrected_cards_that_the_owner_lets_be_kept(kept: Kept, open_page: Open, size: str) -> None:
    page = open_page(f"{kept.address}matches", size)
    kept.correct(page)
    expect(page.locator("#labelled-box")).not_to_be_checked()
    assert kept.pictures.count == 0
    expect(page.locator("#deck-corrections")).to_be_empty()
    for is_on in (True, False, True):
        page.locator("#labelled-box").set_checked(is_on)
        expect(page.locator("#labelled-box")).to_be_checked(checked=is_on)
    kept.correct(page)
    assert kept.pictures.count == 2
    page.reload()
    section = page.locator("#deck-corrections")
    expect(section).to_contain_text("Deck blue · corrected cards: 2 · learned from: 0")
    section.get_by_role("button", name="Let the deck learn from them").dblclick()
    expect(section.locator(".deck-outcome")).to_contain_text("Right before: 0 of 2. After: 2 of 2")
    expect(section).to_contain_text("The deck has learned; the next game uses it.")
    assert len(kept.work.jobs.all) == 1, "a second tap begins no second job"
    assert len(load_deck("blue").views) == 26
    details = section.locator("details")
    for is_open in (True, False, True):
        section.locator("summary").click()
        expect(details).to_have_js_property("open", is_open)
    expect(details.locator("li")).to_have_text([re.compile("^9♥: before .+, after 9♥ ✓$")] * 2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults_of(page) == []
    section.get_by_role("button", name="Forget what it learned").dblclick()
    expect(section).to_contain_text("The deck is as you showed it again.")
    expect(section.get_by_role("button", name="Forget what it learned")).to_have_count(0)
    assert len(load_deck("blue").views) == 24
    page.get_by_role("button", name="Delete them").dblclick()
    expect(section).to_be_empty()
    assert kept.pictures.count == 0


def test_one_picture_of_a_card_is_refused_with_the_reason(kept: Kept, open_page: Open) -> None:
    kept.pictures.wish(True)
    jpeg = cv2.imencode(".jpg", table({(4, 1): STRANGE}))[1].tobytes()
    kept.pictures.add("m-1", 2, NINE, "Kc", jpeg, "blue")
    kept.pictures.add("m-1", 3, NINE, "Kc", jpeg)
    page = open_page(f"{kept.address}matches", "phone")
    section = page.locator("#deck-corrections")
    expect(section).to_contain_text("Pictures of games without a deck of yours: 1.")
    button = section.get_by_role("button", name="Let the deck learn from them")
    for _ in range(2):
        button.click()
        expect(section).to_contain_text("That is no better, so the deck stays as you showed it.")
    assert len(load_deck("blue").views) == 24
