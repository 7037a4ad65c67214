"""
Hypotheses: ways in which the whole game may have gone, each a position with a weight, and the beam of them.

A hypothesis takes an event by the law (:func:`referee.judge.judge`) and weighs it: legal plays are the rule, each kind
of fault has a small rate, cards in two places have next to none. Hypotheses that come to one position are one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Any

from referee.announcements import Announcement
from referee.belief.prior import log_prior
from referee.belief.rates import Rates
from referee.belief.trail import REMEMBERED, WINDOW, Blame, Trail, accuses
from referee.cards import Card
from referee.errors import InvariantError, RecordError
from referee.events import Corrected, Lifted, Placed, Swept, TableEvent
from referee.game import GameState, Trust
from referee.judge import judge
from referee.judgement import Step
from referee.ledger import Ledger
from referee.rulings import FaultId, Ruling

NO_NAMES: Mapping[Card, Card] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """
    One way in which everything may have been.

    ``log_weight``: natural logarithm, up to what all share. ``names``: cards on the table that were told by a wrong
    name, by that name. ``guessed``: cards whose names were only assumed, forgotten when the bout ends. ``fresh``: the
    cards of a fault just made, which people may take back. ``is_lost``: the books are known to be wrong. ``blames``:
    the faults of the newest lines; a hypothesis into which others were merged holds only a share of each.
    """

    state: GameState
    log_weight: float
    trail: Trail | None = None
    names: Mapping[Card, Card] = field(default_factory=lambda: NO_NAMES)
    guessed: frozenset[Card] = frozenset()
    fresh: tuple[Card, ...] = ()
    is_lost: bool = False
    blames: tuple[Blame, ...] = ()

    @property
    def key(self) -> Hashable:
        """What must be equal for two hypotheses to be one."""
        recent: list[tuple[FaultId | None, ...]] = []
        trail = self.trail
        while trail is not None and len(recent) < WINDOW:
            recent.append(tuple(each.fault for each in trail.rulings if accuses(each)))
            trail = trail.before
        return (
            position_key(self.state),
            tuple(sorted(self.names.items(), key=str)),
            self.guessed,
            self.fresh,
            self.is_lost,
            tuple(recent),
        )


Beam = tuple[Hypothesis, ...]
"""Hypotheses, the likeliest first."""


def blames_in_told_order(hypothesis: Hypothesis) -> tuple[Blame, ...]:
    """Its faults, where the two newest lines were taken the other way round."""
    trail = hypothesis.trail
    if trail is None or trail.before is None:
        return hypothesis.blames
    now = {trail.place: trail.before.place, trail.before.place: trail.place}
    return tuple(each._replace(place=now.get(each.place, each.place)) for each in hypothesis.blames)


@dataclass(slots=True)
class Budget:
    """How many judgements an event may still cost. A judgement takes some 40 microseconds."""

    left: int

    def spend(self) -> bool:
        """One more; is there any left?"""
        self.left -= 1
        return self.left >= 0


def taken(
    hypothesis: Hypothesis, event: TableEvent, rates: Rates, budget: Budget
) -> tuple[GameState, Step, float] | None:
    """The position after an event, what the law says, and the logarithm of how likely such a thing is; None: never."""
    budget.spend()
    state = hypothesis.state
    try:
        after, step = judge(state, event)
    except (InvariantError, RecordError):
        return None
    if hypothesis.is_lost:
        share = rates.lifted if isinstance(event, Lifted) else rates.followed
        return after, Step((), step.announcements), log(share)
    if isinstance(event, Corrected):
        return after, step, log(rates.adrift) if _differ(state, after) else 0.0
    return after, step, log_prior(hypothesis, event, step, rates, is_more=continues_play(after))


def _differ(state: GameState, after: GameState) -> bool:
    """Were the books otherwise than a person says?"""
    one, other = state.ledger, after.ledger
    return (one.hands, one.talon, one.heap_count, one.turnup) != (
        other.hands,
        other.talon,
        other.heap_count,
        other.turnup,
    )


@dataclass(frozen=True, slots=True)
class Taking:
    """
    How a told line is taken: as ``event``, told as ``told``, ``log_likelihood`` being how well that explains what was
    seen and ``cue`` which doubt it rests on. ``unseen``: what went unseen before it; that weighs ``log_unseen`` and had
    ``said`` announced.
    """

    place: int
    told: TableEvent
    event: TableEvent
    cue: str
    log_likelihood: float
    unseen: tuple[TableEvent, ...] = ()
    log_unseen: float = 0.0
    said: tuple[Announcement, ...] = ()


def extended(hypothesis: Hypothesis, taking: Taking, rates: Rates, budget: Budget) -> Hypothesis | None:
    """The hypothesis after a line, taken so; None where it can't be."""
    event = taking.event
    found = taken(hypothesis, event, rates, budget)
    if found is None:
        return None
    state, step, log_prior = found
    trail, blames = hypothesis.trail, hypothesis.blames
    log_void = 0.0
    if continues_play(state) and trail is not None:
        # Cards laid together are one play: what was said of its beginning is void, and how unlikely that was.
        blames = tuple(each for each in blames if each.place != trail.place)
        log_void = -trail.log_prior
        if any(map(accuses, step.rulings)) and any(map(accuses, trail.rulings)):
            log_void += log(rates.together)
        trail = replace(trail, rulings=(), log_factor=trail.log_factor + log_void, log_prior=0.0)
    factor = taking.log_likelihood + log_prior
    said = (*taking.said, *step.announcements)
    child = Hypothesis(
        state,
        hypothesis.log_weight + log_void + factor,
        Trail(
            trail,
            taking.place,
            event,
            taking.cue,
            taking.unseen,
            step.rulings,
            said,
            factor + taking.log_unseen,
            0.0 if hypothesis.is_lost else log_prior,
        ),
        _named(hypothesis.names, taking.told, event, state),
        hypothesis.guessed,
        _fresh_fault(step) if isinstance(event, Placed) else (),
        hypothesis.is_lost,
        _blaming(blames, trail, taking.place, step.rulings),
    )
    return _forgetting(found_again(child))


def _blaming(
    blames: tuple[Blame, ...], trail: Trail | None, place: int, rulings: tuple[Ruling, ...]
) -> tuple[Blame, ...]:
    """The faults of the newest lines, those of this line among them. ``trail``: the lines before."""
    if blames:
        oldest = _oldest_remembered(trail)
        blames = tuple(each for each in blames if each.place >= oldest)
    fault = next((each.fault for each in rulings if accuses(each)), None)
    return blames if fault is None else (*blames, Blame(place, fault, 1.0, rulings))


def _oldest_remembered(trail: Trail | None) -> int:
    """The number of the oldest line that is remembered with one more after it; where nothing was told has none."""
    oldest = trail
    for _ in range(REMEMBERED):
        if oldest is None:
            return 0
        trail, oldest = oldest, oldest.before
    return 0 if trail is None else trail.place


def unchanged(hypothesis: Hypothesis, *, place: int, cue: str, log_likelihood: float) -> Hypothesis:
    """The hypothesis in which nothing happened on this line."""
    trail = Trail(hypothesis.trail, place, None, cue, (), (), (), log_likelihood)
    return replace(hypothesis, log_weight=hypothesis.log_weight + log_likelihood, trail=trail)


def continues_play(state: GameState) -> bool:
    """Was the newest card laid together with others? They are one play: of its beginning alone nothing is said."""
    return state.laying is not None and len(state.laying.cards) > 1


def _fresh_fault(step: Step) -> tuple[Card, ...]:
    return next((ruling.cards for ruling in step.rulings if accuses(ruling) and ruling.cards), ())


def _named(names: Mapping[Card, Card], told: TableEvent, event: TableEvent, state: GameState) -> Mapping[Card, Card]:
    """Which cards on the table go by another name, after an event told as ``told`` was really ``event``."""
    if isinstance(told, Placed) and isinstance(event, Placed) and told.card != event.card:
        return {**names, told.card: event.card}
    if names and isinstance(event, Swept):
        lying = set(state.bout.cards) if state.bout is not None else set()
        return {name: card for name, card in names.items() if card in lying}
    return names


def by_real_names(event: TableEvent, hypothesis: Hypothesis) -> tuple[TableEvent, ...]:
    """
    The event with the names that its cards really have.

    Where a card was told by the name of another that has come to lie there too, either may be meant.
    """
    names, bout = hypothesis.names, hypothesis.state.bout
    if not names:
        return (event,)
    if isinstance(event, Swept):
        left = tuple(names.get(card, card) for card in event.left)
        return (replace(event, left=left) if event.left else event,)
    key = "on" if isinstance(event, Placed) else "card" if isinstance(event, Lifted) else None
    named = None if key is None else getattr(event, key)
    if key is None or named is None or named not in names:
        return (event,)
    changed: dict[str, Any] = {key: names[named]}
    real = replace(event, **changed)
    return (real, event) if bout is not None and named in bout.cards else (real,)


def _forgetting(hypothesis: Hypothesis) -> Hypothesis:
    """Once the bout has ended nobody knows where a card lies of which only the name was assumed."""
    bout = hypothesis.state.bout
    if not hypothesis.guessed or (bout is not None and bout.cards):
        return hypothesis
    state = hypothesis.state
    ledger, guessed = state.ledger, hypothesis.guessed
    forgotten: Ledger = ledger.but(
        heap=ledger.heap - guessed,
        known={seat: cards - guessed for seat, cards in ledger.known.items()},
        picked={seat: cards - guessed for seat, cards in ledger.picked.items()},
    )
    return replace(hypothesis, state=state.but(ledger=forgotten), guessed=frozenset())


def merged(hypotheses: Sequence[Hypothesis], most: int, floor: float) -> tuple[Beam, float]:
    """
    Equal ones made one, with the weight of both; at most ``most``, none ``floor`` nats below the best.

    Weights come out as logarithms of probabilities that add up to 1. The share of what was dropped comes with them: so
    likely is it that what really happened is among none of these.
    """
    if not hypotheses:
        return (), 0.0
    by_key: dict[Hashable, Hypothesis] = {}
    best = max(each.log_weight for each in hypotheses)
    in_all = sum(exp(each.log_weight - best) for each in hypotheses)
    for each in sorted(hypotheses, key=lambda each: -each.log_weight):
        if each.log_weight < best - floor:
            break
        key = each.key
        twin = by_key.get(key)
        if twin is None:
            by_key[key] = each
        else:
            by_key[key] = _as_one(twin, each)
    kept = sorted(by_key.values(), key=lambda each: -each.log_weight)[:most]
    held = sum(exp(each.log_weight - best) for each in kept)
    total = log(held) + best
    return tuple(replace(each, log_weight=each.log_weight - total) for each in kept), max(0.0, 1.0 - held / in_all)


def _as_one(heavier: Hypothesis, lighter: Hypothesis) -> Hypothesis:
    """Two that come to the same: the weight of both, and of every fault the share that it has in both."""
    log_weight = _log_add(heavier.log_weight, lighter.log_weight)
    if heavier.blames is lighter.blames:
        return replace(heavier, log_weight=log_weight)
    part = exp(heavier.log_weight - log_weight)
    both: dict[tuple[int, FaultId | None], Blame] = {}
    for each, of_it in ((heavier, part), (lighter, 1.0 - part)):
        for blame in each.blames:
            key = (blame.place, blame.fault)
            share = blame.share * of_it
            both[key] = (
                both[key]._replace(share=both[key].share + share) if key in both else blame._replace(share=share)
            )
    blames = tuple(sorted(both.values(), key=lambda blame: blame.place))
    return replace(heavier, log_weight=log_weight, blames=blames)


def lost(hypothesis: Hypothesis, log_weight: float) -> Hypothesis:
    """
    "I have lost the thread": what really happened is none of what is believed.

    The books follow the table from here on, and nobody is accused by them until they add up again.
    """
    state = hypothesis.state.but(trust=Trust.NOTHING)
    return replace(hypothesis, state=state, log_weight=log_weight, is_lost=True, fresh=(), names=NO_NAMES)


def found_again(hypothesis: Hypothesis) -> Hypothesis:
    """A lost hypothesis whose books nobody doubts any more: a new deal, or all hands seen full."""
    if hypothesis.is_lost and hypothesis.state.trust is Trust.ALL:
        return replace(hypothesis, is_lost=False)
    return hypothesis


def _log_add(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high + log(1.0 + exp(low - high))


def position_key(state: GameState) -> Hashable:
    """A position without its moments: equal where the game can't go on differently."""
    ledger, bout, refill = state.ledger, state.bout, state.refill
    return (
        state.phase,
        state.trump,
        tuple(ledger.hands.values()),
        ledger.talon,
        ledger.turnup,
        ledger.heap,
        ledger.heap_count,
        ledger.single,
        tuple(ledger.known.values()),
        tuple(ledger.picked.values()),
        state.out,
        state.due,
        state.emptied,
        state.beaten_off,
        state.short,
        state.leaders,
        state.drawn_since_deal,
        state.last_card_by,
        state.result and state.result.kind,
        state.session.deal,
        (refill.drew, refill.turnup, refill.holder, refill.partly),
        state.trust,
        tuple((matter.play, matter.fault.id, matter.cards, matter.on, matter.away) for matter in state.matters),
        None if state.laying is None else (state.laying.by, state.laying.at, state.laying.cards),
        tuple(sorted(state.claims.items(), key=str)) if state.claims else (),
        None
        if bout is None
        else (
            bout.number,
            bout.attacker,
            bout.defender,
            bout.limit,
            tuple((a.card, a.by, a.defence, a.beaten_by, a.thrown) for a in bout.attacks),
            bout.strays,
            bout.faceless,
            bout.taking is None,
            bout.ended,
            bout.waiting,
            bout.shown,
            tuple(seat for seat in bout.passed if bout.has_passed(seat)),
            tuple(pair for pair in bout.allowed if bout.has_allowed(*pair)),
        ),
    )
