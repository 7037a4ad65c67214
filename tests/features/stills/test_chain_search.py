"""Search along fans and columns from the top card, and in their gaps; outlines that span two cards are dropped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from features.stills.chain_gaps import chains_of, fill, gaps_of
from features.stills.chain_search import Chain, ChainReader, ChainSearchSettings, chains_from, follow, given_way
from features.stills.rigid_outlines import CardPlane
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.z_order import ordered, shared_areas
from vision.geometry.amodal_completion import rigid_card
from vision.geometry.quads import Array, iou

SETTINGS = ChainSearchSettings()
FAN = [rigid_card(300 + 100 * np.sin(0.16 * k), 300 - 100 * np.cos(0.16 * k), 0.16 * k, (63.0, 88.0)) for k in range(7)]
"""Each on the one before; card k reads as class k."""


def reading(index: int, share: float = 0.99) -> Array:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


def seen(*cards: tuple[Array, int]) -> Detections:
    return Detections(
        np.stack([quad for quad, _ in cards]),
        np.full(len(cards), 0.9, np.float32),
        np.array([reading(index) for _, index in cards]),
    )


def refined(quads: Array) -> Array:
    """Return the corners of the nearest true card, with an error at the hidden corner."""
    found = []
    for quad in quads:
        true = max(FAN, key=lambda card: iou(card, quad)).copy()
        true[2] += np.float32([5, 4])
        found.append(true)
    return np.stack(found)


def read_all_but(*unread: int) -> object:
    def read(quads: Array, occluders: Sequence[list[Array]]) -> Array:
        answers = []
        for quad, over in zip(quads, occluders, strict=True):
            which = int(np.argmax([iou(quad, card) for card in FAN]))
            is_bare = all(any(iou(lid, FAN[k]) > 0.8 for lid in over) for k in range(which + 1, len(FAN)))
            is_right = iou(quad, FAN[which]) > 0.97 and is_bare and which not in unread
            answers.append(reading(which if is_right else NOTHING_INDEX))
        return np.stack(answers)

    return read


def followed(cards: Detections, *unread: int) -> tuple[list[int | None], list[int]]:
    """Return classes along the one chain that begins on top, and which of the detected cards stay."""
    upper = np.tril(np.ones((len(cards), len(cards)), np.float32), -1)
    order = ordered(upper, shared_areas(cards.corners_px), cards.corners_px)
    top = len(cards) - 1
    chains: list[Chain] = chains_from(cards, order, [top], SETTINGS)
    reader = ChainReader(refined, read_all_but(*unread), np.eye(3))  # type: ignore[arg-type]
    follow(chains, cards, [top], reader, SETTINGS)
    read = [None if reading is None else int(reading.argmax()) for chain in chains for reading in chain.readings]
    return read, given_way(cards, chains)


BETWEEN = np.stack([FAN[3][0], FAN[4][1], FAN[4][2], FAN[3][3]])


def test_whole_fan_is_read_from_its_top_card() -> None:
    read, kept = followed(seen((FAN[2], 2), (BETWEEN, 20), (FAN[6], 6)))
    assert read == [5, 4, 3, 2, 1, 0]
    assert kept == [2]


def test_unreadable_card_is_skipped() -> None:
    assert followed(seen((FAN[2], 2), (BETWEEN, 20), (FAN[6], 6)), 4)[0] == [5, None, 3, 2, 1, 0]


def test_chain_ends_after_two_unreadable_cards_in_a_row() -> None:
    read, kept = followed(seen((FAN[0], 0), (FAN[4], 4), (FAN[6], 6)), 3, 4)
    assert read == [5, None, None]
    assert kept == [0, 1, 2]


def test_pair_is_no_chain() -> None:
    assert followed(seen((FAN[4], 4), (FAN[6], 6))) == ([], [0, 1])


def test_face_already_detected_is_not_reported_twice() -> None:
    assert followed(seen((FAN[2], 2), (FAN[3], 3), (FAN[6], 5)))[0][0] is None


def filled(*found: int, unread: tuple[int, ...] = ()) -> dict[int, int]:
    """Fill the gaps of a fan whose cards ``found`` are known; return class and covering cards of each card read."""
    cards = seen(*((FAN[k], k) for k in found))
    upper = np.tril(np.ones((len(cards), len(cards)), np.float32), -1)
    order = ordered(upper, shared_areas(cards.corners_px), cards.corners_px)
    plane = CardPlane(np.eye(3), (63.0, 88.0))
    chains = chains_of(cards.corners_px, order.upper, order.shared)
    gaps = [gap for chain in chains for gap in gaps_of(chain, cards.corners_px, plane)]
    reader = ChainReader(refined, read_all_but(*unread), np.eye(3))  # type: ignore[arg-type]
    return {int(read.argmax()): len(gap.above) for gap, _, read in fill(gaps, cards, reader, plane)}


def test_missing_cards_of_a_fan_are_read_where_its_step_puts_them() -> None:
    assert filled(2, 5, 6) == {4: 2, 3: 2, 1: 3, 0: 3}


def test_unreadable_gap_and_a_lone_pair_add_nothing() -> None:
    assert filled(1, 4, 5, 6, unread=(3, 0)) == {2: 3}
    assert filled(5, 6) == {}
