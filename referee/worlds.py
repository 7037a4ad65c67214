"""
Readings kept side by side: the same match, each *world* with its own answer to what is in doubt.

The first world is what the referee believes. Every event is judged in all of them, and where they differ:

- the believed one is contradicted (``impossible``, or draws that are not due) and another is not: that other one is
  believed from now on, and what changes by it is announced;
- they differ only in who laid a card, and a fault is gone with another seat: that seat has laid it;
- they differ in a card, and the play is legal in one only: ``unclear``, and the question is which card it was;
- another world is contradicted: it is dropped.

An event that was seen with doubt has one world more: in it nothing happened, the eye was wrong; of a sweep, the cards
went elsewhere. Where that would make what is forbidden in the believed one legal, it is asked about (``unclear``); with
a second fault that it explains, or one that can't be, it is believed.

Worlds that come to the same position are one. At most ``MOST`` are kept; the least likely are dropped. All but the
believed one are forgotten with the next deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from referee.errors import InvariantError
from referee.events import HEAP, Dealt, Drawn, Lifted, Placed, Swapped, Swept, TableEvent
from referee.game import GameState
from referee.judge import judge
from referee.judgement import Step
from referee.laying import DOUBTS, may_become_legal
from referee.readings import GRAVITY, MOST_READINGS, Reading, is_certain, judge_readings
from referee.rulings import Ruling, Verdict

MOST = 16
"""How many worlds are judged side by side. Three cards of unknown hands at a table of six make thirteen."""

WEIGHT = {Verdict.ILLEGAL: 1, Verdict.IMPOSSIBLE: 10}
"""What speaks against a world: people break rules now and then, cards never are in two places."""

LIKELY_AMISS = 0.1
"""How likely a doubtful event happened otherwise, beside as it was seen: other names for its card come first."""

CONVINCING = 2
"""By so much less must speak against a world in which an event happened otherwise, before it is believed."""

ACCUSING = GRAVITY[Verdict.ILLEGAL]
IMPOSSIBLE = GRAVITY[Verdict.IMPOSSIBLE]


NO_CHOICES: Mapping[int, Reading] = MappingProxyType({})


class World(NamedTuple):
    """
    One way in which everything may have been.

    ``choices``: moment -> how the card seen then is read, ``share``: how likely all of them are together. ``told``:
    what the events since the oldest doubt brought, ``against``: the weight of the faults among it. ``asked``: the
    players were asked about its doubt when it arose and go on, so it raises no more questions.
    """

    state: GameState
    share: float = 1.0
    choices: Mapping[int, Reading] = NO_CHOICES
    told: tuple[Step, ...] = ()
    against: int = 0
    asked: bool = False
    amiss: int = 0


Worlds = tuple[World, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """One world after an event: the worlds it has become, the one that counts first, and what is said."""

    before: World
    worlds: Worlds
    step: Step

    @property
    def gravity(self) -> int:
        return max((GRAVITY[ruling.verdict] for ruling in self.step.rulings), default=0)

    @property
    def against(self) -> int:
        return self.worlds[0].against


def judge_all(worlds: Worlds, event: TableEvent) -> tuple[Worlds, Step, tuple[Step, ...]]:
    """
    The worlds after an event, and what it brought.

    The last of the three is empty but where another world is believed now: what the events before brought in it.
    """
    if len(worlds) == 1 and is_certain(event) and not may_be_amiss(event):
        state, step = judge(worlds[0].state, event)
        return (World(state),), step, ()
    if isinstance(event, Dealt):
        worlds = (World(worlds[0].state),)
    believed, others = _judged(worlds[0], event, MOST_READINGS), []
    for world in worlds[1:]:
        try:
            others.append(_judged(world, event, MOST_READINGS // 2))
        except InvariantError:
            continue  # what leads to books that don't add up was not so
    if believed.gravity >= ACCUSING:
        return _accused(believed, others, event)
    step = believed.step
    kept = []
    for other in others:
        if _is_contradicted(other, believed, event):
            continue
        if other.gravity == ACCUSING and not (other.before.against or other.before.asked or believed.gravity):
            step = _asked(step, believed, other)
        kept.append(other)
    return _together(_telling(believed, step), kept), step, ()


def may_be_amiss(event: TableEvent) -> bool:
    """Was it seen with so much doubt that it may have happened otherwise, or not at all?"""
    if not isinstance(event, Placed | Lifted | Drawn | Swapped | Swept):
        return False
    return event.confidence is not None and event.confidence < DOUBTS.sure


def _judged(world: World, event: TableEvent, most: int) -> _Judged:
    judged = _as_seen(world, event, most)
    if not may_be_amiss(event):
        return judged
    state, step = world.state.but(moment=world.state.moment + 1), Step()
    if isinstance(event, Swept):
        bout = world.state.bout
        if bout is None:
            return judged
        # A bout that is gone is gone; the question is where.
        elsewhere = replace(event, to=bout.defender if event.to == HEAP else HEAP, left=())
        try:
            state, step = judge(world.state, elsewhere)
        except InvariantError:
            return judged  # books that don't add up: it was not so
    other = _after(world, state, step)._replace(share=world.share * LIKELY_AMISS, amiss=world.amiss + 1)
    return replace(judged, worlds=(*judged.worlds, other))


def _as_seen(world: World, event: TableEvent, most: int) -> _Judged:
    """The event taken for one that has happened."""
    if is_certain(event):
        state, step = judge(world.state, event)
        return _Judged(world, (_after(world, state, step),), step)
    assert isinstance(event, Placed), "only cards laid have several readings"
    outcomes, step = judge_readings(world.state, event, most)
    first, *rest = outcomes
    worlds = [_after(world, first.state, step)]
    worlds += [_after(world, other.state, other.step) for other in rest]
    if rest:
        worlds = [
            each._replace(
                share=world.share * outcome.reading.share,
                choices={**world.choices, outcome.state.moment: outcome.reading},
                asked=world.asked or outcome.gravity > first.gravity,
            )
            for each, outcome in zip(worlds, outcomes, strict=True)
        ]
    return _Judged(world, tuple(worlds), step)


def _after(world: World, state: GameState, step: Step) -> World:
    against = world.against + sum(WEIGHT.get(ruling.verdict, 0) for ruling in step.rulings)
    return World(state, world.share, world.choices, (*world.told, step), against, world.asked, world.amiss)


def _accused(believed: _Judged, others: list[_Judged], event: TableEvent) -> tuple[Worlds, Step, tuple[Step, ...]]:
    """The believed world accuses. Does another one explain what happened without?"""
    fine = [each for each in others if each.gravity < ACCUSING]
    amiss = [each for each in fine if _is_amiss(each, believed)]
    if may_become_legal(believed.worlds[0].state, believed.step.rulings):
        amiss = []  # as long as more cards may make it legal, that one of them was not there explains nothing
    better = [each for each in fine if each.against < believed.against and not _is_amiss(each, believed)]
    better += [each for each in amiss if each.against <= believed.against - CONVINCING]
    if not better:
        if any(each.against < believed.against + CONVINCING for each in amiss):
            return _unsure(believed, others, event)
        return _together(believed, others), believed.step, ()
    other = min(better, key=lambda each: (each.against, each.before.amiss, -each.before.share))
    if _is_amiss(other, believed):
        return _together(other, [believed, *others]), other.step, other.before.told
    if believed.gravity == IMPOSSIBLE or isinstance(event, Drawn) or not _cards_differ(believed, other):
        rest = [each for each in others if each.gravity < IMPOSSIBLE]
        return _together(other, rest), other.step, other.before.told
    return _unsure(believed, others, event, _which(believed, other))


def _unsure(
    believed: _Judged, others: list[_Judged], event: TableEvent, question: Mapping[str, Any] | None = None
) -> tuple[Worlds, Step, tuple[Step, ...]]:
    """Not sure, so nobody is accused; the play counts as made until somebody answers."""
    before = believed.before.state
    unsure = _judged(believed.before._replace(state=before.but(blind=True)), event, MOST_READINGS)
    worlds = tuple(each._replace(state=_unaccused(each.state, before)) for each in unsure.worlds)
    rulings = tuple(
        replace(
            each,
            verdict=Verdict.UNCLEAR if each.verdict in WEIGHT else each.verdict,
            question=question if question is not None and each.fault else each.question,
        )
        for each in unsure.step.rulings
    )
    if question is None:
        worlds = (worlds[0]._replace(against=believed.against), *worlds[1:])
    step = replace(unsure.step, rulings=rulings)
    return _together(_telling(replace(unsure, worlds=worlds), step), others), step, ()


def _unaccused(state: GameState, before: GameState) -> GameState:
    """What this event left open accuses nobody; whether not all was seen is as it was ``before``."""
    matters = tuple(
        each if each in before.matters or each.verdict not in WEIGHT else replace(each, verdict=Verdict.UNCLEAR)
        for each in state.matters
    )
    return state.but(matters=matters, blind=state.blind and before.blind)


def _is_amiss(other: _Judged, believed: _Judged) -> bool:
    """Do the two differ in what happened at all?"""
    return other.before.amiss != believed.before.amiss


def _is_contradicted(other: _Judged, believed: _Judged, event: TableEvent) -> bool:
    """Does what happened speak against this world, where the believed one has no trouble with it?"""
    if other.gravity < ACCUSING:
        return False
    if other.gravity == IMPOSSIBLE or isinstance(event, Drawn) or _is_amiss(other, believed):
        return True
    return not _cards_differ(believed, other)


def _asked(step: Step, believed: _Judged, other: _Judged) -> Step:
    """A legal play that would be a fault if a card of before was another: the question is which it was."""
    fault = max(other.step.rulings, key=lambda ruling: GRAVITY[ruling.verdict])

    def doubted(ruling: Ruling) -> Ruling:
        if ruling.fault is not None or ruling.cards != fault.cards:
            return ruling
        question = _which(believed, other)
        return replace(ruling, verdict=Verdict.UNCLEAR, fault=fault.fault, facts=fault.facts, question=question)

    return replace(step, rulings=tuple(doubted(ruling) for ruling in step.rulings))


def _telling(judged: _Judged, step: Step) -> _Judged:
    """The same, but that is what was said."""
    first = judged.worlds[0]
    return replace(judged, worlds=(first._replace(told=(*first.told[:-1], step)), *judged.worlds[1:]))


def _cards_differ(one: _Judged, other: _Judged) -> bool:
    return bool(_doubted_cards(one, other))


def _doubted_cards(one: _Judged, other: _Judged) -> list[tuple[Reading, Reading]]:
    """Cards laid before that the two read differently, oldest first."""
    mine, its = one.before.choices, other.before.choices
    both = [(mine[moment], its[moment]) for moment in mine if moment in its]
    return [(reading, another) for reading, another in both if reading.event.card != another.event.card]


def _which(believed: _Judged, other: _Judged) -> Mapping[str, Any]:
    """The question that tells the two apart."""
    mine, its = _doubted_cards(believed, other)[-1]
    return {"ask": "card", "card": mine.seen, "cards": (mine.event.card, its.event.card)}


def _together(believed: _Judged, others: list[_Judged]) -> Worlds:
    """The believed world first, then the likeliest of the others that differ from it and from each other."""
    first = believed.worlds[0]
    rest = sorted(
        (world for judged in (believed, *others) for world in judged.worlds),
        key=lambda world: -world.share,
    )
    kept = [first]
    for world in rest:
        if len(kept) == MOST:
            break
        if all(world.state != other.state for other in kept):
            kept.append(world)
    return tuple(kept) if len(kept) > 1 else (World(first.state),)
