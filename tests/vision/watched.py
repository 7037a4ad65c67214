"""Run the pipeline on a simulated table and return its events as short text."""

from __future__ import annotations

from collections.abc import Iterator

from referee.cards import Card
from referee.events import Dealt, Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent
from tests.vision.tabletop import Tabletop, play
from vision.capture.sources import Frame
from vision.pipeline import Pipeline
from vision.table.filter_model import FilterSettings
from vision.table.observation import InitialState
from vision.table_session import PipelineSettings

START = InitialState(turnup=Card.parse("9h"), talon=5, dealt=True)


def short(events: list[TableEvent]) -> list[str]:
    """Return each event as short text."""
    words = []
    for event in events:
        match event:
            case Placed():
                words.append(f"{event.by} lays {event.card}" + (f" on {event.on}" if event.on else ""))
            case Lifted():
                words.append(f"{event.by} lifts {event.card}")
            case Swept():
                left = f" leaving {' '.join(map(str, event.left))}" if event.left else ""
                words.append(f"swept to {event.to}{left}")
            case Drawn():
                words.append(f"{event.by} draws {event.count}" + (f" {event.card}" if event.card else ""))
            case Swapped():
                words.append(f"{event.by} swaps {event.card}")
            case Reread():
                words.append(f"{event.was} is {event.card}")
            case Dealt():
                words.append(f"dealt {event.turnup}")
            case _:
                words.append(type(event).__name__)
    return words


EVERY_INFERENCE_COUNTS = PipelineSettings(filter=FilterSettings(alike=0.01))
"""Settings by which the table's noise alone makes each inference new evidence."""


def events_of(
    table: Tabletop, *acts: Iterator[Frame], start: InitialState = START, settings: PipelineSettings | None = None
) -> list[str]:
    """Return the events as short text, with one second of rest before the actions and two after."""
    pipeline = Pipeline(table, table.seats, start, settings)
    events = play(pipeline, table.rest(1.0), *acts, table.rest(2.0))
    times = [event.at for event in events]
    assert times == sorted(times)
    return short([*events, *pipeline.finish()])
