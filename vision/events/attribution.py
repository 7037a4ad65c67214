"""Which of the hands over a card's place laid or took it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.events.evidence import Doubt
from vision.observation import HandVisit, LyingCard, Touch

# When a hand was at a card. Chosen by hand, 2026-11.
NEAR_MM = 115.0
"""Finger tips came this near to the card's middle."""
CLEARLY_NEARER_MM = 45.0
"""Of two hands the one nearer by this much did it."""
ATTRIBUTION_LEAST_SHARE = 0.2
"""Least share of its place, 0 to 1, that the hand hid."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """
    The hand that did it. ``visit``: its track, None if no hand was there. ``seat``: None if not known. ``cue``: the
    situation. ``others``: other possible seats, the likeliest first, None for any.
    """

    visit: HandVisit | None = None
    seat: str | None = None
    cue: str = ""
    others: tuple[str | None, ...] = ()

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Return the doubt that it was another's hand."""
        if self.seat is None or not self.others:
            return ()
        names = ("another seat", "a third seat")
        return (Doubt(self.cue, {name: {"by": seat} for name, seat in zip(names, self.others, strict=False)}),)


def attributed(visit: HandVisit | None, touched: Sequence[Touch], hands: Sequence[HandVisit]) -> Attribution:
    """
    Return ``visit`` as the hand that did it; without one, uncertainly, the nearest of those that touched the place.
    """
    visits = {each.number: each for each in hands}
    there = [visits[touch.visit] for touch in sorted(touched, key=lambda touch: touch.tip_mm) if touch.visit in visits]
    if visit is None and not there:
        return Attribution()
    main = visit or there[0]
    seat = main.seat or main.likely
    others = dict.fromkeys(each.seat or each.likely for each in there if (each.seat or each.likely) not in (None, seat))
    if main.seat is None:
        return Attribution(main, seat, "seat: the hand came in between two seats", (*others, None)[:2])
    if visit is None:
        return Attribution(main, seat, "seat: two hands were as near", tuple(others)[:2])
    if others:
        return Attribution(main, seat, "seat: the nearest of several hands", tuple(others)[:2])
    return Attribution(main, seat, "seat: one hand was there", (None,))


def fitting_touches(touched: Sequence[Touch]) -> list[Touch]:
    """Return the touches that may have laid or taken a card, the nearest finger tips first."""
    near = [t for t in touched if t.share >= ATTRIBUTION_LEAST_SHARE and t.tip_mm <= NEAR_MM]
    return sorted(near, key=lambda touch: touch.tip_mm)


def visit_that_laid(card: LyingCard, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> HandVisit | None:
    """
    Return the hand track that brought a card; None if none was there or two fit.

    ``arrived``: all cards that have come with it.
    """
    visits = {visit.number: visit for visit in hands}
    fitting = [touch for touch in fitting_touches(card.touched) if touch.visit in visits]
    candidates = sorted((visits[touch.visit] for touch in fitting), key=lambda visit: visit.came_at)
    if len(candidates) == 2 and candidates[0].seat != candidates[1].seat:
        # Two hands, two cards one on the other: the first hand laid the lower one, however near the second came.
        if any(other.on == card.key for other in arrived):
            return candidates[0]
        if any(other.key == card.on for other in arrived):
            return candidates[1]
    if _is_one_clear(fitting):
        return visits[fitting[0].visit]
    return candidates[-1] if len({visit.seat for visit in candidates}) == 1 else None


def visit_that_took(touched: Sequence[Touch], hands: Sequence[HandVisit]) -> HandVisit | None:
    """Return the hand track that took or exchanged a card; None if none was there or hands of two seats fit."""
    visits = {visit.number: visit for visit in hands}
    fitting = [touch for touch in fitting_touches(touched) if touch.visit in visits]
    is_one_seat = len({visits[touch.visit].seat for touch in fitting}) == 1
    return visits[fitting[0].visit] if _is_one_clear(fitting) or is_one_seat else None


def _is_one_clear(fitting: Sequence[Touch]) -> bool:
    """Check whether one hand was there alone, or clearly nearer than the next."""
    if len(fitting) < 2:
        return bool(fitting)
    return fitting[1].tip_mm - fitting[0].tip_mm > CLEARLY_NEARER_MM
