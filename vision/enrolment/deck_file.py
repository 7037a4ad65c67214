"""
A deck that was shown once, kept in a small file: a few pictures of each card, its name, and which pairs look alike.

The file is a line with its format and checksum, then a zip of arrays (numpy's ``.npz``; ``docs/decks.md`` lists them),
some 300 kB for 36 cards. Pictures are kept, not what a network makes of them: under other weights the deck is learnt
anew.
"""

from __future__ import annotations

import hashlib
import io
import struct
import tokenize
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from referee.cards import PACK_SIZES, Card, pack
from vision.capture.image_headers import claimed_size_px, kind_of
from vision.data_home import data_home
from vision.detection.classifier import CROP_PX

MAGIC = b"kozyr deck "
FORMAT = 1
SUFFIX = ".deck"
LONGEST_NAME = 60
"""Letters of a deck's name. File systems take 255 bytes, of which a letter may be four. Set by hand, 2026-11."""
JPEG_QUALITY = 92
"""
Of the kept pictures, 0..100. Higher makes larger files; at this a crop comes back within 6 grey levels. Set by hand,
2026-11.
"""
LARGEST_BYTES = 32 << 20
"""
Most bytes of a deck's file: no deck comes near this, a file that does is none. More lets a hostile file take more
memory. Set by hand, 2026-11: 36 cards take some 300 kB.
"""
MOST_ENTRIES = 1000
"""
Most views in a deck's file (38 kB each once decoded), and most pairs that look alike. More lets a hostile file take
more memory, fewer might refuse a deck. Set by hand, 2026-11: 52 cards have 156 views, and twelve pairs are kept.
"""
DAMAGED = (
    *(ValueError, KeyError, TypeError, IndexError, OverflowError, RuntimeError, EOFError, MemoryError),
    *(zipfile.BadZipFile, struct.error, tokenize.TokenError, cv2.error),
)
"""What zip's directory, numpy's headers and the pictures lead to where somebody has written other things there."""


class DeckFileError(Exception):
    """A deck that can't be learnt, kept or used; the text is one sentence for the user."""


def decks_home() -> Path:
    """Where decks are kept that were named without a folder: ``decks`` in the program's data folder."""
    return data_home() / "decks"


def deck_name(text: str) -> str:
    """
    What a deck may be called: a name, kept in ``decks_home``, or a file ending in ``.deck`` anywhere.

    >>> deck_name("Атласные 2")
    'Атласные 2'
    >>> deck_name("../mine.deck")
    '../mine.deck'
    >>> deck_name("../mine")
    Traceback (most recent call last):
        ...
    ValueError: expected letters, digits, spaces, - and _ as a deck's name, or a file ending in .deck, got '../mine'
    """
    name = text.strip()
    plain = bool(name) and len(name) <= LONGEST_NAME and all(c.isalnum() or c in " -_" for c in name)
    if not plain and not (name.endswith(SUFFIX) and Path(name).stem.strip()):
        raise ValueError(
            f"expected letters, digits, spaces, - and _ as a deck's name, or a file ending in {SUFFIX}, got {text!r}"
        )
    return name


def deck_path(name: str) -> Path:
    """The file of the deck called ``name`` (``deck_name``)."""
    return Path(name).expanduser() if name.endswith(SUFFIX) else decks_home() / f"{name}{SUFFIX}"


def known_decks() -> tuple[str, ...]:
    """Names of the decks of this user."""
    home = decks_home()
    return tuple(sorted(path.stem for path in home.glob(f"*{SUFFIX}"))) if home.is_dir() else ()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """
    One look at one card. crop: (132, 96, 3) uint8 BGR, as the classifier sees it. doubtful: is its name uncertain?
    """

    card: Card
    crop: np.ndarray
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """Two cards hard to tell apart: ``share`` of simulated bad looks at either were taken for the other."""

    one: Card
    other: Card
    share: float

    def __str__(self) -> str:
        return f"{self.one}/{self.other}"


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDeck:
    """
    The views of a deck's cards, a few of each. ``pack_size``: how many cards it should have.

    ``weights``: the checksum of the classifier that named the cards; empty: not known.
    """

    name: str
    pack_size: int
    views: tuple[View, ...]
    look_alikes: tuple[LookAlikes, ...] = ()
    weights: str = ""

    @property
    def learnt(self) -> frozenset[Card]:
        """Cards of which there is a view."""
        return frozenset(view.card for view in self.views)

    @property
    def lacking(self) -> tuple[Card, ...]:
        """Cards of the pack never seen, in the pack's order."""
        learnt = self.learnt
        return tuple(card for card in pack(self.pack_size) if card not in learnt)

    @property
    def doubtful(self) -> tuple[Card, ...]:
        """Cards whose name is not certain, in the pack's order."""
        unsure = {view.card for view in self.views if view.doubtful}
        return tuple(card for card in pack(self.pack_size) if card in unsure)

    def renamed(self, was: Card, now: Card) -> EnrolledDeck:
        """What was called ``was`` is ``now``, and no longer doubtful; what was called so takes the other name."""
        names = {was: now, now: was}
        views = tuple(
            View(names.get(view.card, view.card), view.crop, view.doubtful and view.card != was) for view in self.views
        )
        order = {card: k for k, card in enumerate(pack(self.pack_size))}
        return replace(self, views=tuple(sorted(views, key=lambda view: order[view.card])))

    def save(self, path: Path) -> None:
        """Write the file; one that was there is replaced only when the new one is whole. ``DeckFileError``."""
        crops = []
        for view in self.views:
            done, data = cv2.imencode(".jpg", view.crop, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            assert done, view.crop.shape
            crops.append(data.reshape(-1))
        buffer = io.BytesIO()
        np.savez(
            buffer,
            pack_size=np.array(self.pack_size),
            weights=np.array(self.weights, "U64"),
            cards=np.array([str(view.card) for view in self.views], "U2"),
            doubtful=np.array([view.doubtful for view in self.views], bool),
            ends=np.cumsum([len(crop) for crop in crops], dtype=np.int64),
            crops=np.concatenate(crops) if crops else np.zeros(0, np.uint8),
            alike=np.array([[str(pair.one), str(pair.other)] for pair in self.look_alikes], "U2").reshape(-1, 2),
            alike_share=np.array([pair.share for pair in self.look_alikes], np.float32),
        )
        beside = path.with_name(path.name + ".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            body = buffer.getvalue()
            beside.write_bytes(MAGIC + f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
            beside.replace(path)
        except OSError as error:
            raise DeckFileError(
                f"expected to keep the deck at {path}, got '{error.strerror}'; make room there, or name another file "
                f"ending in {SUFFIX}"
            ) from None


def load_deck(name: str) -> EnrolledDeck:
    """The deck called ``name`` (``deck_name``); ``DeckFileError`` where there is none or its file is damaged."""
    path = deck_path(name)
    again = f"enrol it anew: kozyr enrol {name!r} SOURCE"
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        there = ", ".join(known_decks()) or "none so far"
        raise DeckFileError(
            f"expected a deck at {path}, found none (known by name: {there}); show it first: kozyr enrol {name!r} "
            "SOURCE"
        ) from None
    except OSError as error:
        raise DeckFileError(
            f"expected a deck that can be read in {path}, got '{error.strerror}'; check its rights"
        ) from None
    head, _, body = data.partition(b"\n")
    told = head.removeprefix(MAGIC).split()
    if head.startswith(MAGIC) and len(told) == 2 and told[0] != str(FORMAT).encode():
        version = told[0].decode("ascii", "replace")
        raise DeckFileError(f"expected a deck of format {FORMAT} in {path}, got format {version}; {again}")
    is_whole = len(data) <= LARGEST_BYTES and head == MAGIC + f"{FORMAT} {hashlib.sha256(body).hexdigest()}".encode()
    try:
        if not is_whole:
            raise ValueError("damaged, or no deck")
        return _read(name, body)
    except DAMAGED:
        raise DeckFileError(f"expected a deck in {path}, got a damaged file or none of a deck; {again}") from None


def _read(name: str, body: bytes) -> EnrolledDeck:
    """The deck kept in these bytes; one of ``DAMAGED`` where there is none."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in packed.infolist()):
            raise ValueError("packed entries, which may unpack to anything")
    with np.load(io.BytesIO(body), allow_pickle=False) as kept:
        return _deck_of(name, kept)


def _deck_of(name: str, kept: np.lib.npyio.NpzFile) -> EnrolledDeck:
    pack_size = int(kept["pack_size"])
    if pack_size not in PACK_SIZES:
        raise ValueError("no such pack")
    members = pack(pack_size)
    cards, ends, crops, pairs = kept["cards"], kept["ends"], kept["crops"], kept["alike"]
    if max(len(cards), len(pairs)) > MOST_ENTRIES:
        raise ValueError("more than any deck holds")
    views, start = [], 0
    for text, end, doubtful in zip(cards, ends, kept["doubtful"], strict=True):
        card = Card.parse(str(text))
        packed = np.frombuffer(crops[start : int(end)], np.uint8)
        data = packed.tobytes()
        if kind_of(data) != "JPEG" or claimed_size_px(data, "JPEG") != CROP_PX:
            raise ValueError("no picture of a card")
        crop = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        if crop is None or crop.shape != (CROP_PX[1], CROP_PX[0], 3) or card not in members:
            raise ValueError("no picture of a card")
        views.append(View(card, np.asarray(crop, np.uint8), bool(doubtful)))
        start = int(end)
    alike = tuple(
        LookAlikes(Card.parse(str(one)), Card.parse(str(other)), float(share))
        for (one, other), share in zip(pairs, kept["alike_share"], strict=True)
    )
    return EnrolledDeck(name, pack_size, tuple(views), alike, str(kept["weights"]))
