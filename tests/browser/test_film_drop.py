"""A film is dropped on the library: sent in pieces, refereed beside the game, opened as a kept match with its film."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import soon
from tests.browser.kept import Kept, kept_match


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    with kept_match(tmp_path) as made:
        yield made


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Write two seconds of an empty table, more than one piece."""
    path = tmp_path / "Küche <b>2.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 360))
    noise = np.random.default_rng(1)
    for _ in range(20):
        writer.write(noise.integers(60, 120, (360, 640, 3), np.uint8))
    writer.release()
    return path


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_dropped_film_opens_as_a_stored_match(
    open_page: Callable[..., Page], kept: Kept, film: Path, size: str
) -> None:
    page = open_page(f"{kept.address}matches", size=size)
    page.click("#film-drop summary")
    expect(page.locator("#film-go")).to_be_disabled()
    page.set_input_files("#film-file", film)
    page.fill("#film-seats", "Anna, Boris, Vera")
    page.select_option("#film-rules", "perevodnoy")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#film-go")
    page.locator("#film-works a").click()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#about")).to_contain_text("Anna, Boris, and Vera")
    expect(page.locator("#film")).to_be_visible()
    newest = kept.matches.list()[0]
    assert [newest[key] for key in ("table", "rules", "ended", "film")] == ["Küche <b>2", "perevodnoy", True, True]
    assert kept.matches.films is not None
    incoming = kept.matches.films.folder / "incoming"
    soon(page, lambda: not any(incoming.iterdir()))  # it is deleted when its process has ended


def test_file_that_is_no_film_is_refused_with_one_sentence(
    open_page: Callable[..., Page], kept: Kept, tmp_path: Path
) -> None:
    page = open_page(f"{kept.address}matches")
    (tmp_path / "broken.mp4").write_bytes(b"this is no film" * 100)
    page.click("#film-drop summary")
    page.set_input_files("#film-file", tmp_path / "broken.mp4")
    page.click("#film-go")
    line = page.locator("#film-works li")
    expect(line).to_contain_text("This film can't be refereed: No film could be read there.")
    assert len(kept.matches.list()) == 1


def test_storing_pictures_is_off_until_ticked(open_page: Callable[..., Page], kept: Kept) -> None:
    page = open_page(f"{kept.address}matches", size="phone")
    box = page.locator("#labelled-box")
    expect(box).not_to_be_checked()
    box.check()
    page.reload()
    expect(page.locator("#labelled-box")).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
