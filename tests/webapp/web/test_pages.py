"""Pages: content, languages, and security headers."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import webapp
from webapp.features import features
from webapp.live.board import SnapshotHub
from webapp.text.catalogue import LANGUAGES, page_counts, page_words
from webapp.web.app import FOLDERS, create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pages import PAGES as PAGES_OF_THE_CORE

STATIC = Path(webapp.__file__).parent / "web" / "static"
PICTURES = (".svg", ".png")
PAGES = ("/", "/setup", "/places")


@pytest.fixture
def client(board: SnapshotHub) -> FlaskClient:
    """Return a client of an empty table."""
    return create_app(AppConfig(), board).test_client()


def test_table_page_is_served_before_the_first_frame(client: FlaskClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "The referee is getting ready." in answer.text


def is_served(client: FlaskClient, address: str) -> bool:
    """Check whether there is a file with content at this address."""
    with client.get(address) as answer:
        return answer.status_code == 200 and len(answer.data) > 0


def test_pages_load_nothing_from_other_hosts(client: FlaskClient) -> None:
    page = client.get("/").text
    static = (path for folder in FOLDERS for path in (folder / "static").rglob("*.*"))
    files = [page, *(path.read_text(encoding="utf-8") for path in static if path.suffix not in PICTURES)]
    for text in files:
        outside = [url for url in re.findall(r"https?://[^\s\"')]+", text) if "www.w3.org" not in url]
        assert outside == []


@pytest.mark.parametrize("address", PAGES)
def test_content_security_policy_forbids_other_hosts(client: FlaskClient, address: str) -> None:
    policy = client.get(address).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("address", PAGES)
def test_pages_comply_with_their_content_security_policy(client: FlaskClient, address: str) -> None:
    page = client.get(address).text
    assert re.search(r"\sstyle=|\son\w+=", page) is None
    assert re.findall(r"<script(?![^>]*(?:src=|application/json))", page) == []


def test_every_referenced_file_is_served(client: FlaskClient) -> None:
    pages = "".join(client.get(address).text for address in PAGES)
    named = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', pages))
    scripts = [(script, static) for static in (at / "static" for at in FOLDERS) for script in static.rglob("*.js")]
    for script, static in scripts:
        folder = script.relative_to(static).parent
        for name in re.findall(r'from "(\.[^"]+)"', script.read_text(encoding="utf-8")):
            named.add(f"/static/{posixpath.normpath((folder / name).as_posix())}")
    named |= {
        f"/static/{name}"
        for name in re.findall(r'url\("([^"]+)"\)', (STATIC / "table.css").read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    for address in named:
        assert is_served(client, address), address


def test_every_card_has_a_picture(client: FlaskClient) -> None:
    from vision.detection.detections import BACK, FACES

    for name in (*map(str, FACES), BACK):
        assert is_served(client, f"/static/cards/{name}.svg"), name
        assert name[0] not in "JQKA" or is_served(client, f"/static/cards/en/{name}.svg"), name


@pytest.mark.parametrize(
    ("wish", "language"), [("ru", "ru"), ("en-GB,en;q=0.9,ru;q=0.5", "en"), ("de", "en"), ("", "en")]
)
def test_page_is_in_the_browsers_language(client: FlaskClient, wish: str, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": wish}).text
    assert f'<html lang="{language}"' in page


def test_language_links_lead_to_the_same_page(client: FlaskClient) -> None:
    for address in PAGES:
        assert f'href="{address}?language=ru"' in client.get(address).text


def test_chosen_language_is_remembered(client: FlaskClient) -> None:
    assert "Что было сыграно" in client.get("/?language=ru").text
    assert "Что было сыграно" in client.get("/", headers={"Accept-Language": "en"}).text


def test_unknown_language_is_ignored(client: FlaskClient) -> None:
    answer = client.get("/?language=../../etc/passwd")
    assert "What was played" in answer.text
    assert "Set-Cookie" not in answer.headers


def test_all_languages_have_the_same_texts() -> None:
    keys = [{*page_words(language), *page_counts(language)} for language in LANGUAGES]
    assert all(key == keys[0] for key in keys)


def test_scripts_use_exactly_the_existing_texts() -> None:
    words = set(page_words("en"))
    scripts = "".join(path.read_text(encoding="utf-8") for at in FOLDERS for path in (at / "static").rglob("*.js"))
    templates = "".join(path.read_text(encoding="utf-8") for at in FOLDERS for path in at.glob("templates/*.html"))
    links = {page.word for page in (*PAGES_OF_THE_CORE, *(page for feature in features() for page in feature.pages))}
    named = set(re.findall(r'word\(\s*"(\w+)"', scripts)) | set(re.findall(r"words\.(\w+)", templates))
    named |= links - {""}
    assert named - words == set()
    assert set(re.findall(r'counted\("(\w+)"', scripts)) == set(page_counts("en"))
    made = (
        "camera_",
        "conflict_",
        "hidden_",
        "swaying_",
        "lost_",
        "given_up_",
        "cue_",
        "stopped_",
        "still_",
        "zone_",
        "warning_",
        "against_",
        "analysis_why_",
        "analysis_show",
        "analysis_transfer",
        "tone_",
        "suit_",
        "rank_",
        "hand_",
        "pair_",
        "phone_",
        "way_",
        "trust_",
        "need_",
        "refused_",
        "missing_",
        "setup_",
        "view_",
        "rules_",
        "voice_",
        "theme_",
        "deck_cause_",
        "deck_colours_",
        "option_off_",
        "health_",
        "stock_",
        "swept_",
        "index_",
        "told_",
        "sheet_laid",
        "sheet_drew",
        "sheet_taken",
        "role_",
        "fool",
        "winner",
        "illegal",
        "impossible",
        "unclear",
        "legal",
    )
    chosen = set(re.findall(r'"(\w+)"', scripts))  # texts chosen by a condition or by a ruling's name
    unused = {key for key in words - named - chosen if not key.startswith(made)}
    assert unused - {"language", "announcement", "result"} == set()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8036", "localhost.evil.example", "a b"])
def test_unknown_host_name_is_refused(client: FlaskClient, host: str) -> None:
    answer = client.get("/api/state", headers={"Host": host})
    assert answer.status_code in (400, 403)


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "null", "", "http://localhost@evil.example", "//[x]"])
def test_foreign_origin_is_refused(client: FlaskClient, origin: str) -> None:
    answer = client.post("/api/press", json={"button": "done"}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert "expected a press from kozyr's own page" in answer.get_json()["error"]


@pytest.mark.parametrize("host", ["127.0.0.1:8036", "localhost:8036", "192.168.1.5:8036", "[::1]:8036", "table.local"])
def test_own_host_names_are_accepted(board: SnapshotHub, host: str) -> None:
    client = create_app(AppConfig(addresses=Addresses(hosts=("table.local",))), board).test_client()
    assert client.get("/api/state", headers={"Host": host}).status_code == 200


def test_missing_page_is_one_sentence(client: FlaskClient) -> None:
    answer = client.get("/matches/../../secrets")
    assert answer.status_code == 404
    assert set(answer.get_json()) == {"error", "text"}
