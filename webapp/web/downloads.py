"""Send films and archives, a few at once: each holds a thread until its client has read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Response, request

from webapp.web.admission import asker_of_request
from webapp.web.answers import refusal
from webapp.web.pairing import Pairing
from webapp.web.stream_places import Held, PlaceShares, StreamPlaces

DOWNLOADS = PlaceShares(most=4, of_guests=3, of_one_address=2)


class Downloads:
    """The places for downloads of one application."""

    def __init__(self, pairing: Pairing | None, shares: PlaceShares = DOWNLOADS) -> None:
        self.places = StreamPlaces(shares)
        self._pairing = pairing

    def answer(self, parts: Callable[[], Iterator[bytes]], mimetype: str) -> Response:
        """
        Return an answer that sends the parts, which are made only if there is a place for it; else a refusal (503).

        The answer to a HEAD request is empty and takes no place.
        """
        if request.method == "HEAD":
            return Response(mimetype=mimetype)
        place = self.places.take(asker_of_request(self._pairing))
        if place is None:
            answer = refusal(
                503, f"expected at most {self.places.most} downloads at once, got one more; try again", "refused_busy"
            )
            answer.headers["Retry-After"] = "10"
            return answer
        try:
            made = parts()
        except BaseException:
            self.places.leave(place)
            raise
        answer = Response(Held(made, self.places, place), mimetype=mimetype)
        answer.headers["Cache-Control"] = "no-store"
        return answer
