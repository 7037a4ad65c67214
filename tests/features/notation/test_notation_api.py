"""Games in notation over HTTP: refereed and returned like a match; errors have their place."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from features.notation import routes
from features.notation.routes import MOST_BYTES, SMALL_BYTES
from tests.patience import PATIENCE_S, wait_until
from webapp.live.board import SnapshotHub
from webapp.live.timed_process import call_until
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

GAME = """[Rules "podkidnoy-36"] [Seats Anna Boris Vera] [Dealer Vera] {Friday.}
dealt 9h  Anna: claim 7h high K  Boris: claim 6h high A
1. Boris: 7s {bold}  Vera: 7s/9s  Boris: Kd
"""


@pytest.fixture
def client() -> FlaskClient:
    return create_app(AppConfig(), SnapshotHub()).test_client()


def test_pasted_game_is_refereed_and_has_steps(client: FlaskClient) -> None:
    answer = client.post("/api/notation?language=ru", data=GAME.encode())
    (game,) = answer.json["games"]
    assert (game["seats"], game["rules"], game["comment"]) == (["Anna", "Boris", "Vera"], "podkidnoy-36", "Friday.")
    assert [step["event"].get("card") for step in game["steps"]][-3:] == ["7s", "9s", "Kd"]
    assert [step["comment"] for step in game["steps"] if "comment" in step] == ["bold"]
    assert [call["fault"] for call in game["calls"] if "fault" in call] == ["rank-not-on-table"]
    assert game["steps"][-1]["state"]["table"] == [["7s", "9s"]]
    assert any("Борис" in call["text"] or "Boris" in call["text"] for call in game["calls"])


def test_record_is_accepted(client: FlaskClient) -> None:
    record = Path("webapp/recordings/demo.jsonl").read_bytes()
    (game,) = client.post("/api/notation", data=record).json["games"]
    assert game["steps"][-1]["state"]["result"] == {"kind": "fool", "seats": ["Vera"]}


def test_corrections_of_a_later_game_refer_to_its_own_lines(client: FlaskClient) -> None:
    later = GAME.replace("{bold}", "#a").rstrip() + "  ?: correct #a (Boris: 7c)\n"
    first, second = client.post("/api/notation", data=(GAME + later).encode()).json["games"]
    assert "7s" in [step["event"].get("card") for step in first["steps"]]
    cards = [step["event"].get("card") for step in second["steps"]]
    assert "7c" in cards
    assert "7s" not in cards


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (GAME + "Anna: 7x\n", {"line": 4, "column": 7, "error": "expected a play"}),
        ("", {"error": "expected a game"}),
        ("<script>alert(1)</script>", {"line": 1, "error": "expected"}),
        (b"\xff\xfe\x00", {"error": "expected"}),
        ('{"kozyr": 1}', {"error": "expected"}),
        ('{"kozyr": 1, "rules"', {"error": "expected"}),
        ("[" * 5000, {"error": "expected"}),
        ('[Rules "chess"] [Seats A B] [Dealer B]', {"error": "expected"}),
        (GAME + "?: correct #99 (nothing)\n", {"error": "expected"}),
    ],
)
def test_invalid_text_is_refused_with_one_sentence(
    client: FlaskClient, text: str | bytes, refusal: dict[str, object]
) -> None:
    answer = client.post("/api/notation", data=text if isinstance(text, bytes) else text.encode())
    assert answer.status_code == 400
    assert str(refusal.pop("error")) in answer.json["error"]
    assert "\n" not in answer.json["error"]
    assert {key: answer.json[key] for key in refusal} == refusal


def test_large_text_is_judged_in_a_process_of_its_own_with_the_same_answers(client: FlaskClient) -> None:
    comment = "{" + "a" * SMALL_BYTES + "}"
    small, large = (client.post("/api/notation", data=text) for text in (GAME, GAME + comment))
    assert [step["event"] for step in large.json["games"][0]["steps"]] == [
        step["event"] for step in small.json["games"][0]["steps"]
    ]
    refused = client.post("/api/notation", data=GAME.rstrip() + comment + "\nAnna: 7x\n")
    assert (refused.status_code, refused.json["line"], refused.json["column"]) == (400, 4, 7)


def test_text_that_takes_too_long_is_refused_and_named(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "LONGEST_S", 0.01)
    answer = client.post("/api/notation", data=GAME + "{" + "a" * SMALL_BYTES + "}")
    assert answer.status_code == 400
    assert "take longer; send one game" in answer.json["error"]
    assert client.post("/api/notation", data=GAME).status_code == 200


def test_text_that_ends_its_process_is_refused(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "read_through", os._exit)
    monkeypatch.setattr(routes, "call_until", lambda stop, seconds, work, *asked: call_until(stop, seconds, work, 3))
    answer = client.post("/api/notation", data=GAME + "{" + "a" * SMALL_BYTES + "}")
    assert (answer.status_code, "the process that judged them died" in answer.json["error"]) == (400, True)


def endless(text: str, language: str) -> None:
    """Judge a text until the process is ended; name the process in the file that the text names."""
    Path(text.split()[0]).write_text(str(os.getpid()), "utf-8")
    time.sleep(600)


def test_stopping_a_text_ends_the_process_that_judges_it(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "read_through", endless)
    named = tmp_path / "process"
    text = f"{named} ".ljust(SMALL_BYTES + 1)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(client.post, "/api/notation?reading=mine", data=text)
        wait_until(lambda: named.exists() and named.read_text("utf-8").isdigit())
        assert client.delete("/api/notation?reading=another").status_code == 202
        assert not asked.done()
        assert client.delete("/api/notation?reading=mine").status_code == 202
        answer = asked.result(PATIENCE_S)
    assert (answer.status_code, answer.json["text"]) == (409, "Stopped. Nothing that was saved is lost.")
    with pytest.raises(ProcessLookupError):
        os.kill(int(named.read_text("utf-8")), 0)
    monkeypatch.undo()
    assert client.post("/api/notation", data=GAME).status_code == 200


def test_too_long_text_is_refused(client: FlaskClient) -> None:
    assert client.post("/api/notation", data=b" " * (MOST_BYTES + 1)).status_code == 413


def test_page_is_served_in_each_language(client: FlaskClient) -> None:
    assert "Партия по записи" in client.get("/notation?language=ru").text
