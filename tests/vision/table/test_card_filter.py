"""CardFilter: tracks of cards with one name from all their readings."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.cards import Card
from tests.vision.table.tracked_table import ALL, CARD, GREY, NO_ARMS, SHAPE, begun, noise, seen, track_inference
from vision.detection.detections import Detections
from vision.geometry.pose import Pose
from vision.table.card_filter import CardFilter
from vision.table.observation import InitialState, LyingCard
from vision.table.piles import DiscardPile
from vision.table.track import FrameFacts, Track


def test_evidence_adds_up_over_inferences() -> None:
    tracker = begun((CARD, {"6s": 0.5, "9s": 0.4}))
    (track,) = tracker.tracks
    before = track.reading()[1]
    track_inference(tracker, seen((CARD, {"6s": 0.6, "9s": 0.3})), 0.4, picture=noise(0.4))
    card, share, others = track.reading()
    assert card == Card.parse("6s")
    assert share > before
    assert others[0][0] == Card.parse("9s")


@pytest.mark.parametrize("share", [0.98, 0.82])
def test_other_card_after_a_hand_lies_on_the_first_one(
    share: float,
) -> None:
    tracker = CardFilter()
    tracker.add_change(ALL, 4.0)
    for at in (0.0, 0.2):
        track_inference(tracker, seen((CARD, {"7s": 0.98})), at)
    tracker.add_visits(ALL, 0.4)
    track_inference(tracker, seen((CARD + 1, {"Tc": share})), 0.6, picture=noise(0.6))
    tracker.add_change(ALL, 4.0)
    for at in (0.8, 1.0):
        track_inference(tracker, seen((CARD + 1, {"Tc": share})), at, picture=noise(0.6))
    assert [str(track.reading()[0]) for track in tracker.tracks] == ["7s", "Tc"]


@pytest.mark.parametrize("name", ["none", "5h"])
def test_card_laid_on_tracked_print_is_new(name: str) -> None:
    tracker = begun((CARD, {name: 0.35, "9s": 0.03}))
    print_key = tracker.tracks[0].key
    tracker.add_change(ALL, 4.0)
    for at in (1.0, 1.2):
        track_inference(tracker, seen((CARD + 8, {"9s": 0.98})), at, picture=noise(1.0))
    keys = {t.key for t in tracker.tracks if not t.is_nothing and t.is_confirmed and str(t.reading()[0]) == "9s"}
    assert len(keys) == 1
    assert (keys == {print_key}) == (name == "5h"), "what was a card, though hardly read, is that card"


def test_card_read_beside_a_hand_is_kept() -> None:
    tracker = begun()
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD, {"7s": 0.98})), 1.0)
    arms = np.zeros(SHAPE, bool)
    arms[36:] = True  # over the lowest part of it
    track_inference(tracker, seen((CARD, {"7s": 0.98})), 1.1, arms)
    assert [track.still for track in tracker.tracks] == [2]
    track_inference(tracker, seen((CARD + 20, {"7s": 0.98})), 1.2, arms)
    assert [track.inferences for track in tracker.tracks] == [2], "what moves there is in the hand"


def test_repeated_picture_counts_once() -> None:
    tracker = begun((CARD, {"8h": 0.64, "7h": 0.3}))
    for at in np.arange(0.4, 5.0, 0.2):
        track_inference(tracker, seen((CARD, {"8h": 0.64, "7h": 0.3})), float(at))
    ((card, share, _),) = [track.reading() for track in tracker.tracks]
    assert card == Card.parse("8h")
    assert share < 0.7, "inferences on one unchanged picture give no new evidence"
    for at in (5.0, 5.2):
        track_inference(tracker, seen((CARD, {"7h": 0.7, "8h": 0.2})), at, picture=noise(at))
    assert str(tracker.tracks[0].reading()[0]) == "7h"


def test_single_wrong_reading_keeps_the_name() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    track_inference(tracker, seen((CARD, {"6s": 0.95})), 0.3)
    assert track_inference(tracker, seen((CARD, {"9s": 0.9})), 0.4) == ["6s"]


def test_inference_does_not_override_a_persons_label() -> None:
    tracker = begun((CARD, {"6s": 0.9}), (CARD + 200, {"9s": 0.9}))
    tracker.apply_label(Card.parse("6s"), Card.parse("8s"))
    for at in (0.4, 0.6, 0.8):
        assert track_inference(tracker, seen((CARD, {"6s": 0.97}), (CARD + 200, {"9s": 0.9})), at) == ["8s", "9s"]
    assert tracker.tracks[0].reading()[1:] == (pytest.approx(1.0), ())
    # Another card that comes to lie there is read for itself.
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD + 200, {"9s": 0.9})), 1.0)
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD + 200, {"9s": 0.9})), 1.2)
    tracker.add_change(ALL, 4.0)
    assert "6s" in track_inference(tracker, seen((CARD, {"6s": 0.97}), (CARD + 200, {"9s": 0.9})), 1.4)


def test_undetected_card_without_a_change_is_kept() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    for k in range(6):
        assert track_inference(tracker, seen(), 1 + k) == ["6s"]


def test_card_at_a_changed_place_missed_twice_is_dropped() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    tracker.add_change(ALL, 4.0)
    assert track_inference(tracker, seen(), 1.0) == ["6s"]
    assert track_inference(tracker, seen(), 1.2) == []


def test_change_counts_once_however_often_the_card_is_missed_after_it() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    tracker.model = replace(tracker.model, gone_from=-99.0)
    tracker.add_change(ALL, 4.0)
    missed_log_odds = []
    for at in (1.0, 1.0, 1.0):
        track_inference(tracker, seen(), at)
        missed_log_odds.append(tracker.tracks[0].misses.log_odds)
    assert missed_log_odds[0] - missed_log_odds[1] == pytest.approx(missed_log_odds[1] - missed_log_odds[2])
    assert -missed_log_odds[0] > missed_log_odds[1] - missed_log_odds[2] + 2


def test_card_moved_in_the_hand_while_another_comes_over_its_place_stays_one_card() -> None:
    tracker = begun((CARD, {"8h": 0.97}))
    key, there = tracker.tracks[0].key, CARD + np.float32([200, 0])
    changed, arms = np.zeros(SHAPE, bool), np.zeros(SHAPE, bool)
    changed[25:40, 25:36] = arms[25:40, 75:86] = True
    tracker.add_change(changed, 4.0)
    found = seen((CARD, {"8d": 0.97}), (there, {"8h": 0.98}))
    for at in (1.0, 1.1):
        track_inference(tracker, found, at, arms)
    track_inference(tracker, found, 1.2)
    assert {str(track.reading()[0]): track.key == key for track in tracker.tracks} == {"8h": True, "8d": False}
    assert len(tracker.tracks) == 2


@pytest.mark.parametrize(("hand_at", "gone_at"), [(0.9, 1.2), (None, 2.6)])
def test_card_without_a_hand_is_dropped_later(hand_at: float | None, gone_at: float) -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    tracker.add_visits(NO_ARMS, 0.2)
    if hand_at is not None:
        tracker.add_visits(ALL, hand_at)
    tracker.add_change(ALL, 4.0)
    left = {at: track_inference(tracker, seen(), at) for at in (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6)}
    assert min(at for at, cards in left.items() if not cards) == gone_at


@pytest.mark.parametrize(("name", "share", "stays"), [("6s", 0.97, True), ("6s", 0.6, False), ("9s", 0.6, False)])
def test_weak_detection_with_the_same_name_keeps_a_track(name: str, share: float, stays: bool) -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    tracker.add_change(ALL, 4.0)
    for at in (1.0, 1.2, 1.4):
        weak = seen((CARD, {name: share}))
        weak.confidence[:] = 0.3
        left = track_inference(tracker, weak, at)
    assert left == (["6s"] if stays else [])


def test_card_under_an_arm_is_kept() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    tracker.add_change(ALL, 4.0)
    for k in range(4):
        assert track_inference(tracker, seen(), 1.0 + k, ALL) == ["6s"]


def test_detection_without_a_change_is_not_new() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    ghost = (CARD + np.float32([200, 50]), {"Kc": 0.9})
    assert track_inference(tracker, seen((CARD, {"6s": 0.95}), ghost), 1.0) == ["6s"]
    tracker.add_change(ALL, 4.0)
    assert track_inference(tracker, seen((CARD, {"6s": 0.95}), ghost), 1.2) == ["6s", "Kc"]


@pytest.mark.parametrize(
    ("share", "times", "steps", "is_card"),
    [
        (0.99, (1.0, 1.3, 1.6, 2.1, 2.2), 0, True),
        (0.99, (1.0, 1.1, 1.2), 0, False),
        (0.99, (1.0, 3.5, 6.0), 0, False),
        (0.8, (1.0, 1.3, 1.6, 2.1, 2.2), 0, False),
        (0.99, (1.0, 1.3, 1.6, 2.1, 2.2), 6, False),
    ],
)
def test_sure_card_at_rest_for_a_second_is_new_without_a_change(
    share: float, times: tuple[float, ...], steps: int, is_card: bool
) -> None:
    far = CARD + np.array([200, 0], np.float32)
    tracker = begun((far, {"7s": 0.98}))
    for k, at in enumerate(times):
        track_inference(tracker, seen((far, {"7s": 0.98}), (CARD + steps * k, {"9h": share})), at)
    assert [str(t.reading()[0]) for t in tracker.tracks if t.is_confirmed] == (["7s", "9h"] if is_card else ["7s"])
    if is_card:
        assert tracker.tracks[1].empty_at < 1.0, "it came before it was first found"


def test_better_of_two_detections_of_one_change_is_used() -> None:
    tracker = begun()
    changed = np.zeros(SHAPE, bool)
    changed[25:39, 25:35] = True
    tracker.add_change(changed, 4.0)
    slipped = (CARD + np.float32([22, 14]), {"Kc": 0.3})
    assert track_inference(tracker, seen((CARD, {"6s": 0.95}), slipped), 1.0) == ["6s"]


def test_moved_card_is_re_identified() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    key = tracker.tracks[0].key
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD + np.float32([70, 20]), {"6s": 0.95})), 1.0)
    assert [track.key for track in tracker.tracks] == [key]


@pytest.mark.parametrize(("share", "name"), [(0.45, "9d"), (0.98, "3d")])
def test_card_outside_the_pack_has_a_name_if_read_clearly(share: float, name: str) -> None:
    tracker = begun((CARD, {"3d": share, "9d": min(0.35, 1 - share)}), pack_size=36)
    for at in (0.4, 0.6):
        track_inference(tracker, seen((CARD, {"3d": share, "9d": min(0.35, 1 - share)})), at, picture=noise(at))
    ((card, sure, _),) = [track.reading() for track in tracker.tracks]
    assert card == Card.parse(name)
    assert sure >= 0.8


def test_every_card_is_reported_without_a_known_pack() -> None:
    tracker = begun((CARD, {"3d": 0.6, "9d": 0.3}))
    ((card, _, others),) = [track.reading() for track in tracker.tracks]
    assert (card, others[0][0]) == (Card.parse("3d"), Card.parse("9d"))


def changed_at(left: int, top: int, wide: int, tall: int) -> np.ndarray:
    """Return a change of the reduced picture (4 px to one)."""
    mask = np.zeros(SHAPE, bool)
    mask[top : top + tall, left : left + wide] = True
    return mask


def test_turn_up_with_a_third_visible_is_under_the_talon_at_once() -> None:
    talon = np.array([[200, 160], [300, 160], [300, 300], [200, 300]], np.float32)
    turnup = np.array([[210, 180], [360, 180], [360, 280], [210, 280]], np.float32)
    tracker = CardFilter()
    tracker.add_change(ALL, 4.0)
    both = seen((talon, {"back": 0.99}), (turnup, {"Tc": 0.97}))
    both = Detections(both.corners_px, np.array([0.9, 0.7], np.float32), both.probabilities)
    for at in (0.0, 0.2, 0.4):
        track_inference(tracker, both, at)
    assert [track.is_back for track in tracker.tracks].count(False) == 1
    assert all(track.is_confirmed for track in tracker.tracks)


def test_talon_over_most_of_its_turn_up_is_kept() -> None:
    talon = np.array([[200, 180], [300, 180], [300, 280], [200, 280]], np.float32)
    turnup = np.array([[205, 180], [355, 180], [355, 280], [205, 280]], np.float32)
    tracker = CardFilter()
    tracker.add_change(ALL, 4.0)
    both = seen((turnup, {"Ks": 0.97}), (talon, {"back": 0.99}))
    both = Detections(both.corners_px, np.array([0.9, 0.5], np.float32), both.probabilities)
    for at in (0.0, 0.2, 0.4):
        track_inference(tracker, both, at)
    assert sorted(track.is_back for track in tracker.tracks if track.is_confirmed) == [False, True]


@pytest.mark.parametrize(("confidence", "is_new"), [(0.7, True), (0.6, False)])
def test_new_card_in_place_of_another_needs_less_confidence(confidence: float, is_new: bool) -> None:
    tracker = begun((CARD, {"8h": 0.97}))
    tracker.add_change(changed_at(27, 28, 2, 6), 4.0)
    other = seen((CARD, {"6h": 0.97}))
    other = Detections(other.corners_px, np.array([confidence], np.float32), other.probabilities)
    for at in (1.0, 1.2):
        track_inference(tracker, other, at)
    assert ("6h" in [str(track.reading()[0]) for track in tracker.tracks]) == is_new


@pytest.mark.parametrize(("share", "is_new"), [(0.88, True), (0.7, False)])
def test_small_card_in_place_of_another_needs_a_less_sure_reading(share: float, is_new: bool) -> None:
    tracker = begun((CARD, {"3c": 0.97}))
    tracker.add_change(changed_at(27, 28, 2, 6), 4.0)
    for at in (1.0, 1.2, 1.4):
        track_inference(tracker, seen((CARD, {"2s": share})), at)
    assert ("2s" in [str(track.reading()[0]) for track in tracker.tracks]) == is_new


def test_card_under_an_undetected_card_is_kept() -> None:
    tracker = begun((CARD, {"Jc": 0.97}))
    tracker.add_change(ALL, 4.0)
    for at in (1.0, 1.2):
        track_inference(tracker, seen((CARD + 1, {"4d": 0.97})), at)
    tracker.add_visits(ALL, 1.6)
    below = next(track for track in tracker.tracks if str(track.reading()[0]) == "Jc")
    below.changed_since_found = ALL
    for at in (1.8, 2.0, 2.2):
        track_inference(tracker, seen(), at)
    assert below in tracker.tracks


def test_card_beneath_one_in_doubt_lies_as_long_as_that_one() -> None:
    table = begun((CARD, {"Jc": 0.97}))
    table.add_visits(ALL, 0.9)
    table.add_change(ALL, 4.0)
    for at in (1.0, 1.2):
        both = track_inference(table, seen((CARD + 1, {"4d": 0.97})), at)
    table.add_change(ALL, 4.0)  # the light, or the focus: no hand was there since the upper one was found
    for at in (1.4, 1.6, 1.8):
        assert track_inference(table, seen(), at) == both == ["Jc", "4d"]
    assert track_inference(table, seen((CARD + 1, {"4d": 0.97})), 2.0) == both
    assert [track.misses.log_odds for track in table.tracks] == [0.0, 0.0]
    table.add_visits(ALL, 2.1)
    table.add_change(ALL, 4.0)
    track_inference(table, seen(), 2.2)
    assert track_inference(table, seen(), 2.4) == [], "they were taken together"


def test_upper_of_two_cards_is_taken_alone() -> None:
    table = begun((CARD, {"Jc": 0.97}))
    table.add_visits(ALL, 0.9)
    table.add_change(ALL, 4.0)
    for at in (1.0, 1.2):
        track_inference(table, seen((CARD + 1, {"4d": 0.97})), at)
    table.add_visits(ALL, 1.5)
    table.add_change(ALL, 4.0)
    for at in (1.6, 1.8):
        left = track_inference(table, seen((CARD, {"Jc": 0.97})), at)
    assert left == ["Jc"]


@pytest.mark.parametrize(("confidence", "stays"), [(0.3, True), (0.1, False)])
def test_clearly_read_card_hides_those_beneath_though_it_is_hardly_found(confidence: float, stays: bool) -> None:
    table = begun((CARD, {"8h": 0.97}))
    table.add_visits(ALL, 0.9)
    table.add_change(ALL, 4.0)
    upper = seen((CARD + 2, {"Ah": 0.99}))
    upper.confidence[:] = confidence
    for at in (1.0, 1.2):
        left = track_inference(table, upper, at)
    assert ("8h" in left) == stays


@pytest.mark.parametrize("hand", [False, True])
def test_card_read_clearly_once_was_laid_if_another_lies_on_it(hand: bool) -> None:
    table = begun()
    table.add_change(ALL, 4.0)
    fingers = NO_ARMS.copy()
    fingers[25:27, 25:28] = hand  # at its rim
    track_inference(table, seen((CARD, {"9c": 0.98})), 1.0, fingers)
    table.add_visits(ALL, 1.2)
    table.add_change(ALL, 4.0)
    for at in (1.4, 1.6):
        track_inference(table, seen((CARD + 1, {"2d": 0.98})), at)
    assert [str(track.reading()[0]) for track in table.tracks if track.is_confirmed] == (
        ["2d"] if hand else ["9c", "2d"]
    )


@pytest.mark.parametrize(("hand", "names"), [(0.0, ["9c"]), (0.5, [])])
def test_card_dealt_on_was_laid_though_an_arm_is_near(hand: float, names: list[str]) -> None:
    table = begun()
    for at, name in ((1.0, "9c"), (1.2, "9c"), (1.4, "2d")):
        facts = FrameFacts(at, ALL, 4.0, NO_ARMS)
        table.update(seen((CARD, {name: 0.98})), facts, noise(at), at - 0.2, np.array([hand]))
    assert [str(track.reading()[0]) for track in table.tracks if track.is_confirmed] == names


def test_swept_card_is_not_dealt_on() -> None:
    table = begun((CARD, {"9c": 0.98}))
    table.add_visits(ALL, 0.9)
    table.add_change(ALL, 4.0)
    for at in (1.0, 1.2, 1.4):
        track_inference(table, seen(), at)
    assert table.tracks == []
    for at, name in ((1.6, "9c"), (1.8, "9c"), (2.0, "2d")):
        facts = FrameFacts(at, ALL, 4.0, NO_ARMS)
        table.update(seen((CARD, {name: 0.98})), facts, noise(at), at - 0.2, np.array([0.0]))
    assert table.tracks == []


@pytest.mark.parametrize(("share", "left"), [(0.98, ["Kd", "Kc"]), (0.8, ["Kc", "Kd"])])
def test_card_drawn_from_under_another_was_moved_though_little_changed(share: float, left: list[str]) -> None:
    table = begun((CARD, {"Kc": 0.98}))
    table.add_visits(ALL, 0.9)
    table.add_change(changed_at(20, 20, 20, 25), 4.0)
    for at in (1.0, 1.2):
        track_inference(table, seen((CARD + 1, {"Kd": 0.98})), at)
    table.add_change(changed_at(47, 48, 2, 6), 4.0)  # on a cloth of the card's colour
    for at in (1.4, 1.6):
        names = track_inference(table, seen((CARD + 1, {"Kd": 0.98}), (CARD + 80, {"Kc": share})), at)
    assert names == left


def test_probability_follows_what_inferences_find() -> None:
    table = begun((CARD, {"6s": 0.95}))
    (card,) = table.tracks
    before = card.probability
    table.add_visits(ALL, 0.9)
    table.add_change(ALL, 4.0)
    track_inference(table, seen(), 1.0)
    assert card.probability < 0.5 < before
    track_inference(table, seen((CARD, {"6s": 0.95})), 1.2)
    assert card.probability > 0.9


def test_odds_stay_bounded_however_long_a_hand_rests_on_a_card() -> None:
    table = begun((CARD, {"6s": 0.95}))
    (card,) = table.tracks
    for at in range(1, 1500, 2):
        table.add_visits(ALL, at)
        track_inference(table, seen(), at, arms=ALL)
    assert 0.001 < card.probability < 0.01
    track_inference(table, seen((CARD, {"6s": 0.95})), 1500)
    assert card.probability > 0.9


def test_hand_counts_against_a_card_only_while_it_is_there() -> None:
    table = begun((CARD, {"6s": 0.95}))
    (card,) = table.tracks
    table.add_visits(ALL, 0.9)
    track_inference(table, seen(), 1.0)
    after = card.probability
    for at in range(2, 20):
        track_inference(table, seen(), at)
    assert card.probability == after


def test_miss_before_the_camera_moved_asks_for_no_inference() -> None:
    table = begun((CARD, {"6s": 0.95}))
    table.add_change(ALL, 4.0)
    assert table.update(seen(), FrameFacts(1.0, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), noise(1.0), 0.2).doubtful
    table.follow_camera(np.eye(3))
    assert not table.update(seen(), FrameFacts(1.2, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), noise(1.2), 1.0).doubtful
    assert [track.misses.log_odds for track in table.tracks] == [0.0]


PRINT = np.kron(np.random.default_rng(0).integers(0, 2, (90, 160)), np.ones((4, 4))).astype(np.uint8) * 200


"""A picture full of print."""


def test_reading_in_a_sharp_picture_outweighs_blurred_ones() -> None:
    tracker, blurred = CardFilter(), cv2.GaussianBlur(PRINT, (0, 0), 2.5)
    tracker.add_change(ALL, 4.0)
    for at in (0.0, 0.1, 0.2):
        tracker.update(
            seen((CARD, {"Jh": 0.85, "Kh": 0.1})),
            FrameFacts(at, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)),
            blurred,
            at - 0.1,
        )
    (track,) = tracker.tracks
    assert (str(track.reading()[0]), track.is_blurred) == ("Jh", False)
    tracker.update(seen((CARD, {"Kh": 0.99})), FrameFacts(0.3, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), PRINT, 0.2)
    assert (str(track.reading()[0]), track.is_blurred) == ("Kh", True)  # it may become sharper still
    for at in (0.4, 0.5, 0.6):
        tracker.update(
            seen((CARD, {"Kh": 0.99})), FrameFacts(at, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), PRINT, at - 0.1
        )
    assert not track.is_blurred
    tracker.update(seen((CARD, {"Jh": 0.99})), FrameFacts(0.7, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), blurred, 0.6)
    assert (str(track.reading()[0]), track.is_blurred) == ("Kh", True)


def test_new_card_is_blurred_if_the_known_ones_are() -> None:
    tracker, blurred = CardFilter(), cv2.GaussianBlur(PRINT, (0, 0), 2.5)
    tracker.add_change(ALL, 4.0)
    for at in (0.0, 0.1, 0.2):
        tracker.update(seen((CARD, {"6s": 0.9})), FrameFacts(at, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), PRINT, at - 0.1)
    both = seen((CARD, {"6s": 0.9}), (CARD + 120, {"7s": 0.9}))
    tracker.update(both, FrameFacts(0.3, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)), blurred, 0.2)
    assert [track.is_blurred for track in tracker.tracks] == [True, True]


def lies_as_turnup(tracker: CardFilter, track: Track) -> None:
    """Let a track lie there as the turn-up 8h."""
    tracker.piles.turnup_key = track.key
    track.lying = LyingCard(track.key, Card.parse("8h"), 0.99, (), Pose(0, 0))


def test_turn_up_seen_in_a_hand_may_have_been_exchanged() -> None:
    elsewhere = CARD + np.float32([300, 40])
    tracker = begun((CARD, {"8h": 0.6}))
    (turnup,) = tracker.tracks
    lies_as_turnup(tracker, turnup)
    arms = NO_ARMS.copy()
    arms[20:45, 20:40] = True
    track_inference(tracker, seen((elsewhere, {"8h": 0.97})), 0.4, arms)
    assert turnup.is_drawn
    track_inference(tracker, seen((CARD, {"6h": 0.7, "8h": 0.2})), 0.6)
    track_inference(tracker, seen((CARD, {"6h": 0.7, "8h": 0.2})), 0.8)
    again = [track for track in tracker.tracks if track.seen_at == 0.8]
    assert [str(track.reading()[0]) for track in again] == ["6h"]
    assert again[0].key != turnup.key
    assert again[0].is_confirmed


def test_turn_up_read_at_its_place_is_in_no_hand() -> None:
    elsewhere = CARD + np.float32([300, 40])
    tracker = begun((CARD, {"8h": 0.6}), (elsewhere, {"9h": 0.9}))
    turnup = next(track for track in tracker.tracks if track.reading()[0] == Card.parse("8h"))
    lies_as_turnup(tracker, turnup)
    track_inference(tracker, seen((CARD, {"8h": 0.2}), (elsewhere, {"8h": 0.97})), 0.4)
    track_inference(tracker, seen((CARD, {"8h": 0.97}), (elsewhere + 90, {"8h": 0.97})), 0.6)
    assert not turnup.is_drawn


def test_card_seen_once_before_an_arm_keeps_its_track() -> None:
    tracker = begun()
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD, {"8c": 0.95})), 1.0)
    (glimpsed,) = tracker.tracks
    over = NO_ARMS.copy()
    over[25:32, 25:35] = True
    for at in (1.2, 1.4, 1.6):
        track_inference(tracker, Detections.none(), at, over)
    track_inference(tracker, seen((CARD, {"8c": 0.95})), 1.8)
    assert [track.key for track in tracker.tracks] == [glimpsed.key]
    assert tracker.tracks[0].is_confirmed


def test_card_that_is_not_found_again_is_dropped() -> None:
    tracker = begun()
    tracker.add_change(ALL, 4.0)
    track_inference(tracker, seen((CARD, {"8c": 0.95})), 1.0)
    for at in (1.2, 1.4):
        track_inference(tracker, Detections.none(), at)
    assert tracker.tracks == []


def test_repeated_unsure_readings_confirm_no_card() -> None:
    tracker = begun((CARD, {"Qs": 0.42, "Qh": 0.2}))
    for k in range(40):
        track_inference(tracker, seen((CARD, {"Qs": 0.42, "Qh": 0.2})), 1.0 + k, picture=noise(1.0 + k))
    (cup,) = tracker.tracks
    assert cup.reading()[1] > 0.7
    assert cup.single_reading < 0.6


@pytest.mark.parametrize(("share", "is_new"), [(0.98, True), (0.8, False)])
def test_low_contrast_card_is_new_if_read_surely(share: float, is_new: bool) -> None:
    tracker = begun()
    tracker.add_change(changed_at(27, 28, 2, 6), 4.0)
    for at in (1.0, 1.2):
        track_inference(tracker, seen((CARD, {"6c": share})), at)
    assert [track.is_confirmed for track in tracker.tracks] == ([True] if is_new else [])


@pytest.mark.parametrize(
    ("expected_turnup", "back_x", "count"), [("Ks", 200, 2), ("Qs", 200, 0), (None, 200, 0), ("Ks", 420, 0)]
)
def test_searched_turn_up_is_found_without_a_change_under_a_talon(
    expected_turnup: str | None, back_x: float, count: int
) -> None:
    turnup = np.array([[205, 180], [355, 180], [355, 280], [205, 280]], np.float32)
    talon = np.array([[0, 180], [100, 180], [100, 320], [0, 320]], np.float32) + np.float32([back_x, 0])
    tracker = CardFilter(start=InitialState(None if expected_turnup is None else Card.parse(expected_turnup)))
    tracker.add_change(~ALL, 4.0)
    both = seen((turnup, {"Ks": 0.97}), (talon, {"back": 0.99}))
    both = Detections(both.corners_px, np.array([0.5, 0.6], np.float32), both.probabilities)
    for at in (1.0, 1.2, 1.4):
        track_inference(tracker, both, at)
    assert sum(track.is_confirmed for track in tracker.tracks) == count


@pytest.mark.parametrize("ghost_found", [0.99, 0.5])
def test_readable_of_two_outlines_is_used(ghost_found: float) -> None:
    tracker = begun((CARD + np.array([300, 0], np.float32), {"6s": 0.95}))
    changed = np.zeros(SHAPE, bool)
    changed[25:44, 25:36] = True  # where the card lies, and its shadow
    tracker.add_change(changed, 4.0)
    ghost = CARD + np.array([4, 16], np.float32)
    for at in (1.0, 1.2):
        found = seen((CARD, {"Kc": 0.95}), (ghost, {"Jc": 0.2}))
        found.confidence[1] = ghost_found
        track_inference(tracker, found, at)
    names = [str(track.reading()[0]) for track in tracker.tracks if track.is_confirmed]
    assert names == ["6s", "Kc"]


@pytest.mark.parametrize(("is_piled", "count"), [(False, 1), (True, 2)])
def test_card_on_a_pile_is_not_found_on_the_table(is_piled: bool, count: int) -> None:
    tracker = begun((CARD, {"Qd": 0.9}))
    if is_piled:
        tracker.piles.heaps = [DiscardPile(CARD, backs={1: CARD})]
    tracker.add_change(ALL, 4.0)
    for at in (1.0, 1.2):
        track_inference(tracker, seen((CARD + np.array([300, 100], np.float32), {"Qd": 0.95})), at)
        if at < 1.1:
            assert len(tracker.tracks) == count
    assert str(tracker.tracks[-1].reading()[0]) == "Qd"


def test_card_between_the_fingers_of_a_resting_hand_stays() -> None:
    tracker = begun((CARD, {"6s": 0.95}))
    fingers = NO_ARMS.copy()
    fingers[25:39, 25:32] = True  # over half of it
    tracker.add_change(ALL, 4.0)
    tracker.add_visits(fingers, 0.9)
    for at in (1.0, 1.2, 1.4):
        assert track_inference(tracker, Detections.none(), at, fingers) == ["6s"]
    for at in (1.6, 1.8):
        track_inference(tracker, Detections.none(), at)
    assert tracker.tracks == [], "the hand has gone, and so has the card"


@pytest.mark.parametrize(("is_drawn_over", "names"), [(True, ["6s", "Ts"]), (False, ["Ts", "6s"])])
def test_card_missed_until_another_came_over_it_lies_below(is_drawn_over: bool, names: list[str]) -> None:
    tracker, lower, upper = begun(), CARD, CARD + np.array([14, 18], np.float32)
    picture = GREY.copy()
    for quad in (lower, upper) if is_drawn_over else (upper, lower):
        cv2.fillConvexPoly(picture, quad.astype(np.int32), 220)
        cv2.polylines(picture, [quad.astype(np.int32)], True, 90, 2)
    tracker.add_change(
        FrameFacts(0.6, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)).place(lower), 4.0, calm_at=np.full(SHAPE, 0.4, np.float32)
    )
    track_inference(tracker, Detections.none(), 0.8, picture=picture)
    tracker.add_change(
        FrameFacts(1.2, NO_ARMS, 4.0, np.zeros_like(NO_ARMS)).place(upper), 4.0, calm_at=np.full(SHAPE, 1.0, np.float32)
    )
    for at in (1.4, 1.6):
        track_inference(tracker, seen((upper, {"Ts": 0.97})), at, picture=picture)
    for at in (1.8, 2.0):
        found = track_inference(tracker, seen((upper, {"Ts": 0.97}), (lower, {"6s": 0.97})), at, picture=picture)
    assert found == names
    below = tracker.tracks[names.index("6s")]
    assert (below.empty_at < 1.0) == is_drawn_over
