"""Deck art: cutting, scaling, colouring and caching of synthetic cards, and the error for missing art."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks import deck_art, library
from datasets.decks.deck_art import DeckError


def card(height: int = 90, width: int = 60, colour: tuple[int, int, int] = (250, 250, 250)) -> np.ndarray:
    return np.full((height, width, 4), (*colour, 255), np.uint8)


def sheet_of(rank_columns: str, rows: str, cell: tuple[int, int] = (100, 70)) -> np.ndarray:
    """Return a sheet whose cards are marked by their colour: red counts columns, green counts rows."""
    height, width = cell
    sheet = np.zeros((height * 5, width * len(rank_columns), 4), np.uint8)
    for row in range(len(rows)):
        for column in range(len(rank_columns)):
            y, x = row * height + 5, column * width + 5
            sheet[y : y + 90, x : x + 60] = card(colour=(column * 10, row * 10, 200))
    sheet[4 * height + 5 : 4 * height + 95, 2 * width + 5 : 2 * width + 65] = card(colour=(1, 2, 3))
    return sheet


def test_sheet_is_cut_into_named_cards() -> None:
    cards = deck_art.cut_grid(sheet_of("A23456789TJQK", "cdhs"), deck_art.RANK_COLUMNS, "cdhs", (2, 4), row_count=5)
    assert len(cards) == 53
    assert cards["Ac"][40, 30].tolist() == [0, 0, 200, 255]
    assert cards["9h"][40, 30].tolist() == [80, 20, 200, 255]
    assert cards["Ks"][40, 30].tolist() == [120, 30, 200, 255]
    assert cards["back"][40, 30].tolist() == [1, 2, 3, 255]
    assert cards["Td"].shape == (90, 60, 4)


def test_empty_place_on_a_sheet_is_skipped() -> None:
    sheet = sheet_of("A23456789TJQK", "cdhs")
    sheet[:100, :70] = 0
    assert "Ac" not in deck_art.cut_grid(sheet, deck_art.RANK_COLUMNS, "cdhs", (2, 4), row_count=5)


def test_cropping_removes_shadows_and_other_objects() -> None:
    picture = np.zeros((200, 200, 4), np.uint8)
    picture[25:125, 35:105, 3] = 60  # a soft shadow
    picture[20:110, 30:90] = card()
    picture[150:160, 150:160] = card(10, 10)
    cut = deck_art.crop_to_card(picture)
    assert cut is not None
    assert cut.shape == (90, 60, 4)
    assert (cut[..., 3] == 255).all()


def test_transparent_picture_contains_no_card() -> None:
    assert deck_art.crop_to_card(np.zeros((50, 50, 4), np.uint8)) is None


def test_cards_are_scaled_to_one_size_without_dark_rims() -> None:
    rounded = deck_art.round_corners(card(), 0.2)
    rounded[rounded[..., 3] == 0] = 0  # transparent pixels are black
    same = deck_art.to_one_size({"7s": rounded, "8s": card(120, 80), "9s": card(60, 40)}, 45)
    assert {face.shape for face in same.values()} == {(45, 30, 4)}
    opaque_enough = same["7s"][..., 3] > 40
    assert same["7s"][opaque_enough][:, :3].min() > 230
    assert same["7s"][0, 0, 3] == 0


def test_only_the_ink_of_red_suits_is_coloured_red() -> None:
    photo = card()
    photo[40:50, 20:40, :3] = 20
    assert deck_art.ink_red("9h", photo)[45, 30].tolist() == [190, 20, 20, 255]
    assert deck_art.ink_red("9s", photo)[45, 30].tolist() == [20, 20, 20, 255]
    assert deck_art.ink_red("9d", photo)[20, 30].tolist() == [250, 250, 250, 255]


def test_cached_cards_are_redrawn_only_if_the_art_changed(tmp_path: Path) -> None:
    drawn: list[str] = []

    def draw() -> dict[str, np.ndarray]:
        drawn.append("once")
        return {"7s": card(), "back": card(colour=(9, 9, 9))}

    file = tmp_path / "kept" / "deck.npy"
    first = deck_art.cached(file, draw, "a")
    again = deck_art.cached(file, draw, "a")
    assert drawn == ["once"]
    assert list(again) == ["7s", "back"]
    assert (again["back"] == first["back"]).all()
    deck_art.cached(file, draw, "b")
    assert len(drawn) == 2


def a_folder_of_art(tmp_path: Path) -> Path:
    folder = tmp_path / "art" / "decks" / "openfool-int"
    folder.mkdir(parents=True)
    for name in ("7s", "Td", "back", "joker"):
        cv2.imwrite(str(folder / f"{name}.png"), card())
    return tmp_path / "art"


def test_folder_of_pictures_is_a_deck_with_listed_gaps(tmp_path: Path) -> None:
    (deck,) = library.load_decks(["openfool-int"], 45, tmp_path / "cache", art=a_folder_of_art(tmp_path))
    assert sorted(deck.faces) == ["7s", "Td"]
    assert deck.back is not None
    assert deck.faces["7s"].shape == (45, 30, 4)
    assert deck.indices == "english"


def test_reserved_decks_are_excluded_from_training() -> None:
    expected = {"paris", "tango_nuevo", "lattmann", "anglo_poker", "svg-gm-paris", "svg-oxygen"}
    assert expected < library.RESERVED
    assert {"svg-oxygen-white", "svg-oxygen-air"} < library.RESERVED
    with pytest.raises(DeckError, match="paris is reserved"):
        library.load_decks(["paris"])


def test_deck_names_are_unique_and_have_a_known_source() -> None:
    names = [entry.name for entry in library.DECKS]
    assert len(set(names)) == len(names)
    assert {entry.source for entry in library.DECKS} <= set(library.SOURCES)


def test_error_names_the_unknown_deck() -> None:
    with pytest.raises(DeckError, match=r"expected one of ancient_french, .* got 'ornate'"):
        library.load_decks(["ornate"])


def test_error_for_missing_art_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "AISLERIOT", tmp_path)
    with pytest.raises(DeckError, match=r"the deck art of berlin, found none; install Debian's packages"):
        library.load_decks(["berlin"], cache=tmp_path / "cache")


def test_error_for_a_missing_drawing_program_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeckError, match=r"expected the program rsvg-convert .* librsvg2-bin"):
        deck_art.draw_text("<svg/>")


def test_contact_sheet_shows_each_card_in_its_place() -> None:
    faces = {"Ac": card(colour=(200, 0, 0)), "Ks": card(colour=(0, 0, 200))}
    sheet = library.contact_sheet(library.Deck("d", "own", "english", faces, None), card_px=90)
    reds = np.argwhere((sheet == (0, 0, 200)).all(axis=2))
    blues = np.argwhere((sheet == (200, 0, 0)).all(axis=2))
    assert len(reds) > 1000
    assert len(blues) > 1000
    assert (reds.mean(axis=0) < blues.mean(axis=0)).all()
