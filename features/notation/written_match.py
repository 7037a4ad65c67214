"""Write a stored match in notation."""

from __future__ import annotations

from features.notation.notated_game import games_of_record
from features.notation.writer import write_games
from webapp.output import as_line
from webapp.store.matches import Matches


def written_match(matches: Matches, match: str) -> bytes:
    """Return the text of a match; half a character of a damaged name becomes JSON's own \\uXXXX."""
    lines = [as_line(line).encode("utf-8", "backslashreplace") for line in matches.record(match)]
    return write_games(games_of_record(lines, f"match {match}")).encode("utf-8", "backslashreplace")
