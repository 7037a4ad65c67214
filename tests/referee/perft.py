"""
Count the sequences of legal plays from fixed positions, by the program and by the independent engine.

    python -m tests.referee.perft write      draw the positions again, and count them by the engine
    python -m tests.referee.perft check [--depth 4]

For each rule set there are six positions: opening, throw-in, take, transfer, end of talon, the last two. A position is
a deal, all cards known, and the plays that lead to it. Plays are text: ``A: 7s 7h``, ``B: 8s over 7s``, ``B: take``.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.cards import Card, CardSet
from referee.effects import apply
from referee.effects.deal import open_match
from referee.events import Pressed, Shown
from referee.game import GameState
from referee.header import Header
from referee.legal import events_of, legal_plays
from referee.plays import Draw, Play, Swap
from referee.rulebook import rulebook
from tests.referee.engine import Deal
from tests.referee.hands import LOWEST, ORDER
from tests.referee.house import HOUSES

FILE = Path(__file__).parent / "perft.json"
DEPTH = 4


class _Stacked(random.Random):
    """Shuffles a pack into a given order."""

    def __init__(self, order: list[str]) -> None:
        super().__init__(0)
        self.order = order

    def shuffle(self, x: Any) -> None:
        x[:] = self.order


class EngineTable:
    """A deal of the independent engine that lists its legal plays as text and makes them."""

    def __init__(self, rules: str, seats: list[str], pack: list[str], options: Mapping[str, Any] | None = None) -> None:
        self.deal = Deal(HOUSES[rules][0] | dict(options or {}), seats, seats[-1], _Stacked(pack))
        self.owed: list[tuple[str, int]] = []
        self.deal.owe_lowest_trump(seats[0])
        self.deal.begin(seats[0], seats[1])

    def after(self, play: str) -> EngineTable:
        """Return the table after a play."""
        other = copy.copy(self)
        other.deal, other.owed = copy.deepcopy(self.deal), list(self.owed)
        other.make(play)
        return other

    def plays(self) -> Iterator[str]:
        """Yield every legal play."""
        deal = self.deal
        if deal.result is not None:
            return
        yield from (f"{seat}: swap {card}" for seat, card in deal.swappers())
        if self.owed:
            seat, count = self.owed[0]
            yield from (f"{seat}: draw {number}" for number in range(1, count + 1))
            return
        if not deal.pairs:
            yield from (f"{deal.attacker}: {' '.join(by_suit(cards))}" for cards in deal.openings())
            return
        yield from (f"{deal.defender}: {card} over {over}" for card, over in deal.defences())
        for card, is_shown in deal.transfers():
            yield f"{deal.defender}: {'show' if is_shown else 'transfer'} {card}"
        if deal.unbeaten and not deal.taking:
            yield f"{deal.defender}: take"
        for seat in deal.attackers():
            yield from (f"{seat}: {card}" for card in deal.throw_ins(seat))
        going_on = deal.attackers() if deal.room > 0 and deal.hands[deal.defender] else []
        by_turn = deal.house["throw_order"] == "handoff" and not deal.taking
        going_on = [seat for seat in going_on if seat not in deal.passed and not (by_turn and deal.closed)]
        yield from (f"{seat}: pass" for seat in going_on if not by_turn or seat == deal.holder)
        if going_on:
            yield "done"
        if deal.is_closed():
            yield "sweep to heap"
        if deal.unbeaten:
            yield f"sweep to {deal.defender}"

    def make(self, play: str) -> None:
        deal = self.deal
        if play.startswith("sweep"):
            self.owed = deal.sweep()
            if not self.owed:
                deal.go_on()
            return
        if play == "done":
            deal.stop_all()
            return
        seat, words = play.split(": ")
        match words.split():
            case ["take"]:
                deal.take()
            case ["pass"]:
                deal.stop(seat)
            case ["swap", card]:
                deal.swap(seat, card)
            case ["draw", number]:
                self.draw(seat, int(number))
            case ["transfer" | "show" as how, card]:
                deal.pass_on(card, how == "show")
            case [card, "over", over]:
                deal.beat(card, over)
            case cards:
                deal.attack(seat, tuple(cards))

    def draw(self, seat: str, number: int) -> None:
        deal, (_, count) = self.deal, self.owed[0]
        last = deal.talon[-1]
        deal.draw(seat, number)
        if deal.house["second_trump"] != "none" and not deal.talon:
            deal.trump = last[1]
        self.owed = [(seat, count - number), *self.owed[1:]] if count > number else self.owed[1:]
        if not self.owed:
            deal.go_on()


def by_suit(cards: tuple[str, ...]) -> list[str]:
    return str(CardSet.parse(" ".join(cards))).split()


class ProgramTable:
    """One deal as the referee plays it: it knows all hands, and the faces of drawn cards as they are drawn."""

    def __init__(self, rules: str, seats: list[str], pack: list[str], options: Mapping[str, Any] | None = None) -> None:
        house = rulebook(rules, options).as_json()
        deal = Deal(house, seats, seats[-1], _Stacked(pack))
        self.talon = deal.talon
        start = {
            "trump": deal.trump,
            "turnup": deal.shown if deal.lies_under else None,
            "talon": len(deal.talon),
            "hands": {seat: len(hand) for seat, hand in deal.hands.items()},
            "known": deal.hands,
            "attacker": seats[0],
        }
        data = {"kozyr": 1, "rules": rules, "options": dict(options or {}), "seats": seats, "dealer": seats[-1]}
        header = Header.parse({key: value for key, value in data.items() if value} | {"start": start})
        self.position: GameState = open_match(header)
        lowest = deal.lowest_trump_of(seats[0])
        if house["first_lead"] == "lowest_trump_itself" and lowest is not None:
            claim = Pressed(at=0.0, button="claim", by=seats[0], card=Card.parse(lowest))
            self.position, _ = apply(self.position, claim)

    def plays(self) -> list[Play]:
        return list(legal_plays(self.position))

    def after(self, play: Play) -> ProgramTable:
        other = copy.copy(self)
        position = self.position.replace(laying=None)  # two plays of one seat are not reported at one moment
        for event in events_of(play):
            position, _ = apply(position, event)
        if isinstance(play, Swap) and self.position.ledger.turnup is not None:
            shown = str(self.position.ledger.turnup)
            other.talon = [str(play.card) if card == shown else card for card in self.talon]
        if isinstance(play, Draw):
            drawn, other.talon = self.talon[: play.count], self.talon[play.count :]
            known = {**position.ledger.known, play.by: position.ledger.known[play.by] | set(map(Card.parse, drawn))}
            position = position.replace(ledger=position.ledger.replace(known=known))
            if position.last_card_by is not None:
                position, _ = apply(position, Shown(at=0.0, card=Card.parse(drawn[-1]), by=play.by))
        other.position = position
        return other


def count(table: EngineTable | ProgramTable, depth: int) -> int:
    """Return the number of sequences of ``depth`` legal plays; a deal that ends before counts for none."""
    plays = list(table.plays())
    return len(plays) if depth == 1 else sum(count(table.after(play), depth - 1) for play in plays)  # type: ignore[arg-type]


def first_difference(engine: EngineTable, program: ProgramTable, depth: int, path: tuple[str, ...] = ()) -> str | None:
    """Return where the two lists differ; None: nowhere to this depth."""
    theirs, mine = sorted(engine.plays()), {str(play): play for play in program.plays()}
    if theirs != sorted(mine):
        lacking, more = sorted(set(theirs) - set(mine)), sorted(set(mine) - set(theirs))
        return f"after {'; '.join(path) or 'nothing'}: the program lacks {lacking} and adds {more}"
    if depth > 1:
        for text, play in mine.items():
            found = first_difference(engine.after(text), program.after(play), depth - 1, (*path, text))
            if found is not None:
                return found
    return None


WANTED: dict[str, Callable[[EngineTable], bool]] = {
    "opening": lambda table: table.deal.bout == 1 and not table.deal.pairs and not table.owed,
    "throw-in": lambda table: bool(table.deal.pairs) and not table.deal.unbeaten and not table.deal.closed,
    "take": lambda table: table.deal.taking and len(table.deal.pairs) > 1 and not table.owed,
    "transfer": lambda table: (
        len(table.deal.unbeaten) == len(table.deal.pairs) > 0
        and not table.deal.taking
        and any(card[0] == table.deal.unbeaten[0][0] for card in table.deal.hands[table.deal.defender])
    ),
    # Where all cards are dealt, a bout after a take, with hands of different size.
    "end of talon": lambda table: (
        sum(number for _, number in table.owed) >= len(table.deal.talon) > 0
        or (not table.deal.had_talon and table.deal.bout > 1 and not table.deal.pairs)
    ),
    # Where the first one out wins nobody is out before the end: the last cards of all.
    "last two": lambda table: (
        not table.deal.talon
        and not table.owed
        and (len(table.deal.living()) == 2 or table.deal.house["result"] == "first_out_wins")
        and sum(map(len, table.deal.hands.values())) < 14
        and not table.deal.pairs
    ),
}


def shuffled(size: int, rng: random.Random) -> list[str]:
    """Return a shuffled pack of ``size`` cards."""
    pack = [rank + suit for suit in "shdc" for rank in ORDER[ORDER.index(LOWEST[size]) :]]
    rng.shuffle(pack)
    return pack


def drawn_position(rules: str, name: str) -> dict[str, Any]:
    """Play random legal plays of the engine until a position of this kind comes."""
    rng = random.Random(f"{rules} {name}")
    players = HOUSES[rules][1][0]
    while True:
        seats = list("ABCDEF"[:players])
        house = HOUSES[rules][0]
        pack = shuffled(house["pack"], rng)
        table, plays = EngineTable(rules, seats, list(pack)), []
        for _ in range(1500):
            if WANTED[name](table) and 2 < len(list(table.plays())) < 40:
                return {"rules": rules, "position": name, "seats": seats, "pack": " ".join(pack), "plays": plays}
            options = [play for play in table.plays() if play != "done"]
            if not options:
                break
            plays.append(rng.choice(options))
            table.make(plays[-1])


def tables_of(position: dict[str, Any]) -> tuple[EngineTable, ProgramTable]:
    """Return both tables in a stored position."""
    pack = position["pack"].split()
    engine = EngineTable(position["rules"], position["seats"], list(pack))
    program = ProgramTable(position["rules"], position["seats"], list(pack))
    for text in position["plays"]:
        engine.make(text)
        play = next((play for play in program.plays() if str(play) == text), None)
        assert play is not None, f"{position['rules']}, {position['position']}: {text} is not legal"
        program = program.after(play)
    return engine, program


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "check"))
    parser.add_argument("--depth", type=int, default=DEPTH)
    parser.add_argument("--only", default="", help="rule sets whose name contains this")
    args = parser.parse_args()
    if args.action == "write":
        found = [drawn_position(rules, name) for rules in HOUSES for name in WANTED]
        for position in found:
            engine = (
                tables_of(position)[0]
                if position["plays"]
                else EngineTable(position["rules"], position["seats"], position["pack"].split())
            )
            position["counts"] = [count(engine, depth) for depth in range(1, args.depth + 1)]
            print(position["rules"], position["position"], position["counts"], flush=True)
        FILE.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n", "utf-8")
        return 0
    wrong = 0
    for position in json.loads(FILE.read_text("utf-8")):
        if args.only in position["rules"]:
            engine, program = tables_of(position)
            counted = count(program, args.depth)
            is_same = counted == position["counts"][args.depth - 1]
            wrong += not is_same
            difference = "" if is_same else first_difference(engine, program, args.depth)
            print(position["rules"], position["position"], counted, difference, flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
