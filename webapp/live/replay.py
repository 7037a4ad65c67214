"""Make the replay of a kept match: each line with the position after it, and the calls that hold."""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from referee.cards import pack
from referee.corrections import RecordLine, StandingCorrection
from referee.events import Tick
from referee.match_judge import positions
from referee.messages import Message
from referee.record import event_to_json
from webapp.errors import StoreError
from webapp.live.board import correction_as_json, is_note
from webapp.live.hands_in_hindsight import add_hindsight
from webapp.live.kept_corrections import judged_again, with_open_cards
from webapp.live.live_match import LiveMatch
from webapp.store.matches import Matches
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say
from webapp.text.rule_paragraphs import paragraph

Replay = Mapping[str, Any]
JUDGING = ("referee", "webapp/live", "webapp/text")
"""The key of a replay: all that it depends on."""
KEPT = 8
"""Number of replays in memory, most recently used: judging a long match again takes seconds."""


class Replays:
    """
    Replays of the matches of a store; each is cached until its match has more lines or the referee's version changes.
    """

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._made: OrderedDict[tuple[str, int], Replay] = OrderedDict()
        self._lock = Lock()

    def of(self, match: str, language: str) -> Mapping[str, Any]:
        """
        Return the replay in a language. ``steps``: ``line``, ``at``, ``event`` as the referee believes it, whether it
        is a person's report (``said``), the ``state`` after it, and what later lines prove
        (``webapp.live.hands_in_hindsight``). ``calls``: rulings and announcements that hold, each with the paragraph
        of its fault (``rule``); ``note``: it asks nobody; ``answers``: to a question that nobody answered.
        ``UnusableInputError`` if there is no such match.
        """
        about, made = self._made_of(match)
        comments = self._matches.comments(match)
        steps = [with_comment(step, comments.get(step["line"])) for step in made["shared"]["steps"]]
        return {**about, **made["shared"], "steps": steps, "calls": made["calls"][language]}

    def taken(self, match: str, language: str) -> Mapping[str, Any]:
        """Return what can be corrected of a match (``as_taken``), with the ``calls`` that people may want explained."""
        _, made = self._made_of(match)
        calls = [call for call in made["calls"][language] if is_in_doubt(call)]
        return {**made["taken"], "calls": calls}

    def _made_of(self, match: str) -> tuple[Mapping[str, Any], Replay]:
        """Return the line of a match in the library, and its replay."""
        about, _ = self._matches.about(match)
        key = (match, int(about["events"]))
        with self._lock:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = self._kept(*key, is_over=about["ended"])
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
        return about, made

    def prepare(self, match: str) -> None:
        """Make the replay of a match that has ended, before it is requested."""
        about, _ = self._matches.about(match)
        self._kept(match, int(about["events"]), is_over=True)

    def _kept(self, match: str, events: int, *, is_over: bool) -> Replay:
        replays, judged_by = self._matches.replays, this_referee()
        kept = replays.read(match, events, judged_by)
        if kept is not None:
            found: Replay = json.loads(zlib.decompress(kept))
            return found
        made = replay(judged_again(self._matches, match))
        if is_over:
            data = zlib.compress(json.dumps(made).encode())
            with suppress(StoreError):  # it can be made again
                replays.keep(match, events, judged_by, data)
        return made


@cache
def this_referee() -> str:
    """Return an identifier of this referee; it changes with the version of the rules and of the sentences."""
    root = Path(__file__).parents[2]
    files = sorted(path for folder in JUDGING for path in (root / folder).rglob("*") if path.suffix in (".py", ".po"))
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def with_comment(step: Mapping[str, Any], comment: str | None) -> Mapping[str, Any]:
    """Return a step with people's ``comment`` on its line, if there is one."""
    return {**step, "comment": comment} if comment else step


def replay(match: LiveMatch) -> Replay:
    """
    Return the replay of a judged match: ``shared`` by all languages, ``calls`` by language, and what can be corrected.
    """
    steps: list[dict[str, Any]] = [
        {
            "line": each.line,
            "at": each.event.at,
            "event": event_to_json(each.event),
            "said": each.is_stated,
            "state": state.as_json(),
        }
        for each, state in positions(match.header, match.taken)
        if each.is_stated or not isinstance(each.event, Tick)
    ]
    cards = tuple(map(str, pack(match.pack)))
    add_hindsight(match.opening_state, steps, cards, set(match.header.as_json().get("start", {}).get("heap", ())))
    teams = [list(team) for team in match.teams]
    shared = {"header": match.header.as_json(), "teams": teams, "start": match.opening_state, "steps": steps}
    shared["corrections"] = [correction_as_json(each) for each in match.corrections]
    taken = as_taken(match.taken, tuple(match.header.seats), match.pack, match.state, match.corrections)
    return {
        "shared": shared,
        "taken": taken,
        "calls": {language: standing_calls(match, language) for language in LANGUAGES},
    }


def standing_calls(match: LiveMatch, language: str) -> list[Mapping[str, Any]]:
    """
    Return the calls of a match that hold, in order, each with the paragraph of its fault. A note has ``note``, an open
    question ``answers``.
    """
    times = {each.line: each.event.at for each in match.taken}
    standing = match.standing
    held = sorted((*standing.rulings, *standing.announcements), key=lambda message: message.line)
    asked = {(each.line, str(each.message.what)): each for each in match.matters if each.is_question}
    calls = []
    for message in held:
        call = _call(message, times, language)
        matter = asked.get((message.line, str(message.what)))
        if matter is not None:
            call = {**call, "answers": [dict(answer.shown) for answer in matter.answers]}
        calls.append({**call, "note": True} if is_note(call) else call)
    return calls


def _call(message: Message, times: Mapping[int, float], language: str) -> Mapping[str, Any]:
    words = message.as_json()
    about = words.pop("of", words["line"]) if "ruling" in words else words["line"]
    return with_rule({**words, "line": about, "at": times.get(about), "text": say(message.what, language)}, language)


def with_rule(call: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """Return a call with the paragraph of the rule that it names, if any (``rule``)."""
    rule = paragraph(str(call["fault"]), language) if "fault" in call else None
    return call if rule is None else {**call, "rule": rule}


def is_in_doubt(call: Mapping[str, Any]) -> bool:
    """Check whether people may want the ruling explained; a note (unclear, without a question) needs none."""
    ruling = call.get("ruling", "legal")
    return bool(ruling != "legal" and not is_note(call))


def as_taken(
    lines: Sequence[RecordLine],
    seats: tuple[str, ...],
    pack: int,
    state: Mapping[str, Any],
    corrections: Sequence[StandingCorrection],
) -> dict[str, Any]:
    """
    Return what can be corrected: the table, the lines as the referee believes them now, and people's corrections.

    Each line has its number, its event, ``said`` (a person stated it), and the cards that lay unbeaten before and after
    it: ``open_before``, ``open_after``.
    """
    corrected = [correction_as_json(each) for each in corrections]
    taken = [
        {
            "line": each.line,
            "event": event_to_json(each.event),
            "said": each.is_stated,
            "open_before": list(map(str, before)),
            "open_after": list(map(str, after)),
        }
        for each, before, after in with_open_cards(lines)
    ]
    return {"seats": list(seats), "pack": pack, "state": dict(state), "lines": taken, "corrections": corrected}
