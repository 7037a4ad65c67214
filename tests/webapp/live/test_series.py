"""A series of games, and the next game of it with other people."""

from __future__ import annotations

import pytest

from webapp.live.board import Snapshot
from webapp.live.game_setup import GameSetup
from webapp.live.series import Series
from webapp.live.shared_setup import SharedSetup
from webapp.match.view import Call, Sentence, TablePosition, View
from webapp.store.evenings import NEVER, FinishedGame

SEATS = ("Anna", "Boris", "Vera")


def games(*losers: str) -> tuple[FinishedGame, ...]:
    results = ({"kind": "fool", "seats": [name]} for name in losers)
    return tuple(FinishedGame("", "kitchen", NEVER, NEVER, SEATS, result) for result in results)


def test_series_ends_with_whoever_loses_so_many_first() -> None:
    played = games("Anna", "Boris", "Boris")
    assert Series(2).standing(played[:2], SEATS) == {
        "to": 2,
        "games": 2,
        "lost": {"Anna": 1, "Boris": 1, "Vera": 0},
        "fool": [],
    }
    assert Series(2).standing(played, SEATS)["fool"] == ["Boris"]
    assert Series(2).standing((*played, *games("Anna", "Anna")), SEATS)["fool"] == ["Boris"], "the first who did"


def test_series_counts_from_where_it_began_and_from_zero_on_another_evening() -> None:
    played = games("Anna", "Anna", "Boris")
    assert Series(2, since=2).standing(played, SEATS)["lost"] == {"Anna": 0, "Boris": 1, "Vera": 0}
    assert Series(2, since=9).standing(played[:1], SEATS)["lost"]["Anna"] == 1


def over(leads: str | None) -> Snapshot:
    deal = Call(9, 9, 1.0, {"announce": "deal", "dealer": "Vera", "leads": leads}, Sentence(lambda language, _: ""))
    position = TablePosition(result={"kind": "fool", "seats": ["Vera"]})
    return Snapshot(view=View(seats=SEATS, position=position, calls=(deal,), rulings={"legal": 1}))


@pytest.mark.parametrize(
    ("seats", "leads", "dealer", "lead"),
    [
        (None, "Anna", "Vera", "Anna"),
        (("Anna", "Boris", "Vera", "Grigori"), "Anna", "Vera", "Grigori"),  # who sits to the fool's left now
        (("Vera", "Boris", "Anna"), "Anna", "Vera", "Boris"),
        (("Anna", "Boris"), "Anna", None, "Anna"),  # the dealer has gone
        (("Anna", "Boris", "Vera", "Grigori"), "Boris", "Vera", "Boris"),  # the house lets somebody else lead
    ],
)
def test_next_game_is_dealt_and_led_by_the_rules_whoever_plays(
    seats: tuple[str, ...] | None, leads: str, dealer: str | None, lead: str
) -> None:
    shared_setup = SharedSetup(GameSetup(source="0", seats=SEATS), begins=True)
    shared_setup.take_up()
    setup = shared_setup.next_game(over(leads), seats)
    assert (setup.dealer, setup.lead, setup.seats) == (dealer, lead, seats or SEATS)
    header = setup.header()
    assert header.seats[(header.seats.index(str(header.dealer)) + 1) % len(header.seats)] == lead
    assert shared_setup.is_asked


def test_seats_that_cannot_play_leave_everything_as_it_was() -> None:
    shared_setup = SharedSetup(GameSetup(source="0", seats=SEATS), begins=True)
    shared_setup.take_up()
    with pytest.raises(ValueError, match="expected"):
        shared_setup.next_game(over("Anna"), ("Anna",))
    assert shared_setup.setup.seats == SEATS
    assert not shared_setup.is_asked
