"""Films received in pieces: only fitting pieces are accepted, lost ones are repeated, unfinished films are deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from webapp.errors import OutputLostError, UnusableInputError
from webapp.store.films import IncomingFilms, IncomingLimits

GB = 1_000_000_000


class Room:
    """Folder of incoming films with a fake clock and disk."""

    def __init__(self, folder: Path) -> None:
        self.free, self.now_s = 100 * GB, 1e9
        self.films = IncomingFilms(
            folder,
            IncomingLimits(),
            now_s=lambda: self.now_s,
            wall_s=lambda: self.now_s,
            free_bytes=lambda place: self.free,
        )


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path / "films" / "incoming")


def test_pieces_are_joined_to_a_film(room: Room) -> None:
    key = room.films.begin(".mp4", 10)
    assert room.films.add(key, 0, b"01234") == 5
    with pytest.raises(UnusableInputError, match="whole film of 10 bytes first, got 5"):
        room.films.take(key)
    assert room.films.add(key, 0, b"01234") == 5  # sent again because its answer was lost
    assert room.films.add(key, 9, b"9") == 5  # arrives before the preceding piece
    assert room.films.add(key, 5, b"56789") == 10
    film = room.films.take(key)
    assert (film.read_bytes(), film.suffix) == (b"0123456789", ".mp4")
    with pytest.raises(UnusableInputError, match="that is being sent"):
        room.films.add(key, 10, b"")


def test_only_fitting_pieces_are_accepted(room: Room) -> None:
    with pytest.raises(UnusableInputError, match=r"at most 8 GB, got 9\.0 GB"):
        room.films.begin(".mp4", 9 * GB)
    with pytest.raises(UnusableInputError, match=r"at most 8 GB, got 0\.0 GB"):
        room.films.begin(".mp4", 0)
    room.free = 4 * GB
    with pytest.raises(OutputLostError, match=r"expected 5\.0 GB of room for the film, got 4\.0 GB"):
        room.films.begin(".mp4", 2 * GB)
    key = room.films.begin(".mp4", 3)
    with pytest.raises(UnusableInputError, match="expected a film of 3 bytes, got more"):
        room.films.add(key, 0, b"1234")
    for _ in range(3):
        room.films.begin(".mp4", 3)
    with pytest.raises(OutputLostError, match="at most 4 films"):
        room.films.begin(".mp4", 3)


def test_film_of_which_nothing_comes_makes_way_for_another(room: Room) -> None:
    keys = []
    for _ in range(4):
        keys.append(room.films.begin(".mp4", 10))
        room.now_s += 20
    room.films.add(keys[0], 0, b"01234")
    with pytest.raises(OutputLostError, match="at most 4 films"):
        room.films.begin(".mp4", 10)
    room.now_s += 5
    room.films.begin(".mp4", 10)
    with pytest.raises(UnusableInputError):
        room.films.add(keys[1], 0, b"0")
    assert room.films.add(keys[0], 5, b"56789") == 10


def test_abandoned_film_is_deleted(room: Room) -> None:
    left = room.films.folder / "left.mp4"
    first = room.films.begin(".mp4", 10)
    left.write_bytes(b"half")
    os.utime(left, (1e9 - 25 * 3600, 1e9 - 25 * 3600))
    room.now_s += 3700
    second = room.films.begin(".mp4", 10)
    assert [path.stem for path in room.films.folder.iterdir()] == [second]
    with pytest.raises(UnusableInputError):
        room.films.add(first, 0, b"1")
    room.films.drop(second)
    assert list(room.films.folder.iterdir()) == []


def test_unwritable_folder_gives_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "films").write_text("no folder")
    with pytest.raises(OutputLostError, match="The operating system refused:"):
        Room(tmp_path / "films" / "incoming").films.begin(".mp4", 1)
