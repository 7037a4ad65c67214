"""Handle the phone that is the camera: its pictures, its reports on itself, and the answers that its page gets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field

from referee.fields import Probability
from vision.capture.phone import GONE, REASONS, STALL_S, PhoneInbox, PhoneSource, first_image
from vision.view.table_outline import TableOutline
from webapp.live.board import FEWEST_A_SECOND, CameraHealth, Condition, SnapshotHub, TableWarning
from webapp.live.shared_setup import SharedSetup

AWAITED = "phone_awaited"
"""Cause of a table without pictures: no phone has sent any yet."""
WAITS_FOR = "no phone sends pictures yet; scan the camera code with the phone that is to look at the table"
ORDER_CHECK_S = 0.5
"""Seconds between two checks for other orders while the program waits for a phone."""
LOW_BATTERY = 0.15
"""Share of a phone's battery below which people are warned: half an hour with the camera on. By hand, 2026-11."""
LEAST_GAP_MS, MOST_GAP_MS = 50, 100
"""Milliseconds between two pictures of a phone: twenty to ten a second."""
SPARE = 1.5
"""Number of pictures that a phone sends for each picture that the table takes: more are encoded and sent in vain."""
OUTLINE_S = 1.0
"""Seconds between two outlines of the table."""
Trouble = Literal["busy", "hidden", "in-use", "no-camera", "old-browser", "refused"]
"""What a phone's page may report of itself."""


class PhoneReport(Struct, frozen=True):
    """What a phone's page reports; null where the browser does not say. ``battery``: from 0 to 1."""

    battery: Probability | None = None
    is_charging: bool | None = field(default=None, name="charging")
    has_torch: bool | None = field(default=None, name="torch")
    is_torch_on: bool | None = field(default=None, name="torch_on")
    trouble: Trouble | None = None


class PhoneCamera:
    """The phone of one table. Thread-safe."""

    def __init__(self, inbox: PhoneInbox | None = None) -> None:
        self.inbox = inbox or PhoneInbox()
        self.report = PhoneReport()
        self._lock = threading.Lock()
        self._outline, self._outlined_s = TableOutline(), -OUTLINE_S
        self._shares: tuple[tuple[float, float], ...] = ()

    def paired(self) -> None:
        """Switch to another phone that was let in: its page sends the pictures from now on."""
        self.inbox.forget_pages()
        self.report = PhoneReport()

    @property
    def is_sending(self) -> bool:
        return self.inbox.newest(STALL_S) is not None

    def as_json(self) -> dict[str, Any]:
        report = self.report
        return {
            "sending": self.is_sending,
            "pictures_per_second": round(self.inbox.rate(), 1),
            "received": self.inbox.received,
            "dropped": self.inbox.dropped,
            "battery": report.battery,
            "charging": report.is_charging,
            "trouble": report.trouble,
        }

    def warnings(self) -> tuple[TableWarning, ...]:
        report = self.report
        if report.battery is not None and report.battery < LOW_BATTERY and report.is_charging is not True:
            return (TableWarning("phone_battery", f"the phone's battery is at {report.battery:.0%}; plug it in"),)
        return ()

    def answer(self, board: SnapshotHub, shared_setup: SharedSetup | None) -> dict[str, Any]:
        camera = board.newest.camera
        is_choosing = shared_setup is not None and shared_setup.is_choosing
        view = None if shared_setup is None else shared_setup.view
        problems = [dict(problem) for problem in view.problems] if view is not None and is_choosing else []
        cards = len(view.cards) if view is not None and is_choosing else 0
        rate, taken, gap_ms = self.inbox.rate(), self.inbox.taken_rate(), float(LEAST_GAP_MS)
        if taken and not is_choosing:  # it suits the table's pace
            gap_ms = min(MOST_GAP_MS, max(LEAST_GAP_MS, 1000 / (SPARE * taken)))
        return {
            "now_ms": round(time.time() * 1000),
            "used": shared_setup is None or shared_setup.setup.source == "phone",
            "playing": not is_choosing,
            "gap_ms": round(gap_ms),
            "condition": camera.condition.value,
            "cause": self.inbox.cause,
            "problems": problems,
            "cards": cards,
            "slow": self.inbox.received > 5 * FEWEST_A_SECOND and rate < FEWEST_A_SECOND,
            "outline": list(view.outline) if view is not None and is_choosing else self._followed(board),
            "ready": (cards > 0 and not problems) if is_choosing else camera.condition is Condition.WATCHING,
        }

    def _followed(self, board: SnapshotHub) -> list[tuple[float, float]]:
        """Return the table's outline in the current game, as shares of the picture."""
        with self._lock:
            now_s, picture = self.inbox.now_s(), board.picture
            if picture is not None and picture.view is not None and now_s - self._outlined_s >= OUTLINE_S:
                self._outlined_s = now_s
                points = self._outline.follow(picture.view)
                size = np.array(picture.image_bgr.shape[1::-1], float)
                self._shares = tuple((round(float(x), 4), round(float(y), 4)) for x, y in points / size)
            return list(self._shares)


def wait_for_phone(
    phone: PhoneCamera, board: SnapshotHub, is_asked: Callable[[], bool], wait_s: float = ORDER_CHECK_S
) -> PhoneSource | None:
    """Wait for the phone's pictures, and report that on the page. None: another order came."""
    reported: str | None = None
    while not is_asked():
        image = first_image(phone.inbox, timeout_s=wait_s)
        if image is not None:
            return PhoneSource(phone.inbox, image)
        cause = AWAITED if phone.inbox.cause in (None, GONE) else phone.inbox.cause
        if cause != reported:
            reported = cause
            trouble = REASONS.get(cause, WAITS_FOR)
            board.publish(camera=CameraHealth(Condition.LOST, trouble, cause=cause))
    return None
