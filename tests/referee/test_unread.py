"""A card that nobody could read never accuses anybody in a game without faults."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from referee.belief.interpretation import accuses
from referee.rulings import Message, Ruling
from tests.referee.falsified import fed
from tests.referee.nightly import session_of

Line = Mapping[str, Any]
AFTER = 15
"""Lines after the sweep of the bout: the draws, the next lead and its answers."""


def with_unread_card(record: Sequence[Line], place: int, *, by: bool) -> list[Line] | None:
    """Return the record to some lines after the bout, with this card unread; None where it cannot go unread alone."""
    card = record[place]
    end = next((at for at in range(place, len(record)) if record[at]["event"] == "swept"), len(record) - 1)
    bout = record[place : end + 1]
    at_once = [each for each in (record[place - 1], *record[place + 1 : place + 2]) if each.get("at") == card["at"]]
    if at_once or any(each["event"] in ("lifted", "shown") or "left" in each for each in bout):
        return None
    unread = {"at": card["at"], "event": "placed", "card": "back", "by": card["by"] if by else None}
    unread |= {"on": card["on"]} if "on" in card else {}
    # Nobody can name the card under another one that was not read.
    rest = [{key: value for key, value in each.items() if (key, value) != ("on", card["card"])} for each in bout[1:]]
    return [*record[:place], unread, *rest, *record[end + 1 : end + AFTER]]


def accusations(record: Sequence[Line]) -> Iterator[Message]:
    for message in fed(tuple(record)).holding:
        if isinstance(message.what, Ruling) and accuses(message.what):
            yield message


@pytest.mark.parametrize("by", [True, False], ids=["seat-known", "seat-unknown"])
@pytest.mark.parametrize("game", [0, 13, 16, 22, 43, 45, 54, 57])
def test_unread_card_accuses_nobody_in_a_game_without_faults(game: int, by: bool) -> None:
    session = session_of(game, 1)
    session.play()
    rng = random.Random(game)
    places = [place for place, line in enumerate(session.record) if line.get("event") == "placed"]
    records = [with_unread_card(session.record, place, by=by) for place in rng.sample(places, 12)]
    played = [record for record in records if record is not None][:4]
    assert played
    assert [found for record in played for found in accusations(record)] == []
