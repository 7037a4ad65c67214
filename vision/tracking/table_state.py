"""
When something has really happened: still, hands gone from there, and seen at least twice the same way. Then: what lies
where.

Tracks come and go with every look; an ``Observation`` holds only what has settled. Zones are found from what lies
there: the talon is the face-down pile with a face-up card under it, the heap any other face-down pile, the bout all
face-up cards.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import combinations

from referee.cards import Card
from vision.detection.z_order import LIES_ACROSS
from vision.geometry.quads import Array, overlap
from vision.geometry.table_layout import TableLayout
from vision.motion.hand_tracking import HandTracker
from vision.observation import Gone, LyingCard, Observation, Pile, Pose
from vision.tracking.frame_facts import FrameFacts
from vision.tracking.piles import Piles
from vision.tracking.track import PiledTracks, Track
from vision.tracking.tracker import Tracker

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TableStateSettings:
    """
    When a card counts as lying there, and on what. Shares are from 0 to 1, of an area or of all probability.

    Set by hand, 2026-11.
    """

    looks: int = 2
    """Looks that must agree: one may be a blurred frame. More: all is told later; fewer: blurs are cards."""
    one_more_look: float = 0.8
    """A card read less surely than this is looked at again before it is told. A further look from the same angle says
    little new, so that what stays doubtful is told with its alternatives rather than late. Higher: more looks; lower:
    more cards are told with doubt."""
    patience: int = 4
    """Looks after which a doubtful card is told all the same, with its alternatives. More: later; fewer: with more
    doubt."""
    lower_wait_s: float = 0.7
    """So long, in seconds, a card waits for the name of the one that it lies on. Longer: cards laid together are told
    late; shorter: an answer is told as an attack."""
    across: float = LIES_ACROSS
    """A card shares so much with the one it lies across. Higher: beaten cards lie side by side; lower: neighbours beat
    each other."""
    grazes: float = 0.02
    """Less than that, and it lies beside it without touching: an edge found a little off. Higher: a clumsy beat stays a
    throw-in; lower: every neighbour may be beaten by it."""
    across_covered: float = 0.4
    """On a card that is covered already it must lie more squarely to be meant for that one. Higher: never meant; lower:
    a throw-in that touches a pair lies on it."""
    covered_loses: float = 0.5
    """Of a covered card so much less counts when it is asked which one is meant: the open one is. Higher: always;
    lower: where it lies more squarely on the covered one, that is."""
    moved_mm: float = 25.0
    """A card pushed farther than this may lie on another now. Higher: a card pushed onto another lies beside; lower:
    what it lies on changes with the noise."""
    named: float = 0.5
    """A card read less surely than this has no name at all: something lies there, but it may be no card. Higher: more
    unread cards; lower: more wrong names."""
    guess: float = 0.25
    """The same for what the finder takes for a card all the same, look after look."""
    guess_looks: int = 8
    """So many looks ..."""
    guess_confidence: float = 0.5
    """... that found it so surely. Higher, either: fewer guesses; lower: cups get names."""
    earlier_s: float = 0.25
    """A card that is known to have lain there so much earlier (seconds) than another lies under it, whatever their
    edges say. Longer: edges decide; shorter: a hand's shadow does."""
    crowd: int = 2
    """Where so many other claims that are no cards yet ..."""
    crowded: float = 0.3
    """... share this much with a card (of the smaller), something is outlined wrongly, and it is told ... Higher,
    either: wrong outlines accuse; lower: cards in a heap of cards are asked about."""
    crowded_share: float = 0.65
    """... no more surely than this: it accuses nobody."""
    on_pile: float = 0.35
    """A face that shares so much with talon or turn-up is no card of the bout: nobody plays there. Higher: strips of
    the turn-up are cards; lower: cards laid close to the talon are lost."""
    plain_on_heap: float = 0.85
    """Nor is one that shares so much with a heap, unless a single look reads it as surely as this, lying open. Higher:
    cards laid at the heap are lost; lower: strips of it are cards."""
    handled: float = 0.3
    """A hand that hid this much of a card which had slid in without one shows that it lies there ... Higher: such cards
    are told late; lower: a hand beside graphics makes them cards."""
    handled_s: float = 0.3
    """... if it is found again so much later, in seconds. Longer: such cards are told later; shorter: graphics that
    slide out again are cards."""
    in_view: float = 0.5
    """With less of it in view a card counts as hidden: it is taken to lie as before. Higher: cards are taken to lie
    that were lifted; lower: covered ones are gone."""


@dataclass(frozen=True, slots=True, eq=False)
class LookOutcome:
    """
    What a look has to say of the table: the cards that are followed after it, those that it found to be ``gone``, and
    the hands that were there meanwhile.
    """

    look: FrameFacts
    tracker: Tracker
    gone: tuple[Track, ...]
    hands: HandTracker
    layout: TableLayout


A_MOMENT_S = 1e-6
"""Times are kept as float32 in places: what differs by less than this, in seconds, is the same."""


class TableStateTracker:
    """Keeps what has settled from look to look."""

    def __init__(
        self,
        turnup: Card | None,
        settings: TableStateSettings = TableStateSettings(),
        has_talon: bool = True,
        bout: tuple[Card, ...] = (),
        has_turnup: bool = True,
    ) -> None:
        self.settings = settings
        self.piles = Piles(turnup, has_talon=has_talon, bout=bout, has_turnup=has_turnup)
        self._lying: dict[int, LyingCard] = {}
        self._found: dict[str, bool] = {}
        self._waiting: set[int] = set()

    def on(self, key: int) -> int | None:
        """The card that a settled card lies across."""
        lying = self._lying.get(key)
        return None if lying is None else lying.on

    def observe(self, outcome: LookOutcome, has_begun: bool) -> Observation:
        """The table as it stands after a look. ``has_begun``: what lay there at the start has been told."""
        s, tracker, gone, hands, layout = self.settings, outcome.tracker, outcome.gone, outcome.hands, outcome.layout
        at = outcome.look.at
        settled = [
            t
            for t in tracker.tracks
            if t.looks >= s.looks and t.still >= s.looks and (t.confirmed or not has_begun) and not t.is_nothing
        ]
        hidden = {t.key for t in tracker.tracks if tracker.visible_share(t, outcome.look) < s.in_view}
        self._waiting = set()
        departed = tuple(self._leave(t, hands, layout, at) for t in gone if t.key in self._lying)
        old = self.piles.exchanged(settled, tracker.tracks)
        if old is not None:
            tracker.drop(old)
            self._lying.pop(old.key, None)
            settled = [track for track in settled if track is not old]
        said = (layout.zones.talon, layout.zones.heap)
        self.piles.say(*(None if place is None else layout.zone_card_px(place) for place in said))
        self.piles.place(settled, {t.key for t in gone}, at, has_begun)
        settled = self._in_bout(settled, layout)
        self._order_by_time(settled, tracker, hands)
        turnup_key, talon_px, heaps = self.piles.turnup_key, self.piles.talon_px, self.piles.heaps.outlines_px
        for track in settled:
            if track.is_back or (track.key not in self._lying and self._is_at_pile(track, tracker)):
                continue
            self._lay(track, tracker, hands, layout, at, track.key in hidden)
        unread = tuple(
            self._unread(track, tracker, hands, layout, at)
            for track in settled
            if self._is_unread(track, tracker) and (track.key not in hidden or self._is_stranger(track))
        )
        turnup = self._lying.get(turnup_key) if turnup_key is not None else None
        piled = frozenset(t.key for t in tracker.tracks if self.piles.zone(t.key) in ("talon", "heap"))
        key, card = (None, None) if turnup is None else (turnup.key, turnup.card)
        tracker.note_piles(PiledTracks(key, card, self.piles.sought, piled))
        self._log_piles(talon_px is not None, turnup is not None, bool(heaps), at)
        is_pulled = any(t.key == turnup_key and t.pulled for t in tracker.tracks)
        order = [t.key for t in tracker.tracks]
        bout = tuple(
            self._lying[key] for key in sorted(self._lying, key=order.index) if key != turnup_key and key in order
        )
        return Observation(
            at,
            bout,
            turnup,
            None if talon_px is None else Pile(layout.pose(talon_px)),
            Pile(_middle(heaps[0], layout), self.piles.heaps.changed_at, self.piles.heaps.began_at) if heaps else None,
            departed,
            frozenset(hidden & set(self._lying)),
            unread,
            is_pulled,
            frozenset(track.key for track in tracker.tracks if track.missed and track.key in self._lying),
        )

    def _log_piles(self, talon: bool, turnup: bool, heap: bool, at: float) -> None:
        """Say which of the piles have been found or lost with this look."""
        for name, is_found in (("talon", talon), ("turn-up", turnup), ("heap", heap)):
            if is_found != self._found.get(name, False):
                logger.info("the %s is %s at %.2f s", name, "found" if is_found else "no longer found", at)
            self._found[name] = is_found

    def _in_bout(self, settled: list[Track], layout: TableLayout) -> list[Track]:
        """Without the faces that lie outside the bout's zone: nobody plays there."""
        inside = [t for t in settled if t.is_back or t.key == self.piles.turnup_key or layout.is_in_bout(t.corners_px)]
        for key in {t.key for t in settled} - {t.key for t in inside}:
            self._lying.pop(key, None)
        return inside

    def _order_by_time(self, settled: list[Track], tracker: Tracker, hands: HandTracker) -> None:
        """Of two cards found in one look, one on the other, the one that lay there earlier lies below."""
        new = [t for t in settled if not t.is_back and t.key not in self._lying]
        for lower, upper in combinations(sorted(new, key=tracker.tracks.index), 2):
            met = overlap(lower.corners_px, upper.corners_px) >= self.settings.across
            if not met or lower.first_at != upper.first_at:
                continue
            times = [
                hands.lain_since(t.corners_px, t.empty_at, t.first_at, _others(t, tracker)) for t in (lower, upper)
            ]
            if times[0] is not None and times[1] is not None and times[1] + self.settings.earlier_s <= times[0]:
                tracker.put_under(upper, lower)

    def is_unsure(self, track: Track) -> bool:
        """Should the card be looked at again before it is told? What reads as no card is not told."""
        is_poor = track.looks < self.settings.patience and track.reading()[1] < self.settings.one_more_look
        return not (track.is_back or track.is_nothing) and (is_poor or track.key in self._waiting)

    def _lay(
        self, track: Track, tracker: Tracker, hands: HandTracker, layout: TableLayout, at: float, is_hidden: bool
    ) -> None:
        """Take up a card that has settled, or what is new about one that lies already."""
        card, share, others = track.reading()
        named = self.piles.turnup_name if track.key == self.piles.turnup_key else None
        if named is not None:
            card, share, others = named, 1.0, ()
        elif self._is_crowded(track, tracker) or self._lies_on_nameless(track, tracker):
            share = min(share, self.settings.crowded_share)
        old = self._lying.get(track.key)
        pose = layout.pose(track.corners_px)
        if old is not None:
            if not old.touched and named is None:
                share = min(share, track.one_look)
            moved = old.pose.distance_mm(pose) > self.settings.moved_mm
            on, lap = self._across(track, tracker, layout) if moved else (old.on, old.overlap)
            grazes = self._grazed(track, tracker, layout) if on is None else None
            self._lying[track.key] = LyingCard(
                old.key,
                card,
                share,
                others,
                pose,
                on,
                lap,
                old.clear_at,
                old.touched,
                grazes,
                is_blurred=track.is_blurred,
            )
            return
        if named is None and not self._has_name(track, share):
            return
        may_be_held = is_hidden and track.open_looks == 0
        if track.key != self.piles.turnup_key and may_be_held and hands.busy and self._under_arm(track, hands, at):
            return
        if named is None and self._waits_for_lower(track, tracker, at):
            self._waiting.add(track.key)
            return
        lay_by = hands.lain_since(track.corners_px, track.empty_at, track.first_at, _others(track, tracker))
        touched = () if lay_by is None else hands.touches(track.corners_px, track.empty_at, lay_by, layout)
        if not touched:  # by the hand that still was over it then
            lay_by = None
            touched = hands.touches(track.corners_px, track.empty_at, track.first_at, layout)
        if not touched and named is None:
            if hands.slid_in(track.corners_px, track.empty_at) and not self._is_handled(track, hands, layout, at):
                return
            share = min(share, track.one_look)
        on, lap = self._across(track, tracker, layout)
        self._lying[track.key] = LyingCard(
            track.key,
            card,
            share,
            others,
            pose,
            on,
            round(lap, 3),
            hands.clear_at(track.corners_px, at if lay_by is None else lay_by),
            touched,
            self._grazed(track, tracker, layout) if on is None else None,
            is_blurred=track.is_blurred,
        )

    def _is_unread(self, track: Track, tracker: Tracker) -> bool:
        """Has a card come to lie there that look after look has no name?"""
        s = self.settings
        if track.is_back or track.key in self._lying or track.looks < s.patience or track.key == self.piles.turnup_key:
            return False
        return not self._has_name(track, track.reading()[1]) and not self._is_at_pile(track, tracker)

    def _is_stranger(self, track: Track) -> bool:
        """Is it a card that the pack lacks, rather than one of it?"""
        return track.looks >= self.settings.patience and track.stranger_share >= self.settings.named

    def _unread(self, track: Track, tracker: Tracker, hands: HandTracker, layout: TableLayout, at: float) -> LyingCard:
        card, share, others = track.reading()
        on, lap = self._across(track, tracker, layout)
        return LyingCard(
            track.key,
            card,
            max(share, track.stranger_share),
            others,
            layout.pose(track.corners_px),
            on,
            round(lap, 3),
            hands.clear_at(track.corners_px, at),
            hands.touches(track.corners_px, track.empty_at, track.first_at, layout),
            outside_pack=self._is_stranger(track),
        )

    def _is_at_pile(self, track: Track, tracker: Tracker) -> bool:
        zone = self.piles.zone(track.key)
        place = self.piles.talon_place_px
        turnup = next((t for t in tracker.tracks if t.key == self.piles.turnup_key), None)
        # Where the turn-up itself is no longer found, a face in its place may have been exchanged for it.
        if zone == "turnup" or (turnup is not None and turnup.seen_at < track.seen_at):
            return False
        if zone != "bout":
            return True
        is_poor = track.one_look < self.settings.plain_on_heap
        if is_poor and self.piles.heaps.covers(track.corners_px, track.first_at, self.settings.on_pile):
            return True
        if not (is_poor or self.piles.has_turnup):
            return False  # whatever lies face up was laid
        return any(
            overlap(track.corners_px, pile) > self.settings.on_pile
            for pile in (place, self.piles.turnup_px, self.piles.bared_px if turnup is not None else None)
            if pile is not None
        )

    def _has_name(self, track: Track, share: float) -> bool:
        s = self.settings
        if share >= s.named:
            return True
        return share >= s.guess and track.looks >= s.guess_looks and track.confidence >= s.guess_confidence

    def _under_arm(self, track: Track, hands: HandTracker, at: float) -> bool:
        """Is a hand over the card at this very moment?"""
        return hands.clear_at(track.corners_px, at) >= at - A_MOMENT_S

    def _is_handled(self, track: Track, hands: HandTracker, layout: TableLayout, at: float) -> bool:
        """Was a hand over the card since it came, and it lies there still? Then it is not drawn over the film."""
        s = self.settings
        over = hands.touches(track.corners_px, track.first_at, at, layout, seen=True)
        return any(each.share >= s.handled and track.seen_at >= each.last_at + s.handled_s for each in over)

    def _leave(self, track: Track, hands: HandTracker, layout: TableLayout, at: float) -> Gone:
        del self._lying[track.key]
        clear = hands.clear_at(track.corners_px, at)
        since = track.seen_at
        return Gone(track.key, clear if clear > since else at, hands.touches(track.corners_px, since, at, layout))

    def _waits_for_lower(self, track: Track, tracker: Tracker, at: float) -> bool:
        """Does the card lie across one that came with it and has no name yet? Told alone it would be an attack."""
        if at - track.first_at >= self.settings.lower_wait_s:
            return False
        return any(
            not other.is_back
            and other.key not in self._lying
            and other.key != self.piles.turnup_key
            and not self._is_stranger(other)  # that one never gets a name
            and other.seen_at >= track.seen_at
            and overlap(track.corners_px, other.corners_px) >= self.settings.across
            for other in tracker.tracks[: tracker.tracks.index(track)]
        )

    def _is_crowded(self, track: Track, tracker: Tracker) -> bool:
        """Do several claims that came to nothing yet lie where this card does?"""
        s = self.settings
        others = [t for t in tracker.tracks if t is not track and t.key not in self._lying and not t.is_nothing]
        return sum(overlap(track.corners_px, t.corners_px) >= s.crowded for t in others) >= s.crowd

    def _lies_on_nameless(self, track: Track, tracker: Tracker) -> bool:
        """Does the card lie across one that nobody can read? Then it may be an answer to it."""
        s = self.settings
        return any(
            other.confirmed
            and not other.is_back
            and not other.is_nothing
            and other.looks >= s.patience
            and not self._has_name(other, other.reading()[1])
            and overlap(track.corners_px, other.corners_px) >= s.across
            for other in tracker.tracks[: tracker.tracks.index(track)]
        )

    def _across(self, track: Track, tracker: Tracker, layout: TableLayout) -> tuple[int | None, float]:
        """The card that this one lies across, and the share of it that overlaps."""
        below = tracker.tracks[: tracker.tracks.index(track)]
        covered = {card.on for card in self._lying.values() if card.key != track.key}
        own = layout.whole_px(track.corners_px)
        best: tuple[float, int, float] | None = None
        for other in below:
            if other.key not in self._lying or other.key == self.piles.turnup_key:
                continue
            lap = overlap(own, layout.whole_px(other.corners_px))
            least = self.settings.across_covered if other.key in covered else self.settings.across
            # An open card is meant rather than a covered one that is touched as well.
            score = lap - (self.settings.covered_loses if other.key in covered else 0.0)
            if lap >= least and (best is None or score > best[0]):
                best = (score, other.key, lap)
        if best is None:
            return None, 0.0
        # What lies across an answer is meant for the card that was answered: nobody plays on an answer.
        key, under = best[1], self._lying[best[1]].on
        return (under if under in self._lying else key), best[2]

    def _grazed(self, track: Track, tracker: Tracker, layout: TableLayout) -> int | None:
        """The open card that one which lies across none shares most with, if it shares anything worth a word."""
        covered = {card.on for card in self._lying.values() if card.key != track.key}
        own = layout.whole_px(track.corners_px)
        laps = {
            other.key: overlap(own, layout.whole_px(other.corners_px))
            for other in tracker.tracks
            if other is not track and other.key in self._lying and other.key not in covered
            if other.key != self.piles.turnup_key and self._lying[other.key].on is None
        }
        nearest = max(laps, key=lambda key: laps[key], default=None)
        return nearest if nearest is not None and laps[nearest] >= self.settings.grazes else None


def _others(track: Track, tracker: Tracker) -> list[Array]:
    """Where the other cards lie."""
    return [other.corners_px for other in tracker.tracks if other is not track and not other.is_nothing]


def _middle(outline_px: Array, layout: TableLayout) -> Pose:
    middle = layout.mm(outline_px).mean(axis=0)
    return Pose(round(float(middle[0]), 1), round(float(middle[1]), 1))
