"""`kozyr enrol` and `--deck`: enrolment, stored decks, printed results, and one sentence for each error."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from features.enrolment import command as enrol
from features.enrolment.deck_file import CardView, EnrolledDeck, load_deck
from features.enrolment.deck_names import card_list, deck_path
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import PatternDetector, PatternNetwork, crop_of, row_of
from vision.detection.classifier import CardClassifier
from webapp.commands import cli
from webapp.live import vision_opening

CommandResult = tuple[int, str, str]
WHOLE = "9s-As,9h-Ah,9d-Ad,9c-Ac"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store decks in a folder of the test; replace the networks by ones that know no card."""
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(enrol, "load_card_detector", lambda weights: PatternDetector(CardClassifier(PatternNetwork())))
    monkeypatch.setattr(
        vision_opening, "load_card_detector", lambda weights: PatternDetector(CardClassifier(PatternNetwork()))
    )
    return tmp_path


@pytest.fixture
def kozyr(capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    """Return a function that calls the command in this process: status, standard output, standard error."""

    def call(*arguments: str) -> CommandResult:
        status = cli.main(arguments)
        output = capsys.readouterr()
        return status, output.out, output.err

    return call


def photos(folder: Path, order: str, on_each: int = 6) -> str:
    """Create a folder with a picture for each row of the order."""
    folder.mkdir()
    cards = card_list(order)
    for k in range(0, len(cards), on_each):
        cv2.imwrite(str(folder / f"{k:02}.png"), row_of(cards[k : k + on_each], seed=k))
    return str(folder)


def test_deck_in_a_given_order_is_enrolled_and_stored(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    status, out, err = kozyr("enrol", "mine", photos(home / "rows", WHOLE), "--pack", "24", "--order", WHOLE, "--json")
    report = json.loads(out)
    assert status == 0, err
    assert report["cards"] == [str(card) for card in pack(24)]
    assert report["missing"] == report["doubtful"] == []
    assert Path(report["sheet"]).is_file()
    assert load_deck("mine").weights == PatternNetwork.checksum


def test_picture_is_read_only_with_the_enrolled_deck(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    kozyr("enrol", "mine", photos(home / "rows", WHOLE), "--pack", "24", "--order", WHOLE)
    picture = home / "table.png"
    cv2.imwrite(str(picture), row_of(card_list("Ks,9h,Ad"), seed=99))
    _, plain, _ = kozyr("read", str(picture), "--pack", "24", "--json")
    assert json.loads(plain)["cards"] == []
    status, out, _ = kozyr("read", str(picture), "--pack", "24", "--deck", "mine", "--json")
    assert status == 0
    assert {card["card"] for card in json.loads(out)["cards"]} == {"Ks", "9h", "Ad"}


def test_missing_cards_are_named_and_can_be_added(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    first = "9s-As,9h-Ah,9d-Ad"
    status, _, err = kozyr("enrol", "mine", photos(home / "a", first), "--pack", "24", "--order", first)
    assert status == 1
    assert "expected 24 cards, saw 18 (missing 9c Tc Jc Qc Kc Ac); show the others" in err
    assert "--more" in err
    rest = photos(home / "b", "9c-Ac")
    status, out, err = kozyr("enrol", "mine", rest, "--more", "--order", "9c-Ac")
    assert status == 0, err
    assert "24 of 24 cards learnt" in out


@pytest.mark.thorough
def test_deck_smaller_than_the_pack_is_reported(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    status, _, err = kozyr("enrol", "mine", photos(home / "a", WHOLE), "--pack", "36", "--order", WHOLE)
    assert status == 1
    assert "expected 36 cards, saw 24" in err
    assert "name its size with --pack" in err
    kozyr("enrol", "mine", str(home / "a"), "--pack", "24", "--order", WHOLE)
    status, _, err = kozyr("read", str(home / "a" / "00.png"), "--deck", "mine")
    assert status == 1
    assert "expected a deck of 36 cards for this game, got 'mine' of 24; play with --pack 24" in err


@pytest.mark.thorough
def test_wrong_name_is_corrected_without_pictures(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    kozyr("enrol", "mine", photos(home / "rows", WHOLE), "--pack", "24", "--order", WHOLE)
    before = {view.card: view.crop for view in load_deck("mine").views}
    status, _, _ = kozyr("enrol", "mine", "--rename", "Js=Ks")
    after = {view.card: view.crop for view in load_deck("mine").views}
    assert status == 0
    jack, king = Card.parse("Js"), Card.parse("Ks")
    assert abs(after[king].astype(int) - before[jack]).mean() < 3
    assert abs(after[jack].astype(int) - before[king]).mean() < 3


def test_doubtful_names_are_reported_with_the_next_step(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    status, _, err = kozyr("enrol", "mine", photos(home / "rows", WHOLE), "--pack", "24")
    assert status == 1
    assert "expected sure names, got" in err
    assert "--rename" in err
    assert "--order" in err


def test_doubtful_names_are_asked_at_a_terminal(
    home: Path, kozyr: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    nine, ten, jack = card_list("9s-Js")
    views = tuple(CardView(card, crop_of(card), doubtful=True) for card in (nine, ten, jack))
    EnrolledDeck("mine", 24, views).save(deck_path("mine"))
    answers = iter(["ten", "Js"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers, ""))
    _, _, err = kozyr("enrol", "mine", "--rename", "9s=9s")
    assert "expected a card such as" in err
    after = load_deck("mine")
    assert after.doubtful == (ten,)  # the last question, about the former jack, was not answered
    assert abs(next(view.crop for view in after.views if view.card == jack).astype(int) - crop_of(ten)).mean() < 6


@pytest.mark.parametrize(
    ("call", "status", "message"),
    [
        (("enrol",), 2, "NAME"),
        (("enrol", "../mine", "x.png"), 2, "expected letters, digits"),
        (("enrol", "mine"), 1, "expected a deck at"),
        (("enrol", "mine", "nowhere"), 1, "nowhere: expected a camera number"),
        (("enrol", "mine", "x.png", "--order", "6s,6s"), 2, "expected each card once, got 6s twice"),
        (("enrol", "mine", "x.png", "--order", "2s-As", "--pack", "36"), 2, "expected cards of a pack of 36"),
        (("enrol", "mine", "x.png", "--pack", "40"), 2, "a pack of 24, 32, 36 or 52"),
        (("enrol", "mine", "x.png", "--rename", "Jh"), 2, "expected WAS=IS"),
        (("enrol", "mine", "x.png", "--more"), 1, "expected a deck at"),
        (("read", "x.png", "--deck", "mine"), 1, "expected a deck at"),
        (("read", "x.png", "--deck", "a/b"), 2, "expected letters, digits"),
    ],
)
def test_usage_error_is_one_sentence(
    kozyr: Callable[..., CommandResult], call: tuple[str, ...], status: int, message: str
) -> None:
    came, out, err = kozyr(*call)
    assert (came, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1


def test_empty_table_enrols_no_card(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    picture = home / "empty.png"
    cv2.imwrite(str(picture), row_of(()))
    status, _, err = kozyr("enrol", "mine", str(picture))
    assert status == 1
    assert "expected cards shown face up, whole and lying still, saw none" in err
    assert not (home / "home" / "decks" / "mine.deck").exists()


@pytest.mark.thorough
def test_other_weights_than_those_of_the_deck_are_reported(home: Path, kozyr: Callable[..., CommandResult]) -> None:
    kozyr("enrol", "mine", photos(home / "rows", WHOLE), "--pack", "24", "--order", WHOLE)
    deck = load_deck("mine")
    replace(deck, weights="cd" * 32).save(deck_path("mine"))
    status, _, err = kozyr("read", str(home / "rows" / "00.png"), "--pack", "24", "--deck", "mine")
    assert status == 0
    assert "was shown to other weights (cdcdcdcdcdcd, now abababababab); its pictures were learnt again" in err
