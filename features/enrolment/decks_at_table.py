"""
The decks that players have shown, at a table: their names for set-up, the lesson before a camera, and the detector of a
match that is played with one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from features.enrolment.confusable_cards import in_words
from features.enrolment.deck_file import DeckFileError, EnrolledDeck, load_deck
from features.enrolment.deck_names import SUFFIX, card_list, deck_name, deck_path, known_decks
from features.enrolment.enrolment import Enrolment, WantedDeck, keep_deck
from features.enrolment.known_deck import KnownDeckClassifier
from vision.capture.sources import Frame
from vision.detection.card_detector import NetworkCardDetector
from webapp.errors import one_line
from webapp.live.match_options import DetectorOptions
from webapp.live.shared_setup import SharedSetup
from webapp.output import note


def with_deck(detector: NetworkCardDetector, options: DetectorOptions, pack_size: int) -> NetworkCardDetector:
    """
    Specialise the detector on the deck that the options name, if any. ``pack_size``: cards in play.

    ``DeckFileError`` if the deck has fewer cards, or can't be read.
    """
    if options.deck is None:
        return detector
    deck = load_deck(options.deck)
    if deck.pack_size < pack_size:
        raise DeckFileError(
            f"expected a deck of {pack_size} cards for this game, got {deck.name!r} of {deck.pack_size}; play with "
            f"--pack {deck.pack_size}, or show the whole deck: kozyr enrol {deck.name!r} SOURCE --pack {pack_size}"
        )
    detector.classifier = KnownDeckClassifier(detector.classifier, deck)
    _warn(deck, detector.classifier.checksum)
    return detector


def _warn(deck: EnrolledDeck, weights: str) -> None:
    """Print what the players should know of the deck before the game begins."""
    if deck.weights and deck.weights != weights:
        note(
            f"the deck {deck.name!r} was shown to other weights ({deck.weights[:12]}, now {weights[:12]}); its "
            "pictures were learnt again; show it again to hear which cards look alike to these"
        )
    if deck.lacking:
        note(
            f"the deck {deck.name!r} lacks {' '.join(map(str, deck.lacking))}: these are read without having been shown"
        )
    if deck.doubtful:
        note(f"names in doubt in the deck {deck.name!r}: {' '.join(map(str, deck.doubtful))}")
    if deck.look_alikes:
        note(f"hard to tell apart in the deck {deck.name!r}: {in_words(deck.look_alikes)}")


class DecksAtTable:
    """The decks of ``decks_home``, as set-up uses them (``webapp.live.decks.Decks``)."""

    def known(self) -> tuple[str, ...]:
        return known_decks()

    def check(self, deck: str, *, takes_file: bool) -> None:
        if deck in known_decks() or (takes_file and deck.endswith(SUFFIX) and deck_path(deck).is_file()):
            return
        raise ValueError(f"expected a deck that was learnt, got {deck!r:.60}; 'kozyr enrol NAME' learns one")

    def lesson(self, name: str, pack: int, order: str, *, finishes: bool) -> Mapping[str, Any]:
        name = deck_name(name)
        if name.endswith(SUFFIX):
            raise ValueError(f"expected a deck's name, got a file's: {name!r:.60}")
        return {"name": name, "pack": pack, "order": card_list(order) if order else (), "finish": finishes}

    def teacher(self, shared_setup: SharedSetup, on_saved: Callable[[], None]) -> DeckLesson:
        return DeckLesson(shared_setup, on_saved)


DECKS = DecksAtTable()


class DeckLesson:
    """Learns the deck that is enrolled during a setup (``webapp.live.decks.DeckTeacher``)."""

    def __init__(self, shared_setup: SharedSetup, on_saved: Callable[[], None]) -> None:
        self._shared_setup, self._on_saved = shared_setup, on_saved
        self._enrolment: Enrolment | None = None
        self._wanted: Mapping[str, Any] | None = None
        self._saved: Mapping[str, Any] | None = None
        self._trouble: dict[str, Any] = {}

    def show(self, frame: Frame, detector: NetworkCardDetector) -> Mapping[str, Any] | None:
        wanted = self._shared_setup.enrols
        if wanted is None:
            self._enrolment = None
            return (
                self._saved
                if self._saved is not None and self._saved["name"] == self._shared_setup.setup.deck
                else None
            )
        if self._enrolment is None or not (wanted["finish"] or wanted is self._wanted):
            self._trouble = {}
            to_learn = WantedDeck(wanted["name"], wanted["pack"], order=wanted["order"])
            self._enrolment = Enrolment(detector, detector.classifier, to_learn)
        self._wanted = wanted
        self._enrolment.show(frame.image_bgr, frame.at)
        about: dict[str, Any] = {
            "name": wanted["name"],
            "learnt": min(self._enrolment.shown, wanted["pack"]),
            "pack": wanted["pack"],
            "missing": [],
            "doubtful": [],
            "look_alikes": [],
            "saved": False,
        }
        cause = "order"
        try:
            deck = self._enrolment.learnt().deck
            missing, doubtful = map(str, deck.lacking), map(str, deck.doubtful)
            about |= {"learnt": len(deck.learnt), "missing": list(missing), "doubtful": list(doubtful)}
            if not wanted["finish"]:
                return about | self._trouble
            cause = "nothing"
            if not deck.views:
                raise DeckFileError("expected a card of the deck, got none; show it to the camera first")
            cause = "unsaved"
            deck = keep_deck(deck, deck_path(deck.name), detector.classifier)
        except DeckFileError as error:
            if wanted["finish"]:  # what was shown is kept, and more can be shown
                self._trouble = {"cause": cause, "trouble": one_line(error)}
                self._wanted = {**wanted, "finish": False}
                self._shared_setup.learn_on(wanted, self._wanted)
            return about | self._trouble
        self._shared_setup.chosen_deck(deck.name)
        self._on_saved()
        look_alikes = [[str(pair.one), str(pair.other)] for pair in deck.look_alikes]
        self._saved = about | {"look_alikes": look_alikes, "saved": True}
        return self._saved
