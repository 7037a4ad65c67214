"""Draw one inference with the results of all stages: changes, motion, hands, zones, detections, tracks."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.capture.sources import Image
from vision.detection.detections import CLASS_NAMES
from vision.motion.arm_regions import Flags
from vision.view.observer import InferenceRecord
from vision.view.overlay import Colour, OverlayColours, outline, plate
from vision.view.trace import all_detections, detection_tracks, hand_outlines, hand_visits


@dataclass(frozen=True, slots=True)
class TraceColours:
    """Colours, BGR; ``docs/trace.md`` explains them."""

    changed: Colour = (80, 220, 90)
    restless: Colour = (40, 150, 255)
    hand: Colour = (235, 120, 235)
    zone: Colour = (205, 195, 185)
    detection: Colour = (245, 245, 245)
    unused: Colour = (60, 60, 235)
    track: Colour = (255, 200, 90)
    new: Colour = (120, 255, 255)
    lost: Colour = (70, 130, 250)


def draw_inference(record: InferenceRecord, colours: TraceColours = TraceColours()) -> Image:
    """Return a new picture, (height, width, 3) uint8 BGR of the frame's size, with all results drawn over the frame."""
    picture = np.array(record.frame.image_bgr, copy=True)
    scale = max(0.5, picture.shape[1] / 1280)
    _tint(picture, record.changed, colours.changed)
    _tint(picture, record.report.restless, colours.restless)
    _draw_hands(picture, record, scale, colours)
    _draw_zones(picture, record, scale, colours)
    _draw_detections(picture, record, scale, colours)
    _draw_tracks(picture, record, scale, colours)
    return picture


def _tint(picture: Image, mask: Flags, colour: Colour) -> None:
    if not mask.any():
        return
    size = (picture.shape[1], picture.shape[0])
    full = cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    picture[full] = (0.55 * picture[full] + 0.45 * np.array(colour)).astype(np.uint8)


def _draw_hands(picture: Image, record: InferenceRecord, scale: float, colours: TraceColours) -> None:
    visits = {visit.number: visit for visit in record.hands}
    numbers = hand_visits(record)
    for label, points in hand_outlines(record).items():
        cv2.polylines(picture, [np.round(points).astype(np.int32)], True, colours.hand, max(1, round(2 * scale)))
        arm = next(arm for arm in record.report.arms if arm.label == label)
        visit = visits.get(numbers.get(label, -1))
        whose = "" if visit is None else f" {visit.number} {_ascii(visit.likely, record)} {visit.share:.0%}"
        cv2.circle(picture, (round(arm.tip[0]), round(arm.tip[1])), round(8 * scale), colours.hand, round(3 * scale))
        _plate(picture, (arm.tip[0], arm.tip[1] + 26 * scale), f"hand{whose}", scale, colours.hand)


def _draw_zones(picture: Image, record: InferenceRecord, scale: float, colours: TraceColours) -> None:
    layout = record.layout
    piles = [("talon", layout.talon_px), *(("heap", heap) for heap in layout.heaps_px)]
    for name, quad in piles:
        if quad is not None:
            middle = quad.mean(axis=0)
            outline(picture, middle + (quad - middle) * 1.12, colours.zone, 2 * scale)
            _plate(picture, (float(middle[0]), float(quad[:, 1].max()) + 22 * scale), name, scale, colours.zone)
    width, height = layout.picture
    if layout.zones.bout is not None:
        corners = np.array(layout.zones.bout, np.float32) * np.array([width, height], np.float32)
        outline(picture, corners, colours.zone, scale)
    for seat in layout.seats:
        x, y = layout.seat_direction(seat)
        reach = min(width / 2 / max(abs(x), 1e-6), height / 2 / max(abs(y), 1e-6)) * 0.95
        _plate(picture, (width / 2 + x * reach, height / 2 + y * reach), _ascii(seat, record), scale, colours.zone)


def _draw_detections(picture: Image, record: InferenceRecord, scale: float, colours: TraceColours) -> None:
    """Draw this inference's detections with thin lines, unused ones in red."""
    found = all_detections(record).corners_px
    for quad, track in zip(found, detection_tracks(found, record), strict=True):
        outline(picture, quad, colours.unused if track is None else colours.detection, 0.8 * scale)


def _draw_tracks(picture: Image, record: InferenceRecord, scale: float, colours: TraceColours) -> None:
    """Draw the tracks with thick lines, each with its number and name."""
    for track in (*record.tracked.gone, *record.tracked.tracks):
        is_found = track.seen_at == record.frame.at
        colour = colours.new if track.key in record.tracked.begun else colours.track if is_found else colours.lost
        outline(picture, track.corners_px, colour, 2.2 * scale)
    for track in (*record.tracked.gone, *record.tracked.tracks):
        name = CLASS_NAMES[int(np.argmax(track.evidence))]
        at = (float(track.corners_px[:, 0].mean()), float(track.corners_px[:, 1].min()) - 10 * scale)
        _plate(picture, at, f"{track.key}: {name} {float(track.shares.max()):.0%}", scale, colours.track)


def _plate(picture: Image, at: tuple[float, float], text: str, scale: float, rim: Colour) -> None:
    plate(picture, at, text, 0.75 * scale, rim, OverlayColours())


def _ascii(seat: str | None, record: InferenceRecord) -> str:
    """Return a seat's name in the letters of the built-in font."""
    if seat is None:
        return "?"
    return seat if seat.isascii() else f"seat {record.layout.seats.index(seat) + 1}"
