"""
Show single pictures in place of a match, on the page and as lines without rulings: nothing is known of the plays
between two of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from features.stills.pipeline import PictureRead, StillPipeline
from features.stills.reading import StillSettings
from referee.cards import Card
from referee.record import Header
from vision.detection.card_detector import NetworkCardDetector
from webapp.live.match_options import MatchOptions
from webapp.match.log import Line, MatchKeeper, summary_of
from webapp.match.view import ROUTINE_CALLS_SHOWN, Call, Headline, Pair, Sentence, TablePosition, View
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.text.present import card_name


def open_pictures(
    detector: NetworkCardDetector, pack_size: int, options: MatchOptions, keeper: MatchKeeper | None
) -> tuple[StillPipeline, Stills]:
    """Return the reader of single pictures, and what collects its results."""
    settings = StillSettings(pack_size=pack_size)
    return StillPipeline(detector, settings), Stills(options.header, keeper, options.language)


class Stills:
    """The lines and the view of single pictures (``webapp.live.picture_reader.PictureLog``)."""

    def __init__(self, header: Header, ledger: MatchKeeper | None = None, language: str = LANGUAGES[0]) -> None:
        self._header, self._ledger, self._language = header, ledger, language
        self._pairs: list[list[str | None]] = []
        self._calls: tuple[Call, ...] = ()
        self._count = 0
        self.lines: list[Line] = []
        self.result: Line | None = None

    def open(self) -> tuple[Line, ...]:
        header = self._header.as_json()
        if self._ledger is not None:
            self._ledger.write(header)
        return (header,)

    def judge(self, *events: Any) -> tuple[Line, ...]:
        lines: list[Line] = []
        for read in events:
            if not isinstance(read, PictureRead):
                continue
            self._count += 1
            self._pairs = [[pair["attack"], pair["defence"]] for pair in read.line["pairs"]]
            text = Sentence(partial(sentence, read.line))
            call = Call(self._count, self._count, read.at, {"announce": "picture"}, text)
            self._calls = (*self._calls, call)[-ROUTINE_CALLS_SHOWN:]
            lines.append({**read.line, "at": round(read.at, 3), "text": text.in_language(self._language)})
        return tuple(lines)

    def pass_time(self, at_s: float) -> tuple[Line, ...]:
        return ()

    def finish(self) -> tuple[Line, ...]:
        return ()

    @property
    def view(self) -> View:
        lying = [Pair(str(attack), defence) for attack, defence in self._pairs]
        position = TablePosition(phase="still", table=self._pairs, lying=lying)
        headline = Headline("announcement", self._count, self._calls[-1:])
        return View(line=self._count, position=position, calls=self._calls, headline=headline)

    def summary(self, **played: float) -> Line:
        """Return the last line, with the keys of a game's summary."""
        return {"summary": {**summary_of((), None, **played)["summary"], "pictures": self._count}}


def sentence(line: Line, language: str, is_spelled: bool = False) -> str:
    """
    Describe the cards on a picture for people.

    >>> sentence({"cards": [{"card": "7s"}, {"card": "Ts"}, {"card": "back"}],
    ...           "pairs": [{"attack": "7s", "defence": "Ts"}]}, "en")
    'On this picture: 7♠ under 10♠, face down: 1.'
    """
    words = page_words(language)

    def named(card: str) -> str:
        return card_name(Card.parse(card), language)

    parts = [
        named(pair["attack"])
        if pair["defence"] is None
        else words["still_pair"].format(attack=named(pair["attack"]), defence=named(pair["defence"]))
        for pair in line["pairs"]
    ]
    paired = {name for pair in line["pairs"] for name in (pair["attack"], pair["defence"])}
    parts += [named(seen["card"]) for seen in line["cards"] if seen["card"] not in paired | {"back"}]
    backs = sum(seen["card"] == "back" for seen in line["cards"])
    if backs:
        parts.append(words["still_backs"].format(n=backs))
    return words["still_cards"].format(cards=", ".join(parts)) if parts else words["still_none"]
