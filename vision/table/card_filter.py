"""
The cards on the table as a filter: which card is which, and how likely it lies there, inference after inference.

Each card has log-odds that it lies there (a multi-Bernoulli filter, as for the targets of a radar), a place, and the
evidence of its name (:mod:`vision.table.track`). At every inference:

    step       what it does
    predict    a card that hands touch may leave; one under another card may not
    associate  pair cards and detections, the best score of name and place first
    found      raise the odds of the cards that were found
    born       begin a card for a detection that no card explains
    missed     lower the odds of the cards that were not found, by how much of them should have been seen
    confirm    a card at rest that is likely enough accounts for the change at its place, and is reported

Arms hide cards, and so do cards laid later. **A card beneath one in doubt is not judged by itself**: if the upper card
lies there, not finding the lower one says nothing; if it has gone, so has what should show under it. So the lower card
ends only with the upper one, or after it, and stays as it was if the upper one is found again.

A new card needs a change of the picture at its place that nothing else explains. Two kinds are excepted (candidates):

* a *held card* was read beyond doubt while an arm was over it. It may have been held still, so that it is not
  reported; but if it lies there, with the same name, once the arm has gone, it has lain there since. A card *dealt on*
  is never free of the arm: it was laid if the segmentation showed no hand on it in two inferences, and another card
  then came over it;
* an *unnoticed card* came without a change that motion detection reported: the light jumped, or the whole picture was
  an arm. If it lies still for a second and is read beyond doubt in several inferences, it is a card.

What is read at a place is added up over inferences, whether or not a card explains it (:mod:`vision.table.sightings`).

A new card lies on those that were found before it, unless the finder missed it until one of them came over it: then
what shows of it changed before that card came, and the edges show that card above.

What lies there and what was observed of it is kept with each card; the piles are a state of the filter, too.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import bottom_first, lies_on_top
from vision.geometry.quads import Array, Mask, align, centre, fill, gap, is_part_of, overlap, size, warp
from vision.motion.arm_regions import Flags
from vision.motion.change_history import Times, UnexplainedChange
from vision.motion.motion_report import NEVER
from vision.table.card_states import next_state
from vision.table.cards_in_view import RIM, CardSight, CardsInView, Visits
from vision.table.filter_model import FilterSettings
from vision.table.matching import (
    ELSEWHERE_SHARE,
    WEAKEST_CONFIDENCE,
    assign,
    expected_pair,
    has_successor,
    is_seen_in_hand,
    successor_of,
    usable_detections,
)
from vision.table.observation import InitialState
from vision.table.piles import Piles
from vision.table.sightings import Sighting, Sightings, is_another
from vision.table.track import (
    ARM_COVER,
    BLURRED,
    CERTAIN_NAME,
    CLEAR_CONFIDENCE,
    CLEAR_READ,
    FRESH_SHARE,
    FULL_VIEW,
    LIES_ON,
    MOST_WEIGHT,
    NOT_MISSED,
    OUTSIDE_PACK_PRIOR,
    READABLE,
    SAME_PLACE,
    STILL_INFERENCES,
    STIRRED_SHARE,
    TRACK_LEAST_CONFIDENCE,
    UNMISTAKABLE,
    VISIBLE_SHARE,
    CardState,
    FrameFacts,
    Misses,
    NamePrior,
    Track,
    TrackUpdate,
    sharpness,
)

logger = logging.getLogger(__name__)

SPILL_PX = 2
"""Pixels of the reduced picture by which a change spills over the rim of what changed."""
_SPILL = np.ones((2 * SPILL_PX + 1, 2 * SPILL_PX + 1), np.uint8)


@dataclass(slots=True, eq=False)
class Candidate:
    """A face read beyond doubt ``count`` times at one place, that is no card yet. Times in seconds."""

    corners_px: Array
    name: int
    empty_at: float
    first_at: float
    seen_at: float
    count: int = 1


class Candidates:
    """Faces read beyond doubt that are no cards yet: fingers are on them, or nothing changed where they lie."""

    def __init__(self, gap_s: float, at_rest: float) -> None:
        self._gap_s, self._at_rest = gap_s, at_rest
        self.known: list[Candidate] = []

    def add(self, found: Detections, k: int, at: float, last_at: float) -> Candidate | None:
        """Take in detection ``k`` of the time ``at``; return the candidate, None if it is no face read beyond doubt."""
        name = int(found.best[k])
        is_clear = found.confidence[k] >= CLEAR_CONFIDENCE and found.probabilities[k].max() >= CLEAR_READ
        if name >= FACE_COUNT or not is_clear:
            return None
        known = self.at_place(found.corners_px[k], name, at)
        if known is None:
            known = Candidate(found.corners_px[k], name, last_at, at, at)
            self.known.append(known)
        else:
            known.seen_at, known.count = at, known.count + 1
        return known

    def at_place(self, corners_px: Array, name: int, at: float) -> Candidate | None:
        """
        Return the candidate with this name (index into ``CLASS_NAMES``) at a place (4, 2) px, None if there is none.

        ``at``: time in seconds; older ones are dropped.
        """
        self.known = [card for card in self.known if at - card.seen_at <= self._gap_s]
        near = self._at_rest * size(corners_px)
        return next((c for c in self.known if c.name == name and gap(c.corners_px, corners_px) < near), None)


class CardFilter:
    """The cards on the table, oldest first: of two that overlap the later one lies on top."""

    def __init__(self, settings: FilterSettings | None = None, start: InitialState | None = None) -> None:
        start = start or InitialState()
        self.model = settings or FilterSettings()
        self.piles = Piles(start)
        self.tracks: list[Track] = []
        self.unexplained_change = UnexplainedChange()
        self._prior = NamePrior.of(start.pack, OUTSIDE_PACK_PRIOR)
        self._sightings, self._unnoticed = Sightings(self.model), Candidates(*self.model.unnoticed)
        self._sighted: list[Sighting] = []
        self.sights: dict[int, CardSight] = {}
        """By the key of a card, how it is seen in the newest inference."""
        self._ended_at: dict[int, float] = {}
        self._found, self._facts = (
            Detections.none(),
            FrameFacts(NEVER, np.zeros((0, 0), bool), 1.0, np.zeros((0, 0), bool)),
        )
        self._sharp: list[float] = []
        self._updated_at = self._last_at = NEVER
        self._picture: Mask = np.zeros((0, 0), np.uint8)
        self._visited_at: npt.NDArray[np.float64] | None = None
        self._count = 0

    def add_change(self, changed: Flags, scale: float, explain: bool = True, calm_at: Times | None = None) -> None:
        """
        Note where the picture changed, (rows, columns) of the reduced picture.

        ``explain``: a card may have come there. Where nothing changed no card can be new, whatever a detector says.
        ``calm_at``: when each spot was last at rest and free of hands, before it changed.
        """
        self.unexplained_change.add(changed, self._updated_at if calm_at is None else calm_at, explain)
        for track in self.tracks:
            place = fill((changed.shape[0], changed.shape[1]), track.corners_px, 1 / scale) > 0
            if not place.any() or float(changed[place].mean()) < STIRRED_SHARE:
                continue
            track.changed_since_found = (
                changed & place if track.changed_since_found is None else track.changed_since_found | (changed & place)
            )

    def add_visits(self, places: Flags, at: float) -> None:
        """Note where hands may be at the time ``at`` (seconds), on the reduced picture."""
        if self._visited_at is None or self._visited_at.shape != places.shape:
            self._visited_at = np.full(places.shape, NEVER)
        self._visited_at[places] = at

    def follow_camera(self, move: npt.NDArray[np.float64]) -> None:
        """
        Move all cards with the camera, without what changed and what was missed before.

        ``move``: (3, 3), from pixels before to pixels now.
        """
        for track in self.tracks:
            track.corners_px, track.changed_since_found = warp(move, track.corners_px), None
            track.misses = NOT_MISSED
        self.piles.follow(move)
        self._sightings.follow(move)

    def accept_all(self) -> None:
        """Take what lies there now as known: from here on a new card needs a change."""
        self.unexplained_change.clear()
        for track in self.tracks:
            track.confirm(self.model.most)

    def apply_label(self, was: Card, card: Card) -> None:
        """Name the cards that are read as ``was``: no reading overrides a person's label."""
        for track in self.tracks:
            if not track.is_back and not track.is_nothing and track.reading()[0] == was:
                track.known_as = card
                track.apply_label()

    def update(
        self,
        found: Detections,
        facts: FrameFacts,
        grey: Mask,
        last_at: float,
        hands: npt.NDArray[np.float64] | None = None,
    ) -> TrackUpdate:
        """
        Take in the detections of an inference.

        ``grey``: the full-size picture, (rows, columns) uint8. ``last_at``: time of the inference before, in seconds.
        ``hands``: (n,) share of each detection, 0..1, that a hand covers; None where no arm is in the picture.
        """
        self._found, self._facts, self._last_at, self._picture = found, facts, last_at, grey
        for track in self.tracks:
            lying = track.lying if track.key == self.piles.turnup_key else None
            if lying is not None and is_seen_in_hand(track, lying.card, self.tracks, found):
                track.state = CardState.DRAWN
        self._sharp = [sharpness(self._picture, quad) for quad in found.corners_px]
        names = {track.best for track in self.tracks}
        self._sighted = self._sightings.add(found, names, grey, facts.at, last_at, hands)
        usable = usable_detections(found, self._sighted, facts, self.tracks)
        for old in [track for track in self.tracks if track.is_drawn]:  # another card in its place, until it reads so
            quad = successor_of(old, self.tracks, found, usable)
            if quad is not None:
                new = self._new_track(quad, facts.at, old.seen_at, old.laid_at)
                new.confirm(self.model.laid_from)
                self.tracks.insert(self.tracks.index(old) + 1, new)
        visits = Visits(self._visited_at, self._updated_at, self.model.visited_s)
        self.sights = CardsInView(self.tracks, facts).sights(visits)
        for track in self.tracks:
            if track.is_confirmed:
                self._predict(track)
        matched = self._associate(usable)
        self.sights |= {track.key: replace(self.sights[track.key], found=k) for track, k in matched}
        # Most cards are blurred compared with earlier inferences.
        known = [self._sharp[k] / t.sharpest for t, k in matched if t.sharpest and t.inferences > 1]
        is_blurred = bool(known) and float(np.median(known)) < BLURRED
        for track, k in matched:
            self._add_detection(track, k, is_blurred)
        self.tracks.sort(key=lambda track: track.laid_at)  # a card laid again elsewhere lies on top there
        used = {k for _, k in matched}
        lost = [track for track in self.tracks if self.sights[track.key].found is None]
        begun = self._start_tracks([k for k in usable if k not in used], is_blurred, visits)
        begun += self._start_dealt_on()
        seen = [track.corners_px for track in self.tracks if track.seen_at == facts.at]
        for k in usable:
            self._sighted[k].is_card |= any(overlap(quad, found.corners_px[k]) >= self.model.dealt_on for quad in seen)
        for k in set(range(len(found))) - set(usable):
            self._sighted[k].was_clear_under_arm |= self._sighted[k].is_clear
        gone = self._miss(lost, [k for k in range(len(found)) if k not in used])
        self._ended_at |= {track.best: facts.at for track in gone if track.is_confirmed}
        paired, self.sights = self.sights, CardsInView(self.tracks, facts).sights(visits)
        for key in self.sights.keys() & paired.keys():
            before = paired[key]
            self.sights[key] = replace(self.sights[key], found=before.found, is_missed=before.is_missed)
        if self.unexplained_change.is_known:
            self._confirm()
        self._updated_at = facts.at
        return TrackUpdate(begun, tuple(gone), self._is_doubtful())

    def visible_share(self, track: Track, facts: FrameFacts) -> float:
        """Return the share of a card, 0..1, that neither arms nor later cards hide."""
        return CardsInView(self.tracks, facts).share(track)

    def _new_track(self, corners_px: Array, first_at: float, empty_at: float, laid_at: float) -> Track:
        """Return a card with a new key, without any reading."""
        self._count += 1
        track = Track(self._count, corners_px.astype(np.float32), first_at, empty_at, laid_at=laid_at)
        track.prior, track.evidence = self._prior, self._prior.log_likelihoods.copy()
        return track

    def _predict(self, track: Track) -> None:
        """Lower the odds of a card that hands touched since the last update; none is pulled from under another."""
        later = self.tracks[self.tracks.index(track) + 1 :]
        occluders = [t.odds for t in later if t.is_confirmed and overlap(t.corners_px, track.corners_px) >= LIES_ON]
        elapsed_s = min(max(self._facts.at - self._updated_at, 0.0), self.model.longest_s)
        handled = self.sights[track.key].handled
        rate = self.model.taken_per_s * handled / (1 + float(np.exp(max(occluders, default=-np.inf))))
        stays = float(np.exp(-rate * elapsed_s)) / (1 + float(np.exp(-track.odds)))
        track.odds = max(float(np.log(stays / (1 - stays))), -self.model.most)

    def _associate(self, usable: Sequence[int]) -> list[tuple[Track, int]]:
        """Pair cards with detections, the best score first. ``usable``: indices of the detections that are used."""
        found, facts, model = self._found, self._facts, self.model
        scores: dict[tuple[int, int], float] = {}
        for k in usable:
            quad, names = found.corners_px[k], found.probabilities[k]
            read, best = float(names.max()), int(names.argmax())
            is_clear = self._is_clear(k)
            changed = self.unexplained_change.share(facts.place(quad) & ~facts.arms)
            # Where fingers laid a card that was read on them before, nothing has changed since.
            was_held = is_clear and self._was_held(k)
            is_new_place = was_held or changed >= (model.pale_share if is_clear else FRESH_SHARE)
            for track in self.tracks:
                sight, is_plain = self.sights[track.key], track.shares.max() >= UNMISTAKABLE
                # A covered card that comes to light reads as itself; anything else lies on it.
                if track.is_drawn or (sight.is_covered and best != track.best):
                    continue
                is_touched = sight.is_changed
                if sight.is_visited and best != track.best:
                    other_read = CERTAIN_NAME if self._sharp[k] >= BLURRED * track.sharpest else UNMISTAKABLE
                    is_touched |= bool(read >= other_read and is_plain)
                agreement = float(track.shares @ self._sighted[k].names)
                is_other = (
                    is_touched
                    and read >= CERTAIN_NAME
                    and is_another(track.shares, self._sighted[k].names, model.same_card)
                )
                distance = gap(quad, track.corners_px) / max(size(track.corners_px), 1.0)
                score = None
                if is_other:
                    continue
                if distance >= SAME_PLACE:
                    # There only a face can be re-identified, if its old place was disturbed or an arm is over it.
                    is_free = not track.is_back and self.piles.zone(track.key) not in ("talon", "heap")
                    may_move = is_free and is_new_place and (is_touched or sight.is_under_arm)
                    if may_move and names[track.best] >= (ELSEWHERE_SHARE if is_touched else UNMISTAKABLE):
                        score = model.carried(agreement, distance)
                # A clearly read card is not assumed to be a neighbour that could not be read or is called no card.
                elif (
                    not ((track.is_nothing or track.is_nameless) and track.inferences > 1)
                    or read < UNMISTAKABLE
                    or (not is_touched and distance < model.unmoved)
                ):
                    score = model.match(agreement, distance, is_touched)
                if score is not None:
                    scores[track.key, k] = score
        by_key = {track.key: track for track in self.tracks}
        return [(by_key[key], k) for key, k in assign(scores)]

    def _add_detection(self, track: Track, k: int, is_blurred: bool) -> None:
        """Update a track with its detection: place, name, counts."""
        found, facts, model = self._found, self._facts, self.model
        was, is_new = track.best, track.seen_at == 0.0
        quad = align(found.corners_px[k], track.corners_px)
        is_resting = track.still >= STILL_INFERENCES and not is_new
        if is_resting and is_part_of(quad, track.corners_px, model.part_inside, model.part_shrunk):
            quad = track.corners_px  # what shows of it lies where it lay
        is_steady = float(np.abs(quad - track.corners_px).max()) < model.steady * size(track.corners_px)
        weight = track.seen.novelty(self._picture, quad, model.alike, has_moved=not is_steady)
        weight = track.weigh_by_sharpness(self._sharp[k], weight, is_blurred=is_blurred)
        in_view = self.sights[track.key].visible
        weight *= float(np.clip((in_view - model.strip_share) / model.strip_slope, model.strip_weight, 1.0))
        names = np.maximum(found.probabilities[k].astype(np.float64), model.reading_floor)
        track.add_reading(names, weight, MOST_WEIGHT)
        if float(np.linalg.norm(centre(quad) - centre(track.corners_px))) > SAME_PLACE * size(quad):
            track.laid_at = facts.at
        track.corners_px = track.corners_px + (quad - track.corners_px) * (model.corner_rate if is_steady else 1.0)
        track.still = track.still + 1 if is_steady else 1
        track.inferences += 1
        place = facts.place(quad)
        track.open_inferences += bool(place.any()) and float(facts.arms[place].mean()) <= model.open_share
        track.misses, track.changed_since_found, track.seen_at = NOT_MISSED, None, facts.at
        if track.is_confirmed:
            track.odds = min(max(track.odds, 0.0) + model.found, model.most)
        track.confidence = float(found.confidence[k])
        now = track.best
        track.surest = max(float(found.probabilities[k, now]), track.surest if now == was else 0.0)
        if is_new:
            logger.debug("track %d begins at %.2f s as %s", track.key, facts.at, CLASS_NAMES[now])
        elif now != was:
            logger.debug("track %d is %s at %.2f s, not %s", track.key, CLASS_NAMES[now], facts.at, CLASS_NAMES[was])

    def _start_tracks(self, fresh: list[int], is_blurred: bool, visits: Visits) -> tuple[Track, ...]:
        """Begin cards for the detections that no card explains, lower ones first. ``fresh``: their indices."""
        found, facts, at = self._found, self._facts, self._facts.at
        expected_turnup = expected_pair(found, self.piles.expected_turnup)
        view = CardsInView(list(self.tracks), facts)
        claimed, known = np.zeros_like(facts.arms), view.found_again()
        score = found.confidence * found.probabilities.max(axis=1)
        score += found.probabilities[:, BACK_INDEX] >= UNMISTAKABLE
        begun: list[tuple[Track, int, list[Track]]] = []
        for k in sorted(fresh, key=lambda k: -float(score[k])):
            quad, place = found.corners_px[k], facts.place(found.corners_px[k])
            is_clear = self._is_clear(k)
            held = self._sighted[k] if is_clear and self._was_held(k) else None
            unnoticed = None
            if k not in expected_turnup and held is None and not self._is_explained(place, claimed, known, is_clear):
                is_known = any(track.best == int(found.best[k]) for track in view.tracks)
                unnoticed = None if is_known else self._unnoticed.add(found, k, at, self._last_at)
                has_lain = unnoticed is not None and at - unnoticed.first_at >= self.model.unnoticed_s
                if unnoticed is None or not has_lain or unnoticed.count < self.model.unnoticed_count:
                    continue
            claimed |= place
            covers = self._covers(quad, place)
            empty_at = min(self._last_at, self.unexplained_change.unchanged_at(place, self._updated_at))
            if unnoticed is not None:
                empty_at = unnoticed.empty_at
            # A card that was found before this one was not under it then.
            earlier = [t for t in view.tracks if t not in covers and overlap(quad, t.corners_px) >= LIES_ON]
            empty_at = max([empty_at, *(track.first_at for track in earlier)])
            track = self._new_track(quad, at, empty_at, min([at, *(cover.laid_at for cover in covers)]))
            track.state = CardState.EXPECTED if k in expected_turnup else CardState.CLAIMED
            track.odds = self.model.new_clear if is_clear else self.model.new_unclear
            if held is not None or unnoticed is not None:
                track.confirm(self.model.laid_from)
            if held is not None:
                track.empty_at = min(track.empty_at, held.empty_at)
            begun.append((track, k, covers))
        order = bottom_first([track.corners_px for track, _, _ in begun], lambda: self._picture)
        for track, _, covers in [begun[k] for k in order]:
            self.tracks.insert(min((self.tracks.index(c) for c in covers), default=len(self.tracks)), track)
        view = CardsInView(self.tracks, facts)
        self.sights |= {track.key: replace(view.sight(track, visits), found=k) for track, k, _ in begun}
        for track, k, _ in begun:
            self._add_detection(track, k, is_blurred)
            track.inferences = track.still = max(track.still, self._sighted[k].count)
        return tuple(begun[k][0] for k in order)

    def _start_dealt_on(self) -> tuple[Track, ...]:
        """
        Begin cards that a hand had let go when the next card came over them, though an arm was over them all the time.

        A card that was on the table lately is not begun: what is left of its sighting is older than its end.
        """
        at, begun = self._facts.at, []
        over = [s for s in self._sighted if s.is_clear]
        for lower in self._sightings.let_go_before(at):
            known = any(track.best == lower.best for track in self.tracks)
            known |= at - self._ended_at.get(lower.best, NEVER) <= self.model.sighting[0]
            covers = [
                s
                for s in over
                if s.best != lower.best and overlap(lower.corners_px, s.corners_px) >= self.model.dealt_on
            ]
            if known or not covers or lower.free_at is None:
                continue
            track = self._new_track(lower.corners_px, lower.free_at, lower.empty_at, lower.free_at)
            track.evidence, track.free_at, track.seen_at = track.evidence + lower.evidence, lower.free_at, lower.seen_at
            track.inferences, track.still, track.weight = lower.count, lower.count, 1.0
            track.confidence, track.surest = lower.confidence, float(lower.names.max())
            track.confirm(self.model.laid_from)
            later = [k for k, other in enumerate(self.tracks) if other.first_at > lower.seen_at]
            self.tracks.insert(min(later, default=len(self.tracks)), track)
            self._sightings.end(lower)
            begun.append(track)
        return tuple(begun)

    def _covers(self, quad: Array, place: Flags) -> list[Track]:
        """Return the cards that came over a new card (4, 2) before the finder noticed it."""
        covers = []
        for other in self.tracks:
            if not other.is_back and not other.is_nothing and overlap(quad, other.corners_px) >= LIES_ON:
                own = place & ~self._facts.place(other.corners_px)
                changed_at = self.unexplained_change.unchanged_at(own, NEVER)
                if NEVER < changed_at <= other.empty_at and lies_on_top(other.corners_px, quad, self._picture):
                    covers.append(other)
        return covers

    def _is_explained(self, place: Flags, claimed: Flags, known: Flags, is_clear: bool) -> bool:
        """
        Check whether enough of a new card's place has changed.

        ``claimed``: places of better detections. ``known``: those of known cards that may lie over it. ``is_clear``: it
        is read beyond doubt, so that less must have changed, and what has not come to rest yet counts as changed.
        """
        if not self.unexplained_change.is_known:
            return True
        own = self.unexplained_change.own(place, self._facts.arms, claimed, known)
        if own.sum() < self.model.own_share * place.sum():
            return False
        if is_clear and float(self._facts.restless[own].mean()) >= FRESH_SHARE:
            return True
        return self.unexplained_change.share(own) >= (self.model.pale_share if is_clear else FRESH_SHARE)

    def _is_clear(self, k: int) -> bool:
        """Check whether detection ``k`` is found and read beyond doubt, by itself or with those before it."""
        found, sighting = self._found, self._sighted[k]
        surest, confidence = float(found.probabilities[k].max()), max(float(found.confidence[k]), sighting.confidence)
        if sighting.best == int(found.best[k]):
            surest = max(surest, float(sighting.names.max()))
        return self._is_beyond_doubt(found.corners_px[k], confidence, surest, self._facts.at)

    def _was_held(self, k: int) -> bool:
        """Check whether detection ``k`` reads like the card that was read at its place while an arm was over it."""
        return self._sighted[k].was_clear_under_arm and self._sighted[k].best == int(self._found.best[k])

    def _is_beyond_doubt(self, quad: Array, confidence: float, surest: float, at: float) -> bool:
        """
        Check whether a card at a place (4, 2) is found with a confidence and read with a probability beyond doubt.

        Where another card lay that is not found at the time ``at``, a clear reading of another name is enough.
        """
        near = size(quad) * SAME_PLACE / 2
        lost = [track for track in self.tracks if track.is_confirmed and track.seen_at < at and not track.is_back]
        if any(gap(track.corners_px, quad) < near for track in lost):
            return confidence >= self.model.replaced_confidence and surest >= self.model.replaced_read
        return confidence >= CLEAR_CONFIDENCE and surest >= CLEAR_READ

    def _miss(self, lost: list[Track], unmatched: list[int]) -> list[Track]:
        """
        Lower the odds of the cards that were not found (``lost``), and end those that have gone.

        ``unmatched``: indices of detections that continue no card. A card of another name that is found where one lay
        lies on it, though a hand may still be there, so that it is no card yet. A card that shows between the fingers
        of a resting hand is not missed.
        """
        found, facts = self._found, self._facts
        read = found.probabilities[:, :NOTHING_INDEX].max(axis=1, initial=0.0)
        # Of a card cut by the edge only the name is sure.
        is_card = (found.confidence >= TRACK_LEAST_CONFIDENCE) & (read >= CERTAIN_NAME)
        is_card |= (found.confidence >= WEAKEST_CONFIDENCE) & (read >= UNMISTAKABLE)
        laid = [k for k in unmatched if is_card[k]]
        doubted: list[Track] = []
        gone: list[Track] = []
        for track in reversed(lost):  # the uppermost first: a card under another goes with it or after it
            if track.is_drawn and has_successor(track, self.tracks):
                continue  # not gone, but exchanged
            sight, place = self.sights[track.key], facts.place(track.corners_px)
            later = self.tracks[self.tracks.index(track) + 1 :]
            occluders = [
                above.corners_px
                for above in later
                if all(above is not other for other in (*doubted, *gone))
                and (all(above is not other for other in lost) or self._is_known(above))
            ]
            occluders += [found.corners_px[k] for k in laid if int(found.probabilities[k].argmax()) != track.best]
            # Changes spill over the rim of what changed: beside a card just laid they say nothing.
            view = place & ~facts.arms & ~self._filled(occluders)
            whole = max(int(place.sum()), 1)
            if not sight.is_outside and (sight.is_under_arm or view.sum() < VISIBLE_SHARE * whole):
                track.misses = NOT_MISSED
                continue
            in_doubt = [above.corners_px for above in later if any(above is other for other in doubted)]
            beside = view & ~self._filled(in_doubt)
            is_beneath = bool(in_doubt) and not sight.is_outside and beside.sum() < VISIBLE_SHARE * whole
            view = view if is_beneath else beside
            is_changed = (
                track.changed_since_found is not None
                and float(track.changed_since_found[view].mean()) >= self.model.changed_share
            )
            is_new = track.inferences < STILL_INFERENCES and sight.arm <= ARM_COVER
            if not sight.is_outside and not is_changed and not is_new:
                continue
            misses = track.misses
            count, since_at = misses.count + 1, misses.since_at if misses else facts.at
            shown = 1.0 if sight.is_outside else float(view.sum()) / whole
            log_odds = misses.log_odds + self.model.missed(shown, sight.arm, is_changed=is_changed and count == 1)
            if sight.touched == 0.0:
                log_odds = max(log_odds, -self.model.streak - self.model.streak_per_s * (facts.at - since_at))
            track.misses = Misses(count, since_at, log_odds)
            self.sights[track.key] = replace(sight, is_missed=not is_beneath)
            if next_state(track, self.sights[track.key], self.model) is CardState.GONE:
                gone.append(track)
            elif self._is_known(track):
                doubted.append(track)
        self.tracks = [track for track in self.tracks if all(track is not other for other in gone)]
        for track in reversed(gone):
            self.unexplained_change.account(facts.filled(track.corners_px), SPILL_PX)
            logger.debug("track %d is gone at %.2f s", track.key, facts.at)
        return gone[::-1]

    def _is_known(self, track: Track) -> bool:
        """Check whether it is a card with a name, which hides what lies beneath it though it was not found."""
        return track.is_confirmed and not track.is_nothing and not track.is_nameless

    def _filled(self, quads: Sequence[Array]) -> Flags:
        """Return where cards (4, 2) lie, with a rim, on the reduced picture."""
        mask = np.zeros(self._facts.shape, np.uint8)
        for quad in quads:
            cv2.fillConvexPoly(mask, np.round(quad / self._facts.scale).astype(np.int32), 255)
        return cv2.dilate(mask, RIM) > 0

    def _confirm(self) -> None:
        """Weigh new cards found again at rest: those that are likely account for the change, unlikely ones end."""
        facts = self._facts
        known = CardsInView(self.tracks, facts).found_again()
        # Backs first: a strip is left of a turn-up under the talon, nothing of the talon. Unreadable cards last: of a
        # card outlined twice the readable outline counts.
        order = sorted(self.tracks, key=lambda t: (not t.is_back, t.shares.max() < READABLE, -t.confidence))
        nothing = np.zeros_like(facts.arms)
        for track in [candidate for candidate in order if candidate.still >= STILL_INFERENCES]:
            place = facts.filled(track.corners_px)
            if track.is_confirmed:
                if track.seen_at == facts.at:  # it may have been pushed to where it lies
                    self.unexplained_change.account(place)
                continue
            is_clear = self._is_beyond_doubt(track.corners_px, track.confidence, track.surest, track.seen_at)
            is_expected = track.state is CardState.EXPECTED
            if is_expected or self._is_explained(place > 0, nothing, known, is_clear):
                track.odds = min(track.odds + self.model.new_again, self.model.most)
            elif self.sights[track.key].visible > FULL_VIEW:
                track.odds -= self.model.new_again
            state = next_state(track, self.sights[track.key], self.model)
            if state is CardState.ON_TABLE:
                track.state = state
                self.unexplained_change.account(place, SPILL_PX)
                # A card partly under this one, as a turn-up under the talon, accounts for the rest of itself.
                known = known | (cv2.dilate(place, _SPILL) > 0)
            elif state is CardState.GONE:
                logger.debug("track %d is dropped", track.key)
                self.tracks = [other for other in self.tracks if other is not track]

        for k, track in enumerate(self.tracks):
            over = (t for t in self.tracks[k + 1 :] if t.is_confirmed and t.first_at > track.seen_at)
            is_laid_over = any(overlap(other.corners_px, track.corners_px) >= LIES_ON for other in over)
            self.sights[track.key] = replace(self.sights[track.key], is_laid_over=is_laid_over)
            state = next_state(track, self.sights[track.key], self.model)
            if state is CardState.ON_TABLE and not track.is_confirmed:
                track.inferences = track.still = STILL_INFERENCES
                track.state = state

    def _is_doubtful(self) -> bool:
        """Check whether a further inference is needed."""
        at = self._facts.at
        return any(
            track.misses
            or track.is_drawn
            or (track.still < STILL_INFERENCES and self.sights[track.key].visible > VISIBLE_SHARE)
            for track in self.tracks
        ) or any(card.seen_at == at and at - card.first_at < self.model.unnoticed_s for card in self._unnoticed.known)
