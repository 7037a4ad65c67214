"""Tables of photographed textures: one tile over the whole table, and an error for a missing texture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.clips import photographed_tops
from datasets.clips.lists import ListError, read_list
from datasets.clips.table_tops import is_surface

SHAPE = (300, 400)


@pytest.fixture
def art(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a folder of art with one texture: brown, its left half darker."""
    (tmp_path / "textures").mkdir()
    tile = np.full((64, 64, 3), (60, 90, 140), np.uint8)
    tile[:, :32] //= 2
    cv2.imwrite(str(tmp_path / "textures" / "Plank001.png"), tile)
    monkeypatch.setattr(photographed_tops, "default_art", lambda: tmp_path)
    photographed_tops.texture_names.cache_clear()
    yield tmp_path
    photographed_tops.texture_names.cache_clear()


def test_texture_covers_the_whole_table_in_its_own_colours(art: Path) -> None:
    table = photographed_tops.photographed_top("Plank001", np.random.default_rng(3), SHAPE, 0.5)
    assert table.shape == (*SHAPE, 3)
    light = table[..., 2] > 100
    assert 0.3 < light.mean() < 0.7
    assert np.allclose(np.median(table[light], axis=0), (60, 90, 140), atol=20)
    assert np.allclose(np.median(table[~light], axis=0), (30, 45, 70), atol=12)


def test_same_seed_gives_the_same_table(art: Path) -> None:
    tops = [photographed_tops.photographed_top("Plank001", np.random.default_rng(5), SHAPE, 0.5) for _ in range(2)]
    assert np.array_equal(*tops)


def test_list_with_unknown_texture_is_refused(art: Path, tmp_path: Path) -> None:
    assert is_surface("photo Plank001")
    assert not is_surface("photo Plank002")
    path = tmp_path / "list.toml"
    path.write_text('[[clip]]\nname = "a"\nseed = 1\nsurface = "photo Plank002"\n', encoding="utf-8")
    with pytest.raises(ListError, match=r"expected a surface out of .*photo NAME.*got 'photo Plank002'"):
        read_list(path)
    with pytest.raises(ValueError, match="expected a texture out of Plank001, got 'Plank002'"):
        photographed_tops.photographed_top("Plank002", np.random.default_rng(5), SHAPE, 0.5)


def test_missing_art_gives_no_textures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographed_tops, "default_art", lambda: None)
    photographed_tops.texture_names.cache_clear()
    assert not is_surface("photo Plank001")
    photographed_tops.texture_names.cache_clear()
