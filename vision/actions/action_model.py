"""The numbers by which actions are told apart: log-odds of what may have happened instead, and distances and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Odds = Mapping[str, float]
"""Outcome -> its log-odds, in nats, against what is reported."""


@dataclass(frozen=True, slots=True)
class ActionModel:
    """
    Log-odds in nats, lengths in mm, times in seconds, shares from 0 to 1.

    Log-odds of an outcome against what is reported, counted by ``python -m benchmarks.fit_actions`` on nineteen
    development clips (2026-11-23 and 25; the count of observations stands below each), with four prior observations of
    what is reported and a fifth of one of everything else together. Without a count only these speak. The others were
    chosen by hand on development clips, 2026-11.
    """

    # A card that has come: was nothing laid?
    hand_was_there: float = -6.7
    """166."""
    no_hand: float = -1.0
    """4."""
    may_be_exchanged: float = -0.8
    """3: a low trump near the turn-up, on no other card."""
    unreadable: float = -3.4
    """2."""
    # Where it lies.
    beside_not_across: float = -5.9
    """73."""
    beside_not_hardly_across: float = -3.4
    """2."""
    across_not_grazing: float = -3.0
    """0."""
    # Whose hand it was.
    one_hand: float = -6.8
    """174: another's, where one hand was there."""
    between_two_seats: float = -3.0
    """0: another's, where the arm came in between two seats."""
    nearer_mm: float = 20.0
    """The log-odds of two hands differ by the difference of their distances from the card over this."""
    as_near: float = 2.0
    """Of the hands of one seat the newest that is less likely by no more than this."""
    in_order: float = 4.0
    """Of two hands and two cards, one on the other, the first hand laid the lower one; and of two hands over a card of
    a bout that one of them gathers, that one took it."""
    nearest_mm: float = 115.0
    """Farthest that finger tips are from the middle of a card that they lay or take."""
    least_hidden: float = 0.2
    """Least share of the card's place that the hand hid."""

    # Cards that have gone: where to.
    heap_unbeaten: float = -4.2
    """9: to the discard pile rather than home, if not every attack among them is beaten."""
    heap_beaten: float = -3.4
    """2: the same if every attack is."""
    past_heap: float = 1.0
    """1: the hand was at the pile before."""
    heap_changed: float = 4.0
    """7: to the pile, which has changed or begun."""
    heap_reached: float = 5.1
    """28: to the pile, where the hand was with the last card of a beaten bout."""
    put_aside: tuple[float, float] = (3.8, 3.0)
    """5 and 0: the hand went far aside with beaten cards, with others."""
    aside_mm: tuple[float, float] = (90.0, 110.0)
    """How far that is: on 32 development clips hands that took a bout home went at most 74 mm aside (one pushed it),
    to a pile out of the way at least 96."""
    pushed: float = -3.9
    """1: home, and to the pile, each, if the hand was at another seat's edge with the cards."""
    not_lifted: tuple[float, float] = (-4.1, -3.0)
    """8 and 0: nothing, if the hand took its own card, or another's."""
    not_yet: float = -0.6
    """2: a sweep that leaves cards was a stroke of one."""
    gathered: int = 2
    """A hand that has taken so many cards at once gathers the bout, those too that another hid after it was at them;
    where no game is played, more own cards at once are swept rather than lifted: as many as two hands take up."""
    there_mm: float = 60.0
    """Finger tips this near to the middle of what went are at it again: cards are pushed together in strokes, and taken
    when the hand comes back, or fetched from the place at an edge where they lay."""
    regather_s: float = 1.4
    """How long a hand that took some of the cards may take to come back for the others, or to push them to another
    seat's edge; twice as long for the rest of a bout under way, for a hand that stays, for the same seat's other hand
    twice that. Half as long the discard pile may take to show its change."""
    carried_s: float = 0.2
    """The way of a hand begins so long before its last card was gone; at the discard pile so long after it, it has put
    a beaten bout there."""
    heap_before_s: float = 0.5
    """The discard pile's change and the bared place may be noticed in either order, this far apart."""

    # A reach for the talon: nothing, two, three cards instead of one, by what the hand carried away.
    drawn: tuple[tuple[str, float, tuple[float, float, float]], ...] = (
        ("nothing was carried", 0.1, (-1.5, -1.5, -4.3)),
        ("little was carried", 0.2, (-4.1, -1.3, -1.3)),
        ("a card or a part of one was carried", 9.0, (-5.6, -1.8, -5.6)),
    )
    """In cards, below each bound; 3, 2, 18 (less than half a card: 2 of 11 were two; more: 1 of 7)."""
    drawn_unseen: tuple[float, float, float] = (-0.9, -4.3, -4.3)
    """3: not known what was carried."""
    drawn_by_another: float = -4.9
    """22."""
    turnup_alone: float = -3.8
    """5: two cards instead, if the turn-up was taken."""
    turnup_and_last: float = -1.2
    """1: one card instead, if the last two seem to have gone."""
    no_swap: float = -3.4
    """2."""

    # Signs that an event was missed before the next one: its probability.
    face_unreported: float = 0.079
    """11: a face in plain view of which nothing was reported."""
    idle_hands: float = 0.043
    """24: hands came and went, and nothing was reported."""
    other_sign: float = 0.048
    """0: a card was glimpsed once, or seems to lie in two places."""
    card_unread: float = 0.032
    """2."""

    def carried(self, cards: float | None) -> tuple[str, Odds]:
        """
        Return how much of a back a hand carried away from the talon, in words, and the odds of what that may mean.

        >>> ActionModel().carried(0.3)
        ('a card or a part of one was carried', {'nothing': -5.6, 'two': -1.8, 'three': -5.6})
        """
        words, odds = "not known what was carried", self.drawn_unseen
        if cards is not None:
            words, _, odds = next(row for row in self.drawn if cards < row[1] or row is self.drawn[-1])
        return words, dict(zip(("nothing", "two", "three"), odds, strict=True))
