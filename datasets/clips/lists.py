"""
Lists of clips: a TOML file names them, and one command films those that aren't there yet.

    [[clip]]
    name = "kitchen-01"
    seed = 4711
    deck = "invented-93"      # every other word of ``recipes.drawn`` may follow; missing keys are drawn from the seed
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.clips.free_play import PLAYS
from datasets.clips.ground_truth import as_line, record
from datasets.clips.overlays import OVERLAYS
from datasets.clips.recipes import Recipe, drawn, is_reserved, overlays_of, rehearse, set_up, webcam_of
from datasets.clips.table_tops import PHOTOGRAPHED, SURFACES, is_surface
from datasets.clips.video import shoot

WORDS = frozenset(
    (
        *("name", "seed", "rules", "seats", "deck", "surface", "elevation", "height", "fps", "seconds", "talon"),
        *("faults", "menu", "free", "habits", "mishaps", "plays", "scale", "webcam", "overlays"),
        *("light", "arms", "lingers"),
    )
)
"""The keys that a clip may have in a list."""


class ListError(ValueError):
    """A list of clips, or a wish on the command line, that can't be used."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One line of a list: its name, and how it is made."""

    name: str
    recipe: Recipe


def read_list(path: Path) -> tuple[Clip, ...]:
    """
    Read the clips of a list. ``reserved = true`` at its head lets it use decks that are kept for checks.

    ``ListError`` says in one sentence what is wrong.
    """
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ListError(f"{path}: expected a list of clips in TOML, got {error}") from None
    clips: list[Clip] = []
    for place, words in enumerate(data.get("clip", []), start=1):
        where = f"{path}: clip {place}"
        if not isinstance(words.get("name"), str) or not isinstance(words.get("seed"), int):
            raise ListError(f'{where}: expected a "name" and a "seed", got {words}')
        if strange := sorted(words.keys() - WORDS):
            raise ListError(f"{where}: expected one of {', '.join(sorted(WORDS))}, got {', '.join(strange)}")
        if not is_surface(str(words.get("surface", "wood"))):
            known = f"{', '.join(SURFACES)} or {PHOTOGRAPHED}NAME with a texture of the art beside the checkout"
            raise ListError(f"{where}: expected a surface out of {known}, got {words['surface']!r:.60}")
        if strange := sorted(set(words.get("plays", ())) - set(PLAYS)):
            raise ListError(f"{where}: expected plays out of {', '.join(PLAYS)}, got {', '.join(strange)}")
        if strange := sorted(set(words.get("overlays", ())) - set(OVERLAYS)):
            raise ListError(f"{where}: expected overlays out of {', '.join(OVERLAYS)}, got {', '.join(strange)}")
        if any(clip.name == words["name"] for clip in clips):
            raise ListError(f"{where}: expected each name once, got {words['name']} again")
        reserved = bool(data.get("reserved")) and is_reserved(str(words.get("deck")))
        rest = {key: value for key, value in words.items() if key not in ("name", "seed")}
        try:
            clips.append(Clip(words["name"], drawn(words["seed"], reserved=reserved, **rest)))
        except ValueError as error:
            raise ListError(f"{where}: {error}") from None
    if not clips:
        raise ListError(f"{path}: expected at least one [[clip]], found none")
    return tuple(clips)


def film_list(
    path: Path, out: Path, only: list[str] | None = None, *, tracks: bool = False, records: bool = False
) -> None:
    """Film what isn't in ``out`` yet; ``records``: write only the truth. An existing clip is skipped."""
    clips = read_list(path)
    if tomllib.loads(path.read_text(encoding="utf-8")).get("rendered"):
        raise ListError(f"{path}: its clips are rendered: python -m datasets.rendered --list {path} --out {out}")
    if only and (unknown := sorted(set(only) - {clip.name for clip in clips})):
        raise ListError(f"{path}: expected names of the list, got {', '.join(unknown)}")
    wanted = [clip for clip in clips if not only or clip.name in only]
    out.mkdir(parents=True, exist_ok=True)
    for place, clip in enumerate(wanted, start=1):
        video, truth = out / f"{clip.name}.mp4", out / f"{clip.name}.jsonl"
        beside = out / f"{clip.name}.tracks.jsonl"
        done = truth.exists() if records else video.exists() and truth.exists() and (beside.exists() or not tracks)
        print(f"{place}/{len(wanted)} {clip.name}{' is there' if done else ''}", file=sys.stderr)
        if done:
            continue
        performance, arms = rehearse(clip.recipe)
        if records:
            lines = "".join(as_line(line) + "\n" for line in record(performance))
            truth.write_text(lines, encoding="utf-8")
            continue
        painter = set_up(clip.recipe, performance.stage, arms)
        r = clip.recipe
        webcam, overlays = webcam_of(r), overlays_of(r, performance.seconds)
        shoot(
            performance, painter, arms, video,
            crf=r.crf, preset=r.preset, tracks=tracks, webcam=webcam, overlays=overlays,
        )  # fmt: skip
