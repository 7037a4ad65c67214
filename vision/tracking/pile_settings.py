"""The limits by which talon, turn-up and heap are known again (:mod:`vision.tracking.piles`)."""

from __future__ import annotations

from dataclasses import dataclass

from vision.tracking.track_settings import UNDER_TALON


@dataclass(frozen=True, slots=True)
class PileSettings:
    """
    Limits by which piles are known again. Nearness is in card diagonals, shares are from 0 to 1.

    Set by hand, 2026-11.
    """

    reach: float = 0.75
    """A back this near to the talon's old place is the talon. Higher: a heap beside it is; lower: a talon pushed aside
    is a heap."""
    gather: float = 0.9
    """Backs this near to each other are one heap. Higher: talon-side papers join it; lower: a loose heap is several."""
    under_talon: float = UNDER_TALON
    """A face-up card shares so much with the talon that lies across it. Higher: a turn-up that is pushed in deep is
    none; lower: a card beside the talon is the turn-up."""
    same_spot: float = 0.6
    """A card that shares so much (of both together) with where the turn-up lay has taken its place. Higher: exchanges
    are missed; lower: a card laid beside it is the turn-up."""
    bared: float = 0.3
    """A card that shares so much with the talon's place, and with where the turn-up was seen, is the turn-up bared.
    Higher: a bared turn-up is a card laid; lower: a card laid there is the turn-up."""
    change: float = 0.02
    """So much of a pile's place must change for it to look different: a card's edge shifted by a millimetre or two.
    Higher: cards put on it leave no trace; lower: noise puts cards on it."""
    rim_px: int = 2
    """So many pixels of the reduced picture round a pile belong to its place. More: hands near a pile were at it;
    fewer: a card on the rim changes nothing."""
    lasting_s: float = 2.0
    """A heap that has lain so long (seconds) is there still when it is no longer made out: it is never taken up.
    Longer: heaps vanish; shorter: what only passed for a back stays."""
    stray: float = 0.9
    """A back this near to a card of the bout lies among its cards. Higher: a heap near the bout does; lower: a card
    that is not made out accuses."""
    said_reach: float = 1.0
    """A pile this near to where somebody said that it lies is that one: fingers are thick. Higher: the other pile may
    be; lower: what people said is not found."""
    said_anew: float = 0.25
    """Said this far from where it was said before, it is another place. Higher: small corrections do nothing; lower:
    the same place said twice forgets the pile."""
    said_turnup: float = 0.3
    """A face where the talon is said to lie is the turn-up if it reads as that one so surely. Higher: a poorly read one
    isn't; lower: any card is."""
    half_hidden: float = 0.5
    """At first a face that is read less surely than this, and lies there alone, is the turn-up that is said to. Higher:
    a first attack is; lower: one under a talon that isn't made out is not known."""
