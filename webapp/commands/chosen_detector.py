"""The card detector that a command asked for: the networks, and the deck they were shown, if any."""

from __future__ import annotations

import argparse

from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.enrolment.confusable_cards import in_words
from vision.enrolment.deck_file import EnrolledDeck, load_deck
from vision.enrolment.known_deck import KnownDeckClassifier
from webapp.errors import UnusableInputError
from webapp.output import note


def detector_for(arguments: argparse.Namespace, pack_size: int) -> NetworkCardDetector:
    """The networks of ``--weights``, knowing the deck of ``--deck``; ``pack_size``: the cards in play."""
    detector = load_card_detector(arguments.weights)
    if arguments.deck is not None:
        deck = load_deck(arguments.deck)
        if deck.pack_size < pack_size:
            raise UnusableInputError(
                f"expected a deck of {pack_size} cards for this game, got {deck.name!r} of {deck.pack_size}; play with "
                f"--pack {deck.pack_size}, or show the whole deck: kozyr enrol {deck.name!r} SOURCE --pack {pack_size}"
            )
        detector.classifier = KnownDeckClassifier(detector.classifier, deck)
        _warn(deck, detector.classifier.checksum)
    return detector


def _warn(deck: EnrolledDeck, weights: str) -> None:
    """What the players should know of the deck before the game begins."""
    if deck.weights and deck.weights != weights:
        note(
            f"the deck {deck.name!r} was shown to other weights ({deck.weights[:12]}, now {weights[:12]}): learnt anew "
            "from its pictures; show it again to hear which cards look alike to these"
        )
    if deck.lacking:
        note(
            f"the deck {deck.name!r} lacks {' '.join(map(str, deck.lacking))}: these are read without having been shown"
        )
    if deck.doubtful:
        note(f"names in doubt in the deck {deck.name!r}: {' '.join(map(str, deck.doubtful))}")
    if deck.look_alikes:
        note(f"hard to tell apart in the deck {deck.name!r}: {in_words(deck.look_alikes)}")
