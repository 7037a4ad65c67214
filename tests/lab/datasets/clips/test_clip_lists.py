"""Lists of clips: held-out and development clips share nothing, and an invalid list is refused with one sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from datasets.clips.lists import ListError, film_list, read_list
from datasets.clips.table_tops import KEPT
from datasets.decks.library import RESERVED
from referee.rulebook import PRESETS

BENCHMARKS = Path(__file__).resolve().parents[4] / "benchmarks"


def test_held_out_and_development_clips_share_nothing() -> None:
    held, mine = read_list(BENCHMARKS / "held_out.toml"), read_list(BENCHMARKS / "development.toml")
    assert len(held) >= 60
    assert 8 <= len(mine) <= 60
    for word in ("deck", "surface", "seed"):
        shared = {getattr(c.recipe, word) for c in held} & {getattr(c.recipe, word) for c in mine}
        assert not shared, f"{word}: {shared}"
    assert all(clip.recipe.deck in RESERVED or clip.recipe.deck.startswith("invented-") for clip in held)
    assert all(clip.recipe.surface in KEPT for clip in held)
    assert not any(clip.recipe.deck in RESERVED for clip in mine)


def test_held_out_clips_cover_every_kind() -> None:
    recipes = [clip.recipe for clip in read_list(BENCHMARKS / "held_out.toml")]
    assert {recipe.rules for recipe in recipes} == set(PRESETS)
    assert {recipe.seats for recipe in recipes} == {2, 3, 4, 5, 6}
    assert {recipe.camera.size for recipe in recipes} == {(1280, 720), (1920, 1080)}
    assert {recipe.fps for recipe in recipes} == {25, 30}
    assert all(60 <= recipe.seconds <= 180 for recipe in recipes)
    assert min(recipe.camera.elevation_deg for recipe in recipes) <= 41
    assert Counter(recipe.talon is None for recipe in recipes)[True] >= 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clip = 3 4", "in TOML"),
        ("", r"at least one \[\[clip\]\]"),
        ('[[clip]]\nname = "a"\n', '"name" and a "seed"'),
        ('[[clip]]\nname = "a"\nseed = 1\ncolour = "red"\n', "got colour"),
        ('[[clip]]\nname = "a"\nseed = 1\nsurface = "plaid"\n', "a surface out of wood.* got 'plaid'"),
        ('[[clip]]\nname = "a"\nseed = 1\n[[clip]]\nname = "a"\nseed = 2\n', "each name once"),
    ],
)
def test_invalid_list_is_refused_with_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text)
    with pytest.raises(ListError, match=message):
        read_list(path)


def test_existing_clip_is_not_rendered_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.toml"
    path.write_text('[[clip]]\nname = "a"\nseed = 1\n')
    for name in ("a.mp4", "a.jsonl"):
        (tmp_path / name).write_text("here")
    film_list(path, tmp_path)
    assert (tmp_path / "a.mp4").read_text() == "here"
    assert "a is there" in capsys.readouterr().err
