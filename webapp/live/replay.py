"""A kept match as one steps through it: each line with the position after it, and what holds of all that was said."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from referee.events import Tick
from referee.match_judge import positions
from referee.record import event_to_json
from referee.said import Said
from webapp.live.kept_corrections import judged_again
from webapp.live.match import Match
from webapp.store.matches import Matches
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say
from webapp.text.rule_paragraphs import paragraph

KEPT = 8
"""Replays kept ready, the newest asked for: judging a long match again takes seconds."""


class Replays:
    """Replays of the matches of a store; each is made once, until its match has more lines."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._made: OrderedDict[tuple[str, int], Mapping[str, Mapping[str, Any]]] = OrderedDict()
        self._lock = Lock()

    def of(self, match: str, language: str) -> Mapping[str, Any]:
        """
        The replay in a language. ``steps``: ``line``, ``at``, ``event`` as it is taken to have been, whether people
        ``said`` so, and the ``state`` after it. ``calls``: what was said and still holds, with the paragraph of a fault
        (``rule``). ``UnusableInputError`` where there is no such match.
        """
        about, _ = self._matches.about(match)
        key = (match, int(about["events"]))
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = replay(judged_again(self._matches, match))
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
        return {**about, **made[language]}


def replay(match: Match) -> Mapping[str, Mapping[str, Any]]:
    """Language -> the replay of a match that was judged."""
    steps: list[dict[str, Any]] = [
        {
            "line": each.line,
            "at": each.event.at,
            "event": event_to_json(each.event),
            "said": each.is_said,
            "state": state.as_json(),
        }
        for each, state in positions(match.header, match.taken)
        if not isinstance(each.event, Tick)
    ]
    times = {step["line"]: step["at"] for step in steps}
    standing = match.standing
    held = sorted((*standing.rulings, *standing.announcements), key=lambda said: said.line)
    shared = {"header": match.header.as_json(), "start": match.opening_state, "steps": steps}
    return {language: {**shared, "calls": [_call(said, times, language) for said in held]} for language in LANGUAGES}


def _call(said: Said, times: Mapping[int, float], language: str) -> dict[str, Any]:
    words = said.as_json()
    about = words.pop("of", words["line"]) if "ruling" in words else words["line"]
    fault = words.get("fault")
    rule = None if fault is None else paragraph(str(fault))
    told = {**words, "line": about, "at": times.get(about), "text": say(said.what, language)}
    return told if rule is None else {**told, "rule": rule}
