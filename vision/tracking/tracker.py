"""
Tracks: which card is which, look after look.

Theory of operation. A look gives detections; each is matched with a known card (by place and by name together) or
begins a new track. A track sums what all looks say about its name as log-probabilities, weighted by how much of the
card was in view. It ends only when looks at its place no longer find it *and* the picture has changed there: a
detector that misses a card does not make it vanish. What lies under another card or a hand is taken to lie on.
A face that no hand brought is told only if single looks read it well: many like looks at a cup sum up to a queen.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import Grey, bottom_first
from vision.geometry.quads import Array, Mask, align, centre, fill, gap, is_part_of, overlap, size, warp
from vision.motion.background_subtraction import NEVER
from vision.motion.patches import Flags
from vision.motion.unexplained_change import Times, UnexplainedChange
from vision.tracking.frame_facts import FrameFacts
from vision.tracking.held_cards import HeldCards
from vision.tracking.matching import is_nameless, match_score
from vision.tracking.missed_detections import TrackedCard
from vision.tracking.name_prior import NamePrior
from vision.tracking.overlooked_change import OverlookedChange
from vision.tracking.sharpness import is_look_blurred, sharpness, weighed_by_sharpness
from vision.tracking.track import PiledTracks, Track, TrackChange
from vision.tracking.track_settings import TrackSettings
from vision.tracking.turnup_in_hand import has_successor, is_pulled, sought_pair, successor_of
from vision.tracking.usable_detections import is_echo, usable_detections

logger = logging.getLogger(__name__)


class Tracker:
    """The cards on the table, oldest first: of two that overlap the later one lies on top."""

    def __init__(self, settings: TrackSettings | None = None, pack_size: int | None = None) -> None:
        self.settings = settings or TrackSettings()
        self._prior = NamePrior.of(pack_size, self.settings.stranger)
        self.tracks: list[Track] = []
        self._count = 0
        self.unexplained_change = UnexplainedChange()
        self._looked_at = NEVER
        self._piled = PiledTracks()
        self._visited_at: npt.NDArray[np.float64] | None = None
        self._sharpness: list[float] = []
        self._is_blurred = False
        self._overlooked = OverlookedChange(self.settings)
        self._held = HeldCards(self.settings)

    def note_piles(self, piled: PiledTracks) -> None:
        """Talon, turn-up and heap have been made out."""
        self._piled = piled

    def stir(self, changed: Flags, scale: float, explain: bool = True, calm_at: Times | None = None) -> None:
        """
        Note where the picture changed (a mask of the reduced picture).

        ``explain``: a card may have come there. Where nothing changed no card can be new, whatever a detector says.
        ``calm_at``: when each spot was last seen at rest and free of hands, before it changed.
        """
        self.unexplained_change.note(changed, self._looked_at if calm_at is None else calm_at, explain)
        for track in self.tracks:
            place = fill((changed.shape[0], changed.shape[1]), track.corners_px, 1 / scale) > 0
            if not place.any() or float(changed[place].mean()) < self.settings.stirred_share:
                continue
            track.stirred = changed & place if track.stirred is None else track.stirred | (changed & place)

    def note_visits(self, places: Flags, at: float) -> None:
        """Where hands may be at the time ``at`` (seconds), on the reduced picture: cards don't leave by themselves."""
        if self._visited_at is None or self._visited_at.shape != places.shape:
            self._visited_at = np.full(places.shape, NEVER)
        self._visited_at[places] = at

    def follow(self, move: npt.NDArray[np.float64]) -> None:
        """The camera was moved: ``move`` (3, 3) leads from pixels before to pixels now."""
        for track in self.tracks:
            track.corners_px, track.stirred = warp(move, track.corners_px), None

    def accept_all(self) -> None:
        """What lies there now is known: from here on a new card needs a change."""
        self.unexplained_change.settle()
        for track in self.tracks:
            track.confirmed = True

    def update(self, found: Detections, facts: FrameFacts, grey: Grey, last_look_at: float) -> TrackChange:
        """
        Take in what a look has found. ``grey`` gives the full-size picture, for telling which of two new cards lies on
        top. ``last_look_at``: when the look before was taken, in seconds.
        """
        turnup = next((t for t in self.tracks if t.key == self._piled.turnup_key), None)
        if turnup is not None and self._piled.turnup is not None:
            turnup.pulled |= is_pulled(turnup, self._piled.turnup, self.tracks, found, self.settings)
        picture = grey()
        self._sharpness = [sharpness(picture, quad) for quad in found.corners_px]
        usable = usable_detections(found, facts, self.tracks, self.settings)
        self._exchange(found, usable, facts.at)
        matched, fresh = self._match(found, usable, facts)
        self._is_blurred = is_look_blurred([(track, self._sharpness[k]) for track, k in matched], self.settings)
        for track, k in matched:
            self._found(track, found, k, facts, picture)
        # A card laid anew elsewhere lies on top there.
        self.tracks.sort(key=lambda track: track.laid_at)
        lost = [t for t in self.tracks if all(t is not m for m, _ in matched)]
        begun = self._begin(found, fresh, facts, picture, last_look_at)
        self._held.note(found, set(range(len(found))) - set(usable), (facts.at, last_look_at))
        gone = self._missing(lost, found, [k for k in range(len(found)) if all(k != m for _, m in matched)], facts)
        for track in gone:
            self.unexplained_change.account(facts.filled(track.corners_px), SPILL_PX)
        if self.unexplained_change.is_known:
            self._confirm(facts)
        self._looked_at = facts.at
        for track in gone:
            logger.debug("track %d is gone at %.2f s", track.key, facts.at)
        doubtful = any(
            t.missed > 0
            or t.pulled
            or (t.still < self.settings.still_looks and self.visible_share(t, facts) > self.settings.visible_share)
            for t in self.tracks
        )
        doubtful = doubtful or any(self._is_belied(track, found, facts) for track in lost if track not in gone)
        return TrackChange(begun, tuple(gone), doubtful or self._overlooked.is_open(facts.at))

    def _is_belied(self, track: Track, found: Detections, facts: FrameFacts) -> bool:
        """Is another face read surely where this card should lie open, though nothing could be made of that yet?"""
        if track.is_back or track.is_nothing or self._is_covered(track, facts):
            return False
        name, near = int(np.argmax(track.evidence)), size(track.corners_px) * self.settings.same_place / 2
        return any(
            names[:FACE_COUNT].max() >= self.settings.unmistakable
            and int(names.argmax()) != name
            and gap(quad, track.corners_px) < near
            for quad, names in zip(found.corners_px, found.probabilities, strict=True)
        )

    def has_unexplained(self, beside: Collection[int], piles: Sequence[Array], facts: FrameFacts) -> bool:
        """
        Has the picture changed by a good part of a card that no card accounts for?

        Only next to the cards with the keys ``beside`` counts, and not where ``piles`` lie: those slip at every touch.
        """
        cards = [track.corners_px for track in self.tracks if track.key in beside]
        return self.unexplained_change.has_patch(cards, piles, facts.arms, facts.scale, self.settings.unexplained_share)

    def lying(self, facts: FrameFacts) -> tuple[TrackedCard, ...]:
        """The cards that lie there by what is known, lower ones first; open are those that should be found now."""
        s = self.settings
        out = []
        for track in self.tracks:
            whole, view = self._in_view(track, facts)
            in_view = bool(view.any()) and view.sum() >= s.visible_share * whole
            touched = track.stirred is not None and in_view and float(track.stirred[view].mean()) >= s.stirred_share
            is_open = in_view and (touched or track.looks < s.looks_to_know) and not track.pulled
            name = None if is_nameless(track, s) else int(np.argmax(track.evidence))
            out.append(TrackedCard(track.corners_px, name, is_open, touched))
        return tuple(out)

    def drop(self, track: Track) -> None:
        """Forget a card that is known by other means to be there no more."""
        logger.debug("track %d is dropped", track.key)
        self.tracks = [other for other in self.tracks if other is not track]

    def put_under(self, lower: Track, upper: Track) -> None:
        """``lower`` lies under ``upper``, though it was thought to lie on it."""
        self.tracks.remove(lower)
        self.tracks.insert(self.tracks.index(upper), lower)

    def visible_share(self, track: Track, facts: FrameFacts) -> float:
        """How much of a card neither arms nor later cards hide, 0..1."""
        whole, view = self._in_view(track, facts)
        return float(view.sum()) / whole if whole else 0.0

    def _arm_over(self, track: Track, facts: FrameFacts) -> bool:
        """Does an arm hide most of it?"""
        place = facts.place(track.corners_px)
        return bool(place.any()) and float(facts.arms[place].mean()) > 1 - self.settings.full_view

    def _is_covered(self, track: Track, facts: FrameFacts) -> bool:
        """Do later cards hide so much of it that not finding it means nothing?"""
        whole, view = self._in_view(track, FrameFacts(facts.at, np.zeros_like(facts.arms), facts.scale))
        return float(view.sum()) < self.settings.visible_share * whole

    def _in_view(self, track: Track, facts: FrameFacts) -> tuple[int, Flags]:
        """How many reduced pixels a card takes up, and which of them neither arms nor later cards hide."""
        place = facts.filled(track.corners_px)
        whole = int((place > 0).sum())
        place[facts.arms] = 0
        for later in self.tracks[self.tracks.index(track) + 1 :]:
            cv2.fillConvexPoly(place, np.round(later.corners_px / facts.scale).astype(np.int32), 0)
        return whole, place > 0

    def name(self, was: Card, card: Card) -> None:
        """People say that what is read as ``was`` is ``card``."""
        for track in self.tracks:
            if not track.is_back and not track.is_nothing and track.reading()[0] == was:
                track.known_as = card
                track.heed_people()

    def _exchange(self, found: Detections, usable: list[int], at: float) -> None:
        """Where a turn-up lay that was seen in a hand a card is found again: another, until it reads the same."""
        for old in [track for track in self.tracks if track.pulled]:
            quad = successor_of(old, self.tracks, found, usable, self.settings)
            if quad is not None:
                self._count += 1
                new = Track(self._count, quad, at, old.seen_at, old.laid_at, confirmed=True)
                new.prior, new.evidence = self._prior, self._prior.log_likelihoods.copy()
                self.tracks.insert(self.tracks.index(old) + 1, new)

    def _match(
        self, found: Detections, usable: list[int], facts: FrameFacts
    ) -> tuple[list[tuple[Track, int]], list[int]]:
        """Pair tracks with detections, best score first; what is left of the detections is new."""
        scored = []
        covered = {track.key for track in self.tracks if self._is_covered(track, facts)}
        hidden = {track.key for track in self.tracks if self._arm_over(track, facts)}
        since = facts.at - self.settings.visited_s
        visited = {t.key for t in self.tracks if self._was_visited(facts.filled(t.corners_px), max(t.seen_at, since))}
        for k in usable:
            quad = found.corners_px[k]
            is_new_place = self._has_changed(quad, facts)
            is_clear = float(found.probabilities[k].max()) >= self.settings.readable
            for track in self.tracks:
                if not is_clear and track.stirred is not None and self._was_clear(track, facts):
                    continue
                # A covered card that comes to light reads as itself; anything else lies on it.
                is_other = int(found.probabilities[k].argmax()) != int(np.argmax(track.evidence))
                if track.pulled or (track.key in covered and is_other):
                    continue
                may_be_elsewhere = is_new_place and track.key not in self._piled.keys
                is_sharp = self._sharpness[k] >= self.settings.blurred * track.sharpest
                other_read = self.settings.settles if is_sharp else self.settings.unmistakable
                states = (track.key in hidden, other_read if track.key in visited else None)
                score = match_score(track, quad, found.probabilities[k], may_be_elsewhere, self.settings, *states)
                if score is not None:
                    scored.append((score, track, k))
        scored.sort(key=lambda item: -item[0])
        matched: list[tuple[Track, int]] = []
        taken: set[int] = set()
        keys: set[int] = set()
        for _, track, k in scored:
            if track.key not in keys and k not in taken:
                matched.append((track, k))
                taken.add(k)
                keys.add(track.key)
        return matched, [k for k in usable if k not in taken]

    def _was_clear(self, track: Track, facts: FrameFacts) -> bool:
        """Did the card lie in full view and read surely? Then what nobody can read there now is not that card."""
        s = self.settings
        return (
            track.weight >= 1
            and track.shares.max() >= s.unmistakable
            and self.visible_share(track, facts) > s.full_view
        )

    def _has_changed(self, quad: Array, facts: FrameFacts) -> bool:
        """Has enough of a place changed for a card to have come there?"""
        place = facts.place(quad) & ~facts.arms
        return self.unexplained_change.share(place) >= self.settings.fresh_share

    def _found(self, track: Track, found: Detections, k: int, facts: FrameFacts, picture: Mask) -> None:
        s = self.settings
        quad = align(found.corners_px[k], track.corners_px)
        is_new = track.seen_at == 0.0
        if (
            track.still >= s.still_looks
            and not is_new
            and is_part_of(quad, track.corners_px, s.part_inside, s.part_shrunk)
        ):
            quad = track.corners_px  # what shows of it lies where it lay
        steady = float(np.abs(quad - track.corners_px).max()) < s.steady * size(track.corners_px)
        weight = track.seen.novelty(picture, quad, s.alike, s.crops_kept, has_moved=not steady)
        weight = weighed_by_sharpness(track, self._sharpness[k], weight, s, is_blurred=self._is_blurred)
        # A narrow strip is often read wrongly though surely; a card half in view as well as an open one.
        weight *= float(
            np.clip((self.visible_share(track, facts) - s.strip_share) / s.strip_slope, s.least_weight, 1.0)
        )
        was = int(np.argmax(track.evidence))
        track.evidence += weight * np.log(np.maximum(found.probabilities[k].astype(np.float64), s.name_floor))
        track.evidence -= track.evidence.max()
        track.weight += weight
        if track.weight > s.most_weight:
            track.evidence *= s.most_weight / track.weight
            track.weight = s.most_weight
        track.heed_people()
        if float(np.linalg.norm(centre(quad) - centre(track.corners_px))) > s.same_place * size(quad):
            track.laid_at = facts.at
        # A still card's corners are averaged; one that moved is taken as it lies now.
        track.corners_px = track.corners_px * (1 - s.corner_rate) + quad * s.corner_rate if steady else quad
        track.still = track.still + 1 if steady else 1
        track.looks += 1
        place = facts.place(quad)
        track.open_looks += bool(place.any()) and float(facts.arms[place].mean()) <= s.open_share
        track.missed = 0
        track.stirred = None
        track.seen_at = facts.at
        track.confidence = float(found.confidence[k])
        now = int(np.argmax(track.evidence))
        track.surest = max(float(found.probabilities[k, now]), track.surest if now == was else 0.0)
        if is_new:
            logger.debug("track %d begins at %.2f s as %s", track.key, facts.at, CLASS_NAMES[now])
        elif now != was:
            logger.debug("track %d is %s at %.2f s, not %s", track.key, CLASS_NAMES[now], facts.at, CLASS_NAMES[was])

    def _is_explained(self, place: Flags, facts: FrameFacts, claimed: Flags, known: Flags, is_clear: bool) -> bool:
        """
        Has the picture changed where a card is said to be new, apart from what better finds claim (``claimed``), and
        from the ``known`` cards that may lie over it? Of a card that is clear less must have changed.
        """
        if not self.unexplained_change.is_known:
            return True
        s = self.settings
        own = self.unexplained_change.own(place, facts.arms, claimed, known)
        if own.sum() < s.own_share * place.sum():
            return False
        return self.unexplained_change.share(own) >= (s.pale_share if is_clear else s.fresh_share)

    def _is_clear(self, quad: Array, confidence: float, surest: float, at: float) -> bool:
        """
        Is a card found and read beyond doubt? Where another lay that is not found again, a reading that is clearly
        another's tells.
        """
        s = self.settings
        near = size(quad) * s.same_place / 2
        left = any(
            not t.is_back and t.confirmed and t.seen_at < at and gap(t.corners_px, quad) < near for t in self.tracks
        )
        if left:
            return confidence >= s.replaced_confidence and surest >= s.replaced_read
        return confidence >= s.pale_confidence and surest >= s.pale_read

    def _is_contradicted(self, place: Flags, facts: FrameFacts) -> bool:
        """Would a new card hide one that this very look has found again?"""
        for track in self.tracks:
            if track.confirmed and track.seen_at == facts.at:
                whole, view = self._in_view(track, facts)
                left = int((view & ~place).sum())
                if left < self.settings.least_left * whole and left < self.settings.least_kept * int(view.sum()):
                    return True
        return False

    def _known(self, facts: FrameFacts) -> Flags:
        """Where confirmed cards lie that this look has found again."""
        mask = np.zeros(facts.shape, np.uint8)
        for track in self.tracks:
            if track.confirmed and track.seen_at == facts.at:
                cv2.fillConvexPoly(mask, np.round(track.corners_px / facts.scale).astype(np.int32), 1)
        return mask > 0

    def _confirm(self, facts: FrameFacts) -> None:
        """Cards found twice at one place account for the change there; glimpses left without any are dropped."""
        known = self._known(facts)
        # Backs first: of a turn-up whose talon hides most of it a strip is left, of the talon nothing. What nobody can
        # read comes last: of a card outlined twice the one that can be read counts.
        clear = self.settings.readable
        for track in sorted(self.tracks, key=lambda t: (not t.is_back, t.shares.max() < clear, -t.confidence)):
            if track.still < self.settings.still_looks:
                continue
            if track.confirmed:
                if track.seen_at == facts.at:  # it may have been pushed to where it lies
                    self.unexplained_change.account(facts.filled(track.corners_px))
                continue
            place = facts.filled(track.corners_px)
            is_clear = self._is_clear(track.corners_px, track.confidence, track.surest, track.seen_at)
            if track.said or self._is_explained(place > 0, facts, np.zeros_like(facts.arms), known, is_clear):
                track.confirmed = True
                self.unexplained_change.account(place, SPILL_PX)
                # A card that lies partly under this one, a turn-up under the talon, answers for the rest of itself.
                known = known | (cv2.dilate(place, _SPILL) > 0)
            elif self.visible_share(track, facts) > self.settings.full_view:
                self.drop(track)

    def _missing(self, lost: list[Track], found: Detections, fresh: list[int], facts: FrameFacts) -> list[Track]:
        """
        Of the tracks not found: which are gone for good? Those are taken off the list.

        ``fresh``: what was found and continues no track. A card of another name that is seen where one lay lies on it,
        though a hand may still be there, so that it can't be followed yet.
        """
        s = self.settings
        laid = [k for k in fresh if self._is_card(found, k)]
        gone: list[Track] = []
        missed: list[Track] = []
        for track in reversed(lost):  # of a heap the uppermost first: what lies under a card goes with it or after it
            if track.pulled and has_successor(track, self.tracks, self.settings):
                continue  # not gone, but exchanged
            place = facts.filled(track.corners_px)
            whole = int((place > 0).sum())
            lids = np.zeros_like(place)
            for later in self.tracks[self.tracks.index(track) + 1 :]:
                is_found = all(later is not other for other in lost)
                if is_found or (self._is_card_by_name(later) and all(later is not other for other in missed)):
                    cv2.fillConvexPoly(lids, np.round(later.corners_px / facts.scale).astype(np.int32), 255)
            for k in laid:
                if int(found.probabilities[k].argmax()) != int(np.argmax(track.evidence)):
                    cv2.fillConvexPoly(lids, np.round(found.corners_px[k] / facts.scale).astype(np.int32), 255)
            # Changes spill over the rim of what changed: next to a card just laid they say nothing.
            view = (place > 0) & ~facts.arms & (cv2.dilate(lids, _LID_RIM) == 0)
            if whole and view.sum() / whole < s.visible_share:
                track.missed = 0
                continue
            touched = whole == 0 or (track.stirred is not None and float(track.stirred[view].mean()) >= s.changed_share)
            tentative = (
                track.looks < s.still_looks and float(facts.arms[place > 0].mean() if whole else 0) <= s.arm_cover
            )
            if not touched and not tentative:
                continue
            missed.append(track)
            track.missed += 1
            track.gone_at = facts.at if track.missed == 1 else track.gone_at
            is_missed = track.missed >= (s.looks_after_pull if track.pulled else s.looks_to_go)
            if is_missed and (not track.confirmed or self._may_have_gone(track, place, facts)):
                gone.append(track)
        self.tracks = [t for t in self.tracks if all(t is not g for g in gone)]
        return gone[::-1]

    def _is_card_by_name(self, track: Track) -> bool:
        """Is it known to be a card, by what it is called?"""
        return track.confirmed and not track.is_nothing and not is_nameless(track, self.settings)

    def _may_have_gone(self, track: Track, place: npt.NDArray[np.uint8], facts: FrameFacts) -> bool:
        """Was a hand there since the card was last seen, or has it been out of sight for long?"""
        is_long = track.gone_at is not None and facts.at - track.gone_at >= self.settings.unvisited_s
        return is_long or self._visited_at is None or self._was_visited(place, track.seen_at)

    def _was_visited(self, place: npt.NDArray[np.uint8], since: float) -> bool:
        """Was a hand there after a moment?"""
        visited = self._visited_at
        return visited is not None and bool((visited[cv2.dilate(place, _LID_RIM) > 0] > since).any())

    def _is_card(self, found: Detections, k: int) -> bool:
        """Is a claim read as a card, surely enough to lie on another?"""
        return (
            bool(found.confidence[k] >= self.settings.least_confidence)
            and float(found.probabilities[k, :NOTHING_INDEX].max()) >= self.settings.settles
        )

    def _begin(
        self, found: Detections, fresh: list[int], facts: FrameFacts, picture: Mask, last_look_at: float
    ) -> tuple[Track, ...]:
        """New tracks, lower cards first."""
        s = self.settings
        begun: list[tuple[Track, int]] = []
        claimed = np.zeros_like(facts.arms)
        known = self._known(facts)
        score = found.confidence * found.probabilities.max(axis=1)
        score += found.probabilities[:, BACK_INDEX] >= s.unmistakable
        times = (facts.at, last_look_at)
        sought = sought_pair(found, self._piled.sought, s)
        for k in sorted(fresh, key=lambda k: -float(score[k])):
            place = facts.place(found.corners_px[k])
            is_clear = self._is_clear(
                found.corners_px[k], float(found.confidence[k]), float(found.probabilities[k].max()), facts.at
            )
            is_explained = k in sought or self._is_explained(place, facts, claimed, known, is_clear)
            held = self._held.at_place(found.corners_px[k], int(found.best[k]))
            # What a hand was seen to lay there needs no change that the gate has told.
            is_explained = is_explained or (held is not None and is_clear)
            lain = None if is_explained or not is_clear else self._overlooked.lain_since(found, k, self.tracks, times)
            if not is_explained and lain is None:
                continue
            if self._is_contradicted(place, facts):
                continue
            if is_echo(found, k, self.tracks, facts.at, s):
                continue
            claimed |= place
            self._count += 1
            empty_at = min(last_look_at, self.unexplained_change.unchanged_at(place, self._looked_at))
            empty_at = empty_at if lain is None else lain
            # A card that was found before this one was not under it then.
            under = [t.first_at for t in self.tracks if overlap(found.corners_px[k], t.corners_px) >= s.lies_on]
            empty_at = max([empty_at, *under])
            track = Track(self._count, found.corners_px[k].astype(np.float32), facts.at, empty_at, laid_at=facts.at)
            track.said, track.confirmed = k in sought, lain is not None or (held is not None and is_clear)
            if held is not None:
                track.looks = track.still = held.looks
                track.empty_at = min(track.empty_at, held.empty_at)
                self._held.let_go(held)
            track.prior, track.evidence = self._prior, self._prior.log_likelihoods.copy()
            begun.append((track, k))
        order = bottom_first([track.corners_px for track, _ in begun], lambda: picture)
        ordered = [begun[k][0] for k in order]
        self.tracks.extend(ordered)
        for track, k in begun:
            self._found(track, found, k, facts, picture)
        return tuple(ordered)


SPILL_PX = 2
"""So far, on the reduced picture, a change spills over the rim of what changed. More: a card laid beside is explained
away; fewer: rims are new cards. Set by hand, 2026-11."""
LID_RIM_PX = 3
"""So far, on the reduced picture, changes of a card spill over one under it: there they say nothing. More: a card gone
from under another stays; fewer: a card laid on another takes it away. Set by hand, 2026-11."""
_SPILL = np.ones((2 * SPILL_PX + 1, 2 * SPILL_PX + 1), np.uint8)
_LID_RIM = np.ones((2 * LID_RIM_PX + 1, 2 * LID_RIM_PX + 1), np.uint8)
