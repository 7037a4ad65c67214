"""
Make the replay of a kept match: each line with the position after it, and the calls that hold.

It also has what later plays prove about the hands. Whoever lays a card held it before, as far back as no unknown card
came to that hand. So the lines are walked from last to first: a card that is laid joins the hand, one that came from
table or talon leaves it, and where unseen cards came, nothing earlier is proven. A take is compared with the proven
hand: could the cards have been beaten?
"""

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

from referee.cards import Card, Suit, pack
from referee.corrections import RecordLine, StandingCorrection
from referee.events import Tick
from referee.record import event_to_json
from referee.rulings import Message
from webapp.errors import StoreError
from webapp.live.board import correction_as_json, is_note
from webapp.live.kept_record import JudgedMatches, with_open_cards
from webapp.live.live_match import LiveMatch
from webapp.store.matches import Matches
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say
from webapp.text.rule_paragraphs import paragraph

BACK = "back"
"""A card that lies face down: its name is unknown."""
Hands = dict[str, set[str]]
Step = Mapping[str, Any]


def add_hindsight(
    start: Mapping[str, Any], steps: Sequence[dict[str, Any]], pack: Sequence[str], dead: set[str]
) -> None:
    """
    Add to each step what later lines prove: ``later`` ({seat: cards that were in that hand after it, beyond what was
    known then}), and to a take ``take`` (``seat``, and ``could``: pairs of card and what would have beaten it, or
    ``could_not``: cards that nothing in the hand beat).

    ``start``: the position before the first step. ``pack``: all cards in play. ``dead``: those that lay in the discard
    pile from the beginning.
    """
    if not steps:
        return
    walk = _Backwards(_at_the_end(steps, pack, dead))
    for place in range(len(steps) - 1, -1, -1):
        step, before = steps[place], steps[place - 1]["state"] if place else start
        later = {seat: sorted(cards) for seat in step["state"]["hands"] if (cards := walk.beyond(step["state"], seat))}
        if later:
            step["later"] = later
        walk.cross(step["event"], before, step["state"])
        taker = _who_takes(step["event"], before, step["state"])
        if taker is not None and (proof := _proof(walk.hand(before, taker), before, taker)) is not None:
            step["take"] = proof


class _Backwards:
    """Hold the proven hands between two lines while walking back."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._was: dict[str, str] = {}  # true name of a reread card, by the name that was read first
        self._laid_by: dict[str, str] = {}

    def hand(self, state: Mapping[str, Any], seat: str) -> set[str]:
        """Return all proven cards of a hand; only what was known then if the two contradict each other."""
        known, count = set(state["known"].get(seat, ())), state["hands"].get(seat)
        proven = known | self._hands.get(seat, set())
        return proven if count is not None and len(proven) <= count else known

    def beyond(self, state: Mapping[str, Any], seat: str) -> set[str]:
        """Return what is proven of a hand beyond what was known then."""
        return self.hand(state, seat) - set(state["known"].get(seat, ()))

    def cross(self, event: Step, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Step back over a line, from the hands after it to those before it."""
        kind, by, card = event["event"], event.get("by"), event.get("card")
        if kind in ("dealt", "corrected") or event.get("button") == "undo":
            self._hands, self._was, self._laid_by = {}, {}, {}
            return
        self._lose(*self._on(before, event))
        expected = dict.fromkeys(after["hands"], 0)
        if kind == "placed" and card != BACK:
            card = self._was.pop(str(card), str(card))
            by = self._laid_by.pop(card, by)
            self._lose(card)
            stays_open = card in _open(after)  # a card that breaks a rule counts as held until the fault is forgiven
            self._add(by, card, expected, 0 if stays_open else -1)
        elif kind == "reread":
            self._was[event["was"]] = str(card)
        elif event.get("button") == "assign":
            self._laid_by[str(card)] = event["to"]
        elif kind == "shown":
            self._add(by, card, expected, 0)
        elif kind == "swapped":
            self._lose(str(before.get("turnup")))
            self._add(by, card, expected, 0)
        elif kind == "lifted" and by in expected:
            expected[by] = 1
        elif kind == "swept" and event.get("to") in expected:
            expected[event["to"]] = len(self._on(before, event)) - len(event.get("left") or ())
        for seat, came in expected.items():
            was, now = before["hands"].get(seat), after["hands"].get(seat)
            if kind == "drawn" and seat == (by or seat) and card is not None and event.get("count", 1) == 1:
                self._lose(str(card))
            elif was is None or now is None or now - was > came:
                self._hands.pop(seat, None)  # unseen cards joined the hand

    def _add(self, by: str | None, card: str | None, expected: dict[str, int], came: int) -> None:
        if by in expected and card is not None and by is not None:
            self._hands.setdefault(by, set()).add(card)
            expected[by] = came

    def _lose(self, *cards: str) -> None:
        for hand in self._hands.values():
            hand.difference_update(cards)

    @staticmethod
    def _on(before: Mapping[str, Any], event: Step) -> list[str]:
        """Return the cards that a line takes from the table."""
        if event["event"] == "lifted":
            return [str(event.get("card"))]
        return _cards_on(before) if event["event"] == "swept" else []


def _cards_on(state: Mapping[str, Any]) -> list[str]:
    return [card for pair in state["table"] for card in pair if card is not None] + _open(state)


def _open(state: Mapping[str, Any]) -> list[str]:
    return [card for matter in state["open"] for card in matter.get("cards", ())]


def _at_the_end(steps: Sequence[Step], pack: Sequence[str], dead: set[str]) -> Hands:
    """Infer the only unknown hand once the talon is empty: all cards that were never seen elsewhere."""
    last = steps[-1]["state"]
    if last["talon"] != 0 or any(count is None for count in last["hands"].values()):
        return {}
    seen = set(dead).union(*(set(cards) for cards in last["known"].values()))
    for step in steps:
        event = step["event"]
        seen |= {event[key] for key in ("card", "turnup") if isinstance(event.get(key), str)}
        seen |= {*_cards_on(step["state"]), str(step["state"].get("turnup"))}
    unseen = [card for card in pack if card not in seen]
    lacking = {seat: count - len(last["known"].get(seat, ())) for seat, count in last["hands"].items()}
    seats = [seat for seat, count in lacking.items() if count]
    return {seats[0]: set(unseen)} if len(seats) == 1 and lacking[seats[0]] == len(unseen) else {}


def _who_takes(event: Step, before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the defender if this line is the take: as it was announced, else as the cards go to that hand."""
    defender: str | None = before.get("defender")
    says = before["phase"] == "attack" and after["phase"] == "take"
    sweeps = before["phase"] == "attack" and event["event"] == "swept" and event.get("to") == defender
    return defender if defender is not None and (says or sweeps) else None


def _proof(hand: set[str], before: Mapping[str, Any], seat: str) -> Mapping[str, Any] | None:
    """Return what the proven hand implies for the taken cards; None if it leaves that open."""
    if before["trump"] is None:
        return None
    trump = Suit(before["trump"])
    open_cards = [attack for attack, defence in before["table"] if defence is None and attack != BACK]
    if not open_cards:
        return None
    cheapest = sorted(map(Card.parse, hand), key=lambda card: (card.is_trump(trump), card.height))
    beats = {attack: [str(card) for card in cheapest if card.beats(Card.parse(attack), trump)] for attack in open_cards}
    pairs = _paired(open_cards, beats, frozenset())
    if pairs is not None:
        return {"seat": seat, "could": [list(pair) for pair in pairs]}
    if len(hand) != before["hands"][seat]:
        return None
    alone = [attack for attack in open_cards if not beats[attack]]
    return {"seat": seat, "could_not": alone or open_cards}


def _paired(
    attacks: Sequence[str], beats: Mapping[str, Sequence[str]], used: frozenset[str]
) -> tuple[tuple[str, str], ...] | None:
    """Match every attack with a different card that beats it; None if that is impossible."""
    if not attacks:
        return ()
    for card in beats[attacks[0]]:
        if card not in used and (rest := _paired(attacks[1:], beats, used | {card})) is not None:
            return ((attacks[0], card), *rest)
    return None


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
        self._matches, self.judged = matches, JudgedMatches(matches)
        self._made: OrderedDict[tuple[str, int], Replay] = OrderedDict()
        self._lock = Lock()

    def of(self, match: str, language: str) -> Mapping[str, Any]:
        """
        Return the replay in a language. ``steps``: ``line``, ``at``, ``event`` as the referee believes it, whether it
        is a person's report (``said``), the ``state`` after it, and what later lines prove of the hands (see the
        module). ``calls``: rulings and announcements that hold, each with the paragraph of its fault (``rule``);
        ``note``: it needs no answer; ``answers``: the possible ones to an open question.
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
        with self.judged.judged(match) as judged:
            made = replay(judged)
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
        for each, state in zip(match.taken, match.positions, strict=True)
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
