"""
Save and load an enrolled deck: a few pictures of each card, its name, and the easily confused pairs.

The file is a line with its format and checksum, then a zip of arrays (numpy's ``.npz``; ``docs/decks.md`` lists them),
about 300 kB for 36 cards. It holds pictures, not features, so that other weights can compute their own.
"""

from __future__ import annotations

import hashlib
import io
import struct
import tokenize
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import cv2
import numpy as np

from features.enrolment.deck_names import SUFFIX, deck_path, known_decks
from referee.cards import PACK_SIZES, Card, pack
from vision.capture.image_files import PictureError, decode_picture
from vision.detection.classifier import CROP_PX
from webapp.errors import OwnDeckError

MAGIC = b"kozyr deck "
FORMAT = 1
JPEG_QUALITY = 92
"""JPEG quality of the pictures, 0..100; at 92 a decoded crop differs by at most 6 grey levels. Set by hand, 2026-11."""
LARGEST_BYTES = 32 << 20
"""
Largest size of a deck's file in bytes; larger files are refused unread. Set by hand, 2026-11: 36 cards take some 300
kB.
"""
MOST_ENTRIES = 1000
"""
Largest number of views in a file (38 kB each once decoded), and of confusable pairs. Set by hand, 2026-11: 52 cards
have 156 views, and twelve pairs are kept.
"""
DAMAGED = (
    *(ValueError, KeyError, TypeError, IndexError, OverflowError, RuntimeError, EOFError, MemoryError),
    *(zipfile.BadZipFile, struct.error, tokenize.TokenError, cv2.error),
)
"""Exceptions that a damaged or manipulated file may cause in zip, numpy's header parser or the image decoder."""


class DeckFileError(OwnDeckError):
    """A deck that cannot be learnt, saved or used; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class CardView:
    """
    One picture of one card. crop: (132, 96, 3) uint8 BGR, as the classifier sees it. doubtful: its name is uncertain.
    corrected: it is of a game, where people put the card right (``corrected_cards``), and was not shown.
    """

    card: Card
    crop: np.ndarray
    doubtful: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """Two easily confused cards: ``share`` of the degraded pictures of either were classified as the other."""

    one: Card
    other: Card
    share: float

    def __str__(self) -> str:
        return f"{self.one}/{self.other}"


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDeck:
    """
    The views of a deck's cards, a few of each. ``pack_size``: number of cards in the complete pack.

    ``weights``: checksum of the classifier that named the cards; empty if not known.
    """

    name: str
    pack_size: int
    views: tuple[CardView, ...]
    look_alikes: tuple[LookAlikes, ...] = ()
    weights: str = ""

    @property
    def learnt(self) -> frozenset[Card]:
        """Return the cards that have at least one view."""
        return frozenset(view.card for view in self.views)

    @property
    def lacking(self) -> tuple[Card, ...]:
        """Return the cards of the pack without a view, in the pack's order."""
        learnt = self.learnt
        return tuple(card for card in pack(self.pack_size) if card not in learnt)

    @property
    def doubtful(self) -> tuple[Card, ...]:
        """Return the cards whose name is not certain, in the pack's order."""
        unsure = {view.card for view in self.views if view.doubtful}
        return tuple(card for card in pack(self.pack_size) if card in unsure)

    @property
    def shown(self) -> tuple[CardView, ...]:
        """Return the views that the players showed, without those of corrected cards."""
        return tuple(view for view in self.views if not view.corrected)

    def renamed(self, was: Card, now: Card) -> EnrolledDeck:
        """Rename card ``was`` to ``now``, no longer doubtful; if ``now`` was taken, the two names are swapped."""
        names = {was: now, now: was}
        views = tuple(
            replace(view, card=names.get(view.card, view.card), doubtful=view.doubtful and view.card != was)
            for view in self.views
        )
        order = {card: k for k, card in enumerate(pack(self.pack_size))}
        return replace(self, views=tuple(sorted(views, key=lambda view: order[view.card])))

    def save(self, path: Path) -> None:
        """
        Write the file, replacing an old one only when the new one is complete; raise ``DeckFileError`` on failure.
        """
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
            corrected=np.array([view.corrected for view in self.views], bool),
            ends=np.cumsum([len(crop) for crop in crops], dtype=np.int64),
            crops=np.concatenate(crops) if crops else np.zeros(0, np.uint8),
            alike=np.array([[str(pair.one), str(pair.other)] for pair in self.look_alikes], "U2").reshape(-1, 2),
            alike_share=np.array([pair.share for pair in self.look_alikes], np.float32),
        )
        # Two taps save at once: each writes a file of its own, and the later one stays.
        beside = path.with_name(f"{path.name}.{uuid4().hex}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            body = buffer.getvalue()
            beside.write_bytes(MAGIC + f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
            beside.replace(path)
        except OSError as error:
            raise DeckFileError(
                f"The operating system refused: {path}: {error.strerror}; make room for the deck, or name another "
                f"file ending in {SUFFIX}"
            ) from None


def load_deck(name: str) -> EnrolledDeck:
    """Load the deck called ``name`` (``deck_name``); raise ``DeckFileError`` if it is missing or damaged."""
    path = deck_path(name)
    again = f"enrol it again: kozyr enrol {name!r} SOURCE"
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
            f"The operating system refused: {path}: {error.strerror}; check the rights of the deck's file"
        ) from None
    head, _, body = data.partition(b"\n")
    words = head.removeprefix(MAGIC).split()
    if head.startswith(MAGIC) and len(words) == 2 and words[0] != str(FORMAT).encode():
        version = words[0].decode("ascii", "replace")
        raise DeckFileError(f"expected a deck of format {FORMAT} in {path}, got format {version}; {again}")
    is_whole = len(data) <= LARGEST_BYTES and head == MAGIC + f"{FORMAT} {hashlib.sha256(body).hexdigest()}".encode()
    try:
        if not is_whole:
            raise ValueError("damaged, or no deck")
        return _read(name, body)
    except DAMAGED:
        raise DeckFileError(f"expected a deck in {path}, got a damaged file or none of a deck; {again}") from None


KINDS = {
    "pack_size": "iu",
    "weights": "U",
    "cards": "U",
    "doubtful": "b",
    "corrected": "b",
    "ends": "iu",
    "crops": "u",
    "alike": "U",
    "alike_share": "f",
}
"""Array of the file -> the kinds of numpy's types that it may have: others would be converted, with a warning."""


def _read(name: str, body: bytes) -> EnrolledDeck:
    """Parse a deck from the body of a file; raise one of ``DAMAGED`` if it holds none."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in packed.infolist()):
            raise ValueError("packed entries, which may unpack to anything")
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in KINDS if key in stored.files}
    if any(getattr(array, "dtype", np.dtype(object)).kind not in KINDS[key] for key, array in arrays.items()):
        raise ValueError("an array of another type than decks have")
    return _deck_of(name, arrays)


def _deck_of(name: str, stored: Mapping[str, np.ndarray]) -> EnrolledDeck:
    pack_size = int(stored["pack_size"])
    if pack_size not in PACK_SIZES:
        raise ValueError("no such pack")
    members = pack(pack_size)
    cards, ends, crops, pairs = stored["cards"], stored["ends"], stored["crops"], stored["alike"]
    # Older programs wrote no such array.
    corrected = stored["corrected"] if "corrected" in stored else np.zeros(len(cards), bool)
    if max(len(cards), len(pairs)) > MOST_ENTRIES:
        raise ValueError("more than any deck holds")
    views, start = [], 0
    for text, end, doubtful, is_corrected in zip(cards, ends, stored["doubtful"], corrected, strict=True):
        card = Card.parse(str(text))
        try:
            crop = decode_picture(
                np.asarray(crops[start : int(end)], np.uint8).tobytes(), ("JPEG",), CROP_PX[0] * CROP_PX[1]
            )
        except PictureError:
            raise ValueError("no picture of a card") from None
        if crop.shape != (CROP_PX[1], CROP_PX[0], 3) or card not in members:
            raise ValueError("no picture of a card")
        views.append(CardView(card, crop, bool(doubtful), bool(is_corrected)))
        start = int(end)
    alike = tuple(
        LookAlikes(Card.parse(str(one)), Card.parse(str(other)), float(share))
        for (one, other), share in zip(pairs, stored["alike_share"], strict=True)
    )
    return EnrolledDeck(name, pack_size, tuple(views), alike, str(stored["weights"]))
