"""Builders of observations, and of the events and evidence that follow from them."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.events import TableEvent
from vision.actions.actions import Actions
from vision.actions.evidence import Evidence
from vision.geometry.pose import Pose
from vision.motion.hand_pass import HandPass, Touch
from vision.table.observation import Gone, InitialState, LyingCard, Observation, Pile

NOWHERE = Pose(-260, 60)
TURNUP = LyingCard(1, Card.parse("9h"), 0.99, (), NOWHERE)
BARE = Observation(0.0, turnup=TURNUP, talon=Pile(NOWHERE))


def actions(*, talon: int | None = None, dealt: bool = True, has_game: bool = True) -> Actions:
    """Return the actions of a match, before the first observation."""
    return Actions(InitialState(talon=talon, dealt=dealt, has_game=has_game))


def lying(key: int, card: str, visit: int | None = None, tip_mm: float = 30, **more: object) -> LyingCard:
    """Return a card in the bout, brought by a hand track."""
    touched = () if visit is None else (Touch(visit, 0.9, tip_mm, 1.0),)
    return LyingCard(key, Card.parse(card), 0.99, (), Pose(0, 0), touched=touched, **more)  # type: ignore[arg-type]


def hand(number: int, seat: str | None, left_at: float | None = None, **more: object) -> HandPass:
    """Return a hand track."""
    return HandPass(number, seat, 0.95 if seat else 0.5, 0.5, left_at, **more)  # type: ignore[arg-type]


def noticed(changes: Actions, seen: Observation, *hands: HandPass, at: float | None = None) -> list[Evidence]:
    """Return the evidence of one observation."""
    return list(changes.update(seen, hands, seen.at if at is None else at))


def reported_events(changes: Actions, seen: Observation, *hands: HandPass, at: float | None = None) -> list[TableEvent]:
    """Return the events of one observation."""
    return [evidence.event for evidence in noticed(changes, seen, *hands, at=at)]


def doubts(evidence: Evidence) -> dict[str, dict[str, object]]:
    """Return cue -> outcome -> the changed keys."""
    return {doubt.cue: {name: keys for name, (keys, _) in doubt.instead.items()} for doubt in evidence.doubts}


def begun(*bout: LyingCard, hands: tuple[HandPass, ...] = (), talon: int | None = 5) -> tuple[Actions, Observation]:
    """Return a running match with these cards in the bout, already reported."""
    changes = actions(talon=talon)
    changes.update(BARE, (), 0.0)
    seen = replace(BARE, at=1.0, bout=bout)
    changes.update(seen, hands, 1.0)
    return changes, seen


def gone(seen: Observation, *keys: int, visit: int = 9, at: float = 3.0, heap_at: float | None = None) -> Observation:
    """Return the observation without some cards, which left at ``at``."""
    return replace(
        seen,
        at=at,
        bout=tuple(card for card in seen.bout if card.key not in keys),
        gone=tuple(Gone(key, at - 0.2, (Touch(visit, 0.9, 30, at - 0.2),)) for key in keys),
        heap=None if heap_at is None else Pile(Pose(260, 60), heap_at),
    )
