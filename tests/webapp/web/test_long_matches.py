"""Matches that are too long to be judged while a page waits: the answer names a job, which can be cancelled."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.patience import PATIENCE_S, wait_until
from tests.webapp.match.stored_records import LAID, WRONG, stored
from webapp.commands import background_work
from webapp.commands.background_work import MOST_PREPARED, BackgroundWork
from webapp.live import timed_process
from webapp.live.background_jobs import Report
from webapp.live.board import SnapshotHub
from webapp.match import stored_matches
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@dataclass
class Served:
    """A store with one ended match, served."""

    client: FlaskClient
    matches: Matches
    match: str
    work: BackgroundWork

    def ended(self, job: str) -> dict[str, object]:
        wait_until(lambda: self.client.get(f"/api/jobs/{job}").json["state"] in ("done", "failed", "stopped"))
        found: dict[str, object] = self.client.get(f"/api/jobs/{job}").json
        return found


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(stored_matches, "MOST_AT_ONCE", 1)
    matches, match = stored(tmp_path, LAID, WRONG)
    matches.end(matches.take_over(match)[0])
    work = BackgroundWork(matches, f"sqlite:///{tmp_path}/kozyr.db", tmp_path / "films")
    yield Served(
        create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client(), matches, match, work
    )
    work.jobs.stop()


def test_long_match_is_judged_once_by_a_job_and_then_shown(served: Served) -> None:
    paths = ("replay", "taken", "summary", "game.txt", "position.svg?line=2")
    answers = [served.client.get(f"/api/matches/{served.match}/{path}") for path in paths]
    assert [answer.status_code for answer in answers] == [202] * len(paths)
    assert {answer.headers["Retry-After"] for answer in answers} == {"2"}
    assert "expected a match that has been judged" in answers[0].json["error"]
    assert answers[0].json["text"] == "This game is being judged and then opens by itself."
    jobs = {answer.json["job"]["job"] for answer in answers}
    assert len(jobs) == 1, "however many ask"
    assert served.ended(jobs.pop())["state"] == "done"
    answers = [served.client.get(f"/api/matches/{served.match}/{path}") for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    assert len(answers[0].json["steps"]) == 2
    assert next(player["faults"] for player in answers[2].json["players"]) == 1
    assert answers[3].text.startswith("1. A ")
    assert answers[4].text.startswith("<svg")


def test_judging_is_cancelled_by_hand_and_begins_again_when_asked(served: Served) -> None:
    job = served.client.get(f"/api/matches/{served.match}/replay").json["job"]["job"]
    assert served.client.delete(f"/api/jobs/{job}").status_code == 202
    assert served.client.delete(f"/api/jobs/{job}").status_code == 202, "a second tap"
    assert served.ended(job)["state"] == "stopped"
    assert len(served.matches.record(served.match)) == 3
    again = served.client.get(f"/api/matches/{served.match}/replay").json["job"]["job"]
    assert again != job
    assert served.ended(again)["state"] == "done"


def test_judging_that_takes_too_long_says_its_limit(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_work, "LONGEST_JUDGING_S", 0.01)
    monkeypatch.setattr(timed_process, "LONGEST_JUDGING_S", 0.01)
    job = served.client.get(f"/api/matches/{served.match}/replay").json["job"]["job"]
    late = served.ended(job)
    assert (late["state"], late["late"], late["limit_s"]) == ("failed", True, 0.01)
    answer = served.client.get(f"/api/matches/{served.match}/view")
    assert answer.status_code == 503
    assert "expected a match that is judged within 0 s" in answer.json["error"]
    assert "within 0 seconds" in answer.json["text"]


def test_crowd_of_long_matches_is_limited(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.work.jobs, "_work", lambda queue: None)  # what waits goes on waiting
    others = [stored(tmp_path, LAID, WRONG, store=served.matches)[1] for _ in range(MOST_PREPARED)]
    answers = [served.client.get(f"/api/matches/{match}/replay") for match in (*others, served.match)]
    assert [answer.status_code for answer in answers] == [202] * MOST_PREPARED + [503]
    assert ["job" in answer.json for answer in answers] == [True] * MOST_PREPARED + [False]
    assert "one more" in answers[-1].json["error"]


def test_long_match_is_corrected_by_a_job_and_its_view_is_made_in_a_process(served: Served) -> None:
    address = f"/api/matches/{served.match}"
    to = {**WRONG, "card": "7s", "at": 3.0}
    refused = served.client.post(f"{address}/correct", json={"line": 3, "to": to})
    assert (refused.status_code, "contradicts" in refused.json) == (409, True), "the job's refusal is the request's"
    answer = served.client.post(f"{address}/correct", json={"line": 3, "to": {**to, "card": "7d"}})
    assert (answer.status_code, answer.json["line"]) == (202, 4)
    assert "7♦" in answer.json["stated"] or "seven" in answer.json["stated"]
    jobs = served.client.get("/api/jobs").json["jobs"]
    assert [(job["kind"], job["about"], job["state"]) for job in jobs] == [("correction", served.match, "done")] * 2
    assert served.client.get(f"/api/jobs/{jobs[0]['job']}").json["result"] is None
    steps = served.client.get(f"{address}/replay").json["steps"]
    assert [step["event"]["card"] for step in steps] == ["7s", "7d"], "shown at once"
    assert served.client.get(f"{address}/view").json["line"] == 4
    refused = served.client.post(f"{address}/correct", json={"line": 77, "to": None})
    assert refused.status_code == 400
    assert "expected" in refused.json["error"]


def endless(report: Report, *correction: object) -> None:
    report(0.25)
    time.sleep(600)


def test_correction_of_a_long_match_can_be_stopped_and_changes_nothing_then(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, undo = f"/api/matches/{served.match}/correct", {"line": 3, "to": None}
    with monkeypatch.context() as slow, ThreadPoolExecutor() as pool:
        slow.setattr(background_work, "correct_match", endless)
        asked = pool.submit(served.client.post, address, json=undo)
        wait_until(lambda: [job.share for job in served.work.jobs.all] == [0.25])
        (job,) = served.work.jobs.all
        assert served.client.delete(f"/api/jobs/{job.job}").status_code == 202
        answer = asked.result(PATIENCE_S)
        assert (answer.status_code, answer.json["text"]) == (409, "Stopped. Nothing that was saved is lost.")
        slow.setattr(background_work, "LONGEST_JUDGING_S", 0.01)
        late = served.client.post(address, json=undo)
        assert (late.status_code, "within 0 seconds" in late.json["text"]) == (503, True)
        slow.setattr(background_work, "LONGEST_JUDGING_S", PATIENCE_S)
        slow.setattr(background_work, "correct_match", os._exit)
        assert served.client.post(address, json=undo).status_code == 503
    assert len(served.matches.record(served.match)) == 3
    assert served.client.post(address, json=undo).status_code == 202
