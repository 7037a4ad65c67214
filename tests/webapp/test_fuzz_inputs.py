"""Random edits of everything that comes from outside: whatever it is, one sentence or an answer, and no other error."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.record import Header, read_record
from tests.sample_size import is_nightly, sample_size
from tests.webapp.conftest import HEADER
from vision.enrolment.deck_file import DeckFileError, load_deck
from webapp.errors import KozyrError, UnusableInputError
from webapp.live.board import Board
from webapp.live.game_setup import GameSetup
from webapp.live.setup_desk import SetupDesk
from webapp.notation import read_games
from webapp.store.moment_zip import read_moment
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

EXAMPLES = sample_size(500, nightly=60_000)
often = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not is_nightly(),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

RECORD = [
    HEADER,
    {"at": 1.0, "event": "placed", "card": "9s", "by": "A"},
    {"at": 2.0, "event": "pressed", "button": "take", "by": "B", "otherwise": [[None, 0.1]]},
    {"at": 3.0, "event": "corrected", "line": 2, "to": {"event": "placed", "card": "9d", "by": "A"}},
]
NOTATION = '[Rules "podkidnoy-36"] [Seats A B] [Dealer B]\n1. A: 9s  B: Ts  @3.5 A: done {well} \n'
ABOUT = {"kozyr_moment": 1, "match": "m", "line": 2, "at": 1.0, "from": 0.0, "to": 4.0, "said": []}
ROUTES = (
    "press",
    "correct",
    "setup",
    "zones",
    "film",
    "films",
    "matches/x/correct",
    "notation",
    "camera/report",
    "jobs",
)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("9" * 400)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
byte_edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), st.binary(max_size=6)), min_size=1, max_size=5)


def edited(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Replace a few bytes at each place by others."""
    for share, gone, new in edits:
        place = int(share * len(content))
        content = content[:place] + new + content[place + gone :]
    return content


@st.composite
def changed_json(draw: st.DrawFn, example: dict[str, Any]) -> dict[str, Any]:
    """A JSON object with some of its values replaced, or put under other keys."""
    made = dict(example)
    for key in draw(st.lists(st.sampled_from(sorted(example)) | st.text(max_size=5), max_size=3)):
        made[key] = draw(values)
    return made


def is_refused(work: Callable[[], object], *errors: type[Exception]) -> bool:
    """Do the work; is it refused by one of these errors, whose text says what was expected?"""
    try:
        work()
    except errors as error:
        return "expected" in str(error)
    return True


@often
@given(st.sampled_from(RECORD).flatmap(changed_json))
def test_records_and_headers(line: dict[str, Any]) -> None:
    text = json.dumps(line)
    assert is_refused(lambda: list(read_record([json.dumps(HEADER), text], "r.jsonl")), RefereeError)
    assert is_refused(lambda: Header.parse({**HEADER, **line}), RefereeError)


@often
@given(byte_edits)
def test_bytes_of_a_record(edits: list[tuple[float, int, bytes]]) -> None:
    content = edited("\n".join(map(json.dumps, RECORD)).encode(), edits)
    assert is_refused(lambda: list(read_record(content.split(b"\n"), "r.jsonl")), RefereeError)


@often
@given(byte_edits)
def test_notation(edits: list[tuple[float, int, bytes]]) -> None:
    text = edited(NOTATION.encode(), edits).decode("utf-8", "surrogateescape")
    assert is_refused(lambda: read_games(text, "g.durak"), KozyrError)


@often
@given(byte_edits, changed_json(ABOUT))
def test_moments(tmp_path: Path, edits: list[tuple[float, int, bytes]], about: dict[str, Any]) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as zipped:
        zipped.writestr("moment.json", json.dumps(about))
        zipped.writestr("record.jsonl", "\n".join(map(json.dumps, RECORD)))
    path = tmp_path / "moment.zip"
    for content in (packed.getvalue(), edited(packed.getvalue(), edits)):
        path.write_bytes(content)
        assert is_refused(lambda: read_moment(path), UnusableInputError)


@often
@given(byte_edits)
def test_deck_files(tmp_path: Path, edits: list[tuple[float, int, bytes]]) -> None:
    path = tmp_path / "blue.kozyrdeck"
    path.write_bytes(edited(b"kozyr deck 1 0\nPK\x03\x04" + bytes(60), edits))
    assert is_refused(lambda: load_deck(str(path)), DeckFileError)


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    """A table at which a game may be chosen; a fault of our own is raised, not answered."""
    app = create_app(AppConfig(desk=SetupDesk(GameSetup(source="0"), begins=False)), Board())
    app.config["PROPAGATE_EXCEPTIONS"] = True
    return app.test_client()


@often
@given(
    st.sampled_from(ROUTES),
    st.sampled_from([{"button": "take", "by": "A"}, {"line": 2, "to": None}, {"seats": ["A", "B"], "rules": "free"}])
    .flatmap(changed_json)
    .map(json.dumps)
    .map(str.encode)
    | st.binary(max_size=40),
)
def test_http_bodies(client: FlaskClient, route: str, body: bytes) -> None:
    answer = client.post(f"/api/{route}", data=body, content_type="application/json")
    assert answer.status_code in (200, 201, 202, 400, 403, 404, 405, 409, 413, 415, 503)
    assert answer.status_code < 400 or "expected" in answer.get_json()["error"]
