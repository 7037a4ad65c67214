"""Places for streams and downloads: guests lock out neither each other nor a referee, and a revoked role ends them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.web.stream_places import Asker, Held, PlaceShares, StreamPlaces

SHARES = PlaceShares.of(10)


def guest(number: int, address: str) -> Asker:
    return Asker(f"guest {number}", address, is_guest=True)


def test_guests_leave_a_fifth_to_referees_however_many_devices_they_pair() -> None:
    places = StreamPlaces(SHARES)
    assert [places.take(guest(number, f"10.0.0.{number}")) is not None for number in range(10)] == [True] * 8 + [
        False
    ] * 2
    assert [places.take(Asker("tablet")) is not None for _ in range(2)] == [True, True]


def test_guests_of_one_address_leave_places_to_others() -> None:
    places = StreamPlaces(SHARES)
    held = [places.take(guest(number, "10.0.0.1")) is not None for number in range(10)]
    assert held == [True] * 6 + [False] * 4
    assert places.take(guest(11, "10.0.0.2"))


def test_referee_gets_the_place_of_a_guest_where_all_are_taken() -> None:
    places = StreamPlaces(SHARES)
    guests = [places.take(guest(number, f"10.0.0.{number}")) for number in range(8)]
    assert all(places.take(Asker("tablet")) for _ in range(3))
    assert [place is not None and place.is_kept for place in guests].count(False) == 1


def test_guest_gets_a_place_only_of_a_device_that_holds_more() -> None:
    places = StreamPlaces(SHARES)
    referees = [places.take(Asker("tablet")) for _ in range(10)]
    assert places.take(guest(1, "10.0.0.1")) is not None, "the device with most places gives one"
    assert [place is not None and place.is_kept for place in referees].count(False) == 1
    assert [places.take(guest(1, "10.0.0.1")) is not None for _ in range(4)] == [True, True, True, False], "those leave"


def test_part_that_came_while_the_place_was_lost_is_not_sent() -> None:
    places = StreamPlaces(SHARES)
    place = places.take(Asker("tablet"))
    assert place is not None

    def parts() -> Iterator[bytes]:
        yield b"first"
        places.end("tablet")
        yield b"second"

    held = Held(parts(), places, place)
    assert next(held) == b"first"
    with pytest.raises(StopIteration):
        next(held)
