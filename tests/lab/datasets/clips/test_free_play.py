"""Clips without a game: the truth has only the scripted plays, and the webcam has the requested defects."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.clips.camera_and_light import RoomConditions
from datasets.clips.free_play import PACKET, PLAYS, FreePlayer
from datasets.clips.ground_truth import SceneAt
from datasets.clips.habits import Habits
from datasets.clips.motion import Performance
from datasets.clips.projection import card_px
from datasets.clips.stage import PinholeCamera, Stage
from datasets.clips.story import LayStep, LiftStep, SweepStep
from datasets.clips.webcam import Webcam, WebcamStyle, style_of
from referee.cards import pack

CAMERA = PinholeCamera((1280, 720), 75.0, 1.7)


def performed(*plays: str, seed: int = 3) -> Performance:
    """Choreograph two people who make the plays with a pack of 52."""
    player = FreePlayer(Stage(("A", "B"), CAMERA), np.random.default_rng(seed), habits=Habits.quiet())
    player.pack = list(pack(52))
    return player.play(plays, 60.0)


@pytest.mark.parametrize("seed", range(4))
def test_card_at_the_picture_edge_is_cut(seed: int) -> None:
    performance = performed("edge", seed=seed)
    (pose,) = SceneAt(performance).at(performance.seconds).lying
    quad = card_px(CAMERA, pose.pose)
    assert (quad < 0).any() or (quad > CAMERA.size).any()
    assert (quad > 0).all(axis=1).any()


def test_cards_dealt_on_a_pile_lie_on_its_lowest_card() -> None:
    laid = [action.step for action in performed("deal").actions if isinstance(action.step, LayStep)]
    assert [step.on for step in laid] == [None, laid[0].card, laid[0].card]


def test_quick_deal_puts_two_cards_a_second_on_one_pile() -> None:
    actions = performed("quick").actions
    steps = [action.step for action in actions]
    assert [step.on for step in steps if isinstance(step, LayStep)] == [None, *[steps[0].card] * 3]
    assert all(0.35 < gap < 0.65 for gap in np.diff([action.touch for action in actions]))


def test_hand_held_camera_moves_about_its_place() -> None:
    room = RoomConditions(sway_px=4.0)
    middles = np.array([room.view(t) @ (640, 360, 1) for t in np.arange(0, 20, 0.1)])[:, :2] - (640, 360)
    assert 2 < np.abs(middles).max() < 6
    assert np.abs(middles.mean(axis=0)).max() < 1
    assert np.abs(np.diff(middles, axis=0)).max() < 2


def test_strokes_gather_all_cards_in_one_sweep_event() -> None:
    steps = [action.step for action in performed("beside", "beside", "across", "strokes").actions]
    assert [type(step) for step in steps] == [LayStep, LayStep, LayStep, SweepStep]
    performance = performed("beside", "beside", "strokes")
    assert SceneAt(performance).at(performance.seconds).lying == ()


def test_held_up_card_and_restless_hand_are_no_events() -> None:
    assert [action.step for action in performed("fingers", "fidget").actions] == [None, None]


@pytest.mark.parametrize("seed", range(3))
def test_riffled_packet_is_visible_and_no_event(seed: int) -> None:
    performance = performed("beside", "riffle", seed=seed)
    assert [type(action.step) for action in performance.actions] == [LayStep, type(None)]
    scene = SceneAt(performance)
    moments = [scene.at(t) for t in np.arange(0.0, performance.seconds, 0.04)]
    assert max(len(moment.lying) for moment in moments) == 1 + PACKET
    assert len(moments[-1].lying) == 1
    riffled = [item for moment in moments for item in moment.lying if len(moment.lying) > 1]
    quads = np.array([card_px(CAMERA, item.pose) for item in riffled])
    assert (quads.mean(axis=1) > 0).all()
    assert (quads.mean(axis=1) < CAMERA.size).all()


def test_card_drawn_off_the_table_is_lifted_in_the_truth() -> None:
    performance = performed("beside", "slide")
    assert isinstance(performance.actions[-1].step, LiftStep)
    assert SceneAt(performance).at(performance.seconds).lying == ()


def test_every_play_can_be_choreographed() -> None:
    for play in PLAYS:
        performed("beside", "beside", play)


def test_exposure_follows_an_arm_and_recovers() -> None:
    webcam = Webcam(WebcamStyle(exposure=1.0, follows_s=0.2), np.random.default_rng(0))
    table = np.full((72, 128, 3), 80, np.uint8)
    dark = table.copy()
    dark[:, :64] = 20
    shown = [webcam.see(dark if 10 <= k < 40 else table, k / 25) for k in range(80)]
    right = [int(picture[36, 120, 0]) for picture in shown]
    assert right[5] == 80
    assert right[39] > 100
    assert abs(right[79] - 80) <= 3


def test_webcam_reduces_pictures_to_its_size() -> None:
    webcam = Webcam(WebcamStyle(size=480, jpeg=50, flicker=0.1, focus=2.0, bars=0.1, date=True, sharpen=0.5),
                    np.random.default_rng(0))  # fmt: skip
    picture = webcam.see(np.full((720, 1280, 3), 90, np.uint8), 0.0)
    assert picture.shape == (270, 480, 3)
    assert picture[:20].max() == 0


def test_unknown_webcam_is_refused_with_one_sentence() -> None:
    assert style_of(None, 1) is None
    with pytest.raises(ValueError, match=r'expected webcam = "drawn" or a table of .*exposure'):
        style_of({"colour": 1}, 1)


def test_rounds_are_dealt_on_piles_in_turn() -> None:
    actions = performed("beside", "rounds").actions[1:]
    (held,) = [action for action in actions if action.hand == "other pinch"]
    dealt = [action for action in actions if action is not held]
    assert held.step is None
    steps = [action.step for action in dealt if isinstance(action.step, LayStep)]
    piles = len(steps) // 3
    assert piles in (2, 3)
    firsts = [step.card for step in steps[:piles]]
    assert [step.on for step in steps] == [None] * piles + firsts * 2
    assert held.touch < dealt[piles].touch
    assert held.ends > dealt[-1].touch
    assert {action.seat for action in dealt} == {held.seat}


def test_both_hands_of_one_person_are_visible_together() -> None:
    first, second = sorted(performed("both").actions, key=lambda action: action.begins)
    assert (first.seat, first.hand, second.hand) == (second.seat, "pinch", "other pinch")
    assert second.begins < first.ends


def test_resting_hand_hardly_moves() -> None:
    spread = []
    for play in ("rest", "fidget"):
        (action,) = performed(play).actions
        path = np.array([action.path.at(t) for t in np.arange(action.touch + 1, action.touch + 7, 0.1)])
        spread.append(float(np.linalg.norm(np.diff(path, axis=0), axis=1).mean()))
    assert spread[0] < 0.4 * spread[1]
