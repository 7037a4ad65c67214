"""
Describe a route where its function stands: who may ask, what is sent, an example of the answer. Admission,
`docs/http.md` and `GET /api/openapi.json` read these descriptions from an application's URL map.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Flask

ANYONE, VIEWER, REFEREE, CAMERA = "anyone", "viewer", "referee", "camera"
"""Who may ask. A referee may ask whatever a viewer may; the camera sees its own page alone."""

JSON, HTML, TEXT = "application/json", "text/html", "text/plain"
ZIP, JPEG, SVG = "application/zip", "image/jpeg", "image/svg+xml"
ACCEPTED = '{"accepted": true}'
LANGUAGE = {"language": "en, ru, fr, es or he; kept in a cookie"}

GROUPS = (
    ("Halls", r"/api/(tables|standings)"),
    ("Jobs and files", r"/api/(jobs|films|labelled)"),
    ("Kept matches", r"/api/(matches|puzzles|evenings|players|match-facts|notation)"),
    ("Set-up", r"/api/setup"),
    ("The game in progress", r"/(api|health|metrics)"),
    ("Pages", ""),
)
"""Titles of routes that belong together, last one first, each with a pattern of their paths: the first that fits."""


@dataclass(frozen=True, slots=True)
class Description:
    """
    What ``described`` says of a function. ``query``: parameter -> meaning. ``body``: an example of the JSON that is
    sent, or its description. ``sends``: the type that reads this JSON. ``answer``: an example of the JSON that comes
    back, or its description. ``media``: type of the answer. ``status``: of success.
    """

    role: str
    summary: str
    query: Mapping[str, str]
    body: str
    sends: type | None
    answer: str
    media: str
    status: int


@dataclass(frozen=True, slots=True)
class Route:
    """A route of an application; ``path``: as OpenAPI writes it."""

    method: str
    path: str
    description: Description

    @property
    def group(self) -> str:
        return next(title for title, pattern in GROUPS if re.match(pattern, self.path))


View = TypeVar("View", bound=Callable[..., Any])


def described(
    role: str,
    summary: str,
    query: Mapping[str, str] | None = None,
    *,
    body: str = "",
    sends: type | None = None,
    answer: str = "",
    media: str = JSON,
    status: int = 200,
) -> Callable[[View], View]:
    """Return a decorator that describes a route's function; see ``Description``."""
    description = Description(role, summary, query or {}, body, sends, answer, media, status)

    def describe(view: View) -> View:
        vars(view)["described"] = description
        return view

    return describe


def description_of(app: Flask, endpoint: str | None) -> Description | None:
    view = None if endpoint is None else app.view_functions.get(endpoint)
    found: Description | None = None if view is None else vars(view).get("described")
    return found


def routes_of(*apps: Flask) -> tuple[Route, ...]:
    """Return the described routes of applications, each once, grouped and in order of their paths."""
    found = dict[tuple[str, str], Route]()
    for app in apps:
        for rule in app.url_map.iter_rules():
            description = description_of(app, rule.endpoint)
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                if description is not None:
                    found[method, path] = Route(method, path, description)
    titles = [title for title, _ in reversed(GROUPS)]
    return tuple(sorted(found.values(), key=lambda route: (titles.index(route.group), route.path, route.method)))
