"""Places where the classifier is asked about a card, and the answers that are cards."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX, Detections
from vision.geometry.pose import Pose
from vision.geometry.quads import fill, iou
from vision.layout import TableLayout
from vision.table.cards_in_view import CardsInView
from vision.table.targeted_reads import SURE_CONFIDENCE, TargetedRead, accepted_cards, changed_places, known_places
from vision.table.track import FrameFacts, Track

SCALE = 4.0
SHAPE = (180, 320)
SIX, NINE = CLASS_NAMES.index("6s"), CLASS_NAMES.index("9s")
LAYOUT = TableLayout.guessed((1280, 720), ("A", "B")).measured(
    np.stack([TableLayout.guessed((1280, 720), ("A", "B")).card_px(Pose(x, 0, 20)) for x in (-120, 0, 120)])
)


def card(x: float, y: float, turn: float = 90) -> np.ndarray:
    """Return the corners in px of a card at a place in mm."""
    return LAYOUT.card_px(Pose(x, y, turn))


def read_as(*names: int, share: float = 0.9) -> np.ndarray:
    rows = np.full((len(names), len(CLASS_NAMES)), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
    rows[np.arange(len(names)), names] = share
    return rows


def found(*cards: tuple[np.ndarray, int]) -> Detections:
    if not cards:
        return Detections.none()
    quads = np.stack([quad for quad, _ in cards])
    return Detections(quads, np.full(len(cards), 0.9, np.float32), read_as(*(name for _, name in cards)))


def changes(*quads: np.ndarray) -> np.ndarray:
    """Return what motion detection would mark where cards came to lie."""
    mask = np.zeros(SHAPE, bool)
    for quad in quads:
        mask |= fill(SHAPE, quad, 1 / SCALE) > 0
    return mask


def lying(quad: np.ndarray, name: int | None, *, is_touched: bool = False) -> Track:
    """Return the track of a known card; ``name``: None if it was never readable."""
    track = Track(1, quad, 0.0, 0.0, inferences=4)
    if name is not None:
        track.evidence[:] = -5.0
        track.evidence[name] = 0.0
    if is_touched:
        track.changed_since_found = changes(quad)
    return track


def known(tracks: list[Track], claims: Detections) -> list[TargetedRead]:
    return known_places(
        CardsInView(tracks, FrameFacts(1.0, np.zeros(SHAPE, bool), SCALE, np.zeros(SHAPE, bool))), claims
    )


def searched_places(changed: np.ndarray, tracks: list[Track], claims: Detections) -> list[TargetedRead]:
    return changed_places(changed, tracks, claims, LAYOUT, SCALE)


@pytest.mark.parametrize("turn", [0, 20, 70, 90, 135])
def test_card_shaped_change_is_searched(turn: float) -> None:
    quad = card(60, 40, turn)
    (place,) = searched_places(changes(quad), [], found())
    assert iou(place.corners_px, quad) > 0.8
    short, long = (np.linalg.norm(place.corners_px[k + 1] - place.corners_px[k]) for k in (0, 1))
    assert short < long, "0-1 is a short edge"
    assert place.track is None


def test_change_with_a_detection_is_not_searched() -> None:
    quad = card(60, 40)
    assert searched_places(changes(quad), [], found((quad, SIX))) == []
    # Over a known card that was found again, what changed is another.
    attack, defence = card(0, 0), card(22, 18)
    (place,) = searched_places(changes(defence), [lying(attack, SIX)], found((attack, SIX)))
    assert iou(place.corners_px, defence) > 0.8


def test_undetected_card_beside_a_new_one_is_searched() -> None:
    one, other = card(0, 0), card(90, 0)
    (place,) = searched_places(changes(one, other), [], found((one, SIX)))
    assert iou(place.corners_px, other) > 0.8


@pytest.mark.parametrize(
    "thing",
    [
        changes(card(0, 0)[[0, 1, 2]]),
        changes(card(0, 0), card(40, 60)),
        changes(card(0, 0)[[0, 1, 2, 3]] * 0.6 + 200),
        np.zeros(SHAPE, bool),
    ],
)
def test_change_of_another_shape_is_not_searched(thing: np.ndarray) -> None:
    assert searched_places(thing, [], found()) == []


def test_no_search_before_a_card_was_measured() -> None:
    layout = TableLayout.guessed((1280, 720), ("A", "B"))
    assert changed_places(changes(card(0, 0)), [], found(), layout, SCALE) == []


def test_face_that_should_show_and_is_not_found_is_asked_about() -> None:
    quad = card(0, 0)
    track = lying(quad, SIX)
    (place,) = known([track], found())
    assert (place.track, place.occluders_px, place.is_touched) == (track, (), False)
    assert known([lying(quad, SIX, is_touched=True)], found())[0].is_touched
    assert known([lying(quad, BACK_INDEX)], found()) == []
    assert known([track], found((quad + 2, NINE))) == [], "another lies there now"
    assert known([track], found((card(200, 0), SIX))) == [], "it lies elsewhere"
    assert known([track, lying(quad + 2, NINE)], found((quad + 2, NINE))) == [], "another hides it"


def test_only_a_card_on_top_is_an_occluder() -> None:
    lower, quad, lid = card(-22, -18), card(0, 0), card(22, 18)
    (place,) = known([lying(lower, NINE), lying(quad, SIX)], found((lower, NINE), (lid, FACE_COUNT - 1)))
    assert len(place.occluders_px) == 1
    np.testing.assert_array_equal(place.occluders_px[0], lid)
    assert known([lying(quad, SIX)], found((card(2, 2), NINE))) == []


def test_known_card_is_accepted_only_with_its_name_and_place() -> None:
    quad = card(0, 0)
    places = [TargetedRead(quad, track=lying(quad, SIX))]
    again = accepted_cards(places, quad[None] + 3, read_as(SIX), found(), [])
    np.testing.assert_array_equal(again.corners_px, quad[None])
    assert again.confidence.tolist() == [np.float32(SURE_CONFIDENCE)]
    for other in (NINE, BACK_INDEX, NOTHING_INDEX):
        assert len(accepted_cards(places, quad[None], read_as(other), found(), [])) == 0


@pytest.mark.parametrize(
    ("is_touched", "elsewhere", "names", "share", "is_new"),
    [
        (True, [], [SIX], 0.97, True),
        (False, [], [SIX], 0.97, False),
        (True, [NINE], [SIX], 0.97, False),
        (True, [], [SIX, NINE], 0.97, False),
        (True, [], [SIX], 0.8, False),
    ],
)
def test_other_sure_card_at_a_touched_place_lies_exactly_on_it(
    is_touched: bool, elsewhere: list[int], names: list[int], share: float, is_new: bool
) -> None:
    quad = card(0, 0)
    tracks = [lying(quad + 30 * k, name, is_touched=is_touched) for k, name in enumerate(names)]
    places = known(tracks[:1], found())
    read = np.zeros((1, len(CLASS_NAMES)), np.float32)
    read[0, [NINE, NOTHING_INDEX]] = share, 1 - share
    claims = found(*((card(200, 0), name) for name in elsewhere))
    accepted = accepted_cards(places, quad[None], read, claims, tracks)
    assert accepted.best.tolist() == ([NINE] if is_new else [])


def test_new_card_is_accepted_if_any_face_is_read() -> None:
    quad = card(0, 0)
    places = [TargetedRead(quad)]
    assert accepted_cards(places, quad[None] + 3, read_as(SIX), found(), []).best.tolist() == [SIX]
    anyone = np.full((1, len(CLASS_NAMES)), 1 / len(CLASS_NAMES), np.float32)
    assert len(accepted_cards(places, quad[None], anyone, found(), [])) == 1
    for other in (BACK_INDEX, NOTHING_INDEX):
        assert len(accepted_cards(places, quad[None], read_as(other), found(), [])) == 0
    assert len(accepted_cards(places, card(40, 40)[None], read_as(SIX), found(), [])) == 0, "something else there"
    assert len(accepted_cards(places, quad[None], read_as(SIX), found((card(200, 0), SIX)), [])) == 0


def test_unread_known_card_is_accepted_if_any_face_is_read() -> None:
    quad = card(0, 0)
    places = known([lying(quad, None)], found())
    anyone = np.full((1, len(CLASS_NAMES)), 1 / len(CLASS_NAMES), np.float32)
    for names, believed_there in ((anyone, 1), (read_as(SIX), 1), (read_as(NOTHING_INDEX), 0)):
        assert len(accepted_cards(places, quad[None], names, found(), [])) == believed_there


def test_known_card_and_change_at_its_place_are_one_search() -> None:
    quad = card(0, 0)
    places = [TargetedRead(quad), TargetedRead(quad, track=lying(quad, SIX))]
    assert len(accepted_cards(places, np.stack([quad + 2, quad + 1]), read_as(SIX, SIX), found(), [])) == 1


def test_surer_of_two_orientations_is_used() -> None:
    upright, across = card(0, 0, 90), card(0, 0, 0)
    places = [TargetedRead(across), TargetedRead(upright)]
    names = np.concatenate([read_as(SIX, share=0.5), read_as(NINE)])
    assert accepted_cards(places, np.stack([across, upright]), names, found(), []).best.tolist() == [NINE]
