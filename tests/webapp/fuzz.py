"""
Random edits of everything that comes from outside: the answer is a result or one sentence, and no other error.

    python -m tests.webapp.fuzz [--seconds 120] [--seed N] [--only TARGET]

Hypothesis makes the inputs, batch after batch, until each target has had its share of the seconds. Prints how many
inputs each target has had; at the first error it prints the smallest input that causes it, and the exit status is 1. A
decoder that dies is an error, too, unless its limit of seconds ended it, or it is known to die (``KNOWN_TO_DIE``);
those deaths are counted and printed.
The same targets run with a fixed number of inputs in ``test_fuzz_inputs.py``.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import av
import hypothesis
import numpy as np
import PIL.Image
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from features.enrolment.deck_file import DeckFileError, load_deck
from features.moments.command import replayed
from features.moments.moment_zip import read_moment
from features.notation.parser import read_games
from referee.errors import InvariantError, RefereeError
from referee.match_judge import MatchJudge
from referee.record import Header, read_record
from scripts.http_reference import all_routes
from tests.source_tree import ROOT
from tests.webapp.conftest import HEADER
from vision.capture.decoder_process import DecoderDiedError, DecoderProcess
from vision.capture.image_files import PictureError, decode_picture
from vision.data_home import HOME_VARIABLE
from webapp.errors import KozyrError, StoreError, UnusableInputError
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.match.log import judged
from webapp.match.stored_matches import rulings_then
from webapp.store.database import Database
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.route_docs import Route

FILMS = {"a.mp4": "mpeg4", "b.mkv": "libx264", "c.avi": "mjpeg", "d.webm": "libvpx-vp9"}
"""Films that are changed: name -> how they are encoded."""
KNOWN_TO_DIE = frozenset({"heic"})
"""Kinds of files whose decoder is known to die of a changed byte (``tests/vision/capture/test_decoder_process.py``)."""
BATCH = 100
"""Inputs between two readings of the clock."""
RECORD: list[dict[str, Any]] = [
    HEADER,
    {"at": 1.0, "event": "placed", "card": "9s", "by": "A"},
    {"at": 2.0, "event": "pressed", "button": "take", "by": "B", "otherwise": [[None, 0.1]]},
    {"at": 3.0, "event": "corrected", "line": 2, "to": {"event": "placed", "card": "9d", "by": "A"}},
]
NOTATION = '[Rules "podkidnoy-36"] [Seats A B] [Dealer B]\n1. A: 9s  B: Ts  @3.5 A: done {well} \n'
LINES: tuple[dict[str, Any], ...] = (
    {"event": "placed", "card": "9s", "by": "A"},
    {"event": "placed", "card": "Ts", "by": "B", "on": "9s"},
    {"event": "placed", "card": "9d", "by": "C", "confidence": 0.6},
    {"event": "lifted", "card": "9s", "by": "A"},
    {"event": "swept", "to": "heap"},
    {"event": "swept", "to": "B"},
    {"event": "drawn", "by": "A", "count": 2},
    {"event": "pressed", "button": "take", "by": "B"},
    {"event": "pressed", "button": "done", "by": "C"},
    {"event": "pressed", "button": "undo"},
    {"event": "tick"},
    {"event": "blocked", "reason": "hidden"},
    {"event": "corrected", "line": 2, "to": None},
)
ABOUT = {"kozyr_moment": 1, "match": "m", "line": 2, "at": 1.0, "from": 0.0, "to": 4.0, "said": []}
ANSWERS = frozenset(
    {200, 201, 202, 204, 206, 302, 303, 304, 308, 400, 401, 403, 404, 405, 408, 409, 411, 413, 415, 416, 422, 503}
)
LEFT_OUT = frozenset({("GET", "/api/events"), ("POST", "/api/setup/thumbnail")})
"""A stream that does not end, and what opens cameras."""

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["9" * 400, "\x00", "\ud800", "../../etc/passwd", 2**63, -(2**31) - 1, 1e308])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
byte_edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), st.binary(max_size=6)), min_size=1, max_size=5)
in_addresses = st.sampled_from(
    ["", "0", "-1", "9" * 19, "9" * 400, "1e999", "nan", "\x00", "..", "%2e%2e", "x" * 300, "true", "[]", "٣"]
) | st.text(max_size=8)


shares = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, -0.1]) | st.floats()
alternatives = st.tuples(
    st.none()
    | st.dictionaries(st.sampled_from(["card", "by", "on", "event", "to"]), scalars | st.just("9h"), max_size=2),
    shares,
).map(list)


def edited(content: bytes, edits: Sequence[tuple[float, int, bytes]]) -> bytes:
    """Replace a few bytes at each place by others."""
    for share, gone, new in edits:
        place = int(share * len(content))
        content = content[:place] + new + content[place + gone :]
    return content


@st.composite
def changed_json(draw: st.DrawFn, example: dict[str, Any]) -> dict[str, Any]:
    """Draw a JSON object with some of its values replaced, or put under other keys."""
    made = dict(example)
    for key in draw(st.lists(st.sampled_from(sorted(example)) | st.text(max_size=5), max_size=3)):
        made[key] = draw(values)
    return made


def refuse_or_answer(work: Callable[[], object], *errors: type[Exception]) -> None:
    """Do the work; an error of these types must say what was expected, any other is raised."""
    try:
        work()
    except errors as error:
        if "expected" not in str(error):
            raise AssertionError(f"expected a sentence that says what was expected, got {error!r}") from error


# --- targets ---


def records(example: dict[str, Any]) -> None:
    """Read and judge a line of a record, and read it as a header."""
    text = json.dumps(example)

    def judge() -> None:
        lines = list(read_record([json.dumps(HEADER), *map(json.dumps, RECORD[1:2]), text], "r.jsonl"))
        judge = MatchJudge(Header.parse(HEADER))
        for number, event in lines[1:]:
            if not isinstance(event, Header):
                judge.apply(number, event)

    refuse_or_answer(judge, RefereeError)


def games(example: tuple[bool, list[dict[str, Any]]]) -> None:
    """Judge a whole record of a camera or of a person: alternatives, ticks, corrections and presses in any order."""
    is_of_camera, lines = example
    header = {**HEADER, "witness": "camera"} if is_of_camera else HEADER

    def judge() -> None:
        try:
            match = judged((header, *lines), has_ended=True, name="r.jsonl")
        except InvariantError as error:  # a fault of our own, whatever it says
            raise AssertionError(str(error)) from error
        match.view.ruled()
        rulings_then(match.lines)

    refuse_or_answer(judge, RefereeError)


@st.composite
def lines_of_games(draw: st.DrawFn) -> tuple[bool, list[dict[str, Any]]]:
    """Draw up to twelve lines in order of time, most of them as a record may have them."""
    lines: list[dict[str, Any]] = []
    at = 0.0
    for _ in range(draw(st.integers(1, 12))):
        at += draw(st.sampled_from([0.0, 0.1, 2.0, 30.0, 1e5]))
        line = {"at": at, **draw(st.sampled_from(LINES))}
        if draw(st.integers(0, 3)) == 0 and line["event"] in ("placed", "lifted", "swept", "drawn"):
            line["otherwise"] = draw(st.lists(alternatives, max_size=3) | values)
        if line["event"] == "corrected":
            line["line"] = draw(st.integers(1, 14) | scalars)
            line["to"] = draw(st.none() | st.sampled_from(LINES))
        lines.append(draw(changed_json(line)) if draw(st.integers(0, 9)) == 0 else line)
    return draw(st.booleans()), lines


def headers(example: dict[str, Any]) -> None:
    """Read a header, and begin a match with it."""
    refuse_or_answer(lambda: MatchJudge(Header.parse(example)), RefereeError)


def bytes_of_records(edits: list[tuple[float, int, bytes]]) -> None:
    """Read a record with some bytes replaced."""
    content = edited("\n".join(map(json.dumps, RECORD)).encode(), edits)
    refuse_or_answer(lambda: list(read_record(content.split(b"\n"), "r.jsonl")), RefereeError)


def notation(edits: list[tuple[float, int, bytes]]) -> None:
    """Read a game in notation with some bytes replaced."""
    text = edited(NOTATION.encode(), edits).decode("utf-8", "surrogateescape")
    refuse_or_answer(lambda: read_games(text, "g.durak"), KozyrError)


def moments(folder: Path, example: tuple[dict[str, Any], list[tuple[float, int, bytes]]]) -> None:
    """Judge a moment with another description, and the same with some bytes replaced."""
    about, edits = example
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as zipped:
        zipped.writestr("moment.json", json.dumps(about))
        zipped.writestr("record.jsonl", "\n".join(map(json.dumps, RECORD)))
    path = folder / "moment.zip"
    for content in (packed.getvalue(), edited(packed.getvalue(), edits)):
        path.write_bytes(content)
        refuse_or_answer(lambda: replayed(read_moment(path)), UnusableInputError, RefereeError)


def deck_files(folder: Path, edits: list[tuple[float, int, bytes]]) -> None:
    """Read a deck file with some bytes replaced."""
    path = folder / "blue.kozyrdeck"
    path.write_bytes(edited(b"kozyr deck 1 0\nPK\x03\x04" + bytes(60), edits))
    refuse_or_answer(lambda: load_deck(str(path)), DeckFileError)


def refuse_or_die(deaths: Counter[str], kind: str, work: Callable[[], object]) -> None:
    """
    Decode something of this kind; count the deaths of its decoder by kind. One that is neither known nor caused by the
    limit of seconds is an ``AssertionError``.
    """

    def decode() -> None:
        try:
            work()
        except DecoderDiedError as error:
            deaths[f"{kind}, by the limit" if error.by_limit else kind] += 1
            if kind not in KNOWN_TO_DIE and not error.by_limit:
                raise AssertionError(f"expected a decoder that refuses this {kind}, got one that died") from error
            raise

    refuse_or_answer(decode, PictureError)


def pictures(
    deaths: Counter[str], wholes: Mapping[str, bytes], example: tuple[str, list[tuple[float, int, bytes]]]
) -> None:
    """Decode a HEIC or AVIF picture with some bytes replaced."""
    kind, edits = example
    refuse_or_die(deaths, kind, lambda: decode_picture(edited(wholes[kind], edits)))


def films(
    deaths: Counter[str],
    folder: Path,
    decoder: DecoderProcess,
    wholes: Mapping[str, bytes],
    example: tuple[str, list[tuple[float, int, bytes]]],
) -> None:
    """Decode the beginning of a film with some bytes replaced, as of one that is handed in."""
    name, edits = example
    path = folder / name
    path.write_bytes(edited(wholes[name], edits))
    refuse_or_die(deaths, path.suffix[1:], lambda: decoder.film_start(path, seconds=1.0, samples=2))


def whole_pictures() -> dict[str, bytes]:
    """Return a small picture of each young format."""
    grey = BytesIO()
    PIL.Image.new("RGB", (64, 48), (90, 90, 90)).save(grey, "AVIF")
    return {"heic": (ROOT / "tests/vision/capture/quarters.heic").read_bytes(), "avif": grey.getvalue()}


def whole_films(folder: Path) -> dict[str, bytes]:
    """Return a small film of each container and codec that phones and screen recorders write."""
    made = {}
    for name, codec in FILMS.items():
        path = folder / name
        with av.open(str(path), "w") as container:
            stream = container.add_stream(codec, rate=10)
            stream.width, stream.height = 64, 48
            stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
            for number in range(15):
                picture = np.full((48, 64, 3), 40 + 8 * number, np.uint8)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
            container.mux(stream.encode())
        made[name] = path.read_bytes()
    return made


@dataclass(frozen=True, slots=True)
class FuzzedRequest:
    """A request for a route of the table."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: bytes
    headers: tuple[tuple[str, str], ...]


def checked(answer: TestResponse) -> bytes:
    """Return the body of an answer; an error has to be one sentence as JSON, or a page."""
    body = answer.get_data()
    shown = f"{answer.status_code} {body[:300]!r}"
    assert answer.status_code in ANSWERS, shown
    if answer.status_code >= 400 and answer.is_json:
        assert "expected" in answer.get_json()["error"], shown
    answer.close()
    return body if answer.status_code < 300 else b""


def http_requests(client: FlaskClient, asked: FuzzedRequest) -> None:
    """Send a request."""
    try:
        answer = client.open(
            asked.path,
            method=asked.method,
            query_string=list(asked.query),
            data=asked.body,
            headers=list(asked.headers),
            content_type="application/json",
        )
    except UnicodeError:
        return  # what the test client itself cannot send
    checked(answer)


def http_games(folder: Path, client: FlaskClient, matches: Matches, example: tuple[bool, list[dict[str, Any]]]) -> None:
    """
    Paste a whole record on the page, keep it as a match, request all that is made of it, correct it line by line, and
    judge the last moment that is sent of it.
    """
    is_of_camera, lines = example
    header = {**HEADER, "witness": "camera"} if is_of_camera else HEADER
    checked(client.post("/api/notation", data="\n".join(map(json.dumps, (header, *lines)))))
    corrections = [line for line in lines if line.get("event") == "corrected"]
    writing = Writing.begin("table", datetime(2026, 11, 25, tzinfo=UTC), {"kozyr": "1"})
    try:
        matches.append(writing, [RecordEntry(line, data) for line, data in enumerate((header, *lines), 1)])
    except StoreError:
        return  # a time that is none can't be kept
    matches.end(writing)
    stored = f"/api/matches/{writing.match}"
    for sent in (
        {},
        *({key: correction[key] for key in correction if key not in ("at", "event")} for correction in corrections),
    ):
        if sent:
            checked(client.post(f"{stored}/correct", json=sent))
            checked(client.post(f"{stored}/answer", json={"line": sent.get("line"), "answer": "as_seen"}))
        for path in ("replay", "view", "taken", "game.txt", "game.durak", "position.svg?line=2"):
            checked(client.get(f"{stored}/{path}"))
    checked(client.get(f"{stored}/export.zip"))
    for line in range(1, len(lines) + 3):
        packed = checked(client.get(f"{stored}/moment.zip?line={line}"))
        if packed and line == len(lines) + 1:
            (folder / "sent.zip").write_bytes(packed)
            refuse_or_answer(lambda: replayed(read_moment(folder / "sent.zip")), UnusableInputError, RefereeError)
    checked(client.delete(stored))


@st.composite
def requests_of_routes(draw: st.DrawFn) -> FuzzedRequest:
    """Draw a request whose path, query and body partly follow the route's description."""
    route = draw(st.sampled_from(routes()))
    known = st.sampled_from(["m", "x", "A"])
    path = re.sub(r"\{\w+\}", lambda _: _in_path(draw(known | in_addresses)), route.path)
    names = draw(st.lists(st.sampled_from([*route.description.query, "language", "at", "line"]), max_size=3))
    query = tuple((name, draw(in_addresses)) for name in names)
    ranges = st.sampled_from(["bytes=0-", "bytes=-1", "bytes=5-2", "bytes=0-9999999999999999999999", "lines=1", "\x80"])
    more = draw(
        st.lists(st.tuples(st.sampled_from(["Range", "If-Range", "If-None-Match", "Cookie"]), ranges), max_size=1)
    )
    return FuzzedRequest(route.method, path, query, draw(_body_of(route)), tuple(more))


def _in_path(text: str) -> str:
    return text.replace("/", "%2F").replace("?", "%3F").replace("#", "%23") or "x"


def _body_of(route: Route) -> st.SearchStrategy[bytes]:
    """Return bodies like the example of the route; anything where it has none."""
    try:
        example = json.loads(route.description.body)
    except ValueError:
        example = {"line": 2, "text": "x", "from": "record", "rules": "podkidnoy-36", "seats": ["A", "B"]}
    if route.method in ("GET", "HEAD", "DELETE"):
        return st.just(b"")
    objects = changed_json(example).map(json.dumps).map(str.encode)
    deep = st.sampled_from([b"[" * 200_000, b'{"a":' * 5000, b"1" * 5000, b"\xff\xfe"])
    return objects | values.map(json.dumps).map(str.encode) | st.binary(max_size=40) | deep


def routes() -> list[Route]:
    """Return the described routes that are asked."""
    return [route for route in all_routes() if (route.method, route.path) not in LEFT_OUT]


@contextmanager
def fuzzed_client(folder: Path) -> Iterator[FlaskClient]:
    """Serve a table with a stored match, at which a game may be chosen; an error of our own is raised, not answered."""
    database = Database.open(f"sqlite:///{folder}/kozyr.db")
    matches = Matches(database)
    writing = Writing("m", "writer", "table", datetime(2026, 11, 25, tzinfo=UTC), {"kozyr": "1"})
    matches.append(writing, [RecordEntry(line, data) for line, data in enumerate(RECORD[:3], 1)])
    config = AppConfig(
        shared_setup=SharedSetup(GameSetup(source="0"), begins=False),
        matches=matches,
        labelled=LabelledPictures(folder / "labelled"),
    )
    app = create_app(config, SnapshotHub())
    app.config["PROPAGATE_EXCEPTIONS"] = True
    yield app.test_client()
    database.close()


def targets(
    folder: Path, client: FlaskClient, deaths: Counter[str]
) -> Mapping[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]]:
    """
    Return what is fuzzed by name: how inputs are made, and what is done with one. ``deaths``: counts those of decoders.
    """
    matches = Matches(Database.open(f"sqlite:///{folder}/kozyr.db"))
    shots, clips, decoder = whole_pictures(), whole_films(folder), DecoderProcess()
    return {
        "records": (st.sampled_from(RECORD).flatmap(changed_json), records),
        "games": (lines_of_games(), games),
        "headers": (changed_json(HEADER) | changed_json({**HEADER, "witness": "camera", "options": {}}), headers),
        "bytes of records": (byte_edits, bytes_of_records),
        "notation": (byte_edits, notation),
        "moments": (st.tuples(changed_json(ABOUT), byte_edits), lambda example: moments(folder, example)),
        "deck files": (byte_edits, lambda example: deck_files(folder, example)),
        "pictures": (
            st.tuples(st.sampled_from(sorted(shots)), byte_edits),
            lambda example: pictures(deaths, shots, example),
        ),
        "films": (
            st.tuples(st.sampled_from(sorted(clips)), byte_edits),
            lambda example: films(deaths, folder, decoder, clips, example),
        ),
        "http requests": (requests_of_routes(), lambda example: http_requests(client, example)),
        "http games": (lines_of_games(), lambda example: http_games(folder, client, matches, example)),
    }


NAMES = (
    *("records", "games", "headers", "bytes of records", "notation", "moments", "deck files"),
    *("pictures", "films", "http requests", "http games"),
)


def fuzz(make: st.SearchStrategy[Any], work: Callable[[Any], None], count: int, seed: int) -> None:
    """Run ``work`` with ``count`` inputs; an error is raised with the smallest input that causes it."""
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    limited = settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=quiet,
        print_blob=False,
        derandomize=False,
    )
    hypothesis.seed(seed)(limited(given(make)(work)))()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz each target for its share of the time; return 1 at the first error."""
    parser = argparse.ArgumentParser(prog="python -m tests.webapp.fuzz", description=(__doc__ or "").split("\n")[1])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", choices=NAMES)
    asked = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        os.environ[HOME_VARIABLE] = home
        with fuzzed_client(folder) as client:
            deaths = Counter[str]()
            known = targets(folder, client, deaths).items()
            chosen = {name: target for name, target in known if asked.only in (None, name)}
            for name, (make, work) in chosen.items():
                end_s, count = time.monotonic() + asked.seconds / len(chosen), 0
                while time.monotonic() < end_s:
                    try:
                        fuzz(make, work, BATCH, asked.seed + count)
                    except Exception as error:
                        print(f"{name}, seed {asked.seed + count}: {error!r}", file=sys.stderr)
                        raise
                    count += BATCH
                died = ", ".join(f"{number} of {kind}" for kind, number in sorted(deaths.items()))
                print(f"{name:18}{count:8} inputs{died and f'; decoders that died: {died}'}", flush=True)
                deaths.clear()
    return 0


if __name__ == "__main__":
    sys.exit(main())
