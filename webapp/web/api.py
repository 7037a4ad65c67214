"""Serve the API for programs: state, live stream, picture, health, metrics; and receive presses."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from referee.errors import RefereeError
from referee.events import Pressed, Reread
from referee.record import check_seats, event_from_json
from vision.layout import Zones, ZonesBody
from vision.view.overlay import draw
from webapp.errors import one_line
from webapp.live.board import Condition, Picture, SnapshotHub, TableWarning
from webapp.live.film_recorder import encoded_jpeg
from webapp.live.table_zones import zones_of
from webapp.output import note_picture
from webapp.versions import versions
from webapp.web.admission import asker_of_request, is_admitted
from webapp.web.app_services import AppConfig
from webapp.web.bodies import STREAMS, BodyError, Switch, read_body, read_object, whole
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import ACCEPTED, ANYONE, JPEG, LANGUAGE, REFEREE, VIEWER, described
from webapp.web.stream_places import Held

LONGEST_PRESS_BYTES = 4096
"""Most bytes of a press; longer bodies are refused."""
PRESS_WAIT_S = 5.0
"""Seconds that a press waits for the table's thread, which inference delays by at most one second on a slow machine."""
KEEP_ALIVE_S = 3.0
"""Seconds between two messages of a stream at most: the page sees that the program runs, and closed pages are found."""
RECONNECT_MS = 1500
FLASK_SAYS = {
    400: "expected a request that can be answered, got {method} {path}; docs/record.md lists what can be asked",
    404: "expected an address of this page, got {path}; begin at /",
    405: "expected {methods} of {path}, got {method}; ask so",
    413: "expected less than is sent with {method} {path}; send less at once",
    500: "Internal error: {method} {path} failed; please report it with what stands on standard error",
}
"""Sentences for requests that Flask itself refuses."""
OWN_SENTENCES = ("expected ", "The operating system refused: ", "Internal error: ")
"""Beginnings of this program's own sentences, which take the place of Flask's."""
PRESS = 'a press as JSON such as {"button": "take", "by": "A"}'
SWITCH = '{"on": true} or {"on": false}'
UNWELL = (Condition.HIDDEN, Condition.SWAYING, Condition.LOST, Condition.GIVEN_UP, Condition.STOPPED)


def interface(site: AppConfig) -> Blueprint:
    blueprint, board, places = Blueprint("api", __name__), site.board, site.places

    @blueprint.get("/api/state")
    @described(
        VIEWER,
        "The newest snapshot: `state` as in docs/record.md, with the ranks that `may_add`, calls (`spoken`: "
        "for a voice), camera, warnings; `view`: the match as a `View` without its timeline",
        LANGUAGE,
        answer='{"state": {"phase": "attack", ...}, "calls": [...], "camera": {...}, "view": {...}}',
    )
    def state() -> Response:
        return fresh(jsonify(board.newest.as_json(language_of_request())))

    @blueprint.get("/api/game")
    @described(
        VIEWER,
        "The match in progress, and whether its source is a recording",
        answer='{"match": "2026-11-25-kitchen-1", "recording": false}',
    )
    def game() -> Response:
        source = None if site.shared_setup is None else site.shared_setup.setup.source
        return fresh(jsonify({"match": site.table.live_match, "recording": is_recording(source)}))

    @blueprint.get("/api/events")
    @described(VIEWER, "Server-sent events: `match`, `camera`, `warnings`, `film`", LANGUAGE, media="text/event-stream")
    def events() -> Response:
        place = places.take(asker_of_request(site.pairing))
        if place is None:
            answer = refusal(
                503, f"expected at most {places.most} open pages, got one more; close a page elsewhere", "refused_busy"
            )
            answer.headers["Retry-After"] = "5"
            return answer
        pairing = site.pairing
        on_delivered = (lambda: None) if pairing is None else partial(pairing.record_contact, place.asker.device)
        messages = (
            message.encode("utf-8", "backslashreplace")
            for message in stream(board, language_of_request(), on_delivered)
        )
        answer = Response(Held(messages, places, place), mimetype="text/event-stream")
        answer.headers["X-Accel-Buffering"] = "no"
        return fresh(answer)

    @blueprint.get("/api/picture.jpg")
    @described(
        VIEWER,
        "The newest picture with what is seen drawn on it; 204 if unchanged",
        {"after": "number of the frame that is known already"},
        media=JPEG,
    )
    def picture() -> Response:
        newest = board.picture
        if newest is None:
            return fresh(Response(status=204))
        if newest.number == request.args.get("after", type=whole):
            answer = Response(status=204)
        else:
            answer = Response(as_jpeg(newest), mimetype="image/jpeg")
        answer.headers["X-Frame-Number"] = str(newest.number)
        return fresh(answer)

    @blueprint.get("/health")
    @described(
        ANYONE,
        "Health of camera, disk and threads; unpaired devices get `ok` alone",
        answer='{"ok": true, "fps": 25.0, "dropped": 0, ...}',
    )
    def health() -> tuple[Response, int]:
        snapshot, camera = board.newest, board.newest.camera
        values: dict[str, Any] = {"ok": camera.condition not in UNWELL}
        if is_admitted():
            values |= {
                "camera": camera.condition.value,
                "trouble": camera.trouble,
                "warnings": [warning.as_json() for warning in snapshot.warnings],
                "frames": camera.frames,
                "frames_per_second": round(camera.frames_per_second, 1),
                "frames_dropped": camera.dropped,
                "at": camera.at_s,
                "last_event": snapshot.view.last_event,
                "disk_free_bytes": site.free_bytes,
                "versions": versions(),
            }
        return fresh(jsonify(values)), 200 if values["ok"] else 503

    @blueprint.get("/metrics")
    @described(VIEWER, "The same for Prometheus", media="text/plain; version=0.0.4")
    def metrics() -> Response:
        snapshot, camera = board.newest, board.newest.camera
        figures = {  # counters restart at zero with the program, as Prometheus expects
            "kozyr_camera_up gauge": float(camera.condition not in UNWELL),
            "kozyr_frames_total counter": camera.frames,
            "kozyr_frames_dropped_total counter": camera.dropped,
            "kozyr_frames_per_second gauge": round(camera.frames_per_second, 2),
            "kozyr_events_total counter": max(snapshot.moves - 1, 0),
            "kozyr_disk_free_bytes gauge": site.free_bytes,
        }
        lines = [f"# TYPE {name}\n{name.split()[0]} {value}" for name, value in figures.items()]
        if rulings := snapshot.view.rulings:
            counts = [f'kozyr_rulings_total{{ruling="{kind}"}} {count}' for kind, count in rulings.items()]
            lines += ["# TYPE kozyr_rulings_total counter", *counts]
        return fresh(Response("\n".join(lines) + "\n", mimetype="text/plain; version=0.0.4"))

    @blueprint.post("/api/press")
    @described(
        REFEREE,
        "A `pressed` event. 200: judged, and its `line` is stored if the match is kept. 202: the line waits "
        "for the store, or (null) the press waits for the referee; `GET /api/lines` shows it then",
        body='{"button": "take", "by": "Anya"}',
        sends=Pressed,
        answer='{"accepted": true, "line": 61}',
    )
    def press() -> tuple[Response, int] | Response:
        try:
            values = read_object(request.get_data(cache=False), PRESS)
            kind = values.get("event", "pressed")
            if kind not in ("pressed", "reread"):
                raise ValueError(f"expected a 'pressed' event (or a 'reread'), got {kind!r:.60}")
            statement = event_from_json({**values, "event": kind, "at": board.newest.camera.at_s or 0.0})
            assert isinstance(statement, Pressed | Reread)
            check_seats(statement, board.newest.view.seats)
        except ValueError as error:
            return refusal(400, one_line(error)) if board.newest.view.seats else nobody_listens()
        game = site.table.game
        pressed = None if game is None else game.press(statement)
        if pressed is None:
            return nobody_listens()
        try:
            done = pressed.result(PRESS_WAIT_S)
        except CancelledError:
            return nobody_listens()
        except RefereeError as error:  # another game has begun since the press was read
            return refusal(400, one_line(error))
        except TimeoutError:
            return fresh(jsonify({"accepted": True, "line": None})), 202
        return fresh(jsonify({"accepted": True, "line": done.line})), 200 if done.is_stored else 202

    @blueprint.get("/api/zones")
    @described(VIEWER, "Where seats, talon and discard pile are")
    def zones() -> Response:
        newest = board.picture
        found = None if newest is None else zones_of(newest.view)
        return fresh(Response(status=204) if found is None else jsonify(found))

    @blueprint.post("/api/zones")
    @described(REFEREE, "Move them", body='{"talon": [0.1, 0.5]}', sends=ZonesBody, answer=ACCEPTED, status=202)
    def arrange() -> tuple[Response, int] | Response:
        try:
            try:
                zones = json.loads(request.get_data(cache=False))
            except (ValueError, RecursionError):
                raise BodyError('expected zones as JSON such as {"talon": [0.8, 0.5]}, got something else') from None
            Zones().changed(zones, board.newest.view.seats)
        except ValueError as error:
            return refusal(400, one_line(error))
        game = site.table.game
        if game is None or not game.arrange(zones):
            return refusal(
                503,
                "expected a table that is being watched, got none; start kozyr demo or kozyr watch",
                "refused_no_game",
            )
        return jsonify({"accepted": True}), 202

    @blueprint.post("/api/film")
    @described(
        REFEREE, "Film the table or stop filming", body='{"on": false}', sends=Switch, answer=ACCEPTED, status=202
    )
    def film() -> tuple[Response, int] | Response:
        on = read_body(request.get_data(cache=False), Switch, SWITCH).on
        game = site.table.game
        if game is None or not game.turn_film(on):
            return refusal(
                503, "expected a match that is kept with its film, got none; start without --no-film", "refused_unkept"
            )
        return jsonify({"accepted": True}), 202

    return blueprint


def nobody_listens() -> Response:
    message = "expected a match that is being refereed, got none; start kozyr demo or kozyr watch"
    return refusal(503, message, "refused_no_game")


def failed(error: HTTPException) -> Response:
    """Return an error of Flask in the format of this program's refusals, as one sentence."""
    original = getattr(error, "original_exception", None)
    if original is not None:  # a bug: the traceback to report is on standard error
        note_picture("".join(traceback.format_exception(original)))
    sentence = one_line(error.description or error.name)
    if not sentence.startswith(OWN_SENTENCES):
        sentence = FLASK_SAYS.get(error.code or 500, FLASK_SAYS[400]).format(
            path=f"{request.path!r:.80}",
            method=request.method,
            methods=" or ".join(sorted(getattr(error, "valid_methods", None) or ())),
        )
    return refusal(error.code or 500, sentence)


def is_recording(source: str | None) -> bool:
    """
    Check whether a source has an end: a film or a folder of pictures, and no camera or stream.

    >>> [is_recording(each) for each in ("evening.mp4", "0", "rtsp://10.0.0.7/table", "/dev/video2", "phone", None)]
    [True, False, False, False, False, False]
    """
    if source is None or source.isdigit() or source == "phone":
        return False
    return not source.startswith(("/dev/", *STREAMS))


def stream(board: SnapshotHub, language: str, on_delivered: Callable[[], None]) -> Iterator[str]:
    """
    Yield the live stream of one page: ``match`` when the match went on, ``camera`` when only the camera's health
    changed, ``warnings`` when others hold than before, ``film`` when it was turned on or off.

    ``on_delivered`` is called with each message, since the device is still connected.
    """
    snapshot, moves = board.newest, 0  # before the first move there is nothing to draw
    warnings: tuple[TableWarning, ...] = ()
    film: bool | None = None
    yield f"retry: {RECONNECT_MS}\n\n"
    while True:
        on_delivered()
        if snapshot.moves != moves:
            moves = snapshot.moves
            yield message("match", snapshot.as_json(language), snapshot.version)
        else:
            yield message("camera", snapshot.camera.as_json(), snapshot.version)
        if snapshot.warnings != warnings:
            warnings = snapshot.warnings
            listed = {"warnings": [warning.as_json() for warning in warnings]}
            yield message("warnings", listed, snapshot.version)
        if snapshot.film != film:
            film = snapshot.film
            yield message("film", {"film": film}, snapshot.version)
        while (newer := board.wait_beyond(snapshot.version, KEEP_ALIVE_S)) is None:
            if board.closed:
                yield message("closed", {}, snapshot.version)
                return
            on_delivered()
            yield message("camera", snapshot.camera.as_json(), snapshot.version)
        snapshot = newer


def message(kind: str, values: dict[str, Any], number: int) -> str:
    """
    Format one server-sent event.

    >>> message("camera", {"frames": 3}, 7)
    'event: camera\\nid: 7\\ndata: {"frames": 3}\\n\\n'
    """
    return f"event: {kind}\nid: {number}\ndata: {json.dumps(values, ensure_ascii=False)}\n\n"


WIDEST_PX = 960
"""Pixels: half a tablet's width at two pixels per point; the full frame would only use more battery."""
QUALITY = 80

DRAWN_WITHIN_S = 20.0

_lock = threading.Lock()
_newest: tuple[Picture, Future[bytes]] | None = None
_drawing = ThreadPoolExecutor(1, "picture")
"""Draws for all web threads: OpenCV keeps 6 MB of fonts for each thread that ever wrote text on a picture."""


def as_jpeg(picture: Picture) -> bytes:
    """
    Return the frame with the vision pipeline's view drawn on it as JPEG, at most ``WIDEST_PX`` wide; cached for pages
    that request the same one.
    """
    global _newest

    def drawn() -> bytes:
        image_bgr = picture.image_bgr if picture.view is None else draw(picture.image_bgr, picture.view)
        return encoded_jpeg(image_bgr, WIDEST_PX, QUALITY)

    with _lock:
        if _newest is None or _newest[0] is not picture:
            _newest = (picture, _drawing.submit(drawn))
        made = _newest[1]
    return made.result(DRAWN_WITHIN_S)
