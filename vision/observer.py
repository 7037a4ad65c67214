"""Why the pipeline looks, and who may watch it at work."""

from __future__ import annotations

from enum import Enum


class LookReason(Enum):
    """Why a look was due; the value ends a sentence that begins with "because"."""

    CHANGED = "the picture has changed and come to rest"
    HELD_BACK = "something is held back until the table has been looked at again"
    IN_DOUBT = "the look before left something in doubt"
    HAND_LEFT = "a hand has left, and it is open where cards went"
    IDLE = "nothing was looked at for a while"
