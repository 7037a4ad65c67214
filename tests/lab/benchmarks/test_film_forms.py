"""A film in other forms: what they change, and how their events are compared."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.film_forms import FORMS, FilmForm, events, same, write
from tests.film_part import cut_film
from tests.sample_size import sample_size
from vision.capture.sources import open_source
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD

COLUMNS, ROWS, SECONDS = 160, 96, 4.0


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a film of four seconds, light in its left upper quarter."""
    path = tmp_path_factory.mktemp("film") / "plain.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25.0, (COLUMNS, ROWS))
    picture = np.full((ROWS, COLUMNS, 3), 60, np.uint8)
    picture[: ROWS // 2, : COLUMNS // 2] = 180
    for _ in range(int(25 * SECONDS)):
        writer.write(picture)
    writer.release()
    return path


def read(path: Path) -> tuple[list[np.ndarray], list[float]]:
    with open_source(str(path)) as source:
        frames = list(source)
    return [frame.image_bgr for frame in frames], [frame.at for frame in frames]


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_form_lasts_as_long_as_the_film(form: FilmForm, film: Path, tmp_path: Path) -> None:
    _, times = read(write(film, form, tmp_path))
    assert times == sorted(times)
    assert times[-1] == pytest.approx(SECONDS, abs=0.2)


def test_half_turn_in_the_mark_is_taken_back_by_the_reader(film: Path, tmp_path: Path) -> None:
    (plain, *_), _ = read(film)
    (marked, *_), _ = read(write(film, FORMS["marked-180"], tmp_path))
    (turned, *_), _ = read(write(film, FORMS["turned-180"], tmp_path))
    assert float(np.abs(marked.astype(float) - plain).mean()) < 4
    assert float(np.abs(turned.astype(float) - plain).mean()) > 40


@pytest.mark.parametrize(("name", "size"), [("cropped", (90, 148)), ("turned-90", (160, 96))])
def test_form_changes_the_size(name: str, size: tuple[int, int], film: Path, tmp_path: Path) -> None:
    (picture, *_), _ = read(write(film, FORMS[name], tmp_path))
    assert picture.shape[:2] == size


def test_reader_cuts_the_border_off(film: Path, tmp_path: Path) -> None:
    (picture, *_), _ = read(write(film, FORMS["bordered"], tmp_path))
    assert picture.shape[:2] == pytest.approx((ROWS, COLUMNS), abs=4)


def test_rates(film: Path, tmp_path: Path) -> None:
    frames = {name: len(read(write(film, FORMS[name], tmp_path))[1]) for name in ("8-a-second", "60-a-second")}
    assert frames["8-a-second"] == pytest.approx(8 * SECONDS, abs=2)
    assert frames["60-a-second"] == pytest.approx(60 * SECONDS, abs=3)


def test_events_are_compared_by_kind_card_and_time() -> None:
    film = [("placed", "6s", 1.0), ("placed", "7s", 2.0), ("swept", "", 3.0)]
    form = [("placed", "6s", 1.2), ("placed", "8s", 2.0), ("swept", "", 3.4)]
    assert same(film, form) == (
        ["placed 7s at 2.00", "swept  at 3.00"],
        ["placed 8s at 2.00", "swept  at 3.40"],
    )


STORED_OTHERWISE = ("bordered", "encoded-twice", "uneven-rate", "brighter", "cropped", "marked-180", "60-a-second")
"""Forms in which the recording's first bout must read the same; those of weak cameras and turned tables are measured
by the command."""


@pytest.fixture(scope="module")
def bout(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[tuple[str, str, float]]]:
    """Return the recording's first bout with the draws after it, the arguments for its game, and its events."""
    film = tmp_path_factory.mktemp("bout") / "bout.mp4"
    cut_film(DEMO_CLIP, film, 11.5)
    header = film.with_name("header.json")
    header.write_text(DEMO_RECORD.read_text("utf-8").splitlines()[0], "utf-8")
    arguments = ["--start", str(header), "--seats", "Anya,Boris,Vera"]
    return film, arguments, events(film, arguments)


@pytest.mark.thorough
@pytest.mark.parametrize("name", STORED_OTHERWISE[: sample_size(4, nightly=7)])
def test_film_means_the_same_however_it_is_stored(
    name: str, bout: tuple[Path, list[str], list[tuple[str, str, float]]], tmp_path: Path
) -> None:
    film, arguments, own = bout
    assert [kind for kind, *_ in own] == ["placed", "placed", "swept", "drawn", "drawn"]
    assert same(own, events(write(film, FORMS[name], tmp_path), arguments)) == ([], [])
