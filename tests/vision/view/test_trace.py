"""What an observer receives of a small drawn table, as data and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from referee.cards import Card
from referee.events import Drawn, Placed, Swept, TableEvent
from tests.vision.tabletop import HEAP, Askable, Lying, Tabletop, play, with_talon
from vision.capture.sources import Frame
from vision.detection.detections import CLASS_NAMES, Detections
from vision.events.evidence import Doubt, Evidence, Likelihoods
from vision.inference_schedule import InferenceReason
from vision.observation import InitialState
from vision.pipeline import Pipeline
from vision.table_session import PipelineServices
from vision.view.observer import EvidenceRecord, InferenceRecord, Note
from vision.view.trace import Grounds, evidence_as_json, inference_as_json, notes_as_json
from vision.view.trace_picture import draw_inference

START = InitialState(turnup=Card.parse("9h"), talon=5, dealt=True)


class Watcher:
    """Keeps what it receives, as data: the pipeline's objects change with the next inference."""

    def __init__(self) -> None:
        self.inferences: list[dict[str, Any]] = []
        self.reasons: list[InferenceReason] = []
        self.pictures: list[np.ndarray] = []
        self.judged_at: list[EvidenceRecord] = []
        self.grounds = Grounds()
        self.rests_on: list[tuple[TableEvent, list[dict[str, Any]]]] = []

    def on_inference(self, look: InferenceRecord) -> None:
        if look.observation is not None:
            self.grounds.record(look.observation)
        self.inferences.append(inference_as_json(look))
        self.reasons.append(look.reason)
        self.pictures.append(draw_inference(look))

    def on_evidence(self, judged: EvidenceRecord) -> None:
        noticed = [each.event for each in judged.noticed]
        self.grounds.heard(noticed)
        self.judged_at.append(judged)
        self.rests_on += [(event, self.grounds.of(event, judged.hands)) for event in noticed]


def watched(
    table: Tabletop, *acts: Iterator[Frame], seats: tuple[str, ...] | None = None
) -> tuple[Watcher, list[TableEvent]]:
    """Return what an observer received, and the events."""

    watcher = Watcher()
    pipeline = Pipeline(table, seats or table.seats, START, services=PipelineServices(observer=watcher))
    events = play(pipeline, table.rest(1.0), *acts, table.rest(1.0))
    return watcher, [*events, *pipeline.finish()]


def test_an_observer_changes_nothing() -> None:
    def game(table: Tabletop) -> tuple[Iterator[Frame], ...]:
        return table.lay("A", Lying("7s", -60, 0)), table.lay("B", Lying("Ts", -40, 22, 20)), table.rest(1.0)

    alone = with_talon()
    silent = Pipeline(alone, alone.seats, START)
    expected = play(silent, alone.rest(1.0), *game(alone), alone.rest(1.0))
    table = with_talon()
    watcher, events = watched(table, *game(table))
    assert events == [*expected, *silent.finish()]
    assert len(watcher.inferences) == silent.timings["inference"].calls


def test_an_inference_names_the_card_its_place_and_its_reason() -> None:
    table = with_talon()
    watcher, _ = watched(table, table.lay("A", Lying("7s", 0, 0)))
    first = next(look for look in watcher.inferences[1:] if any(each["state"] == "new" for each in look["tracks"]))
    assert first["because"] == InferenceReason.CHANGED.value
    assert first["gate"]["changed_px"] > 100
    new = next(each for each in first["tracks"] if each["state"] == "new")
    assert (new["names"][0][0], new["zone"], new["looks"]) == ("7s", "bout", 1)
    found = next(each for each in first["detections"] if each["track"] == new["track"])
    assert found["fate"] == "new"
    assert found["names"][0] == ["7s", pytest.approx(0.97, abs=0.01)]
    assert len(found["names"]) == 3
    middle = np.mean(found["corners"], axis=0)
    assert np.allclose(middle, table.px((0, 0)), atol=3)


def test_the_picture_shows_what_was_made_of_the_frame() -> None:
    table = with_talon()
    watcher, _ = watched(table, table.lay("A", Lying("7s", 0, 0)))
    picture = watcher.pictures[-1]
    assert picture.shape == (360, 640, 3)
    x, y = (int(v) for v in table.px((0, 0)))
    around = picture[y - 40 : y + 40, x - 40 : x + 40].astype(int)
    blue = (around[..., 0] > 200) & (around[..., 2] < 130)
    assert blue.any(), "the outline of a card that is followed"


def test_the_talon_seats_and_hands_of_an_inference_are_traced() -> None:
    table = with_talon()
    table.lying.append(Lying("8d", 40, -60))
    watcher, _ = watched(table, table.reach("B", (0, 0)), table.rest(3.0), table.leave("B"))
    last = watcher.inferences[-1]
    assert last["zones"]["talon"] is not None
    assert last["zones"]["seats"] == {"A": 90.0, "B": 210.0, "C": 330.0}
    hands = [hand for look in watcher.inferences for hand in look["hands"]]
    assert {hand["likely"] for hand in hands} == {"B"}
    assert any(hand["outline"] is not None and len(hand["outline"]) > 3 for hand in hands)


def test_an_event_rests_on_its_card_and_the_hand_that_was_there() -> None:
    table = with_talon()
    watcher, _ = watched(table, table.lay("A", Lying("7s", 0, 0)))
    event, rests_on = watcher.rests_on[0]
    assert isinstance(event, Placed)
    assert [each["card"] for each in rests_on] == ["7s"]
    assert rests_on[0]["hands"][0]["seat"] == "A"
    assert rests_on[0]["hands"][0]["hid"] > 0.5


def test_a_sweep_rests_on_the_cards_of_its_own_bout() -> None:
    table = with_talon(heap=2)
    watcher, _ = watched(
        table,
        table.lay("A", Lying("7s", -60, 0)),
        table.lay("B", Lying("Ts", -40, 22, 20)),
        table.rest(0.6),
        table.pick("B", "7s", "Ts", to=HEAP),
        table.rest(1.5),
        table.lay("A", Lying("8c", 60, 0)),
        table.rest(0.6),
        table.pick("B", "8c", to="hand"),
        table.rest(1.0),
    )
    swept = [
        (event.to, sorted(each["card"] for each in rests_on))
        for event, rests_on in watcher.rests_on
        if isinstance(event, Swept)
    ]
    assert swept == [("heap", ["7s", "Ts"]), ("B", ["8c"])]


def test_a_draw_rests_on_the_hand_that_was_at_the_talon() -> None:
    table = with_talon()
    watcher, _ = watched(table, table.draw("C"))
    event, rests_on = watcher.rests_on[0]
    assert isinstance(event, Drawn)
    assert (rests_on[0]["what"], rests_on[0]["seat"]) == ("a hand was at the talon", "C")
    assert rests_on[0]["at_talon"]


def test_an_uncertain_reading_waits_for_an_inference_and_is_reported_by_its_result() -> None:
    table = with_talon(table=Tabletop(faint={"7s": 0.75}))
    watcher, events = watched(table, table.lay("A", Lying("7s", 0, 0)), table.rest(2.0))
    first = watcher.judged_at[0]
    assert first.waiting == first.noticed
    assert first.reported == ()
    told = next(judged for judged in watcher.judged_at if judged.reported)
    assert told.reported == tuple(events)
    assert [each.event.at for each in told.confirmed] == [event.at for event in events]
    assert InferenceReason.HELD_BACK in watcher.reasons


def test_evidence_is_traced_with_its_doubts_and_the_share_of_each() -> None:
    swept, doubt = Swept(at=2.0, to="B"), Doubt("past the heap", {"heap": {"to": "heap"}})
    evidence = Evidence(swept, (doubt,), stable_at=2.5)
    waiting = evidence_as_json(evidence)
    assert (waiting["to"], waiting["settles_at"]) == ("B", 2.5)
    assert waiting["doubts"] == [{"cue": "past the heap", "instead": {"heap": {"to": "heap"}}}]
    counted = Likelihoods({"past the heap": {"as reported": 3, "heap": 1}}, as_reported=0.0, instead=0.0)
    (told,) = evidence_as_json(evidence, evidence.as_event(counted))["doubts"]
    assert told["shares"] == {"heap": 0.25}


def test_an_alternative_too_unlikely_to_be_reported_has_no_share() -> None:
    evidence = Evidence(Swept(at=2.0, to="B"), (Doubt("rare", {"heap": {"to": "heap"}}),))
    (doubt,) = evidence_as_json(evidence, replace(evidence.event, confidence=1.0))["doubts"]
    assert doubt["shares"] == {"heap": 0.0}


def test_a_dropped_detection_has_a_reason() -> None:
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
    watcher, events = watched(table, table.lay("A", Lying("7s", 0, 0)))
    fates = {each["fate"] for look in watcher.inferences for each in look["detections"] if each["names"][0][0] == "8c"}
    assert fates == {"not used: nothing has changed there, or it is a double of another card"}
    assert [event.card for event in events if isinstance(event, Placed)] == [Card.parse("7s")]


def test_cards_found_by_a_targeted_search_are_traced_apart() -> None:
    table = with_talon(table=Askable())
    table.lying += [Lying("6c", -60, -60), Lying("8d", 60, -60)]
    table.overlooks = {"7s"}
    watcher, _ = watched(table, table.lay("A", Lying("7s", 0, 30)), table.rest(1.0))
    asked = [
        each["names"][0][0]
        for look in watcher.inferences
        for each in look["detections"]
        if each["found_by"] == "asking about the place"
    ]
    assert set(asked) == {"7s"}


def test_a_seat_that_the_font_can_not_write_is_numbered_in_the_picture() -> None:
    table = with_talon()
    watcher, _ = watched(table, table.lay("A", Lying("7s", 0, 0)), seats=("Аня", "Боря", "Вера"))
    assert watcher.pictures
    assert set(watcher.inferences[-1]["zones"]["seats"]) == {"Аня", "Боря", "Вера"}


def test_a_note_may_carry_a_weight() -> None:
    notes = (Note("hypothesis", "B drew unseen", 0.2), Note("waits", "cards have left"))
    assert notes_as_json(notes) == [
        {"label": "hypothesis", "text": "B drew unseen", "weight": 0.2},
        {"label": "waits", "text": "cards have left"},
    ]


def test_an_event_that_cannot_be_reported_yet_names_what_it_waits_for() -> None:
    table = with_talon()
    watcher, events = watched(
        table,
        table.reach("A", (0, 0), ["7h"]),
        laid(table, Lying("7h", 0, 0)),
        table.rest(0.8),
        table.leave("A"),
        table.draw("B"),
    )
    waits = {note.text for judged in watcher.judged_at for note in judged.notes if note.label == "waits"}
    assert "7h may have been put down to be exchanged for the turn-up" in waits
    assert "a hand was at the talon: whether it drew is open" in waits
    assert Card.parse("7h") in [event.card for event in events if isinstance(event, Placed)]


def laid(table: Tabletop, card: Lying) -> Iterator[Frame]:
    """Let the hand lay a card and draw back a little, but stay."""
    table.hands[-1].holds = []
    table.lying.append(card)
    yield from table.move(table.hands[-1], (card.x, card.y + 130))
