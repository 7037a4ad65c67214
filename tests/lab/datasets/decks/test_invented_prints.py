"""Decks printed against custom: only later seeds, each with the name of its print; square numerals."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from datasets.decks import invented, invented_prints
from datasets.decks.invented_prints import as_silhouette
from datasets.decks.lettering import SQUARED, Hand

draws = pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert isn't on this machine")
FIRST = invented.FIRST_REPRINTED


def test_only_later_decks_are_printed_against_custom_and_each_of_these_is() -> None:
    assert not invented.prints_of(FIRST - 1)
    kinds = [invented.prints_of(seed) for seed in range(FIRST, FIRST + 60)]
    assert all(kinds)
    assert set().union(*kinds) == set(invented_prints.KINDS)


def only(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Let each deck have this print alone."""
    shares = dict.fromkeys(invented_prints.KINDS, 0.0) | {kind: 1.0}
    monkeypatch.setattr(invented_prints, "KINDS", shares)


@draws
def test_a_panel_lies_under_the_pips_of_number_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "panel")
    with_panel = [invented.invent_deck(seed, 160) for seed in range(FIRST, FIRST + 4)]
    only(monkeypatch, "one ink")
    without = [invented.invent_deck(seed, 160) for seed in range(FIRST, FIRST + 4)]
    for one, other in zip(with_panel, without, strict=True):
        lined = np.abs(one.faces["8s"].astype(int) - other.faces["8s"].astype(int)).sum(axis=2) > 40
        tall, wide = lined.shape
        assert lined[tall // 4 : -tall // 4, wide // 4 : -wide // 4].any()


@draws
def test_one_ink_prints_hearts_in_the_colour_of_spades(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "one ink")
    for seed in range(FIRST, FIRST + 4):
        assert len(set(invented._style_of(seed).ink.values())) == 1


def test_a_silhouette_has_one_ink_on_its_paper() -> None:
    face = np.full((40, 30, 4), 240, np.uint8)
    face[10:30, 8:20, :3] = np.random.default_rng(0).integers(0, 190, (20, 12, 3))
    as_silhouette(face, (2, 2, 28, 38), (20, 20, 20))
    assert {tuple(spot) for spot in face[..., :3].reshape(-1, 3).tolist()} == {(240, 240, 240), (20, 20, 20)}


@pytest.mark.parametrize("text", ["6", "8", "9", "10", "J", "Q", "K", "Т"])
def test_square_numerals_are_drawn_and_others_stay(text: str) -> None:
    usual = Hand("", 0.12, 1.0, 0.0, round_ends=True, serif=0.0, form=0)
    square = Hand("", 0.12, 1.0, 0.0, round_ends=True, serif=0.0, form=0, squared=True)
    ElementTree.fromstring(square.write(text, 10, "#000000"))
    is_square = any(letter in SQUARED for letter in text.replace("9", "6"))
    assert (square.write(text, 10, "#000000") != usual.write(text, 10, "#000000")) == is_square
