"""
What a segmentation says of arm regions: which of their spots are arms, and which are cards and no part of an arm.

A difference of pictures joins a hand, the card that it lays, and a card that the picture's edge cuts into one region.
Two sources tell them apart. The segmentation labels every pixel by itself as card or arm: a patch of card that stays as
it is has been laid or is held still, and one that has lost its fingers has been let go; then inference is due. The
names that inference reads decide: a card on which fingers lie is in a hand, however still; one that no arm is near lies
on the table once it is at rest. All masks are of the reduced picture unless another size is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, fill
from vision.motion.arm_regions import (
    ArmContacts,
    ArmOutlines,
    Flags,
    PixelPoint,
    nearest_edge,
    numbered_regions,
    share_of,
    still_parts,
    tip_of,
)
from vision.motion.motion_report import Arm, MotionReport, MotionSettings

NEVER = -1e9

# Shares from 0 to 1; chosen by hand, 2026-11.
BARE = 0.03
"""A hand has let a card go if the segmentation finds arms on no more of it."""
LEAST_PATCH_SHARE = 0.003
"""Least share of the picture of a patch of card: a third of a card 40 px long in 480."""
SAME_PATCH = 0.75
"""Least intersection over union of a patch with itself a moment before."""
CARD_SHARE = 0.6
"""A part of an arm region at rest is table if cards make up more of it."""
HELD_SHARE = 0.03
"""A card with more of it under arms, by the segmentation, is held or being laid."""
HAND_SHARE = 0.15
"""Least area beside the cards, in cards, that the segmentation must label as arm for a hand."""
QUIET_PERCENTILE = 3.0
"""A region is as quiet as this percentile of its pixels: a few may flicker."""
SAME_CARD = 0.6
"""Least intersection over union of one card in two inferences, though fingers hid part of it."""
_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)
_RIM = np.ones((9, 9), np.uint8)


# How often to segment while an arm is in the picture, in seconds; 5 ms each time. Chosen by hand, 2026-11.
EVERY_S = 0.3
"""Gap between two segmentations while no inference runs."""
HELD_EVERY_S = 0.08
"""
Gap between two segmentations while a hand is on a card that an inference has read, or something has just come to rest.
"""
BARE_REST_S = 0.07
"""
Seconds at rest, two frames at 25 or 30 a second, after which a part of an arm region is no arm where the segmentation
shows none. Cards dealt two a second on a pile that the picture's edge cuts lie free for 0.2 s each. Chosen by hand.
"""


class CardsAmongArms:
    """Decides from the segmentation when inference is due on an arm region."""

    def __init__(self) -> None:
        self._segmented_at = NEVER
        self._before: Flags | None = None
        self._inferred: Flags | None = None

    def is_due(self, motion: MotionReport, last_inference_at: float, has_held: bool) -> bool:
        """Check whether to segment a frame. ``has_held``: the last inference read a card in a hand."""
        since = min(motion.at - self._segmented_at, motion.at - last_inference_at)
        if since >= (HELD_EVERY_S if has_held else EVERY_S):
            return True
        return since >= HELD_EVERY_S and self._rests(motion, max(self._segmented_at, last_inference_at)) is not None

    def is_bare(self, arms: Flags, motion: MotionReport, last_inference_at: float) -> bool:
        """
        Check whether a part of an arm region that has come to rest since the last inference is no arm.

        ``arms``: (rows, columns) of any size, pixels labelled as arm.
        """
        rests = self._rests(motion, last_inference_at)
        if rests is None:
            return False
        shape = (rests.shape[1], rests.shape[0])
        rests = rests & (cv2.resize(cv2.dilate(arms.astype(np.uint8), _SMALL), shape) == 0)
        _, sizes = numbered_regions(rests.astype(np.uint8))
        return bool(max(sizes[1:], default=0) >= LEAST_PATCH_SHARE * rests.size)

    def _rests(self, motion: MotionReport, since: float) -> Flags | None:
        """Return the parts of arm regions that came to rest after a time (seconds), None if there are none."""
        if motion.still_since is None:
            return None
        is_still = (motion.still_since > since) & (motion.at - motion.still_since >= BARE_REST_S)
        rests = is_still & (motion.arm_labels > 0)
        return rests if rests.sum() >= LEAST_PATCH_SHARE * rests.size else None

    def is_let_go(self, arms: Flags, held: Sequence[Flags]) -> bool:
        """
        Check whether a hand has let one of the ``held`` cards go.

        ``arms``: (rows, columns) of any size, pixels labelled as arm. ``held``: places of the cards, of one size.
        """
        return any(float(cv2.resize(arms.astype(np.uint8), spots.shape[::-1])[spots].mean()) <= BARE for spots in held)

    def shows(self, cards: Flags, arm_labels: Mask, at: float) -> bool:
        """
        Check whether a card is at rest within an arm region on which no inference has run.

        ``cards``: (rows, columns) of any size, pixels labelled as card. ``arm_labels``: above 0 within arm regions.
        """
        self._segmented_at = at
        shape = cards.shape
        here = cards & (cv2.resize(arm_labels, shape[::-1], interpolation=cv2.INTER_NEAREST) > 0)
        before, self._before = self._before, here
        if self._inferred is None or before is None or self._inferred.shape != shape or before.shape != shape:
            self._inferred = np.zeros(shape, bool)
            return False
        self._inferred[cv2.dilate(here.astype(np.uint8), _RIM) == 0] = False
        numbered, sizes = numbered_regions(here.astype(np.uint8))
        is_due = False
        for k, size in enumerate(sizes[1:], start=1):
            if size < LEAST_PATCH_SHARE * here.size:
                continue
            patch = numbered == k
            around = cv2.dilate(patch.astype(np.uint8), _RIM) > 0
            if _shared(patch, before & around) < SAME_PATCH:
                continue
            if _shared(patch, self._inferred & around) < SAME_PATCH:
                self._inferred[around] = False
                self._inferred[patch] = True
                is_due = True
        return is_due


@dataclass(frozen=True, slots=True, eq=False)
class CardRead:
    """
    A card that an inference has read clearly. ``corners_px``: (4, 2). ``is_at_rest``: the one before read it there too.
    """

    corners_px: Array
    is_at_rest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CardSpots:
    """
    The place of such a card. ``spots``: (rows, columns). ``is_free``: no arm is near, or the hand on it has gone while
    the card stayed. ``hands``: share of it, 0..1, that hands hide.
    """

    spots: Flags
    is_at_rest: bool
    is_free: bool = False
    hands: float = 0.0

    @classmethod
    def of(cls, card: CardRead, labels: Mask, scale: float) -> CardSpots:
        """Return a card's place. ``labels``: the arm regions. ``scale``: full-size pixels for one of them."""
        spots = fill((labels.shape[0], labels.shape[1]), card.corners_px, 1 / scale) > 0
        return cls(spots, card.is_at_rest)


def held_and_free(
    places: Sequence[CardSpots], arms_seen: Flags | None, labels: Mask, held_before: Sequence[CardSpots]
) -> tuple[list[CardSpots], list[CardSpots]]:
    """
    Return the cards in hands, and the others.

    ``arms_seen``: (rows, columns) of any size, pixels labelled as arm; None without a segmentation. ``labels``: the arm
    regions. ``held_before``: cards that the last inference found in hands. A card that has stayed while the hand went
    is free, however near the hand still is.
    """
    if arms_seen is None:
        return [], list(places)
    arms = cv2.resize(arms_seen.astype(np.uint8), labels.shape[::-1], interpolation=cv2.INTER_NEAREST)
    hands = hands_among(np.where(labels == 0, 0, arms).astype(np.uint8), [place.spots for place in places])
    near = cv2.dilate(hands.astype(np.uint8), _LARGE) > 0
    seen = [replace(place, hands=float(hands[place.spots].mean())) for place in places if place.spots.any()]
    held = [card for card in seen if card.hands > HELD_SHARE]
    free = [
        replace(card, is_free=not near[card.spots].any() or (card.is_at_rest and _was_held(card, held_before)))
        for card in seen
        if card.hands <= HELD_SHARE
    ]
    return held, free


def table_among(
    places: Sequence[CardSpots],
    still: Sequence[Flags],
    resting: Flags,
    unsure: Flags,
    quiet_s: npt.NDArray[np.float32],
    times_s: tuple[float, float],
) -> Flags:
    """
    Return which pixels of arm regions and of what is not at rest (``unsure``) are cards on the table, with a rim.

    ``still``: parts of arm regions at rest. ``resting``: what is lived with as an arm at rest. ``quiet_s``: for how
    many seconds each pixel has not moved. ``times_s``: how long a card must be quiet, if it is free and if it is not.
    """
    (free_s, sure_s), table = times_s, np.zeros(unsure.shape, bool)
    if not any(place.is_free or resting[place.spots].any() for place in places) and not (places and still):
        return table
    covered = cv2.dilate(np.any([place.spots for place in places], axis=0).astype(np.uint8), _SMALL) > 0
    for part in still:
        if float(covered[part].mean()) >= CARD_SHARE:
            table |= cv2.dilate(part.astype(np.uint8), _LARGE) > 0
    for place in places:
        if not (place.spots & unsure & ~table).any():
            continue
        still_s = float(np.percentile(quiet_s[place.spots], QUIET_PERCENTILE))
        if still_s >= sure_s or (place.is_free and (place.is_at_rest or still_s >= free_s)):
            table |= cv2.dilate(place.spots.astype(np.uint8), _LARGE if place.is_free else _SMALL) > 0
    return table & unsure


def shifted_cards(still: Sequence[Flags], arms_seen: Flags, held_at: Flags) -> Flags:
    """
    Return the parts of arm regions at rest that are no arm, by the segmentation, but cards held in the picture.

    ``still``: these parts. ``arms_seen``: (rows, columns) of any size, pixels labelled as arm. ``held_at``: where such
    cards may be.
    """
    shape, shifted = held_at.shape[::-1], np.zeros(held_at.shape, bool)
    arms = cv2.resize(arms_seen.astype(np.uint8), shape, interpolation=cv2.INTER_NEAREST) > 0
    for part in still:
        if float(held_at[part].mean()) >= CARD_SHARE and float(arms[part].mean()) <= HELD_SHARE:
            shifted |= part
    return shifted


def _was_held(card: CardSpots, held_before: Sequence[CardSpots]) -> bool:
    return any(_shared(card.spots, held.spots) > SAME_CARD for held in held_before)


def hands_among(arms: Mask, cards: Sequence[Flags]) -> Flags:
    """
    Return the pixels labelled as arm whose patch has enough area beside the cards: on cards alone it is print or light.

    ``arms``: (rows, columns) uint8, 1 where the segmentation shows an arm. ``cards``: their places, of that size.
    """
    count, numbered = cv2.connectedComponents(arms, connectivity=8)
    beside = ~np.any(cards, axis=0) if cards else np.ones(arms.shape, bool)
    card_px = float(np.median([card.sum() for card in cards])) if cards else 0.0
    are_hands = np.bincount(numbered[beside], minlength=count) >= max(HAND_SHARE * card_px, 1.0)
    are_hands[0] = False
    return np.asarray(are_hands[numbered])


def _shared(one: Flags, other: Flags) -> float:
    """Return the intersection over union."""
    together = int((one | other).sum())
    return float((one & other).sum()) / together if together else 0.0


ASKED, ASKED_TWICE = 1, 2
"""How often inference ran on a spot of an arm region: since it came to rest, and since it surely is at rest."""
RESTING = 255
"""Label of what an arm at rest, or an object at the edge, hides."""
PART_PX = 40
"""Least size of a part that is judged by itself: a third of a small card."""


class ArmLabels:
    """``labels``: (rows, columns), the newest arms by number; ``resting``: what hides the table and is at rest."""

    def __init__(self) -> None:
        self.labels: Mask = np.zeros((0, 0), np.uint8)
        self.resting: Flags = np.zeros((0, 0), bool)
        self._contacts = ArmContacts()
        self.outlines = ArmOutlines()

    def begin(self, shape: tuple[int, ...]) -> None:
        """Begin without arms."""
        self.labels, self.resting, self.outlines = np.zeros(shape, np.uint8), np.zeros(shape, bool), ArmOutlines()

    @property
    def is_arm(self) -> Flags:
        """Return where arms were in the newest frame."""
        return np.asarray(self.labels > 0)

    def name(
        self, patches: npt.NDArray[np.int32], found: list[tuple[int, list[PixelPoint]]], scale: float, at: float
    ) -> tuple[Arm, ...]:
        """Label arms. A region with several contacts is several arms that touch, split as they were before."""
        labels = np.zeros(patches.shape, np.uint8)
        arms: list[Arm] = []
        for patch, touching in found:
            where, contacts = patches == patch, self._contacts.entries(touching)
            parts = self._contacts.split(where, contacts)
            meetings: list[PixelPoint | None] = [*contacts] or [None]
            for part, contact in zip(parts, meetings, strict=True):
                if not part.any() or len(arms) >= RESTING - 1:
                    continue
                label = len(arms) + 1
                labels[part] = label
                tip = tip_of(part, contact if contact is not None else nearest_edge(part))
                full = None if contact is None else (contact[0] * scale, contact[1] * scale)
                arms.append(Arm(label, full, (tip[0] * scale, tip[1] * scale), share_of(part)))
        self._contacts.remember(_ends_of(arms, scale), labels)
        labels[self.resting & (labels == 0)] = RESTING
        self.labels = labels
        self.outlines.add(labels > 0, at)
        return tuple(arms)

    def correct(self, labels: Mask, arms: Sequence[Arm], scale: float) -> None:
        """Set the labels of the newest frame, after regions were reclassified."""
        self.labels = labels
        self._contacts.remember(_ends_of(arms, scale), labels)


class StillArms:
    """The parts of arm regions that are at rest, and how often inference ran on each spot of them."""

    def __init__(self, settings: MotionSettings) -> None:
        self.settings = settings
        self.parts: list[Flags] = []
        self._asked: Mask = np.zeros((0, 0), np.uint8)

    def begin(self, shape: tuple[int, ...]) -> None:
        """Begin without any."""
        self.parts, self._asked = [], np.zeros(shape, np.uint8)

    def add(self, where: Flags, quiet: float, quiet_s: npt.NDArray[np.float32]) -> None:
        """Add the parts of an arm region at rest: all of it, or parts that have been for longer."""
        s = self.settings
        self.parts += [where] if quiet >= s.ask_s else still_parts(where, quiet_s, s.sure_s, PART_PX)

    def record_inference(self, quiet_s: npt.NDArray[np.float32]) -> None:
        """Note that inference has run on the newest frame."""
        for part in self.parts:
            self._asked[part] = np.where(quiet_s[part] >= self.settings.sure_s, ASKED_TWICE, ASKED)

    def asks(self, quiet_s: npt.NDArray[np.float32]) -> bool:
        """Check whether a part of an arm region is at rest and no inference ran since, or since it surely is."""
        s, asked = self.settings, self._asked
        asked[quiet_s < s.ask_s] = 0
        for part in self.parts:
            due = np.where(quiet_s[part] >= s.sure_s, ASKED_TWICE, ASKED) > asked[part]
            if int(due.sum()) >= PART_PX:
                return True
        return False


def _ends_of(arms: Sequence[Arm], scale: float) -> dict[int, tuple[PixelPoint, PixelPoint]]:
    """Return contact and tip of each arm, in pixels of the reduced picture."""
    return {
        arm.label: ((arm.contact[0] / scale, arm.contact[1] / scale), (arm.tip[0] / scale, arm.tip[1] / scale))
        for arm in arms
        if arm.contact is not None
    }
