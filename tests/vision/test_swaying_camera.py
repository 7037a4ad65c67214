"""A camera that sways on its arm gives the events of a camera at rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from tests.vision.tabletop import FPS, SIZE, Lying, Tabletop, play, with_talon
from tests.vision.watched import START, short
from vision.capture.sources import Frame
from vision.detection.detections import Detections
from vision.motion.background_subtraction import MotionDetector
from vision.pipeline import Pipeline, PipelineState


@dataclass
class SwayingTable(Tabletop):
    """
    A table seen by a camera that swings by ``amplitude_px`` of a picture 640 px wide, ``rate_hz`` times a second.

    The detector finds the cards where the picture that it is given has them: it compares that picture with the one of a
    camera at rest.
    """

    amplitude_px: float = 2.0
    rate_hz: float = 1.7
    worst_px: float = 0.0

    @property
    def sway(self) -> np.ndarray:
        """Return (2, 3), from pixels of a camera at rest to those of the newest picture."""
        phase = 2 * math.pi * self.rate_hz * self.number / FPS
        turn = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), 0.02 * self.amplitude_px * math.sin(phase + 0.7), 1)
        turn[0, 2] += 0.5 * self.amplitude_px * math.sin(phase + 1.0)
        turn[1, 2] += self.amplitude_px * math.sin(phase)
        return turn

    def picture(self) -> np.ndarray:
        """Return the picture at rest, moved."""
        still = super().picture()
        moved = cv2.warpAffine(still, self.sway, SIZE, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
        return np.asarray(moved, np.uint8)

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Return the cards where the given picture has them."""
        at_rest, given = (
            cv2.cvtColor(picture_bgr, cv2.COLOR_BGR2GRAY) for picture_bgr in (super().picture(), image_bgr)
        )
        (x, y), _ = cv2.phaseCorrelate(at_rest.astype(np.float64), given.astype(np.float64))
        self.worst_px = max(self.worst_px, math.hypot(x, y))
        found = super().detect(image_bgr)
        return Detections(
            (found.corners_px + np.array([x, y])).astype(np.float32), found.confidence, found.probabilities
        )


def a_bout(table: Tabletop) -> Iterator[Frame]:
    """Let two cards be laid, the bout be swept, and a card be drawn."""
    yield from table.rest(0.6)
    yield from table.lay("A", Lying("7s", -40.0, 20.0, 12.0))
    yield from table.rest(0.6)
    yield from table.lay("B", Lying("Ts", -25.0, 30.0, 40.0))
    yield from table.rest(0.8)
    yield from table.pick("A", "7s", "Ts", to=(260.0, 60.0))
    yield from table.rest(0.8)
    yield from table.draw("A")
    yield from table.rest(1.2)


BOUT = ["A lays 7s", "B lays Ts on 7s", "swept to heap", "A draws 1"]


def events_on(table: Tabletop) -> list[str]:
    pipeline = Pipeline(table, table.seats, START)
    return short([*play(pipeline, a_bout(table)), *pipeline.finish()])


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("amplitude_px", "rate_hz"), [(2.0, 0.3), (5.0, 1.7)])
def test_swaying_camera_gives_the_events_of_a_camera_at_rest(amplitude_px: float, rate_hz: float) -> None:
    table = with_talon(table=SwayingTable(amplitude_px=amplitude_px, rate_hz=rate_hz))
    assert events_on(table) == BOUT


def test_networks_see_the_picture_of_a_camera_at_rest() -> None:
    table = with_talon(table=SwayingTable(amplitude_px=5.0, rate_hz=1.0))
    assert isinstance(table, SwayingTable)
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.2))
    # The background is learned where the camera stands in the first picture, which is up to an amplitude off.
    first_px, table.worst_px = table.worst_px, 0.0
    table.lying.append(Lying("7s", -40.0, 20.0))
    play(pipeline, table.rest(1.6))
    assert table.worst_px < first_px + 0.3
    assert pipeline.state is PipelineState.OBSERVING


def test_outlines_for_display_lie_on_the_cards_of_the_swaying_picture() -> None:
    table = with_talon(table=SwayingTable(amplitude_px=4.0, rate_hz=1.0))
    assert isinstance(table, SwayingTable)
    pipeline = Pipeline(table, table.seats, START)
    for frame in table.rest(2.4):
        pipeline.feed(frame)
        if frame.at > 1.4:
            (turnup,) = (card for card in pipeline.view.cards if card.zone == "turnup")
            there = cv2.transform(table.quad(table.lying[0])[None], table.sway)[0]
            assert np.abs(np.sort(turnup.corners_px, axis=0) - np.sort(there, axis=0)).max() < 1.5


def test_nothing_moves_before_a_swaying_camera() -> None:
    table = SwayingTable(amplitude_px=4.0, rate_hz=1.7, lying=[Lying("7s", -40.0, 20.0), Lying("Ts", 90.0, -60.0)])
    detector = MotionDetector()
    reports = [detector.feed(frame.image_bgr, frame.at) for frame in table.rest(2.0)][FPS:]
    assert all(report.camera is not None for report in reports)
    assert not any(report.arms or report.changed.any() or report.state.sways for report in reports)


@pytest.mark.thorough
def test_camera_at_rest_is_not_followed() -> None:
    table = with_talon()
    detector = MotionDetector()
    assert all(detector.feed(frame.image_bgr, frame.at).camera is None for frame in a_bout(table))


@pytest.mark.thorough
def test_camera_that_was_bumped_once_is_followed_only_until_it_stands_still() -> None:
    table = with_talon(table=Tabletop(lying=[Lying("7s", -40.0, 20.0), Lying("Ts", 90.0, -60.0)]))
    detector = MotionDetector()
    for frame in table.rest(1.2):
        detector.feed(frame.image_bgr, frame.at)
    table.view = np.array([[1, 0, 4], [0, 1, 3], [0, 0, 1]], np.float64)
    reports = [detector.feed(frame.image_bgr, frame.at) for frame in table.rest(12.0)]
    followed = [report.camera is not None for report in reports]
    assert any(followed[:FPS])
    assert not any(followed[4 * FPS :])
    assert sum(report.state.relearned for report in reports) == 1
    assert not any(report.arms or report.changed.any() for report in reports[4 * FPS :])


@pytest.mark.thorough
def test_bump_of_a_standing_camera_costs_no_event() -> None:
    def frames(table: Tabletop) -> Iterator[Frame]:
        yield from table.rest(1.2)
        table.view = np.array([[1, 0, 4], [0, 1, 3], [0, 0, 1]], np.float64)
        yield from table.rest(4.4)
        yield from a_bout(table)

    table = with_talon()
    pipeline = Pipeline(table, table.seats, START)
    assert short([*play(pipeline, frames(table)), *pipeline.finish()]) == BOUT
    assert pipeline.state is PipelineState.OBSERVING


@pytest.mark.thorough
def test_camera_that_sways_slowly_stays_followed() -> None:
    table = SwayingTable(amplitude_px=4.0, rate_hz=0.15, lying=[Lying("7s", -40.0, 20.0), Lying("Ts", 90.0, -60.0)])
    detector = MotionDetector()
    reports = [detector.feed(frame.image_bgr, frame.at) for frame in table.rest(10.0)]
    assert not any(report.state.relearned for report in reports[1:])
    assert all(report.camera is not None for report in reports[2 * FPS :])
