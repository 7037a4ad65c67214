"""
Convert an inference to plain data for JSON, with the track of each detection: the output of ``kozyr trace``.

The evidence of an event is the card as it lies or lay, and the hands that were there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from referee.cards import Card
from referee.events import Drawn, Lifted, Placed, Reread, Swapped, Swept, TableEvent, Unread
from referee.record import event_to_json
from vision.detection.detections import CLASS_NAMES, Detections
from vision.events.evidence import Evidence, Keys
from vision.geometry.quads import Array, fill, gap, size
from vision.observation import Gone, HandVisit, LyingCard, Observation, Touch
from vision.tracking.track import ARM_COVER, SAME_PLACE, TRACK_LEAST_CONFIDENCE, Track
from vision.view.observer import InferenceRecord, Note

NAMES_SHOWN = 3
"""Number of the most likely names of a card that are written."""
RECENT_S = 2.0
"""Seconds for which hands are listed after they left."""


def inference_as_json(record: InferenceRecord) -> dict[str, Any]:
    """
    Return an inference as data.

    Corners and outlines are [x, y] in pixels, clockwise; ``at`` and ages in seconds; shares 0..1.
    """
    return {
        "look": record.number,
        "frame": record.frame.number,
        "at": round(record.frame.at, 3),
        "because": record.reason.value,
        "known_again": record.used is not None,
        "detections": _detections(record),
        "tracks": _tracks(record),
        "zones": _zones(record),
        "hands": _hands(record),
        "gate": {
            "changed_px": int(record.changed.sum()),
            "restless_px": int(record.report.restless.sum()),
            "arms_px": int((record.report.arm_labels > 0).sum()),
            "scale": round(record.report.scale, 3),
            "moving": record.report.moving,
            "relearned": record.report.state.relearned,
        },
        "table": None if record.observation is None else table_as_json(record.observation),
        "notes": notes_as_json(record.notes),
    }


def table_as_json(seen: Observation) -> dict[str, Any]:
    """Return the table state: ``on`` is the key of a card's track, as ``track`` is."""
    return {
        "bout": [_lying(card) for card in seen.bout],
        "unread": [_lying(card) for card in seen.unread],
        "turnup": None if seen.turnup is None else _lying(seen.turnup),
        "talon": seen.talon is not None,
        "heap": seen.heap is not None,
        "hidden": sorted(seen.hidden),
        "turnup_in_hand": seen.turnup_pulled,
    }


def evidence_as_json(evidence: Evidence, reported: TableEvent | None = None) -> dict[str, Any]:
    """
    Return evidence as data: the event as detected; until when (seconds) a further inference may change it, if one may;
    and its uncertainties, each with its cue and the alternative. ``reported``: the event made of it; then each
    uncertainty has its probability.
    """
    weighed = [] if reported is None else list(reported.otherwise)
    doubts: list[dict[str, Any]] = []
    for doubt in evidence.doubts:
        row: dict[str, Any] = {"cue": doubt.cue, "instead": {name: keys for name, (keys, _) in doubt.instead.items()}}
        if reported is not None:
            row["shares"] = {name: _share(keys, weighed) for name, (keys, _) in doubt.instead.items()}
        doubts.append(row)
    waits = {} if evidence.stable_at is None else {"settles_at": round(evidence.stable_at, 3)}
    return {**event_to_json(evidence.event), **waits, "doubts": doubts}


def _share(keys: Keys, weighed: list[tuple[Keys, float]]) -> float:
    """Return the probability of an alternative, 0 if it was left out as too small; each is used once."""
    for k, (others, share) in enumerate(weighed):
        if others == keys:
            del weighed[k]
            return share
    return 0.0


def notes_as_json(notes: Sequence[Note]) -> list[dict[str, Any]]:
    """Return a piece of evidence; ``weight`` only if there is one."""
    return [
        {"label": note.label, "text": note.text} | ({} if note.weight is None else {"weight": note.weight})
        for note in notes
    ]


def visit_as_json(visit: HandVisit) -> dict[str, Any]:
    """Return a hand track. ``seat`` is null if two fit about equally; ``likely`` is the best one in any case."""
    return {
        "visit": visit.number,
        "seat": visit.seat,
        "likely": visit.likely,
        "share": visit.share,
        "came_at": round(visit.came_at, 3),
        "left_at": None if visit.left_at is None else round(visit.left_at, 3),
        "tip_mm": [visit.tip.x_mm, visit.tip.y_mm],
        "at_talon": [
            {"until": round(call.at, 3), "deepest_mm": call.deepest_mm, "carried": call.carried}
            for call in visit.talon_calls
        ],
        "at_heap": None if visit.heap_at is None else round(visit.heap_at, 3),
        "reached": None if visit.reached is None else visit.reached.seat,
    }


def touches_as_json(touched: Sequence[Touch], hands: Sequence[HandVisit]) -> list[dict[str, Any]]:
    """Return the hands that were over a place: what share of it each hid, and the distance of its finger tips."""
    visits = {visit.number: visit for visit in hands}
    rows = []
    for touch in touched:
        visit = visits.get(touch.visit)
        rows.append(
            {
                "visit": touch.visit,
                "seat": None if visit is None else visit.seat,
                "likely": None if visit is None else visit.likely,
                "hid": touch.share,
                "tip_mm": touch.tip_mm,
                "last_over": round(touch.last_at, 3),
            }
        )
    return rows


def _detections(record: InferenceRecord) -> list[dict[str, Any]]:
    """Return all detections, then the cards found by asking about places."""
    kept = set() if record.used is None else {quad.tobytes() for quad in record.used.corners_px}
    both = all_detections(record)
    tracks = detection_tracks(both.corners_px, record)
    rows = []
    for k, (quad, confidence, names) in enumerate(
        zip(both.corners_px, both.confidence, both.probabilities, strict=True)
    ):
        rows.append(
            {
                "corners": _points(quad),
                "confidence": round(float(confidence), 3),
                "names": _likeliest(names),
                "found_by": "finder" if k < len(record.detected) else "asking about the place",
                "track": tracks[k],
                "fate": _fate(quad, names, confidence, tracks[k], quad.tobytes() in kept, record),
            }
        )
    return rows


def _fate(
    quad: Array,
    names: npt.NDArray[np.float32],
    confidence: float,
    track: int | None,
    is_kept: bool,
    record: InferenceRecord,
) -> str:
    """Return what became of a detection, in plain words."""
    if record.used is None:
        return "not used: the table is not known again"
    if track is not None:
        return "new" if track in record.tracked.begun else "known again"
    if not is_kept:
        return "dropped: no card of its own beside those that are known"
    if confidence < TRACK_LEAST_CONFIDENCE:
        return "not used: found too unsurely"
    if CLASS_NAMES[int(np.argmax(names))] == "none":
        return "not used: no card"
    labels = record.report.arm_labels
    place = fill((labels.shape[0], labels.shape[1]), quad, 1 / record.report.scale) > 0
    arms = record.report.hidden
    if not place.any() or float(arms[place].mean()) > ARM_COVER:
        return "not used: under an arm, or in a hand"
    return "not used: nothing has changed there, or it is a double of another card"


def _tracks(record: InferenceRecord) -> list[dict[str, Any]]:
    shown = {card.key: card for card in record.tracked.cards}
    rows = []
    for track in (*record.tracked.tracks, *record.tracked.gone):
        card = shown.get(track.key)
        rows.append(
            {
                "track": track.key,
                "state": _state(track, record),
                "corners": _points(track.corners_px),
                "names": _likeliest(track.shares),
                "zone": None if card is None else card.zone,
                "on": None if card is None else card.on_key,
                "age_s": round(record.frame.at - track.first_at, 3),
                "looks": track.inferences,
                "still": track.still,
                "missed": track.missed,
                "probability": round(track.probability, 3),
                "weight": round(track.weight, 2),
                "confidence": round(track.confidence, 3),
            }
        )
    return rows


def _state(track: Track, record: InferenceRecord) -> str:
    """Return what this inference found of a track, in a word or two."""
    if any(track is gone for gone in record.tracked.gone):
        return "gone"
    if track.key in record.tracked.begun:
        return "new"
    if track.pulled:
        return "seen in a hand"
    return "found" if track.seen_at == record.frame.at else "missed" if track.missed else "not found, may be hidden"


def _zones(record: InferenceRecord) -> dict[str, Any]:
    layout = record.layout
    return {
        "talon": None if layout.talon_px is None else _points(layout.talon_px),
        "heaps": [_points(heap) for heap in layout.heaps_px],
        "bout": None if layout.zones.bout is None else [list(corner) for corner in layout.zones.bout],
        "seats": {seat: round(turn_deg, 1) for seat, turn_deg in layout.seat_angles.items()},
        "plane_from_cards": layout.cards_measured,
    }


def _hands(record: InferenceRecord) -> list[dict[str, Any]]:
    """Return the hands in the picture and those that left lately."""
    outlines, numbers = hand_outlines(record), hand_visits(record)
    by_visit = {visit: label for label, visit in numbers.items()}
    rows = []
    for visit in record.hands:
        if visit.left_at is not None and record.frame.at - visit.left_at > RECENT_S:
            continue
        points = outlines.get(by_visit.get(visit.number, -1))
        rows.append(visit_as_json(visit) | {"outline": None if points is None else _points(points)})
    return rows


def _lying(card: LyingCard) -> dict[str, Any]:
    row: dict[str, Any] = {
        "track": card.key,
        "card": str(card.card),
        "confidence": round(card.confidence, 3),
        "alternatives": [[str(other), share] for other, share in card.alternatives],
        "on": card.on,
        "overlap": card.overlap,
        "clear_at": round(card.clear_at, 3),
    }
    return row


def _likeliest(shares: npt.NDArray[np.floating[Any]]) -> list[list[Any]]:
    order = np.argsort(shares)[::-1][:NAMES_SHOWN]
    return [[CLASS_NAMES[int(k)], round(float(shares[k]), 3)] for k in order]


def _points(points: npt.NDArray[np.floating[Any]]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def same_table(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check whether the same cards lie in the same places in two results of ``table_as_json``."""

    def gist(table: Mapping[str, Any]) -> tuple[Any, ...]:
        bout = [(card["track"], card["card"], card["on"]) for card in table["bout"]]
        turnup = table["turnup"] and table["turnup"]["card"]
        return bout, turnup, table["talon"], table["heap"], len(table["unread"]), table["turnup_in_hand"]

    return gist(one) == gist(other)


SAME_TIP_MM = 1.0
"""Most distance of a hand track's tip from its arm's: rounding."""


def all_detections(record: InferenceRecord) -> Detections:
    """Return all detections, then the cards found by asking about places."""
    if record.used is None:
        return record.detected
    found = {quad.tobytes() for quad in record.detected.corners_px}
    asked = record.used.only([quad.tobytes() not in found for quad in record.used.corners_px])
    return record.detected.beside(asked)


def detection_tracks(quads_px: Array, record: InferenceRecord) -> list[int | None]:
    """
    Return the key of the track that each of n detections (n, 4, 2) went to.

    It is the nearest track found in this inference; each track is used once.
    """
    found = [track for track in record.tracked.tracks if track.seen_at == record.frame.at]
    pairs = sorted(
        (gap(quad, track.corners_px) / max(size(track.corners_px), 1.0), k, track.key)
        for k, quad in enumerate(quads_px)
        for track in found
    )
    keys: list[int | None] = [None] * len(quads_px)
    for apart, k, key in pairs:
        if apart <= SAME_PLACE and keys[k] is None and key not in keys:
            keys[k] = key
    return keys


def hand_outlines(record: InferenceRecord) -> dict[int, Array]:
    """Return label of each arm -> its outline (n, 2) in full-size pixels, of the largest piece."""
    found = {}
    for arm in record.report.arms:
        mask = (record.report.arm_labels == arm.label).astype(np.uint8)
        pieces, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if pieces:
            largest = cv2.approxPolyDP(max(pieces, key=cv2.contourArea), 1.0, True)
            found[arm.label] = (largest[:, 0].astype(np.float32) + 0.5) * np.float32(record.report.scale)
    return found


def hand_visits(record: InferenceRecord) -> dict[int, int]:
    """Return label of each arm -> number of the hand track with the same tip."""
    here = [visit for visit in record.hands if visit.left_at is None]
    visits = {}
    for arm in record.report.arms:
        tip_mm = record.layout.mm(arm.tip)
        gaps = {visit.number: math.hypot(visit.tip.x_mm - tip_mm[0], visit.tip.y_mm - tip_mm[1]) for visit in here}
        nearest = min(gaps, key=lambda number: gaps[number], default=None)
        if nearest is not None and gaps[nearest] <= SAME_TIP_MM:
            visits[arm.label] = nearest
    return visits


REMEMBERED_S = 15.0
"""Seconds after which a card that left explains no present event."""
CALLED_S = 0.5
"""Seconds by which the time of a draw may differ from that when the hand left the talon."""


class Grounds:
    """Receives every observation and returns the evidence of an event."""

    def __init__(self) -> None:
        self._seen: Observation | None = None
        self._names: dict[int, Card] = {}
        self._gone: list[tuple[Gone, Card]] = []
        self._swept: dict[float, list[tuple[Gone, Card]]] = {}

    def record(self, seen: Observation) -> None:
        """Update with the present table state."""
        self._seen = seen
        for gone in seen.gone:
            if gone.key in self._names:
                self._gone.append((gone, self._names[gone.key]))
        for card in (*seen.bout, *(() if seen.turnup is None else (seen.turnup,))):
            self._names[card.key] = card.card
        self._gone = [(gone, card) for gone, card in self._gone if seen.at - gone.at <= REMEMBERED_S]

    def heard(self, events: Sequence[TableEvent]) -> None:
        """Update with evidence: cards that left with one sweep are no part of the next."""
        for event in events:
            if isinstance(event, Swept):
                self._swept[event.at], self._gone = self._gone, []

    def of(self, event: TableEvent, hands: Sequence[HandVisit]) -> list[dict[str, Any]]:
        """
        Return the cards that an event is about, each with the hands that were over it; for a draw the hands at the
        talon.
        """
        match event:
            case Placed() | Reread():
                return [self._lying(card, hands) for card in self._bout() if card.card == event.card]
            case Unread():
                unread = () if self._seen is None else self._seen.unread
                return [self._lying(card, hands) for card in unread]
            case Lifted():
                return [self._left(gone, card, hands) for gone, card in self._gone if card == event.card][-1:]
            case Swept():
                return [self._left(gone, card, hands) for gone, card in self._swept.get(event.at, ())]
            case Swapped():
                turnup = None if self._seen is None else self._seen.turnup
                return [] if turnup is None else [self._lying(turnup, hands)]
            case Drawn():
                left = [self._left(gone, card, hands) for gone, card in self._gone if card == event.card]
                return left[-1:] + [
                    {"what": "a hand was at the talon", **visit_as_json(visit)}
                    for visit in hands
                    if any(abs(call.at - event.at) <= CALLED_S for call in visit.talon_calls)
                ]
        return []

    def _bout(self) -> tuple[LyingCard, ...]:
        return () if self._seen is None else self._seen.bout

    def _lying(self, card: LyingCard, hands: Sequence[HandVisit]) -> dict[str, Any]:
        return {
            "what": "a card lies there",
            "track": card.key,
            "card": str(card.card),
            "confidence": round(card.confidence, 3),
            "alternatives": [[str(other), share] for other, share in card.alternatives],
            "overlap": card.overlap,
            "clear_at": round(card.clear_at, 3),
            "hands": _nearest_first(card.touched, hands),
        }

    def _left(self, gone: Gone, card: Card, hands: Sequence[HandVisit]) -> dict[str, Any]:
        return {
            "what": "a card has left",
            "track": gone.key,
            "card": str(card),
            "clear_at": round(gone.at, 3),
            "hands": _nearest_first(gone.touched, hands),
        }


def _nearest_first(touched: Sequence[Touch], hands: Sequence[HandVisit]) -> list[dict[str, Any]]:
    return touches_as_json(sorted(touched, key=lambda touch: touch.tip_mm), hands)
