"""Faults of a phone during a game do not change the record of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

import cv2
import numpy as np
import pytest

from referee.events import Blocked, TableEvent
from tests.vision.tabletop import FPS, HEAP, Lying, Tabletop, with_talon
from tests.vision.watched import START, short
from vision.capture.phone import GARBLED, GONE, REASONS, TURNED, PhoneInbox, PhonePicture, PhoneSource, decoded
from vision.pipeline import Pipeline
from webapp.live.phone_camera import Trouble
from webapp.text.catalogue import LANGUAGES, page_words

PAUSE_S = 2.6
"""Longer than a phone may be silent."""


@dataclass(frozen=True)
class Sent:
    """
    What a phone sends, and the seconds after which it does; None: nothing. ``page``: which page of which phone sends
    it.
    """

    jpeg: bytes | None
    after_s: float = 1 / FPS
    page: str = "first"


Script = Iterator[Sent]
Fault = Callable[[Tabletop], Script]


def jpeg(image: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())


def pictures(
    table: Tabletop, seconds: float = PAUSE_S, every: int = 1, change: Callable[..., np.ndarray] = np.array
) -> Script:
    """Return the resting table, one picture of ``every``, each changed."""
    for number, frame in enumerate(table.rest(seconds)):
        if number % every == 0:
            yield Sent(jpeg(change(frame.image_bgr)), every / FPS)


def nothing(table: Tabletop) -> Script:
    yield from [Sent(None, 1.0)] * 4


def asleep(table: Tabletop) -> Script:
    """Return a script in which the laptop sleeps for an hour: its clock goes on, nothing runs."""
    yield Sent(None, 3600.0)
    yield Sent(None, 1.0)


def garbage(table: Tabletop) -> Script:
    yield from [Sent(b"\xff\xd8garbage", 0.5)] * 6


def turned_over(table: Tabletop) -> Script:
    yield from pictures(table, change=lambda image: np.rot90(image, 2))


def rotated(table: Tabletop) -> Script:
    """Return a script in which people turn the phone on its side: the table is upright in a tall picture."""
    yield from pictures(table, change=lambda image: np.resize(image[:, 140:500], (640, 360, 3)))


def of_4k(table: Tabletop) -> Script:
    yield from pictures(table, 0.3, 2, lambda image: cv2.resize(image, (3840, 2160)))


def five_a_second(table: Tabletop) -> Script:
    yield from pictures(table, every=5)


def another_page(table: Tabletop) -> Script:
    """Return a script in which a second page takes over, and the first goes on sending old pictures."""
    for number, sent in enumerate(pictures(table, 0.5)):
        yield Sent(sent.jpeg, sent.after_s, "second")
        if number % 2:
            yield Sent(jpeg(np.zeros((360, 640, 3), np.uint8)), 0.0, "first")


@dataclass
class ScriptedInbox(PhoneInbox):
    """Delivers the script's pictures when the source requests one; the script sets the clock."""

    script: Script
    page: str = "first"
    at_s: float = 0.0
    number: int = 0
    causes: list[str] = field(default_factory=list)
    source: PhoneSource | None = None

    def __post_init__(self) -> None:
        super().__init__(lambda: self.at_s)

    def take(self, timeout_s: float) -> PhonePicture | None:
        """Return the next picture of the script."""
        sent = next(self.script, None)
        if sent is None:
            assert self.source is not None
            self.source.close()
            return None
        self.at_s, self.number = self.at_s + sent.after_s, self.number + 1
        if sent.jpeg is not None:
            self.deliver(sent.jpeg, sent.page, self.number)
        return super().take(0.0)


def game(faults: Sequence[Fault]) -> tuple[list[str], set[str], set[str]]:
    """Play a bout by phone, with faults in its middle: events, causes of lost frames, reasons of blocked events."""
    table = with_talon()
    page = ["first"]

    def acted() -> Script:
        yield from act(table.rest(1.0))
        yield from act(table.lay("A", Lying("7s", 0, 0)))
        yield from act(table.rest(1.0))
        for fault in faults:
            for sent in fault(table):
                page[0] = sent.page if sent.page == "second" else page[0]
                yield sent
            yield from act(table.rest(0.5))
        yield from act(table.rest(1.0))
        yield from act(table.lay("B", Lying("Ts", 12, 14, 20)))
        yield from act(table.rest(1.0))
        yield from act(table.pick("B", "7s", "Ts", to=HEAP))
        yield from act(table.rest(2.0))

    def act(frames: Iterator[object]) -> Script:
        for _ in frames:
            yield Sent(jpeg(table.picture()), page=page[0])

    first = decoded(jpeg(table.picture()))
    assert first is not None
    inbox = ScriptedInbox(acted())
    inbox.source = PhoneSource(inbox, first)
    pipeline = Pipeline(table, table.seats, START)
    events: list[TableEvent] = []
    causes = set()
    for frame in inbox.source:
        if frame.cause is not None:
            causes.add(frame.cause)
        events += pipeline.feed(frame)
    events += pipeline.finish()
    blocked = {event.reason for event in events if isinstance(event, Blocked)}
    return short([event for event in events if not isinstance(event, Blocked)]), causes, blocked


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("faults", "causes"),
    [
        ((turned_over, of_4k, five_a_second, another_page), set()),
        ((nothing, asleep, garbage, rotated), {GONE, GARBLED, TURNED}),
    ],
    ids=["pictures that can be used", "pictures that can't"],
)
def test_faults_of_a_phone_do_not_change_the_record(faults: Sequence[Fault], causes: set[str]) -> None:
    events, lost_causes, blocked = game(faults)
    assert events == ["A lays 7s", "B lays Ts on 7s", "swept to heap"]
    assert lost_causes == causes
    assert bool(blocked) == bool(causes), "the record has an event that the table was not visible"


def test_fault_of_the_phone_is_shown_on_it_and_at_the_table() -> None:
    for language in LANGUAGES:
        words = page_words(language)
        for cause in REASONS:
            assert words[f"camera_{cause}"].endswith((".", "!"))
            assert cause == GONE or words[f"{cause}_here"].endswith((".", "!"))
        for trouble in set(get_args(Trouble)) - {"hidden"}:
            assert words[f"phone_trouble_{trouble.replace('-', '_')}"].endswith((".", "!"))
