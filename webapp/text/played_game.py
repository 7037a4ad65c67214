"""Write a game as people note it down: a line a bout, who laid which card and how it was beaten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cards import Card
from webapp.text.catalogue import page_words
from webapp.text.present import card_name

Step = Mapping[str, Any]
"""One event as ``webapp.live.replay`` has it: ``event``, and ``comment`` where people wrote one."""


@dataclass(slots=True)
class _Attack:
    """An attack card of a bout, and what beat it."""

    card: str
    by: str | None
    beaten_with: str | None = None
    beaten_by: str | None = None


def played_game(steps: Iterable[Step], language: str = "en") -> str:
    """
    Return the game, a numbered line a bout; comments follow their bout.

    >>> steps = [{"event": {"event": "placed", "card": "7s", "by": "Boris"}},
    ...          {"event": {"event": "placed", "card": "Ts", "by": "Vera", "on": "7s"}, "comment": "well held"},
    ...          {"event": {"event": "swept", "to": "heap"}}]
    >>> print(played_game(steps), end="")
    1. Boris 7♠ - Vera 10♠. Beaten off
       (well held)
    """
    words = page_words(language)
    lines: list[str] = []
    bout: list[_Attack] = []
    comments: list[str] = []
    number = 0
    for step in steps:
        event = step["event"]
        comments += [step["comment"]] if step.get("comment") else []
        if event["event"] == "placed":
            _lay(bout, event)
        elif event["event"] == "lifted":
            _lift(bout, event["card"])
        elif event["event"] == "swept" and bout:
            number += 1
            lines.append(_bout_line(number, bout, _ending(event["to"], words), language))
            lines += [f"   ({each})" for each in comments]
            bout, comments = [], []
    if bout:
        lines.append(_bout_line(number + 1, bout, "", language))
    lines += [f"   ({each})" for each in comments]
    return "".join(f"{line}\n" for line in lines)


def _lay(bout: list[_Attack], event: Mapping[str, Any]) -> None:
    card, by = event.get("card"), event.get("by")
    under = next((each for each in bout if each.card == event.get("on") and each.beaten_with is None), None)
    if under is not None:
        under.beaten_with, under.beaten_by = card, by
    elif card is not None:
        bout.append(_Attack(card, by))


def _lift(bout: list[_Attack], card: str) -> None:
    for each in reversed(bout):
        if each.beaten_with == card:
            each.beaten_with = each.beaten_by = None
            return
        if each.card == card:
            bout.remove(each)
            return


def _ending(to: str, words: Mapping[str, str]) -> str:
    ending = words["review_beaten"] if to == "heap" else words["review_taken"].format(who=to)
    return ending[:1].upper() + ending[1:]


def _bout_line(number: int, bout: Sequence[_Attack], ending: str, language: str) -> str:
    plays = ", ".join(_pair(each, language) for each in bout)
    return f"{number}. {plays}." + (f" {ending}" if ending else "")


def _pair(attack: _Attack, language: str) -> str:
    first = f"{attack.by or '?'} {_name(attack.card, language)}"
    if attack.beaten_with is None:
        return first
    return f"{first} - {attack.beaten_by or '?'} {_name(attack.beaten_with, language)}"


def _name(card: str, language: str) -> str:
    return "?" if card == "back" else card_name(Card.parse(card), language)
