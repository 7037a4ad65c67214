"""
What can go wrong between a person and the command. Every message is one sentence: what was expected, what came, and the
next step. ``status``: the exit status that it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping


class KozyrError(Exception):
    """An error whose text is one sentence for the user."""

    status = 1


class WrongCallError(KozyrError):
    """The command line cannot be meant so."""

    status = 2


class UnusableInputError(KozyrError):
    """A file, a source or an address that cannot be used."""


class NotationError(UnusableInputError):
    """A game's text that cannot be read: ``FILE:LINE:COLUMN: expected ..., got ...``."""


class OwnDeckError(Exception):
    """A deck of the players' own that cannot be learnt, kept or used; the text is one sentence for the user."""


class MatchGoesOnError(KozyrError):
    """A stored match that is still being refereed: it is put right where it goes on."""


class NotAskedError(KozyrError):
    """An answer to a question or a fault that is no longer open."""


class NotJudgedError(KozyrError):
    """A stored match that is judged in the background before it can be shown, since it is long. ``match``: its ID."""

    def __init__(self, match: str) -> None:
        super().__init__(f"expected a match that has been judged, got {match:.40}, which is being judged; ask again")
        self.match = match


class TooLongError(KozyrError):
    """Work on a stored match that was ended after ``seconds``, the most that it may take."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"expected a match that is judged within {seconds:.0f} s, this one takes longer; read what was ruled by "
            "the command: kozyr matches show MATCH"
        )
        self.seconds = seconds


class StoppedError(KozyrError):
    """Work on a stored match, or on a text, that a person stopped."""


class ContradictsError(KozyrError):
    """A correction that contradicts what is known. ``texts``: by language what speaks against it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts["en"])
        self.texts = texts

    def __reduce__(self) -> tuple[type[ContradictsError], tuple[Mapping[str, str]]]:
        return ContradictsError, (self.texts,)


class OutputLostError(KozyrError):
    """What should be written cannot be."""


class StoreError(KozyrError):
    """The store of stored matches does not do its part; what it was given may be tried again."""


class MatchDeletedError(StoreError):
    """Somebody deleted the match that is being written: trying again is of no use."""


class MatchTakenError(StoreError):
    """Another program goes on with the match that is being written: trying again is of no use."""


class StoreReplacedError(StoreError):
    """
    The store's file was taken away or another put in its place: it is opened again, and may lack what was written.
    """


def one_line(text: object) -> str:
    """
    Return a message as one line of text, whatever it was made of.

    >>> one_line(ValueError("expected a card,\\n   got nothing"))
    'expected a card, got nothing'
    """
    return " ".join(str(text).split())
