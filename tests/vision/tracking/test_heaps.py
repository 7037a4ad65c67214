"""Groups of backs, and the one that is the discard pile."""

from __future__ import annotations

import numpy as np

from tests.vision.tracking.tracks import lying
from vision.tracking.heaps import Heaps

HERE, BESIDE, AWAY = (lying(0, x, y, None).corners_px for x, y in ((100, 100), (110, 105), (400, 300)))


def heaps(*backs: np.ndarray, came_at: float | None = None) -> Heaps:
    """Return the piles of these backs, their keys counted from 1."""
    made = Heaps()
    for key, quad in enumerate(backs, start=1):
        made.add(key, quad, came_at)
    return made


def test_largest_group_of_backs_is_the_discard_pile() -> None:
    made = heaps(AWAY, HERE, BESIDE)
    assert len(made.outlines_px) == 2
    assert made.outlines_px[0][:, 0].max() == BESIDE[:, 0].max()
    assert made.changed_at is None
    assert made.began_at is None


def test_later_back_sets_the_time_of_the_last_change() -> None:
    made = heaps(HERE, BESIDE)
    made.add(3, AWAY, 7.0)
    assert (made.changed_at, made.began_at) == (7.0, 7.0)
    assert made.outlines_px[0][:, 0].min() == AWAY[:, 0].min()


def test_pile_keeps_its_place_and_age_when_its_last_back_is_lost() -> None:
    made = heaps(HERE, came_at=2.0)
    made.forget({1}, 9.0)
    assert len(made.outlines_px) == 1
    assert 1 not in made
    made.add(2, BESIDE, 20.0)
    assert len(made.outlines_px) == 1
    assert made.began_at == 2.0


def test_only_one_lost_pile_is_kept() -> None:
    made = heaps(HERE, AWAY, came_at=2.0)
    made.forget({1}, 9.0)
    made.forget({2}, 10.0)
    (outline,) = made.outlines_px
    assert outline[:, 0].min() == AWAY[:, 0].min()


def test_short_lived_back_is_no_pile() -> None:
    made = heaps(HERE, came_at=8.0)
    made.forget({1}, 9.0)
    assert made.outlines_px == ()


def test_back_at_the_mark_is_the_discard_pile() -> None:
    made = heaps(HERE, BESIDE, AWAY)
    made.set_mark(AWAY + np.float32(5))
    (outline,) = made.outlines_px
    assert outline[:, 0].min() == AWAY[:, 0].min()
    made.mark_px = None
    assert len(made.outlines_px) == 2


def test_picture_change_at_a_pile_counts_as_its_change() -> None:
    made = heaps(HERE, AWAY)
    changed = np.zeros((90, 160), bool)
    changed[80:86, 105:111] = True
    made.add_change(changed, 4.0, 5.0)
    assert made.changed_at == 5.0
    assert made.outlines_px[0][:, 0].min() == AWAY[:, 0].min()
