"""Cards that the detector misses, misreads or can't read, on a simulated table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from referee.cards import Card
from referee.events import Placed
from tests.vision.tabletop import HEAP, Askable, Lying, Tabletop, play, with_talon
from tests.vision.watched import EVERY_INFERENCE_COUNTS, START, events_of
from vision.capture.sources import Frame
from vision.pipeline import Pipeline


def test_undetected_card_does_not_vanish() -> None:
    table = with_talon()

    def overlooked() -> Iterator[Frame]:
        table.missed.add("7s")
        yield from table.lay("B", Lying("Ts", 20, 25, 15))
        yield from table.rest(2.0)
        table.missed.clear()
        yield from table.rest(1.0)

    assert events_of(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), overlooked()) == [
        "A lays 7s",
        "B lays Ts on 7s",
    ]


def askable() -> Askable:
    table = with_talon(heap=3, table=Askable())
    assert isinstance(table, Askable)
    return table


@pytest.mark.thorough
@pytest.mark.parametrize("blind_to", ["7s", "Ts"])
def test_card_that_is_never_detected_is_found_by_a_targeted_search(blind_to: str) -> None:
    def played(table: Tabletop) -> list[str]:
        table.missed.add(blind_to)
        first, second = table.lay("A", Lying("7s", 0, 0)), table.lay("B", Lying("Ts", 20, 25, 15))
        sweep = table.pick("B", "7s", "Ts", to=HEAP)
        return events_of(table, first, table.rest(1.0), second, table.rest(1.5), sweep)

    assert played(askable()) == ["A lays 7s", "B lays Ts on 7s", "swept to heap"]
    # A detector without a targeted search never reports it: so it is the search that finds it.
    assert not any(f"lays {blind_to}" in word for word in played(with_talon(heap=3)))


@pytest.mark.thorough
def test_known_card_that_is_undetected_when_covered_is_kept() -> None:
    table = askable()

    def covered() -> Iterator[Frame]:
        table.missed.add("7s")
        yield from table.lay("B", Lying("Ts", 20, 25, 15))
        yield from table.rest(1.0)
        yield from table.lay("A", Lying("7d", 120, 0))

    assert events_of(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.6), covered()) == [
        "A lays 7s",
        "B lays Ts on 7s",
        "A lays 7d",
    ]


@pytest.mark.thorough
def test_card_on_an_unread_one_is_uncertain() -> None:
    table = askable()
    table.missed.add("7s")
    table.unreadable = frozenset({"7s"})
    pipeline = Pipeline(table, table.seats, START)
    acts = (table.lay("A", Lying("7s", 0, 0)), table.rest(3.0), table.lay("B", Lying("Ts", 20, 25, 15)))
    events = play(pipeline, table.rest(1.0), *acts, table.rest(3.0))
    (placed,) = [event for event in events if isinstance(event, Placed)]
    assert placed.card == Card.parse("Ts")
    assert placed.confidence is not None
    assert placed.confidence <= 0.65


def test_card_outside_the_pack_is_reported_by_its_name() -> None:
    table = with_talon()
    stranger, beaten = table.lay("A", Lying("5h", -60, 0)), table.lay("B", Lying("Ts", -40, 22, 20))
    words = events_of(table, stranger, table.rest(2.0), beaten, table.rest(1.0), start=replace(START, pack=36))
    assert words == ["A lays 5h", "B lays Ts on 5h"]


@pytest.mark.thorough
def test_card_outside_the_pack_may_be_lifted() -> None:
    table = with_talon()
    laid, taken = table.lay("A", Lying("5h", 0, 0)), table.pick("A", "5h", to="hand")
    words = events_of(table, laid, table.rest(1.5), taken, start=replace(START, pack=36))
    assert words == ["A lays 5h", "A lifts 5h"]


@pytest.mark.thorough
def test_card_misread_as_outside_the_pack_for_a_moment_is_reported_once_read() -> None:
    table = with_talon()
    table.misreads["6h"] = "5h"

    def better() -> Iterator[Frame]:
        table.misreads.clear()
        yield from table.rest(1.0)

    laid, start = table.lay("A", Lying("6h", -60, 0)), replace(START, pack=36)
    words = events_of(table, laid, better(), start=start, settings=EVERY_INFERENCE_COUNTS)
    assert words == ["A lays 6h"]


def test_wrong_name_is_reread() -> None:
    table = with_talon()
    table.misreads["6s"] = "9s"

    def better() -> Iterator[Frame]:
        table.misreads.clear()
        for k, name in enumerate(("6h", "6d", "6c")):
            yield from table.lay("A", Lying(name, 80 + 70 * k, -60))
            yield from table.rest(2.0)

    laid = table.lay("A", Lying("6s", 0, 0))
    words = events_of(table, laid, table.rest(0.6), better(), settings=EVERY_INFERENCE_COUNTS)
    assert words[0] == "A lays 9s"
    assert "9s is 6s" in words
    assert len(words) == 5
