"""Trace of a simulated table: the records an observer receives, as data and as picture."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from features.trace.trace import draw_inference, evidence_as_json, inference_as_json
from referee.cards import Card
from referee.events import Placed, Swept, TableEvent
from tests.vision.tabletop import Askable, Hand, Lying, Tabletop, play, with_talon
from vision.actions.evidence import Alternative, Evidence
from vision.capture.sources import Frame
from vision.detection.detections import CLASS_NAMES, Detections
from vision.inference_schedule import InferenceReason
from vision.pipeline import Pipeline
from vision.table.filter_model import FilterSettings
from vision.table.observation import InitialState
from vision.table_session import PipelineServices
from vision.view.observer import EvidenceRecord, InferenceRecord

START = InitialState(turnup=Card.parse("9h"), talon=5, dealt=True)


class RecordingObserver:
    """Keeps each record as data, because the pipeline's objects change with the next inference."""

    def __init__(self) -> None:
        self.inferences: list[dict[str, Any]] = []
        self.reasons: list[InferenceReason] = []
        self.pictures: list[np.ndarray] = []
        self.judged_at: list[EvidenceRecord] = []

    def on_inference(self, record: InferenceRecord) -> None:
        self.inferences.append(inference_as_json(record))
        self.reasons.append(record.reason)
        self.pictures.append(draw_inference(record))

    def on_evidence(self, judged: EvidenceRecord) -> None:
        self.judged_at.append(judged)


def observed(
    table: Tabletop, *acts: Iterator[Frame], seats: tuple[str, ...] | None = None
) -> tuple[RecordingObserver, list[TableEvent]]:
    """Return the records that an observer received, and the reported events."""

    observer = RecordingObserver()
    pipeline = Pipeline(table, seats or table.seats, START, services=PipelineServices(observer=observer))
    events = play(pipeline, table.rest(1.0), *acts, table.rest(1.0))
    return observer, [*events, *pipeline.finish()]


@pytest.mark.thorough
def test_observer_does_not_change_the_events() -> None:
    def game(table: Tabletop) -> tuple[Iterator[Frame], ...]:
        return table.lay("A", Lying("7s", -60, 0)), table.lay("B", Lying("Ts", -40, 22, 20)), table.rest(1.0)

    alone = with_talon()
    silent = Pipeline(alone, alone.seats, START)
    expected = play(silent, alone.rest(1.0), *game(alone), alone.rest(1.0))
    table = with_talon()
    observer, events = observed(table, *game(table))
    assert events == [*expected, *silent.finish()]
    assert len(observer.inferences) == silent.timings["inference"].calls


def test_inference_record_has_the_card_its_place_and_its_reason() -> None:
    table = with_talon()
    observer, _ = observed(table, table.lay("A", Lying("7s", 0, 0)))
    first = next(
        record for record in observer.inferences[1:] if any(card["state"] == "new" for card in record["cards"])
    )
    assert first["because"] == InferenceReason.CHANGED.value
    assert first["motion"]["changed_px"] > 100
    new = next(card for card in first["cards"] if card["state"] == "new")
    assert (new["names"][0][0], new["zone"], new["looks"]) == ("7s", "bout", 1)
    found = new["found"]
    assert found["names"][0] == ["7s", pytest.approx(0.97, abs=0.01)]
    assert len(found["names"]) == 3
    middle = np.mean(found["corners"], axis=0)
    assert np.allclose(middle, table.px((0, 0)), atol=3)


def test_trace_picture_shows_tracked_cards() -> None:
    table = with_talon()
    observer, _ = observed(table, table.lay("A", Lying("7s", 0, 0)))
    picture = observer.pictures[-1]
    assert picture.shape == (360, 640, 3)
    x, y = (int(v) for v in table.px((0, 0)))
    around = picture[y - 40 : y + 40, x - 40 : x + 40].astype(int)
    blue = (around[..., 0] > 200) & (around[..., 2] < 130)
    assert blue.any(), "the outline of a card that is followed"


def test_inference_record_has_talon_seats_and_hands() -> None:
    table = with_talon()
    table.lying.append(Lying("8d", 40, -60))
    observer, _ = observed(table, table.reach("B", (0, 0)), table.rest(3.0), table.leave("B"))
    last = observer.inferences[-1]
    assert last["zones"]["talon"] is not None
    assert last["zones"]["seats"] == {"A": 90.0, "B": 210.0, "C": 330.0}
    hands = [hand for record in observer.inferences for hand in record["hands"]]
    assert {hand["likely"] for hand in hands} == {"B"}


def test_card_has_its_probability_and_what_was_expected_of_it() -> None:
    table = with_talon()
    table.lying.append(Lying("8d", 40, -60))
    observer, _ = observed(table, table.reach("B", (40, -60)), table.rest(2.0), table.leave("B"))
    rows = [card for inference in observer.inferences for card in inference["cards"] if card["names"][0][0] == "8d"]
    plain = [card for card in rows if card["in_view"] == 1.0]
    assert plain
    assert all(card["expected"] > 0.9 and card["found"] is not None for card in plain)
    hidden = [card for card in rows if card["in_view"] < 0.3]
    assert all(card["expected"] < 0.8 for card in hidden)
    assert all(0 < card["probability"] <= 1 and len(card["log_odds"]) == 2 for card in rows)


@pytest.mark.thorough
@pytest.mark.parametrize(("upper_mm", "at", "by_arms"), [(20, (-20, -20), False), (35, (-20, 0), True)])
def test_card_is_expected_as_cards_are_that_are_hidden_so(upper_mm: int, at: tuple[int, int], by_arms: bool) -> None:
    table = with_talon()
    table.lying += [Lying("8d", 0, 0), Lying("9d", upper_mm, 0)]
    observer, _ = observed(table, table.reach("B", at), table.rest(2.0), table.leave("B"))
    rows = [card for inference in observer.inferences for card in inference["cards"] if card["names"][0][0] == "8d"]
    row = min(rows, key=lambda card: card["in_view"])
    model = FilterSettings()
    found = model.found_under_arms if by_arms else model.found_under_cards
    assert row["expected"] == pytest.approx(np.interp(row["in_view"], model.views, found), abs=0.01)


@pytest.mark.thorough
def test_table_names_the_hands_over_a_card_that_came_and_over_one_that_left() -> None:
    table = with_talon()
    observer, _ = observed(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.rest(0.6),
        table.pick("B", "7s", to="hand"),
        table.rest(1.0),
    )
    tables = [record["table"] for record in observer.inferences]
    (card,) = next(table["bout"] for table in tables if table["bout"])
    assert (card["card"], card["hands"][0]["seat"]) == ("7s", "A")
    assert card["hands"][0]["hid"] > 0.5
    left = [card for found in tables for card in found["left"]]
    assert [(card["track"], card["hands"][0]["seat"]) for card in left] == [(card["track"], "B")]


@pytest.mark.thorough
def test_unsure_reading_is_reported_after_another_inference() -> None:
    table = with_talon(table=Tabletop(faint={"7s": 0.75}))
    observer, events = observed(table, table.lay("A", Lying("7s", 0, 0)), table.rest(2.0))
    first = observer.judged_at[0]
    assert first.waiting == first.noticed
    assert first.reported == ()
    reporting = next(judged for judged in observer.judged_at if judged.reported)
    assert reporting.reported == tuple(events)
    assert [line.event.at for line in reporting.confirmed] == [event.at for event in events]
    assert InferenceReason.HELD_BACK in observer.reasons


@pytest.mark.thorough
def test_no_inference_is_due_for_an_unsure_card_while_an_arm_hides_it() -> None:
    table = with_talon(table=Tabletop(faint={"7s": 0.75}))

    def hidden() -> Iterator[Frame]:
        table.hands.append(Hand(1, (0, 0)))
        yield from table.rest(1.0)
        table.hands.clear()

    observer, events = observed(table, table.lay("A", Lying("7s", 0, 0)), table.rest(0.2), hidden(), table.rest(1.0))
    reasons = [
        (reason, min(card["in_view"] for card in inference["cards"] if card["names"][0][0] == "7s"))
        for reason, inference in zip(observer.reasons, observer.inferences, strict=True)
        if any(card["names"][0][0] == "7s" for card in inference["cards"])
    ]
    assert any(share < 0.25 for _, share in reasons), "an arm hid it"
    assert all(share >= 0.25 for reason, share in reasons if reason is InferenceReason.HELD_BACK)
    assert [event.card for event in events if isinstance(event, Placed)] == [Card.parse("7s")]


def test_evidence_record_has_alternatives_with_their_shares() -> None:
    swept, doubt = Swept(at=2.0, to="B"), Alternative("past the heap", {"heap": ({"to": "heap"}, log(1 / 3))})
    evidence = Evidence(swept, (doubt,), stable_at=2.5)
    waiting = evidence_as_json(evidence)
    assert (waiting["to"], waiting["settles_at"]) == ("B", 2.5)
    assert waiting["doubts"] == [
        {"cue": "past the heap", "instead": {"heap": {"to": "heap"}}, "log_odds": {"heap": -1.1}}
    ]
    (alternative,) = evidence_as_json(evidence, evidence.as_event())["doubts"]
    assert alternative["shares"] == {"heap": 0.25}


def test_unlikely_alternative_has_share_zero() -> None:
    evidence = Evidence(Swept(at=2.0, to="B"), (Alternative("rare", {"heap": ({"to": "heap"}, -9.0)}),))
    (doubt,) = evidence_as_json(evidence, replace(evidence.event, confidence=1.0))["doubts"]
    assert doubt["shares"] == {"heap": 0.0}


def test_dropped_detection_has_a_reason() -> None:
    table = with_talon()

    def ghostly(image_bgr: np.ndarray) -> Detections:
        """Return a false card from the second second on, where nothing has changed."""
        if table.number <= 25:
            return seen(image_bgr)
        ghost = table.quad(Lying("8c", 150, -60))[None].astype(np.float32)
        names = np.full((1, len(CLASS_NAMES)), 0.001, np.float32)
        names[0, CLASS_NAMES.index("8c")] = 0.94
        return seen(image_bgr).beside(Detections(ghost, np.full(1, 0.9, np.float32), names))

    seen, table.detect = table.detect, ghostly  # type: ignore[method-assign]
    observer, events = observed(table, table.lay("A", Lying("7s", 0, 0)))
    fates = {
        beside["fate"]
        for record in observer.inferences
        for beside in record["besides"]
        if beside["names"][0][0] == "8c"
    }
    assert fates == {"not used: nothing has changed there, or it is a double of another card"}
    assert [event.card for event in events if isinstance(event, Placed)] == [Card.parse("7s")]


@pytest.mark.thorough
def test_cards_of_a_targeted_search_are_marked() -> None:
    table = with_talon(table=Askable())
    table.lying += [Lying("6c", -60, -60), Lying("8d", 60, -60)]
    table.missed = {"7s"}
    observer, _ = observed(table, table.lay("A", Lying("7s", 0, 30)), table.rest(1.0))
    asked = [
        card["found"]["names"][0][0]
        for record in observer.inferences
        for card in record["cards"]
        if card["found"] is not None and card["found"]["found_by"] == "asking about the place"
    ]
    assert set(asked) == {"7s"}


def test_seats_with_cyrillic_names_can_be_drawn() -> None:
    table = with_talon()
    observer, _ = observed(table, table.lay("A", Lying("7s", 0, 0)), seats=("Аня", "Боря", "Вера"))
    assert observer.pictures
    assert set(observer.inferences[-1]["zones"]["seats"]) == {"Аня", "Боря", "Вера"}


@pytest.mark.thorough
def test_delayed_event_names_what_it_waits_for() -> None:
    table = with_talon()
    observer, events = observed(
        table,
        table.reach("A", (0, 0), ["7h"]),
        laid(table, Lying("7h", 0, 0)),
        table.rest(0.8),
        table.leave("A"),
        table.draw("B"),
    )
    waits = {note.text for judged in observer.judged_at for note in judged.notes if note.label == "waits"}
    assert "7h may have been put down to be exchanged for the turn-up" in waits
    assert "a hand was at the talon: whether it drew is open" in waits
    assert Card.parse("7h") in [event.card for event in events if isinstance(event, Placed)]


def laid(table: Tabletop, card: Lying) -> Iterator[Frame]:
    """Lay a card by the hand, which then draws back a little and stays."""
    table.hands[-1].holds = []
    table.lying.append(card)
    yield from table.move(table.hands[-1], (card.x, card.y + 130))
