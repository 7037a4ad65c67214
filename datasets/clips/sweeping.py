"""
Clear a bout away as people do: in one haul, card by card, pushed over to the taker, in strokes of the hand's side, or
by two people at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from datasets.clips.card_handling import carry
from datasets.clips.motion import SHEET_MM, Action, Carry, Push
from datasets.clips.performer import Performer
from datasets.clips.stage import CardPose3D
from datasets.clips.story import SweepStep
from referee.cards import Card
from referee.events import HEAP


def clear_away(who: Performer, step: SweepStep) -> list[Action]:
    """Return the visits that clear the bout away, in one of the ways people have."""
    cards = [card for card in who.over if card not in step.left]
    seat = step.by or (step.to if step.is_take else who._nearest(who.here or {step.to}))
    if step.is_take and seat != step.to:
        pushed = push_over(who, step, seat, cards)
        if pushed is not None:
            return pushed
        seat = step.to
    if len(cards) > 1 and who.chance(who.habits.pieces):
        return [gather_pieces(who, step, seat, cards)]
    if len(cards) > 2 and who.chance(who.habits.shares):
        return by_two(who, step, seat, cards)
    if len(cards) > 1 and who.chance(who.habits.strokes):
        return [in_strokes(who, step, seat, cards)]
    return [haul(who, step, seat, cards)]


def _piles(who: Performer, cards: list[Card], end: np.ndarray) -> list[list[Card]]:
    """Return each attack card with the cards on it, the pile farthest from ``end`` first."""
    roots = [card for card in cards if who.over[card] not in cards]
    piles = [[root, *(card for card in cards if who.over[card] == root)] for root in roots]
    return sorted(piles, key=lambda pile: -float(np.linalg.norm(who.lying[pile[0]].middle[:2] - end)))


def haul(who: Performer, step: SweepStep, seat: str, cards: list[Card]) -> Action:
    """Draw the whole bout together under a flat hand and take it away in one go."""
    way, elbow = who.way(seat)
    end = way.start[:2] if step.is_take else np.array(who.stage.heap_mm)
    takes: dict[Card, float] = {}
    for i, pile in enumerate(_piles(who, cards, end)):
        middle = np.mean([who.lying[card].middle[:2] for card in pile], axis=0)
        ahead = middle - elbow[:2]
        tip = np.array([*(middle + ahead / np.linalg.norm(ahead) * 30), 5.0])
        there = way.reach(tip, who.some(who.tempo.reach)) if i == 0 else way.to(
            tip, who._some(who.tempo.gather), stop=False)  # fmt: skip
        takes |= dict.fromkeys(pile, there + (0.06 if i == 0 else -0.07))
    way.to(way.here + (np.array([*end, 6.0]) - way.here) * 0.06, 0.12, stop=False)
    lift_off = way.now
    trip = who._some(who.tempo.haul)
    flip = None
    if step.is_take:
        drop = way.to(np.array([*way.start[:2], 30.0]), trip)
    else:
        ahead = end - elbow[:2]
        way.to(np.array([*(end + ahead / np.linalg.norm(ahead) * 28), 8.0]), trip)
        flip = (lift_off, lift_off + trip * 0.72)
        drop = way.now + 0.05
        way.wait(who.some(who.tempo.press))
    clear = way.now
    if not step.is_take:
        way.home(who.some(who.tempo.leave))
    turn = np.pi / 2 + who.jitter(0.15)
    carries = []
    for order, card in enumerate(takes):
        lies = who.leave(card)
        rest = None if step.is_take else who._on_heap(*who.stage.heap_mm)
        carries.append(
            Carry(
                card, takes[card], drop, lies, rest, -30 + who.jitter(4), who.jitter(4), -4.5 + SHEET_MM * order,
                turn + who.jitter(0.10), 0.0, flip=flip, slide=0.26, settle=0.22 if rest else 0.0, order=order,
            )
        )  # fmt: skip
        if rest:
            who.lying[card] = rest
    _end_bout(who, step)
    return Action(step, seat, "flat", elbow, way.path, tuple(carries), touch=min(takes.values()), clear=clear)


def _end_bout(who: Performer, step: SweepStep) -> None:
    if not step.left:
        who.over.clear()
        who.slots.clear()
        who.here.clear()


def gather_pieces(who: Performer, step: SweepStep, seat: str, cards: list[Card]) -> Action:
    """Gather the bout card by card: the hand fetches one or two, brings them away, and comes again."""
    way, elbow = who.way(seat)
    end = way.start[:2] if step.is_take else np.array(who.stage.heap_mm)
    carries: list[Carry | Push] = []
    touch_at = 0.0
    groups: list[list[Card]] = []
    for pile in _piles(who, cards, end)[::-1]:
        groups += [pile] if who.chance(0.7) else [[card] for card in reversed(pile)]
    for order, group in enumerate(groups):
        lies = [who.leave(card) for card in group]
        tip, _, _ = who._hold(elbow, lies[0])
        away = order == 0 or step.is_take
        take = way.reach(tip, who.some(who.tempo.reach)) if away else way.over(tip, who._some((0.42, 0.6)))
        touch_at = touch_at or take
        way.wait(who.some(who.tempo.press))
        left = way.now
        if step.is_take:
            drop = way.to(np.array([*way.start[:2], 40.0]), who._some((0.5, 0.7)))
        else:
            put, _, _ = who._hold(elbow, CardPose3D(*who.stage.heap_mm))
            drop = way.over(put, who._some((0.5, 0.75)), 0.8) + 0.05
            way.wait(0.14)
        for card, lay_so in zip(group, lies, strict=True):
            rest = None if step.is_take else who._on_heap(*who.stage.heap_mm)
            held = carry(card, lay_so, tip, elbow, take, drop)
            flip = None if step.is_take else (left + 0.05, drop - 0.12)
            carries.append(replace(held, end=rest, flip=flip, settle=0.2 if rest else 0.0, slide=0.12))
            if rest:
                who.lying[card] = rest
    clear = way.now
    if not step.is_take:
        way.home(who.some(who.tempo.leave))
    _end_bout(who, step)
    return Action(step, seat, "pinch", elbow, way.path, tuple(carries), touch=touch_at, clear=clear)


def by_two(who: Performer, step: SweepStep, seat: str, cards: list[Card]) -> list[Action]:
    """Let a second person clear away a part of a beaten bout at the same time."""
    others = [other for other in who.stage.seats if other != seat]
    if step.is_take or not others:
        return [haul(who, step, seat, cards)]
    piles = _piles(who, cards, np.array(who.stage.heap_mm))
    half = [card for pile in piles[: len(piles) // 2] for card in pile]
    rest = [card for card in cards if card not in half]
    if not half:
        return [haul(who, step, seat, cards)]
    helper = others[int(who.rng.integers(len(others)))]
    first = haul(who, replace(step, left=(*step.left, *rest)), helper, half)
    return [replace(first, step=None), replace(haul(who, step, seat, rest), abreast=True)]


def in_strokes(who: Performer, step: SweepStep, seat: str, cards: list[Card]) -> Action:
    """Sweep the bout together from its left and from its right with the side of the hand, then take it away."""
    way, elbow = who.way(seat)
    middle = np.mean([who.lying[card].middle[:2] for card in cards], axis=0)
    sides = [[card for card in cards if (who.lying[card].x < middle[0]) == is_left] for is_left in (True, False)]
    carries: list[Carry | Push] = []
    touch_at = 0.0
    for side, group in zip((-1.0, 1.0), sides, strict=True):
        if not group:
            continue
        outer = max(side * who.lying[card].x for card in group)
        start = np.array([side * (outer + 25), float(np.mean([who.lying[card].y for card in group])), 5.0])
        since = way.over(start, 0.5, 1.3) if touch_at else way.reach(start, who.some(who.tempo.reach))
        touch_at = touch_at or since
        until = way.to(np.array([middle[0] + side * 30, middle[1], 5.0]), who._some((0.4, 0.7)))
        for card in sorted(group, key=lambda card: who.lying[card].z):
            lies = who.lying[card]
            together = replace(
                lies, x=float(middle[0]) + side * 9 + who.jitter(9), y=float(middle[1]) + who.jitter(11),
                z=SHEET_MM * len(carries), yaw=lies.yaw + who.jitter(0.25),
            )  # fmt: skip
            carries.append(Push(card, since, until, lies, together))
            who.lying[card] = together
        way.to(way.here + np.array([side * 30, 0.0, 36.0]), who._some((0.2, 0.4)))
    tip, _, _ = who._hold(elbow, CardPose3D(float(middle[0]), float(middle[1])), 30.0)
    take = way.over(tip, who._some((0.35, 0.5)))
    way.wait(0.12)
    left = way.now
    if step.is_take:
        drop = clear = way.home(who.some(who.tempo.leave) + 0.2)
    else:
        put, _, _ = who._hold(elbow, CardPose3D(*who.stage.heap_mm), 30.0)
        drop = way.over(put, who._some((0.55, 0.8)), 0.8) + 0.05
        way.wait(0.16)
        clear = way.now
        way.home(who.some(who.tempo.leave))
    for order, card in enumerate(cards):
        held = carry(card, who.leave(card), tip, elbow, take, drop, above=-4.5 + SHEET_MM * order)
        if not step.is_take:
            who.lying[card] = who._on_heap(*who.stage.heap_mm)
            held = replace(held, end=who.lying[card], flip=(left + 0.05, drop - 0.12), settle=0.2)
        carries.append(held)
    _end_bout(who, step)
    return Action(step, seat, "flat", elbow, way.path, tuple(carries), touch=touch_at, clear=clear)


def push_over(who: Performer, step: SweepStep, seat: str, cards: list[Card]) -> list[Action] | None:
    """Let somebody else push the cards together and over to the taker, who then picks them up."""
    stage = who.stage
    shoulder = stage.shoulder(step.to)[:2]
    out = shoulder / np.linalg.norm(shoulder)
    # Before the taker, well outside the bout and inside the picture.
    place = None
    for inside in np.arange(245.0, 330.0, 15.0):
        at = shoulder - out * inside
        left, top, right, bottom = stage.bout_zone
        within = left - 50 < at[0] < right + 50 and top - 50 < at[1] < bottom + 50
        piles = [np.array(stage.talon_mm), np.array(stage.heap_mm)]
        if not within and all(np.linalg.norm(at - pile) > 130 for pile in piles):
            place = at
            break
    if place is None or not who.chance(who.habits.pushes * 2):
        return None
    pushing = haul(who, replace(step, to=HEAP), seat, cards)
    way_keys = pushing.path.keys.copy()
    heap = np.array(stage.heap_mm)
    # The same gathering as to the heap, but led to the taker, face up.
    stops = [i for i, key in enumerate(way_keys) if np.linalg.norm(key[1:3] - heap) < 40]
    ahead = place - pushing.elbow[:2]
    way_keys[stops, 1:3] = place + ahead / np.linalg.norm(ahead) * 28
    carries: list[Carry | Push] = []
    poses: dict[Card, CardPose3D] = {}
    for held in pushing.carries:
        assert isinstance(held, Carry)
        who.lying.pop(held.card, None)
        who.heap_height -= 1
        poses[held.card] = CardPose3D(
            float(place[0]) + who.jitter(7), float(place[1]) + who.jitter(7), SHEET_MM * len(poses),
            float(np.arctan2(out[1], out[0])) + np.pi / 2 + who.jitter(0.3),
        )  # fmt: skip
        carries.append(replace(held, end=poses[held.card], flip=None))
    first = replace(pushing, step=step, carries=tuple(carries), path=replace(pushing.path, keys=way_keys))
    way, elbow = who.way(step.to)
    tip, _, _ = who._hold(elbow, next(iter(poses.values())))
    take = way.reach(tip, who.some(who.tempo.reach))
    way.wait(who.some(who.tempo.press))
    end = way.home(who.some(who.tempo.leave))
    picked = tuple(carry(card, pose, tip, elbow, take, end) for card, pose in poses.items())
    second = Action(None, step.to, "pinch", elbow, way.path, picked, touch=take, clear=take + 0.35)
    return [first, second]
