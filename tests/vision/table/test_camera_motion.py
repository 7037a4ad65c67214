"""Camera motion estimated from known cards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from referee.events import Blocked
from tests.vision.tabletop import HEAP, SIZE, Lying, Tabletop, bout, play, with_talon
from tests.vision.watched import START, short
from vision.capture.sources import Frame
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, Detections
from vision.geometry.quads import Array, warp
from vision.pipeline import Pipeline
from vision.table.camera_motion import INFERENCES, CameraRecovery, CameraState, estimate_camera_motion
from vision.table_session import CAMERA_MOVED

Known = list[tuple[Array, int]]


def card(x: float, y: float, name: str, turn_deg: float = 0.0) -> tuple[Array, int]:
    """Return a card of 40 x 56 px with its middle there."""
    turn = np.radians(turn_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-20, -28], [20, -28], [20, 28], [-20, 28]]) @ spin.T + (x, y)
    return corners.astype(np.float32), CLASS_NAMES.index(name)


def seen(cards: Known, share: float = 0.9) -> Detections:
    """Return these cards as an inference would find them."""
    names = np.full((len(cards), len(CLASS_NAMES)), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
    names[np.arange(len(cards)), [name for _, name in cards]] = share
    return Detections(np.stack([quad for quad, _ in cards]), np.full(len(cards), 0.9, np.float32), names)


TABLE = [
    card(200, 100, "7s", 12),
    card(220, 115, "Ts", 40),
    card(320, 90, "Kd", 170),
    card(80, 200, "9h", 90),
    card(60, 200, "back"),
]


def moved_by(shift: tuple[float, float], zoom: float, turn_deg: float) -> np.ndarray:
    """Return a camera's move, about (200, 150)."""
    turn = np.radians(turn_deg)
    linear = zoom * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = np.array([200.0, 150.0])
    return np.vstack([np.c_[linear, middle + shift - linear @ middle], [[0, 0, 1]]])


@pytest.mark.parametrize(
    ("shift", "zoom", "turn_deg"), [((60, -40), 1.0, 0.0), ((0, 0), 1.6, 0.0), ((150, 20), 0.8, 5.0), ((0, 90), 1, 20)]
)
def test_camera_motion_is_estimated_from_cards(shift: tuple[float, float], zoom: float, turn_deg: float) -> None:
    truth = moved_by(shift, zoom, turn_deg)
    chance = np.random.default_rng(1)
    found = [(warp(truth, quad) + chance.normal(0, 0.5, (4, 2)).astype(np.float32), name) for quad, name in TABLE]
    # One was swept away meanwhile, another laid, and a third is outlined from its other end.
    found = [(np.roll(found[0][0], 2, axis=0), found[0][1]), *found[2:], card(350, 250, "Qc")]
    move = estimate_camera_motion(TABLE, seen(found), has_changed=True).move
    assert move is not None
    for quad, _ in TABLE:
        np.testing.assert_allclose(warp(move, quad), warp(truth, quad), atol=3.0)


def test_unmoved_cards_give_no_motion() -> None:
    slid = [(quad + np.float32([2, 1]), name) for quad, name in TABLE]
    for has_changed in (True, False):
        estimate = estimate_camera_motion(TABLE, seen(slid), has_changed)
        assert estimate.move is None
        assert not estimate.is_lost


def test_pushed_pair_is_no_camera_motion() -> None:
    pushed = [(quad + np.float32([90, 10]), name) for quad, name in TABLE[:2]]
    assert estimate_camera_motion(TABLE, seen([*pushed, *TABLE[2:]]), has_changed=False).move is None


def test_two_cards_give_motion_only_if_the_whole_picture_changed() -> None:
    pushed = [(quad + np.float32([90, 10]), name) for quad, name in TABLE[:2]]
    assert estimate_camera_motion(TABLE[:2], seen(pushed), has_changed=False).move is None
    assert estimate_camera_motion(TABLE[:2], seen(pushed), has_changed=True).move is not None


def test_backs_give_no_camera_motion() -> None:
    backs = [(quad, BACK_INDEX) for quad, _ in TABLE]
    away = [(quad + np.float32([200, 0]), name) for quad, name in backs]
    estimate = estimate_camera_motion(backs, seen(away), has_changed=True)
    assert estimate.move is None
    assert estimate.is_lost


def test_swept_bout_is_no_camera_motion() -> None:
    estimate = estimate_camera_motion(TABLE, seen(TABLE[3:]), has_changed=False)
    assert estimate.move is None
    assert not estimate.is_lost


@pytest.mark.parametrize(
    ("known", "count", "has_changed", "is_lost"),
    [(0, 3, True, True), (1, 3, True, True), (0, 2, True, False), (0, 3, False, False)],
)
def test_several_faces_at_once_on_an_empty_table_are_another_picture(
    known: int, count: int, has_changed: bool, is_lost: bool
) -> None:
    """A film shows something else for a moment, before the first card was laid."""
    shown = [card(300, 250, "Ac"), card(400, 250, "5d"), card(450, 120, "Jh")][:count]
    assert estimate_camera_motion(TABLE[:known], seen(shown), has_changed).is_lost is is_lost


def turn(table: Tabletop) -> Iterator[Frame]:
    """Let C beat the ten, and sweep the bout."""
    yield from table.lay("C", Lying("Qd", 90, 25, 15))
    yield from table.rest(1.0)
    yield from table.pick("C", "7s", "Ts", "Td", "Qd", to=HEAP)
    yield from table.rest(1.5)
    yield from table.draw("A")
    yield from table.rest(1.0)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("shift", "zoom"), [((30, -20), 1.0), ((70, 30), 1.0), ((-20, 30), 1.2)])
def test_game_continues_after_a_camera_move_or_zoom(shift: tuple[float, float], zoom: float) -> None:
    table = with_talon(heap=3)
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), bout(table))
    before = {card.key: card.pose for card in pipeline.observation.bout} if pipeline.observation else {}
    assert pipeline.view.moved_at is None
    assert short(play(pipeline, table.bump(shift, zoom), table.rest(2.0))) == []
    assert pipeline.view.moved_at is not None
    assert pipeline.observation is not None
    for lying in pipeline.observation.bout:
        assert lying.pose.distance_mm(before[lying.key]) < 8, "on the table nothing has moved"
    assert short(play(pipeline, turn(table))) == ["C lays Qd on Td", "swept to heap", "A draws 1"]


@pytest.mark.thorough
def test_lost_table_is_reported_after_the_camera_turned_away() -> None:
    table = with_talon(heap=3)
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    checks = ((rows // 20 + columns // 20) % 2).astype(np.uint8)
    table._wood = np.asarray(np.dstack([70 + 60 * checks, 90 + 70 * checks, 120 + 80 * checks]), np.uint8)
    pipeline = Pipeline(table, table.seats, START)
    play(pipeline, table.rest(1.0), bout(table))
    table.missed = {"7s", "Ts", "Td", "9h", "back"}
    events = play(pipeline, table.bump((170, 60), 1.5, 0.2), table.rest(0.9))
    assert [event.reason for event in events if isinstance(event, Blocked)] == [CAMERA_MOVED]
    assert len(events) == 1
    # What lies there is known when it is made out, and the game goes on.
    table.missed = set()
    events = play(pipeline, table.rest(3.0), table.lay("C", Lying("Qd", 90, 25, 15)), table.rest(1.0))
    assert short(events) == ["C lays Qd on Td"]


@pytest.mark.parametrize("known_again_at", [0, 1, 2, None])
def test_table_is_lost_only_after_all_inferences_failed(known_again_at: int | None) -> None:
    recovery = CameraRecovery()
    nowhere = [(quad + np.float32([0, 900]), name) for quad, name in TABLE[:1]]
    assert recovery.judge(TABLE, seen(nowhere)) is None
    assert recovery.state is CameraState.STEADY, "the picture has not changed: cards come and go"
    recovery.disturbed()
    states = []
    for k in range(INFERENCES):
        assert recovery.judge(TABLE, seen(TABLE if k == known_again_at else nowhere)) is None
        states.append(recovery.state)
        if recovery.state is CameraState.STEADY:
            break
    failed = INFERENCES - 1 if known_again_at is None else known_again_at
    last = CameraState.LOST if known_again_at is None else CameraState.STEADY
    assert states == [CameraState.SEARCHING] * failed + [last]


def test_table_moved_as_a_whole_is_re_identified() -> None:
    recovery = CameraRecovery()
    recovery.disturbed()
    away = [(quad + np.float32([90, 10]), name) for quad, name in TABLE]
    move = recovery.judge(TABLE, seen(away))
    assert recovery.state is CameraState.STEADY
    assert move is not None
    np.testing.assert_allclose(warp(move, TABLE[0][0]), away[0][0], atol=1.0)
