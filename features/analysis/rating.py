"""
Rate every decision of a record by its cost for the player, and make puzzles of endings with one decision that holds.

Two values where they differ: with what the player could know then (all deals that agree with it,
:mod:`features.analysis.deals`), and with what the whole record shows of the hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from features.analysis.deals import Deals
from features.analysis.decision_case import DecisionCase
from features.analysis.endgames import SAME, BudgetSpentError, ManyHands, Outcome, TwoHands, goal_of, is_of_two
from features.analysis.hand_odds import HandOdds
from features.analysis.playouts import Chance
from features.analysis.position import (
    ATTACK,
    BEAT,
    GOES_ON,
    PASS,
    WAIT,
    Decision,
    Position,
    choices,
    house_of,
    in_words,
    legal,
    openings,
    position_of,
)
from features.analysis.reasons import Reason, praise_of, reason_of
from features.analysis.recorded import HiddenCards, Made, RecordStep, deals_of, decisions_of
from features.analysis.tree_search import TreeSearch, best_of, chances_of, runner_up
from referee.cards import SUITS, cards_of, mask_of, same_ranks

VALUE_SHARE = 3
"""Number of playouts of which one chooses nothing and values the decision made and the best one. Chosen by hand."""
LATER_SHARE = 4
"""Number of playouts for what a player could know, of which one is made for what the record shows later."""
LATER_DIFFERS = 0.05
"""Difference from which the second value is given. Chosen by hand, about two standard errors of 400 playouts."""
WORTH_A_WORD = 0.05
"""A reason is given from this loss on, or this lead over the next best decision. Chosen by hand."""
EXACT_BUDGET = 60_000
"""Positions of two players that exact search may look at for one decision: about two seconds."""
LONGEST_LINE = 6
"""Decisions of the best line that is given for a solved decision that lost something."""
MANY_BUDGET = 20_000
"""Most positions that the search of an ending of more than two players visits: about half a second."""
MANY_CARDS = 9
"""Most cards in all of an ending of more than two players that is tried; of larger ones few are solved."""


@dataclass(frozen=True, slots=True)
class Rating:
    """
    A decision rated. ``chances``: by seat, to lose after it; ``later``: the value with what the record shows, where it
    differs. ``is_sure``: the record leaves no doubt about the hand of the player. ``safe``: of a
    solved decision all that do not lose. ``ahead``: where the decision made is
    the best, how much the next best would have cost. ``why``: why the best one was better, or the one made good.
    ``best_line``: of a solved decision that lost something, how the best play goes on.
    """

    line: int
    name: str
    played: str
    loss: float
    chance: float
    best: str
    best_chance: float
    exact: bool
    playouts: int
    chances: Mapping[str, float]
    choices: int
    is_sure: bool = True
    later: Mapping[str, Any] | None = None
    good: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()
    ahead: float | None = None
    why: Reason | None = None
    best_line: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        keys = ("played", "loss", "chance", "best", "best_chance", "exact", "playouts")
        data: dict[str, Any] = {"line": self.line, "by": self.name, **{key: getattr(self, key) for key in keys}}
        data |= {"chances": dict(self.chances), "choices": self.choices}
        if not self.is_sure:
            data["hand"] = "supposed"
        if self.later is not None:
            data["later"] = dict(self.later)
        if self.exact:
            data["good"] = list(self.good)
        if self.ahead is not None:
            data["ahead"] = self.ahead
        if self.why is not None:
            data["why"] = dict(self.why)
        if self.best_line:
            data["best_line"] = list(self.best_line)
        return data


def cases_of(steps: Sequence[RecordStep], chance: Chance) -> list[DecisionCase]:
    """
    Return every decision of a match that can be rated.

    ``steps``: its lines with the positions around them. ``chance`` decides which of a player's draws brought a card
    where the record leaves that open.
    """
    found = []
    for deal in deals_of(steps):
        hidden = HiddenCards.of(deal, chance)
        decisions = list(decisions_of(deal))
        odds = HandOdds(len(hidden.seats))
        for number, made in enumerate(decisions):
            truth = _truth(made, hidden)
            if truth is None:
                continue
            case = _case(made, hidden, truth, odds)
            if case is not None:
                found.append(replace(case, added=_added(made, decisions[number + 1 :])))
            odds.decided(truth, hidden.seats.index(made.seat), made.decision, _known(made))
    return found


def _added(made: Made, later: Sequence[Made]) -> tuple[tuple[str, int], ...]:
    """Return who threw in which card of the rank that a beating card brought to the table in its bout."""
    kind, card, _ = made.decision
    bout = made.state.bout
    if kind != BEAT or bout is None or mask_of(bout.cards) & same_ranks(card):
        return ()
    found = []
    for decision in later:
        if decision.state.bout is None or decision.state.bout.number != bout.number:
            break
        if decision.decision[0] == ATTACK and decision.decision[1] & same_ranks(card):
            found.append((decision.seat, decision.decision[1]))
    return tuple(found)


def _truth(made: Made, hidden: HiddenCards) -> Position | None:
    """Return the position of a decision with the hands as the record shows them later; None if it is not known."""
    state, seats = made.state, made.state.seating.seats
    if state.bout is None or state.trump is None or made.seat not in seats:
        return None
    talon = hidden.talon(made.step, state)
    if len(talon) != state.ledger.talon:
        return None
    hands = [hidden.hand(seat, made.step, state)[0] for seat in seats]
    return position_of(house_of(state), state, hands, talon)


def _known(made: Made) -> tuple[int, ...]:
    """Return by seat the cards that everybody knew to be in that hand."""
    return tuple(mask_of(made.state.ledger.known[seat]) for seat in made.state.seating.seats)


def _case(made: Made, hidden: HiddenCards, truth: Position, odds: HandOdds) -> DecisionCase | None:
    state, seats = made.state, made.state.seating.seats
    seat = seats.index(made.seat)
    kind, cards, _ = made.decision
    if cards & ~truth.hands[seat]:
        return None
    options = options_of(truth, seat, made.decision)
    if kind == PASS and len(options) < 2:
        return None
    deals = Deals.known_to(truth, seat, _known(made), mask_of(state.ledger.heap))
    if len(deals.unseen) < sum(deals.hidden) + deals.talon:
        return None
    held, sure = hidden.hand(made.seat, made.step, state)
    is_sure = held == sure and held.bit_count() == state.ledger.hands[made.seat]
    deals = deals.weighted(odds)
    return DecisionCase(made.line, seat, made.seat, seats, made.decision, truth, deals, options, is_sure, sure)


def options_of(position: Position, seat: int, made: Decision) -> tuple[Decision, ...]:
    """Return what the seat could have decided, including the decision it made."""
    if not position.attack_count:
        found = openings(position)
    else:
        found = legal(position, seat)
        if seat != position.defender:
            waits = position.unbeaten and not position.is_taking and made[0] == ATTACK
            found = [*found, (WAIT if waits else PASS, 0, 0)]
    return tuple(found) if made in found else (*found, made)


def rate(case: DecisionCase, playouts: int, chance: Chance, solver: TwoHands | None = None) -> Rating:
    """Rate one decision by ``playouts`` playouts, or exactly where that is possible."""
    if case.deals.is_one:
        exact = solved(case.truth, case.seat, case.options)
        if exact is not None:
            return _exact_rating(case, exact)
    search = TreeSearch(case.deals.deal, case.seat, chance, solver)
    rating = _sampled(case, search, playouts, not case.deals.is_one)
    if case.deals.is_one or len(case.options) < 2:
        return rating
    return _with_later(rating, case, max(1, playouts // LATER_SHARE), chance, solver)


def solved(truth: Position, seat: int, options: Iterable[Decision]) -> dict[Decision, Outcome] | None:
    """Return the exact outcome of each decision of the seat; None if that takes too long to compute."""
    cards = sum(hand.bit_count() for hand in truth.hands) + truth.table.bit_count()
    if truth.talon or (cards > MANY_CARDS and not is_of_two(truth)):
        return None
    solver = ManyHands(truth.house, truth.trump, MANY_BUDGET, EXACT_BUDGET)
    found = {}
    for option in options:
        after = truth.copy()
        after.play(option, seat)
        try:
            found[option] = solver.outcome(after)
        except BudgetSpentError:
            return None
    return found


def _exact_rating(case: DecisionCase, outcomes: Mapping[Decision, Outcome]) -> Rating:
    goals = {option: goal_of(outcomes[option], case.seat) for option in case.options}
    losses = {option: outcomes[option][case.seat] for option in case.options}
    best = max(case.options, key=lambda option: goals[option] + SAME * (option == case.decision))
    others = [losses[option] for option in case.options if option != case.decision]
    ahead = max(0.0, min(others) - losses[case.decision]) if others and best == case.decision else None
    loss = max(0.0, losses[case.decision] - losses[best])
    return replace(
        _rating(case, best, outcomes[case.decision][:-1], loss, ahead),
        exact=True,
        good=tuple(in_words(option) for option in case.options if goals[option] > goals[best] - SAME),
        safe=tuple(in_words(option) for option in case.options if losses[option] < SAME),
        best_line=_best_line(case, best) if loss >= WORTH_A_WORD and is_of_two(case.truth) else (),
    )


def _rating(
    case: DecisionCase, best: Decision, chances: Sequence[float], loss: float, ahead: float | None, playouts: int = 0
) -> Rating:
    """Return the rating, with the reason for a loss or a lead that is worth a word."""
    chance, why = chances[case.seat], None
    if loss >= WORTH_A_WORD:
        why = reason_of(case, best)
    elif ahead is not None and ahead >= WORTH_A_WORD:
        why = praise_of(case)
    return Rating(
        line=case.line,
        name=case.name,
        played=in_words(case.decision),
        loss=round(loss, 3),
        chance=round(chance, 3),
        best=in_words(best),
        best_chance=round(chance - loss, 3),
        exact=False,
        playouts=playouts,
        chances={name: round(chance, 3) for name, chance in zip(case.seats, chances, strict=True)},
        choices=len(case.options),
        is_sure=case.is_sure,
        ahead=None if ahead is None else round(ahead, 3),
        why=why,
    )


def _best_line(case: DecisionCase, best: Decision) -> tuple[str, ...]:
    """Return how the deal goes on after the best decision when both play as well as can be, that decision first."""
    position = case.truth.copy()
    position.play(best, case.seat)
    line = [f"{case.name}: {in_words(best)}"]
    while position.losers == GOES_ON and len(line) < LONGEST_LINE:
        seat, options = position.asked, choices(position)
        outcomes = solved(position, seat, options)
        if outcomes is None:
            break
        decision = max(options, key=lambda option: goal_of(outcomes[option], seat))
        line.append(f"{case.seats[seat]}: {in_words(decision)}")
        position.play(decision)
    return tuple(line)


def _sampled(case: DecisionCase, search: TreeSearch, playouts: int, is_hidden: bool) -> Rating:
    """
    Choose the best decision by most of the playouts, and value it and the one made by the others.

    ``is_hidden``: the search does not know the hands.
    """
    valuing = max(1, playouts // VALUE_SHARE)
    estimates = search.estimates(case.options, playouts - valuing, case.decision)
    kept = next(estimate for estimate in estimates if estimate.decision == case.decision)
    chosen = best_of(estimates, kept)
    rival = runner_up(estimates, kept) if chosen is kept else chosen
    played, other = kept, rival
    if rival is kept:
        (played,) = search.valued((kept.decision,), valuing)
    else:
        played, other = search.valued((kept.decision, rival.decision), valuing)
    chances, others = (
        chances_of(estimate, case.seat) if is_hidden else estimate.chances for estimate in (played, other)
    )
    chance = chances[case.seat]
    lead = others[case.seat] - chance
    is_better = chosen is not kept and lead < 0
    loss, ahead = max(0.0, -lead) if is_better else 0.0, max(0.0, lead)
    best = other.decision if is_better else case.decision
    made = (
        sum(estimate.playouts for estimate in estimates)
        + played.playouts
        + (other.playouts if rival is not kept else 0)
    )
    return _rating(case, best, chances, loss, None if is_better or rival is kept else ahead, made)


def _with_later(rating: Rating, case: DecisionCase, playouts: int, chance: Chance, solver: TwoHands | None) -> Rating:
    """Add the value with what the record shows later, where it differs."""
    exact = solved(case.truth, case.seat, case.options)
    if exact is not None:
        later = _exact_rating(case, exact)
    else:
        search = TreeSearch(lambda _: case.truth.copy(), case.seat, chance, solver)
        later = _sampled(case, search, playouts, False)
    if max(abs(later.chance - rating.chance), abs(later.loss - rating.loss)) < LATER_DIFFERS:
        return rating
    keys = ("chance", "loss", "best", "best_chance", "exact")
    return replace(rating, later={key: getattr(later, key) for key in keys})


def summary_of(lines: Iterable[Mapping[str, Any]], seats: Sequence[str]) -> list[dict[str, Any]]:
    """
    Return a line for each player: the number of decisions, their mean cost, and the lines of the two that cost most.
    """
    found = []
    everybody = list(lines)
    for seat in seats:
        own = [line for line in everybody if line["by"] == seat]
        worst = sorted((line for line in own if line["loss"] > 0), key=lambda line: (-line["loss"], line["line"]))[:2]
        mean = sum(line["loss"] for line in own) / len(own) if own else 0.0
        lost = [line["line"] for line in worst]
        found.append({"seat": seat, "decisions": len(own), "mean_loss": round(mean, 4), "worst": lost})
    return found


def puzzle_of(case: DecisionCase, rating: Rating) -> dict[str, Any] | None:
    """
    Return the position as a puzzle; None if it makes no puzzle: not solved, more than two are
    left, or more or fewer than one decision does not lose.

    ``unbeaten`` and ``beaten``: the cards on the table. ``choices``: all decisions, of which ``solution`` is the one.
    """
    position = case.truth
    if not rating.exact or not is_of_two(position):
        return None
    if rating.best_chance or len(rating.safe) != 1 or len(case.options) < 2:
        return None
    return {
        "line": case.line,
        "by": case.name,
        "trump": str(SUITS[position.trump]),
        "hands": {
            name: [str(card) for card in cards_of(position.hands[seat])]
            for seat, name in enumerate(case.seats)
            if seat not in position.out
        },
        "unbeaten": [str(card) for card in cards_of(position.unbeaten)],
        "beaten": [str(card) for card in cards_of(position.table & ~position.unbeaten)],
        "taking": position.is_taking,
        "attacker": case.seats[position.attacker],
        "choices": [in_words(option) for option in case.options],
        "solution": rating.safe[0],
    }
