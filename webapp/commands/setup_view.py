"""Show the camera's picture on the page before a game, and check it."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from referee.rulebook import rulebook
from vision.capture.sources import Frame, Source, SourceError
from vision.detection.card_detector import NetworkCardDetector
from vision.detection.detections import BACK, CLASS_NAMES
from vision.detection.mirroring import MirrorEvidence, mirror_evidence, reads_unsurely
from vision.view.table_outline import outline_round
from webapp.errors import KozyrError, OwnDeckError, one_line
from webapp.live.board import CameraHealth, Condition, Picture, SnapshotHub
from webapp.live.cameras import SeatHints, open_table_source, view_problems
from webapp.live.deck_choice import decks
from webapp.live.match_options import DetectorOptions
from webapp.live.phone_camera import PhoneCamera
from webapp.live.position_proposal import SeenTable, read_table
from webapp.live.shared_setup import CameraView, SharedSetup
from webapp.live.vision_opening import detector_for

INTERVAL_S = 1.0
"""Seconds between two inferences: often enough for people who move a lamp, seldom enough for a slow machine."""
AGAIN_S = 3.0
"""Seconds after which a camera that could not be opened is tried again: people plug it in, or mend its address."""
LEAST_SHARE = 0.5
"""Probability from which a card is shown."""


def show_table(shared_setup: SharedSetup, board: SnapshotHub, weights: Path | None, phone: PhoneCamera) -> None:
    """
    Show what the chosen camera sees until somebody asks for a game or for another camera. One that gives no picture is
    tried again every ``AGAIN_S``.
    """
    spec = shared_setup.setup.source
    if spec is None:
        shared_setup.wait()
        return
    while not shared_setup.is_asked:
        try:
            source = open_table_source(spec, phone, board, lambda: shared_setup.is_asked)
            if source is None:
                return
            with source:
                _follow(source, shared_setup, board, weights)
        except (SourceError, KozyrError) as error:
            trouble = one_line(error)
            shared_setup.view = CameraView(trouble=trouble)
            board.publish(camera=CameraHealth(Condition.LOST, trouble))
            shared_setup.wait(timeout_s=AGAIN_S)


def _follow(source: Source, shared_setup: SharedSetup, board: SnapshotHub, weights: Path | None) -> None:
    table_view = TableView(shared_setup, weights)
    frames = 0
    newest: Frame | None = None
    for frame in source:
        if shared_setup.is_asked:
            return
        newest, frames = frame, frames + 1
        source.is_mirrored = source.live and shared_setup.setup.mirrored
        now = Condition.LOST if frame.lost else Condition.WATCHING
        if table_view.feed(frame) or frames == 1 or board.newest.camera.condition is not now:
            counted = frames if source.live else 0  # a film stands still here: its picture does not grow old
            board.publish(camera=CameraHealth(now, frame.lost, counted, at_s=frame.at, cause=frame.cause))
        board.show(Picture(frame.number, frame.image_bgr, None))
        if not source.live:
            break  # a film waits on its first picture until the game begins
    while not shared_setup.wait(timeout_s=INTERVAL_S):  # a film, or a camera that was given up
        if newest is not None and not source.live:
            table_view.feed(newest)


class TableView:
    """Runs inference on one picture a second and leaves the result in the shared setup."""

    def __init__(self, shared_setup: SharedSetup, weights: Path | None) -> None:
        self._shared_setup, self._weights = shared_setup, weights
        self._inferred_s = -INTERVAL_S
        self._hints = SeatHints()
        self._detector: NetworkCardDetector | None = None
        self._loaded: tuple[str | None, int] | None = None
        self._no_deck: str | None = None
        self._teacher = decks().teacher(shared_setup, on_saved=self._forget_detector)
        self._table = SeenTable()
        self._evidence = MirrorEvidence()

    def feed(self, frame: Frame) -> bool:
        now_s = time.monotonic()
        if now_s - self._inferred_s < INTERVAL_S or frame.lost:
            return False
        self._inferred_s = now_s
        self._load()
        assert self._detector is not None
        self._hints.feed(frame.image_bgr)
        seen = self._detector.detect(frame.image_bgr)
        known = self._evidence
        if not (self._shared_setup.setup.mirrored or known.is_mirrored) and reads_unsurely(seen):
            # The pictures are turned back once enough cards are read more surely so; each card counts once.
            evidence = mirror_evidence(self._detector.classifier, frame.image_bgr, seen)
            if (evidence.cards | evidence.against) - (known.cards | known.against):
                self._evidence += evidence
                if self._evidence.is_mirrored:
                    self._shared_setup.turn_back()
        found = []  # cards that are read well enough, from left to right
        for i in np.argsort(seen.corners_px[:, :, 0].mean(axis=1), kind="stable") if len(seen) else ():
            best = int(seen.probabilities[i].argmax())
            share = float(seen.probabilities[i][best] * seen.confidence[i])
            if best < len(CLASS_NAMES) and share >= LEAST_SHARE:
                found.append((int(i), CLASS_NAMES[best], share))
        quads_px = seen.corners_px[[i for i, _, _ in found]]
        problems = view_problems(frame.image_bgr, quads_px)
        size = (frame.image_bgr.shape[1], frame.image_bgr.shape[0])
        before, self._table = self._table, read_table(frame.image_bgr, seen)
        outline = outline_round(quads_px, size) / np.array(size)
        self._shared_setup.view = CameraView(
            problems=tuple(problem.as_json() for problem in problems),
            cards=tuple((name, round(share, 3)) for _, name, share in found if name != BACK),
            hands_at_deg=self._hints.turns_deg,
            trouble=self._no_deck,
            cause=None if self._no_deck is None else "deck",
            enrolment=self._teacher.show(frame, self._detector),
            outline=tuple((round(float(x), 4), round(float(y), 4)) for x, y in outline),
            table=self._table.confirmed(before),
        )
        return True

    def _forget_detector(self) -> None:
        self._loaded = None

    def _load(self) -> None:
        """Load the networks for the deck and the pack that are chosen; those for any deck if that one can't be used."""
        setup = self._shared_setup.setup
        chosen = (setup.deck, rulebook(setup.rules, setup.options).pack)
        if chosen == self._loaded:
            return
        self._loaded, self._no_deck = chosen, None
        try:
            self._detector = detector_for(DetectorOptions.of_deck(self._weights, setup.deck), chosen[1])
        except OwnDeckError as error:
            self._no_deck = one_line(error)
            self._detector = detector_for(DetectorOptions(self._weights), chosen[1])
