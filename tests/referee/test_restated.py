"""What a person states of a camera's line is judged as stated, and undone completely."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from referee.record import event_from_json
from tests.referee.restated import RECORDING, beats_that_do_not_beat, disobeyed_in_game, disobeys, judged


@pytest.mark.thorough
def test_every_beat_of_the_recording_corrected_to_a_card_that_does_not_beat_is_illegal() -> None:
    lines = tuple(json.loads(line) for line in RECORDING.read_text("utf-8").splitlines())
    corrections = list(beats_that_do_not_beat(({**lines[0], "witness": "camera"}, *lines[1:])))
    assert len(corrections) == 78
    assert [disobeys(restated, called) for restated, called in corrections[:: len(corrections) // 19]] == [None] * 20


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("games", [range(6), range(18, 24), (41, 78, 137, 170)], ids=str)
def test_any_correction_of_a_card_or_seat_is_judged_as_stated(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [disobeyed_in_game(game, 1, tally) for game in games] == [None] * len(games)
    assert tally.total() == len(games)


START = {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"A": 6, "B": 6}, "attacker": "A"}
HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B", "witness": "camera", "start": START}


def placed(at: int, card: str, by: str, **more: object) -> dict[str, object]:
    return {"at": at, "event": "placed", "card": card, "by": by, **more}


@pytest.mark.parametrize(
    ("lead", "thrown", "ruling"),
    [
        (placed(1, "6s", "A", confidence=0.55, alternatives=[["7s", 0.45]]), [placed(5, "Kd", "A")], "unclear"),
        (
            placed(1, "7s", "A"),
            [placed(5, "Kd", "A"), placed(5, "8c", "A", confidence=0.55, alternatives=[["7c", 0.45]])],
            "legal",  # the card that people have not stated is still the one that keeps the rules
        ),
    ],
    ids=["attack card read uncertainly", "second card of the play read uncertainly"],
)
def test_stated_card_is_not_called_wrong_because_another_line_is_uncertain(
    lead: dict[str, object], thrown: list[dict[str, object]], ruling: str
) -> None:
    record = [HEADER, lead, placed(3, "Ts", "B", on=lead["card"]), *thrown]
    judge = judged(record)
    to = {"event": "placed", "card": "7d", "by": "A"}
    judge.apply(len(record) + 1, event_from_json({"at": 8, "event": "corrected", "by": "A", "line": 4, "to": to}))
    rulings = [message.what.as_json() for message in judge.holding if message.line >= 4]
    assert [(ruling["ruling"], "question" in ruling) for ruling in rulings] == [(ruling, False)]
