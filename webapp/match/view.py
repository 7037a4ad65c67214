"""
What people see of a match at a line of its log: the position, what happened so far, and what the referee says.

A :class:`View` is made by :func:`webapp.match.log.project` and by nothing else. It knows no language: a
:class:`Sentence` is put into words when the view becomes JSON, in the language of the reader.

Cards have one name everywhere. A card that was read wrongly has in all lists the name that the ruling on it gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct, structs, to_builtins

from referee.cards import BACK, Card
from referee.corrections import RecordLine, StandingCorrection
from referee.effects import renamed
from referee.events import Placed, Swept
from referee.game import GameState, OpenFault, Phase
from referee.legal import ranks_to_add
from referee.record import event_to_json
from referee.rules.lead import leaders_of
from referee.rulings import Announcement, Message, Ruling, Verdict
from webapp.text.present import say

ROUTINE_CALLS_SHOWN = 60
"""Routine calls that a page of the table gets: more than people scroll through. All others stay for the whole match."""
NO_STATEMENTS = ("undo", "dismiss", "challenge")
"""Presses that state nothing about the game, so that there is nothing in them to take back."""
SHOWN_ANYWAY = frozenset({"talon", "limit", "score", "turn", "draw"})
"""Announcements of facts that stand beside the table anyway: they are no headline."""
WEIGHT = (
    *("result", "illegal", "impossible", "corrected", "unclear", "challenge", "withdrawn", "doubt", "lead", "out"),
    *("trump", "turnup", "deal", "legal"),
)
"""Kinds of calls, the most important first: of what one event brought, the first is the headline."""


ROUTINE = SHOWN_ANYWAY | {"legal", "take"}
"""Kinds of calls that the plays themselves show."""


class Sentence:
    """A sentence in any language, made when a reader asks for it. No dataclass, which msgspec would take apart."""

    __slots__ = ("say",)

    def __init__(self, say: Callable[[str, bool], str]) -> None:
        """Take what makes it: language, whether cards are spelled for a voice -> the sentence."""
        self.say = say

    def in_language(self, language: str, is_spelled: bool = False) -> str:
        return self.say(language, is_spelled)


class Pair(Struct, frozen=True):
    """
    A card on the table and the card across it; names of cards, ``back`` where a card is not read.

    ``ruling``: the verdict on ``attack`` where it is the card of an open fault, and ``on`` what that lies across.
    ``by``, ``beaten_by``: who laid them.
    """

    attack: str
    defence: str | None = None
    ruling: str | None = None
    on: str | None = None
    by: str | None = None
    beaten_by: str | None = None


class TablePosition(Struct, frozen=True):
    """
    A position: the keys of docs/record.md, *The state*; the ranks that ``may_add`` now; and all that lies on the table
    (``lying``), cards of open faults and unread ones included. ``bout``: its number in the deal. ``leads``: who opens
    the deal, where the rules name one player before it.
    """

    phase: str = "lead"
    trump: str | None = None
    turnup: str | None = None
    talon: int | None = 0
    heap: int | None = 0
    attacker: str | None = None
    defender: str | None = None
    entitled: list[str] = []
    hands: dict[str, int] = {}
    known: dict[str, list[str]] = {}
    table: list[list[str | None]] = []
    limit: int | None = None
    room: int | None = None
    ranks: list[str] = []
    due: list[list[Any]] = []
    out: list[str] = []
    result: dict[str, Any] | None = None
    open: list[dict[str, Any]] = []
    may_add: list[str] = []
    lying: list[Pair] = []
    bout: int = 0
    leads: str | None = None

    @classmethod
    def of(cls, state: GameState, is_shown: Callable[[OpenFault], bool] = lambda matter: True) -> TablePosition:
        lying, number = tuple(_lying(state, is_shown)), 0 if state.bout is None else state.bout.number
        leads: str | None = None
        if state.phase is Phase.LEAD and state.result is None:
            seats, reason = leaders_of(state)
            leads = seats[0] if reason is not None and len(seats) == 1 else None
        return cls(**state.as_json(), may_add=list(ranks_to_add(state)), lying=list(lying), bout=number, leads=leads)

    @property
    def unbeaten(self) -> list[str]:
        """Return the cards that lie without a card across them."""
        bare = [pair for pair in self.lying if pair.defence is None and pair.attack != BACK]
        lain_on = {pair.on for pair in bare}
        return [pair.attack for pair in bare if pair.on is None and pair.attack not in lain_on]

    @property
    def cards(self) -> list[str]:
        named = (card for pair in self.lying for card in (pair.attack, pair.defence))
        return [card for card in named if card is not None and card != BACK]


def _lying(state: GameState, is_shown: Callable[[OpenFault], bool]) -> Iterator[Pair]:
    bout = state.bout
    if bout is None:
        return
    laid = {card for attack in bout.attacks for card in (attack.card, attack.defence)}
    beside = [(matter, card) for matter in state.matters for card in matter.cards if card not in laid]
    across: dict[Card | None, tuple[str, str | None]] = {card.on: (BACK, card.by) for card in bout.faceless if card.on}
    across |= {matter.on: (str(card), matter.play.by) for matter, card in beside if matter.on and not is_shown(matter)}
    for attack in bout.attacks:
        if attack.defence is not None:
            over: tuple[str | None, str | None] = (state.shown_name(attack.defence), attack.beaten_by)
        else:
            over = across.pop(attack.card, (None, None))
        yield Pair(state.shown_name(attack.card) or BACK, over[0], by=attack.by or None, beaten_by=over[1])
    for stray in bout.strays:
        if stray.card not in laid:
            yield Pair(state.shown_name(stray.card) or BACK, by=stray.by)
    for matter, card in beside:
        if is_shown(matter):
            on = None if matter.on is None else str(matter.on)
            yield Pair(str(card), ruling=str(matter.verdict), on=on, by=matter.play.by)
        elif matter.on in across or matter.on is None:
            yield Pair(str(card), by=matter.play.by)
    yield from (Pair(BACK, by=card.by) for card in bout.faceless if card.on is None)


class TimelineStep(Struct, frozen=True):
    """
    A line of the record as it is believed now, and the position after it as it was at that time.

    ``said``: a person stated it. ``bout``: the number of the bout that it belongs to, counted through the match.
    ``ruling``, ``asks``: the verdict on it where that is not legal, and whether it asks somebody.
    """

    line: int
    at: float
    event: dict[str, Any]
    said: bool
    bout: int
    position: TablePosition
    ruling: str | None = None
    asks: bool = False

    def as_json(self) -> dict[str, Any]:
        call = None if self.ruling is None else {"ruling": self.ruling, "question": self.asks}
        return {"line": self.line, "bout": self.bout, "event": self.event, "said": self.said, "call": call}


class Call(Struct, frozen=True):
    """
    A ruling or an announcement that holds.

    ``line``: of what it is about, ``at`` when that was (seconds); ``said``: the line that brought it. ``content``: the
    keys of docs/record.md, *Rulings and announcements*. ``note``: nobody is asked. ``aloud``: for everybody to see.
    ``details``: what follows from a correction, a sentence each.
    """

    line: int
    said: int
    at: float | None
    content: dict[str, Any]
    text: Sentence
    note: bool = False
    aloud: bool = True
    details: tuple[Sentence, ...] = ()

    @property
    def is_routine(self) -> bool:
        """Check whether a page may leave it out later: it neither accuses somebody, asks, nor states a correction."""
        return self.note or self.kind in ROUTINE

    @property
    def kind(self) -> str:
        """Return the verdict, the kind of the announcement, or ``withdrawn``."""
        return str(self.content.get("ruling") or self.content.get("announce") or "withdrawn")

    @property
    def key(self) -> tuple[int, str, str | None]:
        """Return what tells it apart from other calls."""
        return self.line, self.kind, self.content.get("fault")

    @classmethod
    def of(cls, message: Message, times: Mapping[int, float]) -> Call:
        content = message.as_json()
        said = content.pop("line")
        line = said if isinstance(message.what, Announcement) else message.line
        sentence = Sentence(partial(say, message.what))
        # A note is a ruling that asks nobody: pages show it on demand.
        what = message.what
        is_note = isinstance(what, Ruling) and what.verdict is Verdict.UNCLEAR and what.question is None
        return cls(line, said, times.get(line), content, sentence, is_note)

    def as_line(self, language: str, times: Mapping[int, float]) -> dict[str, Any]:
        """Return the line of docs/record.md, *Rulings and announcements*."""
        at = {"at": times[self.said]} if self.said in times else {}
        return {"line": self.said, **at, **self.content, **self._in_words(language)}

    def on_its_line(self, language: str) -> dict[str, Any]:
        """Return the same under the line that it is about."""
        content = {key: value for key, value in self.content.items() if key != "of" or "ruling" not in self.content}
        return {"line": self.line, "at": self.at, **content, **self._in_words(language)}

    def _in_words(self, language: str) -> dict[str, Any]:
        details = [sentence.in_language(language) for sentence in self.details]
        return {"text": self.text.in_language(language), **({"details": details} if details else {})}


class Correction(Struct, frozen=True):
    """A correction by a person that holds: before and after as events, null where nothing happened."""

    line: int
    at: float
    about: int | None
    was: dict[str, Any] | None
    now: dict[str, Any] | None

    @classmethod
    def of(cls, correction: StandingCorrection) -> Correction:
        was, now = (None if event is None else event_to_json(event) for event in (correction.was, correction.now))
        return cls(correction.line, correction.at, correction.about, was, now)


class OpenQuestion(Struct, frozen=True):
    """A question or an open fault with the answers that a person may give; ``aloud``: for everybody to see."""

    line: int
    ruling: str
    fault: str | None
    cards: list[str]
    question: bool
    text: Sentence
    answers: list[dict[str, str]]
    aloud: bool = True


class Headline(Struct, frozen=True):
    """
    What stands in large type: the calls that the newest event brought, the most important first; without such the
    newest fault that is still open; else the event itself. ``tone``: a verdict, ``result``, ``announcement`` or
    ``quiet``.
    """

    tone: str = "quiet"
    line: int | None = None
    calls: tuple[Call, ...] = ()
    event: dict[str, Any] | None = None


class View(Struct, frozen=True, omit_defaults=True):
    """
    What people see of a match at a line of its log.

    ``line``: the newest line of the record, ``at`` when it was. ``calls``: what holds, in the order in which it was
    said; a withdrawal only until the next event. ``matters``: what people can decide now, the question first.
    ``presses``: statements that may be taken back. ``results``: those of the deals that are over. ``rulings``: number
    by verdict. ``pack``: cards in play. ``misread``: cards on the table by the name under which they were reported,
    where that is another.
    """

    line: int = 0
    at: float | None = None
    rules: str = ""
    tone: str = "call"
    seats: tuple[str, ...] = ()
    teams: tuple[tuple[str, ...], ...] = ()
    pack: int = 36
    position: TablePosition | None = None
    start: TablePosition | None = None
    timeline: tuple[TimelineStep, ...] = ()
    calls: tuple[Call, ...] = ()
    headline: Headline = Headline()
    matters: tuple[OpenQuestion, ...] = ()
    corrections: tuple[Correction, ...] = ()
    results: tuple[dict[str, Any], ...] = ()
    rulings: dict[str, int] = {}
    last_event: dict[str, Any] | None = None
    misread: dict[str, str] = {}

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = {} if self.position is None else to_builtins(self.position)
        return found

    @property
    def question(self) -> OpenQuestion | None:
        return next((matter for matter in self.matters if matter.question), None)

    def ruled(self, language: str = "en") -> list[dict[str, Any]]:
        """Return the rulings that hold, each under the line that it is about, in order of time."""
        found = [call.on_its_line(language) for call in self.calls if "ruling" in call.content]
        return sorted(found, key=lambda ruling: (ruling["at"] or 0.0, ruling["line"]))

    def as_json(self, language: str = "en", *, is_whole: bool = False) -> dict[str, Any]:
        shown = self if is_whole else structs.replace(self, timeline=(), start=None, calls=calls_shown(self.calls))
        return dict(to_builtins(shown, enc_hook=lambda value: value.in_language(language)))


def calls_shown(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls that a page of the table gets: all but the older routine ones, in their order."""
    found = tuple(calls)
    left_out = [call for call in found if call.is_routine][:-ROUTINE_CALLS_SHOWN]
    dropped = {id(call) for call in left_out}
    return tuple(call for call in found if id(call) not in dropped)


def named_as_ruled(lines: Iterable[RecordLine], rulings: Iterable[Message]) -> Iterator[RecordLine]:
    """
    Yield the lines, each card that was laid alone under the name that the ruling on it gives it.

    A correction may prove that a card was misread on a later line, too, as when the same card is laid once more. The
    record keeps what the camera reported.
    """
    ruled = {ruling.line: ruling.what for ruling in rulings if isinstance(ruling.what, Ruling)}
    names: dict[Card, Card] = {}
    for line in lines:
        event = line.event
        for was, card in names.items():
            event = renamed(event, was, card)
        if isinstance(event, Swept):
            names = {was: card for was, card in names.items() if card in event.left}
        elif isinstance(event, Placed):
            names.pop(event.card, None)
            ruling = ruled.get(line.line)
            if not line.is_stated and ruling is not None and len(ruling.cards) == 1 and ruling.cards[0] != event.card:
                names[event.card] = ruling.cards[0]
                event = structs.replace(event, card=ruling.cards[0])
        yield line if event is line.event else line._replace(event=event)
