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
    what is reported and a fifth of one of everything else together. Without a count only these speak. Fewer than 200
    observations are no likelihood, but made flat these rows lose draws, lifts and exchanges, so they stay
    (``benchmarks/FINDINGS.md``). The others were chosen by hand on development clips, 2026-11.
    """

    # A card that has come: was nothing laid?
    hand_was_there: float = -6.7
    """Nothing was laid, where a hand was at the card. 166 observations."""
    no_hand: float = -1.0
    """Nothing was laid, where no hand was at the card. 4 observations."""
    may_be_exchanged: float = -0.8
    """Nothing was laid, where a low trump near the turn-up, on no other card, may be exchanged. 3 observations."""
    unreadable: float = -3.4
    """Nothing was laid, where the card cannot be read. 2 observations."""
    # Where it lies.
    beside_not_across: float = -5.9
    """The card lies beside another, reported across it. 73 observations."""
    beside_not_hardly_across: float = -3.4
    """The card lies beside another, reported hardly across it. 2 observations."""
    across_not_grazing: float = -3.0
    """The card lies across another, reported beside it with a small overlap. No observation."""
    # Whose hand it was.
    across_in_one_grip: float = 0.0
    """
    The card lies across another that the same hand laid without leaving, reported beside it. Two attacks dropped in one
    motion look like an attack and its answer, but nobody answers his own attack: the rules and the names decide.
    """
    across_the_other: float = 0.0
    """The card lies across the other of two attacks that one hand laid partly on each other."""
    one_hand: float = -6.8
    """Another's hand laid it, where one hand was there. 174 observations."""
    between_two_seats: float = -3.0
    """Another's hand laid it, where the arm came in between two seats. No observation."""
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
    """To the discard pile rather than home, if not every attack among the cards is beaten. 9 observations."""
    heap_beaten: float = -3.4
    """To the discard pile rather than home, if every attack among the cards is beaten. 2 observations."""
    past_heap: float = 1.0
    """To the discard pile, if the hand was there before. 1 observation."""
    heap_changed: float = 4.0
    """To the discard pile, which has changed or begun. 7 observations."""
    heap_reached: float = 5.1
    """To the discard pile, where the hand was with the last card of a beaten bout. 28 observations."""
    put_aside: tuple[float, float] = (3.8, 3.0)
    """The hand went far aside with beaten cards (5 observations), with others (none)."""
    aside_mm: tuple[float, float] = (90.0, 110.0)
    """
    Distance that is far aside, with beaten cards and with others: on 32 development clips hands that took a bout home
    went at most 74 mm aside (one pushed it), to a pile out of the way at least 96.
    """
    pushed: float = -3.9
    """Home, and to the pile, each, if the hand was at another seat's edge with the cards. 1 observation."""
    not_lifted: tuple[float, float] = (-4.1, -3.0)
    """Nothing was lifted, if the hand took its own card (8 observations), or another's (none)."""
    not_yet: float = -0.6
    """A sweep that leaves cards was one stroke of several. 2 observations."""
    gathered: int = 2
    """
    Number of cards at once from which a hand gathers the bout, with those that another hid after it was at them; where
    no game is played, more own cards at once are swept rather than lifted: as many as two hands take up.
    """
    there_mm: float = 60.0
    """Finger tips this near to the middle of what went are at it again: cards are pushed together in strokes, and taken
    when the hand comes back, or fetched from the place at an edge where they lay."""
    regather_s: float = 1.4
    """How long a hand that took some of the cards may take to come back for the others, or to push them to another
    seat's edge; twice as long for the rest of a bout under way, for a hand that stays, for the same seat's other hand
    twice that. Half as long the discard pile may take to show its change."""
    carried_s: float = 0.2
    """
    Seconds before its last card was gone at which the way of a hand begins; at the discard pile this long after it, the
    hand has put a beaten bout there.
    """
    heap_before_s: float = 0.5
    """The discard pile's change and the bared place may be noticed in either order, this far apart."""

    # A reach for the talon: was nothing drawn, by what the hand carried away?
    drawn: tuple[tuple[str, float, float], ...] = (
        ("nothing was carried", 0.1, -1.5),
        ("little was carried", 0.2, -4.1),
        ("a card or a part of one was carried", 9.0, -5.6),
    )
    """In cards, below each bound; 3, 2, 18 observations."""
    drawn_unseen: float = -0.9
    """Nothing was drawn, where the hand carried an unknown amount. 3 observations."""
    drawn_more: float = -2.0
    """
    Another number of cards was drawn than is reported, each up to ``drawn_most``. Cards lie on each other in a hand, so
    no camera sees how many there are: the rules know how many were due. Chosen by hand: flat odds of 0 made the counts
    of hands so unsure that misread cards were explained by them.
    """
    drawn_most: int = 6
    """Most cards that one hand draws at once: a whole hand."""
    drawn_by_another: float = -4.9
    """Another seat drew, where one seat fits the hand. 22 observations."""
    no_swap: float = -3.4
    """Nothing was exchanged. 2 observations."""
    unsure_swap_s: float = 1.0
    """How long a card in the turn-up's place may take to be read surely, until it is reported with its other names."""

    # Signs that an event was missed before the next one: its probability.
    face_unreported: float = 0.079
    """A face lay in plain view of which nothing was reported. 11 observations on sixteen clips, 2026-11-30."""
    idle_hands: float = 0.043
    """Hands came and went, and nothing was reported. 24 observations."""
    other_sign: float = 0.048
    """A card was glimpsed once, or seems to lie in two places. No observation."""
    card_unread: float = 0.032
    """A card lies on the table that no inference can read. 2 observations."""

    def carried(self, cards: float | None) -> tuple[str, float]:
        """
        Return how much of a back a hand carried away from the talon, in words, and the odds that it was nothing.

        >>> ActionModel().carried(0.3)
        ('a card or a part of one was carried', -5.6)
        """
        if cards is None:
            return "not known what was carried", self.drawn_unseen
        words, _, odds = next(row for row in self.drawn if cards < row[1] or row is self.drawn[-1])
        return words, odds
