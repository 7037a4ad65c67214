"""Films of stored matches: parts in order, deletion by age and size, the oldest first, never the running one."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from vision.capture.film_file import FilmFile
from vision.capture.video_writer import FilmError, FilmWriter
from webapp.store.films import DAY_S, Films, RetentionSettings

NOW_S = 1_800_000_000.0


def films(folder: Path, **settings: float) -> Films:
    return Films(folder, RetentionSettings(**settings), now_s=lambda: NOW_S)


def lying(folder: Path, name: str, days_ago: float, size: int = 1000) -> Path:
    """Create a film file that was last written ``days_ago`` days ago."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.mp4"
    path.write_bytes(bytes(size))
    os.utime(path, (NOW_S, NOW_S - days_ago * DAY_S))
    return path


def left(folder: Path) -> set[str]:
    return {path.stem for path in folder.iterdir()}


def test_old_films_are_deleted_and_reported(tmp_path: Path) -> None:
    lying(tmp_path, "old", 31)
    lying(tmp_path, "young", 29)
    (message,) = films(tmp_path, days=30).tidy()
    assert message == "the film of match old was deleted, since it is older than 30 days; its record stays"
    assert left(tmp_path) == {"young"}


def test_oldest_films_are_deleted_beyond_the_size_limit(tmp_path: Path) -> None:
    for age, name in enumerate(("newest", "newer", "older", "oldest"), 1):
        lying(tmp_path, name, age, 1000)
    assert len(list(films(tmp_path, gigabytes=2.5e-6).tidy())) == 2
    assert left(tmp_path) == {"newest", "newer"}


def test_film_of_a_running_match_is_kept(tmp_path: Path) -> None:
    lying(tmp_path, "ours", 40)
    lying(tmp_path, "another-program", 0.0005)
    assert list(films(tmp_path, days=30, gigabytes=0).tidy("ours")) == []
    assert left(tmp_path) == {"ours", "another-program"}


def test_all_parts_of_a_match_are_deleted_together(tmp_path: Path) -> None:
    lying(tmp_path, "m", 40)
    lying(tmp_path, "m.2", 35)
    lying(tmp_path, "n", 40)
    lying(tmp_path, "n.2", 10)
    list(films(tmp_path, days=30).tidy())
    assert left(tmp_path) == {"n", "n.2"}


def test_other_files_of_the_folder_are_kept(tmp_path: Path) -> None:
    for name in ("holiday.mp4.bak", "notes.txt", "my holiday.mp4"):
        (tmp_path / name).write_text("not ours")
        os.utime(tmp_path / name, (0, 0))
    assert list(films(tmp_path).tidy()) == []
    assert len(list(tmp_path.iterdir())) == 3


def test_missing_folder_is_treated_as_empty(tmp_path: Path) -> None:
    there = films(tmp_path / "no")
    assert list(there.tidy()) == []
    assert not there.has("m")
    assert there.film("m") is None


@pytest.mark.parametrize("match", ["../m", "a/b", "", ".", "m.2", "\x00", "m" * 99])
def test_match_id_cannot_leave_the_folder(tmp_path: Path, match: str) -> None:
    lying(tmp_path, "m", 1)
    lying(tmp_path, "m.2", 1)
    assert films(tmp_path / "sub").parts(match) == ()
    assert films(tmp_path).parts(match) == ()


def test_resumed_match_has_one_film(tmp_path: Path) -> None:
    there = films(tmp_path)
    for began_s in (0.0, 9.0):
        with FilmWriter(there.new_part("m"), (160, 90), began_s) as film:
            for number in range(3):
                film.add(np.full((90, 160, 3), 90, np.uint8), began_s + number / 10, wait=True)
    assert [path.name for path in there.parts("m")] == ["m.mp4", "m.2.mp4"]
    film = there.film("m")
    assert film is not None
    assert film.frames_s.tolist() == pytest.approx([0.0, 0.1, 0.2, 9.0, 9.1, 9.2])
    there.delete("m")
    assert not there.has("m")


def test_film_is_prepared_again_only_when_it_has_grown(tmp_path: Path) -> None:
    there = films(tmp_path)

    def write(began_s: float) -> None:
        with FilmWriter(there.new_part("m"), (160, 90), began_s) as film:
            for number in range(3):
                film.add(np.full((90, 160, 3), 90, np.uint8), began_s + number / 10, wait=True)

    write(0.0)
    first = there.film("m")
    assert first is not None
    assert there.film("m") is first
    assert there.film("m", first.fragments) is first
    write(9.0)
    both = there.film("m")
    assert both is not None
    assert both.fragments > first.fragments
    begun = there.film("m", first.fragments)
    assert begun is not None
    assert begun.fragments == first.fragments


def test_film_that_is_deleted_while_it_is_asked_for_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = films(tmp_path)
    with closing(FilmWriter(stored.new_part("m"), (64, 48), 0.0)) as writer:
        writer.add(np.zeros((48, 64, 3), np.uint8), 0.0, np.zeros((0, 2), np.int32), wait=True)
    assert stored.film("m") is not None
    refresh = FilmFile.refresh

    def refreshed(self: FilmFile) -> None:
        refresh(self)
        stored.delete("m")  # as another thread may

    monkeypatch.setattr(FilmFile, "refresh", refreshed)
    stored.film("m")
    assert stored.film("m") is None


def test_undeletable_film_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying(tmp_path, "m", 1)

    def refuses(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuses)
    with pytest.raises(FilmError, match=r"The operating system refused: .*Permission denied; delete the film by hand"):
        films(tmp_path).delete("m")
