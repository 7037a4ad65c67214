"""
Load the networks and build the vision pipeline of a match, or the reader of its still pictures.

Still pictures are shown on the page and as lines without rulings: nothing is known of the plays between two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from features.enrolment.confusable_cards import in_words
from features.enrolment.deck_file import DeckFileError, EnrolledDeck, load_deck
from features.enrolment.known_deck import KnownDeckClassifier
from features.stills.pipeline import PictureRead, StillPipeline
from features.stills.reading import StillSettings
from referee.cards import Card
from referee.record import Header
from referee.rulebook import FREE, rulebook
from vision.capture.sources import Source
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.mirroring import is_mirrored
from vision.layout import UNMARKED, Zones
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table_session import PipelineServices
from vision.view.observer import PipelineObserver
from vision.view.pipeline_view import PipelineView
from webapp.live.match_files import MatchFiles
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.match.log import Line, MatchKeeper, MatchLog, summary_of
from webapp.match.view import CALLS_SHOWN, Call, Headline, Pair, Sentence, TablePosition, View
from webapp.output import note
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.text.present import card_name


def pipeline_and_match(
    options: MatchOptions, source: Source, files: MatchFiles, record: Sequence[Line], observer: PipelineObserver | None
) -> tuple[TablePipeline, MatchLog | Stills]:
    """
    Build the pipeline and the match; for single pictures a reader, and no game. ``record``: the match so far.

    ``observer``: receives the results of each stage of the pipeline.
    """
    header = options.header
    if source.stills:
        if header.start is not None or files.record is not None:
            note("single pictures are read one by one, no game is refereed; for a game name a video or a camera")
        pack = rulebook(header.rules, header.options).pack
        reader = StillPipeline(detector_for(options.detector, pack), StillSettings(pack_size=pack))
        return reader, Stills(header, files.record, options.language)
    match = MatchLog(header, files.record, options.language, files.kept)
    if record:
        match.read(record)
    zones = UNMARKED if files.zones is None else files.zones.read(header.seats, must_be=options.is_replay)
    pipeline = pipeline_for(options, zones, observer, state=match.view.state if record else None)
    source.is_mirrored = options.is_mirrored if source.live else is_mirrored(source, pipeline.detector)
    if source.is_mirrored:
        note(f"{source.name}: the picture is mirrored; it is shown and read as if turned back")
    return pipeline, match


def pipeline_for(
    options: MatchOptions,
    zones: Zones = UNMARKED,
    observer: PipelineObserver | None = None,
    state: Mapping[str, Any] | None = None,
) -> Pipeline:
    """Build the vision pipeline of a match. ``state``: the position to continue from, None for the header's start."""
    header = options.header
    pack = rulebook(header.rules, header.options).pack
    if state is not None:
        initial = InitialState.resumed(state, pack)
    else:
        start = None if header.start is None else header.start.as_json()
        initial = InitialState.of(start, pack, has_game=header.rules != FREE)
    detector = detector_for(options.detector, pack)
    return Pipeline(detector, header.seats, initial, zones=zones, services=PipelineServices(observer=observer))


def detector_for(options: DetectorOptions, pack_size: int) -> NetworkCardDetector:
    """
    Load the networks, specialised on the enrolled deck if one is named; ``pack_size``: cards in play.

    ``DeckFileError`` if the deck has fewer cards, or can't be read.
    """
    detector = load_card_detector(options.weights)
    if options.deck is not None:
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


class TablePipeline(Protocol):
    """A vision pipeline: ``feed`` and ``finish`` return the events that are certain then."""

    def feed(self, frame: Any, /) -> tuple[Any, ...]: ...

    def finish(self) -> tuple[Any, ...]: ...

    @property
    def view(self) -> PipelineView | None: ...


class Stills:
    def __init__(self, header: Header, ledger: MatchKeeper | None = None, language: str = LANGUAGES[0]) -> None:
        self._header, self._ledger, self._language = header, ledger, language
        self._pairs: list[list[str | None]] = []
        self._calls: tuple[Call, ...] = ()
        self._count = 0
        self.lines: list[Line] = []
        self.result: Line | None = None

    def open(self) -> tuple[Line, ...]:
        header = self._header.as_json()
        if self._ledger is not None:
            self._ledger.write(header)
        return (header,)

    def judge(self, *events: Any) -> tuple[Line, ...]:
        lines: list[Line] = []
        for read in events:
            if not isinstance(read, PictureRead):
                continue
            self._count += 1
            self._pairs = [[pair["attack"], pair["defence"]] for pair in read.line["pairs"]]
            text = Sentence(partial(sentence, read.line))
            call = Call(self._count, self._count, read.at, {"announce": "picture"}, text)
            self._calls = (*self._calls, call)[-CALLS_SHOWN:]
            lines.append({**read.line, "at": round(read.at, 3), "text": text.in_language(self._language)})
        return tuple(lines)

    def pass_time(self, at_s: float) -> tuple[Line, ...]:
        return ()

    def finish(self) -> tuple[Line, ...]:
        return ()

    @property
    def view(self) -> View:
        lying = [Pair(str(attack), defence) for attack, defence in self._pairs]
        position = TablePosition(phase="still", table=self._pairs, lying=lying)
        headline = Headline("announcement", self._count, self._calls[-1:])
        return View(line=self._count, position=position, calls=self._calls, headline=headline)

    def summary(self, **played: float) -> Line:
        """Return the last line, with the keys of a game's summary."""
        return {"summary": {**summary_of((), None, **played)["summary"], "pictures": self._count}}


def sentence(line: Line, language: str, is_spelled: bool = False) -> str:
    """
    Describe the cards on a picture for people.

    >>> sentence({"cards": [{"card": "7s"}, {"card": "Ts"}, {"card": "back"}],
    ...           "pairs": [{"attack": "7s", "defence": "Ts"}]}, "en")
    'On this picture: 7♠ under 10♠, face down: 1.'
    """
    words = page_words(language)

    def named(card: str) -> str:
        return card_name(Card.parse(card), language)

    parts = [
        named(pair["attack"])
        if pair["defence"] is None
        else words["still_pair"].format(attack=named(pair["attack"]), defence=named(pair["defence"]))
        for pair in line["pairs"]
    ]
    paired = {name for pair in line["pairs"] for name in (pair["attack"], pair["defence"])}
    parts += [named(seen["card"]) for seen in line["cards"] if seen["card"] not in paired | {"back"}]
    backs = sum(seen["card"] == "back" for seen in line["cards"])
    if backs:
        parts.append(words["still_backs"].format(n=backs))
    return words["still_cards"].format(cards=", ".join(parts)) if parts else words["still_none"]
