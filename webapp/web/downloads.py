"""Send films and archives, a few at once: each holds a thread until its client has read it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from flask import Response, request

from webapp.web.admission import asker_of_request
from webapp.web.pairing import Pairing
from webapp.web.responses import refusal
from webapp.web.stream_places import Held, PlaceShares, StreamPlaces

DOWNLOADS = PlaceShares(most=4, of_guests=3, of_one_address=2)


class Downloads:
    """The places for downloads of one application."""

    def __init__(self, pairing: Pairing | None, shares: PlaceShares = DOWNLOADS) -> None:
        self.places = StreamPlaces(shares)
        self._making = threading.Lock()
        self._pairing = pairing

    def answer(self, parts: Callable[[], Iterator[bytes]], mimetype: str) -> Response:
        """
        Return an answer that sends the parts, which are made only if there is a place for it; else a refusal (503).

        Answers are made one at a time, since a film that is cut and encoded takes a processor for seconds; one that has
        lost its place meanwhile is not made. The answer to a HEAD request is empty and takes no place.
        """
        if request.method == "HEAD":
            return Response(mimetype=mimetype)
        place = self.places.take(asker_of_request(self._pairing))
        made = None
        if place is not None:
            try:
                with self._making:
                    made = parts() if place.is_kept else None
            except BaseException:
                self.places.leave(place)
                raise
        if place is None or made is None:
            if place is not None:
                self.places.leave(place)
            answer = refusal(
                503, f"expected at most {self.places.most} downloads at once, got one more; try again", "refused_busy"
            )
            answer.headers["Retry-After"] = "10"
            return answer
        answer = Response(Held(made, self.places, place), mimetype=mimetype)
        answer.headers["Cache-Control"] = "no-store"
        return answer
