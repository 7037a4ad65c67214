"""A small film of the board, made of pictures that a page draws."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from features.moments.board_film import FRAME_S, LAST_S, MOST_FRAMES, write_board_film
from tests.browser.stored_match import EVENTS, StoredMatch, stored_match
from vision.capture.film_file import Film, FilmFile
from webapp.text.catalogue import page_words

MOST_BYTES = 3_000_000
Open = Callable[..., Page]


def picture(shade: int, size: tuple[int, int] = (161, 91), kind: str = "WEBP") -> bytes:
    written = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), shade, np.uint8)).save(written, kind)
    return written.getvalue()


@pytest.mark.parametrize("kind", ["WEBP", "JPEG", "PNG"])
def test_each_position_is_shown_for_a_moment(tmp_path: Path, kind: str) -> None:
    write_board_film([picture(shade, kind=kind) for shade in (40, 120, 200)], tmp_path / "board.mp4")
    film = Film([FilmFile(tmp_path / "board.mp4")])
    assert film.frames_s.tolist() == pytest.approx([0.0, FRAME_S, 2 * FRAME_S, 2 * FRAME_S + LAST_S], abs=0.01)
    shades = [int(image.mean()) for at_s in film.frames_s if (image := film.picture(float(at_s))) is not None]
    assert shades == pytest.approx([40, 120, 200, 200], abs=6)


@pytest.mark.parametrize(
    "pictures",
    [[], [b"no picture"], [picture(9)] * (MOST_FRAMES + 1), [picture(9, (2000, 2000))], [picture(9, (1, 9000))]],
    ids=["none", "other", "many", "large", "strip"],
)
def test_other_pictures_are_refused(tmp_path: Path, pictures: list[bytes]) -> None:
    with pytest.raises(ValueError, match="expected"):
        write_board_film(pictures, tmp_path / "board.mp4")


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    with stored_match(tmp_path) as made:
        yield made


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("language", ["en", "ru", "fr", "es", "he"])
def test_page_saves_a_game_as_a_film_of_the_board(
    open_page: Open, stored: StoredMatch, tmp_path: Path, language: str
) -> None:
    page = open_page(stored.page, language=language)
    page.wait_for_selector("body[data-ready]")
    page.locator("#tab-share").click()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name=page_words(language)["board_film"]).click()
    saved = tmp_path / "saved.mp4"
    downloaded.value.save_as(saved)
    assert saved.stat().st_size < MOST_BYTES
    film = Film([FilmFile(saved)])
    assert len(film.frames_s) == len(EVENTS) + 1, "each event, and the last one for longer"
    first, last = film.picture(0.0), film.picture(float(film.frames_s[-1]))
    assert first is not None
    assert last is not None
    assert np.abs(first.astype(int) - last).mean() > 1, "the board changes"
    expect(page.get_by_role("button", name=page_words(language)["board_film"])).to_be_enabled()
