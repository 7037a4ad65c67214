"""Garbage collection: objects of a running deal are frozen and collected when the deal is decided."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from webapp.live.runtime import MOST_FREEZES, freeze_lines, thaw


class Circle:
    """Object in a reference cycle, which only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    thaw()


def test_objects_kept_at_a_line_are_frozen() -> None:
    circle = Circle()
    freeze_lines([{"ruling": "legal"}])
    gone = weakref.ref(circle)
    del circle
    gc.collect()
    assert gone() is not None


def test_young_garbage_is_collected_before_freezing() -> None:
    gone = weakref.ref(Circle())
    freeze_lines([])
    assert gone() is None


def test_decided_deal_triggers_a_full_collection() -> None:
    circle = Circle()
    freeze_lines([])
    gone = weakref.ref(circle)
    del circle
    freeze_lines([{"announce": "talon", "count": 0}, {"announce": "result", "kind": "draw", "seats": []}])
    assert gone() is None


def test_unfinished_game_is_fully_collected_periodically() -> None:
    circle = Circle()
    freeze_lines([])
    gone = weakref.ref(circle)
    del circle
    for _ in range(MOST_FREEZES):
        freeze_lines([])
    assert gone() is None


def test_end_of_the_match_unfreezes_all_objects() -> None:
    before = gc.get_freeze_count()
    freeze_lines([])
    assert gc.get_freeze_count() > before
    thaw()
    assert gc.get_freeze_count() == 0
