"""
Pack all art for training into one file, for a machine that has no decks, fonts or rsvg-convert.

    python -m models.training.art_pack --out runs/art.npz --invented 60 --first-deck 400000

Faces are stored as WebP of ``--height`` px; what training draws from text (suit and rank signs, pictures without
cards) is drawn now. ``models.training.train --pack runs/art.npz`` trains from it. 90 decks take about 20 MB.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.invented import invent_deck
from datasets.decks.library import Deck, load_decks
from datasets.faces.face import TRAINING_SIGNS, court_pictures
from datasets.faces.lot_art import SUIT_SETS, WRITINGS, LotFaces
from datasets.faces.signs import gathered, load_signs
from datasets.scenes.no_cards import no_card_picture
from datasets.scenes.scene import Art, load_art, standard_weights

BARE_SIDE_PX = 640
"""Longest side of the pictures without cards."""


def encoded(picture: np.ndarray, quality: int) -> np.ndarray:
    """Compress (h, w, 3) BGR or (h, w, 4) RGBA uint8 to WebP: (bytes,) uint8."""
    stored = cv2.cvtColor(picture, cv2.COLOR_RGBA2BGRA) if picture.shape[2] == 4 else picture
    return cv2.imencode(".webp", stored, [cv2.IMWRITE_WEBP_QUALITY, quality])[1].ravel()


def decoded(stored: np.ndarray) -> np.ndarray:
    """Reverse ``encoded``."""
    picture = np.asarray(cv2.imdecode(stored, cv2.IMREAD_UNCHANGED), np.uint8)
    return cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA) if picture.shape[2] == 4 else picture


def with_alpha(picture: np.ndarray) -> np.ndarray:
    """Return a decoded face as (h, w, 4) RGBA: WebP leaves out the alpha of an opaque one, and decodes it as BGR."""
    return cv2.cvtColor(picture, cv2.COLOR_BGR2RGBA) if picture.shape[2] == 3 else picture


def smaller(picture: np.ndarray, tall_px: float) -> np.ndarray:
    """Scale a picture down to ``tall_px``; one that is smaller stays as it is."""
    scale = tall_px / picture.shape[0]
    return picture if scale >= 1 else cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def entries(decks: list[Deck], height_px: int, quality: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the names and contents of the faces of decks; a face is ``deck number/card``."""
    for number, deck in enumerate(decks):
        faces = dict(deck.faces) if deck.back is None else {**deck.faces, "back": deck.back}
        for card, face in faces.items():
            yield f"{number}/{card}", encoded(smaller(np.ascontiguousarray(face), height_px), quality)


def write_pack(
    path: Path, decks: list[Deck], art: Art, bare: list[np.ndarray], signs: Path, size: tuple[int, int]
) -> None:
    """Write ``path``; ``art`` has the weights of decks, tiles and hands, ``size`` is (height in px, quality)."""
    facts = [{"name": d.name, "source": d.source, "indices": d.indices, "family": d.family} for d in decks]
    content = dict(entries(decks, *size))
    content |= {f"tile/{i}": encoded(tile, 85) for i, tile in enumerate(art.tiles)}
    hands = [smaller(hand, 360) for hand in art.hands]
    content |= {f"hand/{i}": encoded(np.ascontiguousarray(hand[..., [2, 1, 0, 3]]), 80) for i, hand in enumerate(hands)}
    content |= {f"bare/{i}": encoded(picture, 75) for i, picture in enumerate(bare)}
    with np.load(signs) as kept:
        content |= {f"sign/{name}": cv2.imencode(".png", kept[name])[1].ravel() for name in kept.files}
    index = {"decks": facts, "weights": art.weights.tolist(), "lengths": {n: len(c) for n, c in content.items()}}
    with path.open("wb") as out:
        np.savez(out, index=np.array(json.dumps(index)), content=np.concatenate(list(content.values())))


def read_pack(path: Path, lot_share: float) -> tuple[Art, LotFaces | None]:
    """Return the art of a pack, and its faces of random layout if ``lot_share`` asks for some."""
    with np.load(path) as pack:
        index, content = json.loads(str(pack["index"])), pack["content"]
    ends = np.cumsum(list(index["lengths"].values()))
    groups: dict[str, dict[str, np.ndarray]] = {}
    for name, stored in zip(index["lengths"], np.split(content, ends[:-1]), strict=True):
        group, _, rest = name.partition("/")
        groups.setdefault(group, {})[rest] = stored
    decks = []
    for number, fact in enumerate(index["decks"]):
        faces = {card: with_alpha(decoded(stored)) for card, stored in groups[str(number)].items()}
        back = faces.pop("back", None)
        decks.append(Deck(fact["name"], fact["source"], fact["indices"], faces, back, fact["family"]))
    art = load_art(decks, None, None, {d.name: float(w) for d, w in zip(decks, index["weights"], strict=True)})
    art = replace(
        art,
        tiles=[decoded(stored) for stored in groups.get("tile", {}).values()],
        hands=[decoded(stored)[..., [2, 1, 0, 3]] for stored in groups.get("hand", {}).values()],
        bare=tuple(decoded(stored) for stored in groups.get("bare", {}).values()),
    )
    signs = {
        name: np.asarray(cv2.imdecode(stored, cv2.IMREAD_UNCHANGED), np.uint8)
        for name, stored in groups["sign"].items()
    }
    courts = court_pictures([deck for deck in decks if deck.source != "invented"])
    return art, LotFaces(gathered(signs), courts, lot_share) if lot_share else None


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--invented", type=int, default=60)
    parser.add_argument("--first-deck", type=int, default=1, help="seed of the first invented deck")
    parser.add_argument("--bare", type=int, default=100, help="pictures without cards")
    parser.add_argument("--height", type=int, default=256, help="of a face in px")
    parser.add_argument("--quality", type=int, default=80)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    folder = args.art if args.art.is_dir() else None
    decks = load_decks(height_px=320, cache=args.cache, art=folder)
    new = [invent_deck(seed, 320, donors=decks) for seed in range(args.first_deck, args.first_deck + args.invented)]
    weights = standard_weights(decks, new)
    art = load_art(
        [*decks, *new], folder / "textures" if folder else None, folder / "hands" if folder else None, weights
    )
    bare = [no_card_picture(art, 2 * (args.first_deck + number))[1] for number in range(args.bare)]
    bare = [smaller(picture, BARE_SIDE_PX * picture.shape[0] / max(picture.shape[:2])) for picture in bare]
    load_signs(TRAINING_SIGNS, WRITINGS, SUIT_SETS, args.cache)
    signs = args.cache / f"signs-{TRAINING_SIGNS}-{WRITINGS}-{SUIT_SETS}.npz"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_pack(args.out, [*decks, *new], art, bare, signs, (args.height, args.quality))


if __name__ == "__main__":
    main()
