"""Check whether the requested part of a clip can be played."""

from __future__ import annotations

from vision.capture.sources import Source
from webapp.errors import UnusableInputError, WrongCallError

SLACK_S = 1.0
"""Tolerance in seconds, since containers state some frames more or fewer than they hold."""


def check_within(source: Source, clip: str, option: str, at_s: float) -> None:
    """Raise ``WrongCallError`` if ``at_s``, given with ``option``, lies beyond the clip's end, if that is known."""
    length_s = None if source.frame_count is None else source.frame_count / source.fps
    if length_s is not None and at_s > length_s + SLACK_S:
        raise WrongCallError(
            f"expected {option} within {clip}, which is {length_s:.1f} s long, got {at_s:g}; name an earlier second"
        )


def too_short(clip: str, begin_s: float) -> UnusableInputError:
    """Return the error for a clip that ended before the first requested second."""
    return UnusableInputError(
        f"{clip}: expected a clip that goes on to {begin_s:g} s, got a shorter one; name an earlier --from"
    )
