"""Print one simulated game: true events, reported events, rulings and announcements."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.simulation.judges import SimulationJudge
from benchmarks.simulation.score import events_of
from benchmarks.simulation.simulated_games import SimulatedGame
from referee.header import Header
from referee.rulings import Ruling, Verdict


def shown(game: SimulatedGame, judge: SimulationJudge) -> str:
    """Return the reported lines, with the true one where they differ, each followed by its rulings."""
    return "\n".join(_lines(game, judge))


def _lines(game: SimulatedGame, judge: SimulationJudge) -> Iterator[str]:
    yield json.dumps(game.truth.header)
    judge.open(Header.parse(game.truth.header))
    next_true = 0
    for number, (line, event) in enumerate(zip(game.reported, events_of(game), strict=True), start=2):
        while line.true is not None and next_true < line.true:
            yield f"      not reported: {json.dumps(game.truth.lines[next_true].event)}"
            next_true += 1
        yield f"{number:4}  {json.dumps(line.event)}"
        if line.true is None:
            yield "      nothing happened"
        else:
            truth, next_true = game.truth.lines[line.true], line.true + 1
            different = {key: value for key, value in truth.event.items() if line.event.get(key) != value}
            if different or "on" in line.event.keys() - truth.event.keys():
                yield f"      true: {json.dumps(different)}"
            if truth.faults:
                yield f"      fault: {', '.join(sorted(truth.faults))}{', stands' if truth.stands else ''}"
        messages = [*judge.apply(number, event), *(judge.finish() if number == len(game.reported) + 1 else ())]
        for message in messages:
            if isinstance(message.what, Ruling) and message.what.verdict is Verdict.LEGAL:
                continue
            sure = "" if message.probability is None else f" ({message.probability:.3f})"
            yield f"      > {message.line}{sure}: {json.dumps(message.what.as_json())}"
