"""
Events of the talon: cards drawn from it; the turn-up dealt, exchanged, drawn as the last card.

A turn-up that comes to lie under the talon ends the deal; after that it lay there. Another card in its place, read or
held surely, was exchanged for it. When its track ends and it does not lie beside, it was drawn, as the last card or of
the last two.

A hand that came away from the talon may have drawn a card, though it may also have swept a bout past it, taken the
turn-up or dealt. This may show only later, so a reach for the talon waits: longer while some change is not understood,
or while an inference will show whether the turn-up lies bare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from msgspec import structs

from referee.cards import Card
from referee.events import Dealt, Drawn, Swapped
from vision.actions.action_model import ActionModel
from vision.actions.attribution import attributed, seat_of
from vision.actions.evidence import OTHER_NAME_SURE, Alternative, Evidence, Keys
from vision.motion.hand_pass import HandPass, TalonCall
from vision.table.observation import LyingCard, Observation

# Shares are probabilities, 0 to 1, lengths in mm, times in seconds. Chosen by hand, 2026-11.
EXCHANGED = 0.6
"""Probability of the new name if the old card was seen in a hand."""
DEAL_S = 5.0
"""How long a card laid before the deal may wait for a talon on it; then it is an attack."""
EXCHANGE_MM, EXCHANGE_S = 195.0, 4.0
"""
Distance from the turn-up within which a card put down may be exchanged for it, and seconds for which it waits for its
hand to leave.
"""
WAIT_S = 0.12
"""With nothing in the bout to sweep, how long a hand at the talon may take to come back."""
SWEEP_WAIT_S = 0.7
"""With cards in the bout, how long after the hand has left a sweep by it may show."""
DOUBT_WAIT_S = 0.35
"""With nothing in the bout and the talon in view, how long a draw waits while some change is not understood."""
LAST_WAIT_S = 1.6
"""How long the turn-up, if only that is left, may take to be found gone."""
SWEPT_PAST_S = 1.0
"""Seconds after a hand took its last card of a bout within which the same hand at the talon was sweeping past it."""
ON_TALON_MM = 40.0
"""A hand that laid a face within this of the talon's middle turned it up there and drew nothing."""
PUT_BACK = -0.25
"""Change of the area of back that a hand carries, in cards, below which it put a card there. A card put back
was -0.67, draws 0.34 to 0.94 (twelve draws on five development clips)."""


class TalonEvents:
    """
    Returns evidence of draws and of the turn-up.

    ``cards``: how many lie there with the turn-up, None if not known. ``is_dealt``: the deal is over; if not, a turn-up
    that comes to lie ends it.
    """

    def __init__(self, cards: int | None, is_dealt: bool, model: ActionModel) -> None:
        self.cards = cards
        """Number of cards in the talon by the events until now, with the turn-up; None if not known."""
        self.is_dealt = is_dealt
        """Is the deal over?"""
        self.turnup: LyingCard | None = None
        """The turn-up; None if none is found."""
        self.asks_at: float | None = None
        """An inference after this time (seconds) would decide a reach; None: none would."""
        self.is_waiting = False
        """Was a hand at the talon, and is it not known yet whether it drew?"""
        self._model = model
        self._exchanged: Card | None = None
        self._was_pulled = False
        self._spent: set[tuple[int, int]] = set()
        self._bare_since: float | None = None

    def may_be_exchanging(self, card: LyingCard, hands: Sequence[HandPass], at: float) -> bool:
        """
        Check whether a card that may be exchanged for the turn-up was put down for a moment by a hand that is still at
        it.
        """
        if (not self._is_below(card) and card.card != self._exchanged) or at - card.clear_at >= EXCHANGE_S:
            return False
        return attributed(card.touched, [hand for hand in hands if hand.left_at is None], self._model).visit is not None

    def may_be_exchanged(self, card: LyingCard) -> bool:
        """Check whether a card may lie there only to be exchanged for the turn-up: near it, and across no other."""
        is_near = self.turnup is not None and card.pose.distance_mm(self.turnup.pose) <= EXCHANGE_MM
        return is_near and card.on is None and self._is_below(card)

    def _is_below(self, card: LyingCard) -> bool:
        """Check whether it is the turn-up by its name, or a trump below it, as the one that is exchanged."""
        known = self.turnup
        return known is not None and card.card.suit == known.card.suit and card.card.height <= known.card.height

    def may_become_turnup(self, card: LyingCard, seen: Observation) -> bool:
        """Check whether the card may become the turn-up: the deal is not over and the talon may still be put on it."""
        return not self.is_dealt and seen.at - card.clear_at < DEAL_S

    def begin(self, seen: Observation) -> Evidence | None:
        """Take in the first observation: the turn-up is known, but that the deal is over may not be."""
        return None if seen.turnup is None else self._comes(seen.turnup, seen.at)

    def compare(self, before: Observation, seen: Observation, hands: Sequence[HandPass], at: float) -> Evidence | None:
        """Return what has become of the turn-up between two observations, the second at the time ``at`` (seconds)."""
        if before.talon is not None and seen.talon is None:
            self._bare_since = at
        self._was_pulled |= seen.turnup_in_hand
        if seen.turnup is None:
            return self._gone(before, seen, hands)
        if self.turnup is None:
            return self._comes(seen.turnup, seen.at)
        return self._exchange(self.turnup, seen.turnup, seen.turnup_in_hand, hands, at)

    def _comes(self, new: LyingCard, at: float) -> Evidence | None:
        was_dealt, self.is_dealt, self.turnup = self.is_dealt, True, new
        return None if was_dealt else Evidence(Dealt(at=at, turnup=new.card))

    def _exchange(
        self, known: LyingCard, new: LyingCard, is_seen_in_hand: bool, hands: Sequence[HandPass], at: float
    ) -> Evidence | None:
        is_read = new.confidence >= (EXCHANGED if self._was_pulled else OTHER_NAME_SURE)
        is_due = self._was_pulled and at - new.clear_at >= self._model.unsure_swap_s
        if new.key != known.key and not (is_read or is_due):
            return None
        self.turnup, self._was_pulled = new, is_seen_in_hand
        if new.key == known.key or new.card == known.card:
            return None  # the same card, though it may be read better now
        self._exchanged = known.card
        who = attributed(new.touched, hands, self._model)
        self._spend(who.visit)
        swapped = Swapped(at=new.clear_at, card=new.card, by=who.seat)
        # A turn-up that was read badly may have been this card all along.
        cue, nothing = "both read well", self._model.no_swap
        if min(known.confidence, new.confidence) < OTHER_NAME_SURE:
            cue = "one read badly"
        if not is_read:
            cue, same = "not read surely", dict(new.alternatives).get(known.card, 0.0)
            nothing = max(nothing, log(same / (1 - same))) if same else nothing
            others = tuple((card, share) for card, share in new.alternatives if card != known.card)
            swapped = structs.replace(swapped, confidence=round(new.confidence, 3), alternatives=others)
        return Evidence(swapped, (*who.doubts, Alternative(f"swapped: {cue}", {"nothing": (None, nothing)})))

    def _gone(self, before: Observation, seen: Observation, hands: Sequence[HandPass]) -> Evidence | None:
        old = before.turnup
        gone = None if old is None else next((g for g in seen.gone if g.key == old.key), None)
        if old is None or gone is None:
            return None  # exchanged, it may be, for one that has no name yet
        if seen.talon is not None and any(card.card == old.card for card in seen.bout):
            return None  # an exchange is under way; with the talon gone it was drawn and played
        # The last two went together. More at once is likelier to mean that draws were missed: not guessed at.
        count = 2 if before.talon is not None and self.cards == 2 else 1
        self.turnup, self.cards = None, 0
        cue = "drawn: the turn-up alone" if count == 1 else "drawn: the turn-up with the last card"
        doubt = Alternative(cue, self._other_counts(count))
        who = attributed(gone.touched, hands, self._model)
        self._spend(who.visit)
        return Evidence(Drawn(at=gone.at, by=who.seat, count=count, card=old.card), (*who.doubts, doubt))

    def _spend(self, visit: HandPass | None) -> None:
        """Mark the reaches of a hand as explained by another event: they are no draws."""
        if visit is not None:
            self._spent.update((visit.number, k) for k in range(len(visit.talon_calls)))

    def put_back(self, count: int) -> None:
        """Take back draws: ``count`` cards were not drawn."""
        if self.cards is not None:
            self.cards += count

    def drawn(
        self,
        seen: Observation,
        hands: Sequence[HandPass],
        at: float,
        is_leaving: bool,
        swept_at: Mapping[int, float],
        is_doubtful: bool,
    ) -> list[Evidence]:
        """
        Return evidence of the hands that came away from the talon by ``at`` (seconds).

        ``is_leaving``: cards have gone, and it is not known yet where. ``swept_at``: hand track -> when it took its
        last card of a bout (seconds). ``is_doubtful``: more has changed than is understood.
        """
        self.asks_at, self.is_waiting = None, False
        found: list[Evidence] = []
        for visit in hands:
            for k, call in enumerate(visit.talon_calls):
                if (visit.number, k) in self._spent:
                    continue
                # A pile that is not found may lie there.
                is_bare = seen.talon is None and (
                    (self.cards is None or self.cards <= 1) if self._bare_since is None else call.at > self._bare_since
                )
                if is_leaving or self._must_wait(visit, call, seen, is_bare, at, is_doubtful):
                    self.is_waiting = True
                    continue
                self._spent.add((visit.number, k))
                # If the turn-up still lies there bare, nothing was drawn; or it was reported with the turn-up.
                if is_bare or not self._is_draw(visit, call, seen, swept_at):
                    continue
                if self.cards is not None:
                    self.cards -= 1
                found.append(Evidence(Drawn(at=call.at, by=seat_of(visit)), self._doubts(visit, call)))
        return sorted(found, key=lambda evidence: evidence.event.at)

    def _doubts(self, visit: HandPass, call: TalonCall) -> tuple[Alternative, ...]:
        """Return the doubts: nothing was drawn, or several at once; it was another's hand."""
        words, odds = self._model.carried(call.carried)
        cue, other = "one seat fits", self._model.drawn_by_another
        if visit.seat is None:
            cue, other = "the hand came in between two seats", self._model.between_two_seats
        return (
            Alternative(f"drawn: {words}", {"nothing": (None, odds), **self._other_counts(1)}),
            Alternative(f"drawn: {cue}", {"another seat": ({"by": None}, other)}),
        )

    def _other_counts(self, reported: int) -> dict[str, tuple[Keys, float]]:
        """Return the other numbers of cards that a hand may have drawn, each with its odds."""
        counts = (count for count in range(1, self._model.drawn_most + 1) if count != reported)
        return {f"{count} cards": ({"count": count}, self._model.drawn_more) for count in counts}

    def _is_draw(self, visit: HandPass, call: TalonCall, seen: Observation, swept_at: Mapping[int, float]) -> bool:
        """Check whether the hand was at the talon for a card."""
        if (call.carried is not None and call.carried <= PUT_BACK) or seat_of(visit) is None:
            return False  # it put a card back; or the region never met the picture's edge, and is no arm
        if seen.talon is not None and any(
            card.pose.distance_mm(seen.talon.pose) < ON_TALON_MM
            and any(touch.visit == visit.number for touch in card.touched)
            for card in seen.bout
        ):
            return False
        is_sweeping = visit.number in swept_at and call.at < swept_at[visit.number] + SWEPT_PAST_S
        # The cards were dealt, the turn-up taken, or a bout swept past the talon.
        return self.is_dealt and not seen.turnup_in_hand and not is_sweeping

    def _must_wait(
        self, visit: HandPass, call: TalonCall, seen: Observation, is_bare: bool, at: float, is_doubtful: bool
    ) -> bool:
        """Check whether it is not known yet if the hand at the talon drew a card."""
        age = at - call.at
        if is_bare and seen.turnup is not None:
            self.asks_at = call.at
            return (is_doubtful or seen.at <= call.at) and age < LAST_WAIT_S
        if is_doubtful and age < (DOUBT_WAIT_S if not seen.bout and seen.talon is not None else LAST_WAIT_S):
            return True
        if not seen.bout:
            return age < WAIT_S
        # It may be sweeping: that shows once it has left.
        if visit.left_at is None:
            return age < LAST_WAIT_S
        self.asks_at = visit.left_at
        return seen.at <= visit.left_at and at - visit.left_at < SWEEP_WAIT_S
