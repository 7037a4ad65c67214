"""Send the places of seats, talon and discard pile to the page where people drag them; keep them in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vision.layout import EVERYWHERE, Zones
from vision.view.pipeline_view import PipelineView
from webapp.errors import UnusableInputError, one_line
from webapp.output import note
from webapp.private_file import write_whole


def zones_of(view: object) -> dict[str, Any] | None:
    """
    Return what the page needs to draw the zones; None if the source has none (still pictures).

    Places are shares of the picture's width and height. ``said``: set by people, not found by the vision pipeline.
    ``outline`` is null if a pile was neither seen nor set.
    """
    if not isinstance(view, PipelineView):
        return None
    layout = view.layout
    set_by_people = layout.zones
    width, height = layout.picture
    turned = {seat for seat, _ in set_by_people.seats}

    def pile(outline_px: np.ndarray | None, place: tuple[float, float] | None) -> dict[str, Any]:
        if outline_px is None and place is not None:  # set just now, before the next inference
            outline_px = layout.zone_card_px(place)
        outline = None if outline_px is None else np.asarray(outline_px, float) / (width, height)
        return {
            "outline": None if outline is None else outline.round(4).tolist(),
            "at": place,
            "said": place is not None,
        }

    return {
        "width": width,
        "height": height,
        "seats": [
            {"seat": seat, "turn_deg": turn_deg, "said": seat in turned}
            for seat, turn_deg in layout.seat_angles.items()
        ],
        "talon": pile(layout.talon_px, set_by_people.talon),
        "heap": pile(layout.heap_px, set_by_people.heap),
        "bout": {"corners": set_by_people.bout or EVERYWHERE, "said": set_by_people.bout is not None},
    }


class ZonesFile:
    """
    The file of the places that people set at this table.

    If it can't be written, that is reported once, and the game goes on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_reported = False

    def read(self, seats: Sequence[str], *, must_be: bool = False) -> Zones:
        """Read the places, empty without a file. ``UnusableInputError`` if unusable, or missing but ``must_be``."""
        if not self._path.exists() and not must_be:
            return Zones()
        try:
            values = json.loads(self._path.read_text(encoding="utf-8-sig"))
            return Zones().changed(values, seats)
        except OSError as error:
            raise UnusableInputError(
                f"The operating system refused: {self._path}: {error.strerror}; name another file"
            ) from None
        except (ValueError, RecursionError) as error:
            what = (
                one_line(error)
                if not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
                else ("expected zones as JSON, got something else")
            )
            raise UnusableInputError(f"{self._path}: {what}; mend it or leave --zones away") from None

    def write(self, zones: Zones) -> None:
        """Replace the file's content; if that fails, the old content stays."""
        try:
            write_whole(self._path, (json.dumps(zones.as_json(), indent=1) + "\n").encode())
            self._is_reported = False
        except OSError as error:
            if not self._is_reported:
                note(
                    f"The operating system refused: {self._path}: {error.strerror}; the zones hold until the end of "
                    "this game"
                )
            self._is_reported = True
