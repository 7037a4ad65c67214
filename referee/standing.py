"""Keep the rulings and announcements of a match that still hold; a revised one replaces the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from referee.announcements import Announcement
from referee.messages import Message, Withdrawal
from referee.rulings import FaultId, Ruling


class Standing:
    """
    Collect results in their order. ``rulings``, ``announcements``: those that were not withdrawn.

    >>> from referee.rulings import FaultId, Verdict
    >>> wrong = Ruling(Verdict.ILLEGAL, "beat", fault=FaultId.DOES_NOT_BEAT)
    >>> standing = Standing([Message(7, wrong), Message(7, Withdrawal(FaultId.DOES_NOT_BEAT), revised_by=9)])
    >>> standing.rulings
    []
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.rulings: list[Message] = []
        self.announcements: list[Message] = []
        for each in messages:
            self.hear(each)

    def hear(self, message: Message) -> None:
        """Add one ruling, announcement or withdrawal."""
        what = message.what
        if isinstance(what, Ruling):
            if message.revised_by is not None:
                self._drop(lambda other: other.line == message.line and other.revised_by != message.revised_by)
            self.rulings.append(message)
        elif isinstance(what, Withdrawal):
            self._drop(lambda other: other.line == message.line and fault_of(other) is what.fault)
        elif what.kind == "withdrawn":
            facts = {key: value for key, value in what.facts.items() if key != "of"}
            back = Announcement(what.facts["of"], facts)
            newest = next((other for other in reversed(self.announcements) if other.what == back), None)
            self.announcements = [other for other in self.announcements if other is not newest]
        else:
            self.announcements.append(message)

    def _drop(self, is_gone: Callable[[Message], bool]) -> None:
        self.rulings = [other for other in self.rulings if not is_gone(other)]


def fault_of(message: Message) -> FaultId | None:
    """Return the fault of a ruling; None: a legal ruling, or no ruling."""
    return message.what.fault if isinstance(message.what, Ruling) else None
