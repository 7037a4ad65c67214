"""
Update the beam with one line by Bayes' rule.

There are two passes. First every hypothesis is combined with every option of the line, the most likely hypothesis
first. Hypotheses that explain the line badly are then combined with events that may have gone unseen before it, or with
a silent error in its card, place or seat. Both passes share a budget of judgements. Weight that was left out for lack
of budget, or that nothing explains, goes to the fallback hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any, NamedTuple

from msgspec import structs

from referee.belief.hypotheses import (
    BY_WEIGHT,
    FALLBACK_EVENT,
    Beam,
    Budget,
    Hypothesis,
    Judgements,
    advance,
    continues_play,
    extend,
    fallback,
    held_by,
    laid_on_assumed,
    log_sum,
    merge,
    with_real_names,
    without_event,
)
from referee.belief.interpretation import accuses, assumes_since
from referee.belief.rates import Rates, log_of
from referee.belief.reported_event import UNLISTED, Option, ReportedEvent, misreadings
from referee.belief.unseen_events import UnexplainedLine, missed_without_effect, search_unseen
from referee.cards import BEATEN_BY, Card, cards_of, mask_of, same_ranks
from referee.effects.announce import announcements
from referee.effects.unread import pass_on_unread
from referee.events import HEAP, Corrected, Drawn, Placed, Pressed, Swapped, Swept, TableEvent, Unread, certain
from referee.game import GameState
from referee.rulebook import FaultId
from referee.rules.marks import ranks_on_table
from referee.rulings import Announcement


@dataclass(frozen=True, slots=True)
class Limits:
    """What a line may cost, and what is pruned. Chosen on simulated games (``python -m benchmarks.simulate``)."""

    most: int = 128
    """Hypotheses kept."""
    floor: float = 9.0
    """Distance in nats from the best below which a hypothesis is pruned."""
    wants: float = 0.02
    """Likelihood of a line below which a hypothesis is tried with unseen events."""
    nothing: float = 0.1
    """Likelihood from which "nothing happened" counts as an explanation."""
    calls: int = 240
    """Judgements for a line."""
    retries: int = 100
    """Judgements of them for the second pass."""
    wrongly: int = 3
    """Number of judgements of the second pass of which one goes to silent errors."""
    retried: int = 12
    """Hypotheses in the second pass."""
    unread: int = 4
    """Factor of the judgements for a person's line while a card lies in the bout that nobody could read."""
    of_rank: int = 2
    """Names of each rank that are kept for an unread card; where one of them is laid, another name replaces it."""
    calls_for_a_seat: int = 12
    """Judgements of a line while one card of the last bout is tried as another seat's. Chosen by hand."""
    lines_of_bout: int = 24
    """Lines before a sweep whose cards are tried as another seat's: two for each card of the longest bouts."""
    judged: int = 128
    """Newest positions whose judgements are kept, of some 2 kB each: those of a line that is filtered again."""
    negligible: float = 1e-4
    """Share of pruned weight below which no fallback hypothesis is added."""

    def shared(self, parts: int) -> Limits:
        """Return the limits of one of ``parts`` updates that share the budget of a line."""
        return replace(self, calls=self.calls // parts, retries=self.retries // parts, retried=self.retried // parts)


LIMITS = Limits()


def _log_explanation(child: Hypothesis, before: Hypothesis) -> float:
    """Return the logarithm of its weight, without the factors of the play's beginning that this card replaced."""
    last = child.last
    is_more = last is not None and continues_play(child.state)
    return min(child.log_weight, before.log_weight + last.log_factor) if is_more and last else child.log_weight


def fitting_by_rank(event: Placed, state: GameState) -> int:
    """
    Return the cards, as a set, that would be legal by their rank in place of the recorded one. Others explain nothing.
    """
    bout, table = state.bout, state.table
    if bout is None or not bout.attacks or not table.trumps:
        return -1
    if event.on is not None:
        return BEATEN_BY[table.trumps][event.on.bit]
    opens = event.by == bout.attacker and state.rules.opening == "pairs_plus_one"
    return -1 if opens else ranks_on_table(table)


LEAST_RETRIES = 8
"""Judgements below which a hypothesis is not tried again. Chosen by hand."""

IMPOSSIBLE = -80.0
"""Nats. The likelihood of a line that no hypothesis explains."""


PASSED_ON = 0.3
"""Probability. With a card that nobody could read the defender passed the attack on. Chosen by hand."""

READ_AT_LAST = 0.6
"""Probability. A card laid beside an unread card of the same seat is that card, read at last. Chosen by hand."""


def _with_unread(hypothesis: Hypothesis, event: TableEvent, *, stays_unread: bool) -> Hypothesis | None:
    """Return the hypothesis with the seat's unread card beside the others marked so; None if there is none."""
    bout = hypothesis.state.bout
    if bout is None or not bout.faceless or not isinstance(event, Placed) or event.on is not None:
        return None
    faceless = tuple(
        replace(card, stays_unread=stays_unread) if card.by == event.by and card.on is None else card
        for card in bout.faceless
    )
    if faceless == bout.faceless:
        return None
    return hypothesis.replace(state=hypothesis.state.replace(bout=bout.replace(faceless=faceless)))


def with_free_name(hypothesis: Hypothesis, card: Card) -> Hypothesis:
    """Return the hypothesis with another name of the rank for the assumed card that bears the name of this one."""
    state, bout = hypothesis.state, hypothesis.state.bout
    if card not in state.assumed or bout is None or card not in bout.cards or state.trump is None:
        return hypothesis
    table, trump = state.table, state.trump
    seen = table.lying | table.open_cards | table.heap | table.turnup
    for hand in table.hands:
        seen |= hand
    for other in cards_of(same_ranks(card.bit) & state.rules.cards().mask & ~seen):
        attacks = tuple(
            replace(
                attack,
                card=other if attack.card == card else attack.card,
                defence=other if attack.defence == card else attack.defence,
            )
            for attack in bout.attacks
        )
        if all(attack.defence is None or attack.defence.beats(attack.card, trump) for attack in attacks):
            renamed = state.replace(bout=bout.replace(attacks=attacks), assumed=state.assumed - {card} | {other})
            return hypothesis.replace(state=renamed)
    return hypothesis


class SilentError(NamedTuple):
    """
    How a line that was reported as certain may be wrong: ``changes`` of an event. None: nothing happened.

    ``cue`` and ``log_likelihood``: as in an :class:`~referee.belief.reported_event.Option`.
    """

    cue: str
    log_likelihood: float
    event: TableEvent
    changes: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class LaterLine:
    """
    What a later line that fits badly says about a line that is filtered again because of it.

    One cause explains it, so a hypothesis that assumes an unseen event or a silent error since the first of these lines
    is given no second one. The later line itself was tried with the others already; there only a hypothesis whose
    cause changed which rule the line breaks is tried once more.

    ``first``: ordinal of the first line that is filtered again. ``later``: options of the later line: tried is what
    explains it; empty: anything is. ``ranks``: all cards of the ranks that this line's card may have had, misread, so
    that the later card fits beside it, as a set. ``is_newest``: this is the later line itself.
    """

    first: int
    later: tuple[Option, ...] = ()
    ranks: int = 0
    is_newest: bool = False

    def chosen(self, poorly: Sequence[PoorFit]) -> list[PoorFit]:
        """Return those of the hypotheses that explain the line badly which the second pass takes."""
        with_cause = [assumes_since(poor.hypothesis.last, self.first) for poor in poorly]
        if not self.is_newest:
            return [poor for poor, has_cause in zip(poorly, with_cause, strict=True) if not has_cause]
        broken = [poor.faults for poor, has_cause in zip(poorly, with_cause, strict=True) if not has_cause]
        return [
            poor for poor, has_cause in zip(poorly, with_cause, strict=True) if has_cause and poor.faults not in broken
        ]


class PoorFit(NamedTuple):
    """
    A hypothesis that explains the line badly.

    ``wanting``: the options without an explanation. ``faults``: the rules that the line breaks in its likeliest
    interpretation; None: it has none.
    """

    hypothesis: Hypothesis
    wanting: tuple[Option, ...]
    faults: tuple[FaultId | None, ...] | None


class Update:
    """
    The update with one line.

    ``place``: the line's ordinal. ``seats``: clockwise. ``judgements``: what was judged for lines before.
    ``log_evidence``: logarithm of the line's probability, after ``apply``.
    """

    def __init__(
        self,
        reported: ReportedEvent,
        place: int,
        seats: tuple[str, ...],
        rates: Rates,
        limits: Limits,
        judgements: Judgements,
    ) -> None:
        self.reported, self.place, self.seats = reported, place, seats
        self.rates, self.limits, self.judgements = rates, limits, judgements
        self.budget = Budget(limits.calls - limits.retries, judgements)
        self.log_evidence = 0.0
        """How likely the line was, by all that was believed before it: natural logarithm."""

    def of(self, beam: Beam, later_line: LaterLine | None = None) -> Beam:
        """
        Return the beam after the line; empty if it cannot be explained at all.

        ``later_line``: where the line is filtered again, what a later line says about it.
        """
        limits = self.limits
        is_unread = not self.rates.has_errors and any(
            hypothesis.state.table.has_unread or hypothesis.state.assumed for hypothesis in beam
        )
        if is_unread:
            more = limits.unread
            limits = replace(
                limits, calls=limits.calls * more, retries=limits.retries * more, retried=limits.retried * more
            )
            self.budget = Budget(limits.calls - limits.retries, self.judgements)
        if not self.rates.adrift:
            # A person has checked this bout, so the position at its start is right.
            beam = tuple(hypothesis for hypothesis in beam if not hypothesis.is_fallback) or beam
        elif isinstance(self.reported.event, Swept) and self.rates.stands:
            beam = tuple(forgiven for hypothesis in beam for forgiven in self._with_faults_forgiven(hypothesis))
        children: list[Hypothesis] = []
        plain: list[tuple[Hypothesis, Option, TableEvent, Hypothesis]] = []
        poorly: list[PoorFit] = []
        left_out = 0.0
        for hypothesis in beam:
            if self.budget.left <= 0:
                left_out += exp(hypothesis.log_weight)
                continue
            found = [(option, list(self._children(hypothesis, option, plain))) for option in self.reported.options]
            made = [child for _, of_option in found for child in of_option]
            children += made
            wanting = self._poorly_explained(hypothesis, found)
            if wanting:
                last = max(made, key=BY_WEIGHT).last if made else None
                poorly.append(PoorFit(hypothesis, wanting, None if last is None else last.faults))
        # What only later lines can prove is tried once every hypothesis has its plain children, however many there are.
        least = max((child.log_weight for child in children), default=0.0) - limits.floor
        for hypothesis, option, event, child in plain:
            if self.budget.left > 0:
                children += self._with_unseen(hypothesis, option, event, child, least)
        again: list[Hypothesis] = []
        tried, left = 0.0, max(0, self.budget.left) + limits.retries
        chosen = poorly if later_line is None else later_line.chosen(poorly)
        weights = [exp(poor.hypothesis.log_weight) for poor in chosen]
        for (hypothesis, wanting, _), weight in zip(chosen[: limits.retried], weights, strict=False):
            # A search spends all that it is given, so each gets half of the rest, or its share by weight. An unread
            # card is as likely any seat's, so each seat is tried alike.
            least_share = 0.0 if is_unread else 0.5
            self.budget = Budget(round(left * max(least_share, weight / (sum(weights) - tried))), self.judgements)
            if self.budget.left < LEAST_RETRIES:
                break
            left, tried = left - self.budget.left, tried + weight
            best = max((child.log_weight for child in children), default=hypothesis.log_weight + IMPOSSIBLE)
            again += self._retried(hypothesis, wanting, best - limits.floor, later_line)
            left += max(0, self.budget.left)
        # The weight of hypotheses for which no budget was left is given to those that were tried.
        log_more = log_of(sum(weights) / tried) if again else 0.0
        children += [child.replace(log_weight=child.log_weight + log_more) for child in again]
        unexplained = [poor.hypothesis for poor in poorly if poor.wanting == self.reported.options]
        if unexplained:
            weight = unexplained[0].log_weight + log_of(self.rates.adrift * FALLBACK_EVENT)
            children += self._lost(unexplained[0], weight)
        kept, dropped = merge(children, limits.most, limits.floor, of_rank=limits.of_rank if is_unread else 0)
        dropped = min(1.0, dropped * self.rates.dropped + left_out)
        if kept and dropped > limits.negligible:
            kept, _ = merge((*kept, *self._lost(beam[0], log_of(dropped))), limits.most, limits.floor)
        self.log_evidence = log_sum(child.log_weight for child in children) if children else IMPOSSIBLE
        return kept

    def _poorly_explained(
        self, hypothesis: Hypothesis, found: list[tuple[Option, list[Hypothesis]]]
    ) -> tuple[Option, ...]:
        """
        Return the options that still need an explanation: all of them if none is explained well.

        After a sweep the cards are gone, so each destination is considered by itself. A card of a play counts as the
        whole play with it: a card that breaks the same rule as the play's beginning explains nothing new. A person's
        statement needs no explanation.
        """
        if self.reported.is_stated or isinstance(self.reported.event, Corrected):
            return ()
        bout = hypothesis.state.bout
        if not self.rates.has_errors and not (bout is not None and bout.faceless):
            return ()
        least = hypothesis.log_weight + log_of(self.limits.wants)
        explaining = [
            child
            for option, made in found
            for child in made
            if option.event is not None or option.log_likelihood >= log_of(self.limits.nothing)
        ]
        if max((_log_explanation(child, hypothesis) for child in explaining), default=IMPOSSIBLE) < least:
            return self.reported.options
        if not isinstance(self.reported.event, Swept):
            return ()
        return tuple(
            option
            for option, made in found
            if max((child.log_weight for child in made), default=IMPOSSIBLE) < least + option.log_likelihood
        )

    def _with_faults_forgiven(self, hypothesis: Hypothesis) -> Iterator[Hypothesis]:
        """
        Yield the hypothesis before a sweep with its open cards let stand by the players, and with the cards gone
        uncounted.

        The sweep looks the same in both cases; later draws and turns distinguish them.
        """
        standing, weight = hypothesis, 0.0
        announced: tuple[Announcement, ...] = ()
        for matter in () if hypothesis.is_fallback else hypothesis.state.matters:
            forgiving = Pressed(at=0.0, button="forgive", card=matter.cards[-1] if matter.cards else None)
            found = advance(standing, forgiving, self.rates, self.budget) if matter.cards else None
            if found is not None and len(found[0].matters) < len(standing.state.matters):
                standing = standing.replace(state=found[0], new_fault=())
                weight, announced = weight + found[2], (*announced, *found[1].announcements)
        if standing is hypothesis or hypothesis.last is None:
            yield hypothesis
            return
        last = replace(hypothesis.last, announced=(*hypothesis.last.announced, *announced))
        weight += hypothesis.log_weight
        yield standing.replace(log_weight=weight + log_of(self.rates.stands), last=last)
        yield hypothesis.replace(log_weight=hypothesis.log_weight + log_of(1 - self.rates.stands))

    def _children(
        self, hypothesis: Hypothesis, option: Option, plain: list[tuple[Hypothesis, Option, TableEvent, Hypothesis]]
    ) -> Iterator[Hypothesis]:
        """Yield the hypothesis after the line, interpreted as this option; append that to ``plain`` with its event."""
        if option.event is None:
            yield without_event(hypothesis, option, self.place)
            return
        if not self.rates.has_errors and isinstance(option.event, Placed):
            hypothesis = with_free_name(hypothesis, option.event.card)
        named = with_real_names(option.event, hypothesis)
        for event in (laid for real in named for laid in laid_on_assumed(real, hypothesis)):
            beside = _with_unread(hypothesis, event, stays_unread=True)
            for before, share in ((hypothesis, READ_AT_LAST), (beside, 1 - READ_AT_LAST)):
                if before is None:
                    continue
                read = (
                    option if beside is None else replace(option, log_likelihood=option.log_likelihood + log_of(share))
                )
                child = self._extended(before, read, event)
                if child is not None:
                    child = _with_unread(child, event, stays_unread=False) or child
                    plain.append((before, read, event, child))
                    yield from self._forgiven_or_open(child, event)
                    if isinstance(event, Unread):
                        yield from self._passed_on(before, child, read)

    def _passed_on(self, before: Hypothesis, child: Hypothesis, option: Option) -> Iterator[Hypothesis]:
        """Yield the hypothesis after a card that nobody could read, with which the defender passed the attack on."""
        state = pass_on_unread(before.state, child.state)
        if state is not None and child.last is not None:
            announced = (*child.last.announced, *announcements(child.state, state))
            weight = before.log_weight + option.log_likelihood + log_of(PASSED_ON)
            yield child.replace(state=state, log_weight=weight, last=replace(child.last, announced=announced))

    def _forgiven_or_open(self, child: Hypothesis, event: TableEvent) -> Iterator[Hypothesis]:
        """
        Yield a wrong draw or exchange, or draws forgone, both as let stand by the players and as still open.

        The cards are out of sight at once, and only later bouts show which case it was.
        """
        faults = () if child.last is None else tuple(ruling.fault for ruling in child.last.rulings if accuses(ruling))
        if (
            self.rates.stands
            and child.last is not None
            and faults
            and (isinstance(event, Drawn | Swapped) or FaultId.DRAW_TOO_FEW in faults)
        ):
            found = advance(child, Pressed(at=0.0, button="forgive"), self.rates, self.budget)
            if found is not None and len(found[0].matters) < len(child.state.matters):
                last = replace(child.last, announced=(*child.last.announced, *found[1].announcements))
                weight = child.log_weight + log_of(self.rates.stands)
                yield child.replace(state=found[0], log_weight=weight, last=last, new_fault=())
                child = child.replace(log_weight=child.log_weight + log_of(1 - self.rates.stands))
        yield child

    def _extended(
        self,
        hypothesis: Hypothesis,
        option: Option,
        event: TableEvent,
        unseen: tuple[TableEvent, ...] = (),
        log_unseen: float = 0.0,
        announced: tuple[Announcement, ...] = (),
    ) -> Hypothesis | None:
        """Return the hypothesis after the line, interpreted as this event."""
        return extend(
            hypothesis,
            option,
            self.rates,
            self.budget,
            place=self.place,
            recorded=self.reported.event,
            event=event,
            unseen=unseen,
            log_unseen=log_unseen,
            announced=announced,
            is_stated=self.reported.is_stated,
        )

    def _with_unseen(
        self, hypothesis: Hypothesis, option: Option, event: TableEvent, child: Hypothesis, least: float
    ) -> Iterator[Hypothesis]:
        """
        Yield the hypothesis with unseen events before the line that only later lines can prove
        (``missed_without_effect``). ``least``: logarithm of the weight below which it would be pruned.
        """
        for unseen, log_rate, assumed in missed_without_effect(hypothesis.state, event, self.rates):
            if child.log_weight + log_rate < least:
                return
            found = advance(hypothesis, unseen, self.rates, self.budget)
            if found is None:
                continue
            factor = log_rate + found[2]
            state = found[0].replace(assumed=hypothesis.state.assumed | assumed)
            before = hypothesis.replace(state=state, log_weight=hypothesis.log_weight + factor)
            as_laid = event
            if isinstance(unseen, Placed) and isinstance(event, Placed):
                as_laid = structs.replace(event, on=unseen.card)
            other = self._extended(before, option, as_laid, (unseen,), factor, found[1].announcements)
            if other is not None:
                yield other

    def _retried(
        self,
        hypothesis: Hypothesis,
        wanting: tuple[Option, ...],
        floor: float,
        later_line: LaterLine | None,
    ) -> Iterator[Hypothesis]:
        """
        Yield children with unseen events before the line, or with a silent error in the line itself.

        To explain a later line any error is tried if its card lies on this line's one, else this line's card as one of
        ``later_line.ranks``.
        """
        later, ranks = ((), 0) if later_line is None else (later_line.later, later_line.ranks)
        options = tuple(
            option if event is option.event else replace(option, event=event)
            for option in wanting
            if option.event is not None
            for event in with_real_names(option.event, hypothesis)
        )
        line = UnexplainedLine(self.reported.event, self.place, options, later)
        # Unseen events are far more likely than silent errors, so they are searched for first.
        kept_back = self.budget.left // self.limits.wrongly
        self.budget.left -= kept_back
        yield from search_unseen(hypothesis, line, self.rates, self.budget, floor)
        self.budget.left = max(0, self.budget.left) + kept_back
        if self.reported.is_stated:
            return
        beaten = {line.event.on for line in later if isinstance(line.event, Placed)}
        is_any_tried = not later or getattr(self.reported.event, "card", None) in beaten
        state = hypothesis.state
        for error in self._silent_errors(state, options) if is_any_tried else self._misread(state, options, ranks):
            if hypothesis.log_weight + error.log_likelihood >= floor and self.budget.left > 0:
                child = self._with_error(hypothesis, error)
                if child is not None and child.log_weight >= floor:
                    yield child

    def _with_error(self, hypothesis: Hypothesis, error: SilentError) -> Hypothesis | None:
        """Return the hypothesis after the line with this error."""
        event = None if error.changes is None else structs.replace(error.event, **error.changes)
        option = Option(event, error.log_likelihood, error.cue, is_silent_error=True)
        if event is None:
            return without_event(hypothesis, option, self.place)
        return self._extended(hypothesis, option, event)

    def _silent_errors(self, state: GameState, options: tuple[Option, ...]) -> Iterator[SilentError]:
        """
        Yield how the line may be wrong although it was reported as certain: the card's name, its place, its seat; that
        all cards of a bout were swept of which some are left.
        """
        recorded = self.reported.event
        if isinstance(recorded, Swept):
            yield from self._other_sweeps(state, recorded)
        misseated = max(self.rates.misseated, UNLISTED.any_seat * self.reported.unlisted)
        log_misplaced, log_misseated = log_of(self.rates.misplaced), log_of(misseated / max(1, len(self.seats) - 1))
        seats = self.seats if isinstance(recorded, Placed) and recorded.by is not None else ()
        for option in options[: len(self.seats)]:
            event, log_likelihood = option.event, option.log_likelihood
            if not isinstance(event, Placed) or event.by is None:
                continue
            if event.on is not None:
                yield SilentError("place", log_likelihood + log_misplaced, event, {"on": None})
            elif state.bout is not None:
                unbeaten = state.bout.unbeaten
                for card in unbeaten:
                    log_share = log_of(self.rates.misplaced / len(unbeaten))
                    yield SilentError("place", log_likelihood + log_share, event, {"on": card})
            for seat in seats:
                if seat != event.by:
                    yield SilentError("seat", log_likelihood + log_misseated, event, {"by": seat})
            yield from self._misread(state, options, -1, option)

    def _misread(
        self, state: GameState, options: tuple[Option, ...], among: int, only: Option | None = None
    ) -> Iterator[SilentError]:
        """
        Yield the line with other names of its card, of those in the set ``among``. ``only``: one of the options, by
        default each of the first, as many as there are seats.
        """
        recorded_card, unlisted = getattr(self.reported.event, "card", None), self.reported.unlisted
        cards = [option.event.card for option in options if isinstance(option.event, Placed)]
        any_card = UNLISTED.any_card * unlisted / max(1, sum([card is recorded_card for card in cards]))
        for option in options[: len(self.seats)] if only is None else (only,):
            event = option.event
            if isinstance(event, Placed) and event.by is not None:
                in_all = exp(option.log_likelihood) * self.rates.misread
                in_all = max(in_all, any_card if event.card == recorded_card else 0.0)
                others = held_by(state, event.by) & ~mask_of(cards)
                for card, share in misreadings(event.card, others, in_all, among & fitting_by_rank(event, state)):
                    yield SilentError("misread", log_of(share), event, {"card": card})

    def _other_sweeps(self, state: GameState, recorded: Swept) -> Iterator[SilentError]:
        """Yield a sweep as the first stroke of one, and with the other destination that a bout may have."""
        if recorded.left:
            yield SilentError("strokes", log_of(self.rates.in_strokes), recorded, None)
        elsewhere = () if state.bout is None else (HEAP, state.bout.defender)
        for to in elsewhere:
            if to != recorded.to:
                yield SilentError("to", log_of(self.rates.swept_elsewhere), certain(recorded), {"to": to})

    def _lost(self, hypothesis: Hypothesis, log_weight: float) -> tuple[Hypothesis, ...]:
        """Return the fallback hypothesis after the line."""
        option = self.reported.options[0]
        if option.event is None or hypothesis.is_fallback or not self.rates.adrift:
            return ()
        found = self._extended(fallback(hypothesis, log_weight), option, option.event)
        return () if found is None else (found.replace(log_weight=log_weight),)
