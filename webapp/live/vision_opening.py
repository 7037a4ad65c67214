"""
Load the networks and build the vision pipeline of a match, or the reader of single pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.rulebook import FREE, rulebook
from vision.capture.sources import Source
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from vision.detection.mirroring import is_mirrored
from vision.layout import UNMARKED, Zones
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from vision.table_session import PipelineServices
from vision.view.observer import PipelineObserver
from webapp.errors import UnusableInputError
from webapp.features import features
from webapp.live.match_files import MatchFiles
from webapp.live.match_options import DetectorOptions, MatchOptions
from webapp.live.picture_reader import PictureLog, TablePipeline
from webapp.match.log import Line, MatchLog, judged
from webapp.output import note


def pipeline_and_match(
    options: MatchOptions, source: Source, files: MatchFiles, record: Sequence[Line], observer: PipelineObserver | None
) -> tuple[TablePipeline, MatchLog | PictureLog]:
    """
    Build the pipeline and the match; for single pictures a reader, and no game. ``record``: the match so far.

    ``observer``: receives the results of each stage of the pipeline.
    """
    header = options.header
    if source.stills:
        if header.start is not None or files.record is not None:
            note("single pictures are read one by one, no game is refereed; for a game name a video or a camera")
        reads = next((feature.opens_pictures for feature in features() if feature.opens_pictures is not None), None)
        if reads is None:
            raise UnusableInputError(f"expected a video or a camera, got {source.name}, which has single pictures")
        pack = rulebook(header.rules, header.options).pack
        return reads.load()(detector_for(options.detector, pack), pack, options, files.record)
    match = MatchLog(header, files.record, options.language, files.match_writer)
    if record:
        judged(record, match=match)
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
    Load the networks, as features wrap them: for the players' own deck if one is named. ``pack_size``: cards in play.

    ``OwnDeckError`` if the deck has fewer cards, or can't be read.
    """
    detector = load_card_detector(options.weights)
    for feature in features():
        if feature.wraps_detector is not None:
            detector = feature.wraps_detector.load()(detector, options, pack_size)
    return detector
