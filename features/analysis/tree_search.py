"""
Information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012, single observer).

Each playout deals the hidden cards again and walks down one tree of decisions, in which a node stands for what the
player can know: all deals that agree with it share the node. Among the decisions open in this deal the one with the
highest upper confidence bound is taken, counted by how often it was open. Every player goes for his own result.

At the root the playouts are shared out by halves: all decisions get as many, the better half goes on, and so forth. One
decision, the one that was really made, goes on to the end, and the others are compared with it deal by deal: what the
deal alone decides cancels out. One is called better only where it gains more than the standard error of that gain.

The decision that did best in the playouts that chose it was also lucky in them, so the values that are reported come
from further playouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt

from features.analysis.endgames import TwoHands
from features.analysis.playouts import Chance, play_out
from features.analysis.position import GOES_ON, Decision, Position, choices

EXPLORES = 0.6
"""Weight of what is uncertain in the bound. Chosen by hand: results are 0, a half or 1."""
GROWS_FROM = 10
"""Visits of a node before decisions are tried below it while the talon has cards: few tries say less than simple
players do."""
MARGIN = 1.0
"""Standard errors that a decision must gain to be called better. 0.5 and 1.5 played as well within the error."""
OTHERS_THINK = 1.4
OTHERS_OF_MANY_THINK = 1.1
"""
Factor of the odds to lose of the player who decides, at a table of two and of more, where hands are unknown: he has
chosen the best decision, and the playouts go on by simple players, while the others choose theirs, too. Fitted on 330
and 50 development games (benchmarks/FINDINGS.md).
"""

Deal = Callable[[Chance], Position]


class Node:
    """The statistics of one decision: ``wins`` are those of the player who makes it."""

    __slots__ = ("children", "open", "visits", "wins")

    def __init__(self) -> None:
        self.children: dict[Decision, Node] = {}
        self.visits = 0
        self.open = 0
        self.wins = 0.0


@dataclass(slots=True)
class Estimate:
    """
    The estimate of one decision by playouts. ``losses``: by seat, in how many of them it lost.
    ``gained``, ``squares``: sum, and sum of squares, of what it wins more in a deal than the decision compared with.
    """

    decision: Decision
    playouts: int
    losses: list[int]
    gained: float = 0.0
    squares: float = 0.0

    @property
    def chances(self) -> list[float]:
        """Return by seat the probability that it loses the deal after this decision."""
        return [lost / max(1, self.playouts) for lost in self.losses]

    @property
    def gain(self) -> float:
        return self.gained / self.playouts if self.playouts else 0.0

    @property
    def gain_error(self) -> float:
        if not self.playouts:
            return 0.0
        return sqrt(max(0.0, self.squares / self.playouts - self.gain**2) / self.playouts)


class TreeSearch:
    """
    Values the decisions of one seat. ``deal`` gives a position that agrees with what it knows; ``chance`` decides what
    is left to chance; ``solver`` solves the last cards of two.
    """

    def __init__(self, deal: Deal, seat: int, chance: Chance, solver: TwoHands | None = None) -> None:
        self._deal = deal
        self._seat = seat
        self._chance = chance
        self._solver = solver
        self._roots: dict[Decision, Node] = {}

    def estimates(self, decisions: Sequence[Decision], playouts: int, kept: Decision) -> list[Estimate]:
        """
        Estimate each decision, in order, with about ``playouts`` playouts in all. ``kept``: the one all are compared
        with.
        """
        roots = self._begun(decisions)
        base = next(root for root in roots if root[0].decision == kept)
        alive = [root for root in roots if root is not base]
        rounds = 1 + max(0, len(alive) - 1).bit_length()
        for number in range(rounds):
            for _ in range(max(1, playouts // (rounds * (len(alive) + 1)))):
                deal = self._deal(self._chance)
                reached = self._playout(deal, *base)
                for estimate, node in alive:
                    gained = self._playout(deal, estimate, node) - reached
                    estimate.gained += gained
                    estimate.squares += gained * gained
            if number < rounds - 1:
                alive.sort(key=lambda root: -root[0].gain)
                del alive[(len(alive) + 1) // 2 :]
        return [estimate for estimate, _ in roots]

    def valued(self, decisions: Sequence[Decision], playouts: int) -> list[Estimate]:
        """Estimate each decision, all in the same deals, by ``playouts`` playouts in all that chose none of them."""
        roots = self._begun(decisions)
        for _ in range(max(1, playouts // len(decisions))):
            deal = self._deal(self._chance)
            for estimate, node in roots:
                self._playout(deal, estimate, node)
        return [estimate for estimate, _ in roots]

    def _begun(self, decisions: Sequence[Decision]) -> list[tuple[Estimate, Node]]:
        """Return an estimate without playouts for each decision, and the tree below it as it has grown so far."""
        seats = self._deal(self._chance).house.seats
        return [
            (Estimate(decision, 0, [0] * seats), self._roots.setdefault(decision, Node())) for decision in decisions
        ]

    def _playout(self, deal: Position, estimate: Estimate, root: Node) -> float:
        """Play a deal out after one decision; what the seat wins by it: 0, a half or 1."""
        position = deal.copy()
        position.play(estimate.decision, self._seat)
        path = self._descend(position, root)
        losers = position.losers
        if losers == GOES_ON:
            losers = play_out(position, self._chance, self._solver)
        estimate.playouts += 1
        root.visits += 1
        for seat in range(len(estimate.losses)):
            estimate.losses[seat] += losers >> seat & 1
        for node, seat in path:
            node.visits += 1
            node.wins += won(losers, seat)
        return won(losers, self._seat)

    def _descend(self, position: Position, node: Node) -> list[tuple[Node, int]]:
        """Walk down the tree to a decision never tried, and make it; the nodes passed, each with its player."""
        path: list[tuple[Node, int]] = []
        while position.losers == GOES_ON and (node.visits >= GROWS_FROM or not position.talon):
            options = choices(position)
            if len(options) == 1:
                position.play(options[0])
                continue
            seat, children = position.asked, node.children
            untried = [option for option in options if option not in children]
            if untried:
                decision = untried[int(self._chance.random() * len(untried))]
                child = children[decision] = Node()
                child.open = 1
                position.play(decision)
                path.append((child, seat))
                return path
            best, chosen = -1.0, options[0]
            for decision in options:
                child = children[decision]
                child.open += 1
                bound = child.wins / child.visits + EXPLORES * sqrt(log(child.open) / child.visits)
                if bound > best:
                    best, chosen = bound, decision
            node = children[chosen]
            position.play(chosen)
            path.append((node, seat))
        return path


def won(losers: int, seat: int) -> float:
    """Return what a seat wins by this end: 1 if another loses, a half for a draw, else 0."""
    return 0.5 if not losers else 0.0 if losers >> seat & 1 else 1.0


def with_odds(chance: float, factor: float) -> float:
    """
    Return a probability after its odds are multiplied.

    >>> with_odds(0.5, 3.0)
    0.75
    """
    return chance * factor / (1 - chance + chance * factor)


def chances_of(estimate: Estimate, seat: int) -> list[float]:
    """Return by seat how likely it loses after a decision of ``seat``, if the others think as well as it does."""
    found = estimate.chances
    chance = found[seat]
    if chance == 1:
        return found
    thought = with_odds(chance, OTHERS_THINK if len(found) == 2 else OTHERS_OF_MANY_THINK)
    found = [value * (1 - thought) / (1 - chance) for value in found]
    found[seat] = thought
    return found


def runner_up(estimates: Sequence[Estimate], kept: Estimate) -> Estimate:
    """Return the decision that gains most among those that stayed to the end; ``kept`` where it is the only one."""
    most = max((estimate.playouts for estimate in estimates if estimate is not kept), default=0)
    finalists = [estimate for estimate in estimates if estimate is not kept and estimate.playouts == most]
    return max(finalists, key=lambda estimate: estimate.gain, default=kept)


def best_of(estimates: Sequence[Estimate], kept: Estimate) -> Estimate:
    """
    Return the decision that gains most among those that stayed to the end.

    ``kept`` if none gains more than the standard error of its gain: no decision is called worse by chance of the
    search.
    """
    best = runner_up(estimates, kept)
    return best if best.gain > MARGIN * best.gain_error else kept
