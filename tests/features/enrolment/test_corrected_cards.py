"""A deck learns from corrected cards of its games only if that helps, and no other deck changes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from features.enrolment import command as enrol
from features.enrolment.corrected_cards import corrected_cards, forget, learn, pictures_of, tried
from features.enrolment.deck_file import CardView, DeckFileError, EnrolledDeck, load_deck
from features.enrolment.deck_names import deck_path
from features.enrolment.known_deck import KnownDeckClassifier
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import PatternDetector, PatternNetwork, crop_of, table
from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES
from webapp.commands import cli
from webapp.live.board import SnapshotHub
from webapp.store.labelled_pictures import LabelledPictures
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

PACK = pack(24)
NINE, TEN = Card.parse("9h"), Card.parse("Th")
STRANGE = Card.parse("3c")
"""The face as which the nine of hearts looks in the games: the lamp shines on it, say."""
MIDDLE = (4, 1)
"""The place in the grid of cards that covers the middle of the picture."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    monkeypatch.setattr(enrol, "load_card_detector", lambda weights: detector())
    return tmp_path


@pytest.fixture
def pictures(home: Path) -> LabelledPictures:
    """Return the kept pictures, none so far; keeping is on."""
    kept = LabelledPictures()
    kept.wish(True)
    return kept


def detector() -> PatternDetector:
    """Return a detector whose classifier knows no card."""
    return PatternDetector(CardClassifier(PatternNetwork()))


def shown_deck(name: str = "blue") -> EnrolledDeck:
    """Save a deck of 24 cards, each shown once."""
    deck = EnrolledDeck(name, 24, tuple(CardView(card, crop_of(card)) for card in PACK), weights="ab" * 32)
    deck.save(deck_path(name))
    return deck


def keep(pictures: LabelledPictures, line: int, card: Card, looks: Card, deck: str | None = "blue") -> Path | None:
    """Keep a picture of a card that somebody corrected; ``looks``: the face that the picture shows."""
    done, jpeg = cv2.imencode(".jpg", table({MIDDLE: looks}, seed=line))
    assert done
    return pictures.add("m-1", line, str(card), "Kc", jpeg.tobytes(), deck)


def named(crop: np.ndarray, deck: str = "blue") -> str:
    classifier = KnownDeckClassifier(detector().classifier, load_deck(deck))
    return CLASS_NAMES[int(classifier.name_crops(crop[None])[0].argmax())]


def test_deck_learns_a_card_of_which_two_pictures_were_corrected(pictures: LabelledPictures) -> None:
    shown_deck()
    other = shown_deck("red")
    untouched = deck_path("red").read_bytes()
    assert named(crop_of(STRANGE, 9)) != "9h"
    for line in (2, 3):
        assert keep(pictures, line, NINE, STRANGE) is not None
    shares: list[float] = []
    found = learn("blue", pictures, detector(), shares.append)
    assert (found["pictures"], found["used"], found["before"], found["after"]) == (2, 2, 0, 2)
    assert (found["learnt"], found["dropped"], found["reason"]) == (True, False, None)
    assert found["own"]["after"] >= found["own"]["before"] > 0
    assert [(card["card"], card["was"], card["after"][0]) for card in found["cards"]] == [("9h", "Kc", "9h")] * 2
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert named(crop_of(STRANGE, 9)) == named(crop_of(NINE, 9)) == "9h"
    learnt = load_deck("blue")
    assert (len(learnt.shown), len(learnt.views)) == (24, 26)
    assert deck_path("red").read_bytes() == untouched
    assert len(load_deck("red").views) == len(other.views)


def test_one_picture_of_a_card_proves_nothing(pictures: LabelledPictures) -> None:
    shown_deck()
    before = deck_path("blue").read_bytes()
    keep(pictures, 2, NINE, STRANGE)
    found = learn("blue", pictures, detector())
    assert (found["used"], found["after"], found["learnt"], found["reason"]) == (1, 0, False, "no-better")
    assert deck_path("blue").read_bytes() == before


def test_wrong_corrections_make_no_card_worse(pictures: LabelledPictures) -> None:
    """People have called tens nines: learning that would make the ten be read as a nine."""
    shown_deck()
    for line in (2, 3, 4):
        keep(pictures, line, NINE, TEN)
    found = learn("blue", pictures, detector())
    assert (found["used"], found["learnt"]) == (3, False)
    assert named(crop_of(TEN, 9)) == "Th"
    assert len(load_deck("blue").views) == 24


def test_lesson_that_no_longer_helps_is_dropped(pictures: LabelledPictures) -> None:
    shown_deck()
    for line in (2, 3):
        keep(pictures, line, NINE, STRANGE)
    assert learn("blue", pictures, detector())["learnt"]
    pictures.delete()
    keep(pictures, 7, TEN, TEN)
    found = learn("blue", pictures, detector())
    assert (found["learnt"], found["dropped"], found["reason"]) == (False, True, "no-better")
    assert len(load_deck("blue").views) == 24
    pictures.delete()
    found = learn("blue", pictures, detector())
    assert (found["used"], found["learnt"], found["dropped"], found["reason"]) == (0, False, False, "none")


def test_only_pictures_of_games_with_this_deck_are_used(pictures: LabelledPictures) -> None:
    shown_deck()
    keep(pictures, 2, NINE, STRANGE, deck="red")
    keep(pictures, 3, NINE, STRANGE, deck=None)
    keep(pictures, 4, NINE, STRANGE)
    keep(pictures, 5, Card.parse("2s"), STRANGE)  # no card of this pack
    assert [picture.line for picture in pictures_of("blue", pictures)] == [4, 5]
    (card,) = corrected_cards(pictures_of("blue", pictures), load_deck("blue"), detector())  # type: ignore[arg-type]
    assert card.card is NINE


def test_pictures_that_show_no_card_are_left_out(pictures: LabelledPictures) -> None:
    shown_deck()
    bare = cv2.imencode(".jpg", table({(0, 0): NINE}))[1].tobytes()
    huge = cv2.imencode(".jpg", np.zeros((600, 600, 3), np.uint8))[1].tobytes()
    for line, jpeg in enumerate((bare, huge, b"no picture"), start=2):
        assert pictures.add("m-1", line, "9h", "Kc", jpeg, "blue") is not None
    found = learn("blue", pictures, detector())
    assert (found["pictures"], found["used"], found["reason"]) == (3, 0, "none")


def test_deck_takes_the_newest_pictures_of_a_card(pictures: LabelledPictures) -> None:
    deck = shown_deck()
    for line in range(2, 8):
        keep(pictures, line, NINE, STRANGE)
    cards = corrected_cards(pictures_of("blue", pictures), deck, detector())  # type: ignore[arg-type]
    trial = tried(deck, cards, detector().classifier)
    assert [view.card for view in trial.deck.views[24:]] == [NINE] * 3
    assert all(
        np.array_equal(view.crop, card.crop) for view, card in zip(trial.deck.views[24:], cards[:2:-1], strict=True)
    )
    assert (trial.kept[1].right, trial.reason) == (6, None)


def test_pictures_are_limited_in_number_and_size(pictures: LabelledPictures) -> None:
    few = LabelledPictures(pictures.folder, most=3, largest_bytes=1000)
    assert few.add("m-1", 1, "9h", "Kc", b"x" * 1001, "blue") is None
    for line in range(5):
        path = few.add("m-1", line, "9h", "Kc", b"x", "blue")
        assert path is not None
        os.utime(path, (line, line))
    assert [picture.line for picture in few.all] == [2, 3, 4]
    (pictures.folder / "9h" / "m-1-9-read-Kc.jpg").write_bytes(b"x" * 1001)
    (pictures.folder / "9h" / "mine.jpg").write_bytes(b"x")
    assert [picture.line for picture in few.all] == [2, 3, 4]


def test_name_of_the_deck_is_part_of_the_name_of_a_picture(pictures: LabelledPictures) -> None:
    assert pictures.add("m-1", 2, "9h", "Kc", b"x", "Атласные 2") is not None
    assert pictures.add("m-1", 3, "9h", "Kc", b"x", "../elsewhere") is None
    (picture,) = pictures.all
    assert (picture.match, picture.line, picture.was, picture.card, picture.deck) == (
        "m-1",
        2,
        "Kc",
        "9h",
        "Атласные 2",
    )


def test_deck_without_corrected_cards_of_an_older_program_is_loaded(tmp_path: Path) -> None:
    shown_deck()
    path = deck_path("blue")
    head, _, body = path.read_bytes().partition(b"\n")
    packed = tmp_path / "deck.zip"
    packed.write_bytes(body)
    with zipfile.ZipFile(packed) as members, zipfile.ZipFile(tmp_path / "older.zip", "w") as older:
        for name in members.namelist():
            if name != "corrected.npy":
                older.writestr(name, members.read(name))
    body = (tmp_path / "older.zip").read_bytes()
    path.write_bytes(head.rsplit(b" ", 1)[0] + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    assert len(load_deck("blue").shown) == 24


def test_renaming_and_forgetting_keep_apart_what_was_learned(pictures: LabelledPictures) -> None:
    shown_deck()
    for line in (2, 3):
        keep(pictures, line, NINE, STRANGE)
    learn("blue", pictures, detector())
    renamed = load_deck("blue").renamed(NINE, TEN)
    assert [view.card for view in renamed.views if view.corrected] == [TEN, TEN]
    assert forget("blue")
    assert not forget("blue")
    assert len(load_deck("blue").views) == 24


# --- the command ---


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    output = capsys.readouterr()
    return status, output.out, output.err


def test_command_learns_and_forgets(pictures: LabelledPictures, capsys: pytest.CaptureFixture[str]) -> None:
    shown_deck()
    status, out, _ = call(capsys, "enrol", "blue", "--from-corrections")
    assert (status, out.startswith("blue: expected pictures of corrected cards")) == (1, True)
    keep(pictures, 2, NINE, STRANGE)
    status, out, _ = call(capsys, "enrol", "blue", "--from-corrections")
    assert (status, "0 of 1 corrected cards right before, 0 after" in out) == (1, True)
    assert "blue: that is no better, so the deck stays as it was shown" in out
    keep(pictures, 3, NINE, STRANGE)
    status, out, _ = call(capsys, "enrol", "blue", "--from-corrections", "--json")
    assert (status, json.loads(out)["learnt"]) == (0, True)
    status, out, _ = call(capsys, "enrol", "blue", "--from-corrections")
    assert re.search(r"^9h: before \S+ \(0\.\d\d\), after 9h \(\d\.\d\d\)$", out, re.MULTILINE)
    assert (status, "blue: learned; the next game uses it" in out) == (0, True)
    assert (
        call(capsys, "enrol", "blue", "--forget-corrections")[1]
        == "blue: forgets what it had learned from corrections\n"
    )
    assert call(capsys, "enrol", "blue", "--forget-corrections")[1] == "blue: had learned nothing from corrections\n"
    assert json.loads(call(capsys, "enrol", "blue", "--forget-corrections", "--json")[1])["dropped"] is False


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("photos", "--from-corrections"), "expected --from-corrections alone"),
        (("--from-corrections", "--forget-corrections"), "expected --from-corrections alone"),
        (("--forget-corrections", "--rename", "9h=9h"), "expected --forget-corrections alone"),
    ],
)
def test_learning_from_corrections_is_called_alone(
    more: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown_deck()
    status, _, err = call(capsys, "enrol", "blue", *more)
    assert (status, says in err) == (2, True)


def test_deck_that_was_never_shown_learns_nothing(pictures: LabelledPictures) -> None:
    with pytest.raises(DeckFileError, match="expected a deck at"):
        learn("blue", pictures, detector())
    EnrolledDeck("blue", 24, ()).save(deck_path("blue"))
    with pytest.raises(DeckFileError, match="expected a deck whose cards were shown"):
        learn("blue", pictures, detector())


# --- the routes ---


class Asked:
    """Notes the jobs that routes start."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, object]] = []

    def start(self, kind: str, match: str, request: object = None) -> Asked:
        self.started.append((kind, match, request))
        return self

    def as_json(self) -> dict[str, str]:
        return {"job": "1", "state": "waiting"}


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def client(pictures: LabelledPictures, asked: Asked) -> FlaskClient:
    return create_app(AppConfig(labelled=pictures, long_work=asked), SnapshotHub()).test_client()  # type: ignore[arg-type]


def test_routes_list_start_and_forget(client: FlaskClient, pictures: LabelledPictures, asked: Asked) -> None:
    assert client.get("/api/labelled/decks").json == {"decks": [], "others": 0}
    shown_deck()
    shown_deck("red")
    (deck_path("red").with_name("broken.deck")).write_bytes(b"no deck")
    for line in (2, 3):
        keep(pictures, line, NINE, STRANGE)
    keep(pictures, 4, NINE, STRANGE, deck=None)
    assert client.get("/api/labelled/decks").json == {
        "decks": [{"deck": "blue", "pictures": 2, "learnt": 0}],
        "others": 1,
    }
    answer = client.post("/api/labelled/decks", json={"deck": "blue"})
    assert (answer.status_code, asked.started) == (202, [("learn-corrections", "blue", str(pictures.folder))])
    learn("blue", pictures, detector())
    assert client.get("/api/labelled/decks").json["decks"] == [{"deck": "blue", "pictures": 2, "learnt": 2}]
    pictures.delete()
    assert client.get("/api/labelled/decks").json["decks"] == [{"deck": "blue", "pictures": 0, "learnt": 2}]
    assert client.delete("/api/labelled/decks?deck=blue").json == {"decks": [], "others": 0}


@pytest.mark.parametrize("ask", ["post", "delete"])
def test_routes_name_what_is_no_deck(client: FlaskClient, ask: str) -> None:
    how: dict[str, Callable[[], object]] = {
        "post": lambda: client.post("/api/labelled/decks", json={"deck": "../blue"}),
        "delete": lambda: client.delete("/api/labelled/decks?deck=../blue"),
    }
    answer = how[ask]()
    assert (answer.status_code, "expected a deck that was shown" in answer.json["error"]) == (404, True)  # type: ignore[attr-defined]


def test_no_deck_learns_where_no_pictures_can_be_kept(home: Path) -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    assert client.get("/api/labelled/decks").json == {"decks": [], "others": 0}
    assert client.post("/api/labelled/decks", json={"deck": "blue"}).status_code == 503
