"""Write a game as people note it down: a numbered line a bout (docs/record.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from referee.cards import BACK, Card
from webapp.match.view import Pair, TimelineStep
from webapp.text.catalogue import page_words
from webapp.text.present import card_name


def played_game(steps: Sequence[TimelineStep], comments: Mapping[int, str], language: str = "en") -> str:
    """Return the game, a numbered line a bout. ``comments`` by line follow their bout, in brackets."""
    return "".join(f"{line}\n" for line in _lines(steps, comments, language))


def _lines(steps: Sequence[TimelineStep], comments: Mapping[int, str], language: str) -> Iterator[str]:
    words = page_words(language)
    number, lying, noted = 0, list[Pair](), list[str]()
    for step in steps:
        noted += [comments[step.line]] if step.line in comments else []
        is_swept = step.event["event"] == "swept"
        if lying and (is_swept or not step.position.lying):
            number += 1
            ending = ""
            if is_swept:
                to = step.event["to"]
                ending = words["review_beaten"] if to == "heap" else words["review_taken"].format(who=to)
            yield _bout(number, lying, ending, language)
            yield from (f"   ({note})" for note in noted)
            noted = []
        lying = step.position.lying
    if lying:
        yield _bout(number + 1, lying, "", language)
    yield from (f"   ({note})" for note in noted)


def _bout(number: int, lying: Sequence[Pair], ending: str, language: str) -> str:
    plays = ", ".join(_pair(pair, language) for pair in lying)
    return f"{number}. {plays}." + (f" {ending[:1].upper()}{ending[1:]}" if ending else "")


def _pair(pair: Pair, language: str) -> str:
    def named(card: str) -> str:
        return "?" if card == BACK else card_name(Card.parse(card), language)

    first = f"{pair.by or '?'} {named(pair.attack)}"
    return first if pair.defence is None else f"{first} - {pair.beaten_by or '?'} {named(pair.defence)}"
