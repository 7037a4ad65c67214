"""Serve the owner's setting whether corrected cards are kept as pictures for training."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from referee.events import Corrected, Placed, TableEvent
from webapp.errors import OutputLostError, StoreError, one_line
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.api import SWITCH, fresh, refusal
from webapp.web.bodies import Switch, read_body


def labelled(pictures: LabelledPictures | None) -> Blueprint:
    """Return the blueprint; None if nothing is kept: then the answer is empty (204)."""
    blueprint = Blueprint("labelled", __name__)

    def answer() -> Response:
        if pictures is None:
            return fresh(Response(status=204))
        shown = {"on": pictures.are_kept, "count": pictures.count, "folder": str(pictures.folder)}
        return fresh(jsonify(shown))

    @blueprint.get("/api/labelled")
    def state() -> Response:
        return answer()

    @blueprint.post("/api/labelled")
    def wish() -> Response:
        on = read_body(request.get_data(cache=False), Switch, SWITCH).on
        if pictures is not None:
            pictures.wish(on)
        return answer()

    @blueprint.delete("/api/labelled")
    def delete() -> Response:
        if pictures is not None:
            pictures.delete()
        return answer()

    @blueprint.errorhandler(OutputLostError)
    def failed(error: OutputLostError) -> Response:
        return refusal(507, one_line(error))

    return blueprint


def keep_labelled(
    pictures: LabelledPictures | None, matches: Matches | None, match: str | None, correction: TableEvent
) -> None:
    """Keep the picture of a corrected line's card under the name that people gave it."""
    if pictures is None or matches is None or match is None or not pictures.are_kept:
        return
    if not isinstance(correction, Corrected) or correction.line is None or not isinstance(correction.to, Placed):
        return
    try:
        crop = matches.crop(match, correction.line)
    except StoreError:
        return  # the game goes on without the picture
    if crop is not None:
        pictures.add(match, correction.line, str(correction.to.card), *crop)
