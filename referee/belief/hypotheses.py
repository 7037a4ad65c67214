"""
Hypotheses about the course of the whole game, and the beam of them.

A hypothesis is a position with a weight and an interpretation of every line. :func:`advance` applies an event by the
rules (:mod:`referee.effects`) and returns its prior probability: plays are usually legal, each kind of fault has a
small rate, and a card in two places is nearly excluded. Hypotheses with equal positions are merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import exp, log
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import structs

from referee.belief.interpretation import (
    REMEMBERED,
    FaultShare,
    Interpretation,
    accuses,
)
from referee.belief.rates import Rates
from referee.belief.reported_event import Option
from referee.cards import Card, CardSet
from referee.effects import apply
from referee.effects.announce import announcements
from referee.effects.books import check_books
from referee.effects.stand import let_all_stand
from referee.errors import InvariantError, RecordError
from referee.events import Corrected, Dealt, Drawn, Lifted, Placed, Swept, TableEvent, Unread
from referee.game import NOTHING, Frozen, GameState, Ledger, Phase
from referee.legal import legal_cards
from referee.plays import Draw, Laid, Transfer
from referee.rulebook import FaultId
from referee.rules.whole_hand import may_hold
from referee.rulings import Announcement, Step, Verdict

FALLBACK_LIFT = 0.02
"""Probability of a lifted card in the fallback hypothesis. Chosen by hand."""

FALLBACK_EVENT = 0.5
"""Probability of an event in the fallback hypothesis. Chosen by hand."""

HAND_CORRECTED = 0.01
"""Probability. People state another number of cards for a hand in which nothing is open. Chosen by hand."""

ACROSS_BY_OTHER = 0.01
"""Probability. A card that an unknown seat laid across an attack card is not the defender's. Chosen by hand."""

NO_NAMES: Mapping[Card, tuple[Card, ...]] = {}


MISFIT = 0.001
"""Probability. An event changes nothing on the table. Chosen by hand."""

ON_NOTHING = 1e-6
"""Probability. A card was reported on one that is not on the table. Chosen by hand."""

GIVEN_ACROSS = 0.1
"""Probability. A card given after a take is laid across another. Chosen by hand."""

LIFTED_BY_OTHER = 0.05
"""
Probability. A card is taken back by another seat than the one that laid it: hands are confused, people help. Chosen by
hand.
"""

UNCLEAR = 0.7
"""Probability. A play rests on spoken words at the table. Chosen by hand."""

FAULT_CONTINUES = 0.25
"""Probability. A play that breaks a rule is continued with one more card. Chosen by hand."""

SWEPT_WRONGLY = 0.0005
"""Probability. A bout goes where it must not: a beaten bout is taken, or a taken one is discarded. Chosen by hand."""


@dataclass(frozen=True, eq=False)
class Hypothesis(Frozen):
    """
    One possible course of the game.

    ``log_weight``: natural logarithm of the weight, up to a constant that all share. ``last``: the interpretation of
    the newest line. ``names``: recorded name -> real cards, of the cards on the table that were recorded by a wrong
    name. ``new_fault``: the cards of a fault that was just made, which people may take back. ``is_fallback``: the
    position is known to be wrong (:func:`fallback`). ``fault_shares``: the faults on the newest lines.
    """

    state: GameState
    log_weight: float
    last: Interpretation | None = None
    names: Mapping[Card, tuple[Card, ...]] = field(default_factory=lambda: NO_NAMES)
    new_fault: tuple[Card, ...] = ()
    is_fallback: bool = False
    fault_shares: tuple[FaultShare, ...] = ()

    @property
    def key(self) -> Hashable:
        """Return what must be equal for two hypotheses to be merged."""
        return (
            position_key(self.state),
            tuple(sorted(self.names.items(), key=str)) if self.names else (),
            self.new_fault,
            self.is_fallback,
            () if self.last is None else self.last.recent,
        )


Beam = tuple[Hypothesis, ...]
"""Hypotheses, the most likely first."""


def fault_shares_in_reported_order(hypothesis: Hypothesis) -> tuple[FaultShare, ...]:
    """Return the hypothesis's faults after its two newest lines were judged in the reverse order."""
    last = hypothesis.last
    if last is None or last.before is None:
        return hypothesis.fault_shares
    now = {last.place: last.before.place, last.before.place: last.place}
    return tuple(
        fault_share._replace(place=now.get(fault_share.place, fault_share.place))
        for fault_share in hypothesis.fault_shares
    )


def held_by(state: GameState, seat: str) -> int:
    """Return the cards, as a set, that may be in this hand."""
    return may_hold(state.seating.number_of[seat], state.table)


class Judgements:
    """
    The results of the newest judgements, by position and event.

    Lines that are filtered again ask for the same ones: what was laid in the same position, and the same unseen events
    before it. A result that is kept costs as much of the budget as a new one. Of ``most`` positions the results are
    kept for sure; twice as many are the most.
    """

    __slots__ = ("_most", "_newer", "_older")

    def __init__(self, most: int) -> None:
        self._most = most
        self._newer: dict[int, Judged] = {}
        self._older: dict[int, Judged] = {}

    def of(self, state: GameState, event: TableEvent) -> tuple[GameState, Step] | None:
        """Return the position after an event, with its rulings and announcements; None: it is impossible."""
        number = id(state)
        of_state = self._newer.get(number) or self._older.get(number)
        if of_state is None or of_state.state is not state:
            of_state = Judged(state, {})
            if len(self._newer) >= self._most:
                self._newer, self._older = {}, self._newer
            self._newer[number] = of_state
        elif event in of_state.after:
            return of_state.after[event]
        try:
            found = apply(state, event)
        except (InvariantError, RecordError):
            found = None
        of_state.after[event] = found
        return found


class Judged(NamedTuple):
    """A position, and by event what :func:`~referee.effects.apply` returns; None: the event is impossible there."""

    state: GameState
    after: dict[TableEvent, tuple[GameState, Step] | None]


@dataclass(slots=True)
class Budget:
    """
    The number of judgements that an event may still cost, and what was judged before. A judgement takes about 40
    microseconds.
    """

    left: int
    judgements: Judgements

    def spend(self) -> bool:
        """Count one judgement; return whether the budget allows it."""
        self.left -= 1
        return self.left >= 0


def advance(
    hypothesis: Hypothesis, event: TableEvent, rates: Rates, budget: Budget, *, is_stated: bool = False
) -> tuple[GameState, Step, float] | None:
    """
    Apply an event: return the position after it, its rulings, and the logarithm of its prior probability.

    None if the event is impossible in this hypothesis. ``is_stated``: a person states the event.
    """
    budget.spend()
    state = hypothesis.state
    judged = budget.judgements.of(state, event)
    if judged is None:
        return None
    after, step = judged
    if hypothesis.is_fallback:
        after = let_all_stand(after)
        check_books(after)
        share = FALLBACK_LIFT if isinstance(event, Lifted) else FALLBACK_EVENT
        legal = tuple(ruling for ruling in step.rulings if ruling.fault is None)
        return after, Step(legal, announcements(state, after)), log(share)
    if isinstance(event, Corrected):
        return after, step, log_of_stated(state, event)
    return after, step, log_prior(hypothesis, event, step, rates, is_more=continues_play(after), is_stated=is_stated)


def log_of_stated(state: GameState, event: Corrected) -> float:
    """
    Return the logarithm of the probability that the hands in this position are stated so.

    The statement puts an open draw right; any other hand that is stated otherwise speaks against the position.
    """
    drawn = {seat for seat, _ in _open_draws(state)}
    hands = {} if event.table is None else event.table.hands
    others = (seat for seat, count in hands.items() if seat not in drawn and count != state.physical(seat))
    return sum(log(HAND_CORRECTED) for _ in others)


def _open_draws(state: GameState) -> set[tuple[str | None, FaultId | None]]:
    """Return the seats of the open draws, each with the fault."""
    return {(matter.play.by, matter.fault.id) for matter in state.matters if isinstance(matter.play, Draw)}


def extend(
    hypothesis: Hypothesis,
    option: Option,
    rates: Rates,
    budget: Budget,
    *,
    place: int,
    recorded: TableEvent,
    event: TableEvent,
    unseen: tuple[TableEvent, ...] = (),
    log_unseen: float = 0.0,
    announced: tuple[Announcement, ...] = (),
    is_stated: bool = False,
) -> Hypothesis | None:
    """
    Return the hypothesis after a line; None if that is impossible.

    ``recorded``: the event as recorded. ``event``: what is assumed to have happened, an interpretation of ``option``.
    ``unseen``: the events assumed before it, with the logarithm of their probability and the announcements that they
    caused. ``is_stated``: a person states the event.
    """
    found = advance(hypothesis, event, rates, budget, is_stated=is_stated)
    if found is None:
        return None
    state, step, log_of_play = found
    last, fault_shares = hypothesis.last, hypothesis.fault_shares
    if isinstance(event, Corrected):
        # The stated hands say how many cards were drawn, so the open draws that they close are no faults.
        closed = _open_draws(hypothesis.state) - _open_draws(state)
        fault_shares = tuple(
            fault_share for fault_share in fault_shares if (fault_share.rulings[0].by, fault_share.fault) not in closed
        )
    log_void = 0.0
    if continues_play(state) and last is not None:
        # Cards laid together are one play: the rulings on its beginning and their prior no longer count.
        fault_shares = tuple(fault_share for fault_share in fault_shares if fault_share.place != last.place)
        log_void = -last.log_prior
        if last.faults and any(map(accuses, step.rulings)):
            log_void += log(FAULT_CONTINUES)
        last = replace(last, rulings=(), log_factor=last.log_factor + log_void, log_prior=0.0)
    factor = option.log_likelihood + log_of_play
    bout = hypothesis.state.bout
    if isinstance(event, Unread) and not _may_lay(hypothesis.state, event):
        factor += log(rates.fault)  # no ruling says that this seat may not lay it there
    elif (
        isinstance(recorded, Placed)
        and recorded.by is None
        and isinstance(event, Placed)
        and event.on is not None
        and bout is not None
        and bout.taking is None
    ):
        factor += log(ACROSS_BY_OTHER) if event.by != bout.defender else 0.0
    rulings = step.rulings
    if hypothesis.state.assumed:
        named = (getattr(recorded, key, None) for key in ("card", "on"))
        read = CardSet.of(card for card in named if isinstance(card, Card))
        ranks = state.ranks_read | hypothesis.state.ranks_read
        rulings = tuple(ruling.without_names(hypothesis.state.assumed - read, ranks) for ruling in rulings)
        # A further card of a play is judged from the position before its first card, where less was assumed.
        state = state.replace(assumed=hypothesis.state.assumed - read)
    own = step.announcements
    if isinstance(recorded, Unread):  # who laid it, and across which card, is announced as recorded
        laid = Announcement.of("unread", by=recorded.by, on=recorded.on)
        own = tuple(laid if card.kind == "unread" else card for card in own)
    made, log_factor = (*announced, *own), factor + log_unseen
    prior = 0.0 if hypothesis.is_fallback else log_of_play
    silent = option.is_silent_error
    newest = Interpretation(last, place, event, option.cue, unseen, rulings, made, log_factor, prior, silent)
    names = _named(hypothesis.names, recorded, event, state)
    new_fault = _cards_of_fault(step) if isinstance(event, Placed) else ()
    fault_shares = _update_fault_shares(fault_shares, newest)
    weight = hypothesis.log_weight + log_void + factor
    child = Hypothesis(state, weight, newest, names, new_fault, hypothesis.is_fallback, fault_shares)
    return _forgetting(recovered(child, event))


def _may_lay(state: GameState, event: Unread) -> bool:
    """Check whether a card of the seat may lie where the unread card does and leaves everybody's part as it is."""
    bout = state.bout
    if event.on is None and bout is not None and bout.faceless:
        if event.by in state.entitled():
            return True  # it may have the rank of another unread card
        by_defender = [card.by == bout.defender for card in bout.faceless if card.on is None]
        if event.by == bout.defender and bout.taking is None and by_defender.count(False) > by_defender.count(True):
            return True  # it may beat another unread card
    legal = () if event.by is None else legal_cards(state, event.by, any_turn=True, held=held_by(state, event.by))
    return any(play.over == event.on and play.kind is not Transfer for play in legal)


def _update_fault_shares(fault_shares: tuple[FaultShare, ...], newest: Interpretation) -> tuple[FaultShare, ...]:
    """Return the faults on the newest lines, including this line's."""
    place, faults = newest.place, newest.faults
    if fault_shares and fault_shares[0].place <= place - REMEMBERED:
        fault_shares = tuple(fault_share for fault_share in fault_shares if fault_share.place > place - REMEMBERED)
    if not faults or faults[0] is None:
        return fault_shares
    return (*fault_shares, FaultShare(place, faults[0], 1.0, newest.rulings))


def without_event(hypothesis: Hypothesis, option: Option, place: int) -> Hypothesis:
    """Return the hypothesis in which nothing happened on this line, one of its options."""
    log_likelihood, silent = option.log_likelihood, option.is_silent_error
    last = Interpretation(hypothesis.last, place, None, option.cue, (), (), (), log_likelihood, is_silent_error=silent)
    return hypothesis.replace(log_weight=hypothesis.log_weight + log_likelihood, last=last)


def continues_play(state: GameState) -> bool:
    """Check whether the newest card was laid together with others: they are ruled on as one play."""
    return state.laying is not None and len(state.laying.cards) > 1


def _cards_of_fault(step: Step) -> tuple[Card, ...]:
    """Return the cards of the first fault of this step."""
    return next((ruling.cards for ruling in step.rulings if accuses(ruling) and ruling.cards), ())


def _named(
    names: Mapping[Card, tuple[Card, ...]], recorded: TableEvent, event: TableEvent, state: GameState
) -> Mapping[Card, tuple[Card, ...]]:
    """Update the map of wrongly recorded names after ``recorded`` was interpreted as ``event``."""
    if isinstance(recorded, Placed) and isinstance(event, Placed) and recorded.card != event.card:
        return {**names, recorded.card: (*names.get(recorded.card, ()), event.card)}
    if names and isinstance(event, Swept):
        lying = set(state.bout.cards) if state.bout is not None else set()
        kept = {name: tuple(card for card in cards if card in lying) for name, cards in names.items()}
        return {name: cards for name, cards in kept.items() if cards}
    return names


def with_real_names(event: TableEvent, hypothesis: Hypothesis) -> tuple[TableEvent, ...]:
    """
    Return the event with the real names of its cards.

    If several cards were recorded by that name, or the card of that name lies on the table too, each event is returned.
    """
    names, bout = hypothesis.names, hypothesis.state.bout
    if not names:
        return (event,)
    if isinstance(event, Swept):
        left = tuple(names.get(card, (card,))[0] for card in event.left)
        return (structs.replace(event, left=left) if event.left else event,)
    key = "on" if isinstance(event, Placed) else "card" if isinstance(event, Lifted) else None
    named = None if key is None else getattr(event, key)
    if key is None or named is None or named not in names:
        return (event,)
    changed: list[dict[str, Any]] = [{key: card} for card in names[named]]
    real = tuple(structs.replace(event, **change) for change in changed)
    return (*real, event) if bout is not None and named in bout.cards else real


def laid_on_assumed(event: TableEvent, hypothesis: Hypothesis) -> Iterator[TableEvent]:
    """Yield the event as reported, and a card of the defender on each card that it may beat unseen or unread."""
    yield event
    bout = hypothesis.state.bout
    if isinstance(event, Placed | Unread) and event.on is None and bout is not None and event.by == bout.defender:
        for card in bout.unbeaten:
            if card in hypothesis.state.assumed or isinstance(event, Unread):
                yield structs.replace(event, on=card)


def _forgetting(hypothesis: Hypothesis) -> Hypothesis:
    """
    Forget the assumed names of cards once the bout has ended, so that hypotheses that differ in them can be merged.
    """
    bout = hypothesis.state.bout
    state = hypothesis.state
    if not state.assumed or (bout is not None and bout.cards):
        return hypothesis
    ledger, assumed = state.ledger, state.assumed
    forgotten: Ledger = ledger.replace(
        heap=ledger.heap - assumed,
        known={seat: cards - assumed for seat, cards in ledger.known.items()},
        picked={seat: cards - assumed for seat, cards in ledger.picked.items()},
    )
    return hypothesis.replace(state=state.replace(ledger=forgotten, assumed=NOTHING))


def merge(hypotheses: Sequence[Hypothesis], most: int, floor: float, *, of_rank: int = 0) -> tuple[Beam, float]:
    """
    Merge equal hypotheses, prune unlikely ones and normalise the weights.

    ``most``: hypotheses kept; ``floor``: distance in nats from the best below which one is pruned. ``of_rank``: the
    most kept of those that differ in names of one rank of assumed cards alone; they get the weight of all (0: no
    limit). Also return the share of the weight that was pruned.
    """
    if not hypotheses:
        return (), 0.0
    by_key: dict[Hashable, Hypothesis] = {}
    best = max([hypothesis.log_weight for hypothesis in hypotheses])
    in_all = sum([exp(hypothesis.log_weight - best) for hypothesis in hypotheses])
    for hypothesis in sorted(hypotheses, key=BY_WEIGHT, reverse=True):
        if hypothesis.log_weight < best - floor:
            break
        key = hypothesis.key
        twin = by_key.get(key)
        if twin is None:
            by_key[key] = hypothesis
        else:
            by_key[key] = _merge_two(twin, hypothesis)
    merged = sorted(by_key.values(), key=BY_WEIGHT, reverse=True)
    kept = _fewer_names(merged, most, of_rank) if of_rank else merged[:most]
    held = sum([exp(hypothesis.log_weight - best) for hypothesis in kept])
    total = log(held) + best
    return tuple(hypothesis.replace(log_weight=hypothesis.log_weight - total) for hypothesis in kept), max(
        0.0, 1.0 - held / in_all
    )


def _fewer_names(hypotheses: Sequence[Hypothesis], most: int, of_rank: int) -> list[Hypothesis]:
    """
    Return at most ``most`` of these hypotheses, of those that differ in assumed names alone fewer.

    A rank has at most ``of_rank`` names. If that is not enough, each set of hypotheses with the same seats gives one by
    turns, of another rank each time. Those that are kept get the weight of those left out.
    """
    by_rank: defaultdict[tuple[Hashable, tuple[str, ...]], list[Hypothesis]] = defaultdict(list)
    for hypothesis in hypotheses:
        by_rank[_but_for_names(hypothesis), _ranks_assumed(hypothesis)].append(hypothesis)
    by_seats: defaultdict[Hashable, list[list[Hypothesis]]] = defaultdict(list)
    for (seats, _), alike in by_rank.items():
        by_seats[seats].append(_with_all_weight(alike[:of_rank], alike))
    sets = [
        [found for turn in zip_longest(*ranks) for found in turn if found is not None] for ranks in by_seats.values()
    ]
    turns = [found for turn in zip_longest(*sets) for found in turn if found is not None]
    chosen = set(map(id, turns[:most]))
    kept = [_with_all_weight([found for found in some if id(found) in chosen], some) for some in sets]
    return sorted([found for some in kept for found in some], key=BY_WEIGHT, reverse=True)


def _with_all_weight(kept: Sequence[Hypothesis], alike: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the kept ones of hypotheses that are alike with the weight of all."""
    if len(kept) in (0, len(alike)):
        return list(kept)
    log_all, log_kept = (log_sum([found.log_weight for found in some]) for some in (alike, kept))
    return [found.replace(log_weight=found.log_weight + log_all - log_kept) for found in kept]


def _ranks_assumed(hypothesis: Hypothesis) -> tuple[str, ...]:
    """Return the ranks of assumed cards in the bout."""
    bout, assumed = hypothesis.state.bout, hypothesis.state.assumed
    return () if bout is None else tuple([card.rank for card in bout.cards if card in assumed])


def _but_for_names(hypothesis: Hypothesis) -> Hashable:
    """Return what two hypotheses have in common that differ in the names of assumed cards alone."""
    state, bout = hypothesis.state, hypothesis.state.bout
    laid = () if bout is None else [(attack.by, attack.moment, attack.beaten_by) for attack in bout.attacks]
    return (
        tuple(state.ledger.hands.values()),
        (state.phase, len(state.assumed), hypothesis.last and hypothesis.last.recent),
        bout and (bout.attacker, bout.defender, tuple(laid), OF_BOUT(bout)),
    )


def _merge_two(heavier: Hypothesis, lighter: Hypothesis) -> Hypothesis:
    """Merge two equal hypotheses: add their weights, and average the share of each fault."""
    log_weight = log_sum((heavier.log_weight, lighter.log_weight))
    if heavier.fault_shares is lighter.fault_shares:
        return heavier.replace(log_weight=log_weight)
    part = exp(heavier.log_weight - log_weight)
    both: dict[tuple[int, FaultId | None], FaultShare] = {}
    for hypothesis, of_it in ((heavier, part), (lighter, 1.0 - part)):
        for fault_share in hypothesis.fault_shares:
            key = (fault_share.place, fault_share.fault)
            share = fault_share.share * of_it
            both[key] = (
                both[key]._replace(share=both[key].share + share) if key in both else fault_share._replace(share=share)
            )
    fault_shares = tuple(sorted(both.values(), key=lambda fault_share: fault_share.place))
    return heavier.replace(log_weight=log_weight, fault_shares=fault_shares)


def fallback(hypothesis: Hypothesis, log_weight: float) -> Hypothesis:
    """
    Return the fallback hypothesis: no current hypothesis explains the events.

    Its position follows the table from here on and accuses nobody until the number of cards is certain again.
    """
    state = let_all_stand(hypothesis.state)
    return hypothesis.replace(state=state, log_weight=log_weight, is_fallback=True, new_fault=(), names=NO_NAMES)


def recovered(hypothesis: Hypothesis, event: TableEvent) -> Hypothesis:
    """
    Return the hypothesis as a normal one if it was a fallback and its position is certain again: a new deal, hands that
    a person has stated, or all hands full at the beginning of a bout.
    """
    state = hypothesis.state
    if not hypothesis.is_fallback:
        return hypothesis
    is_full = all(state.ledger.hands[seat] >= state.rules.hand_size for seat in state.living)
    if isinstance(event, Dealt | Corrected) or (
        state.ledger.talon and state.before_first_card and state.phase is Phase.ATTACK and is_full
    ):
        return hypothesis.replace(is_fallback=False)
    return hypothesis


def log_sum(logs: Iterable[float]) -> float:
    """Return the logarithm of the sum of the numbers with these logarithms."""
    found = tuple(logs)
    best = max(found)
    return best + log(sum(exp(log_weight - best) for log_weight in found))


BY_WEIGHT = attrgetter("log_weight")
OF_STATE = attrgetter("phase", "trump", "short", "drawn_since_deal", "last_card_by", "assumed")
OF_LEDGER = attrgetter("turnup", "heap_count", "single")
OF_REFILL = attrgetter("drew", "turnup", "holder")
OF_TABLE = attrgetter(
    *("unseen", "picked", "heap", "talon_count", "due", "is_partly_drawn", "leaders", "beaten_off", "out", "emptied"),
    *("attacker", "defender", "number", "limit", "shown", "is_taking", "passed", "allowed", "waiting"),
)
OF_BOUT = attrgetter("strays", "faceless", "ended")
OF_ATTACK = attrgetter("card", "by", "defence", "beaten_by", "thrown")
OF_MATTER = attrgetter("play", "fault.id", "cards", "on", "away")


def position_key(state: GameState) -> Hashable:
    """Return what determines how the game can go on, without times; equal for positions that can be merged."""
    bout, laying, table = state.bout, state.laying, state.table
    return (
        OF_STATE(state),
        OF_LEDGER(state.ledger),
        OF_REFILL(state.refill),
        OF_TABLE(table),
        tuple(table.hands),
        (state.result and state.result.kind, state.session.deal),
        tuple(map(OF_MATTER, state.matters)) if state.matters else (),
        laying and (laying.by, laying.at, laying.cards),
        tuple(sorted(state.claims.items(), key=str)) if state.claims else (),
        bout and (OF_BOUT(bout), bout.taking is None, tuple(map(OF_ATTACK, bout.attacks))),
    )


def log_prior(
    before: Hypothesis, event: TableEvent, step: Step, rates: Rates, *, is_more: bool, is_stated: bool = False
) -> float:
    """
    Return the logarithm of the prior probability of an event with these rulings.

    ``is_more``: the event continues a play, so no reaction of the players to its beginning is counted. ``is_stated``: a
    person states the event, so it gets its ruling in the most likely position before it: how rarely people break that
    rule says nothing. Only a card laid on one that is not there speaks against a position.
    """
    total = 0.0
    for ruling in step.rulings:
        if ruling.fault is None or (is_stated and not _lies_on_nothing(before, event)):
            continue
        if ruling.verdict is Verdict.IMPOSSIBLE:
            total += log(rates.impossible)
        elif ruling.verdict is Verdict.ILLEGAL:
            total += log(_fault_rate(before, event, ruling.fault, rates, is_more=is_more))
        else:
            total += log(UNCLEAR)
    total += sum(log(MISFIT) for announcement in step.announcements if announcement.kind == "doubt")
    state, bout = before.state, before.state.bout
    is_between_deals = state.phase is Phase.OVER or (state.phase is Phase.LEAD and not state.dealt)
    if is_between_deals and not step.rulings and not step.announcements and not _gathers(state, event):
        total += log(MISFIT)  # the rules say nothing about events after the end
    if isinstance(event, Placed) and event.on is not None and bout is not None and bout.taking is not None:
        total += log(GIVEN_ACROSS) if event.by != bout.defender else 0.0
    return total if is_more else total + _log_reaction(before, event, rates)


def _gathers(state: GameState, event: TableEvent) -> bool:
    """Check whether people take away what lies on the table after a game that ended before the last card."""
    if state.phase is not Phase.OVER:
        return False
    if isinstance(event, Drawn):
        return state.ledger.talon > 0
    return isinstance(event, Lifted | Swept) and state.bout is not None and bool(state.bout.cards)


def _fault_rate(before: Hypothesis, event: TableEvent, fault: FaultId, rates: Rates, *, is_more: bool) -> float:
    """Return the probability of this fault in this situation."""
    if _lies_on_nothing(before, event):
        return ON_NOTHING
    if isinstance(event, Swept):
        return rates.faults.get(fault, SWEPT_WRONGLY)
    # Too few draws are ruled on again at each later draw and at the lead: they are one fault. The rulings on the
    # beginning of a play no longer count with its next card.
    last = before.last.before if is_more and before.last is not None else before.last
    is_one = fault is FaultId.DRAW_TOO_FEW and fault in _faults_since_sweep(last)
    return FAULT_CONTINUES if is_one else rates.of(fault)


def _faults_since_sweep(last: Interpretation | None) -> Iterator[FaultId | None]:
    """Yield the faults of the lines back to the last sweep."""
    while last is not None and not isinstance(last.event, Swept):
        yield from (ruling.fault for ruling in last.rulings)
        last = last.before


def _lies_on_nothing(before: Hypothesis, event: TableEvent) -> bool:
    """Check whether the card was laid on one that is not on the table: that one was not seen, or has another name."""
    if not isinstance(event, Placed) or event.on is None:
        return False
    state = before.state
    lying = state.bout.cards if state.bout is not None else ()
    return event.on not in lying and not any(event.on in matter.cards for matter in state.matters)


def _owner(state: GameState, card: Card) -> str | None:
    """Return the seat that laid the card on the table; None if it is not there."""
    open_plays = (matter.play for matter in state.matters if card in matter.cards)
    by_fault = next((play.by for play in open_plays if isinstance(play, Laid)), None)
    return by_fault if by_fault is not None or state.bout is None else state.bout.owner(card)


def _log_reaction(before: Hypothesis, event: TableEvent, rates: Rates) -> float:
    """
    Return the logarithm of the probability of people's reaction: a card that breaks a rule is often taken back, another
    one hardly ever.
    """
    if isinstance(event, Lifted):
        is_open = any(event.card in matter.cards for matter in before.state.matters)
        is_by_other = event.by is not None and _owner(before.state, event.card) not in (None, event.by)
        return log(rates.mended if is_open else rates.taken_back) + (log(LIFTED_BY_OTHER) if is_by_other else 0.0)
    return log(1 - rates.mended) if before.new_fault else 0.0
