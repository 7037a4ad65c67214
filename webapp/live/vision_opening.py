"""Load the networks and build the vision pipeline of a match, or the reader of its still pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.rulebook import FREE, rulebook
from vision.capture.sources import Source
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.enrolment.confusable_cards import in_words
from vision.enrolment.deck_file import EnrolledDeck, load_deck
from vision.enrolment.known_deck import KnownDeckClassifier
from vision.geometry.zones import UNMARKED, Zones
from vision.observation import InitialState
from vision.pipeline import Pipeline
from vision.still.pipeline import StillPipeline
from vision.still.reading import StillSettings
from vision.table_session import PipelineServices
from vision.view.observer import PipelineObserver
from webapp.errors import UnusableInputError
from webapp.live.interfaces import Line, TableJudge, TablePipeline
from webapp.live.live_match import LiveMatch
from webapp.live.match_files import MatchFiles
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.live.still_pictures import Stills
from webapp.output import note


def pipeline_and_match(
    options: MatchOptions,
    source: Source,
    files: MatchFiles,
    record: Sequence[Line],
    observer: PipelineObserver | None,
) -> tuple[TablePipeline, TableJudge]:
    """
    Build the pipeline and the match; for single pictures a reader, and no game. ``record``: the match so far.

    ``observer``: receives the results of each stage of the pipeline.
    """
    header = options.header
    if source.stills:
        if header.start is not None or files.record is not None:
            note("single pictures are read one by one, no game is refereed; for a game name a video or a camera")
        return still_pipeline_for(options), Stills(header, files.record, options.language)
    match = LiveMatch(header, files.record, options.language, files.kept)
    if record:
        match.resume(record)
    zones = UNMARKED if files.zones is None else files.zones.read(header.seats, must_be=options.is_replay)
    return pipeline_for(options, zones, observer, state=match.state if record else None), match


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


def still_pipeline_for(options: MatchOptions) -> StillPipeline:
    """Build the reader of pictures that are read one by one."""
    pack = rulebook(options.header.rules, options.header.options).pack
    return StillPipeline(detector_for(options.detector, pack), StillSettings(pack_size=pack))


def detector_for(options: DetectorOptions, pack_size: int) -> NetworkCardDetector:
    """Load the networks, specialised on the enrolled deck if one is named; ``pack_size``: cards in play."""
    detector = load_card_detector(options.weights)
    if options.deck is not None:
        deck = load_deck(options.deck)
        if deck.pack_size < pack_size:
            raise UnusableInputError(
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
