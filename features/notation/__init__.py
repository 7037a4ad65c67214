"""
The notation for Durak: a game as people write it and read it aloud (``docs/notation.md``), file ending ``.durak``.

:mod:`.parser` reads games from text, :mod:`.writer` writes them in their one canonical form, :mod:`.game` takes them
from the lines of a record and back. The package is pure: it opens no file but its own grammar. It stands here and not
within ``referee``, which needs no library and knows one text, the record.

>>> [(header, events)] = parse_notation('[Rules "podkidnoy-36"] [Seats Anna Boris] [Dealer Boris]  dealt 9h  Anna: 7s')
>>> header.seats, [str(event.card) for event in events[1:]]
(('Anna', 'Boris'), ['7s'])
"""

from __future__ import annotations

from features.notation.notated_game import NotatedGame, games_of_record, record_lines
from features.notation.parser import read_games
from features.notation.writer import write_games
from referee.events import TableEvent
from referee.header import Header

__all__ = ["NotatedGame", "games_of_record", "parse_notation", "read_games", "record_lines", "write_games"]


def parse_notation(text: str, name: str = "-") -> list[tuple[Header, tuple[TableEvent, ...]]]:
    """
    Parse the games of a text. ``name``: the text's name in error messages.

    Raises :class:`~webapp.errors.NotationError`: ``NAME:LINE:COLUMN: expected ..., got ...``.
    """
    return [(game.header, game.events) for game in read_games(text, name)]
