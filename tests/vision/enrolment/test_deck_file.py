"""The deck's file: what is kept comes back, what is damaged is refused in one sentence, names find their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from referee.cards import Card, pack
from tests.vision.enrolment.shown_deck import crop_of
from vision.enrolment.contact_sheet import sheet, write_sheet
from vision.enrolment.deck_file import (
    FORMAT,
    DeckFileError,
    EnrolledDeck,
    LookAlikes,
    View,
    deck_path,
    known_decks,
    load_deck,
)

SIX, NINE = Card.parse("6h"), Card.parse("9h")


def deck(name: str = "mine") -> EnrolledDeck:
    views = (View(SIX, crop_of(SIX)), View(SIX, crop_of(SIX, 1)), View(NINE, crop_of(NINE), doubtful=True))
    return EnrolledDeck(name, 36, views, (LookAlikes(SIX, NINE, 0.25),), "ab" * 32)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    return tmp_path


def test_a_deck_comes_back_as_it_was_kept() -> None:
    kept = deck()
    kept.save(deck_path("mine"))
    back = load_deck("mine")
    assert back.pack_size == 36
    assert back.weights == kept.weights
    assert back.look_alikes == kept.look_alikes
    assert [(view.card, view.doubtful) for view in back.views] == [(SIX, False), (SIX, False), (NINE, True)]
    for one, other in zip(back.views, kept.views, strict=True):
        assert np.abs(one.crop.astype(int) - other.crop).mean() < 6
    assert known_decks() == ("mine",)
    assert deck_path("mine").stat().st_size < 60_000


def test_a_file_anywhere_is_a_deck_too(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "blue.deck"
    deck().save(place)
    assert load_deck(str(place)).learnt == {SIX, NINE}


def test_what_is_lacking_and_doubtful_is_told_in_the_packs_order() -> None:
    assert deck().doubtful == (NINE,)
    assert deck().lacking == tuple(card for card in pack(36) if card not in (SIX, NINE))


def test_renaming_swaps_names_and_ends_the_doubt() -> None:
    swapped = deck().renamed(NINE, SIX)
    assert [(view.card, view.doubtful) for view in swapped.views] == [(SIX, False), (NINE, False), (NINE, False)]
    confirmed = deck().renamed(NINE, NINE)
    assert confirmed.doubtful == ()
    assert confirmed.learnt == {SIX, NINE}


def test_a_missing_deck_is_told_with_those_that_there_are() -> None:
    deck().save(deck_path("mine"))
    with pytest.raises(DeckFileError, match=r"found none \(known by name: mine\); show it first: kozyr enrol 'other'"):
        load_deck("other")


@pytest.mark.parametrize("cut", [0, 1, 100, 4000])
def test_a_file_that_breaks_off_is_refused(cut: int) -> None:
    path = deck_path("mine")
    deck().save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck("mine")


@pytest.mark.parametrize("place", range(0, 6000, 331))
def test_every_changed_byte_is_noticed(place: int) -> None:
    path = deck_path("mine")
    deck().save(path)
    broken = bytearray(path.read_bytes())
    broken[place] ^= 0xFF
    path.write_bytes(bytes(broken))
    with pytest.raises(DeckFileError, match="expected a deck"):
        load_deck("mine")


def test_a_file_of_another_format_says_so() -> None:
    path = deck_path("mine")
    deck().save(path)
    path.write_bytes(path.read_bytes().replace(f"deck {FORMAT} ".encode(), f"deck {FORMAT + 1} ".encode(), 1))
    with pytest.raises(DeckFileError, match=f"format {FORMAT} in .*, got format {FORMAT + 1}"):
        load_deck("mine")


def test_a_picture_is_no_deck(tmp_path: Path) -> None:
    path = tmp_path / "photo.deck"
    path.write_bytes(b"\xff\xd8 no deck")
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck(str(path))


def test_a_deck_that_cannot_be_kept_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "decks").write_text("a file where the folder should be")
    with pytest.raises(DeckFileError, match="expected to keep the deck at"):
        deck().save(deck_path("mine"))


def test_the_sheet_shows_every_card_in_its_place(tmp_path: Path) -> None:
    picture = sheet(deck())
    assert picture.shape == (4 * 154, 9 * 96, 3)
    shown = picture[154 + 22 : 2 * 154, :96]
    assert np.array_equal(shown, deck().views[0].crop)
    assert (picture[0:154, :96] > 200).mean() > 0.9  # the six of spades was not shown
    assert write_sheet(deck(), tmp_path / "mine.png")
    assert not write_sheet(deck(), tmp_path / "nowhere" / "mine.png")
