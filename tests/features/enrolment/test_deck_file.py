"""Deck files: saving and loading, refusal of damaged files with one sentence, and lookup by name."""

from __future__ import annotations

import hashlib
import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from features.enrolment.deck_file import (
    FORMAT,
    MAGIC,
    MOST_ENTRIES,
    CardView,
    DeckFileError,
    EnrolledDeck,
    LookAlikes,
    load_deck,
)
from features.enrolment.deck_names import deck_path, known_decks
from features.enrolment.enrolment import sheet, write_sheet
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import crop_of
from tests.vision.little_memory import output_with_little_memory

SIX, NINE = Card.parse("6h"), Card.parse("9h")


def deck(name: str = "mine") -> EnrolledDeck:
    views = (CardView(SIX, crop_of(SIX)), CardView(SIX, crop_of(SIX, 1)), CardView(NINE, crop_of(NINE), doubtful=True))
    return EnrolledDeck(name, 36, views, (LookAlikes(SIX, NINE, 0.25),), "ab" * 32)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    return tmp_path


def test_saved_deck_is_loaded_unchanged() -> None:
    stored = deck()
    stored.save(deck_path("mine"))
    back = load_deck("mine")
    assert back.pack_size == 36
    assert back.weights == stored.weights
    assert back.look_alikes == stored.look_alikes
    assert [(view.card, view.doubtful) for view in back.views] == [(SIX, False), (SIX, False), (NINE, True)]
    for one, other in zip(back.views, stored.views, strict=True):
        assert np.abs(one.crop.astype(int) - other.crop).mean() < 6
    assert known_decks() == ("mine",)
    assert deck_path("mine").stat().st_size < 60_000


def test_deck_is_loaded_from_any_path(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "blue.deck"
    deck().save(place)
    assert load_deck(str(place)).learnt == {SIX, NINE}


def test_missing_and_doubtful_cards_are_listed_in_pack_order() -> None:
    assert deck().doubtful == (NINE,)
    assert deck().lacking == tuple(card for card in pack(36) if card not in (SIX, NINE))


def test_renaming_swaps_names_and_removes_the_doubtful_mark() -> None:
    swapped = deck().renamed(NINE, SIX)
    assert [(view.card, view.doubtful) for view in swapped.views] == [(SIX, False), (NINE, False), (NINE, False)]
    confirmed = deck().renamed(NINE, NINE)
    assert confirmed.doubtful == ()
    assert confirmed.learnt == {SIX, NINE}


def test_error_for_a_missing_deck_lists_the_known_decks() -> None:
    deck().save(deck_path("mine"))
    with pytest.raises(DeckFileError, match=r"found none \(known by name: mine\); show it first: kozyr enrol 'other'"):
        load_deck("other")


@pytest.mark.parametrize("cut", [0, 1, 100, 4000])
def test_truncated_deck_file_is_refused(cut: int) -> None:
    path = deck_path("mine")
    deck().save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck("mine")


@pytest.mark.parametrize("place", range(0, 6000, 331))
def test_changed_byte_is_detected(place: int) -> None:
    path = deck_path("mine")
    deck().save(path)
    broken = bytearray(path.read_bytes())
    broken[place] ^= 0xFF
    path.write_bytes(bytes(broken))
    with pytest.raises(DeckFileError, match="expected a deck"):
        load_deck("mine")


def test_deck_file_of_another_format_is_refused() -> None:
    path = deck_path("mine")
    deck().save(path)
    path.write_bytes(path.read_bytes().replace(f"deck {FORMAT} ".encode(), f"deck {FORMAT + 1} ".encode(), 1))
    with pytest.raises(DeckFileError, match=f"format {FORMAT} in .*, got format {FORMAT + 1}"):
        load_deck("mine")


def test_picture_is_refused_as_deck(tmp_path: Path) -> None:
    path = tmp_path / "photo.deck"
    path.write_bytes(b"\xff\xd8 no deck")
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck(str(path))


def stored_as(entries: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> Path:
    """Write a deck's file, its checksum right, with these entries in place of its own."""
    path = deck_path("made")
    deck("made").save(path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes().partition(b"\n")[2])) as usual:
        members = {name: usual.read(name) for name in usual.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as made:
        for name, data in (members | entries).items():
            made.writestr(name, data)
    body = buffer.getvalue()
    path.write_bytes(MAGIC + f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
    return path


def array(values: object) -> bytes:
    """Return an array in numpy's file format."""
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(values))
    return buffer.getvalue()


def headed(header: str, data: bytes = b"") -> bytes:
    """Return bytes in the form of numpy's files with this header."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def jpeg(width: int, height: int) -> bytes:
    """Return a JPEG of 96 x 132 px whose header says this size."""
    data = bytearray(cv2.imencode(".jpg", crop_of(SIX))[1].tobytes())
    place = data.index(b"\xff\xc0") + 5
    data[place : place + 4] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return bytes(data)


def crops_of(*pictures: bytes) -> dict[str, bytes]:
    """Return the entries of a deck of nothing but sixes of hearts, with these pictures."""
    return {
        "cards.npy": array(["6h"] * len(pictures)),
        "doubtful.npy": array([False] * len(pictures)),
        "corrected.npy": array([False] * len(pictures)),
        "ends.npy": array(np.cumsum([len(picture) for picture in pictures])),
        "crops.npy": array(np.frombuffer(b"".join(pictures), np.uint8)),
    }


def test_deck_assembled_from_arrays_is_loaded() -> None:
    stored_as(crops_of(jpeg(96, 132), jpeg(96, 132)))
    assert [view.card for view in load_deck("made").views] == [SIX, SIX]


BYTES = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }"


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param({"crops.npy": headed(BYTES % 10**15)}, id="an array of a petabyte"),
        pytest.param({"crops.npy": headed("{'descr': '|u1', 'shape': (((((")}, id="a header that breaks off"),
        pytest.param({"crops.npy": headed("{'descr': " + "(" * 100)}, id="a header of brackets"),
        pytest.param({"crops.npy": headed('"""')}, id="a header of an open string"),
        pytest.param({"crops.npy": b"no array"}, id="no array"),
        pytest.param({"pack_size.npy": array(float("inf"))}, id="an endless pack"),
        pytest.param({"pack_size.npy": array([36, 36])}, id="two packs"),
        pytest.param({"ends.npy": array([0, 0, 0])}, id="empty pictures"),
        pytest.param({"alike.npy": array(3)}, id="a number of pairs"),
        pytest.param({"crops.npy": array([1j, 2j])}, id="pictures of complex numbers"),
        pytest.param({"ends.npy": array([1.5])}, id="pictures that end within a byte"),
        pytest.param(crops_of(*[jpeg(96, 132)] * (MOST_ENTRIES + 1)), id="too many pictures"),
    ],
)
@pytest.mark.filterwarnings("error", "ignore:Reading `.npy`")  # numpy's own, about headers of old Pythons
def test_invalid_entries_are_refused_though_the_checksum_matches(entries: dict[str, bytes]) -> None:
    stored_as(entries)
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck("made")


LOAD = ("from features.enrolment.deck_file import load_deck", "load_deck(argv[1])")


@pytest.mark.thorough
def test_zip_bomb_is_refused_without_using_memory() -> None:
    path = stored_as({"crops.npy": headed(BYTES % (256 << 20)) + bytes(256 << 20)}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1 << 20
    assert "damaged file or none of a deck" in output_with_little_memory(*LOAD, path, room_mb=100)


def test_array_larger_than_memory_is_refused_with_one_sentence() -> None:
    path = stored_as({"crops.npy": headed(BYTES % (3 << 30)) + bytes(1 << 10)})
    assert "damaged file or none of a deck" in output_with_little_memory(*LOAD, path, room_mb=100)


def test_picture_with_huge_claimed_size_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_as(crops_of(jpeg(20_000, 20_000)))  # fewer pixels than OpenCV itself refuses: 1.2 GB
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("the picture was decoded"))
    with pytest.raises(DeckFileError, match="damaged file or none of a deck"):
        load_deck("made")


def test_failed_save_raises_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "decks").write_text("a file where the folder should be")
    with pytest.raises(DeckFileError, match="The operating system refused"):
        deck().save(deck_path("mine"))


def test_sheet_shows_each_card_in_its_place(tmp_path: Path) -> None:
    picture = sheet(deck())
    assert picture.shape == (4 * 154, 9 * 96, 3)
    shown = picture[154 + 22 : 2 * 154, :96]
    assert np.array_equal(shown, deck().views[0].crop)
    assert (picture[0:154, :96] > 200).mean() > 0.9  # the six of spades was not shown
    assert write_sheet(deck(), tmp_path / "mine.png")
    assert not write_sheet(deck(), tmp_path / "nowhere" / "mine.png")


def test_decks_that_are_saved_at_once_do_not_disturb_one_another(tmp_path: Path) -> None:
    stored, path = deck(), tmp_path / "mine.deck"
    with ThreadPoolExecutor(4) as pool:
        assert not any(pool.map(stored.save, [path] * 60))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
