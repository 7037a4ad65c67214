"""Invented decks: each seed gives another complete deck. Drawing needs rsvg-convert; choosing the style does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks import deck_art, invented, lettering
from datasets.decks.lettering import COURT_LETTERS, SKELETONS, SUIT_SHAPES, Hand
from datasets.decks.library import Deck

draws = pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert isn't on this machine")
DRAWN_HAND = Hand("", 0.12, 1.0, 0.0, round_ends=True, serif=0.15, form=1)


def test_every_printed_letter_has_a_glyph() -> None:
    letters = {letter for language in COURT_LETTERS.values() for letter in language.values()}
    for text in {*letters, *"2345678", "9", "10"}:
        ElementTree.fromstring(DRAWN_HAND.write(text, 10, "#000000"))
    assert set("012345678") <= set(SKELETONS)


def test_ten_is_wider_than_a_single_figure() -> None:
    assert 1.3 < DRAWN_HAND.advance("10") / DRAWN_HAND.advance("9") < 2.5


@draws
def test_suit_shapes_are_connected_and_stay_in_their_box() -> None:
    rng = np.random.default_rng(3)
    for suit, shape in SUIT_SHAPES.items():
        for _ in range(5):
            ink = deck_art.draw_text(
                '<svg xmlns="http://www.w3.org/2000/svg" width="140" height="140" viewBox="-70 -70 140 140">'
                f'<path d="{shape(rng)}"/></svg>'
            )[..., 3]
            ys, xs = np.nonzero(ink > 128)
            assert 18 <= xs.min() <= xs.max() <= 122, suit
            assert 18 <= ys.min() <= ys.max() <= 122, suit
            # The paper is connected: there are no holes where parts of the sign overlap.
            assert cv2.connectedComponents((ink < 128).astype(np.uint8))[0] == 2, suit


def a_blank_sheet(svg: str) -> np.ndarray:
    root = ElementTree.fromstring(svg)
    return np.full((int(root.attrib["height"]), int(root.attrib["width"]), 4), 200, np.uint8)


@pytest.mark.parametrize("seed", range(12))
def test_deck_has_every_face_and_a_back_of_one_size(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Runs anywhere: no fonts and no drawing, only the choice of style and the cutting.
    monkeypatch.setattr(lettering, "fonts", lambda cyrillic, every=False: ())
    monkeypatch.setattr(invented, "draw_text", a_blank_sheet)
    deck = invented.invent_deck(seed, 120)
    assert len(deck.faces) == 52
    assert deck.back is not None
    assert {face.shape for face in deck.faces.values()} == {deck.back.shape}
    assert deck.back.shape[0] == 120
    assert deck.indices in COURT_LETTERS
    assert deck.faces["As"][0, 0, 3] == 0
    assert deck.faces["As"][60, 20, 3] == 255


@draws
def test_deck_depends_only_on_its_seed() -> None:
    first, again, other = (invented.invent_deck(seed, 80) for seed in (5, 5, 6))
    assert all((first.faces[name] == again.faces[name]).all() for name in first.faces)
    assert any(
        first.faces[name].shape != other.faces[name].shape or (first.faces[name] != other.faces[name]).any()
        for name in first.faces
    )


@draws
def test_faces_of_different_ranks_and_suits_differ() -> None:
    deck = invented.invent_deck(11, 120)
    pictures = {name: face.tobytes() for name, face in deck.faces.items()}
    assert len(set(pictures.values())) == 52


@draws
def test_borrowed_court_figures_keep_rank_and_suit() -> None:
    size, green = (150, 105), (0, 200, 0, 255)
    donor = Deck("donor", "own", "english", {"Ks": np.full((*size, 4), green, np.uint8)}, None)
    for seed in range(20):
        plain, lent = invented.invent_deck(seed, 150), invented.invent_deck(seed, 150, [donor])
        changed = {name for name in plain.faces if (plain.faces[name] != lent.faces[name]).any()}
        assert changed <= {"Ks"}
        if changed:
            return
    raise AssertionError("expected a deck among twenty that borrows courts")


@draws
def test_drawing_without_alpha_channel_is_read() -> None:
    drawn = deck_art.draw_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"><rect width="8" height="6"/></svg>'
    )
    assert drawn.shape == (6, 8, 4)
    assert (drawn[..., 3] == 255).all()


@draws
@pytest.mark.parametrize("seed", range(1, 31, 3))
def test_index_contrasts_with_every_face(seed: int) -> None:
    deck = invented.invent_deck(seed, 160)
    for name in ("7s", "Qh"):
        face = deck.faces[name][..., :3].astype(int)
        corner = face[: 160 // 5, : face.shape[1] // 3]
        ground = np.median(corner.reshape(-1, 3), axis=0)
        assert (np.abs(corner - ground).sum(axis=2) > 90).mean() > 0.03


def ink_by_corner(deck: Deck, name: str) -> dict[str, float]:
    """Return how much the face differs from its paper, in each of its corners."""
    face = deck.faces[name][..., :3].astype(int)
    tall, wide = face.shape[0] // 5, face.shape[1] // 4
    paper = np.median(face.reshape(-1, 3), axis=0)
    marked = np.abs(face - paper).sum(axis=2) > 90
    ends = {"top": slice(3, tall), "bottom": slice(-tall, -3)}
    sides = {"left": slice(3, wide), "right": slice(-wide, -3)}
    return {f"{end} {side}": float(marked[ends[end], sides[side]].mean()) for end in ends for side in sides}


@draws
def test_odd_decks_occur_only_among_later_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {}
    for seed in (invented.FIRST_ODD - 1, invented.FIRST_ODD + 4):
        usual[seed] = invented.invent_deck(seed, 120)
    monkeypatch.setattr(invented, "ODD", dict.fromkeys(invented.ODD, 1.0))
    for seed, plain in usual.items():
        odd = invented.invent_deck(seed, 120)
        same = all((odd.faces[name] == plain.faces[name]).all() for name in plain.faces)
        assert same == (seed < invented.FIRST_ODD)


@draws
def test_mirrored_deck_has_indices_on_the_right(monkeypatch: pytest.MonkeyPatch) -> None:
    none = dict.fromkeys(invented.ODD, 0.0)
    for seed in range(invented.FIRST_ODD, invented.FIRST_ODD + 40):
        monkeypatch.setattr(invented, "ODD", none)
        usual = ink_by_corner(invented.invent_deck(seed, 160), "As")
        if usual["top left"] > 0.05 and usual["top right"] < 0.01:
            monkeypatch.setattr(invented, "ODD", none | {"mirrored": 1.0})
            mirrored = ink_by_corner(invented.invent_deck(seed, 160), "As")
            assert mirrored["top right"] > 0.05
            assert mirrored["top left"] < 0.3 * mirrored["top right"], "no more than a frame's line"
            return
    raise AssertionError("expected a deck among forty with its indices at the left alone")


def test_earlier_seeds_use_only_the_usual_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = ["C059", "DejaVu Sans", "Lato", "Lato,Lato Black", "Cardo", "Penguin Attack", "Standard Symbols PS"]

    def fc_list(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, "\n".join(listed))

    monkeypatch.setattr(lettering.subprocess, "run", fc_list)
    lettering.fonts.cache_clear()
    try:
        assert lettering.fonts(False) == ("C059", "DejaVu Sans")
        assert lettering.fonts(False, every=True) == ("C059", "Cardo", "DejaVu Sans", "Lato")
    finally:
        lettering.fonts.cache_clear()


@pytest.mark.parametrize(("seed", "every"), [(249_999, {False}), (250_000, {True})])
def test_later_seeds_may_use_any_font(seed: int, every: set[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = set()

    def fonts(cyrillic: bool, every: bool = False) -> tuple[str, ...]:
        asked.add(every)
        return ()

    monkeypatch.setattr(lettering, "fonts", fonts)
    monkeypatch.setattr(invented, "sign_fonts", lambda: ())
    monkeypatch.setattr(invented, "draw_text", a_blank_sheet)
    invented.invent_deck(seed, 60)
    assert asked == every


@draws
def test_suit_glyph_of_a_font_is_drawn_at_the_requested_place() -> None:
    if not lettering.sign_fonts():
        pytest.skip("no font on this machine draws suits")
    font = lettering.sign_fonts()[0]
    for suit in "shdc":
        sign = lettering.write_sign(font, suit, 40, "#000000")
        drawn = deck_art.draw_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
            f'<g transform="translate(50 60)">{sign}</g></svg>'
        )
        ys, xs = np.nonzero(drawn[..., 3] > 128)
        assert abs((ys.min() + ys.max() + 1) / 2 - 60) < 2.5
        assert abs((xs.min() + xs.max() + 1) / 2 - 50) < 2.5
        assert 36 <= ys.max() + 1 - ys.min() <= 44


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_tests_are_collected_with_fonts_but_without_a_drawing_program(tmp_path: Path) -> None:
    fonts = tmp_path / "fc-list"
    fonts.write_text("#!/bin/sh\necho Sans\n")
    fonts.chmod(0o755)
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[4],
    )
    assert found.returncode == 0, found.stdout
