"""Claims that the finder did not report are read where the rows of the scene tell what lies on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from features.stills.chain_search import ChainSearchSettings
from features.stills.rejected_proposals import ALONE_SURE, ROW_SURE, believed, claims_of, next_places, rows_of
from features.stills.rigid_outlines import CardPlane
from features.stills.study import PrintSettings, Study
from vision.detection.card_detector import PassedOver
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.finder import Proposals
from vision.detection.overlap_network import UNDER, Overlaps
from vision.geometry.amodal_completion import CompletionSettings, rigid_card
from vision.geometry.quads import Array, iou

SIZE = (63.0, 88.0)
PLANE = CardPlane(np.eye(3), SIZE)
COLUMN = np.stack([rigid_card(200, 200 + 24 * k, 0.0, SIZE) for k in range(5)])
"""Each on the one before; card k reads as class k."""
ALONE = rigid_card(500, 300, 0.0, SIZE)


def reading(index: int, share: float) -> Array:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


def later_on_earlier(count: int) -> Array:
    return np.where(np.eye(count, dtype=bool), np.nan, np.tril(np.ones((count, count)), -1)).astype(np.float32)


def proposed(*quads: Array) -> Proposals:
    return Proposals(np.stack(quads), np.full(len(quads), 0.2, np.float32))


def same(quads: Array) -> Array:
    return quads


def test_claim_in_a_row_lies_under_the_cards_nearer_to_its_top() -> None:
    known = COLUMN[[0, 1, 3, 4]]
    rows = rows_of(known, later_on_earlier(4))
    (forms,) = claims_of(proposed(COLUMN[2]), [], known, rows, PLANE)
    assert forms
    for claim in forms:
        assert (claim.over, claim.under, claim.least) == ((2, 3), (0, 1), ROW_SURE)


def test_claim_across_others_is_left_out_and_one_apart_must_be_surer() -> None:
    rows = rows_of(COLUMN, later_on_earlier(5))
    assert not claims_of(proposed(rigid_card(250, 250, 1.5, SIZE)), [], COLUMN, rows, PLANE)
    ((claim, _),) = claims_of(proposed(ALONE), [], COLUMN, rows, PLANE)
    assert (claim.over, claim.under, claim.least) == ((), (), ALONE_SURE)


def test_claims_of_other_sizes_and_of_known_cards_are_no_cards() -> None:
    rows = rows_of(COLUMN, later_on_earlier(5))
    claims = proposed(rigid_card(500, 500, 0.0, (30.0, 42.0)), rigid_card(500, 500, 0.0, (90.0, 120.0)), COLUMN[4])
    assert not claims_of(claims, [], COLUMN, rows, PLANE)


def test_card_beside_a_row_may_begin_another_one() -> None:
    known = np.stack([*COLUMN, ALONE])
    upper = np.full((6, 6), np.nan, np.float32)
    upper[:5, :5] = later_on_earlier(5)
    rows = rows_of(known, upper)
    places = next_places(rows, same, known, PLANE)
    for true in (rigid_card(500, 276, 0.0, SIZE), rigid_card(500, 324, 0.0, SIZE)):
        assert any(card == 5 and iou(place, true) > 0.95 for card, place in places)
    ((first, *_), *_) = claims_of(proposed(ALONE), places, known, rows, PLANE)
    assert (first.over, first.under, first.least) == ((5,), (), ROW_SURE)


def test_no_place_is_tried_where_no_row_is() -> None:
    rows = rows_of(ALONE[None], later_on_earlier(1))
    assert not next_places(rows, same, ALONE[None], PLANE)


@pytest.mark.parametrize(("share", "is_believed"), [(0.95, True), (0.8, False)])
def test_claim_of_a_row_is_believed_if_it_reads_as_a_new_face(share: float, is_believed: bool) -> None:
    known = COLUMN[[0, 1, 3, 4]]
    claims = claims_of(proposed(COLUMN[2]), [], known, rows_of(known, later_on_earlier(4)), PLANE)

    def read(quads: Array, occluders: Sequence[list[Array]]) -> Array:
        return np.stack([reading(2, share) for _ in quads])

    found = believed(claims, known, {0, 1, 3, 4}, same, read, PLANE)
    assert len(found) == is_believed
    assert not believed(claims, known, {2}, same, read, PLANE)


def test_likely_outline_is_fitted_and_read_again() -> None:
    true, badly = rigid_card(500, 100, 0.0, SIZE), rigid_card(512, 108, 0.1, SIZE)
    claims = claims_of(proposed(badly), [], ALONE[None], rows_of(ALONE[None], later_on_earlier(1)), PLANE)

    def read(quads: Array, occluders: Sequence[list[Array]]) -> Array:
        return np.stack([reading(7, 0.99 if iou(quad, true) > 0.9 else 0.7) for quad in quads])

    ((claim, _),) = believed(claims, ALONE[None], {1}, lambda quads: np.stack([true] * len(quads)), read, PLANE)
    assert iou(claim.quad, true) > 0.95


@pytest.mark.parametrize(("share", "has_row", "names"), [(0.99, True, [7]), (0.9, True, []), (0.99, False, [])])
def test_faint_claim_beside_a_row_is_a_card_if_it_reads_surely(share: float, has_row: bool, names: list[int]) -> None:
    known = COLUMN if has_row else COLUMN[4:]

    def read(quads: Array, occluders: Sequence[list[Array]]) -> Array:
        shares = [[iou(quad, card) for card in (*COLUMN, ALONE)] for quad in quads]
        return np.stack(
            [
                reading(NOTHING_INDEX, 1.0)
                if max(one) < 0.9
                else reading(7, share)
                if one[5] >= 0.9
                else reading(int(np.argmax(one)), 0.99)
                for one in shares
            ]
        )

    def around(quads: Array) -> Overlaps:
        found = Overlaps(np.zeros((len(quads), 2), np.float32), np.tile(quads[:, None], (1, 2, 1, 1)))
        for k in range(1, len(quads)):
            found.share[k, UNDER], found.corners_px[k, UNDER] = 0.99, quads[k - 1]
        return found

    study = Study(
        same,
        same,
        lambda proposals: proposals,
        read,
        around,
        lambda one, other: 0.5,
        lambda one, other, beside: 0.0,
        ChainSearchSettings(),
        PrintSettings(),
        CompletionSettings(),
        (640, 480),
    )
    last = np.arange(5)[-len(known) :]
    seen = Detections(known, np.full(len(known), 0.9, np.float32), np.stack([reading(int(k), 0.99) for k in last]))
    none = Proposals(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))
    studied = study.study(seen, PassedOver(none, proposed(ALONE)))
    assert [name for name in studied.seen.best.tolist() if name not in last] == names
