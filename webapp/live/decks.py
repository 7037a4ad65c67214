"""The decks that players have shown, as set-up uses them: what a feature that knows such decks provides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from vision.capture.sources import Frame
from vision.detection.card_detector import NetworkCardDetector
from webapp.live.shared_setup import SharedSetup


class DeckTeacher(Protocol):
    """Learns the deck that is enrolled during a setup from the pictures of its camera."""

    def show(self, frame: Frame, detector: NetworkCardDetector) -> Mapping[str, Any] | None:
        """Take a picture; return the state of the enrolment for the page, None if no deck is enrolled."""
        ...


class Decks(Protocol):
    """The decks of this user. Errors are ``ValueError`` with one sentence."""

    def known(self) -> tuple[str, ...]:
        """Return the names of the decks."""
        ...

    def check(self, deck: str, *, takes_file: bool) -> None:
        """Raise an error for a deck that is not there. ``takes_file``: a file of a deck may be named, too."""
        ...

    def lesson(self, name: str, pack: int, order: str, *, finishes: bool) -> Mapping[str, Any]:
        """Return what is asked of a ``DeckTeacher``: a deck to be learnt, or what was shown of it to be kept."""
        ...

    def teacher(self, shared_setup: SharedSetup, on_saved: Callable[[], None]) -> DeckTeacher:
        """Return the teacher for a setup; it calls ``on_saved`` when the file of a deck is new."""
        ...


class NoDecks:
    """What set-up has where no feature knows decks."""

    def known(self) -> tuple[str, ...]:
        return ()

    def check(self, deck: str, *, takes_file: bool) -> None:
        raise ValueError(f"expected no deck, since this program learns none, got {deck!r:.60}")

    def lesson(self, name: str, pack: int, order: str, *, finishes: bool) -> Mapping[str, Any]:
        raise ValueError(f"expected no deck, since this program learns none, got {name!r:.60}")

    def teacher(self, shared_setup: SharedSetup, on_saved: Callable[[], None]) -> DeckTeacher:
        return NoTeacher()


class NoTeacher:
    def show(self, frame: Frame, detector: NetworkCardDetector) -> Mapping[str, Any] | None:
        return None
