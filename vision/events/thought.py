"""What was made of events before they were told: for logs, and for whoever wants to know why."""

from __future__ import annotations

from dataclasses import dataclass

from referee.events import TableEvent
from referee.foresight import Foresight


@dataclass(frozen=True, slots=True)
class Note:
    """
    One thing that was weighed.

    ``label``: what kind of thing, in a word or two. ``text``: the thing itself, in plain words. ``weight``: how much it
    counted (a probability or a log-likelihood, as ``label`` says), None where it is not a matter of degree.
    """

    label: str
    text: str
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Thought:
    """
    What was made of some events.

    ``heard``: as they came, each as it would be told by the newest look. ``told``: as they are told now; None
    while they are held back. ``foreseen``: what the referee would say to ``heard``, None where nobody was asked.
    ``notes``: why.
    """

    heard: tuple[TableEvent, ...]
    told: tuple[TableEvent, ...] | None
    foreseen: Foresight | None = None
    notes: tuple[Note, ...] = ()
