"""The counts of what inferences find, on the tabletop of the tests, whose true cards are known in every frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.count_inferences import Counts, InferenceCounter, TrueCard, true_frames
from tests.vision.tabletop import NO_GAME, Lying, Tabletop
from vision.capture.sources import Frame
from vision.pipeline import Pipeline
from vision.table_session import PipelineServices

SEVEN, TEN = Lying("7s", -60.0, 0.0), Lying("Td", 70.0, 0.0)


def counted(table: Tabletop, *acts: Iterator[Frame], hidden: frozenset[str] = frozenset()) -> Counts:
    """Return the counts of the acts. ``hidden``: cards that the truth leaves out, so that their claims are false."""
    truth: list[list[TrueCard]] = []
    counter = InferenceCounter(truth)
    pipeline = Pipeline(table, table.seats, NO_GAME, services=PipelineServices(observer=counter))
    for act in acts:
        for frame in act:
            lying = [card for card in table.lying if card.card not in hidden]
            truth += [[]] * (frame.number + 1 - len(truth))
            truth[frame.number] = [TrueCard(card.card, table.quad(card), moves=False) for card in lying]
            pipeline.feed(frame)
    return counter.counts


def test_card_in_plain_view_is_found_named_and_laid() -> None:
    table = Tabletop()
    counts = counted(table, table.rest(0.6), table.lay("A", SEVEN), table.rest(1.0))
    found = counts.found["nothing, 0.75 to 1 in view"]
    assert found["named"] == found.total() > 1
    assert counts.claims["seen: first"]["laid"] >= 1
    assert set(counts.claims["arm: no arm"]) == {"laid"}


def test_misread_and_missed_cards_are_counted_apart() -> None:
    table = Tabletop(misreads={"7s": "8s"}, missed={"Td"}, lying=[SEVEN, TEN])
    found = counted(table, table.rest(1.0)).found["nothing, 0.75 to 1 in view"]
    assert found["misnamed"] == found["missed"] == found.total() / 2


def test_hidden_share_and_what_hides_it_make_the_class() -> None:
    table = Tabletop(lying=[SEVEN, Lying("Td", SEVEN.x + 20.0, SEVEN.y)])
    found = counted(table, table.rest(1.0)).found
    assert set(found) == {"nothing, 0.75 to 1 in view", "cards, 0.25 to 0.5 in view"}


def test_detection_of_the_upper_of_two_cards_does_not_show_the_lower() -> None:
    table = Tabletop(lying=[SEVEN, Lying("Td", SEVEN.x, SEVEN.y)])
    found = counted(table, table.rest(1.0)).found
    assert set(found["cards, 0 to 0.1 in view"]) == {"missed"}
    assert set(found["nothing, 0.75 to 1 in view"]) == {"named"}


def test_claim_without_a_card_is_nothing() -> None:
    table = Tabletop()
    counts = counted(table, table.rest(0.6), table.lay("A", SEVEN), table.rest(1.0), hidden=frozenset({"7s"}))
    assert not counts.found
    assert set(counts.claims["seen: first"]) == {"nothing"}


def test_change_of_a_place_tells_a_card_that_left() -> None:
    table = Tabletop(lying=[SEVEN, TEN])
    counts = counted(table, table.rest(1.0), table.pick("B", "7s", to="hand"), table.rest(1.0))
    assert counts.change["left"]["changed"] == 1
    assert counts.change["lies"]["unchanged"] > counts.change["lies"]["changed"]


def test_film_with_events_needs_the_true_places(tmp_path: Path) -> None:
    header, event = '{"kozyr": 1, "rules": "free"}', '{"at": 1.0, "event": "placed", "card": "6s"}'
    (tmp_path / "riffle.jsonl").write_text(header + "\n", "utf-8")
    assert true_frames(tmp_path / "riffle.mp4") == []
    (tmp_path / "played.jsonl").write_text(f"{header}\n{event}\n", "utf-8")
    with pytest.raises(ValueError, match=r"played\.tracks\.jsonl"):
        true_frames(tmp_path / "played.mp4")
