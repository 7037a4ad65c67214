"""Background jobs of a program."""

from __future__ import annotations

from webapp.live.board import SnapshotHub
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


def test_finished_job_is_not_found() -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    assert client.get("/api/jobs").json == {"jobs": []}
    for answer in (client.get("/api/jobs/j1"), client.delete("/api/jobs/j1")):
        assert answer.status_code == 404
        assert "over or never was" in answer.json["error"]
