"""Film of a running match: switching on and off, resuming, and a disk that can't be written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vision.capture.sources import Frame
from webapp.live.film_recorder import FilmRecorder
from webapp.live.match_files import MatchFiles
from webapp.store.films import Films


def frame(number: int, size: tuple[int, int] = (160, 90)) -> Frame:
    return Frame(np.full((size[1], size[0], 3), 120, np.uint8), number, number / 10)


def filmed(recorder: FilmRecorder, *numbers: int) -> None:
    for number in numbers:
        recorder.look(frame(number), None)


@dataclass
class Named:
    """A match whose name may change."""

    match: str = "m"

    def __call__(self) -> str:
        return self.match


@pytest.fixture
def films(tmp_path: Path) -> Films:
    return Films(tmp_path / "films")


def times_of(films: Films, match: str = "m") -> list[float]:
    film = films.film(match)
    return [] if film is None else [round(at, 3) for at in film.frames_s.tolist()]


def test_every_refereed_frame_is_filmed(films: Films) -> None:
    recorder = FilmRecorder(films, Named(), waits=True)
    filmed(recorder, *range(20))
    assert recorder.frame_at(0.55) == (5, 0.5)
    recorder.close()
    assert times_of(films) == [number / 10 for number in range(20)]


@pytest.mark.parametrize("is_whole", [True, False])
def test_film_that_was_handed_in_is_kept_whole(films: Films, is_whole: bool) -> None:
    recorder = FilmRecorder(films, Named(), waits=True, is_whole=is_whole)
    filmed(recorder, 0)
    recorder.close()
    film = films.film("m")
    assert film is not None
    image = film.picture(0.0)
    assert image is not None
    assert bool(image.min() > 100) is is_whole


def test_filming_is_switched_off_and_on(films: Films) -> None:
    recorder = FilmRecorder(films, Named(), waits=True)
    filmed(recorder, 0, 1)
    recorder.turn(False)
    assert not recorder.is_on
    filmed(recorder, 2, 3, 4)
    recorder.turn(True)
    filmed(recorder, 5)
    recorder.close()
    assert times_of(films) == [0.0, 0.1, 0.5]


def test_resumed_match_continues_its_frame_numbers(films: Films) -> None:
    first = FilmRecorder(films, Named(), waits=True)
    filmed(first, 0, 1, 2)
    first.close()
    second = FilmRecorder(films, Named(), waits=True)
    assert second.frame_at(5.0) is None
    second.look(frame(50, (320, 180)), None)  # another camera: made to fit
    assert second.frame_at(5.0) == (3, 5.0)
    second.close()
    assert times_of(films) == [0.0, 0.1, 0.2, 5.0]


def test_renamed_match_starts_another_film(films: Films) -> None:
    name = Named()
    recorder = FilmRecorder(films, name, waits=True)
    filmed(recorder, 0, 1)
    name.match = "n"
    filmed(recorder, 2)
    recorder.close()
    assert times_of(films) == [0.0, 0.1]
    assert times_of(films, "n") == [0.2]


def test_unwritable_film_is_reported_once_and_can_be_retried(tmp_path: Path) -> None:
    (tmp_path / "films").write_text("a file where the folder should be")
    recorder = FilmRecorder(Films(tmp_path / "films"), Named(), waits=True)
    filmed(recorder, 0)
    assert "The operating system refused:" in str(recorder.trouble)
    assert not recorder.is_on
    (tmp_path / "films").unlink()
    filmed(recorder, 1)
    assert not (tmp_path / "films").exists()
    recorder.turn(True)
    filmed(recorder, 2)
    recorder.close()
    assert recorder.trouble is None
    assert times_of(Films(tmp_path / "films")) == [0.2]


def test_nearly_full_disk_is_reported_while_filming(tmp_path: Path) -> None:
    room = [10**12]
    recorder = FilmRecorder(Films(tmp_path / "films", free_bytes=lambda folder: room[0]), Named(), waits=True)
    filmed(recorder, 0)
    assert MatchFiles(film=recorder).warnings == ()
    room[0] = 500_000_000
    (warning,) = MatchFiles(film=recorder).warnings
    assert (warning.about, "less than 0.6 GB" in warning.text) == ("disk", True)
    recorder.turn(False)
    assert MatchFiles(film=recorder).warnings == ()
    recorder.close()


def test_invalid_frame_ends_the_film_without_an_exception(films: Films) -> None:
    recorder = FilmRecorder(films, Named(), waits=True)
    filmed(recorder, 0, 1)
    broken = Frame(None, 2, 0.2)  # type: ignore[arg-type]
    recorder.look(broken, None)
    recorder.close()
    assert str(recorder.trouble).startswith("Internal error: ")
    recorder.turn(True)
    recorder.look(broken, None)
    assert str(recorder.trouble).startswith("expected a frame that can be filmed, got ")
    recorder.turn(True)
    filmed(recorder, 3)
    recorder.close()
    assert recorder.trouble is None
