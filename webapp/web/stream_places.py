"""
Share the limited places for answers that hold a thread: live streams, downloads, and all other requests.

All places together are fewer than the server's threads. Guests (whoever is no referee) have fewer places than there
are, and those of one address fewer still. If all that a new answer may take are taken, it gets a place of the device
that holds the most, if that holds two more than its own; a referee also gets one of any guest's. So forty pages may be
open on one machine, and yet no device can lock another out. A request that is being answered gives its place to nobody.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: a device, the address that it has, and whether it is a guest, who is no referee."""

    device: str
    address: str = ""
    is_guest: bool = False


@dataclass(frozen=True, slots=True)
class PlaceShares:
    """Most places in all, of all guests together, and of the guests of one address."""

    most: int
    of_guests: int
    of_one_address: int

    @classmethod
    def of(cls, most: int) -> PlaceShares:
        """
        Return the usual shares of ``most`` places: four fifths for guests, three for the guests of one address.

        >>> PlaceShares.of(40), PlaceShares.of(2)
        (PlaceShares(most=40, of_guests=32, of_one_address=24), PlaceShares(most=2, of_guests=2, of_one_address=2))
        """
        return cls(most, most - most // 5, most - 2 * most // 5)


class StreamPlace:
    """A place that an answer holds. ``is_kept`` turns false when the answer is to end."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.is_kept = True


class StreamPlaces:
    """
    Places by ``shares``; ``leaving`` more for answers that were asked to end and have not ended yet, 0: none is asked.
    ``of_one_device``: most places of a device.
    """

    def __init__(self, shares: PlaceShares, leaving: int = 4, of_one_device: int | None = None) -> None:
        self.most = shares.most
        self._shares = shares
        self._leaving, self._of_one_device = leaving, of_one_device or shares.most
        self._places: list[StreamPlace] = []
        self._lock = threading.Lock()

    def take(self, asker: Asker) -> StreamPlace | None:
        """
        Return a place for an answer to this device; None if there is none for it.

        >>> places = StreamPlaces(PlaceShares(2, 2, 2))
        >>> one, two = places.take(Asker("tablet")), places.take(Asker("tablet"))
        >>> places.take(Asker("tablet")) is None, places.take(Asker("phone")) is None, one.is_kept, two.is_kept
        (True, False, False, True)
        """
        with self._lock:
            held = [place for place in self._places if place.is_kept]
            guests = [place for place in held if place.asker.is_guest]
            neighbours = [place for place in guests if place.asker.address == asker.address]
            own = [place for place in held if place.asker.device == asker.device]
            groups = [(held, self._shares.most), (own, self._of_one_device)]
            if asker.is_guest:
                groups = [(neighbours, self._shares.of_one_address), (guests, self._shares.of_guests), *groups]
            group = next((group for group, most in groups if len(group) >= most), None)
            if group is not None:
                if not self._leaving or len(self._places) >= self.most + self._leaving:
                    return None
                yields = guests if guests and not asker.is_guest else group
                by_device = Counter(place.asker.device for place in yields)
                greediest, count = by_device.most_common(1)[0]
                if yields is group and count < by_device[asker.device] + 2:
                    return None
                next(place for place in yields if place.asker.device == greediest).is_kept = False
            place = StreamPlace(asker)
            self._places.append(place)
            return place

    def leave(self, place: StreamPlace) -> None:
        """Give a place back; may be called more than once."""
        with self._lock:
            if place in self._places:
                self._places.remove(place)

    def end(self, device: str) -> None:
        """End all answers to a device, since it is no longer paired."""
        with self._lock:
            for place in self._places:
                if place.asker.device == device:
                    place.is_kept = False


class Held:
    """
    The parts of an answer as they are sent.

    Holds ``place`` until it is closed, which the server does however the client disconnects; ends by itself where the
    place is no longer kept for it.
    """

    def __init__(self, parts: Iterator[bytes], places: StreamPlaces, place: StreamPlace) -> None:
        self._parts, self._places, self._place = parts, places, place

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        part = next(self._parts) if self._place.is_kept else b""
        if not self._place.is_kept:  # also if that changed while the part was waited for
            raise StopIteration
        return part

    def close(self) -> None:
        """Free the place; may be called more than once."""
        self._places.leave(self._place)
