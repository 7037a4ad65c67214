"""A deck is enrolled on the page, before a game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from features.enrolment import decks_at_table
from features.enrolment.deck_file import DeckFileError, load_deck
from features.enrolment.deck_names import card_list
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import PatternDetector, PatternNetwork, row_of, table
from vision.capture.sources import Frame
from vision.detection.classifier import CardClassifier
from webapp.commands import setup_view
from webapp.commands.setup_view import TableView
from webapp.live import vision_opening
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup

ROWS = "9s-As,9h-Ah,9d-Ad,9c-Ac"


@pytest.fixture
def enrolling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[SharedSetup, TableView]]:
    """Return a shared setup before a camera that reads no card of the deck, or those of ``known``."""

    def make(known: tuple[Card, ...] = (), **options: Any) -> tuple[SharedSetup, TableView]:
        network = PatternNetwork({card: (str(card), 0.9) for card in known})
        monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
        monkeypatch.setattr(setup_view, "INTERVAL_S", -1.0)
        monkeypatch.setattr(
            vision_opening, "load_card_detector", lambda weights: PatternDetector(CardClassifier(network))
        )
        shared_setup = SharedSetup(GameSetup(source="0", mirrored=True, options=options), begins=False)
        return shared_setup, TableView(shared_setup, None)

    return make


def ask(shared_setup: SharedSetup, *, order: str = ROWS, finish: bool = False) -> None:
    """Press a button of the page."""
    shared_setup.enrol({"name": "blue", "pack": 24, "order": card_list(order) if order else (), "finish": finish})


def shown(view: TableView, shared_setup: SharedSetup, *pictures: np.ndarray) -> Any:
    """Show pictures for three seconds each; return what the page shows of the enrolment."""
    for number, picture in enumerate(pictures):
        for second in range(3):
            view.feed(Frame(picture, 3 * number + second, 3.0 * number + second))
    return shared_setup.view.enrolment


def rows(order: str = ROWS) -> list[np.ndarray]:
    cards = card_list(order)
    return [row_of(cards[k : k + 6], seed=k) for k in range(0, len(cards), 6)]


def test_deck_is_learnt_in_rows_one_after_the_other(enrolling: Callable[..., tuple[SharedSetup, TableView]]) -> None:
    shared_setup, view = enrolling(pack=24)
    ask(shared_setup)
    first, *others = rows()
    assert shown(view, shared_setup, first)["learnt"] == 6
    assert shown(view, shared_setup, *others)["learnt"] == 24
    ask(shared_setup, finish=True)
    about = shown(view, shared_setup, others[-1])
    assert (about["saved"], shared_setup.setup.deck) == (True, "blue"), (
        "what looks alike is shown as long as the deck is chosen"
    )
    assert load_deck("blue").learnt == set(pack(24))
    assert [card for card, _ in shared_setup.view.cards] == [str(card) for card in card_list("9c-Ac")], (
        "it reads with it now"
    )


@pytest.mark.thorough
def test_deck_that_can_not_be_used_is_named(enrolling: Callable[..., tuple[SharedSetup, TableView]]) -> None:
    shared_setup, view = enrolling(pack(24))
    ask(shared_setup, order="")
    shown(view, shared_setup, *rows())
    ask(shared_setup, order="", finish=True)
    shown(view, shared_setup, rows()[-1])
    assert (shared_setup.view.cause, shared_setup.view.trouble and shared_setup.view.trouble[:28]) == (
        "deck",
        "expected a deck of 36 cards ",
    ), "of 24"
    shared_setup.change({"options": {"pack": 24}}, SnapshotHub().newest, begin=False)
    shown(view, shared_setup, rows()[-1])
    assert (shared_setup.view.cause, shared_setup.view.trouble) == (None, None)


def test_cards_that_do_not_fit_the_rows_are_asked_for_again(
    enrolling: Callable[..., tuple[SharedSetup, TableView]],
) -> None:
    shared_setup, view = enrolling(pack=24)
    ask(shared_setup)
    first, *others = rows()
    shown(view, shared_setup, first)
    ask(shared_setup, finish=True)
    about = shown(view, shared_setup, first)
    assert (about["cause"], about["saved"]) == ("order", False)
    assert "expected the 24 cards" in about["trouble"]
    assert shown(view, shared_setup, *others)["learnt"] == 24, "what was shown before is not lost"
    ask(shared_setup, finish=True)
    shown(view, shared_setup, others[-1])
    assert load_deck("blue").learnt == set(pack(24))


def test_nothing_is_kept_of_a_deck_that_was_not_shown(enrolling: Callable[..., tuple[SharedSetup, TableView]]) -> None:
    shared_setup, view = enrolling(pack(24))
    ask(shared_setup, order="", finish=True)
    assert shown(view, shared_setup, table({}))["cause"] == "nothing"
    assert shown(view, shared_setup, *rows())["learnt"] == 24
    assert shared_setup.setup.deck is None, "the tap before the first card is not carried out later"


@pytest.mark.thorough
def test_deck_is_not_lost_where_it_can_not_be_kept(
    enrolling: Callable[..., tuple[SharedSetup, TableView]], tmp_path: Path
) -> None:
    shared_setup, view = enrolling(pack(24))
    ask(shared_setup, order="")
    last = shown(view, shared_setup, *rows())
    assert last["learnt"] == 24
    (tmp_path / "home").write_text("a file where the folder of decks would be")
    ask(shared_setup, order="", finish=True)
    about = shown(view, shared_setup, rows()[-1])
    assert (about["cause"], about["learnt"], about["saved"]) == ("unsaved", 24, False)
    (tmp_path / "home").unlink()
    ask(shared_setup, order="", finish=True)
    shown(view, shared_setup, rows()[-1])
    assert load_deck("blue").learnt == set(pack(24))


def test_deck_that_is_cancelled_while_it_is_being_kept_is_not_learnt_on(
    enrolling: Callable[..., tuple[SharedSetup, TableView]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_setup, view = enrolling(pack(24))
    ask(shared_setup, order="")
    shown(view, shared_setup, *rows())

    def cancelled(*of: Any) -> Any:
        shared_setup.enrol(None)
        raise DeckFileError("expected room for the deck, got none")

    monkeypatch.setattr(decks_at_table, "keep_deck", cancelled)
    ask(shared_setup, order="", finish=True)
    assert shown(view, shared_setup, rows()[-1]) is None
    assert shared_setup.enrols is None
