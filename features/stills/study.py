"""
Analyse the detections of one picture: estimate the z-order, classify covered cards without their occluders, and search
for missed cards beside and under the detected ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from features.stills.beneath_search import BENEATH_SHARE, BENEATH_SURE, search_beneath
from features.stills.chain_gaps import LEAST_CHAIN, chains_of, fill, gaps_of, lies_between
from features.stills.chain_search import ON_TOP, ChainReader, ChainSearchSettings, chains_from, follow, given_way
from features.stills.overlong_outlines import split_overlong
from features.stills.rejected_proposals import believed, claims_of, next_places, rows_of
from features.stills.rigid_outlines import (
    AS_SURE,
    PART_AREA,
    PART_WITHIN,
    Refine,
    badly_outlined,
    fitted_outlines,
    lying_together,
    nearly_meet,
    plane_of,
)
from vision.detection.card_detector import PassedOver
from vision.detection.detections import BACK_INDEX, EVEN_ODDS, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.finder import Proposals
from vision.detection.occluded_reading import (
    DOUBLE_IOU,
    FACE_SURE,
    MOST_IOU,
    NEVER_DOUBLE,
    OCCLUDED_READING_MOST_HIDDEN,
    PLAIN_ORDER,
    UNREAD_SURE,
    Edges,
    Read,
    Symmetry,
    believed_beneath,
    meeting,
    occluders_of,
    order_by_evidence,
    surer,
    with_beneath,
    with_unread_completed,
)
from vision.detection.overlap_network import (
    NEW_IOU,
    OVER,
    UNCHANGED_IOU,
    UNDER,
    Hint,
    Overlaps,
    hints,
    order_from_overlaps,
)
from vision.detection.z_order import LIES_ACROSS, ZOrder, hidden_share, shared_areas
from vision.geometry.amodal_completion import CompletionSettings, plane_of_whole_cards
from vision.geometry.quads import area, iou, warp

Distinct = Callable[[Proposals], Proposals]
"""Refines proposals and drops duplicates of one card where they can be recognised."""
SearchAround = Callable[[np.ndarray], Overlaps]
"""Runs the overlap network around (n, 4, 2) cards."""


SAME_PLACE = 0.5
"""Overlap at which a card found by a search replaces an uncertain detection. Set by hand, 2026-11."""

REFUSED_ROUNDS = 3
"""Times that refused claims are read, each with the cards of the time before. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """The detections of a single picture and their z-order."""

    seen: Detections
    order: ZOrder


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """
    A possible card: corners_px (4, 2), confidence, and indices of the cards on it and under it. least: class share from
    which it is accepted.
    """

    corners_px: np.ndarray
    confidence: float
    on_it: tuple[int, ...] = ()
    under_it: tuple[int, ...] = ()
    least: float = FACE_SURE


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """
    When print is told from a card. Of a card that fills half of the picture the finder claims parts, with a confidence
    of 0.5 at most; the surest card of 40 frames of the recording has at least 0.83. Chosen by hand, 2026-11.
    """

    ordinary_confidence: float = 0.6
    """Confidence from which a certain card shows how large cards are here."""
    inside: float = 0.95
    """Share of a detection inside such a card from which it is print on it, however surely it is read, and ..."""
    area: float = 0.6
    """... its largest area over the card's: a card that lies upon another is as large as that one."""


@dataclass(frozen=True, slots=True)
class Study:
    """The networks bound to one picture, and the settings of its analysis."""

    refine: Refine
    refine_once: Refine
    distinct: Distinct
    read: Read
    search_around: SearchAround
    edges: Edges
    symmetry: Symmetry
    chains: ChainSearchSettings
    prints: PrintSettings
    plane: CompletionSettings
    picture: tuple[int, int]
    """Width and height in px."""

    def study(self, seen: Detections, passed: PassedOver) -> Studied:
        """Analyse a picture from its detections ``seen`` and its unreported proposals."""
        seen = split_overlong(seen, self.refine_once, self.read)
        seen = with_unread_completed(seen, self.picture, self.read)
        around = self.search_around(seen.corners_px)
        seen, moved = self._laid_rigidly(seen, around)
        if moved:
            again = self.search_around(seen.corners_px[moved])
            around.share[moved], around.corners_px[moved] = again.share, again.corners_px
        known = order_from_overlaps(around, seen.corners_px)
        order = order_by_evidence(seen.corners_px, seen.probabilities, known, self.read, self.edges, self.symmetry)
        studied = Studied(self._read_again(seen, order), order)
        kept = self._no_parts(studied.seen)
        studied, around = self._only(studied, kept), Overlaps(around.share[kept], around.corners_px[kept])
        queried = list(range(len(kept)))
        searched = self._hints_beneath(around, queried)
        hinted = self._refine_hinted(studied, hints(around, queried))
        studied = self._placed_better(studied, hinted)
        while queried:
            before = len(studied.seen)
            studied = self._with_places(studied, self._hinted(studied, hinted))
            # A card found under another may itself cover a further one.
            queried = list(range(before, len(studied.seen)))
            around = self.search_around(studied.seen.corners_px[before:])
            searched += self._hints_beneath(around, queried)
            hinted = self._refine_hinted(studied, hints(around, queried))
        studied = self._with_places(studied, self._doubtful(studied, passed))
        studied = self._with_searched(studied, searched)
        studied = self._with_refused(self._with_gaps_filled(self._with_chains(studied)), passed)
        return self._without_doubles(self._only(studied, self._no_parts(studied.seen)))

    def _laid_rigidly(self, seen: Detections, around: Overlaps) -> tuple[Detections, list[int]]:
        """Fit impossible outlines rigidly to what is visible; return the detections and the changed indices."""
        cards = np.flatnonzero((seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS) & (seen.best < NOTHING_INDEX))
        meet = nearly_meet(seen.corners_px[cards])
        if not meet.any():
            return seen, []
        on_it, quads = around.share[cards, OVER], seen.corners_px[cards]
        plane = plane_of(quads, on_it, self.picture, self.plane)
        together = lying_together(quads, shared_areas(quads))
        asked = badly_outlined(quads, on_it, meet, plane)
        asked = [k for k in asked if together[k] < self.chains.least_cards]
        if not asked:
            return seen, []
        near = [np.flatnonzero(meet[k]) for k in asked]
        laid, _ = fitted_outlines(
            quads[asked], [list(quads[neighbours]) for neighbours in near], self.refine_once, plane
        )
        known = order_from_overlaps(around, seen.corners_px)[np.ix_(cards, cards)]
        occluders = [
            [quads[j] for j in neighbours if not known[k, j] > EVEN_ODDS]
            for k, neighbours in zip(asked, near, strict=True)
        ]
        corners, probabilities, moved = seen.corners_px.copy(), seen.probabilities.copy(), []
        for k, quad, reading in zip(asked, laid, self.read(laid, occluders), strict=True):
            card = int(cards[k])
            if reading[:FACE_COUNT].max() >= min(float(probabilities[card].max()), AS_SURE):
                corners[card], probabilities[card] = quad, reading
                moved.append(card)
        return Detections(corners, seen.confidence, probabilities), moved

    def _hints_beneath(self, around: Overlaps, queried: list[int]) -> list[Hint]:
        """Return the hints of cards beneath the cards ``queried`` that are probable enough for a search."""
        shares = around.share[:, UNDER].tolist()
        return [
            Hint(around.corners_px[row, UNDER], card, UNDER, share)
            for row, (card, share) in enumerate(zip(queried, shares, strict=True))
            if share >= BENEATH_SHARE
        ]

    def _with_searched(self, studied: Studied, searched: list[Hint]) -> Studied:
        """Add covered cards found by search where the overlap network is sure of one and none was classified."""
        together = lying_together(studied.seen.corners_px, studied.order.shared)
        searched = sorted(
            (hint for hint in searched if together[hint.beside] < self.chains.least_cards), key=lambda hint: hint.share
        )
        while searched:
            hint = searched.pop()
            seen, order = studied.seen, studied.order
            best = seen.probabilities.max(axis=1)
            sure, read = best >= BENEATH_SURE, best >= FACE_SURE
            quads = seen.corners_px
            across = order.shared[hint.beside] >= LIES_ACROSS * area(quads[hint.beside])
            is_face = seen.best[hint.beside] < FACE_COUNT  # under a back lies the rest of its stack
            if not (is_face and sure[hint.beside]) or (read & across & (order.upper[hint.beside] > EVEN_ODDS)).any():
                continue
            occluders = self._occluders_by(studied, hint)
            plane = plane_of(quads[sure], order.covered[sure], self.picture, self.plane)
            found = search_beneath(
                hint.corners_px,
                [quads[k] for k in occluders],
                seen.only(sure),
                self.refine_once,
                self.read,
                plane,
            )
            if found is None:
                continue
            name = int(found.reading.argmax())
            doubtful = [k for k in np.flatnonzero(~sure) if k not in occluders]
            gone = [k for k in doubtful if seen.best[k] == name or iou(quads[k], found.corners_px) >= SAME_PLACE]
            left = [k for k in range(len(seen)) if k not in gone]
            more = Detections(found.corners_px[None], np.full(1, hint.share, np.float32), found.reading[None])
            studied = self._with(self._only(studied, left), more, [[left.index(k) for k in occluders]])
            searched = [replace(claim, beside=left.index(claim.beside)) for claim in searched if claim.beside in left]
        return studied

    def _only(self, studied: Studied, kept: list[int]) -> Studied:
        """Return the analysis restricted to the cards ``kept``."""
        if len(kept) == len(studied.seen):
            return studied
        seen = studied.seen
        few = Detections(seen.corners_px[kept], seen.confidence[kept], seen.probabilities[kept])
        return Studied(few, studied.order.among(kept, seen.corners_px))

    def _no_parts(self, seen: Detections) -> list[int]:
        """
        Return the indices of the detections that are cards of their own.

        Left out are much smaller ones inside a surer face, and print on a certain card (``PrintSettings``).
        """
        sure = seen.probabilities.max(axis=1, initial=0.0)
        sizes = np.array([area(quad) for quad in seen.corners_px])
        certain = (seen.best < FACE_COUNT) & (sure >= NEVER_DOUBLE)
        certain &= seen.confidence >= self.prints.ordinary_confidence
        kept = []
        for k, quad in enumerate(seen.corners_px):
            whole = (seen.best < FACE_COUNT) & (sure > sure[k]) & (PART_AREA * sizes >= sizes[k])
            within = self._most_within(quad, seen.corners_px[whole])
            larger = certain & (self.prints.area * sizes >= sizes[k])
            is_print = self._most_within(quad, seen.corners_px[larger]) >= self.prints.inside
            if not is_print and (sure[k] >= NEVER_DOUBLE or within < PART_WITHIN):
                kept.append(k)
        return kept

    def _most_within(self, quad: np.ndarray, cards: np.ndarray) -> float:
        """Return the largest share of a quad (4, 2) that lies inside one of the cards (n, 4, 2)."""
        return max((hidden_share(quad, [card]) for card in cards), default=0.0)

    def _names(self, seen: Detections) -> set[int]:
        """Return the classes of the identified cards; each lies there once."""
        return set(seen.best[seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS].tolist())

    def _with_chains(self, studied: Studied) -> Studied:
        """Add the cards of columns and fans: first along chains from uncovered cards, then from all others."""
        on_top = np.flatnonzero(studied.order.covered <= ON_TOP).tolist()
        studied = self._following(studied, on_top, on_top)
        every = list(range(len(studied.seen)))
        return self._following(studied, every, every)

    def _following(self, studied: Studied, asked: list[int], known: list[int]) -> Studied:
        """Add the cards of chains beginning at ``asked``; ``known``: the cards that are kept as they are."""
        seen, order = studied.seen, studied.order
        chains = chains_from(seen, order, asked, self.chains)
        plane = plane_of_whole_cards(seen.corners_px, self.picture, self.plane) if chains else None
        if plane is None:
            return studied
        follow(chains, seen, known, ChainReader(self.refine_once, self.read, plane.to_mm), self.chains)
        kept = given_way(seen, chains) if len(known) < len(seen) else list(range(len(seen)))
        place = {card: row for row, card in enumerate(kept)}
        quads: list[np.ndarray] = []
        readings: list[np.ndarray] = []
        over: list[list[int]] = []
        for chain in chains:
            above = [place[k] for k in chain.occluders if k in place]
            for quad, reading in zip(chain.places[1:], chain.readings, strict=True):
                if reading is not None:
                    over.append(list(above))
                    above.append(len(kept) + len(quads))
                    quads.append(quad)
                    readings.append(reading)
        if not quads:
            return studied
        sure = np.full(len(quads), self.chains.confidence, np.float32)
        return self._with(self._only(studied, kept), Detections(np.stack(quads), sure, np.stack(readings)), over)

    def _with_gaps_filled(self, studied: Studied, since: int = 0) -> Studied:
        """Add the cards that must lie between and beyond the found cards of chains with a card from ``since`` on."""
        fresh = range(since, len(studied.seen))
        for _ in range(self.chains.most):
            seen, order = studied.seen, studied.order
            faces = self._faces(seen)
            among = np.ix_(faces, faces)
            if len(faces) < LEAST_CHAIN or not order.shared[among].any():
                break
            plane = plane_of(seen.corners_px[faces], order.covered[faces], self.picture, self.plane)
            quads_mm = warp(plane.to_mm, seen.corners_px[faces])
            chains = [faces[chain].tolist() for chain in chains_of(quads_mm, order.upper[among], order.shared[among])]
            changed = [chain for chain in chains if not set(fresh).isdisjoint(chain)]
            gaps = [gap for chain in changed for gap in gaps_of(chain, seen.corners_px, plane)]
            found = fill(gaps, seen, ChainReader(self.refine_once, self.read, plane.to_mm), plane)
            if not found:
                break
            fresh = range(len(seen), len(seen) + len(found))
            sure = np.full(len(found), self.chains.confidence, np.float32)
            filled, quads, readings = zip(*found, strict=True)
            over = [
                [*gap.above, *(fresh[k] for k in range(row) if set(filled[k].above) <= set(gap.above))]
                for row, gap in enumerate(filled)
            ]
            more = Detections(np.stack(quads), sure, np.stack(readings))
            studied = self._with(studied, more, over, [list(gap.below) for gap in filled])
        return studied

    def _with_refused(self, studied: Studied, passed: PassedOver) -> Studied:
        """Add the cards that refused claims show where the scene tells what lies on them, and those that follow."""
        seen = studied.seen
        faces = self._faces(seen)
        if not len(faces):
            return studied
        known = seen.corners_px[faces]
        plane = plane_of(known, studied.order.covered[faces], self.picture, self.plane)
        rows = rows_of(warp(plane.to_mm, known), studied.order.upper[np.ix_(faces, faces)])
        # Beside rows alone faint claims are worth their time: photographs of a few cards have a hundred of them.
        faint = np.array(
            [rows.ways.any() and max(iou(quad, card) for card in known) < NEW_IOU for quad in passed.faint.corners_px],
            bool,
        )
        near = self.distinct(Proposals(passed.faint.corners_px[faint], passed.faint.confidence[faint]))
        unread = [k for k in range(len(seen)) if k not in faces and seen.best[k] != BACK_INDEX]
        refused = passed.doubles.beside(Proposals(seen.corners_px[unread], seen.confidence[unread])).beside(near)
        for _ in range(REFUSED_ROUNDS):
            seen, order = studied.seen, studied.order
            faces = self._faces(seen)
            known = seen.corners_px[faces]
            rows = rows_of(warp(plane.to_mm, known), order.upper[np.ix_(faces, faces)])
            claims = claims_of(refused, next_places(rows, self.refine_once, known, plane), known, rows, plane)
            found = believed(claims, known, set(seen.best[faces].tolist()), self.refine_once, self.read, plane)
            if not found:
                break
            quads = np.stack([claim.quad for claim, _ in found])
            left = [
                k
                for k, quad in enumerate(seen.corners_px)
                if k in faces or seen.best[k] == BACK_INDEX or all(iou(quad, new) < NEW_IOU for new in quads)
            ]
            sure = np.array([claim.confidence for claim, _ in found], np.float32)
            more = Detections(quads, sure, np.stack([reading for _, reading in found]))
            over, under = (
                [[left.index(faces[k]) for k in cards] for cards in side]
                for side in ([claim.over for claim, _ in found], [claim.under for claim, _ in found])
            )
            studied = self._with(self._only(studied, left), more, over, under)
            studied = self._with_gaps_filled(studied, len(left))
        return studied

    def _faces(self, seen: Detections) -> npt.NDArray[np.intp]:
        """Return the identified faces."""
        return np.flatnonzero((seen.best < FACE_COUNT) & (seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS))

    def _with(
        self, studied: Studied, more: Detections, over: list[list[int]], under: list[list[int]] | None = None
    ) -> Studied:
        """Add cards; ``over``, ``under``: for each the detected cards that lie on it and under it."""
        seen = studied.seen.beside(more)
        return Studied(seen, with_beneath(studied.order, seen.corners_px, over, under))

    def _refine_hinted(self, studied: Studied, hinted: list[Hint]) -> list[Hint]:
        """Return the hints that add information, with refined corners."""
        searched = [hint for hint in hinted if not self._is_plain(studied, hint)]
        if not searched:
            return []
        quads = self.refine(np.stack([hint.corners_px for hint in searched]))
        return [replace(hint, corners_px=quad) for hint, quad in zip(searched, quads, strict=True)]

    def _is_plain(self, studied: Studied, hint: Hint) -> bool | np.bool_:
        """Check whether the hint leads to a card that is already classified surely."""
        seen, occluders = studied.seen, self._occluders_by(studied, hint)
        shares = [0.0 if i in occluders else iou(hint.corners_px, own) for i, own in enumerate(seen.corners_px)]
        card = int(np.argmax(shares))
        return shares[card] >= NEW_IOU and float(seen.probabilities[card].max()) >= NEVER_DOUBLE

    def _without_doubles(self, studied: Studied) -> Studied:
        """
        Drop duplicates: a face that reads as no card once a surer face that overlaps it is painted out.

        Cards known to lie on the surer one are kept: in a fan that one is visible just where this card does not cover
        it.
        """
        seen, upper = studied.seen, studied.order.upper
        score = seen.probabilities.max(axis=1) * np.sqrt(seen.confidence) if len(seen) else seen.confidence
        faces = [i for i in range(len(seen)) if seen.best[i] < FACE_COUNT]
        occluders = occluders_of(studied.order, seen.corners_px)
        asked: list[tuple[int, int]] = []
        for i in faces:
            if seen.probabilities[i].max() >= NEVER_DOUBLE:
                continue
            surer_ones = [j for j in faces if score[j] > score[i] and not upper[i, j] > PLAIN_ORDER]
            share, over = max(((iou(seen.corners_px[i], seen.corners_px[j]), j) for j in surer_ones), default=(0.0, i))
            if share >= DOUBLE_IOU:
                asked.append((i, over))
        if not asked:
            return studied
        occluders = [[*occluders[i], seen.corners_px[over]] for i, over in asked]
        readings = self.read(seen.corners_px[[i for i, _ in asked]], occluders)
        doubles = {i for (i, _), left in zip(asked, readings, strict=True) if left[NOTHING_INDEX] >= EVEN_ODDS}
        return self._only(studied, [i for i in range(len(seen)) if i not in doubles])

    def _read_again(self, seen: Detections, order: ZOrder) -> Detections:
        """Classify covered cards with their occluders painted out; keep the surer reading."""
        covered = np.flatnonzero(order.covered > 0)
        if not len(covered):
            return seen
        probabilities = seen.probabilities.copy()
        occluders = occluders_of(order, seen.corners_px)
        readings = self.read(seen.corners_px[covered], [occluders[i] for i in covered])
        for index, painted in zip(covered, readings, strict=True):
            probabilities[index] = surer(probabilities[index], painted)
        return Detections(seen.corners_px, seen.confidence, probabilities)

    def _occluders_by(self, studied: Studied, hint: Hint) -> tuple[int, ...]:
        """Return the occluders of a hinted card: ``hint.beside`` and all that lie on that card."""
        if hint.side != UNDER:
            return ()
        upper = studied.order.upper
        return (hint.beside, *(i for i in range(len(upper)) if upper[i, hint.beside] > EVEN_ODDS))

    def _placed_better(self, studied: Studied, hinted: list[Hint]) -> Studied:
        """Move covered cards to the hinted outline where they then read more surely."""
        corners, probabilities = studied.seen.corners_px.copy(), studied.seen.probabilities.copy()
        moved: list[tuple[int, np.ndarray, tuple[int, ...]]] = []
        for hint in hinted:
            if hint.side != UNDER:
                continue
            quad, occluders = hint.corners_px, self._occluders_by(studied, hint)
            match, card = max(
                ((iou(quad, own), i) for i, own in enumerate(corners) if i not in occluders), default=(0.0, 0)
            )
            if NEW_IOU <= match < UNCHANGED_IOU:
                moved.append((card, quad, occluders))
        if not moved:
            return studied
        occluders_px = [[studied.seen.corners_px[i] for i in occluders] for _, _, occluders in moved]
        for (card, quad, _), reading in zip(
            moved, self.read(np.stack([m[1] for m in moved]), occluders_px), strict=True
        ):
            if surer(probabilities[card], reading) is reading:
                corners[card], probabilities[card] = quad, reading
        return Studied(Detections(corners, studied.seen.confidence, probabilities), studied.order)

    def _hinted(self, studied: Studied, hinted: list[Hint]) -> list[Place]:
        """Return the hinted places where no card is detected yet."""
        corners = studied.seen.corners_px
        places = []
        for hint in hinted:
            quad, occluders = hint.corners_px, self._occluders_by(studied, hint)
            is_new = all(
                iou(quad, other) < (MOST_IOU if i in occluders else NEW_IOU) for i, other in enumerate(corners)
            )
            if is_new and hidden_share(quad, [corners[i] for i in occluders]) <= OCCLUDED_READING_MOST_HIDDEN:
                places.append(Place(quad, hint.share, occluders, () if occluders else (hint.beside,)))
        return places

    def _doubtful(self, studied: Studied, passed: PassedOver) -> list[Place]:
        """
        Return proposals that were dropped as duplicates of a card and may be a card beneath it.

        Unidentified cards count as such proposals, not as occluders.
        """
        readable = studied.seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS
        known = np.flatnonzero(readable)
        corners, order = studied.seen.corners_px[known], studied.order
        height = np.nansum(order.upper[np.ix_(known, known)] > EVEN_ODDS, axis=1)
        together = lying_together(corners, order.shared[np.ix_(known, known)])

        def splits(quad: np.ndarray) -> list[tuple[list[int], list[int]]]:
            """
            Return which of the known cards that meet a proposal may lie on it and which under it.

            All of them lie on it; or, of two cards of a row with this one between them, the upper one alone. Longer
            rows are followed from their top (``_with_chains``).
            """
            met = sorted(meeting(quad, corners), key=lambda k: -height[k])
            is_row = len(met) == 2 and max(together[met]) < self.chains.least_cards
            is_row = is_row and lies_between(quad, *corners[met])
            return [
                (met[:count], met[count:])
                for count in range(len(met), 0 if is_row else len(met) - 1, -1)
                if met and hidden_share(quad, [corners[k] for k in met[:count]]) <= OCCLUDED_READING_MOST_HIDDEN
            ]

        might = [i for i, proposal in enumerate(passed.faint.corners_px) if splits(proposal)]
        faint = Proposals(passed.faint.corners_px[might], passed.faint.confidence[might])
        unread = Proposals(studied.seen.corners_px[~readable], studied.seen.confidence[~readable])
        found = [passed.doubles, unread, *([self.distinct(faint)] if might else [])]
        proposals = [proposal for part in found for proposal in zip(part.corners_px, part.confidence, strict=True)]
        places = []
        for quad, sure in proposals:
            for split in splits(quad):
                on_it, under_it = (tuple(int(known[k]) for k in side) for side in split)
                places.append(Place(quad, float(sure), on_it, under_it, UNREAD_SURE if under_it else FACE_SURE))
        return places

    def _with_places(self, studied: Studied, places: Sequence[Place]) -> Studied:
        """Add the places that read as a card which is not detected yet."""
        if not places:
            return studied
        seen = studied.seen
        quads = np.stack([place.corners_px for place in places])
        readings = self.read(quads, [[seen.corners_px[i] for i in place.on_it] for place in places])
        sure_enough = [k for k, place in enumerate(places) if float(readings[k].max()) >= place.least]
        kept = believed_beneath(quads[sure_enough], readings[sure_enough], self._names(seen))
        added = [sure_enough[k] for k in kept]
        sure = np.array([places[i].confidence for i in added], np.float32)
        more = Detections(quads[added], sure, readings[added])
        on_them, under_them = [list(places[i].on_it) for i in added], [list(places[i].under_it) for i in added]
        return self._with(studied, more, on_them, under_them)
