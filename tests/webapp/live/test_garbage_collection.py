"""What a match keeps is looked at by Python's garbage collector when a deal is decided, and not before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from webapp.live.runtime import MOST_FREEZES, freeze_kept, thaw


class Circle:
    """Garbage that only the collector finds: it holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    thaw()


def test_what_was_kept_at_a_line_is_looked_at_no_more() -> None:
    circle = Circle()
    freeze_kept([{"ruling": "legal"}])
    gone = weakref.ref(circle)
    del circle
    gc.collect()
    assert gone() is not None


def test_young_garbage_is_gone_before_it_could_be_kept() -> None:
    gone = weakref.ref(Circle())
    freeze_kept([])
    assert gone() is None


def test_everything_is_collected_when_a_deal_is_decided() -> None:
    circle = Circle()
    freeze_kept([])
    gone = weakref.ref(circle)
    del circle
    freeze_kept([{"announce": "talon", "count": 0}, {"announce": "result", "kind": "draw", "seats": []}])
    assert gone() is None


def test_everything_is_collected_now_and_then_in_a_game_that_nobody_ends() -> None:
    circle = Circle()
    freeze_kept([])
    gone = weakref.ref(circle)
    del circle
    for _ in range(MOST_FREEZES):
        freeze_kept([])
    assert gone() is None


def test_after_the_match_the_collector_checks_everything() -> None:
    before = gc.get_freeze_count()
    freeze_kept([])
    assert gc.get_freeze_count() > before
    thaw()
    assert gc.get_freeze_count() == 0
