"""
Convert what the pipeline found to plain data for JSON, and draw it: the output of ``kozyr trace``.

Corners and outlines are [x, y] in pixels, clockwise; ``at`` and ages in seconds; shares and probabilities from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from referee.events import TableEvent
from referee.record import event_to_json
from vision.actions.evidence import Evidence
from vision.capture.sources import Image
from vision.detection.detections import CLASS_NAMES, Detections
from vision.geometry.quads import Array, gap, size
from vision.motion.hand_pass import HandPass, Touch
from vision.table.cards_in_view import CardsInView
from vision.table.filter_model import FilterSettings
from vision.table.observation import LyingCard, Observation
from vision.table.track import ARM_COVER, SAME_PLACE, TRACK_LEAST_CONFIDENCE, FrameFacts, Track
from vision.view.observer import InferenceRecord
from vision.view.overlay import Colour, OverlayColours, outline, plate

NAMES_SHOWN = 3
"""Number of the most likely names of a card that are written."""
RECENT_S = 2.0
"""Seconds for which hands are listed after they left."""
SAME_TIP_MM = 1.0
"""Most distance of a hand track's tip from its arm's: rounding."""
CHANGED, RESTLESS, HAND, ZONE = (80, 220, 90), (40, 150, 255), (235, 120, 235), (205, 195, 185)
DETECTION, UNUSED, TRACK, NEW, LOST = (245, 245, 245), (60, 60, 235), (255, 200, 90), (120, 255, 255), (70, 130, 250)
"""Colours, BGR; ``docs/trace.md`` explains them."""


def inference_as_json(record: InferenceRecord) -> dict[str, Any]:
    """Return an inference: each card with its probability, what was expected of it and found, and all else."""
    facts, tracked = FrameFacts.of(record.report), record.tracked
    both, used = _with_expected(record)
    keys = _keys(both.corners_px, record)
    zones = {card.key: (card.zone, card.on_key) for card in tracked.cards}
    view, model = CardsInView(tracked.tracks, facts), FilterSettings()
    rows = []
    for track in (*tracked.tracks, *tracked.gone):
        zone, on = zones.get(track.key, (None, None))
        found = keys.index(track.key) if track.key in keys else None
        row = {
            "track": track.key,
            "state": _state(track, record),
            "card_state": track.state.value,
            "names": _likeliest(track.shares),
            "probability": round(track.probability, 3),
            "log_odds": [round(track.odds, 2), round(track.misses.log_odds, 2)],
            "found": None if found is None else _detection(both, found, record),
            "zone": zone,
            "on": on,
            "corners": _points(track.corners_px),
            "age_s": round(record.frame.at - track.first_at, 3),
            "looks": track.inferences,
            "still": track.still,
            "missed": track.misses.count,
        }
        if track in tracked.tracks:
            share, place = view.share(track), facts.place(track.corners_px)
            arm = float(facts.arms[place].mean()) if place.any() else 0.0
            row |= {"in_view": round(share, 3), "expected": round(model.found_share(share, arm), 3)}
        rows.append(row)
    return {
        "look": record.number,
        "frame": record.frame.number,
        "at": round(record.frame.at, 3),
        "because": record.reason.value,
        "known_again": record.used is not None,
        "cards": rows,
        "besides": [
            {**_detection(both, k, record), "fate": _fate(both, k, used[k], record, facts)}
            for k, key in enumerate(keys)
            if key is None
        ],
        "hands": [
            visit_as_json(visit)
            for visit in record.hands
            if visit.left_at is None or record.frame.at - visit.left_at <= RECENT_S
        ],
        "motion": {
            "changed_px": int(record.changed.sum()),
            "restless_px": int(record.report.restless.sum()),
            "arms_px": int((record.report.arm_labels > 0).sum()),
            "scale": round(record.report.scale, 3),
            "moving": record.report.moving,
            "relearned": record.report.state.relearned,
        },
        "zones": {
            "talon": None if record.layout.talon_px is None else _points(record.layout.talon_px),
            "heaps": [_points(heap) for heap in record.layout.heaps_px],
            "seats": {seat: round(turn_deg, 1) for seat, turn_deg in record.layout.seat_angles.items()},
            "plane_from_cards": record.layout.cards_measured,
        },
        "table": None if record.observation is None else table_as_json(record.observation, record.hands),
    }


def table_as_json(seen: Observation, hands: Sequence[HandPass]) -> dict[str, Any]:
    """Return the table, each card with the hands that were over it: ``on`` and ``track`` are keys of tracks."""

    def lying(card: LyingCard) -> dict[str, Any]:
        return {
            "track": card.key,
            "card": str(card.card),
            "confidence": round(card.confidence, 3),
            "alternatives": [[str(other), share] for other, share in card.alternatives],
            "on": card.on,
            "overlap": card.overlap,
            "clear_at": round(card.clear_at, 3),
            "hands": _touches(card.touched, hands),
        }

    return {
        "bout": [lying(card) for card in seen.bout],
        "unread": [lying(card) for card in seen.unread],
        "turnup": None if seen.turnup is None else lying(seen.turnup),
        "talon": seen.talon is not None,
        "heap": seen.heap is not None,
        "hidden": sorted(seen.hidden),
        "turnup_in_hand": seen.turnup_in_hand,
        "left": [
            {"track": gone.key, "at": round(gone.at, 3), "hands": _touches(gone.touched, hands)} for gone in seen.gone
        ],
    }


def evidence_as_json(evidence: Evidence, reported: TableEvent | None = None) -> dict[str, Any]:
    """
    Return evidence: the event as detected; until when (seconds) a further inference may change it, if one may; and its
    uncertainties, each with its cue and the alternatives. ``reported``: the event made of it; then each alternative has
    its probability, 0 if it was left out as too small.
    """
    weighed = [] if reported is None else list(reported.otherwise)
    doubts: list[dict[str, Any]] = []
    for doubt in evidence.doubts:
        row: dict[str, Any] = {"cue": doubt.cue, "instead": {name: keys for name, (keys, _) in doubt.instead.items()}}
        row["log_odds"] = {name: round(odds, 2) for name, (_, odds) in doubt.instead.items()}
        if reported is not None:
            row["shares"] = {}
            for name, (keys, _) in doubt.instead.items():
                mine = next((k for k, (others, _) in enumerate(weighed) if others == keys), None)
                row["shares"][name] = 0.0 if mine is None else weighed.pop(mine)[1]
        doubts.append(row)
    waits = {} if evidence.stable_at is None else {"settles_at": round(evidence.stable_at, 3)}
    return {**event_to_json(evidence.event), **waits, "doubts": doubts}


def visit_as_json(visit: HandPass) -> dict[str, Any]:
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


def draw_inference(record: InferenceRecord) -> Image:
    """Return a new picture, (height, width, 3) uint8 BGR of the frame's size, with all results drawn over the frame."""
    picture = np.array(record.frame.image_bgr, copy=True)
    layout, scale = record.layout, max(0.5, picture.shape[1] / 1280)
    width, height = layout.picture

    def say(x: float, y: float, text: str, rim: Colour) -> None:
        plate(picture, (x, y), text, 0.75 * scale, rim, OverlayColours())

    def named(seat: str | None) -> str:
        """Return a seat's name in the letters of the built-in font."""
        return "?" if seat is None else seat if seat.isascii() else f"seat {layout.seats.index(seat) + 1}"

    for mask, tint in ((record.changed, CHANGED), (record.report.restless, RESTLESS)):
        full = cv2.resize(mask.astype(np.uint8), picture.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
        picture[full] = (0.55 * picture[full] + 0.45 * np.array(tint)).astype(np.uint8)
    here = [visit for visit in record.hands if visit.left_at is None]
    for arm in record.report.arms:
        mask = (record.report.arm_labels == arm.label).astype(np.uint8)
        pieces, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for piece in pieces:
            outline(picture, (piece[:, 0].astype(np.float32) + 0.5) * record.report.scale, HAND, 2 * scale)
        tip_mm = layout.mm(arm.tip)
        own = [v for v in here if np.hypot(v.tip.x_mm - tip_mm[0], v.tip.y_mm - tip_mm[1]) <= SAME_TIP_MM]
        whose = "".join(f" {visit.number} {named(visit.likely)} {visit.share:.0%}" for visit in own[:1])
        cv2.circle(picture, (round(arm.tip[0]), round(arm.tip[1])), round(8 * scale), HAND, round(3 * scale))
        say(arm.tip[0], arm.tip[1] + 26 * scale, f"hand{whose}", HAND)
    for name, pile in [("talon", layout.talon_px), *(("heap", heap) for heap in layout.heaps_px)]:
        if pile is not None:
            outline(picture, pile.mean(axis=0) + (pile - pile.mean(axis=0)) * 1.12, ZONE, 2 * scale)
            say(float(pile[:, 0].mean()), float(pile[:, 1].max()) + 22 * scale, name, ZONE)
    if layout.zones.bout is not None:
        outline(picture, np.array(layout.zones.bout, np.float32) * np.array([width, height], np.float32), ZONE, scale)
    for seat in layout.seats:
        x, y = layout.seat_direction(seat)
        reach = min(width / 2 / max(abs(x), 1e-6), height / 2 / max(abs(y), 1e-6)) * 0.95
        say(width / 2 + x * reach, height / 2 + y * reach, named(seat), ZONE)
    both, _ = _with_expected(record)
    for quad, key in zip(both.corners_px, _keys(both.corners_px, record), strict=True):
        outline(picture, quad, UNUSED if key is None else DETECTION, 0.8 * scale)
    tracks = (*record.tracked.gone, *record.tracked.tracks)
    for track in tracks:
        found = TRACK if track.seen_at == record.frame.at else LOST
        outline(picture, track.corners_px, NEW if track.key in record.tracked.begun else found, 2.2 * scale)
    for track in tracks:
        text = f"{track.key}: {CLASS_NAMES[track.best]} {float(track.shares.max()):.0%}"
        say(float(track.corners_px[:, 0].mean()), float(track.corners_px[:, 1].min()) - 10 * scale, text, TRACK)
    return picture


def _with_expected(record: InferenceRecord) -> tuple[Detections, list[bool]]:
    """Return all detections, then the cards found by asking about places; and for each whether it was used."""
    found, used = record.detected, record.used
    if used is None:
        return found, [False] * len(found)
    known, kept = ({quad.tobytes() for quad in detections.corners_px} for detections in (found, used))
    both = found.beside(used.only([quad.tobytes() not in known for quad in used.corners_px]))
    return both, [quad.tobytes() in kept for quad in both.corners_px]


def _keys(quads_px: Array, record: InferenceRecord) -> list[int | None]:
    """Return the track's key of each of n detections (n, 4, 2): the nearest found now, each used once."""
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


def _detection(both: Detections, k: int, record: InferenceRecord) -> dict[str, Any]:
    return {
        "corners": _points(both.corners_px[k]),
        "confidence": round(float(both.confidence[k]), 3),
        "names": _likeliest(both.probabilities[k]),
        "found_by": "finder" if k < len(record.detected) else "asking about the place",
    }


def _fate(both: Detections, k: int, is_used: bool, record: InferenceRecord, facts: FrameFacts) -> str:
    """Return what became of a detection that went to no track, in plain words."""
    if record.used is None:
        return "not used: the table is not known again"
    if not is_used:
        return "dropped: no card of its own beside those that are known"
    if both.confidence[k] < TRACK_LEAST_CONFIDENCE:
        return "not used: found too unsurely"
    if CLASS_NAMES[int(both.best[k])] == "none":
        return "not used: no card"
    place = facts.place(both.corners_px[k])
    if not place.any() or float(facts.arms[place].mean()) > ARM_COVER:
        return "not used: under an arm, or in a hand"
    return "not used: nothing has changed there, or it is a double of another card"


def _state(track: Track, record: InferenceRecord) -> str:
    """Return what this inference found of a track, in a word or two."""
    if any(track is gone for gone in record.tracked.gone):
        return "gone"
    if track.key in record.tracked.begun:
        return "new"
    if track.is_drawn:
        return "seen in a hand"
    return "found" if track.seen_at == record.frame.at else "missed" if track.misses else "not found, may be hidden"


def _touches(touched: Sequence[Touch], hands: Sequence[HandPass]) -> list[dict[str, Any]]:
    """Return the hands over a place, the nearest first: what share each hid, how near its finger tips came."""
    seats = {visit.number: visit.seat or visit.likely for visit in hands}
    return [
        {
            "visit": touch.visit,
            "seat": seats.get(touch.visit),
            "hid": touch.share,
            "tip_mm": touch.tip_mm,
            "last_over": round(touch.last_at, 3),
        }
        for touch in sorted(touched, key=lambda touch: touch.tip_mm)
    ]


def _likeliest(shares: npt.NDArray[np.floating[Any]]) -> list[list[Any]]:
    return [[CLASS_NAMES[int(k)], round(float(shares[k]), 3)] for k in np.argsort(shares)[::-1][:NAMES_SHOWN]]


def _points(points: npt.NDArray[np.floating[Any]]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]
