"""
Cards that have come to lie in the bout, and who laid them.

A card that has come is told at once if its name is worth telling, and as *unread* if it has none by the time that
something else happens. A card that turns out to be another is *reread*. Nothing here invents: who laid a card is the
hand that was there, and nobody where two fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.events import Placed, Reread, Unread
from vision.events.attribution import Attribution, AttributionSettings, attributed, fitting_touches, visit_that_laid
from vision.events.evidence import Doubt, Evidence
from vision.events.told_bout import OTHER_NAME_SURE, ToldBout, ToldCard
from vision.observation import HandVisit, LyingCard, Observation


@dataclass(frozen=True, slots=True)
class ArrivalSettings:
    """
    How sure a name must be to be told, and when cards belong together. Shares are probabilities, 0 to 1. Set by hand,
    2026-11.
    """

    plain: float = 0.97
    """A surer reading is told at once and without alternatives. Higher: more cards wait for another look, and more
    questions; lower: a misreading that could have been put right is taken for certain."""
    reread: float = OTHER_NAME_SURE
    """A card told by one name is reread once another is as sure as this. Higher: a misread card keeps its wrong name;
    lower: names change to and fro."""
    guess: float = 0.7
    """A card told as unread, or brought by no hand, is named when it is as sure as this. Higher: such cards stay
    unread; lower: a cup is told as a queen."""
    hardly_across: float = 0.25
    """A card that shares less than this of its area with the one it lies across may have been meant to lie beside it.
    Higher: more beats may pass for throw-ins; lower: a clumsy throw-in accuses."""
    settle_s: float = 0.5
    """So long after it came to rest, in seconds, a card whose place is in doubt is looked at again before it is told.
    Longer: told later; shorter: told with doubts that a look would settle."""
    name_s: float = 0.85
    """The same where its name is in doubt, or it is seen blurred: a webcam that hunts for its focus takes so long.
    Longer: told later; shorter: small cards are told as their look-alikes."""
    one_play_s: float = 1.0
    """Two cards that one hand lays beside each other without leaving, no further apart than this (seconds), are one
    play. Longer: two throw-ins are one; shorter: an opening of two is an opening and a throw-in."""


ACROSS = "place: across"
"""The cue of a card that lies well across another."""


class Arrivals:
    """
    Names what has come. ``bout``: what was told already; cards that are named are told there. ``may_be_exchanged``: may
    a card be the one that is exchanged for the turn-up, rather than laid?
    """

    def __init__(
        self,
        bout: ToldBout,
        settings: ArrivalSettings,
        attribution: AttributionSettings,
        may_be_exchanged: Callable[[LyingCard], bool],
    ) -> None:
        self.settings, self._attribution, self._bout = settings, attribution, bout
        self._may_be_exchanged = may_be_exchanged
        self._unread: dict[int, LyingCard] = {}
        self._unread_told: set[int] = set()

    def new(self, seen: Observation) -> list[LyingCard]:
        """The cards of the bout that are worth telling and have not been told."""
        return [card for card in seen.bout if card.key not in self._bout and self._is_worth_telling(card)]

    def placed(self, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> list[Evidence]:
        """These cards have come, the lower before the upper; they count as told now."""
        found: list[Evidence] = []
        laid_by = {card.key: self._who_laid(card, arrived, hands) for card in arrived}
        for card in arrived:
            who = laid_by[card.key]
            at = self._laid_at(card, arrived, {key: each.visit for key, each in laid_by.items()})
            visit = None if who.visit is None else who.visit.number
            is_doubtful = card.confidence < self.settings.plain
            told = ToldCard(card.card, who.seat, at, on=card.on, visit=visit, is_doubtful=is_doubtful)
            self._bout.tell(card.key, told)
            found.append(self._evidence(card, at, who))
        return sorted(found, key=lambda each: each.event.at)

    def seen_now(self, evidence: Evidence, seen: Observation) -> Evidence:
        """The same as the card is read and lies now; it goes by that name from now on."""
        card = None if evidence.key is None else seen.lying(evidence.key)
        if card is None or not isinstance(evidence.event, Placed):
            return evidence
        told = self._bout.get(card.key)
        if told is not None:
            is_doubtful = card.confidence < self.settings.plain
            self._bout.tell(card.key, replace(told, card=card.card, is_doubtful=is_doubtful))
        now = self._evidence(card, evidence.event.at, Attribution(seat=evidence.event.by))
        seats = tuple(doubt for doubt in evidence.doubts if doubt.cue.startswith("seat"))
        until = (now.settles_at, evidence.settles_at)
        settles_at = None if until[0] is None or until[1] is None else max(until[0], until[1])
        return replace(now, doubts=(*seats, *now.doubts), settles_at=settles_at)

    def _who_laid(self, card: LyingCard, arrived: Sequence[LyingCard], hands: Sequence[HandVisit]) -> Attribution:
        visit = visit_that_laid(card, arrived, hands, self._attribution)
        return attributed(visit, fitting_touches(card.touched, self._attribution), hands)

    def _laid_at(self, card: LyingCard, arrived: Sequence[LyingCard], laid_by: Mapping[int, HandVisit | None]) -> float:
        """
        What one visit of a hand laid down beside each other is one play: one time, that of its last card, or, where
        the others were told already, theirs.
        """
        visit = laid_by[card.key]
        if visit is None:
            return card.clear_at
        before = self._bout.newest()
        if (
            before is not None
            and (before.visit, before.on, card.on) == (visit.number, None, None)
            and card.clear_at - before.at <= self.settings.one_play_s
        ):
            return before.at
        return max(other.clear_at for other in arrived if laid_by[other.key] is visit)

    def _evidence(self, card: LyingCard, at: float, who: Attribution) -> Evidence:
        """The card as laid by ``who``, as it is read and lies now."""
        s, below = self.settings, self._bout.get(card.on)
        is_read, place = card.confidence >= s.plain and not card.is_blurred, self._place_doubts(card)
        is_placed = not place or place[0].cue == ACROSS
        settles_at = card.clear_at + (s.settle_s if is_read else s.name_s)
        if not fitting_touches(card.touched, self._attribution):
            laid = "laid: by no hand"
        else:
            laid = "laid: what may be exchanged" if self._may_be_exchanged(card) else "laid: a hand was there"
        return Evidence(
            Placed(
                at=at,
                card=card.card,
                by=who.seat,
                on=None if below is None else below.card,
                confidence=round(card.confidence, 3),
                alternatives=() if card.confidence >= s.plain else card.alternatives,
            ),
            (*who.doubts, *place, Doubt(laid, {"nothing": None})),
            None if is_read and is_placed else settles_at,
            card.key,
        )

    def _place_doubts(self, card: LyingCard) -> tuple[Doubt, ...]:
        """That it lies beside what it seems to lie across, or on what it grazes."""
        if self._bout.get(card.on) is not None:
            is_hardly = card.overlap < self.settings.hardly_across
            return (Doubt("place: hardly across" if is_hardly else ACROSS, {"beside": {"on": None}}),)
        grazed = self._bout.get(card.grazes)
        return () if grazed is None else (Doubt("place: beside, but grazing", {"across": {"on": str(grazed.card)}}),)

    def reread(self, seen: Observation) -> list[Evidence]:
        """Cards told by one name that surely have another; and those told with doubt, once, that are read well now."""
        found: list[Evidence] = []
        for card in seen.bout:
            told = self._bout.get(card.key)
            if told is None:
                continue
            is_other = told.card != card.card and card.confidence >= self.settings.reread
            is_firm = told.card == card.card and told.is_doubtful and card.confidence >= self.settings.plain
            if is_other or is_firm:
                event = Reread(at=seen.at, was=told.card, card=card.card, confidence=round(card.confidence, 3))
                found.append(Evidence(event, key=card.key))
                self._bout.tell(card.key, replace(told, card=card.card, is_doubtful=False))
        return found

    def note_unread(self, seen: Observation, is_settled: bool) -> None:
        """
        Remember the cards that lie there without a name. ``is_settled``: nothing has gone of which it is not known
        where; until then what passes for a card may be one that was knocked. They are told once something else happens,
        if they have no name by then. One that is none of the pack will have none: it is told at once.
        """
        if is_settled:
            self._unread = {card.key: card for card in seen.unread if card.key not in self._unread_told}
        for key in [key for key in self._unread if key in self._bout]:
            del self._unread[key]

    def unread(self, hands: Sequence[HandVisit], outside_pack: bool = False) -> list[Evidence]:
        """
        The cards that have no name by now are told without one: something else has happened.

        ``outside_pack``: only those that are none of the pack, whatever else happens.
        """
        found: list[Evidence] = []
        noted, self._unread = self._unread, {}
        for key, card in noted.items():
            if outside_pack and not card.outside_pack:
                self._unread[key] = card
                continue
            if key in self._bout or not fitting_touches(card.touched, self._attribution):
                continue  # no hand was there: nothing was laid
            self._unread_told.add(key)
            on, who = self._bout.get(card.on), self._who_laid(card, [card], hands)
            event = Unread(at=card.clear_at, by=who.seat, on=None if on is None else on.card)
            found.append(Evidence(event, (*who.doubts, Doubt("laid: a card that can't be read", {"nothing": None}))))
        return found

    def _is_worth_telling(self, card: LyingCard) -> bool:
        """A card told as unread, or brought by no hand, has a name only once it is read well: a guess says less."""
        is_guess = card.key in self._unread_told or not fitting_touches(card.touched, self._attribution)
        return not is_guess or card.confidence >= self.settings.guess
