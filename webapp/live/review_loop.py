"""
Referee a recorded game as fast as the machine allows, and summarise which part of it could be refereed.

The loop has no thread, no page and no clock: the same clip gives the same lines on every machine.

Rulings alone do not show whether the film was too short, the table hidden, the pack another one, or the play without
faults. ``Coverage`` therefore follows both the view of the vision pipeline and the lines of the referee.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from referee.cards import Card
from referee.rulebook import FREE
from vision.capture.sources import Frame
from vision.view.pipeline_view import PipelineView
from webapp.live.session import MatchSession
from webapp.match.log import Line
from webapp.text.present import card_name, clock


def review(
    session: MatchSession,
    frames: Iterable[Frame],
    clock: Callable[[], float],
    *,
    notice: Callable[[Frame], None] = lambda frame: None,
) -> Iterator[Line]:
    """
    Yield the lines of ``kozyr review --json``: header, events, each with its rulings and announcements, and a summary.

    Lines come as soon as they are known. ``clock`` (seconds, from any origin) only measures ``seconds_taken``.
    ``notice`` is called after each frame, before its lines.
    """
    began = clock()
    yield from session.begin().lines
    count, first_s, end_s = 0, None, 0.0
    for frame in frames:
        first_s = frame.at if first_s is None else first_s
        count, end_s = count + 1, frame.at + session.frame_s
        update = session.on_frame(frame)
        notice(frame)
        yield from update.lines
    yield from session.finish().lines
    yield session.match.summary(frames=count, seconds_of_clip=end_s - (first_s or 0.0), seconds_taken=clock() - began)


def begun_at(frames: Iterable[Frame], begin_s: float) -> Iterator[Frame]:
    """Yield the frames from a second of the clip on; their times stay the clip's own."""
    return (frame for frame in frames if frame.at >= begin_s)


LAYING = ("placed", "swept", "lifted", "swapped", "shown", "drawn")
"""Events that are plays; the others are statements or observations."""
WRONG_SEAT = frozenset(
    {"not-principal", "not-defender", "not-entitled", "give-order", "priority", "draw-out-of-turn", "draw-pending"}
)
"""Faults about who played: a few are normal in a game, a majority of all rulings is not."""


# Settings of the summary. Set by hand, 2026-11.
GLANCE_S = 1.0
"""Seconds between two samples of the view. Longer gives coarser times; shorter costs time without any gain."""
COVERAGE_MANY = 3
"""Number of doubtful plays from which they are taken to have one cause, ..."""


COVERAGE_SHARE = 1 / 3
"""... if they are also this share of all rulings. Higher values of either name the film as the cause less often;
lower values more often."""


CARD_GLANCES, MOST_CARDS = 3, 4
"""Glances that show a card from which it lies there, and is not misread for a moment; most cards that are named."""


class Coverage:
    """
    Follow a review: call ``sample`` after each frame and ``hear`` for each line, then ``sentence``.

    The pipeline's view is sampled once a second; spans and times are in seconds of the film.
    """

    def __init__(self) -> None:
        self._next_glance_s = 0.0
        self._since_s: float | None = None
        self._until_s = 0.0
        self._seen: Counter[Card] = Counter()
        self._hidden: list[list[float]] = []
        self._swayed: list[list[float]] = []
        self._moved: list[float] = []
        self._played: list[float] = []
        self._impossible = 0
        self._rulings = 0
        self._faults: Counter[str | None] = Counter()
        self._result: Mapping[str, Any] | None = None
        self._is_free = False

    def sample(self, frame: Frame, view_now: Callable[[], PipelineView | None]) -> None:
        """Sample the pipeline's view after a frame, if a second has passed since the last one."""
        self._since_s = frame.at if self._since_s is None else self._since_s
        self._until_s = frame.at
        if frame.at < self._next_glance_s:
            return
        self._next_glance_s = frame.at + GLANCE_S
        view = view_now()
        if view is not None and view.moved_at is not None and view.moved_at not in self._moved:
            self._moved.append(view.moved_at)
        spans = None
        if frame.lost is None and view is not None and view.sways:
            spans = self._swayed
            self._note_cards(view, only_confirmed=False)
        elif frame.lost is not None or (view is not None and view.blind):
            spans = self._hidden
        elif view is not None:
            self._note_cards(view, only_confirmed=True)
        if spans and frame.at - spans[-1][1] <= 2 * GLANCE_S:
            spans[-1][1] = frame.at
        elif spans is not None:
            spans.append([frame.at, frame.at])

    def _note_cards(self, view: PipelineView, *, only_confirmed: bool) -> None:
        """Count the cards that the view shows face up, each by its name."""
        self._seen.update({card.card for card in view.cards if card.card and (card.is_confirmed or not only_confirmed)})

    def hear(self, line: Mapping[str, Any]) -> None:
        self._is_free |= line.get("rules") == FREE
        if line.get("event") in LAYING:
            self._played.append(line["at"])
        if "ruling" in line:
            self._rulings += 1
            self._faults[line.get("fault")] += 1
            self._impossible += line["ruling"] == "impossible"
        if line.get("announce") == "result":
            self._result = line

    @property
    def is_useless(self) -> bool:
        return not self._played

    @property
    def sentence(self) -> str:
        length_s = self._until_s - (self._since_s or 0.0)
        if not self._played and length_s == 0.0:
            return "expected a film, got a single picture: nothing was refereed; use kozyr read for a picture"
        length = f"{length_s:.0f} s of film"
        swayed_s = sum(end - start + GLANCE_S for start, end in self._swayed)
        if not self._played and swayed_s >= COVERAGE_SHARE * length_s:
            lying = "cards lie there, but " if max(self._seen.values(), default=0) >= CARD_GLANCES else ""
            return (
                f"{lying}the camera moves in {swayed_s:.0f} of {length}: nothing was refereed; put it on a stand and "
                "play before it"
            )
        if not self._played and not self._seen:
            return (
                f"expected a game of cards, saw none face up in {length}: nothing was refereed; is the table in the "
                "picture, and light enough?"
            )
        if not self._played:
            seen = ", ".join(
                f"{card_name(card)} for {min(n * GLANCE_S, length_s):.0f} s"
                for card, n in self._seen.most_common(MOST_CARDS)
            )
            if max(self._seen.values()) < CARD_GLANCES:
                return (
                    f"expected a game of cards, saw only what may be {seen} in {length}: nothing was refereed; is the "
                    "table in the picture, and light enough?"
                )
            return f"saw {seen}, but in {length} nobody laid one: there was nothing to referee"
        if self._is_free:
            changes = "one change" if len(self._played) == 1 else f"{len(self._played)} changes"
            sentence = (
                f"reported {changes} from {clock(self._played[0])} to {clock(self._played[-1])}; nothing is judged"
            )
            return "; ".join((sentence, *self._reserves()))
        plays = "one play" if len(self._played) == 1 else f"{len(self._played)} plays"
        sentence = f"refereed {plays} from {clock(self._played[0])} to {clock(self._played[-1])}"
        sentence += ", to the end of the game" if self._result else "; the film ends before the game does"
        return "; ".join((sentence, *self._reserves()))

    def _reserves(self) -> list[str]:
        many = COVERAGE_MANY
        reserves = []
        if self._swayed:
            times = ", ".join(f"{clock(start)} to {clock(end)}" for start, end in self._swayed[:many])
            reserves.append(f"not refereed: {times}, when the camera moved")
        if self._hidden:
            times = ", ".join(f"{clock(start)} to {clock(end)}" for start, end in self._hidden[:many])
            more = f" and {len(self._hidden) - many} times more" if len(self._hidden) > many else ""
            reserves.append(f"not refereed: {times}{more}, when the table was hidden")
        if self._moved:
            times = ", ".join(dict.fromkeys(map(clock, self._moved[-many:])))
            reserves.append(f"the camera was moved at {times}, and followed")
        if self._impossible >= many:
            reserves.append(
                f"{self._impossible} plays cannot be: is it one pack, of the size that --pack says, and does the film "
                "begin where --start says?"
            )
        strangers = sum(self._faults[fault] for fault in WRONG_SEAT)
        if strangers >= max(many, COVERAGE_SHARE * self._rulings):
            reserves.append(
                f"{strangers} plays came from a seat whose turn it was not: do the players sit as --seats says, the "
                "first at the bottom edge of the picture?"
            )
        return reserves
