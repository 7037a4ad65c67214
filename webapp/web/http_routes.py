"""
Every route of the pages and the API: role, parameters, an example. `docs/http.md` and `GET /api/openapi.json` are
generated from this table; a test compares it with the applications' URL maps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.events import Pressed
from referee.record import CorrectedLine
from vision.geometry.table_layout import ZonesBody
from webapp.live.game_setup import SetupChoices
from webapp.live.phone_camera import PhoneReport
from webapp.web.bodies import AgainBody, AnswerBody, CameraBody, CommentBody, FilmBody, SetupBody, Switch

ANYONE, VIEWER, REFEREE, CAMERA = "anyone", "viewer", "referee", "camera"
"""Who may ask. A referee may ask whatever a viewer may; the camera sees its own page alone."""

JSON, HTML, TEXT = "application/json", "text/html", "text/plain"
ZIP, JPEG, SVG = "application/zip", "image/jpeg", "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Route:
    """
    One route.

    ``path``: as OpenAPI writes it. ``query``: parameter -> meaning. ``body``: an example of the JSON that is sent, or
    its description. ``sends``: the type that reads this JSON. ``answer``: an example of the JSON that comes back, or
    its description. ``media``: type of the answer. ``status``: of success.
    """

    method: str
    path: str
    role: str
    summary: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    answer: str = ""
    media: str = JSON
    status: int = 200
    sends: type | None = None


MATCH = "/api/matches/{match}"
ACCEPTED = '{"accepted": true}'
LANGUAGE = {"language": "en, ru, fr, es or he; kept in a cookie"}

PAGES = (
    Route("GET", "/", VIEWER, "The table; of a hall: all tables", LANGUAGE, media=HTML),
    Route("GET", "/setup", VIEWER, "Choose camera, players, rules and deck", LANGUAGE, media=HTML),
    Route("GET", "/places", VIEWER, "Drag seats, talon and discard pile to where they are", media=HTML),
    Route("GET", "/matches", VIEWER, "The kept matches", media=HTML),
    Route("GET", "/matches/{match}", VIEWER, "Review a kept match; `#line=N` opens it at a line", media=HTML),
    Route("GET", "/matches/{match}/again", VIEWER, "Judge a kept match again", media=HTML),
    Route("GET", "/evenings", VIEWER, "Scores by evening", media=HTML),
    Route("GET", "/players/{name}", VIEWER, "Figures and plots of a player", media=HTML),
    Route("GET", "/overlay", VIEWER, "Table and newest call on a transparent ground, for streams", media=HTML),
    Route("GET", "/notation", VIEWER, "Paste a game in notation and step through it", media=HTML),
    Route("GET", "/puzzles", VIEWER, "Endings of kept games in which one decision alone does not lose", media=HTML),
    Route("GET", "/camera", CAMERA, "Make this phone the camera", media=HTML),
    Route("POST", "/camera/leave", CAMERA, "Stop being the camera", media=HTML, status=303),
    Route("GET", "/trust", ANYONE, "How a phone trusts this table's certificate, also over plain http", media=HTML),
    Route("GET", "/trust/kozyr.crt", ANYONE, "The authority's certificate (DER)", media="application/x-x509-ca-cert"),
    Route(
        "GET",
        "/trust/kozyr.mobileconfig",
        ANYONE,
        "The same as a profile for iPhone and iPad",
        media="application/x-apple-aspen-config",
    ),
    Route(
        "GET",
        "/pair",
        ANYONE,
        "Enter a code or PIN; for a referee: codes and devices",
        {"token": "of a QR code"},
        media=HTML,
    ),
    Route(
        "POST",
        "/pair",
        ANYONE,
        "Join with a form's `token` or `pin`",
        body="form: `token` or `pin`",
        media=HTML,
        status=303,
    ),
    Route("POST", "/pair/open", REFEREE, "Let other devices in; from this machine alone", media=HTML),
    Route("POST", "/pair/codes", REFEREE, "Make new codes", media=HTML, status=303),
    Route("POST", "/pair/devices/{key}/take-back", REFEREE, "Take a device's role back", media=HTML, status=303),
    Route(
        "GET", "/certificate", VIEWER, "The certificate of this table's authority", media="application/x-x509-ca-cert"
    ),
    Route("GET", "/favicon.ico", VIEWER, "No icon at this address", status=204),
    Route("GET", "/cards/four/{name}.svg", VIEWER, "A card face in four colours", media=SVG),
)

LIVE = (
    Route(
        "GET",
        "/api/state",
        VIEWER,
        "The newest snapshot: `state` as in docs/record.md, with the ranks that `may_add`, calls (`spoken`: for a "
        "voice), camera, warnings",
        LANGUAGE,
        answer='{"state": {"phase": "attack", ...}, "calls": [...], "camera": {...}}',
    ),
    Route(
        "GET",
        "/api/events",
        VIEWER,
        "Server-sent events: `match`, `camera`, `warnings`, `film`",
        LANGUAGE,
        media="text/event-stream",
    ),
    Route(
        "GET",
        "/api/game",
        VIEWER,
        "The match in progress, and whether its source is a recording",
        answer='{"match": "2026-11-25-kitchen-1", "recording": false}',
    ),
    Route(
        "GET",
        "/api/picture.jpg",
        VIEWER,
        "The newest picture with what is seen drawn on it; 204 if unchanged",
        {"after": "number of the frame that is known already"},
        media=JPEG,
    ),
    Route(
        "POST",
        "/api/press",
        REFEREE,
        "A `pressed` event. 200: judged, and its `line` is stored if the match is kept. 202: the line waits for the "
        "store, or (null) the press waits for the referee; `GET /api/lines` shows it then",
        body='{"button": "take", "by": "Anya"}',
        sends=Pressed,
        answer='{"accepted": true, "line": 61}',
    ),
    Route(
        "POST",
        "/api/correct",
        REFEREE,
        "A `corrected` event, or an `undo`; 409 with `contradicts` where it contradicts what is known, unless `anyway`",
        body='{"line": 26, "to": null}',
        sends=CorrectedLine,
        answer='{"accepted": true, "line": 61, "said": [...], "text": "..."}',
        status=202,
    ),
    Route(
        "POST",
        "/api/answer",
        REFEREE,
        "One of the `answers` of the state's `matters`; 409 if that is not open any more",
        body='{"line": 26, "answer": "card", "card": "9h"}',
        sends=AnswerBody,
        answer='{"accepted": true, "line": 61, "said": [...], "text": "..."}',
        status=202,
    ),
    Route(
        "GET",
        "/api/lines",
        VIEWER,
        "Record lines and rulings of the match in progress",
        {"after": "lines known"},
        answer='{"game": 1, "lines": [...], "next": 61}',
    ),
    Route(
        "GET",
        "/api/steps",
        VIEWER,
        "The lines of the match in progress as they are believed now, those that changed since the last request",
        {"after": "`next` of the last answer"},
        answer='{"game": 1, "steps": [{"line": 7, "event": {...}, "said": false, "call": null}], "next": 61}',
    ),
    Route(
        "GET",
        "/api/taken",
        VIEWER,
        "The newest lines as they are believed now, for corrections",
        answer='{"lines": [...], "calls": [...]}',
    ),
    Route(
        "GET", "/api/crop.jpg", VIEWER, "The card of a line as the camera saw it", {"line": "record line"}, media=JPEG
    ),
    Route(
        "GET",
        "/api/live-film",
        VIEWER,
        "Which match is being filmed, from which second to which",
        answer='{"match": "...", "fragments": 40, "from": 0.0, "to": 40.0}',
    ),
    Route("GET", "/api/zones", VIEWER, "Where seats, talon and discard pile are"),
    Route(
        "POST",
        "/api/zones",
        REFEREE,
        "Move them",
        body='{"talon": [0.1, 0.5]}',
        sends=ZonesBody,
        answer=ACCEPTED,
        status=202,
    ),
    Route(
        "POST",
        "/api/film",
        REFEREE,
        "Film the table or stop filming",
        body='{"on": false}',
        sends=Switch,
        answer=ACCEPTED,
        status=202,
    ),
    Route("GET", "/api/camera", VIEWER, "The phone that is the camera, if any"),
    Route(
        "POST",
        "/api/camera/code",
        REFEREE,
        "A code that makes one phone the camera",
        answer='{"url": "https://...", "qr": "<svg ...", "seconds": 600, "trust": "http://..."}',
    ),
    Route(
        "POST",
        "/api/camera/frame",
        CAMERA,
        "One JPEG frame",
        {"page": "name of the sending page", "n": "frame number", "captured": "milliseconds since 1970"},
        body="JPEG bytes",
    ),
    Route(
        "POST",
        "/api/camera/report",
        CAMERA,
        "Battery and state of the phone",
        body='{"battery": 0.8}',
        sends=PhoneReport,
    ),
    Route(
        "GET",
        "/health",
        ANYONE,
        "Health of camera, disk and threads; unpaired devices get `ok` alone",
        answer='{"ok": true, "fps": 25.0, "dropped": 0, ...}',
    ),
    Route("GET", "/metrics", VIEWER, "The same for Prometheus", media="text/plain; version=0.0.4"),
    Route("GET", "/api/openapi.json", VIEWER, "This description as OpenAPI 3.1"),
)

SETUP = (
    Route("GET", "/api/setup", VIEWER, "What is chosen, and under `choices` what can be"),
    Route(
        "POST",
        "/api/setup",
        REFEREE,
        "Change it; `begin`, `next`, `again`, `end` and `resume` (the match under `left`) are orders. 409 with "
        "`under_way` while a game goes on, which ends with `end`; with `contradiction` if the camera sees another "
        "position; `insist` states it all the same. `propose` adapts rules and position to the seats",
        body='{"seats": ["Anya", "Boris"], "begin": true}',
        sends=SetupBody,
    ),
    Route("GET", "/api/setup/view", VIEWER, "What the camera sees, what is wrong with the view, and a `proposal`"),
    Route(
        "GET",
        "/api/setup/thumbnail",
        REFEREE,
        "The small picture of a camera of this machine that was taken last, for referees alone",
        {"source": "camera number, as `GET /api/setup` lists it"},
        media="image/jpeg",
    ),
    Route(
        "POST",
        "/api/setup/thumbnail",
        REFEREE,
        "Open a camera of this machine that is not in use, and take its small picture",
        body='{"source": "0"}',
        sends=CameraBody,
        answer=ACCEPTED,
    ),
)

KEPT = (
    Route("GET", "/api/matches", VIEWER, "The kept matches, newest first", answer='{"matches": [{"match": "..."}]}'),
    Route("GET", MATCH, VIEWER, "One match with all its lines", answer='{"match": "...", "lines": [...]}'),
    Route("DELETE", MATCH, REFEREE, "Delete a match and its film", answer=ACCEPTED),
    Route(
        "POST",
        MATCH + "/comment",
        REFEREE,
        "Comment a line",
        body='{"line": 12, "comment": "well spotted"}',
        sends=CommentBody,
    ),
    Route(
        "POST",
        MATCH + "/correct",
        REFEREE,
        "As `/api/correct`, for a match that has ended or is at this table",
        body='{"line": 26, "to": null}',
        sends=CorrectedLine,
        answer='{"accepted": true, "line": 61, ...}',
        status=202,
    ),
    Route(
        "POST",
        MATCH + "/answer",
        REFEREE,
        "As `/api/answer`, for the same matches: one of the `answers` of a call of its replay",
        body='{"line": 26, "answer": "card", "card": "9h"}',
        sends=AnswerBody,
        answer='{"accepted": true, "line": 61, ...}',
        status=202,
    ),
    Route("POST", MATCH + "/end", REFEREE, "End a match that was broken off; 409 if a table plays it", answer=ACCEPTED),
    Route("GET", MATCH + "/taken", VIEWER, "As `/api/taken`"),
    Route("GET", MATCH + "/replay", VIEWER, "Every step with position, text and times, as the review page shows them"),
    Route("GET", MATCH + "/moments", VIEWER, "The film's frame of each record line"),
    Route(
        "GET",
        MATCH + "/film",
        VIEWER,
        "The film, by ranges",
        {"fragments": "only the first N seconds"},
        media="video/mp4",
    ),
    Route("GET", MATCH + "/film/frames", VIEWER, "The time of each frame"),
    Route("GET", MATCH + "/film/span", VIEWER, "From which second to which there is film"),
    Route("GET", MATCH + "/picture.jpg", VIEWER, "The film's frame at a second", {"at": "seconds"}, media=JPEG),
    Route(
        "GET",
        MATCH + "/crop.jpg",
        VIEWER,
        "The card of a line as the camera saw it",
        {"line": "record line"},
        media=JPEG,
    ),
    Route(
        "GET",
        MATCH + "/position.svg",
        VIEWER,
        "The position after a line as a picture",
        {"line": "record line"},
        media=SVG,
    ),
    Route("GET", MATCH + "/game.durak", VIEWER, "The exact notation", media=TEXT),
    Route("GET", MATCH + "/game.txt", VIEWER, "The notation as people write it", media=TEXT),
    Route("GET", MATCH + "/export.zip", VIEWER, "Record, notation, film and versions", media=ZIP),
    Route(
        "GET",
        MATCH + "/moment.zip",
        VIEWER,
        "Ten seconds of film and the record before them",
        {"line": "record line"},
        media=ZIP,
    ),
    Route(
        "POST",
        MATCH + "/moment.mp4",
        REFEREE,
        "Ten seconds of film with a caption beneath; the body is the caption as PNG",
        {"line": "record line"},
        media="video/mp4",
    ),
    Route("GET", MATCH + "/again", VIEWER, "Rules with which the match can be judged again", {"rules": "rule set"}),
    Route(
        "POST",
        MATCH + "/again",
        REFEREE,
        "Judge it again in the background",
        body='{"from": "record"}',
        sends=AgainBody,
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    ),
    Route(
        "GET",
        MATCH + "/analysis",
        VIEWER,
        "What each decision cost, 204 where it was not asked for yet",
        answer='{"decisions": [...], "players": [...]}',
    ),
    Route(
        "POST",
        MATCH + "/analysis",
        REFEREE,
        "Analyse a match that has ended, in the background",
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    ),
    Route("GET", MATCH + "/analysis.durak", VIEWER, "The game in notation with judgements of its plays", media=TEXT),
    Route("GET", "/api/puzzles", VIEWER, "Puzzles found by analyses", answer='{"puzzles": [...]}'),
    Route("GET", "/api/evenings", VIEWER, "Scores", answer='{"evenings": [...], "all": {...}}'),
    Route("GET", "/api/evenings.csv", VIEWER, "The same for spreadsheets", media="text/csv"),
    Route("GET", "/api/players/{name}", VIEWER, "A player's games, losses, takes, faults and analysed matches"),
    Route("GET", "/api/match-facts", VIEWER, "Takes and faults of every kept match, by seat"),
    Route("POST", "/api/notation", REFEREE, "Judge a game in notation", body="text of a `.durak` or `.jsonl` file"),
)

WORK = (
    Route("GET", "/api/jobs", VIEWER, "Background jobs", answer='{"jobs": [...]}'),
    Route("GET", "/api/jobs/{name}", VIEWER, "One job with its progress", answer='{"state": "running", ...}'),
    Route("DELETE", "/api/jobs/{name}", REFEREE, "Stop a job", answer=ACCEPTED, status=202),
    Route("GET", "/api/films", VIEWER, "Rule sets and sizes for a film that is handed in"),
    Route(
        "POST",
        "/api/films",
        REFEREE,
        "Begin to hand a film in",
        body='{"name": "evening.mp4", "bytes": 1000000, "seats": ["A", "B"], "rules": "podkidnoy-36"}',
        sends=FilmBody,
        status=201,
    ),
    Route(
        "PUT",
        "/api/films/{upload}",
        REFEREE,
        "A piece of it",
        {"at": "byte"},
        body="bytes",
        answer='{"received": 4000000}',
    ),
    Route(
        "GET",
        "/api/films/{upload}",
        VIEWER,
        "What the whole film shows of a game under way, and as `proposal` its position",
        answer='{"table": {"turnup": "Ad", "talon": true, "heap": true, "bout": []}, "proposal": {...}, "pack": 36}',
    ),
    Route(
        "POST",
        "/api/films/{upload}",
        REFEREE,
        "Referee it, from before the deal or from a position",
        body='{"start": null, "dealer": "A"}',
        sends=SetupChoices,
        answer='{"job": "3f", "state": "waiting", ...}',
        status=202,
    ),
    Route("DELETE", "/api/films/{upload}", REFEREE, "Drop it", answer=ACCEPTED, status=202),
    Route("GET", "/api/labelled", VIEWER, "Whether corrected cards are kept as labelled pictures"),
    Route("POST", "/api/labelled", REFEREE, "Keep them, or stop", body='{"on": true}', sends=Switch),
    Route("DELETE", "/api/labelled", REFEREE, "Delete them"),
)

HALL = (
    Route("GET", "/api/tables", VIEWER, "The tables of a hall", answer='{"tables": [...]}'),
    Route("GET", "/api/standings", VIEWER, "Scores of the current evenings, all tables together"),
)

GROUPS: Mapping[str, tuple[Route, ...]] = {
    "Pages": PAGES,
    "The game in progress": LIVE,
    "Set-up": SETUP,
    "Kept matches": KEPT,
    "Jobs and files": WORK,
    "Halls": HALL,
}
