"""Signs that an event was missed: unreported faces, fleeting cards, idle hands."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from referee.events import Drawn, TableEvent
from tests.vision.observed import hand, lying
from vision.actions.action_model import ActionModel
from vision.actions.missed_event_signs import HANDS_REMEMBERED, IDLE_HANDS, MissedEventSigns
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, Detections
from vision.motion.hand_pass import HandPass
from vision.table.observation import Observation
from vision.table.track import CardState, Track

CARD = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)
SIX, EIGHT, NINE = (CLASS_NAMES.index(name) for name in ("6c", "8d", "9d"))


def seen(name: int, x: float, confidence: float = 0.9, read: float = 0.99) -> Detections:
    names = np.full((1, len(CLASS_NAMES)), (1 - read) / (len(CLASS_NAMES) - 1), np.float32)
    names[0, name] = read
    return Detections(CARD[None] + np.float32([x, 0]), np.array([confidence], np.float32), names)


def track(name: int, x: float) -> Track:
    known = Track(1, CARD + np.float32([x, 0]), 0.0, 0.0)
    known.evidence[name] = 5.0
    return known


FACE, FLEETING, STRAY, IDLE = (
    "a face is in plain view of which nothing was reported",
    "a card across another was glimpsed once",
    "what passes for a back lies among the cards of the bout",
    "hands came and went and nothing was reported",
)


def has(signs: MissedEventSigns, sign: str, at: float) -> bool:
    """Check for one sign; each has a probability."""
    found = signs.at(Observation(at), at, ActionModel())
    assert all(0 < missed < 0.2 for missed in found.values())
    return sign in found


def face_seen(
    first: Detections, second: Detections, *tracks: Track, talon_px: tuple = (), after_s: float = 0.2
) -> bool:
    signs = MissedEventSigns()
    signs.add_inference(first, tracks, talon_px, 1.0)
    signs.add_inference(second, tracks, talon_px, 1.0 + after_s)
    return has(signs, FACE, 2.0)


def test_face_found_twice_without_a_track_is_a_sign() -> None:
    assert face_seen(seen(EIGHT, 0), seen(EIGHT, 2))
    assert face_seen(seen(EIGHT, 0), seen(EIGHT, 0), track(EIGHT, 300)), "that one lies elsewhere"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (seen(EIGHT, 0), seen(EIGHT, 30)),
        (seen(EIGHT, 0), seen(NINE, 0)),
        (seen(EIGHT, 0), seen(EIGHT, 0, confidence=0.5)),
        (seen(EIGHT, 0), seen(EIGHT, 0, read=0.8)),
        (seen(BACK_INDEX, 0), seen(BACK_INDEX, 0)),
        (seen(EIGHT, 0), Detections.none()),
    ],
)
def test_moving_or_unclear_face_is_no_sign(first: Detections, second: Detections) -> None:
    assert not face_seen(first, second)


def test_tracked_card_or_card_beside_the_talon_is_no_sign() -> None:
    assert not face_seen(seen(EIGHT, 0), seen(EIGHT, 0), track(EIGHT, 5))
    assert not face_seen(seen(EIGHT, 0), seen(EIGHT, 0), talon_px=(CARD + np.float32([120, 0]),))
    assert not face_seen(seen(EIGHT, 0), seen(EIGHT, 0), after_s=0.03)


def test_card_that_is_followed_later_was_no_sign() -> None:
    signs = MissedEventSigns()
    for at in (1.0, 1.2):
        signs.add_inference(seen(EIGHT, 0), (), (), at)
    assert has(signs, FACE, 1.3)
    signs.add_inference(seen(EIGHT, 0), [track(EIGHT, 200)], (), 1.4)
    assert has(signs, FACE, 1.5), "that one lies elsewhere"
    signs.add_inference(seen(EIGHT, 0), [track(EIGHT, 2)], (), 1.6)
    assert not has(signs, FACE, 1.7)
    signs.add_inference(Detections.none(), (), (), 3.0)
    assert not has(signs, FACE, 3.0), "once it is gone, too"


def test_face_is_dropped_after_six_seconds() -> None:
    signs = MissedEventSigns()
    for at in (1.0, 1.2):
        signs.add_inference(seen(EIGHT, 0), (), (), at)
    assert has(signs, FACE, 7.0)
    assert not has(signs, FACE, 8.0)


def card(key: int, name: int, x: float = 0.0, inferences: int = 1, sure: float = 5.0, found: float = 0.9) -> Track:
    track = Track(
        key, CARD + np.float32([x, 0]), 1.0, 0.5, seen_at=1.0, inferences=inferences, confidence=found, weight=1.0
    )
    track.evidence = np.full(len(CLASS_NAMES), -3.0)
    track.evidence[name] = sure
    return track


ATTACK = card(1, SIX, inferences=4)


def fleeting_seen(first: list[Track], second: list[Track], after_s: float = 1.0) -> bool:
    signs = MissedEventSigns()
    signs.add_inference(Detections.none(), first, (), 1.0)
    signs.add_inference(Detections.none(), second, (), 1.5)
    return has(signs, FLEETING, 1.0 + after_s)


def test_defence_found_once_is_a_sign_for_six_seconds() -> None:
    assert fleeting_seen([ATTACK, card(2, NINE, 20)], [ATTACK])
    assert fleeting_seen([ATTACK, card(2, NINE, 20)], [])
    assert not fleeting_seen([ATTACK, card(2, NINE, 20)], [ATTACK], after_s=7.0)


def test_cards_found_once_are_not_kept_for_hours() -> None:
    signs = MissedEventSigns()
    for k in range(200):
        once = card(k + 2, NINE, 20)
        once.seen_at = 10.0 * k
        signs.add_inference(Detections.none(), [ATTACK, once], (), once.seen_at)
    assert len(pickle.dumps(signs)) < 2000


def test_card_is_no_sign_before_the_next_inference() -> None:
    signs = MissedEventSigns()
    signs.add_inference(Detections.none(), [ATTACK, card(2, NINE, 20)], (), 1.0)
    assert not has(signs, FLEETING, 1.1)


def test_card_found_again_is_no_sign() -> None:
    assert not fleeting_seen([ATTACK, card(2, NINE, 20)], [ATTACK, card(2, NINE, 20, inferences=2)])


@pytest.mark.parametrize(
    "unclear",
    [
        card(2, NINE, 200),
        card(2, BACK_INDEX, 20),
        card(2, NINE, 20, sure=-2.0),
        card(2, NINE, 20, found=0.4),
    ],
    ids=["beside", "a back", "read badly", "hardly found"],
)
def test_unclear_card_is_no_sign(unclear: Track) -> None:
    assert not fleeting_seen([ATTACK, unclear], [ATTACK])


def test_two_unknown_cards_in_a_hand_are_no_sign() -> None:
    assert not fleeting_seen([card(2, NINE, 20), card(3, SIX, 0)], [])


def came(number: int, lasting_s: float = 1.0) -> HandPass:
    """Return a track of A's hand, ten seconds after the one before."""
    return replace(hand(number, "A", 10.0 * number + lasting_s), came_at=10.0 * number)


def counted(*visits: HandPass, reported: tuple[TableEvent, ...] = ()) -> MissedEventSigns:
    """Return the signs after these hand tracks, with the events reported after each."""
    signs = MissedEventSigns()
    for visit in visits:
        at = 9.9 + 10.0 * visit.number
        signs.add_hands((visit,), tuple(event for event in reported if at - 10 <= event.at < at), at)
    return signs


def test_one_idle_hand_is_no_sign_and_several_are() -> None:
    assert not has(counted(*(came(k) for k in range(1, IDLE_HANDS))), IDLE, 99.0)
    assert has(counted(*(came(k) for k in range(1, IDLE_HANDS + 1))), IDLE, 99.0)


def test_hand_with_an_event_is_not_idle() -> None:
    drawn = tuple(Drawn(at=10.0 * k + 0.8, by="A") for k in range(1, 5))
    hands = [came(k) for k in range(1, 5)]
    assert not has(counted(*hands, reported=drawn), IDLE, 99.0)
    assert has(counted(*hands, reported=tuple(structs.replace(event, by="B") for event in drawn)), IDLE, 99.0)


def test_brief_hand_is_not_counted() -> None:
    assert not has(counted(*(came(k, lasting_s=0.2) for k in range(1, 6))), IDLE, 99.0)


def test_old_hands_are_forgotten() -> None:
    signs = counted(*(came(k) for k in range(1, IDLE_HANDS + 1)))
    for k in range(10, 10 + HANDS_REMEMBERED):
        signs.add_hands((came(k),), (Drawn(at=10.0 * k + 0.5, by="A"),), 10.0 * k + 5)
    assert not has(signs, IDLE, 999.0)


def test_hand_is_counted_after_it_has_left() -> None:
    signs = MissedEventSigns()
    long = replace(came(1), left_at=None)
    for k in range(2, IDLE_HANDS + 1):
        signs.add_hands((long, came(k)), (), 10.0 * k + 5)
    assert not has(signs, IDLE, 52.0)
    signs.add_hands((replace(long, left_at=50.0),), (), 52.0)
    assert has(signs, IDLE, 52.0)


@pytest.mark.parametrize(("first_at", "x", "strays"), [(4.0, 20.0, True), (0.5, 20.0, False), (4.0, 300.0, False)])
def test_back_that_came_among_cards_is_a_sign(first_at: float, x: float, strays: bool) -> None:
    signs = with_back(first_at, x)
    assert (STRAY in signs.at(Observation(5.0, (lying(1, "6c"),)), 5.0, ActionModel())) is strays


def test_back_beside_the_turn_up_is_no_sign() -> None:
    beside_pile = Observation(5.0, (lying(3, "7s"),), turnup=lying(1, "6c"))
    assert STRAY not in with_back(4.0, 20.0).at(beside_pile, 5.0, ActionModel())


def with_back(first_at: float, x: float) -> MissedEventSigns:
    """Return the signs after a back came to lie at ``x``, where card 1 lies at 0."""
    back, attack = card(2, BACK_INDEX, x, inferences=3), card(1, SIX, inferences=4)
    back.first_at, back.state, attack.state = first_at, CardState.ON_TABLE, CardState.ON_TABLE
    signs = MissedEventSigns()
    signs.add_inference(Detections.none(), [attack, back], (), 5.0)
    return signs


@pytest.mark.parametrize("is_twice", [True, False])
def test_card_in_two_places_and_unread_card_are_signs(is_twice: bool) -> None:
    bout = (lying(1, "7s"), lying(2, "7s" if is_twice else "8s"))
    found = MissedEventSigns().at(Observation(1.0, bout, unread=(lying(3, "9s"),)), 1.0, ActionModel())
    assert "a card lies there that nobody can read" in found
    assert ("one card seems to lie in two places" in found) is is_twice
