"""Cut small pictures of the cards of events from the frames with which the events became certain."""

from __future__ import annotations

from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.cards import Card
from referee.events import Placed, Reread, Shown, Swapped, TableEvent
from vision.view.pipeline_view import PipelineView, SeenCard

# How crops are cut. Set by hand, 2026-11.
CROP_MARGIN = 0.3
"""Margin as a share of the card's size. More shows what the card lies across; less shows the card larger."""
WIDEST_PX = 280
"""Pixels of the longer side at most: both indices are readable, in 10 KB. More takes space in the store;
less makes them hard to read."""
CROP_QUALITY = 82
"""JPEG quality, 1 to 100. Higher takes space; lower blurs the index."""
NEAR_S = 3.0
"""Seconds between a crop and the line that it belongs to at most. Longer takes an earlier card of that name;
shorter misses one whose line was dated later."""


CROPS_WAITING = 64
"""Number of crops that wait for their line. More take memory; fewer lose crops if the store is slow."""


@dataclass(frozen=True, slots=True)
class CardCrop:
    """``card`` as it was read, ``at`` the time of its event, ``jpeg`` the picture in base64."""

    card: str
    at: float
    jpeg: str


class CardCrops:
    """Hold the newest crops until their lines are written."""

    def __init__(self) -> None:
        self._crops: deque[CardCrop] = deque(maxlen=CROPS_WAITING)

    def look(self, image_bgr: Any, view: Any, events: Iterable[TableEvent]) -> None:
        """Cut the cards of these events out of the frame, (h, w, 3) uint8, with which they became certain."""
        if not isinstance(view, PipelineView):
            return
        for event in events:
            card = card_of(event)
            seen = [each for each in view.cards if each.card == card] if card is not None else []
            if seen:
                jpeg = cut(image_bgr, max(seen, key=lambda each: (each.is_confirmed, each.confidence)))
                if jpeg is not None:
                    self._crops.append(CardCrop(str(card), event.at, b64encode(jpeg).decode("ascii")))

    def of(self, line: Mapping[str, Any]) -> CardCrop | None:
        """Return the crop of a record line: by its card, or by time if the line names another card than was read."""
        at = line.get("at")
        if at is None or "card" not in line:
            return None
        near = [each for each in self._crops if abs(each.at - at) <= NEAR_S]
        named = [each for each in near if each.card == line["card"]]
        timed = [each for each in near if each.at == at]
        return next(reversed(named or timed), None)


def card_of(event: TableEvent) -> Card | None:
    """Return the card that lies on the table after an event; None for events without one."""
    return event.card if isinstance(event, Placed | Shown | Swapped | Reread) else None


def cut(image_bgr: np.ndarray, card: SeenCard) -> bytes | None:
    """Cut out a card with a margin, as JPEG; None if it is outside the picture."""
    corners = np.array(card.corners_px, np.float32)
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = CROP_MARGIN * float((high - low).max())
    left, top = np.maximum(np.floor(low - margin), 0).astype(int)
    right, bottom = np.minimum(np.ceil(high + margin), image_bgr.shape[1::-1]).astype(int)
    if right - left < 2 or bottom - top < 2:
        return None
    part = image_bgr[top:bottom, left:right]
    scale = WIDEST_PX / max(part.shape[:2])
    if scale < 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, CROP_QUALITY])
    return data.tobytes() if done else None
