"""Face backgrounds other than plain paper: which decks have them and how they are drawn (needs rsvg-convert)."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from datasets.decks import invented
from datasets.decks.invented_faces import KINDS, Face, picture

draws = pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert isn't on this machine")


def first_seed_of(kind: str) -> int:
    """Return the first seed whose deck has faces of this kind."""
    seeds = range(invented.FIRST_PICTURED, invented.FIRST_PICTURED + 300)
    return next(seed for seed in seeds if Face.draw(np.random.default_rng([seed, 0xFACE])).kind == kind)


def test_background_is_well_formed_and_depends_only_on_its_style() -> None:
    drawn = picture(np.random.default_rng(7), 70.0)
    ElementTree.fromstring(f"<svg>{drawn}</svg>")
    assert drawn == picture(np.random.default_rng(7), 70.0) != picture(np.random.default_rng(8), 70.0)


def test_every_kind_of_face_occurs_among_the_seeds() -> None:
    kinds = [Face.draw(np.random.default_rng(seed)).kind for seed in range(400)]
    assert set(kinds) == set(KINDS)
    assert 0.4 < kinds.count("paper") / 400 < 0.6


@draws
@pytest.mark.parametrize("kind", ["vivid", "picture", "by suit", "rim"])
def test_every_kind_is_visible_on_number_cards(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = first_seed_of(kind)
    changed = invented.invent_deck(seed, 120).faces["4s"][..., :3].astype(int)
    monkeypatch.setattr(invented, "FIRST_PICTURED", seed + 1)
    paper = invented.invent_deck(seed, 120).faces["4s"][..., :3].astype(int)
    assert (np.abs(changed - paper).sum(axis=2) > 30).mean() > 0.1


@draws
def test_lower_seeds_have_plain_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    before = invented.invent_deck(invented.FIRST_PICTURED - 1, 100).faces["Ks"]
    monkeypatch.setattr(invented, "Face", None)
    assert (invented.invent_deck(invented.FIRST_PICTURED - 1, 100).faces["Ks"] == before).all()
