"""How cautious the witness is (:mod:`vision.events.witness`): what accuses nobody, and how long it looks again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WitnessSettings:
    """How long to look again."""

    asked_looks: int = 1
    """Further looks before the players are asked which card it was."""
    accused_looks: int = 3
    """Further looks before somebody is accused."""
    longest_s: float = 1.2
    """Nothing is held back longer."""
    packet: float = 0.5
    """How sure a draw is that was not seen card by card."""
    remembered: int = 12
    """So many cards back it is remembered how well they were read."""
    renamed: float = 0.97
    """As surely a card must be known by another name than it was told by, before that accuses who laid it."""
    taken: float = 0.75
    """Whoever took cards less surely than this may not have taken them: neither that nor what follows accuses."""
    empty: float = 0.1
    """A hand in which so little more of a card's back was seen after it was at the talon (in cards) drew nothing ..."""
    carried: float = 0.2
    """... and one with so much more surely drew."""
    called_s: float = 0.3
    """A draw is told at the time the hand came away, give or take this."""
    together_s: float = 0.5
    """Of two cards made out no further apart either may have been laid first."""
    one_play_s: float = 1.0
    """Two cards that one hand laid beside each other no further apart, without leaving, are one play."""
    rested: float = 0.9
    """Nobody is accused for a card that is told less surely than this, nor for what he laid on or to such a card."""
    likely: float = 0.02
    """Nor for a card that would be in order by another name, if that is as likely as this."""
    named: float = 0.95
    """Nor for laying a card again that was told less surely than this before: what was told may have been another."""
    straightened_s: float = 1.5
    """Nor for a card that was taken up so shortly before: somebody has put it straight."""
    told: float = 0.7
    """A card told less surely than this keeps its bout from accusing whoever sweeps it."""
    visits: int = 8
    """So many visits of hands back it is remembered whether anything was told of them."""
    hollow: int = 3
    """Where nothing was of so many of these, the eye distrusts itself: people point and rest their hands less often."""
    briefest_s: float = 0.3
    """A hand that was there for less did nothing."""
    telling_s: float = 1.0
    """So long after a hand has left something may still be told of it."""
    doubtful: float = 0.6
    """What would accuse and shall not is told so surely at most: the referee asks."""
    misread: float = 0.75
    """Of the cards remembered so many must be expected to be wrong before the eye distrusts itself."""


CAUTION = WitnessSettings()
"""As cautious as kozyr is."""
