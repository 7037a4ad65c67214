"""
The witness thinks before speaking: whoever would accuse somebody looks again first.

Theory of operation. The pipeline's events pass through here. The referee, lent as a question (``Foresee``), says what
they would bring. Nothing bad: they are told at once. A ruling that asks which card it was, or an accusation: they are
held back while the table is looked at again, a few looks long, and then told as they are read by then. Twenty things
explain an accusation away, and are told before what they explain (or, the second to sixth, in its place):

* an exchange of the turn-up that was noticed late: who lays the old one had taken it;
* the turn-up drawn by itself, where the last card before it was thought to have gone with it;
* a card across an attack that was beaten before, or hardly across any: it was laid beside it; one beside an open attack
  that it grazes: it was laid on it;
* two cards made out at about the same time: the second was laid first;
* two cards that one hand laid beside each other without leaving: they are one play;
* a hand that was at the talon and was seen to carry nothing away: it pointed, or put the cards straight;
* draws that are missing, where that seat's hand was at the talon since the sweep: it took all it was owed in one go;
* a play before this one that was called and never mended, while the table went on: then it is we who lost the thread;
* something that lies there or has changed there and was never understood (``clouded``);
* a draw by a hand of which can't be told what it carried away, or of the turn-up, or after which that was not seen yet:
  it may be on its way to be exchanged; or before another's, who may have drawn unseen;
* a card laid right after it was taken up: it was put straight;
* an exchange that was told with some doubt: the turn-up, of which the talon hides most, may have been read wrongly;
* a card that is told with some doubt, or on which or to which it was laid, or that has another likely name by which it
  is in order: it may be;
* a card that was told with some doubt earlier in the game and is laid now: that one may have been another;
* cards that a player seems to have taken, where that is told with doubt or no heap was ever seen to grow: it may be one
  that can't be made out;
* a bout swept away after a card of it was taken up and not laid again: it was the first that was gathered;
* a bout swept away of which a card was told with doubt, or in which something was not understood when a card was laid:
  it, or what lay on it, may have been another;
* draws that are owed while it isn't known where the talon lies;
* hands that came and went while nothing was told of them, again and again: the table is hardly seen;
* a deck that is read badly: of the last cards some were told wrong, not at all or hesitantly.

In the last thirteen it is told with doubt, or where that is not enough the table is told to have been hidden
(``blocked``), so that the referee asks and accuses nobody. So is whatever would accuse after that, or after a sweep to
somebody that was told with doubt, until a whole bout has been understood.
"""

from __future__ import annotations

import logging
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from referee.cards import Card
from referee.events import HEAP, Blocked, Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent, Unread
from referee.foresight import Foresee, Foresight
from vision.events.caution import CAUTION, WitnessSettings
from vision.events.thought import Note, Thought
from vision.events.whose import by_right
from vision.observation import HandVisit

logger = logging.getLogger(__name__)

NOT_UNDERSTOOD = "not all that happened was understood"
"""Reason of a ``blocked`` event that keeps from accusing."""

OtherPlace = Callable[[Placed], Placed | None]
"""Gives a card laid where it may lie as well, or None where its place is plain."""
StillTrue = Callable[[TableEvent], TableEvent | None]
"""Gives an event as it would be told now, or None if it was none."""


class Witness:
    """Hear events; they come out when they may be told."""

    def __init__(self, foresee: Foresee | None, settings: WitnessSettings = CAUTION) -> None:
        self.settings = settings
        self._foresee = foresee
        self.thought: Thought | None = None
        """What was made of what was heard last; None where nothing was."""
        self._held: list[TableEvent] = []
        self._held_at = 0.0
        self._looks = 0
        self._swept_at = self._told_at = -1e9
        self._last: TableEvent | None = None
        self._blocked = False
        self._heap_grew = False
        self._lost = self._troubled = self._shaky = self._cloudy = False
        self._misses: deque[float] = deque(maxlen=self.settings.remembered)
        self._hollow: deque[bool] = deque(maxlen=self.settings.visits)
        self._judged = 0
        self._read: dict[Card, float] = {}
        self._ever_read: dict[Card, float] = {}
        self._lifted: dict[Card, float] = {}
        self._turnup_at = math.inf
        self._beaten: dict[Card, Card] = {}
        self._acts: deque[tuple[str | None, float]] = deque(maxlen=4 * self.settings.visits)

    @property
    def wants_look(self) -> bool:
        """Is something held back until the table has been looked at again?"""
        return bool(self._held)

    def hear(
        self,
        events: Sequence[TableEvent],
        still_true: StillTrue,
        hands: Sequence[HandVisit],
        at: float,
        looks: int,
        clouded: bool = False,
        other_place: OtherPlace = lambda _: None,
        sees_talon: bool = True,
        turnup_at: float = math.inf,
    ) -> tuple[TableEvent, ...]:
        """
        The events that may be told now.

        ``still_true`` gives what is held as it would be told now; ``looks``: how many were taken so far; ``clouded``:
        something on the table is not understood; ``other_place``: where a card may lie as well;
        ``sees_talon``: is it known where hands go to draw? ``turnup_at``: when the turn-up was last seen to lie there.
        """
        self._turnup_at = turnup_at
        if not self._held:
            self._held_at, self._looks = at, looks
        self._cloudy |= clouded and bool(events)
        for event in events:
            event = by_right(event, hands, self._would_accuse)
            self._take_up(event)
            if not isinstance(event, Blocked | Reread):
                self._acts.append((getattr(event, "by", None), event.at))
        self._judge_visits(hands, at)
        if not self._held or self._foresee is None:
            return self._tell(self._held)
        now = (still_true(event) for event in self._held)
        self._held = [event for event in now if event is not None]
        said = self._foresee(tuple(self._held))
        if not said.accuses and not said.asks:
            return self._tell(self._held, said)
        for explanation, told in self._explanations(said, hands, other_place):
            if told is not None:
                return self._tell(told, said, Note("explained", explanation))
        wanted = self.settings.accused_looks if said.accuses else self.settings.asked_looks
        if looks - self._looks < wanted and at - self._held_at < self.settings.longest_s:
            self._think(
                None, said, (Note("held back", f"for {wanted} more looks, {self.settings.longest_s:g} s at most"),)
            )
            return ()
        # Draws that can't be seen are owed for ever.
        doubts = self._doubts(said, hands, clouded, bool(said.owed) and not sees_talon)
        notes = [Note("told with doubt", doubt) for doubt in doubts]
        return self._tell(self._doubted(doubts), said, *notes)

    def finish(self, events: Iterable[TableEvent]) -> tuple[TableEvent, ...]:
        """No more frames: everything is told."""
        for event in events:
            self._take_up(event)
        return self._tell(self._held)

    def _explanations(
        self, said: Foresight, hands: Sequence[HandVisit], other_place: OtherPlace
    ) -> Iterator[tuple[str, list[TableEvent] | None]]:
        """What would explain all: each in words, with what is told then, or None where it explains nothing."""
        if said.accuses:
            yield "the turn-up was exchanged before, and that was noticed late", self._exchanged_first()
            yield "a hand at the talon carried nothing away", self._without_empty_hands(hands)
            yield "the turn-up was drawn by itself", self._drawn_singly()
            yield "a card was laid beside or on another than it seemed", self._laid_elsewhere(other_place)
            yield "of two cards the second was laid first", self._in_other_order()
            yield "two cards were laid in one play", self._in_one_play(hands)
        if said.owed:
            yield "draws that were missed were taken in one go", self._with_draws(said, hands)

    def _tell(self, told: Sequence[TableEvent], said: Foresight | None = None, *notes: Note) -> tuple[TableEvent, ...]:
        """Tell these instead of what is held back; ``said`` was foreseen of it, ``notes`` say why."""
        self._think(tuple(told), said, notes)
        return self._release(told)

    def _think(self, told: tuple[TableEvent, ...] | None, said: Foresight | None, notes: tuple[Note, ...]) -> None:
        """Keep what is made of what is held back; it is logged once."""
        before, self.thought = self.thought, None
        if not self._held and not told:
            return
        self.thought = Thought(tuple(self._held), told, said, notes)
        if self.thought == before:
            return
        for event in told or ():
            logger.info("told: %s", event)
        for note in notes:
            logger.info("%s: %s; heard %s, foreseen %s", note.label, note.text, self.thought.heard, said)

    def _would_accuse(self, event: TableEvent) -> bool:
        """Would it, told after what is held back?"""
        return self._foresee is None or self._foresee((*self._held, event)).accuses

    def _judge_visits(self, hands: Sequence[HandVisit], at: float) -> None:
        """Was anything told of the hands that have left?"""
        s = self.settings
        for visit in hands:
            if visit.number <= self._judged or visit.left_at is None or at - visit.left_at < s.telling_s:
                continue
            self._judged = visit.number
            if visit.left_at - visit.came_at >= s.briefest_s:
                first, last = visit.came_at - s.called_s, visit.left_at + s.telling_s
                was_told = any(by in (None, visit.seat) and first <= when <= last for by, when in self._acts)
                self._hollow.append(not was_told)

    def _take_up(self, event: TableEvent) -> None:
        """A card reread before it was told is told by its new name."""
        if isinstance(event, Reread):
            for k, held in enumerate(self._held):
                if isinstance(held, Placed) and held.card == event.was:
                    self._held[k] = replace(held, card=event.card, confidence=event.confidence, alternatives=())
                    self._held[k + 1 :] = [_renamed(each, event) for each in self._held[k + 1 :]]
                    return
        self._held.append(event)

    def _release(self, events: Sequence[TableEvent]) -> tuple[TableEvent, ...]:
        for event in events:
            self._last = event
            self._told_at = event.at
            if isinstance(event, Swept):
                self._swept_at, self._blocked, self._shaky, self._cloudy = event.at, False, False, False
                self._beaten.clear()
                self._read.clear()
                self._lifted.clear()
                is_taken = (event.confidence or 1.0) >= self.settings.taken
                self._heap_grew |= event.to == HEAP and is_taken
                # A bout in which nothing had to be explained away: the thread is found again.
                self._lost, self._troubled = self._lost and self._troubled, False
                if not is_taken:
                    self._lost = self._troubled = True
            elif isinstance(event, Blocked):
                self._blocked = True
            elif isinstance(event, Placed):
                self._read[event.card] = self._ever_read[event.card] = event.confidence or 1.0
                self._lifted.pop(event.card, None)
                self._shaky |= (event.confidence or 1.0) < self.settings.told
                if event.on is not None:
                    self._beaten[event.on] = event.card
            elif isinstance(event, Reread):
                self._ever_read.pop(event.was, None)
                self._ever_read[event.card] = event.confidence or 1.0
            elif isinstance(event, Lifted):
                self._beaten = {attack: card for attack, card in self._beaten.items() if card != event.card}
                self._lifted[event.card] = event.at
        # How well cards were read, not how they are told: what is told with doubt for other reasons was read as well.
        for event in self._held:
            self._misses.extend(_miss(event))
        self._held = []
        return tuple(events)

    def _exchanged_first(self) -> list[TableEvent] | None:
        """The same with an exchange of the turn-up told first, if that explains all: it was noticed late."""
        swaps = [event for event in self._held if isinstance(event, Swapped)]
        if not swaps:
            return None
        first = self._held[0].at
        others = [event for event in self._held if not isinstance(event, Swapped)]
        told = [*(replace(event, at=first) for event in swaps), *others]
        assert self._foresee is not None
        return None if self._foresee(tuple(told)).accuses else told

    def _drawn_singly(self) -> list[TableEvent] | None:
        """The same with one card drawn where the turn-up is gone and more were thought to be, if that explains all."""
        told = [
            replace(event, count=1) if isinstance(event, Drawn) and event.card is not None else event
            for event in self._held
        ]
        if told == self._held:
            return None
        assert self._foresee is not None
        return None if self._foresee(tuple(told)).accuses else told

    def _laid_elsewhere(self, other_place: OtherPlace) -> list[TableEvent] | None:
        """
        The same with cards that lie across an attack beaten before told as laid beside it, or with one where it may
        lie as well, if that explains all.
        """
        assert self._foresee is not None
        beside = [
            replace(event, on=None) if isinstance(event, Placed) and event.on in self._beaten else event
            for event in self._held
        ]
        tries = [beside] if beside != self._held else []
        for k, event in enumerate(self._held):
            other = other_place(event) if isinstance(event, Placed) else None
            if other is not None:
                tries.append([*self._held[:k], other, *self._held[k + 1 :]])
        return next((told for told in tries if not self._foresee(tuple(told)).accuses), None)

    def _in_other_order(self) -> list[TableEvent] | None:
        """The same with two cards that were made out at about the same time told the other way round, if that explains
        all."""
        assert self._foresee is not None
        for k, (first, second) in enumerate(pairwise(self._held)):
            if not isinstance(first, Placed) or not isinstance(second, Placed) or second.on == first.card:
                continue
            if second.at - first.at <= self.settings.together_s:
                told = [*self._held[:k], replace(second, at=first.at), first, *self._held[k + 2 :]]
                if not self._foresee(tuple(told)).accuses:
                    return told
        return None

    def _in_one_play(self, hands: Sequence[HandVisit]) -> list[TableEvent] | None:
        """The same with cards that one hand laid in one go told as one play, if that explains all."""
        assert self._foresee is not None
        told: list[TableEvent] = []
        before = self._last
        for event in self._held:
            if (
                isinstance(event, Placed)
                and isinstance(before, Placed)
                and (event.on, event.by) == (None, before.by)
                and before.on is None
                and 0 < event.at - before.at <= self.settings.one_play_s
                and any(_stayed(visit, event.by, before.at, event.at) for visit in hands)
            ):
                event = replace(event, at=before.at)
            told.append(event)
            before = event
        return told if told != self._held and not self._foresee(tuple(told)).accuses else None

    def _without_empty_hands(self, hands: Sequence[HandVisit]) -> list[TableEvent] | None:
        """The same without draws by hands that carried nothing away, if that explains all."""
        told = []
        for event in self._held:
            carried = self._carried(event, hands) if isinstance(event, Drawn) else None
            if carried is None or carried >= self.settings.empty:
                told.append(event)
        if told == self._held:
            return None
        assert self._foresee is not None
        return None if self._foresee(tuple(told)).accuses else told

    def _carried(self, event: Drawn, hands: Sequence[HandVisit]) -> float | None:
        """How much of a card was seen in the hand that drew, after against before; None if that can't be told."""
        if event.card is not None:
            return None
        calls = [
            (abs(call.at - event.at), call.carried)
            for visit in hands
            if event.by is None or visit.seat == event.by
            for call in visit.talon_calls
            if abs(call.at - event.at) <= self.settings.called_s
        ]
        return min(calls, key=lambda call: call[0])[1] if calls else None

    def _with_draws(self, said: Foresight, hands: Sequence[HandVisit]) -> list[TableEvent] | None:
        """The same with draws taken in one go, if that explains all."""
        calls = [(visit.seat, call.at) for visit in hands for call in visit.talon_calls if call.at > self._swept_at]
        came = {seat: max(at for other, at in calls if other == seat) for seat, _ in calls}
        sweeps = [event.at for event in self._held if isinstance(event, Swept)]
        if sweeps:
            return None
        first = self._held[0].at
        seen = Counter[str | None]()
        for event in self._held:
            if isinstance(event, Drawn):
                seen[event.by] += event.count
        # Who draws at this very moment is not done yet, but with the last card.
        last = self._held[-1]
        drawing = last.by if isinstance(last, Drawn) and last.card is None else None
        more: list[TableEvent] = [
            Drawn(
                at=min(first, max(came[seat], self._told_at)),
                by=seat,
                count=count - seen[seat],
                confidence=self.settings.packet,
            )
            for seat, count in said.owed
            if seat in came and seat != drawing and count > seen[seat]
        ]
        more.sort(key=lambda event: event.at)
        told = [*more, *self._held]
        assert self._foresee is not None
        return told if more and not self._foresee(tuple(told)).accuses else None

    def _doubts(self, said: Foresight, hands: Sequence[HandVisit], clouded: bool, owed_unseen: bool) -> list[str]:
        """Why nobody shall be accused by what is held back; empty where nothing speaks against it."""
        if not said.accuses:
            return []
        held, accused = self._held, self._accused
        misses = sum(self._misses) + sum(miss for event in held for miss in _miss(event))
        mends = any(isinstance(event, Lifted) for event in held)
        doubts = (
            ("something on the table is not understood", clouded),
            ("draws are owed, and it isn't known where the talon lies", owed_unseen),
            *self._doubts_about(held[accused], held[:accused], said, hands),
            ("it would be in order by another name of the card", self._is_right_by_another_name(accused)),
            ("of the last cards too many were misread", misses >= self.settings.misread),
            ("hands came and went and nothing was told of them", sum(self._hollow) >= self.settings.hollow),
            ("the thread was lost before, and no bout has been understood since", self._lost),
            ("an earlier play was called and never mended", bool(said.open) and not mends),
        )
        return [why for why, is_so in doubts if is_so]

    def _doubts_about(
        self, taken: TableEvent, before: Sequence[TableEvent], said: Foresight, hands: Sequence[HandVisit]
    ) -> tuple[tuple[str, bool], ...]:
        """What may be wrong with an event that would accuse, as it was seen, and is it so?"""
        s = self.settings
        match taken:
            case Swept():
                # Cards were taken by whoever swept them only if a heap, which is seen to grow, has not grown.
                is_heaped = taken.to != HEAP and self._may_be_heaped(taken)
                return (
                    ("a card of the bout was told with doubt", self._shaky),
                    ("something was not understood while cards of the bout were laid", self._cloudy),
                    ("a card of the bout was taken up and not laid again", bool(self._lifted)),
                    ("the bout may have gone to the heap", is_heaped),
                )
            case Drawn(card=None):
                carried = self._carried(taken, hands)
                return (
                    ("it isn't known what the hand carried away", carried is None),
                    ("the hand carried too little away", carried is not None and carried < s.carried),
                    ("the turn-up was not seen since the hand was there", self._turnup_at < taken.at),
                    ("somebody else may have drawn unseen before", said.overtakes),
                )
            case Drawn():
                # Seen gone, not drawn: it may have been another card, or taken with the one before.
                return (("the turn-up was seen gone, not drawn", True),)
            case Placed():
                lifted = self._lifted | {event.card: event.at for event in before if isinstance(event, Lifted)}
                sure = min(taken.confidence or 1.0, self._rests_on(taken, before))
                since_lift_s = taken.at - lifted.get(taken.card, -math.inf)
                return (
                    ("the card, or one it rests on, is not read surely enough", sure < s.rested),
                    ("the card was told with doubt earlier", self._ever_read.get(taken.card, 1.0) < s.named),
                    ("the card was put straight", since_lift_s <= s.straightened_s),
                )
            case Swapped():
                return (("the exchange is told with doubt", (taken.confidence or 1.0) < s.rested),)
        return ()

    @property
    def _accused(self) -> int:
        """Which event of what is held back is the first that accuses."""
        assert self._foresee is not None
        held = self._held
        return next((k for k in range(len(held)) if self._foresee(tuple(held[: k + 1])).accuses), 0)

    def _doubted(self, doubts: Sequence[str]) -> list[TableEvent]:
        """What is held back, after word that not all was seen, where there are ``doubts``."""
        if not doubts:
            return self._held
        self._lost = self._troubled = True
        return self._hedged(self._held, self._accused)

    def _rests_on(self, placed: Placed, before: Sequence[TableEvent]) -> float:
        """How surely the card was read that one was laid on, or of one laid beside the least sure of its bout."""
        read = dict(self._read)
        read.update((event.card, event.confidence or 1.0) for event in before if isinstance(event, Placed))
        read.pop(placed.card, None)
        return min(read.values(), default=1.0) if placed.on is None else read.get(placed.on, 1.0)

    def _is_right_by_another_name(self, accused: int) -> bool:
        """Would the card at this place of what is held be in order, were it one that it may be as well?"""
        assert self._foresee is not None
        held, taken = self._held[:accused], self._held[accused]
        return isinstance(taken, Placed) and any(
            not self._foresee((*held, replace(taken, card=card, alternatives=()))).accuses
            for card, share in taken.alternatives
            if share >= self.settings.likely
        )

    def _may_be_heaped(self, swept: Swept) -> bool:
        """May cards that somebody seems to have taken lie on the heap?"""
        return not self._heap_grew or (swept.confidence or 1.0) < self.settings.taken

    def _hedged(self, held: Sequence[TableEvent], first: int) -> list[TableEvent]:
        """
        ``held`` so that it accuses nobody, from index ``first`` on: events are told with doubt, and where that is not
        enough, with word that not all was seen.
        """
        assert self._foresee is not None
        told = [*held]
        in_new_bout = any(isinstance(event, Swept) for event in held[:first])
        is_said = self._blocked and not in_new_bout
        k = first
        while k < len(told):
            foreseen = self._foresee(tuple(told[: k + 1]))
            if not foreseen.accuses:
                k += 1
                continue
            event = told[k]
            doubtful = replace(event, confidence=min(self.settings.doubtful, event.confidence or 1.0))
            # Where draws are missing the doubt is not about this event: it is said that not all was seen.
            if not foreseen.owed and not self._foresee((*told[:k], doubtful)).accuses:
                told[k], k = doubtful, k + 1
                continue
            word = Blocked(at=event.at, reason=NOT_UNDERSTOOD)
            hedged = [*told[:k], word, *told[k:]]
            if not self._foresee(tuple(hedged[: k + 2])).accuses:
                told, k = hedged, k + 2
            elif isinstance(event, Reread) and (event.confidence or 0.0) < self.settings.renamed:
                # It rewrites what was told before the word; a card laid over another may pass for its new name.
                told[k] = word
                k += 1
            else:
                # Said all the same once: what can't be so (a card that the pack lacks) is told in spite of it.
                return told if is_said else hedged
            is_said = True
        return told


def _stayed(visit: HandVisit, seat: str | None, first: float, last: float) -> bool:
    """Was that hand of this seat, and there all the time?"""
    return visit.seat == seat and visit.came_at <= first and (visit.left_at is None or visit.left_at >= last)


def _miss(event: TableEvent) -> tuple[float, ...]:
    """How many cards an event may have told wrong: none or one number from 0 to 1."""
    if isinstance(event, Placed):
        return (0.0 if event.confidence is None else 1.0 - event.confidence,)
    return (1.0,) if isinstance(event, Reread | Unread) else ()


def _renamed(event: TableEvent, reread: Reread) -> TableEvent:
    """What was said of a card by its old name."""
    if isinstance(event, Placed) and event.on == reread.was:
        return replace(event, on=reread.card)
    if isinstance(event, Lifted) and event.card == reread.was:
        return replace(event, card=reread.card)
    return event
