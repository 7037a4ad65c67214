"""
Learn the deck of a clip before the game, from rows of nine cards, as ``kozyr enrol --order`` does.

The rows lie on another table, under another lamp and another camera than the clip's, which is harder than showing the
deck where it will be used.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

from datasets.clips.lists import read_list
from datasets.clips.recipes import Recipe
from datasets.decks.invented import invent_deck
from datasets.decks.library import Deck, default_art, load_decks
from datasets.scenes.scene import load_art
from features.enrolment.deck_file import EnrolledDeck, load_deck
from models.evaluation.check_sets import DECK_PX
from models.evaluation.enrol_gain import enrolled
from referee.cards import pack
from referee.rulebook import rulebook
from vision.detection.card_detector import load_card_detector
from vision.detection.networks import find_manifest

LISTS = tuple(Path(__file__).parent / f"{name}.toml" for name in ("development", "held_out"))
FIRST_SEED = 810_000_000
"""Seed of lamps and cameras for learning; no clip and no training uses it."""


def recipe_of(clip: Path) -> Recipe:
    """Return the recipe of the clip of that name. Raises ``ValueError`` if no list has it."""
    for place in LISTS:
        for listed in read_list(place):
            if listed.name == clip.stem:
                return listed.recipe
    raise ValueError(f"expected a clip of {' or '.join(place.name for place in LISTS)}, got {clip.stem}")


def cards_of(recipe: Recipe) -> int:
    """Return the number of cards in play."""
    return rulebook(recipe.rules, dict(recipe.options)).pack


def deck_of(recipe: Recipe) -> Deck:
    """Return the clip's deck, reduced to the cards in play."""
    if recipe.deck.startswith("invented-"):
        deck = invent_deck(int(recipe.deck.removeprefix("invented-")), DECK_PX)
    else:
        (deck,) = load_decks([recipe.deck], height_px=DECK_PX, reserved=recipe.reserved)
    faces = {name: deck.faces[name] for name in map(str, pack(cards_of(recipe)))}
    return Deck(deck.name, deck.source, deck.indices, faces, deck.back)


def shown(clip: Path, folder: Path, weights: Path | None = None) -> EnrolledDeck:
    """Return the clip's learned deck, cached in ``folder``. Raises ``DeckFileError`` if it cannot be learned."""
    recipe = recipe_of(clip)
    known_by = hashlib.sha256((weights or find_manifest()).read_bytes()).hexdigest()[:12]
    file = folder / f"{clip.stem}-{known_by}.deck"
    if not file.is_file():
        art = default_art()
        deck = deck_of(recipe)
        tables = load_art([deck], art / "textures" if art else None, art / "hands" if art else None)
        learnt, _, _ = enrolled(
            load_card_detector(weights), tables, FIRST_SEED + recipe.seed % 100_000 * 400, cards_of(recipe)
        )
        folder.mkdir(parents=True, exist_ok=True)
        learnt.save(file)
    return load_deck(str(file))


def main() -> int:
    """Learn the decks of clips."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--weights", type=Path)
    args = parser.parse_args()
    for clip in args.clips:
        deck = shown(clip, args.out, args.weights)
        print(f"{clip.stem}: {len(deck.learnt)} cards, in doubt {len(deck.doubtful)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
