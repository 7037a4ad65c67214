"""
One told line, and what is believed after it: Bayes' rule over the beam.

Two passes. First every hypothesis takes every option of the line, the heaviest first. Those that explain it badly are
then tried again with what may have gone unseen before it, or with a card or a seat told wrongly without a word. Both
passes share a budget of judgements. What was dropped for it, and what nothing explains, goes to the hypothesis that the
thread is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp, log

from referee.announcements import Announcement
from referee.belief.hypotheses import (
    Beam,
    Budget,
    Hypothesis,
    Taking,
    by_real_names,
    continues_play,
    extended,
    lost,
    merged,
    taken,
    unchanged,
)
from referee.belief.misreading import misreadings
from referee.belief.missed import explained, may_be_played, unseen_beside
from referee.belief.options import UNLISTED, Change, Option, certain
from referee.belief.rates import Rates
from referee.belief.trail import accuses
from referee.cards import Card
from referee.events import HEAP, Corrected, Drawn, Placed, Pressed, Swapped, Swept, TableEvent
from referee.game import GameState
from referee.judge import NOTHING_SAID
from referee.judgement import Step
from referee.review import Review
from referee.rulings import FaultId


@dataclass(frozen=True, slots=True)
class Limits:
    """What a line may cost, and what is forgotten; ``python -m benchmarks.simulate`` shows what they bring."""

    most: int = 128
    """Hypotheses kept. More take longer; fewer lose the thread sooner."""
    floor: float = 9.0
    """Nats below the best from which one is dropped. Higher keeps more that never win; lower drops what a later line
    would prove."""
    wants: float = 0.02
    """A hypothesis that gives what was told a smaller factor is tried again with what may have gone unseen. Higher
    takes longer; lower calls what was only unseen a fault."""
    nothing: float = 0.1
    """That nothing happened explains any line; it counts as an explanation from this likelihood on. Higher takes
    longer; lower leaves other names untried."""
    calls: int = 240
    """Judgements that a line may cost. More take longer; fewer leave options untried."""
    retries: int = 100
    """Judgements of them in the second pass. More take longer; fewer miss what went unseen."""
    wrongly: int = 3
    """One of so many of those left is for what was told wrongly without a word. More leave less for it; fewer leave
    less for what went unseen."""
    retried: int = 12
    """Hypotheses that are tried again. More take longer; fewer miss what went unseen."""
    looking_back: int = 60
    """Judgements that a line which fits badly may cost besides, for what went unseen lines ago. More take longer; fewer
    find less."""
    negligible: float = 1e-4
    """A share of dropped hypotheses that is forgotten. Higher is surer of itself than it may be; lower keeps dust."""

    def shared(self, parts: int) -> Limits:
        """The same for one of so many that share what a line may cost."""
        return replace(self, calls=self.calls // parts, retries=self.retries // parts, retried=self.retried // parts)


LIMITS = Limits()


def _explains(child: Hypothesis, before: Hypothesis) -> float:
    """The logarithm of its weight, had nothing of the play's beginning been void by this card."""
    trail = child.trail
    is_more = trail is not None and continues_play(child.state)
    return min(child.log_weight, before.log_weight + trail.log_factor) if is_more and trail else child.log_weight


def would_fit(card: Card, event: Placed, state: GameState) -> bool:
    """Would this card be in order by its rank, where the one that was told is not? Others explain nothing."""
    bout, trump = state.bout, state.trump
    if bout is None or not bout.attacks or trump is None:
        return True
    if event.on is not None:
        return card.beats(event.on, trump)
    opens = event.by == bout.attacker and state.rules.opening == "pairs_plus_one"
    return opens or card.rank in bout.ranks


def log_sum(logs: Iterable[float]) -> float:
    """The logarithm of the sum of what these are the logarithms of."""
    found = tuple(logs)
    best = max(found)
    return best + log(sum(exp(each - best) for each in found))


IMPOSSIBLE = -80.0
"""Nats; so badly is explained what no hypothesis explains at all."""


class Update:
    """
    One line being taken. ``place``: its number among the lines fed; ``seats``: clockwise; ``review``: how far people
    vouch for its bout.
    """

    def __init__(
        self,
        change: Change,
        place: int,
        seats: tuple[str, ...],
        rates: Rates,
        limits: Limits,
        review: Review = Review.NONE,
    ) -> None:
        self.review = review
        self.change, self.place, self.seats = change, place, seats
        self.rates, self.limits = rates, limits
        self.budget = Budget(limits.calls - limits.retries)
        self.log_evidence = 0.0
        """How likely the line was, by all that was believed before it: natural logarithm."""

    def of(self, beam: Beam) -> Beam:
        """What is believed after the line; nothing where it can't be explained at all."""
        limits = self.limits
        if self.review is not Review.NONE:
            # A person has checked this bout, so that the books are right as it began.
            beam = tuple(each for each in beam if not each.is_lost) or beam
        elif isinstance(self.change.told, Swept):
            beam = tuple(each for hypothesis in beam for each in self._let_stand(hypothesis))
        children: list[Hypothesis] = []
        poorly: list[tuple[Hypothesis, tuple[Option, ...]]] = []
        left_out = 0.0
        for hypothesis in beam:
            if self.budget.left <= 0:
                left_out += exp(hypothesis.log_weight)
                continue
            found = [(option, list(self._children(hypothesis, option))) for option in self.change.options]
            children += [child for _, each in found for child in each]
            wanting = self._wanting(hypothesis, found)
            if wanting:
                poorly.append((hypothesis, wanting))
        self.budget = Budget(max(0, self.budget.left) + limits.retries)
        again: list[Hypothesis] = []
        tried = 0.0
        for hypothesis, wanting in poorly[: limits.retried]:
            best = max((child.log_weight for child in children), default=hypothesis.log_weight + IMPOSSIBLE)
            again += self._retried(hypothesis, wanting, best - limits.floor)
            tried += exp(hypothesis.log_weight)
            if self.budget.left <= 0:
                break
        # Those that were tried again stand for those that would have been, had there been time.
        log_more = log(sum(exp(hypothesis.log_weight) for hypothesis, _ in poorly) / tried) if again else 0.0
        children += [replace(child, log_weight=child.log_weight + log_more) for child in again]
        unexplained = [hypothesis for hypothesis, wanting in poorly if wanting == self.change.options]
        if unexplained:
            weight = unexplained[0].log_weight + log(self.rates.adrift * self.rates.followed)
            children += self._lost(unexplained[0], weight)
        kept, dropped = merged(children, limits.most, limits.floor)
        dropped = min(1.0, dropped * self.rates.dropped + left_out)
        if kept and dropped > limits.negligible:
            kept, _ = merged((*kept, *self._lost(beam[0], log(dropped))), limits.most, limits.floor)
        self.log_evidence = log_sum(child.log_weight for child in children) if children else IMPOSSIBLE
        return kept

    def _wanting(self, hypothesis: Hypothesis, found: list[tuple[Option, list[Hypothesis]]]) -> tuple[Option, ...]:
        """
        The options that want explaining: all of them where none is explained well.

        A sweep takes its evidence away, so that each place it may have gone to counts for itself. A card of a play
        counts as the whole play does with it: one that breaks a rule as its beginning did is explained no better. What
        a person says of the table is no evidence to be explained: it stands.
        """
        if isinstance(self.change.told, Corrected):
            return ()
        least = hypothesis.log_weight + log(self.limits.wants)
        telling = [
            child
            for option, each in found
            for child in each
            if option.event is not None or option.log_likelihood >= log(self.limits.nothing)
        ]
        if max((_explains(child, hypothesis) for child in telling), default=IMPOSSIBLE) < least:
            return self.change.options
        if not isinstance(self.change.told, Swept):
            return ()
        return tuple(
            option
            for option, each in found
            if max((child.log_weight for child in each), default=IMPOSSIBLE) < least + option.log_likelihood
        )

    def _let_stand(self, hypothesis: Hypothesis) -> Iterator[Hypothesis]:
        """
        Before a sweep: cards of an open matter lie there still. People let them stand, or they go along uncounted.

        Nothing else tells the two apart at the sweep: the draws and turns after it do.
        """
        standing, weight = hypothesis, 0.0
        said: tuple[Announcement, ...] = ()
        for matter in () if hypothesis.is_lost else hypothesis.state.matters:
            forgiving = Pressed(at=0.0, button="forgive", card=matter.cards[-1] if matter.cards else None)
            found = taken(standing, forgiving, self.rates, self.budget) if matter.cards else None
            if found is not None and len(found[0].matters) < len(standing.state.matters):
                standing = replace(standing, state=found[0], fresh=())
                weight, said = weight + found[2], (*said, *found[1].announcements)
        if standing is hypothesis or hypothesis.trail is None:
            yield hypothesis
            return
        trail = replace(hypothesis.trail, announced=(*hypothesis.trail.announced, *said))
        weight += hypothesis.log_weight
        yield replace(standing, log_weight=weight + log(self.rates.stands), trail=trail)
        yield replace(hypothesis, log_weight=hypothesis.log_weight + log(1 - self.rates.stands))

    def _children(self, hypothesis: Hypothesis, option: Option) -> Iterator[Hypothesis]:
        if option.event is None:
            likelihood = option.log_likelihood
            yield unchanged(hypothesis, place=self.place, cue=option.cue, log_likelihood=likelihood)
            return
        for event in by_real_names(option.event, hypothesis):
            child = self._extended(hypothesis, option, event)
            if child is not None:
                yield from self._standing_or_open(child, event)
                yield from self._with_unseen(hypothesis, option, event, child)

    def _standing_or_open(self, child: Hypothesis, event: TableEvent) -> Iterator[Hypothesis]:
        """
        A wrong draw or exchange that people let stand, and one that is put right unseen; so with draws forgone.

        Its cards are out of sight at once, and what became of them shows bouts later: both are followed from here on.
        """
        faults = () if child.trail is None else tuple(each.fault for each in child.trail.rulings if accuses(each))
        if (
            child.trail is not None
            and faults
            and (isinstance(event, Drawn | Swapped) or FaultId.DRAW_TOO_FEW in faults)
        ):
            found = taken(child, Pressed(at=0.0, button="forgive"), self.rates, self.budget)
            if found is not None and len(found[0].matters) < len(child.state.matters):
                trail = replace(child.trail, announced=(*child.trail.announced, *found[1].announcements))
                weight = child.log_weight + log(self.rates.stands)
                yield replace(child, state=found[0], log_weight=weight, trail=trail, fresh=())
                child = replace(child, log_weight=child.log_weight + log(1 - self.rates.stands))
        yield child

    def _extended(
        self,
        hypothesis: Hypothesis,
        option: Option,
        event: TableEvent,
        unseen: tuple[TableEvent, ...] = (),
        log_unseen: float = 0.0,
        said: Step = NOTHING_SAID,
    ) -> Hypothesis | None:
        taking = Taking(
            self.place,
            self.change.told,
            event,
            option.cue,
            option.log_likelihood,
            unseen,
            log_unseen,
            said.announcements,
        )
        return extended(hypothesis, taking, self.rates, self.budget)

    def _with_unseen(
        self, hypothesis: Hypothesis, option: Option, event: TableEvent, child: Hypothesis
    ) -> Iterator[Hypothesis]:
        """With what may have gone unseen before it too, though nothing tells of it now (``unseen_beside``)."""
        for unseen, log_rate, guessed in unseen_beside(hypothesis.state, event, self.rates):
            if child.log_weight + log_rate < hypothesis.log_weight - self.limits.floor:
                return
            if not self.review.allows_unseen(unseen):
                continue
            found = taken(hypothesis, unseen, self.rates, self.budget)
            if found is None:
                continue
            factor = log_rate + found[2]
            before = replace(
                hypothesis,
                state=found[0],
                log_weight=hypothesis.log_weight + factor,
                guessed=hypothesis.guessed | guessed,
            )
            as_laid = event
            if isinstance(unseen, Placed) and isinstance(event, Placed):
                as_laid = replace(event, on=unseen.card)
            other = self._extended(before, option, as_laid, (unseen,), factor, found[1])
            if other is not None:
                yield other

    def _retried(self, hypothesis: Hypothesis, wanting: tuple[Option, ...], floor: float) -> Iterator[Hypothesis]:
        """Children with what went unseen before, or with the event itself told wrongly."""
        options = tuple(
            replace(each, event=event)
            for each in wanting
            if each.event is not None
            for event in by_real_names(each.event, hypothesis)
        )
        told, place = self.change.told, self.place
        # What went unseen is far likelier than what was told wrongly without a word: it is searched for first.
        kept_back = self.budget.left // self.limits.wrongly
        self.budget.left -= kept_back
        yield from explained(
            hypothesis, told, options, self.rates, self.budget, place=place, floor=floor, review=self.review
        )
        self.budget.left = max(0, self.budget.left) + kept_back
        for option in () if self.change.is_said else self._wrongly_told(hypothesis.state, options):
            if hypothesis.log_weight + option.log_likelihood >= floor and self.budget.left > 0:
                child = self._taking(hypothesis, option)
                if child is not None and child.log_weight >= floor:
                    yield child

    def _taking(self, hypothesis: Hypothesis, option: Option) -> Hypothesis | None:
        if option.event is not None:
            return self._extended(hypothesis, option, option.event)
        return unchanged(hypothesis, place=self.place, cue=option.cue, log_likelihood=option.log_likelihood)

    def _wrongly_told(self, state: GameState, options: tuple[Option, ...]) -> Iterator[Option]:
        """
        What was told without doubt and may be wrong all the same: a card's name, its place, whose hand it was; that a
        bout was swept of which cards are left.
        """
        rates, told, unlisted = self.rates, self.change.told, self.change.unlisted
        placed = [option.event for option in options if isinstance(option.event, Placed)]
        named, told_card = {event.card for event in placed}, getattr(told, "card", None)
        any_card = UNLISTED.any_card * unlisted / max(1, sum(event.card == told_card for event in placed))
        misseated = max(rates.misseated, UNLISTED.any_seat * unlisted)
        if isinstance(told, Swept):
            yield from self._swept_otherwise(state, told)
        seats = self.seats if isinstance(told, Placed) and told.by is not None else ()
        for option in options[: len(self.seats)]:
            event = option.event
            if not isinstance(event, Placed) or event.by is None:
                continue
            if event.on is not None:
                yield Option(replace(event, on=None), option.log_likelihood + log(rates.misplaced), "place")
            elif state.bout is not None:
                for card in state.bout.unbeaten:
                    likelihood = option.log_likelihood + log(rates.misplaced / len(state.bout.unbeaten))
                    yield Option(replace(event, on=card), likelihood, "place")
            for seat in seats:
                if seat != event.by:
                    likelihood = option.log_likelihood + log(misseated / (len(seats) - 1))
                    yield Option(replace(event, by=seat), likelihood, "seat")
            in_all = max(exp(option.log_likelihood) * rates.misread, any_card if event.card == told_card else 0.0)
            others = (card for card in may_be_played(state, event.by) if card not in named)
            for card, share in misreadings(event.card, others, rates, in_all):
                if would_fit(card, event, state):
                    yield Option(replace(event, card=card), log(share), "misread")

    def _swept_otherwise(self, state: GameState, told: Swept) -> Iterator[Option]:
        """A sweep that only began, or went where a bout may go: to the heap, or to who defends."""
        if told.left:
            yield Option(None, log(self.rates.in_strokes), "strokes")
        elsewhere = () if state.bout is None else (HEAP, state.bout.defender)
        for to in elsewhere:
            if to != told.to:
                yield Option(replace(certain(told), to=to), log(self.rates.swept_elsewhere), "to")  # type: ignore[call-arg]

    def _lost(self, hypothesis: Hypothesis, log_weight: float) -> tuple[Hypothesis, ...]:
        """The hypothesis that what really happened is none of what is believed, after the line."""
        option = self.change.options[0]
        if option.event is None or hypothesis.is_lost or self.review is not Review.NONE:
            return ()
        found = self._extended(lost(hypothesis, log_weight), option, option.event)
        return () if found is None else (replace(found, log_weight=log_weight),)
