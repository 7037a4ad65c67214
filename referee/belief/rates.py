"""
How often things happen at a table and how often an eye errs: the belief's prior, as data.

Every number is a probability, where nothing else is said. ``python -m benchmarks.simulate --rate NAME=VALUE`` measures
what they bring. Hardly any result hangs on them: of seventeen, each a third and three times of what it is, only
``in_a_row`` moved more than one game of forty or one fault of 76 (``benchmarks/FINDINGS.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from referee.rulings import FaultId

FAULTS: Mapping[FaultId, float] = {
    FaultId.DRAW_PENDING: 0.001,
    FaultId.DRAW_TOO_FEW: 0.001,
    FaultId.GAME_OVER: 0.001,
    FaultId.RANK_NOT_ON_TABLE: 0.002,
    FaultId.UNBEATEN_CARDS: 0.001,
}
"""Faults whose rate is not the usual one: what looks like them is more often something that was not seen."""


@dataclass(frozen=True, slots=True)
class Rates:
    """
    How likely what is. Probabilities, where no other unit is named. Estimated by hand, 2026-11; ``python -m
    benchmarks.simulate`` shows what they bring.
    """

    fault: float = 0.004
    """A play breaks a given rule. Higher calls more faults, false ones too; lower explains more by what went unseen."""
    faults: Mapping[FaultId, float] = field(default_factory=lambda: FAULTS)
    """The same of rules that are broken more rarely or more often, by their ids; higher and lower as with ``fault``."""
    swept_wrongly: float = 0.0005
    """A bout goes where it must not: who need not take does, or who has taken throws the cards away. Higher calls more
    of it; lower looks for a card, a sweep or a seat that was missed."""
    together: float = 0.25
    """A play that breaks a rule goes on with one more card. Higher calls such plays sooner; lower looks for what went
    unseen before them."""
    impossible: float = 0.0005
    """A card is where it cannot be: a cheat, or the books err. Higher calls more of them; lower takes them for
    misreadings."""
    impossible_in_doubt: float = 2e-5
    """The same of a card that was told with doubt: then it was misread. Higher calls more of them; lower looks for
    another name."""
    unclear: float = 0.7
    """A play that rests on what was said. Higher passes it; lower looks for other explanations."""
    mended: float = 0.7
    """A card that breaks a rule is taken back at once. Higher takes a lift for a fault owned up to; lower does not."""
    taken_back: float = 0.003
    """A card that breaks no rule is taken back. Higher explains lifts by a change of mind; lower by a fault."""
    unseen_card: float = 0.01
    """A card laid was not told. Higher finds more missed cards, and excuses more faults by them; lower fewer."""
    unseen_sweep: float = 0.005
    """The same of a sweep. Higher finds more missed ends of bouts; lower fewer."""
    unseen_draw: float = 0.02
    """The same of draws. Higher forgives draws that are missing; lower calls them."""
    drawn_apart: float = 0.25
    """Cards that are owed are drawn in several grips. Higher forgives draws of which only the rest is missing; lower
    calls them."""
    unseen_swap: float = 0.02
    """The same of an exchange of the turn-up. Higher finds more of them; lower fewer."""
    unseen_deal: float = 0.005
    """The same of a deal, its turn-up with it. Higher finds more of them; lower fewer."""
    unseen_lift: float = 0.01
    """The same of a card lifted. Higher takes open matters for mended unseen; lower leaves them open."""
    stands: float = 0.7
    """A fault that nobody mends counts as made. Higher goes on with the card; lower without it."""
    take: float = 0.3
    """A defender with something unbeaten says that he takes, unheard. Higher explains more by takes; lower calls sweeps
    faults."""
    given_across: float = 0.1
    """A card given on after a take lies across another. Higher takes beats for gifts; lower gifts for beats."""
    misread: float = 4e-4
    """A card told wrongly without a word. Higher calls fewer faults; lower believes every reading."""
    look_alike: float = 20.0
    """So many times likelier as a card that looks alike. Higher thinks of those first; lower of all alike."""
    same_rank: float = 4.0
    """So many times likelier as another card of its rank. Higher thinks of those first; lower of all alike."""
    misseated: float = 4e-4
    """A seat told wrongly without a word. Higher calls fewer faults of who; lower believes every seat."""
    misplaced: float = 1e-4
    """A card across another told as beside it, or the other way round. Higher calls fewer faults of beating; lower
    believes every place."""
    swapped: float = 0.05
    """Two cards told at about the same time were laid in the other order. Higher calls fewer faults of quick plays;
    lower believes every order."""
    together_s: float = 0.6
    """Two cards told no further apart than this, in seconds, are told at about the same time. Higher and lower as with
    ``swapped``."""
    upside_down: float = 0.02
    """A card and the one across it, told no further apart than ``one_look_s``, lie the other way round. Higher calls
    fewer faults of who laid what; lower believes every beat."""
    one_look_s: float = 1.2
    """Two cards told no further apart than this, in seconds, may have been made out by one look. Higher and lower as
    with ``upside_down``."""
    in_strokes: float = 0.04
    """A sweep told with cards left lying was only its beginning: people gather in strokes. Higher waits for the rest;
    lower calls it a bout not wholly taken."""
    swept_elsewhere: float = 2e-5
    """A bout was swept elsewhere than it was told, without a word. Higher calls fewer bouts cleared wrongly; lower
    believes every sweep."""
    laid_over: float = 0.005
    """A card was laid exactly on another, and looks like that one read anew. Higher believes in cards laid; lower in
    names that were wrong."""
    in_a_row: float = 0.1
    """What goes unseen right after something else that did: an arm hides both. Higher excuses more by rows of misses;
    lower takes each miss for an accident of its own."""
    on_nothing: float = 1e-6
    """A card was seen to lie across one that is not on the table. Higher calls a gap in what was seen a fault; lower
    finds the card that must lie there."""
    misfit: float = 0.001
    """An event changes nothing on the table. Higher passes over more events; lower bends the game to fit them."""
    adrift: float = 3e-5
    """The books were wrong before. Higher loses the thread sooner, and accuses less; lower holds on to books that are
    wrong."""
    dropped: float = 0.1
    """Of what was too unlikely to be kept, the share that would have turned out true. Higher is more careful; lower
    surer."""
    followed: float = 0.5
    """Any one event while the thread is lost. Higher stays lost longer; lower finds back sooner, also to wrong
    books."""
    lifted: float = 0.02
    """Such an event that is a card taken back. Higher and lower as with ``followed``."""
    broken_off: float = 0.003
    """What is told ends before the deal is decided. Higher announces fewer results; lower more, false ones too."""
    last_sweep: float = 0.5
    """The sweep that decides a deal goes untold. Higher announces results without it; lower waits for it."""

    def of(self, fault: FaultId) -> float:
        """How often this rule is broken."""
        return self.faults.get(fault, self.fault)

    def told_with_doubt(self) -> Rates:
        """The same for a line that is told with doubt: a card that can't be there has another name."""
        return replace(self, impossible=min(self.impossible, self.impossible_in_doubt))

    def after_a_miss(self) -> Rates:
        """The same right after something went unseen: what hid it hides more."""
        return replace(
            self,
            unseen_card=max(self.unseen_card, self.in_a_row),
            unseen_sweep=max(self.unseen_sweep, self.in_a_row),
            unseen_draw=max(self.unseen_draw, self.in_a_row),
        )


RATES = Rates()
