"""
Which of what passes for an arm is a card that lies there, told by what a look at the frame has read.

A difference of pictures takes for an arm what reaches in from the edge: a card that the edge cuts, a card with
something that flickers beside it. Where a look also saw arms in the frame by itself, a card on which fingers lie is in
a hand, however still it is held, and a card that no arm is near only has to be at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, fill
from vision.motion.motion_settings import MotionSettings
from vision.motion.patches import Flags


@dataclass(frozen=True, slots=True, eq=False)
class CardRead:
    """
    A card that a look has read beyond doubt. ``corners_px``: (4, 2). ``is_at_rest``: the look before read it there.
    """

    corners_px: Array
    is_at_rest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CardSpots:
    """
    Where a card was read. ``spots``: (rows, columns) of the reduced picture. ``is_free``: is it known that no arm is
    near, or that the hand on it has gone while it stayed? ``hands``: share of it that hands hide.
    """

    spots: Flags
    is_at_rest: bool
    is_free: bool = False
    hands: float = 0.0

    @classmethod
    def of(cls, card: CardRead, labels: Mask, scale: float) -> CardSpots:
        """A card's place on the reduced picture of the shape of ``labels``."""
        spots = fill((labels.shape[0], labels.shape[1]), card.corners_px, 1 / scale) > 0
        return cls(spots, card.is_at_rest)


def held_and_free(
    places: Sequence[CardSpots],
    arms_seen: Flags | None,
    labels: Mask,
    held_before: Sequence[CardSpots],
    settings: MotionSettings,
) -> tuple[list[CardSpots], list[CardSpots]]:
    """
    The cards that are in hands, and the others; of those it is known which are free, where ``arms_seen`` tells.

    ``held_before``: those that the look before found in hands. A card that has stayed while the hand went is free,
    however near the hand still is.
    """
    if arms_seen is None:
        return [], list(places)
    hands = _hands(places, arms_seen, labels, settings)
    near = cv2.dilate(hands.astype(np.uint8), _LARGE) > 0
    seen = [replace(each, hands=float(hands[each.spots].mean())) for each in places if each.spots.any()]
    held = [each for each in seen if each.hands > settings.held_share]
    free = [
        replace(each, is_free=not near[each.spots].any() or (each.is_at_rest and _was_held(each, held_before)))
        for each in seen
        if each.hands <= settings.held_share
    ]
    return held, free


def _was_held(card: CardSpots, held_before: Sequence[CardSpots]) -> bool:
    return any((card.spots & held.spots).sum() > SAME * (card.spots | held.spots).sum() for held in held_before)


def table_among(
    places: Sequence[CardSpots],
    still: Sequence[Flags],
    resting: Flags,
    labels: Mask,
    quiet_s: npt.NDArray[np.float32],
    settings: MotionSettings,
) -> Flags:
    """
    Where of the arms (``labels`` above 0) cards lie, with a rim.

    ``still``: the parts of arms that lie still; ``resting``: what is lived with as an arm at rest; ``quiet_s``: for how
    long each spot has not moved.
    """
    s, table = settings, np.zeros(labels.shape, bool)
    if not any(each.is_free or resting[each.spots].any() for each in places) and not (places and still):
        return table
    covered = cv2.dilate(np.any([each.spots for each in places], axis=0).astype(np.uint8), _SMALL) > 0
    for part in still:
        if float(covered[part].mean()) >= s.card_share:
            table |= cv2.dilate(part.astype(np.uint8), _LARGE) > 0
    for each in places:
        if not (each.spots & (labels > 0) & ~table).any():
            continue
        still_s = float(np.percentile(quiet_s[each.spots], s.quiet_percentile))
        if still_s >= s.sure_s or (each.is_free and (each.is_at_rest or still_s >= s.ask_s)):
            table |= cv2.dilate(each.spots.astype(np.uint8), _LARGE if each.is_free else _SMALL) > 0
    return table & (labels > 0)


def _hands(places: Sequence[CardSpots], arms_seen: Flags, labels: Mask, settings: MotionSettings) -> Flags:
    """
    What differs from the background and looks like an arm, where enough of it lies beside the cards: what looks so on
    cards alone is their own print.
    """
    shape = (labels.shape[0], labels.shape[1])
    arms = np.asarray(cv2.resize(arms_seen.astype(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    arms[labels == 0] = 0
    count, numbered = cv2.connectedComponents(arms, connectivity=8)
    cards = [each.spots for each in places]
    beside = ~np.any(cards, axis=0) if cards else np.ones(shape, bool)
    card_px = float(np.median([card.sum() for card in cards])) if cards else 0.0
    are_hands = np.bincount(numbered[beside], minlength=count) >= max(settings.hand_share * card_px, 1.0)
    are_hands[0] = False
    return np.asarray(are_hands[numbered])


SAME = 0.6
"""Spots that share so much of both together are one card's, though fingers hid part of it. Higher: cards that were let
go wait for the hand to leave; lower: a card laid beside is the one that was held. Set by hand, 2026-11."""
_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)
