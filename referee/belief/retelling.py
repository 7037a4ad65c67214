"""
The same evidence told by what is most likely: a record's line whose options stay, with another of them put first.

A card that looks a little more like the 5 is told as the 8 that alone explains the game; a draw that nobody saw is
told once what followed proves it. Whoever judges the record again has the same options with the same likelihoods, and
comes to the same belief.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from referee.belief.hypotheses import Beam
from referee.belief.options import Change, Option, difference
from referee.belief.rates import Rates
from referee.belief.trail import on_place
from referee.cards import Card
from referee.events import Drawn, Placed, Swapped, Swept, TableEvent
from referee.record import event_from_json, event_to_json


@dataclass(frozen=True, slots=True)
class RetellingSettings:
    """When a line is told by another of its options. Set by hand, 2026-11; simulated games don't hang on them."""

    sure: float = 0.9
    """So likely must the other option be, all evidence taken together, 0 to 1. Higher: lines keep what they seemed at
    first; lower: they change to and fro."""
    least: float = 0.004
    """So likely at least must the eye itself have held it, 0 to 1. Higher: the law can't put right what was seen badly;
    lower: it puts words into the eye's mouth."""
    proven: float = 0.95
    """So likely must it be that something went untold to be told after all, 0 to 1. Higher: the record keeps its gaps;
    lower: it fills them by guesses."""
    later: int = 3
    """So many lines must have come after the one that it went before. Higher: told later; lower: on less proof."""


RETELLING = RetellingSettings()


def believed_option(change: Change, beam: Beam, place: int, settings: RetellingSettings = RETELLING) -> Option | None:
    """The option that is surely what happened on the line fed as number ``place``; None: the one told first is."""
    shares: defaultdict[int, float] = defaultdict(float)
    for hypothesis in beam:
        trail = on_place(hypothesis.trail, place)
        if trail is not None and not trail.unseen:
            for number, option in enumerate(change.options):
                if option.event == trail.event:
                    shares[number] += exp(hypothesis.log_weight)
                    break
    if not shares:
        return None
    best = max(shares, key=lambda number: shares[number])
    option = change.options[best]
    if shares[best] < settings.sure or exp(option.log_likelihood) < settings.least or _is_as_told(change, option):
        return None
    return option


def proven_unseen(
    beam: Beam, place: int, told: TableEvent, settings: RetellingSettings = RETELLING
) -> tuple[TableEvent, ...]:
    """What surely happened untold before the line fed as number ``place``, ``told`` so; cards by sure names alone."""
    shares: defaultdict[tuple[TableEvent, ...], float] = defaultdict(float)
    for hypothesis in beam:
        trail = on_place(hypothesis.trail, place)
        if trail is not None and not hypothesis.is_lost:
            shares[tuple(each for each in trail.unseen if _has_sure_name(each, told))] += exp(hypothesis.log_weight)
    best = max(shares, key=lambda events: shares[events], default=())
    return best if shares[best] >= settings.proven else ()


def _has_sure_name(event: TableEvent, told: TableEvent) -> bool:
    if isinstance(event, Placed):
        return isinstance(told, Placed) and told.on == event.card
    return isinstance(event, Drawn | Swept | Swapped)


def told_after_all(event: TableEvent, at: float, rates: Rates) -> TableEvent:
    """The event, as likely as such a one goes unseen: judged again it weighs what it weighed as one that was."""
    unseen = {Drawn: rates.unseen_draw, Swept: rates.unseen_sweep, Swapped: rates.unseen_swap}
    share = round(unseen.get(type(event), rates.unseen_card), 4)
    return replace(event, at=at, confidence=share, otherwise=((None, round(1 - share, 4)),))


def _is_as_told(change: Change, option: Option) -> bool:
    told = change.told
    same_seat = option.event is not None and getattr(told, "by", None) is None and hasattr(told, "by")
    first = change.options[0]
    if same_seat and option.event is not None and first.event is not None:
        return replace(option.event, by=None) == replace(first.event, by=None)  # type: ignore[call-arg]
    return option is first


def retold(change: Change, first: Option) -> TableEvent:
    """The line with ``first``, one of its options that is an event, told first; ``change`` says the rest."""
    assert first.event is not None
    told = event_to_json(first.event)
    alternatives: list[tuple[Card, float]] = []
    otherwise: list[tuple[dict[str, Any] | None, float]] = []
    same = exp(first.log_likelihood)
    for option in change.options:
        share = round(exp(option.log_likelihood), 4)
        if option is first:
            continue
        if option.event is None:
            otherwise.append((None, share))
            continue
        keys = difference(told, event_to_json(option.event))
        if not keys:
            same += exp(option.log_likelihood)  # the same by another doubt: a seat that was named, and any seat
        elif keys.keys() == {"card"}:
            alternatives.append((option.event.card, share))  # type: ignore[attr-defined]
        else:
            otherwise.append((keys, share))
    return replace(
        event_from_json(told),
        confidence=round(same, 4),
        alternatives=tuple(alternatives),
        otherwise=tuple(otherwise),
        missed=change.told.missed,
    )
