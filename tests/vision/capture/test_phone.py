"""Phone as camera: the newest picture is used; a silent phone or invalid pictures count as a lost camera."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.phone import (
    FROZEN,
    GARBLED,
    GONE,
    PAGES_KEPT,
    TURNED,
    PhoneInbox,
    PhoneSettings,
    PhoneSource,
    UprightPictures,
    decoded,
    first_image,
)
from vision.capture.sources import Frame, Image, SourceError, open_source


class Clock:
    """Clock that the test advances."""

    def __init__(self) -> None:
        self.at_s = 100.0

    def __call__(self) -> float:
        return self.at_s


def table(seed: int = 1, width: int = 160, height: int = 90) -> Image:
    """Return a picture of blurred noise, which differs from one of another seed."""
    noise = np.random.default_rng(seed).integers(0, 255, (9, 16, 3), np.uint8)
    return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inbox(clock: Clock) -> PhoneInbox:
    return PhoneInbox(clock)


def follow(inbox: PhoneInbox, clock: Clock, script: list[tuple[Image | bytes | None, float]]) -> list[Frame]:
    """Return the frames of a source while pictures arrive by ``script``: (picture or None, seconds later)."""
    source, frames = PhoneSource(inbox, table()), list[Frame]()
    take, steps = inbox.take, iter(enumerate(script, 1))

    def taken(timeout_s: float) -> object:
        step = next(steps, None)
        if step is None:
            source.close()
            return None
        number, (picture, after_s) = step
        clock.at_s += after_s
        if picture is not None:
            inbox.deliver(picture if isinstance(picture, bytes) else jpeg(picture), "page", number)
        return take(0.0)

    inbox.take = taken  # type: ignore[method-assign, assignment]
    frames.extend(source)
    inbox.take = take  # type: ignore[method-assign]
    return frames


def test_newest_picture_is_taken_and_replaced_ones_are_counted(inbox: PhoneInbox) -> None:
    for number in (1, 2, 3):
        assert inbox.deliver(b"%d" % number, "page", number)
    newest = inbox.take(0.0)
    assert newest is not None
    assert (newest.jpeg, inbox.received, inbox.dropped) == (b"3", 3, 2)
    assert inbox.take(0.0) is None


def test_late_picture_is_dropped(inbox: PhoneInbox) -> None:
    inbox.deliver(b"new", "page", 5)
    assert inbox.deliver(b"old", "page", 4)
    taken = inbox.take(0.0)
    assert taken is not None
    assert (taken.jpeg, inbox.dropped) == (b"new", 1)


def test_later_page_replaces_the_first_one(inbox: PhoneInbox) -> None:
    inbox.deliver(b"a", "first", 90)
    assert inbox.deliver(b"b", "second", 1)
    assert not inbox.deliver(b"c", "first", 91)
    inbox.forget_pages()
    assert not inbox.deliver(b"d", "second", 2), "another phone was paired"
    inbox.forget_pages()
    for number in range(PAGES_KEPT + 2):
        assert inbox.deliver(b"e", f"page {number}", 1)


def test_rate_covers_the_last_seconds(inbox: PhoneInbox, clock: Clock) -> None:
    assert inbox.rate() == 0.0
    for number in range(60):
        clock.at_s += 0.05
        inbox.deliver(b"x", "page", number)
    assert inbox.rate() == pytest.approx(20.0, abs=0.5)
    clock.at_s += 10.0
    assert inbox.rate() == 0.0


def test_frames_have_the_arrival_times_of_their_pictures(inbox: PhoneInbox, clock: Clock) -> None:
    frames = follow(inbox, clock, [(table(), 0.1), (table(), 0.1), (table(), 0.1)])
    assert [round(frame.at, 3) for frame in frames] == [0.0, 0.1, 0.2, 0.3]
    assert [frame.number for frame in frames] == [0, 1, 2, 3]
    assert {frame.lost for frame in frames} == {None}


def test_silent_phone_is_lost_until_it_sends_again(inbox: PhoneInbox, clock: Clock) -> None:
    call = [(None, 1.0)] * 300  # five minutes
    frames = follow(inbox, clock, [(table(), 0.1), *call, (table(), 0.1), (table(), 0.1)])
    lost = [frame for frame in frames if frame.lost]
    assert len(lost) > 290, "the source keeps waiting"
    assert {frame.cause for frame in lost} == {GONE}
    assert lost[0].at - frames[1].at == pytest.approx(3.0)
    assert [frame.lost for frame in frames[-2:]] == [None, None]
    assert inbox.cause is None
    times = [frame.at for frame in frames]
    assert times == sorted(times)


def test_short_interruption_is_no_loss(inbox: PhoneInbox, clock: Clock) -> None:
    frames = follow(inbox, clock, [(table(), 0.1), (None, 1.0), (table(), 0.9)])
    assert [frame.lost for frame in frames] == [None, None, None]


@pytest.mark.parametrize("garbage", [b"", b"hello", jpeg(table())[:200], b"\x89PNG\r\n\x1a\n0000", b"\xff\xd8\xff"])
def test_phone_that_sends_invalid_pictures_is_lost_with_a_reason(
    inbox: PhoneInbox, clock: Clock, garbage: bytes
) -> None:
    frames = follow(inbox, clock, [(table(), 0.1), *[(garbage, 0.5)] * 8])
    assert [frame.cause for frame in frames if frame.lost][-1] == GARBLED
    assert inbox.cause == GARBLED
    assert all(frame.image_bgr.shape == (90, 160, 3) for frame in frames)


def test_one_invalid_picture_is_left_out(inbox: PhoneInbox, clock: Clock) -> None:
    frames = follow(inbox, clock, [(table(), 0.1), (b"broken", 0.1), (table(), 0.1)])
    assert [frame.lost for frame in frames] == [None, None, None]


def test_phone_whose_picture_stands_still_is_lost_for_that_reason(inbox: PhoneInbox, clock: Clock) -> None:
    frozen = jpeg(table())
    frames = follow(inbox, clock, [(frozen, 0.5)] * 12)
    assert {frame.cause for frame in frames if frame.lost} == {FROZEN}


def test_phone_is_not_lost_while_the_table_is_slow(inbox: PhoneInbox, clock: Clock) -> None:
    source = PhoneSource(inbox, table())
    frames = iter(source)
    assert next(frames).lost is None
    for number in range(1, 6):
        clock.at_s += 5.0  # the table thread worked on a frame for so long, and then one wait for a picture was in vain
        inbox.deliver(jpeg(table(number)), "page", number)
        assert next(frames).lost is None
    source.close()


def test_machine_that_stood_still_is_no_silence_of_the_phone(inbox: PhoneInbox, clock: Clock) -> None:
    frames = follow(inbox, clock, [(table(), 0.1), (None, 30.0), (table(), 0.1)])
    assert [frame.lost for frame in frames] == [None, None, None]


def test_rotated_pictures_of_the_same_view_are_turned_upright(inbox: PhoneInbox, clock: Clock) -> None:
    turned = [np.ascontiguousarray(np.rot90(table(), quarters)) for quarters in (0, 1, 1, 2, 3, 0)]
    frames = follow(inbox, clock, [(image, 0.1) for image in turned])
    assert [frame.lost for frame in frames] == [None] * 7
    for frame in frames:
        assert frame.image_bgr.shape == (90, 160, 3)
        assert np.abs(frame.image_bgr.astype(int) - table()).mean() < 6


def test_phone_turned_to_portrait_is_lost_until_turned_back(inbox: PhoneInbox, clock: Clock) -> None:
    upright = table(seed=7, width=90, height=160)
    frames = follow(inbox, clock, [(table(), 0.1), *[(upright, 0.5)] * 7, (table(), 0.1)])
    assert next(frame.cause for frame in frames if frame.lost) == TURNED
    assert frames[-1].lost is None


def test_pictures_of_another_resolution_are_scaled_to_the_first(inbox: PhoneInbox, clock: Clock) -> None:
    frames = follow(inbox, clock, [(table(width=320, height=180), 0.1), (table(width=80, height=45), 0.1)])
    assert [frame.image_bgr.shape for frame in frames] == [(90, 160, 3)] * 3


def test_hand_over_half_the_table_does_not_rotate_the_picture() -> None:
    upright, covered = UprightPictures(table()), table().copy()
    covered[:, :80] = 120
    kept = upright.turn(covered)
    assert kept is not None
    assert np.array_equal(kept, covered)


def test_picture_of_one_colour_is_not_rotated() -> None:
    black = np.zeros((90, 160, 3), np.uint8)
    kept = UprightPictures(black).turn(black)
    assert kept is not None


def test_large_pictures_are_reduced_and_larger_ones_refused() -> None:
    settings = PhoneSettings(widest_px=100, most_pixels=160 * 90)
    image = decoded(jpeg(table()), settings)
    assert image is not None
    assert image.shape == (56, 100, 3)
    assert decoded(jpeg(table(width=176, height=99)), settings) is None


def test_undecodable_jpeg_gives_no_picture() -> None:
    without_tables = bytes.fromhex("ffd8ffc0000b080010001001011100ffda0008010100003f00") + bytes(20) + b"\xff\xd9"
    assert decoded(without_tables) is None


def test_first_image_waits_for_a_valid_picture(inbox: PhoneInbox) -> None:
    assert first_image(inbox, timeout_s=0.0) is None
    assert inbox.cause == GONE
    inbox.deliver(b"garbage", "page", 1)
    assert first_image(inbox, timeout_s=0.0) is None
    assert inbox.cause == GARBLED
    inbox.deliver(jpeg(table()), "page", 2)
    image = first_image(inbox)
    assert image is not None
    source = PhoneSource(inbox, image)
    assert (source.live, source.size, source.frame_count) == (True, (160, 90), None)


def test_phone_is_refused_as_source_outside_watch() -> None:
    with pytest.raises(SourceError, match="only 'kozyr watch phone' waits for one"):
        open_source("phone")
