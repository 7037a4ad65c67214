"""
Move single cards as people handle them: laid, slid, tossed, pushed aside, dealt round, exchanged.

How a bout is cleared away is in :mod:`datasets.clips.sweeping`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from datasets.clips.hand_paths import Way, grasp
from datasets.clips.motion import GRIP_MM, SHEET_MM, TURNED, Action, Carry, Push
from datasets.clips.performer import Performer
from datasets.clips.stage import CardPose3D, Vector
from datasets.clips.story import DealStep, LayStep, SwapStep
from referee.cards import Card

FULL_TURN = 2 * TURNED


def carry(
    card: Card, pose: CardPose3D, tip: Vector, elbow: Vector, take: float, drop: float, above: float = -3.5
) -> Carry:
    """Return the motion of a lying card that is picked up as it lies."""
    held = grasp(pose, tip, elbow)
    return Carry(card, take, drop, pose, None, held.along, held.across, above, held.turn, pose.roll, slide=0.08)


def lay(who: Performer, step: LayStep) -> Action:
    """Lay one or two cards in one visit, in one of the ways people have."""
    way, elbow = who.way(step.seat)
    tempo, habits = who.tempo, who.habits
    carries: list[Carry | Push] = []
    turns = who.chance(habits.turns)
    touch_at = 0.0
    for order, (card, on) in enumerate(step.cards):
        goal = who.spot(step.seat, card, on)
        crooked = who.chance(habits.crooked)
        lies = replace(
            goal, x=goal.x + who.jitter(7), y=goal.y + who.jitter(7), yaw=goal.yaw + who.jitter(0.32)
        ) if crooked else goal  # fmt: skip
        is_with_last = order > 0 and on is None and who.chance(habits.together)
        if is_with_last:
            last = who.lying[step.cards[order - 1][0]]
            aside, on_it = who._some((16, 34)), who._some((4, 16))
            lies = replace(
                last, x=last.x + aside, y=last.y + on_it, z=last.z + SHEET_MM, yaw=last.yaw + who.jitter(0.2)
            )
            crooked = False
        touch, ahead, turn = who._hold(elbow, lies)
        back = elbow[:2] - lies.middle[:2]
        back = back / np.linalg.norm(back)
        fate = who.rng.random()
        slides = fate < habits.slides and not is_with_last
        tosses = (
            not slides and not is_with_last
            and fate < habits.slides + habits.tosses and order == len(step.also)
        )  # fmt: skip
        first = touch.copy()
        if slides:
            first[:2] += back * who._some((40, 95))
        elif tosses:
            first[:2] += back * who._some((35, 90))
            first[2] = who._some((10, 24))
        elif crooked:
            first[2] = who._some((5, 16))
        if order == 0:
            there = way.reach(first, who.some(tempo.reach))
        else:
            there = way.to(first, 0.06) if is_with_last else way.over(first, who._some((0.34, 0.5)))
        touch_at = touch_at or there
        flip = (there - 0.34, there - 0.02) if turns and order == 0 else None
        roll = -TURNED if flip else 0.0
        held = Carry(card, 0.0, 0.0, None, lies, ahead, 0.0, -4.0, turn, roll, who.jitter(0.22), who.jitter(0.10),
                     flip=flip, settle=0.10)  # fmt: skip
        if order < len(step.also):
            # The second card waits in the same hand, a little fanned.
            held = replace(held, above=-3.6)
        if tosses:
            drop = there + 0.02
            way.to(first - np.array([*back * 14, 0.0]), 0.10)
            held = replace(held, drop=drop, settle=0.0, end=None, swing=0.0, lean=0.0)
            tip = first
            yaw = float(np.arctan2(tip[1] - elbow[1], tip[0] - elbow[0]))
            freed = replace(held.pose(drop, tip, yaw), z=6.0, roll=0.0, pitch=0.0)
            carries.append(replace(held, end=freed))
            flight = who._some((0.22, 0.38))
            carries.append(Push(card, drop, drop + flight, freed, lies, thrown=True, above=True, spin=who.jitter(0.5)))
        else:
            if slides:
                way.to(touch, who._some((0.22, 0.42)))
            drop = way.now + 0.5 * who.some(tempo.press)
            way.wait(who.some(tempo.press) + 0.02)
            drop = min(drop, way.now)
            carries.append(replace(held, drop=drop))
        if crooked and not tosses and who.chance(habits.straightens):
            carries.append(_straightened(way, card, lies, goal))
            lies = goal
        elif crooked:
            who.nominal[card] = goal
        who.enter(card, lies, on, step.seat)
    clear = max(way.now, *(c.drop for c in carries))
    near = who.nearby(step.card) if who.chance(habits.knocks) else []
    # A card of this very play may still be sliding: it is not brushed aside as well.
    if near and not {card for card, _ in step.cards} & set(near):
        carries += knock(who, near, way.now + 0.02)
        clear = max(clear, way.now + 0.26)
    elif dragged := who.under_arm(way.here, elbow, step.card) if who.chance(habits.sleeve) else []:
        carries += drag(who, dragged, way.now + 0.05, elbow)
        clear = max(clear, way.now + 0.45)
    way.home(who.some(tempo.leave))
    return Action(step, step.seat, "pinch", elbow, way.path, tuple(carries), touch=touch_at, clear=clear)


def _straightened(way: Way, card: Card, lies: CardPose3D, goal: CardPose3D) -> Push:
    """Let the hand that has just laid the card push it straight."""
    way.to(way.here + np.array([0, 0, 9.0]), 0.12)
    start = way.to(way.here - np.array([0, 0, 9.0]), 0.12)
    end = way.to(way.here + goal.middle - lies.middle, 0.30)
    return Push(card, start, end, lies, goal)


def knock(who: Performer, cards: list[Card], start: float) -> list[Push]:
    """Let a passing hand brush aside cards that lie together."""
    dx, dy, turn = who.jitter(9), who.jitter(9), who.jitter(0.13)
    pivot = who.lying[cards[0]].middle
    moves = []
    for card in cards:
        pose = who.lying[card]
        who.lying[card] = moved(pose, pivot, dx, dy, turn)
        moves.append(Push(card, start, start + 0.22, pose, who.lying[card], thrown=True))
    return moves


def drag(who: Performer, cards: list[Card], start: float, elbow: Vector) -> list[Push]:
    """Let a sleeve that withdraws drag along cards that lie together under it."""
    pivot = who.lying[cards[0]].middle
    out = elbow[:2] - pivot[:2]
    dx, dy = out / np.linalg.norm(out) * who._some((6, 22))
    turn = who.jitter(0.1)
    pulled = []
    for card in cards:
        pose = who.lying[card]
        who.lying[card] = moved(pose, pivot, float(dx), float(dy), turn)
        pulled.append(Push(card, start, start + 0.38, pose, who.lying[card]))
    return pulled


def moved(pose: CardPose3D, pivot: Vector, dx: float, dy: float, turn: float) -> CardPose3D:
    """Return the pose turned about a point of the table and shifted."""
    x, y = pose.x - pivot[0], pose.y - pivot[1]
    cos, sin = np.cos(turn), np.sin(turn)
    return replace(
        pose,
        x=float(pivot[0] + cos * x - sin * y + dx),
        y=float(pivot[1] + sin * x + cos * y + dy),
        yaw=pose.yaw + turn,
    )


def bring_back(who: Performer, step: LayStep) -> Action:
    """Bring a card back from the discard pile, or from wherever it lies face down, and lay it in the bout face up."""
    way, elbow = who.way(step.seat)
    lies = replace(who.lying.pop(step.card), roll=-TURNED)
    touch, _, _ = who._hold(elbow, lies)
    touch[2] += lies.z
    take = way.reach(touch, who.some(who.tempo.reach))
    way.wait(who.some(who.tempo.press))
    goal = who.spot(step.seat, step.card, step.on)
    put, _, _ = who._hold(elbow, goal)
    left = way.now
    there = way.over(put, who._some((0.6, 0.8)), 0.9)
    drop = there + 0.08
    way.wait(0.14)
    held = carry(step.card, lies, touch, elbow, take, drop)
    held = replace(held, end=goal, settle=0.2, flip=(left, there), roll=-TURNED)
    who.enter(step.card, goal, step.on, step.seat)
    clear = way.now
    way.home(who.some(who.tempo.leave))
    return Action(step, step.seat, "pinch", elbow, way.path, (held,), touch=take, clear=clear)


def onto_heap(who: Performer, way: Way, elbow: Vector, card: Card, lies: CardPose3D, take: float) -> Carry:
    """Carry a card from where the hand is now onto the discard pile, face down."""
    rest = who._on_heap(*who.stage.heap_mm)
    tip = way.here
    put, _, _ = who._hold(elbow, rest)
    put[2] += rest.z
    left = way.now
    there = way.over(put, who._some((0.55, 0.8)), 0.9)
    way.wait(0.16)
    held = carry(card, lies, tip, elbow, take, there + 0.06)
    who.lying[card] = rest
    return replace(held, end=rest, settle=0.2, flip=(left + 0.05, there - 0.05))


def deal(who: Performer, step: DealStep) -> Action:
    """Deal the pack round, lay the turn-up open, and put the rest across it."""
    way, elbow = who.way(step.dealer)
    assert who.pack_at is not None
    at = who.pack_at
    order = list(step.cards)
    carries: list[Carry | Push] = []
    quick = who._some((0.20, 0.30))
    given = dict.fromkeys(step.seats, 0)
    size = len(order) // len(step.seats)
    touch_at = 0.0
    while order:
        for seat in step.seats:
            count = min(step.packet, size - given[seat])
            given[seat] += count
            group, order = order[:count], order[count:]
            if not group:
                continue
            poses = [who.lying.pop(card) for card in group]
            tip, _, _ = who._hold(elbow, replace(poses[0], z=0.0), GRIP_MM + 6)
            tip[2] += poses[0].z
            take = way.reach(tip, who.some(who.tempo.reach)) if not touch_at else way.to(tip, quick)
            touch_at = touch_at or take
            goal = who.stage.shoulder(seat, who.jitter(0.08))
            towards = goal[:2] - at.middle[:2]
            release = at.middle[:2] + towards * (0.20 if seat != step.dealer else 0.34)
            let_go = way.to(np.array([*release, 22.0]), quick * 1.1, stop=False)
            yaw = float(np.arctan2(release[1] - elbow[1], release[0] - elbow[0]))
            for card, pose in zip(group, poses, strict=True):
                held = carry(card, pose, tip, elbow, take, let_go)
                freed = replace(held.pose(let_go, np.array([*release, 22.0]), yaw), z=8.0)
                carries.append(replace(held, end=freed))
                away = replace(
                    freed, x=float(goal[0]) + who.jitter(20), y=float(goal[1]) + who.jitter(20), z=0.0,
                    yaw=freed.yaw + who.jitter(1.2),
                )  # fmt: skip
                carries.append(Push(card, let_go, let_go + who._some((0.32, 0.45)), freed, None, away, True, True))
    if step.turnup is not None and step.talon:
        carries += _turn_up(who, way, elbow, step)
    clear = way.now
    way.home(who.some(who.tempo.leave))
    return Action(step, step.dealer, "pinch", elbow, way.path, tuple(carries), touch=touch_at, clear=clear)


def _turn_up(who: Performer, way: Way, elbow: Vector, step: DealStep) -> list[Carry | Push]:
    """Turn the next card up at the talon's place, and lay the rest of the pack across it."""
    assert step.turnup is not None
    tx, ty = who.stage.talon_mm
    lies = replace(who.lying.pop(step.turnup), roll=-TURNED)
    tip, _, _ = who._hold(elbow, replace(lies, z=0.0), GRIP_MM)
    take = way.over(tip, 0.5)
    way.wait(0.08)
    goal = CardPose3D(tx, ty, 0.0, np.pi / 2 + who.jitter(0.05))
    put, _, _ = who._hold(elbow, goal)
    left = way.now
    there = way.over(put, who._some((0.6, 0.85)), 0.9)
    way.wait(0.16)
    held = carry(step.turnup, lies, tip, elbow, take, there + 0.08)
    carries: list[Carry | Push] = [replace(held, end=goal, settle=0.2, flip=(left, there))]
    who.lying[step.turnup] = goal
    rest = [card for card in step.talon if card != step.turnup]
    if rest:
        poses = {card: who.lying.pop(card) for card in reversed(rest)}
        tip, _, _ = who._hold(elbow, replace(next(iter(poses.values())), z=0.0), GRIP_MM + 8)
        tip[2] = 6.0
        take = way.over(tip, 0.5)
        way.wait(0.2)
        across = CardPose3D(tx - 26, ty, SHEET_MM, who.jitter(0.05))
        put, _, _ = who._hold(elbow, replace(across, z=0.0), GRIP_MM + 8)
        put[2] = 6.0
        there = way.over(put, who._some((0.6, 0.8)), 0.8)
        way.wait(0.2)
        for height, (card, pose) in enumerate(poses.items()):
            end = who.on_stack(across, height)
            held = carry(card, pose, tip, elbow, take, there + 0.1, above=-5.5 + SHEET_MM * height)
            carries.append(replace(held, end=end, settle=0.15))
            who.lying[card] = end
    who.talon, who.turnup = list(step.talon), step.turnup
    return carries


def swap(who: Performer, step: SwapStep) -> Action:
    """Lay the lowest trump beside the talon, draw the turn-up out, push the other in, and take the turn-up."""
    way, elbow = who.way(step.seat)
    lies = who.lying.pop(step.gets)
    beside = replace(lies, x=lies.x + who._some((96, 112)), y=lies.y + who._some((18, 40)))
    aside = replace(lies, x=lies.x + who._some((70, 84)), y=lies.y - who._some((52, 66)), z=SHEET_MM)
    touch, ahead, turn = who._hold(elbow, beside)
    there = way.reach(touch, who.some(who.tempo.reach))
    drop = there + 0.08
    way.wait(0.16)
    new = Carry(step.card, 0.0, drop, None, beside, ahead, 0.0, -4.0, turn, 0.0, settle=0.1)

    def pushed(card: Card, start: CardPose3D, goal: CardPose3D) -> Push:
        """Move the card with a finger on its free end."""
        free = np.array([start.x + 20, start.y, 4.0])
        way.over(free, who._some((0.3, 0.4)), 0.3)
        since = way.wait(0.08)
        until = way.to(free + np.array([goal.x - start.x, goal.y - start.y, 0.0]), who._some((0.4, 0.55)))
        return Push(card, since, until, start, goal)

    out = pushed(step.gets, lies, aside)
    into = pushed(step.card, beside, lies)
    tip, _, _ = who._hold(elbow, aside)
    take = way.over(tip, who._some((0.35, 0.45)), 0.4)
    way.wait(0.12)
    clear = way.now + 0.2
    end = way.home(who.some(who.tempo.leave))
    gone = carry(step.gets, aside, tip, elbow, take, end)
    who.lying[step.card] = lies
    who.talon[who.talon.index(step.gets)] = step.card
    if who.turnup == step.gets:
        who.turnup = step.card
    return Action(step, step.seat, "pinch", elbow, way.path, (new, out, into, gone), touch=there, clear=clear)
