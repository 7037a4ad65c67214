"""
Share the limited places for live streams, each of which holds a thread, fairly between devices.

If all are taken, a new stream gets a place of the device that holds the most, if that holds two more than the new
stream's device. So forty pages may be open on one machine, and yet no device can lock another out.
"""

from __future__ import annotations

import threading
from collections import Counter


class StreamPlace:
    """A place that a stream holds. ``is_kept`` turns false when the stream is to end."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.is_kept = True


class StreamPlaces:
    """``most`` places; ``leaving`` more for streams that were asked to end and have not ended yet."""

    def __init__(self, most: int, leaving: int = 4) -> None:
        self.most = most
        self._leaving = leaving
        self._places: list[StreamPlace] = []
        self._lock = threading.Lock()

    def take(self, device: str) -> StreamPlace | None:
        """
        Return a place for a stream of this device; None if there is none for it.

        >>> places = StreamPlaces(2)
        >>> one, two = places.take("tablet"), places.take("tablet")
        >>> places.take("tablet") is None, places.take("phone") is None, one.is_kept, two.is_kept
        (True, False, False, True)
        """
        with self._lock:
            held = [place for place in self._places if place.is_kept]
            if len(held) >= self.most:
                by_device = Counter(place.device for place in held)
                greediest, count = by_device.most_common(1)[0]
                if count < by_device[device] + 2 or len(self._places) >= self.most + self._leaving:
                    return None
                next(place for place in held if place.device == greediest).is_kept = False
            place = StreamPlace(device)
            self._places.append(place)
            return place

    def leave(self, place: StreamPlace) -> None:
        """Give a place back; may be called more than once."""
        with self._lock:
            if place in self._places:
                self._places.remove(place)

    def end(self, device: str) -> None:
        """End all streams of a device, since it is no longer paired."""
        with self._lock:
            for place in self._places:
                if place.device == device:
                    place.is_kept = False
