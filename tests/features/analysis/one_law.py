"""
Compare the parts that know the rules: the judge's list of legal plays, the page's hint, the analysis, and the engine.

    python -m tests.features.analysis.one_law [--rules NAME] [--games 20] [--without-engine]

Every option of the rulebook is drawn, those too that are added later; an option that the engine has not been taught yet
needs ``--without-engine``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from features.analysis.position import (
    ATTACK,
    BEAT,
    SHOW,
    TAKE,
    TRANSFER,
    Decision,
    house_of,
    in_words,
    legal,
    position_of,
)
from referee.cards import Card, mask_of
from referee.errors import RulebookError
from referee.game import Phase
from referee.legal import ranks_to_add
from referee.plays import Beat, Give, Laid, Play, Swap, Take, ThrowIn, Transfer
from referee.rulebook import OPTIONS, PRESETS, rulebook
from referee.rules import fault_of
from tests.referee.house import makes_sense
from tests.referee.perft import EngineTable, ProgramTable, shuffled

PLAYS = 30
"""Plays of one game."""


@dataclass
class Game:
    """A game played by random legal plays. ``plays``: those compared; ``rules``, ``options``, ``players``: by which."""

    rules: str
    options: Mapping[str, Any]
    players: int
    plays: int = 0


def drawn_options(rng: random.Random, players: int) -> dict[str, Any]:
    """Return random values of the options by which ``players`` players can play."""
    while True:
        often = rng.choice((0.1, 0.3, 0.6))
        found: dict[str, Any] = {}
        for option in OPTIONS.values():
            if rng.random() < often:
                found[option.name] = rng.choice((*option.values, *((2, 4, 7) if option.counts else ())))
        try:
            rules = rulebook("podkidnoy-36", found)
            rules.check_seats(players)
        except RulebookError:
            continue
        if makes_sense(rules.as_json(), players):
            return found


def decision_of(play: Play) -> Decision | None:
    """Return a play as a decision of the analysis; None: the analysis has none for it."""
    match play:
        case Beat():
            return (BEAT, play.mask, play.over.bit)
        case Transfer():
            return (SHOW if play.shown else TRANSFER, play.mask, 0)
        case Laid():
            return (ATTACK, play.mask, 0)
        case Take():
            return (TAKE, 0, 0)
    return None


def difference(program: ProgramTable, engine: EngineTable | None) -> str | None:
    """Return where the list of legal plays differs from the engine's list, or from the analysis; None: nowhere."""
    plays, state = program.plays(), program.position
    if any(fault_of(play, state) is not None for play in plays):
        return "a play is listed that the judge calls wrong"
    if engine is not None and sorted(map(str, plays)) != sorted(engine.plays()):
        mine, theirs = set(map(str, plays)), set(engine.plays())
        return f"the engine adds {sorted(theirs - mine)} and lacks {sorted(mine - theirs)}"
    if state.phase not in (Phase.ATTACK, Phase.TAKE):
        return None
    # The hint names what may be added in anybody's turn.
    ranks = {card.rank for play in plays if isinstance(play, ThrowIn | Give) for card in play.cards}
    if not ranks <= set(ranks_to_add(state)):
        return f"the page's hint is {ranks_to_add(state)} where {sorted(ranks)} are legal"
    seats = state.seating.seats
    hands = [mask_of(state.ledger.known[seat]) for seat in seats]
    talon = [Card.parse(card).bit for card in reversed(program.talon)]
    position = position_of(house_of(state), state, hands, talon)
    for number, seat in enumerate(seats):
        listed = {decision_of(play) for play in plays if play.by == seat} - {None}
        found = set(legal(position, number))
        if found != listed:
            more = sorted(in_words(play) for play in found - listed)
            lacking = sorted(in_words(play) for play in listed - found if play is not None)
            return f"the analysis adds {more} for {seat} and lacks {lacking}"
        swaps = any(isinstance(play, Swap) and play.by == seat for play in plays)
        if state.ledger.turnup is not None and swaps != position.may_swap(number):
            return f"the analysis differs in whether {seat} may exchange the lowest trump"
    return None


def compare(rules: str, options: Mapping[str, Any], players: int, seed: int, with_engine: bool = True) -> Game:
    """Play a game by random legal plays and compare every position; ``AssertionError`` names the first difference."""
    rng = random.Random(f"{rules} {players} {seed}")
    seats = list("ABCDEF"[:players])
    pack = shuffled(rulebook(rules, options).pack, rng)
    program = ProgramTable(rules, seats, list(pack), options)
    engine = EngineTable(rules, seats, list(pack), options) if with_engine else None
    game, made = Game(rules, options, players), []
    for _ in range(PLAYS):
        found = difference(program, engine)
        assert found is None, f"{found}\nafter {'; '.join(made)}\n{rules}, {players} players, {dict(options)}"
        plays = [play for play in program.plays() if str(play) != "done"]
        if not plays:
            break
        play = rng.choice(plays)
        made.append(str(play))
        program = program.after(play)
        if engine is not None:
            engine.make(str(play))
        game.plays += 1
    return game


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", help="only this rule set")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--without-engine", action="store_true")
    args = parser.parse_args()
    plays = 0
    for seed in range(args.games):
        rng = random.Random(seed)
        rules = args.rules or "podkidnoy-36"
        players = rng.choice(PRESETS[rules].players)
        options = {} if args.rules else drawn_options(rng, players)
        plays += compare(rules, options, players, seed, not args.without_engine).plays
    print(f"{args.games} games, {plays} plays: judge, list, analysis and engine agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
