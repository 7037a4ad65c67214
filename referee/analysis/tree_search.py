"""
Information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012, single observer).

Each playout deals the hidden cards again and walks down one tree of decisions, in which a node stands for what the
player can know: all deals that agree with it share the node. Among the decisions open in this deal the one with the
highest upper confidence bound is taken, counted by how often it was open. Every player goes for his own result.

At the root the playouts are shared out by halves: all decisions get as many, the better half goes on, and so forth; the
decision that was really made always goes on, since its value is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt

from referee.analysis.chance import Chance
from referee.analysis.choices import choices
from referee.analysis.decisions import Decision
from referee.analysis.playouts import play_out
from referee.analysis.position import GOES_ON, Position
from referee.analysis.two_hands import TwoHands

EXPLORES = 0.6
"""Weight of what is uncertain in the bound. Chosen by hand: results are 0, a half or 1."""

Deal = Callable[[Chance], Position]


class Node:
    """What is known of one decision: ``wins`` are those of the player who makes it."""

    __slots__ = ("children", "open", "visits", "wins")

    def __init__(self) -> None:
        self.children: dict[Decision, Node] = {}
        self.visits = 0
        self.open = 0
        self.wins = 0.0


@dataclass(slots=True)
class Estimate:
    """
    What playouts say of one decision. ``losses``: by seat, in how many of them it lost; ``draws``: of all.
    """

    decision: Decision
    playouts: int
    losses: list[int]
    draws: int

    def chance_of(self, seat: int) -> float:
        """How likely the seat loses the deal after this decision."""
        return self.losses[seat] / self.playouts if self.playouts else 0.0

    def wins_of(self, seat: int) -> float:
        """What the seat goes for: not to lose, a draw counting half."""
        return 1 - (self.losses[seat] + self.draws / 2) / self.playouts if self.playouts else 0.0


class TreeSearch:
    """
    Values the decisions of one seat. ``deal`` gives a position that agrees with what it knows; ``chance`` decides what
    is left to chance; ``solver`` solves the last cards of two players.
    """

    def __init__(self, deal: Deal, seat: int, chance: Chance, solver: TwoHands | None = None) -> None:
        self._deal = deal
        self._seat = seat
        self._chance = chance
        self._solver = solver

    def estimates(self, decisions: Sequence[Decision], playouts: int, kept: Decision | None = None) -> list[Estimate]:
        """
        What ``playouts`` say of the decisions, in their order. ``kept``: the decision that goes on to the last round.
        """
        first = self._deal(self._chance)
        seats = first.house.seats
        roots = [(Estimate(each, 0, [0] * seats, 0), Node()) for each in decisions]
        alive = list(roots)
        rounds = max(1, (len(roots) - 1).bit_length())
        for _ in range(rounds):
            each = max(1, playouts // (rounds * len(alive)))
            for _ in range(each):
                for estimate, node in alive:
                    self._playout(estimate, node)
            alive.sort(key=lambda root: -root[0].wins_of(self._seat))
            better = alive[: max(2, (len(alive) + 1) // 2)]
            alive = better + [root for root in alive[len(better) :] if root[0].decision == kept]
        return [estimate for estimate, _ in roots]

    def _playout(self, estimate: Estimate, root: Node) -> None:
        position = self._deal(self._chance)
        position.play(estimate.decision, self._seat)
        path = self._descend(position, root)
        losers = position.losers
        if losers == GOES_ON:
            losers = play_out(position, self._chance, self._solver)
        estimate.playouts += 1
        if not losers:
            estimate.draws += 1
        for seat in range(len(estimate.losses)):
            estimate.losses[seat] += losers >> seat & 1
        for node, seat in path:
            node.visits += 1
            node.wins += 0.5 if not losers else 0.0 if losers >> seat & 1 else 1.0

    def _descend(self, position: Position, node: Node) -> list[tuple[Node, int]]:
        """Walk down the tree to a decision never tried, and make it; the nodes passed, each with its player."""
        path: list[tuple[Node, int]] = []
        while position.losers == GOES_ON:
            options = choices(position)
            if len(options) == 1:
                position.play(options[0])
                continue
            seat, children = position.asked, node.children
            untried = [each for each in options if each not in children]
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
