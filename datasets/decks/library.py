"""
Load decks of cards as pictures, for training scenes.

Most decks come from two Debian packages and are drawn here with ``rsvg-convert``, none of them is part of this
project; install them with ``apt-get install gnome-cards-data kdegames-card-data-kf5 librsvg2-bin``. More decks lie in a
folder of art (``--art``), and our own deck travels with the dashboard. A deck that isn't installed is named in one
sentence and left out; if none is found at all that is an error.

*Reserved* decks are never trained on, tuned on or looked at: they measure how well unknown decks are read, and load
only when asked for with ``reserved=True``. ``svg-oxygen-white`` and ``svg-oxygen-air`` are kept out of training with
them, because they have the courts and the layout of ``svg-oxygen``.

    python -m datasets.decks.library --list
    python -m datasets.decks.library --sheet decks.png --only berlin dondorf

What was left out: ``swiss-xvii``, ``svg-xskat-german`` (other suits), ``svg-future`` (bar codes), ``svg-konqi-modern``
(red spades, green hearts); the courts of ``guyenne-classic`` (no letter says which court it is) and the jacks of
``tarocco`` (F, a letter that stands nowhere else).

Decks that repeat each other's drawings carry the same ``family``, so that a draw of decks can be fair to families.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.decks import deck_art
from datasets.decks.deck_art import DeckError
from datasets.decks.photographed import from_photos

AISLERIOT = Path("/usr/share/aisleriot/cards")
KDE = Path("/usr/share/carddecks")
REPOSITORY = Path(__file__).resolve().parents[2]
OWN = REPOSITORY / "webapp" / "web" / "static" / "cards"
SOURCES = ("aisleriot", "kde", "openfool", "feliksh", "own", "invented", "photos")
DRAWING_VERSION = "2"
"""Part of the cache's stamp: raise it when drawing changes."""


@dataclass(frozen=True, slots=True)
class DeckEntry:
    """What is known of a deck before it is drawn."""

    name: str
    source: str
    indices: str = "english"
    """Letters of the courts: english AJQK, german ABDK, french 1VDR, russian ТВДК, italian AFDR, none."""
    family: str = ""
    """Decks of one family repeat each other's drawings; empty: a family of its own."""
    four_corners: bool = False
    """An index in each of the four corners."""
    four_colours: bool = False
    reserved: bool = False
    extreme: bool = False
    """One index a card, or faces that are not pale paper: shops sell few, and results count them separately."""
    left_out: str = ""
    """Ranks that are not used."""


def _aisleriot() -> tuple[DeckEntry, ...]:
    def deck(name: str, indices: str = "english", family: str = "", **more: bool | str) -> DeckEntry:
        return DeckEntry(name, "aisleriot", indices, family, **more)  # type: ignore[arg-type]

    return (
        deck("ancient_french", "french", "paris-courts"),
        deck("anglo", family="anglo"),
        deck("anglo_bitmap", family="anglo"),
        deck("anglo_modern", family="anglo-modern"),
        deck("anglo_modern_4_color", family="anglo-modern", four_colours=True),
        deck("anglo_poker", reserved=True),
        deck("atlasnye", family="atlasnye"),
        deck("atlasnye_skat", "german", "atlasnye", four_colours=True),
        deck("Атласные", "russian", "atlasnye"),
        deck("bellot", family="paris-courts"),
        deck("bonded"),
        deck("berlin", "german"),
        deck("dondorf", family="dondorf", four_corners=True),
        deck("gnomangelo", family="anglo"),
        deck("gnomangelo_bitmap", family="anglo"),
        deck("guyenne-classic", "none", left_out="JQK"),
        deck("lattmann", "german", reserved=True),
        deck("neoclassical", family="neoclassical"),
        deck("neoclassical_4_color", family="neoclassical", four_colours=True),
        deck("orell"),
        deck("ornamental", family="ornamental"),
        deck("paris", family="paris-courts", reserved=True),
        deck("plastic"),
        deck("rheinland", "german"),
        deck("simplistic"),
        deck("slavic_costumes", "russian"),
        deck("tango"),
        deck("tango_nuevo", reserved=True),
        deck("tarocco", "italian", left_out="J"),
        deck("tigullio", family="tigullio"),
    )


DECKS: tuple[DeckEntry, ...] = (
    *_aisleriot(),
    DeckEntry("svg-standard", "kde"),
    DeckEntry("svg-ancient-egyptians", "kde"),
    DeckEntry("svg-jolly-royal", "kde"),
    DeckEntry("svg-penguins", "kde"),
    DeckEntry("svg-nicu-white", "kde", family="ornamental"),
    DeckEntry("svg-dondorf", "kde", family="dondorf", four_corners=True),
    DeckEntry("svg-nicu-ornamental", "kde", family="ornamental"),
    DeckEntry("svg-tigullio-international", "kde", family="tigullio"),
    DeckEntry("svg-xskat-french", "kde", "german", four_corners=True),
    DeckEntry("svg-gm-paris", "kde", family="paris-courts", reserved=True),
    DeckEntry("svg-oxygen", "kde", family="oxygen", reserved=True, extreme=True),
    DeckEntry("svg-oxygen-white", "kde", family="oxygen", reserved=True, extreme=True),
    DeckEntry("svg-oxygen-air", "kde", family="oxygen", reserved=True, extreme=True),
    DeckEntry("openfool-rus", "openfool", "russian", "atlasnye"),
    DeckEntry("openfool-int", "openfool"),
    DeckEntry("openfool-fra", "openfool", "french", "paris-courts"),
    DeckEntry("feliksh-photo", "feliksh", four_corners=True),
    DeckEntry("own", "own", "russian"),
)
PHOTOGRAPHED = (DeckEntry("hands5", "photos", four_corners=True),)
"""Decks cut out of photographs, for clips: they load only by name, and the training scenes don't deal from them."""
RESERVED = frozenset(entry.name for entry in DECKS if entry.reserved)
EXTREME = frozenset(entry.name for entry in DECKS if entry.extreme)
UNSEEN = ("paris", "svg-gm-paris", "tango_nuevo", "lattmann", "anglo_poker", "svg-oxygen")
"""The decks of the unseen-deck check. The other reserved ones only repeat ``svg-oxygen``; of ``paris`` the courts are
known from its family, so it measures new indices."""


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """
    The pictures of one deck, all of one size.

    faces: card text (``Ts``) -> (h, w, 4) uint8 RGBA, straight alpha, cropped to the card's outline. A card that the
    deck lacks isn't in it. back: the same, or ``None``. The arrays may be read-only views of a file: copy before
    drawing on them.
    """

    name: str
    source: str
    indices: str
    faces: dict[str, np.ndarray]
    back: np.ndarray | None
    family: str = ""
    four_corners: bool | None = None
    four_colours: bool = False


def _home(entry: DeckEntry, art: Path | None) -> Path | None:
    """Return where the deck's art lies on this machine; ``None`` if it doesn't."""
    if entry.source == "aisleriot":
        home = AISLERIOT / f"{entry.name}.svgz"
    elif entry.source == "kde":
        drawings = sorted((KDE / entry.name).glob("*.svgz"))
        return drawings[0] if drawings else None
    elif entry.source == "own":
        return OWN if any(OWN.glob("*.svg")) else None
    elif entry.source == "photos":
        home = default_photos() / entry.name
    elif art is None:
        return None
    else:
        home = art / "decks" / entry.name
    return home if home.exists() else None


def _draw(entry: DeckEntry, home: Path, height_px: int) -> dict[str, np.ndarray]:
    if entry.source == "aisleriot":
        cards = deck_art.from_sheet(home, height_px)
    elif entry.name == "svg-xskat-french":
        # rsvg-convert names no size for its elements; the grid runs otherwise too.
        cards = deck_art.from_sheet(home, height_px, columns="AKQJT98765432", rows="cshd", back_at=(0, 4))
    elif entry.source == "kde":
        cards = deck_art.from_elements(home, height_px)
    elif entry.source == "photos":
        # Nobody photographed its back: our own stands in for it.
        cards = from_photos(home, height_px) | {"back": deck_art.from_folder(OWN, height_px, None)["back"]}
    else:
        finish = deck_art.ink_red if entry.source == "feliksh" else None
        cards = deck_art.from_folder(home, height_px, finish)
    return deck_art.to_one_size(cards, height_px)


def _stamp(entry: DeckEntry, home: Path) -> str:
    """Return a stamp that changes when the art or the way of drawing it changes."""
    files = sorted(home.iterdir()) if home.is_dir() else [home]
    facts = [DRAWING_VERSION, entry.name]
    facts += [f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def default_art() -> Path | None:
    """Return the folder of further art beside the checkout, if it is there."""
    beside = REPOSITORY.parent / "shared" / "art"
    return beside if beside.is_dir() else None


def default_photos() -> Path:
    """Return the folder of labelled photographs beside the checkout."""
    return REPOSITORY.parent / "shared" / "photos"


def load_decks(
    names: Iterable[str] | None = None,
    height_px: int = 360,
    cache: Path = Path("runs/decks"),
    art: Path | None = None,
    reserved: bool = False,
    workers: int = 2,
) -> list[Deck]:
    """
    Load decks at ``height_px`` per card, drawing those that aren't in ``cache`` yet.

    Without ``names``: every deck found on this machine, the reserved ones only (and nothing else) with ``reserved``.
    With ``names``: just those, in that order; a reserved one among them needs ``reserved``. ``DeckError`` says in one
    sentence what is missing.
    """
    known = {entry.name: entry for entry in (*DECKS, *PHOTOGRAPHED)}
    if names is None:
        wanted = [entry for entry in DECKS if entry.reserved == reserved]
    else:
        wanted = []
        for name in names:
            if name not in known:
                raise DeckError(f"expected one of {', '.join(known)}, got {name!r}")
            if known[name].reserved and not reserved:
                raise DeckError(
                    f"{name} is reserved for the unseen-deck check; ask with reserved=True to check, not train"
                )
            wanted.append(known[name])
    if art is None:
        art = default_art()
    homes = {entry.name: _home(entry, art) for entry in wanted}
    missing = [name for name, home in homes.items() if home is None]
    if missing and (names is not None or len(missing) == len(wanted)):
        raise DeckError(
            f"expected the deck art of {', '.join(missing)}, found none; install Debian's packages gnome-cards-data, "
            "kdegames-card-data-kf5 and librsvg2-bin, or name a folder of art with --art"
        )
    if missing:
        print(f"decks that are not on this machine and are left out: {', '.join(missing)}", file=sys.stderr)

    def load(entry: DeckEntry) -> Deck:
        home = homes[entry.name]
        assert home is not None
        cards = deck_art.cached(
            cache / f"{entry.name}-{height_px}.npy", lambda: _draw(entry, home, height_px), _stamp(entry, home)
        )
        faces = {name: card for name, card in cards.items() if name != "back" and name[0] not in entry.left_out}
        return Deck(
            entry.name,
            entry.source,
            entry.indices,
            faces,
            cards.get("back"),
            entry.family or entry.name,
            entry.four_corners,
            entry.four_colours,
        )

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(load, [entry for entry in wanted if homes[entry.name] is not None]))


def contact_sheet(deck: Deck, card_px: int = 110) -> np.ndarray:
    """Draw all cards of a deck in a grid, with their names: (h, w, 3) uint8 BGR."""
    cell_w, cell_h = round(card_px * 0.75), card_px + 16
    sheet = np.full((cell_h * 4 + 20, cell_w * 14, 3), (110, 60, 110), np.uint8)
    text = f"{deck.name.encode('ascii', 'replace').decode()} ({deck.source}, {deck.indices}, {len(deck.faces)} faces)"
    cv2.putText(sheet, text, (4, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (255, 255, 255), 1, cv2.LINE_AA)
    places = [
        (rank + suit, column, row)
        for row, suit in enumerate(deck_art.SUIT_ROWS)
        for column, rank in enumerate(deck_art.RANK_COLUMNS)
    ]
    for name, column, row in [*places, ("back", 13, 0)]:
        card = deck.back if name == "back" else deck.faces.get(name)
        if card is None:
            continue
        scale = min(card_px / card.shape[0], (cell_w - 4) / card.shape[1])
        card = cv2.resize(card, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        x, y = column * cell_w + 2, 20 + row * cell_h + 14
        spot = sheet[y : y + card.shape[0], x : x + card.shape[1]]
        alpha = card[..., 3:].astype(np.float32) / 255
        spot[:] = (card[..., 2::-1] * alpha + spot * (1 - alpha)).astype(np.uint8)
        cv2.putText(sheet, name, (x, y - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.35, (255, 255, 255), 1, cv2.LINE_AA)
    return sheet


def main(argv: list[str] | None = None) -> int:
    """Run the command: list the decks, or draw a contact sheet of them."""
    parser = argparse.ArgumentParser(prog="python -m datasets.decks.library", description="card decks as pictures")
    parser.add_argument("--list", action="store_true", help="name the decks of this machine")
    parser.add_argument("--sheet", type=Path, metavar="OUT.png", help="draw every card of the decks on one picture")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="just these decks")
    parser.add_argument("--art", type=Path, help="folder of further art")
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"), help="where drawn decks are kept")
    parser.add_argument("--height", type=int, default=360, help="height of a card in pixels")
    parser.add_argument("--reserved", action="store_true", help="the reserved decks instead (to check, never to train)")
    args = parser.parse_args(argv)
    try:
        decks = load_decks(args.only, args.height, args.cache, args.art, args.reserved)
    except DeckError as error:
        print(error, file=sys.stderr)
        return 1
    if args.list or args.sheet is None:
        for deck in decks:
            back = "back" if deck.back is not None else "no back"
            print(
                f"{deck.name:28} {deck.source:10} {deck.indices:8} {deck.family:14} {len(deck.faces):2} faces, {back}"
            )
    if args.sheet is not None:
        sheets = [contact_sheet(deck) for deck in decks]
        args.sheet.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(args.sheet), np.vstack(sheets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
