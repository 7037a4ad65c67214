"""
Cards that follow one another: in a column, a row or a fanned hand each lies one step further than the one beneath.

A step is a motion of the table's plane, a turn about some point or a plain shift. Two cards of such a chain tell where
those between them lie, and the lowest one with its neighbour where the next lower one would lie: there a card can be
looked for of which no more than a corner shows. Lengths are millimetres of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """What counts as a chain. Chosen on development tables of fans and columns, 2026-11."""

    most_turn: float = 0.8
    """
    Radians by which a card of a chain is turned against the one it lies on. Higher takes heaps for chains,
    lower misses wide fans.
    """
    least_mm: float = 6.0
    """Steps shorter than this are one card outlined twice. Higher misses narrow fans, lower steps on the spot."""
    most_mm: float = 90.0
    """
    Two cards further apart than this (mean of their corners) are no neighbours. Higher asks in vain,
    lower misses cards in wide gaps.
    """
    gap_steps: float = 1.55
    """
    So many times the chain's step a gap must be wide for a card to be looked for in it. Higher misses cards, lower asks
    in vain.
    """
    widest_step_mm: float = 34.0
    """
    A chain's step at most: people leave an index in view, no more. Higher looks for cards in fewer gaps,
    lower asks in vain.
    """
    links_to_go_on: int = 2
    """
    Steps that a chain must have for a card to be looked for beyond its lowest: two cards are a pair. Higher misses
    cards of short chains, lower takes time over every pair.
    """
    most_between: int = 4
    """Cards looked for in one gap at most. More take time, fewer miss cards in wide gaps."""


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """
    Where a card of a chain would lie. corners_mm: (4, 2). above: the card found over it. between_mm: (k, 4, 2), places
    of the chain over this one and under that card.
    """

    corners_mm: Array
    above: int
    between_mm: Array


def _as_complex(quad: Array) -> npt.NDArray[np.complex128]:
    return quad[:, 0].astype(np.float64) + 1j * quad[:, 1]


def aligned_turn(one: Array, other: Array) -> tuple[float, Array]:
    """
    By how much ``other`` (4, 2) is turned against ``one``, -pi/2..pi/2, and its corners in ``one``'s order.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> turn, corners = aligned_turn(card, np.roll(card, 2, axis=0) + 5)
    >>> turn, corners.tolist() == (card + 5).tolist()
    (0.0, True)
    """
    same = min(
        (other, np.roll(other, 2, axis=0)), key=lambda quad: float(np.abs((quad - one) - (quad - one).mean(0)).sum())
    )
    a, b = _as_complex(one), _as_complex(same)
    return float(np.angle(np.vdot(a - a.mean(), b - b.mean()))), same


def stepped(one: Array, other: Array, share: float) -> Array:
    """
    The card (4, 2) that lies ``share`` of the way from one to other; beyond them below 0 and above 1.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> stepped(card, card + np.float32([4, 0]), 0.5).tolist() == (card + np.float32([2, 0])).tolist()
    True
    """
    turn, same = aligned_turn(one, other)
    a, b = _as_complex(one), _as_complex(same)
    if abs(turn) < STRAIGHT:
        moved = a + share * (b.mean() - a.mean())
    else:
        about = (b.mean() - np.exp(1j * turn) * a.mean()) / (1 - np.exp(1j * turn))
        moved = np.exp(1j * turn * share) * (a - about) + about
    return np.stack([moved.real, moved.imag], axis=1).astype(np.float32)


STRAIGHT = 0.02
"""Radians of turn below which a step is a plain shift: its centre would lie beyond the room."""


def gaps_of_chains(corners_mm: Array, upper: npt.NDArray[np.float32], settings: ChainSettings) -> list[Gap]:
    """
    Where cards may lie that nobody saw, among n cards (n, 4, 2) of which ``upper`` (n, n) tells who lies on whom.
    """
    over = [_next_above(k, corners_mm, upper, settings) for k in range(len(corners_mm))]
    found: list[Gap] = []
    for chain in _chains(over):
        links = [(low, over[low]) for low in chain]
        linked = [(low, up, distance) for low, link in links if link is not None for up, distance in [link]]
        if not linked:
            continue
        distances = sorted(distance for *_, distance in linked)
        step = min(distances[(len(distances) - 1) // 4], settings.widest_step_mm)
        for low, up, distance in linked:
            count = round(distance / step) if distance >= settings.gap_steps * step else 1
            count = min(count, settings.most_between + 1)
            between = [stepped(corners_mm[low], corners_mm[up], k / count) for k in range(1, count)]
            for k, quad in enumerate(between):
                found.append(Gap(quad, up, np.array(between[k + 1 :], np.float32).reshape(-1, 4, 2)))
        above = {up for _, up, _ in linked}
        for low, up, distance in linked:
            if low not in above and len(linked) >= settings.links_to_go_on:
                beyond = stepped(corners_mm[low], corners_mm[up], -step / distance)
                found.append(Gap(beyond, low, np.zeros((0, 4, 2), np.float32)))
    return found


def _next_above(
    card: int, corners_mm: Array, upper: npt.NDArray[np.float32], settings: ChainSettings
) -> tuple[int, float] | None:
    """The nearest card that lies on this one and about as it does, and how far its corners are on the average."""
    near = []
    for other in range(len(corners_mm)):
        if not upper[other, card] > 0.5:
            continue
        turn, same = aligned_turn(corners_mm[card], corners_mm[other])
        distance = float(np.linalg.norm(same - corners_mm[card], axis=1).mean())
        if abs(turn) <= settings.most_turn and settings.least_mm <= distance <= settings.most_mm:
            near.append((distance, other))
    return (min(near)[1], min(near)[0]) if near else None


def _chains(over: list[tuple[int, float] | None]) -> list[list[int]]:
    """Cards linked with one another, in groups."""
    group = list(range(len(over)))

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    for low, link in enumerate(over):
        if link is not None:
            group[root(low)] = root(link[0])
    chains: dict[int, list[int]] = {}
    for k in range(len(over)):
        chains.setdefault(root(k), []).append(k)
    return [chain for chain in chains.values() if len(chain) > 1]
