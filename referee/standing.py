"""Keep the rulings and announcements of a match that still hold; a revised one replaces the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from referee.announcements import Announcement
from referee.rulings import FaultId, Ruling
from referee.said import Said, Withdrawal


class Standing:
    """
    Collect results in their order. ``rulings``, ``announcements``: those that were not withdrawn.

    >>> from referee.rulings import FaultId, Verdict
    >>> wrong = Ruling(Verdict.ILLEGAL, "beat", fault=FaultId.DOES_NOT_BEAT)
    >>> standing = Standing([Said(7, wrong), Said(7, Withdrawal(FaultId.DOES_NOT_BEAT), anew=9)])
    >>> standing.rulings
    []
    """

    def __init__(self, said: Iterable[Said] = ()) -> None:
        self.rulings: list[Said] = []
        self.announcements: list[Said] = []
        for each in said:
            self.hear(each)

    def hear(self, said: Said) -> None:
        """Add one ruling, announcement or withdrawal."""
        what = said.what
        if isinstance(what, Ruling):
            if said.anew is not None:
                self._drop(lambda other: other.line == said.line and other.anew != said.anew)
            self.rulings.append(said)
        elif isinstance(what, Withdrawal):
            self._drop(lambda other: other.line == said.line and fault_of(other) is what.fault)
        elif what.kind == "withdrawn":
            facts = {key: value for key, value in what.facts.items() if key != "of"}
            back = Announcement(what.facts["of"], facts)
            newest = next((other for other in reversed(self.announcements) if other.what == back), None)
            self.announcements = [other for other in self.announcements if other is not newest]
        else:
            self.announcements.append(said)

    def _drop(self, is_gone: Callable[[Said], bool]) -> None:
        self.rulings = [other for other in self.rulings if not is_gone(other)]


def fault_of(said: Said) -> FaultId | None:
    """Return the fault of a ruling; None: a legal ruling, or no ruling."""
    return said.what.fault if isinstance(said.what, Ruling) else None
