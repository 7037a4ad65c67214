"""Overlays on a film: they appear and disappear, and do not change the film in between."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.clips.overlays import OPENING_S, OVERLAYS, SLIDES_S, STAYS_S, Overlays

FILM = np.full((180, 320, 3), (40, 90, 50), np.uint8)


def faces() -> dict[str, np.ndarray]:
    return {"7s": np.full((100, 70, 4), (255, 0, 0, 255), np.uint8), "back": np.full((100, 70, 4), 9, np.uint8)}


@pytest.mark.parametrize("overlay", [overlay for overlay in OVERLAYS if overlay != "freeze"])
def test_overlay_appears_stays_and_disappears(overlay: str) -> None:
    overlays = Overlays([overlay], faces(), 12.0, np.random.default_rng(1))
    there = OPENING_S + SLIDES_S + STAYS_S / 2
    shown = [overlays.over(FILM, at) for at in (0.5, there, there + 0.5, there + 6.0)]
    assert np.array_equal(shown[0], FILM)
    assert (shown[1] != FILM).any(axis=2).mean() > 0.02
    assert np.array_equal(shown[1], shown[2])
    assert np.array_equal(shown[3], FILM)


def test_sliding_overlay_is_rigid() -> None:
    overlays = Overlays(["corner"], faces(), 12.0, np.random.default_rng(1))
    coming, there = (overlays.over(FILM, OPENING_S + at) for at in (0.35, SLIDES_S + 0.5))
    assert 0 < (coming != FILM).any(axis=2).sum() < (there != FILM).any(axis=2).sum()


def test_faces_in_overlays_keep_their_colours() -> None:
    shown = Overlays(["row"], faces(), 12.0, np.random.default_rng(1)).over(FILM, OPENING_S + SLIDES_S + 1)
    red = (shown[:, :, 2] > 200) & (shown[:, :, 0] < 60)
    assert red.mean() > 0.01


def test_frozen_film_resumes_at_the_current_time() -> None:
    overlays = Overlays(["freeze"], faces(), 12.0, np.random.default_rng(1))
    films = {at: np.full_like(FILM, round(40 * at)) for at in (OPENING_S, OPENING_S + 1.0, OPENING_S + 2.0)}
    shown = [overlays.over(film, at)[0, 0, 0] for at, film in films.items()]
    assert shown == [60, 60, 140]
