"""Art packs: decks, weights and pictures survive a round trip up to compression."""

from pathlib import Path

import numpy as np

from datasets.decks.library import Deck
from datasets.scenes.scene import BACK, load_art
from models.training.art_pack import read_pack, write_pack


def test_art_pack_round_trip_keeps_decks_weights_and_pictures(tmp_path: Path) -> None:
    face = np.zeros((120, 84, 4), np.uint8)
    face[..., 3] = 255
    face[:, :42, 0] = 250
    other = np.ascontiguousarray(face[:, ::-1])
    decks = [
        Deck("red", "own", "english", {"As": face, "Kh": other}, face),
        Deck("new", "invented", "english", {"As": face}, None),
    ]
    art = load_art(decks, None, None, {"red": 3.0, "new": 1.0})
    bare = np.full((90, 160, 3), (10, 200, 30), np.uint8)
    signs = tmp_path / "signs.npz"
    np.savez(signs, **{"0 suit h": np.full((120, 60), 255, np.uint8)})
    path = tmp_path / "art.npz"
    write_pack(path, decks, art, [bare], signs, (60, 90))
    read, faces = read_pack(path, 0.25)
    assert read.names == ("red", "new")
    np.testing.assert_allclose(read.weights, [0.75, 0.25])
    assert set(read.decks[0]) == {"As", "Kh", BACK}
    assert set(read.decks[1]) == {"As"}
    shown = read.decks[0]["Kh"][0].astype(int)
    assert shown.shape == (60, 42, 4)
    assert shown[:, :18, 2].max() < 40
    assert shown[:, 24:, 2].min() > 210
    assert np.abs(read.bare[0].astype(int) - bare).max() < 12
    assert faces is not None
    assert faces.share == 0.25
    assert read_pack(path, 0.0)[1] is None
