"""The crowd's benchmark has a row for every route that streams, and its clients do what they are for."""

from __future__ import annotations

import re

from benchmarks.crowd import ROUTES, measure
from scripts.http_reference import all_routes
from webapp.web.route_docs import JPEG, ZIP

SMALL = {"/api/crop.jpg", "/api/matches/{match}/crop.jpg", "/api/setup/thumbnail", "/api/matches/{match}/board.mp4"}
"""Pictures and films of a few kB, sent at once."""


def test_every_route_that_streams_has_a_row() -> None:
    streaming = {
        route.path
        for route in all_routes()
        if route.description.media in ("text/event-stream", "video/mp4", ZIP, JPEG) or "JPEG" in route.description.body
    }
    measured = {re.sub(r"^POST |[?#].*", "", row) for row in ROUTES}
    assert len(streaming) >= 8
    assert streaming - SMALL <= measured


def test_small_crowd_of_each_kind_delays_nobody() -> None:
    routes = ("/api/events", "/api/picture.jpg#again", "POST /api/camera/frame?page=crowd&n=1#again")
    assert measure([3], 3, 0.1, (*routes, "POST /api/camera/frame?page=crowd&n=1#half"))
