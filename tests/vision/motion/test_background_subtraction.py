"""Motion detection: arms, residue, light; and hand tracks made of arms."""

from __future__ import annotations

import time

import cv2
import numpy as np
import pytest

from vision.layout import TableLayout
from vision.motion.background import Background
from vision.motion.background_subtraction import MotionDetector
from vision.motion.cards_in_arm_regions import RESTING, CardRead
from vision.motion.hand_pass import HandPass
from vision.motion.hand_tracking import HandTracker
from vision.motion.motion_report import Arm, MotionReport, reduced

SIZE = (640, 360)


def table(noise: int = 0) -> np.ndarray:
    """Return a plain table with new noise each time."""
    chance = np.random.default_rng(noise)
    return np.clip(
        np.full((SIZE[1], SIZE[0], 3), (70, 110, 150)) + chance.normal(0, 2, (SIZE[1], SIZE[0], 3)), 0, 255
    ).astype(np.uint8)


def with_card(image: np.ndarray, x: int = 320, y: int = 180) -> np.ndarray:
    """Return the picture with a white card on it."""
    return cv2.rectangle(image.copy(), (x - 20, y - 28), (x + 20, y + 28), (240, 240, 240), -1)


def with_arm(image: np.ndarray, start: tuple[int, int], tip: tuple[int, int]) -> np.ndarray:
    """Return the picture with an arm from the edge."""
    return cv2.line(image.copy(), start, tip, (40, 50, 120), 40)


def run(detector: MotionDetector, images: list[np.ndarray], begin: float = 0.0) -> list[MotionReport]:
    """Feed images at 25 a second."""
    return [detector.feed(image, begin + k / 25) for k, image in enumerate(images)]


def test_still_table_has_no_motion() -> None:
    reports = run(MotionDetector(), [table(k) for k in range(30)])
    assert reports[0].changed.all()
    assert not any(report.moving or report.arms or report.changed.any() for report in reports[1:])


def test_card_at_rest_is_added_to_the_background_once() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    reports = run(detector, [with_card(table(k)) for k in range(5, 20)], 0.2)
    changed = [report for report in reports if report.changed.any()]
    assert len(changed) == 1
    assert changed[0].at < 0.45
    rows, columns = np.nonzero(changed[0].changed)
    assert (columns.mean() * 2, rows.mean() * 2) == pytest.approx((320, 180), abs=4)
    again = run(detector, [table(k) for k in range(20, 40)], 1.0)
    assert sum(report.changed.any() for report in again) == 1  # removing the card is a change as well


@pytest.mark.parametrize(
    ("start", "tip"),
    [((320, 380), (320, 220)), ((-20, 180), (200, 190)), ((660, 100), (450, 150)), ((300, -20), (320, 120))],
)
def test_arm_is_found_with_its_contact_and_tip(start: tuple[int, int], tip: tuple[int, int]) -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    (report,) = run(detector, [with_arm(table(9), start, tip)], 0.2)
    (arm,) = report.arms
    assert arm.contact == pytest.approx(np.clip(start, 0, (639, 359)), abs=25)
    assert arm.tip == pytest.approx(tip, abs=25)
    assert not report.changed.any()


@pytest.mark.thorough
def test_change_hidden_by_a_resting_arm_is_reported_after_it_left() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    resting = run(detector, [with_arm(table(k), (320, 380), (320, 200)) for k in range(5, 230)], 0.2)
    assert resting[20].arms
    assert not resting[-1].arms  # the arm has become background
    assert resting[-1].arm_labels[130, 160] == RESTING
    after = run(detector, [table(k) for k in range(230, 270)], 10.0)
    assert after[-1].arm_labels.max() == 0
    assert not after[-1].arms


def flickering(k: int) -> np.ndarray:
    """Return a card that the lower edge cuts, under a lamp that flickers in bands."""
    image = with_card(table(k), 320, 346).astype(np.float32)
    image[318:, 300:341] *= 1 - 0.13 * (np.sin(np.arange(318, SIZE[1]) / 5 + 2.4 * k) > 0)[:, None, None]
    return image.astype(np.uint8)


def test_flickering_card_at_the_edge_triggers_inference_until_read() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    reports = run(detector, [flickering(k) for k in range(5, 25)], 0.2)
    asking = [report for report in reports if report.asks]
    assert asking
    assert asking[0].at < 0.75
    card = np.array([[300, 318], [340, 318], [340, 360], [300, 360]], np.float32)
    settled = detector.reclassify_cards([CardRead(card)])
    assert settled is not None
    assert not settled.arms


def test_card_read_among_arms_counts_as_new_though_the_camera_was_bumped(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    run(detector, [flickering(k) for k in range(5, 24)], 0.2)
    monkeypatch.setattr(Background, "is_bumped", lambda *given: True)
    bumped = detector.feed(flickering(24), 0.2 + 19 / 25)
    assert bumped.state.relearned
    card = np.array([[300, 318], [340, 318], [340, 360], [300, 360]], np.float32)
    read = detector.reclassify_cards([CardRead(card)])
    assert read is not None
    assert not read.state.relearned
    assert read.changed[165:175, 155:165].all()
    assert not read.changed[:140].any()


def test_moving_hand_triggers_no_inference() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    hand = [with_arm(table(k), (320, 360), (320, 220 - 3 * k)) for k in range(5, 30)]
    assert not any(report.asks for report in run(detector, hand, 0.2))


def test_arm_in_the_first_picture_leaves_no_ghost() -> None:
    detector = MotionDetector()
    run(detector, [with_arm(table(k), (320, 380), (320, 200)) for k in range(5)])
    reports = run(detector, [table(k) for k in range(5, 40)], 0.2)
    assert not reports[-1].arms
    assert reports[-1].arm_labels.max() == 0


def test_touching_arms_are_two_arms() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    apart = [with_arm(with_arm(table(k), (200, 380), (300, 250)), (450, -20), (330, 130)) for k in range(5, 8)]
    touching = [with_arm(with_arm(table(k), (200, 380), (310, 200)), (450, -20), (320, 180)) for k in range(8, 12)]
    reports = run(detector, apart + touching, 0.2)
    assert [len(report.arms) for report in reports] == [2] * 7
    contacts = sorted(arm.contact[1] for arm in reports[-1].arms if arm.contact is not None)
    assert contacts == pytest.approx([0, 359], abs=2)


def test_arm_across_to_the_far_edge_is_one_arm() -> None:
    detector = MotionDetector()
    run(detector, [table(k) for k in range(5)])
    tips = [(320, y) for y in (300, 240, 180, 120, 60, 20, -10, -10, 30, 90, 150)]
    reports = run(detector, [with_arm(table(k), (200, 400), tip) for k, tip in enumerate(tips, 5)], 0.2)
    assert [len(report.arms) for report in reports] == [1] * len(tips)
    assert all(arm.contact is not None and arm.contact[1] > 300 for report in reports for arm in report.arms)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("gain", [0.7, 1.25])
def test_light_change_is_no_arm_and_no_card(gain: float) -> None:
    detector = MotionDetector()
    run(detector, [with_card(table(k)) for k in range(5)])
    lit = [np.clip(with_card(table(k)).astype(float) * gain, 0, 255).astype(np.uint8) for k in range(5, 30)]
    reports = run(detector, lit, 0.2)
    assert not any(report.arms or report.state.blind for report in reports)


@pytest.mark.thorough
def test_white_cards_under_a_drifting_white_balance_are_no_arms() -> None:
    # A camera's white balance drifts for two seconds, and its curve holds bright things back.
    detector = MotionDetector()
    run(detector, [with_card(table(k)) for k in range(5)])

    def in_light(picture: np.ndarray, share: float) -> np.ndarray:
        levels = picture.astype(float)
        cloth = 1 - np.array([0.3, 0.05, -0.4]) * share
        card = 1 - np.array([0.1, 0.05, 0.0]) * share
        is_bright = levels.min(axis=2, keepdims=True) > 170
        return np.asarray(np.clip(np.where(is_bright, levels * card, levels * cloth), 0, 255), np.uint8)

    drifting = [in_light(with_card(table(k)), (k - 5) / 20) for k in range(5, 26)]
    reports = run(detector, drifting, 0.2)
    assert not any(report.arms or report.state.blind or report.changed.any() for report in reports)


@pytest.mark.parametrize("gain", [0.96, 1.0, 1.04])
def test_card_taken_during_a_light_change_is_reported(gain: float) -> None:
    detector = MotionDetector()
    run(detector, [with_card(table(k)) for k in range(5)])
    bared = [np.clip(table(k).astype(float) * gain, 0, 255).astype(np.uint8) for k in range(5, 15)]
    changed = np.any([report.changed for report in run(detector, bared, 0.2)], axis=0)
    assert changed.sum() > 200


def test_background_is_relearned_after_a_camera_bump() -> None:
    detector = MotionDetector()
    chance = np.random.default_rng(1)
    picture = cv2.resize(chance.integers(0, 255, (18, 32, 3), np.uint8), SIZE, interpolation=cv2.INTER_NEAREST)
    run(detector, [picture] * 5)
    reports = run(detector, [np.roll(picture, 24, axis=1)] * 20, 0.2)
    assert reports[0].state.blind
    assert sum(report.state.relearned for report in reports) == 1
    assert not reports[-1].state.blind


@pytest.mark.parametrize("level", [0, 3, 128, 255])
def test_uniform_picture_is_blind(level: int) -> None:
    detector = MotionDetector()
    run(detector, [with_card(table(k)) for k in range(3)])
    assert all(report.state.blind for report in run(detector, [np.full((360, 640, 3), level, np.uint8)] * 30, 0.2))


def test_pictures_are_reduced_to_one_long_side() -> None:
    for width, height in ((1280, 720), (1920, 1080), (640, 480), (321, 200), (200, 100)):
        picture = np.zeros((height, width, 3), np.uint8)
        assert reduced(picture, 320).shape == (round(height * 320 / width), 320, 3)
        assert reduced(np.rot90(picture), 320).shape == (320, round(height * 320 / width), 3)


@pytest.mark.thorough
def test_motion_detection_is_fast() -> None:
    detector = MotionDetector()
    images = [cv2.resize(with_arm(table(k), (320, 380), (320, 250 - 2 * k)), (1280, 720)) for k in range(30)]
    took = []
    for k, image in enumerate(images):
        began = time.process_time()
        detector.feed(image, k / 25)
        took.append(time.process_time() - began)
    assert np.median(took) < 0.02  # 2 ms on a free core; the limit leaves room for a busy machine


def visits_of(seats: tuple[str, ...], start: tuple[int, int], tip: tuple[int, int]) -> tuple[str | None, int]:
    """
    Return the seat of the one hand track of an arm that comes in, waits and leaves, and the number of hand tracks.
    """
    visits = hand_tracks_of(seats, start, tip)
    return visits[0].seat, len(visits)


def hand_tracks_of(seats: tuple[str, ...], start: tuple[int, int], tip: tuple[int, int]) -> tuple[HandPass, ...]:
    """Return the hand tracks of an arm that comes in, waits and leaves."""
    detector, hands = MotionDetector(), HandTracker()
    layout = TableLayout.guessed(SIZE, seats)
    path = [tuple(np.array(start) + (np.array(tip) - start) * share) for share in np.linspace(0, 1, 8)]
    images = [table(k) for k in range(5)]
    images += [with_arm(table(9 + k), start, (int(x), int(y))) for k, (x, y) in enumerate(path + path[::-1])]
    images += [table(40 + k) for k in range(10)]
    for report in run(detector, images):
        hands.update(report, layout)
    visits = hands.visits(layout)
    assert not hands.busy
    assert visits[0].left_at is not None
    return visits


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("tip", "reached"), [((320, 30), "B"), ((320, 150), None), ((320, 330), None)])
def test_hand_at_the_far_edge_reached_the_seat_there(tip: tuple[int, int], reached: str | None) -> None:
    (visit,) = hand_tracks_of(("A", "B"), (320, 380), tip)
    assert visit.seat == "A"
    assert (visit.reached and visit.reached.seat) == reached


def arms_report(at: float, *spans: tuple[int, int]) -> MotionReport:
    """
    Return arms from the lower edge of a reduced picture of 64 by 36, each from one column to another and 30 rows long.
    """
    labels = np.zeros((36, 64), np.uint8)
    arms = []
    for label, (left, right) in enumerate(spans, 1):
        labels[6:, left:right] = label
        middle = 5.0 * (left + right)
        arms.append(Arm(label, (middle, 359.0), (middle, 60.0), 0.1))
    calm = np.zeros(labels.shape, bool)
    return MotionReport(at, 10.0, tuple(arms), labels, calm, calm, True)


def test_arm_split_for_one_frame_is_one_hand_track() -> None:
    hands, layout = HandTracker(), TableLayout.guessed(SIZE, ("A", "B"))
    spans = [[(20, 32)]] * 5 + [[(20, 28), (30, 32)]] + [[(25, 36)]] * 20
    for frame, now in enumerate(spans):
        hands.update(arms_report(frame / 25, *now), layout)
    first, *others = hands.visits(layout)
    assert first.left_at is None
    assert all(visit.left_at is not None for visit in others), "the piece has gone, not the arm"


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("start", "seat"), [((320, 380), "A"), ((200, 380), "A"), ((-20, 60), "B"), ((60, -20), "B"), ((660, 40), "C")]
)
def test_hand_track_has_the_seat_its_arm_comes_from(start: tuple[int, int], seat: str) -> None:
    assert visits_of(("A", "B", "C"), start, (320, 180)) == (seat, 1)


def test_arm_from_between_two_seats_has_no_seat() -> None:
    assert visits_of(("A", "B", "C", "D"), (110, 390), (320, 180))[0] is None


def plaid(shift: float = 0.0, turn_deg: float = 0.0) -> np.ndarray:
    """Return a chequered cloth, as seen by a camera that was pushed a little."""
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    checks = ((rows // 24) % 2 + (columns // 24) % 2).astype(np.float32) / 2
    image = np.clip(60 + 130 * checks[..., None] * np.float32([0.6, 0.7, 1.0]), 0, 255).astype(np.uint8)
    image = cv2.putText(image, "plaid", (150, 150), cv2.FONT_HERSHEY_SIMPLEX, 2, (20, 30, 60), 5)
    turn = cv2.getRotationMatrix2D((320, 180), turn_deg, 1.0)
    turn[:, 2] += shift
    return cv2.warpAffine(image, turn, SIZE, borderMode=cv2.BORDER_REFLECT)


@pytest.mark.parametrize(("shift", "turn_deg"), [(5.0, 0.0), (-4.0, 0.6), (0.0, 1.0)])
def test_bump_gives_the_transformation_of_the_view(shift: float, turn_deg: float) -> None:
    detector = MotionDetector()
    run(detector, [plaid() for _ in range(5)])
    bumped = plaid(shift, turn_deg)
    reports = run(detector, [bumped for _ in range(30)], 0.2)
    assert any(report.state.relearned for report in reports)
    assert not reports[-1].arms
    assert not reports[-1].state.blind
    # A card laid after the bump is detected as usual.
    after = run(detector, [with_card(bumped) for _ in range(10)], 1.5)
    changed = np.logical_or.reduce([report.changed for report in after])
    assert changed[90, 160]
    assert changed.mean() < 0.05


@pytest.mark.thorough
def test_bump_is_tracked_with_a_large_arm_in_the_picture() -> None:
    detector = MotionDetector()
    run(detector, [with_arm(plaid(), (320, 380), (320, 120)) for _ in range(5)])
    run(detector, [plaid() for _ in range(40)], 0.2)
    tips = [(320, 380 - 26 * k) for k in range(11)]
    run(detector, [with_arm(plaid(), (320, 420), tip) for tip in tips], 2.0)
    for k in range(1, 6):  # pushed a pixel or two at a time, the last of it while the arm still rests
        run(detector, [with_arm(plaid(1.2 * k), (320, 420), tips[-1])] * 2, 2.4 + 0.1 * k)
    reports = run(detector, [with_arm(plaid(6.0), (320, 420), tips[-1]) for _ in range(30)], 3.0)
    assert len(reports[-1].arms) == 1, "the arm, and nothing along the edges"
    assert not run(detector, [plaid(6.0) for _ in range(10)], 4.3)[-1].arms


def test_arm_over_a_chequered_cloth_is_no_bump() -> None:
    detector = MotionDetector()
    run(detector, [plaid() for _ in range(5)])
    reports = run(detector, [with_arm(plaid(), (320, 380), (320, 220 - k)) for k in range(20)], 0.2)
    assert not any(report.state.relearned for report in reports)
    assert all(report.arms for report in reports)


@pytest.mark.parametrize(("card", "is_seen"), [((214, 214, 214), True), ((203, 203, 203), False)])
def test_pale_card_on_a_pale_cloth_is_detected_and_noise_is_not(card: tuple[int, int, int], is_seen: bool) -> None:
    detector = MotionDetector()
    cloth = cv2.circle(np.full((SIZE[1], SIZE[0], 3), 200, np.uint8), (100, 100), 40, (30, 60, 20), -1)
    run(detector, [cloth] * 5)
    laid = cv2.rectangle(cloth.copy(), (300, 152), (340, 208), card, -1)
    assert any(report.changed.any() for report in run(detector, [laid] * 15, 0.2)) == is_seen
