"""Mailbox: live sources keep the newest frame, files keep every frame, presses are never dropped."""

from __future__ import annotations

import threading
from functools import partial

from tests.patience import PATIENCE_S
from webapp.live.mailbox import Mailbox
from webapp.match.log import MatchUpdate


def test_live_frame_replaces_the_waiting_one_and_is_counted() -> None:
    box = Mailbox()
    for frame in ("one", "two", "three"):
        box.leave(frame, replace=True)
    assert box.collect(0).frame == "three"
    assert box.dropped == 2


def test_frames_of_a_file_are_not_dropped() -> None:
    box = Mailbox()
    left = threading.Thread(target=lambda: [box.leave(n, replace=False) for n in range(20)] and None)
    left.start()
    collected = [box.collect(10).frame for _ in range(20)]
    left.join(PATIENCE_S)
    assert collected == list(range(20))
    assert box.dropped == 0


def test_presses_keep_their_order() -> None:
    box = Mailbox()
    take, done = MatchUpdate, partial(MatchUpdate, line=2)
    box.press(take)
    box.leave("frame", replace=True)
    box.press(done)
    mail = box.collect(0)
    assert mail.frame == "frame"
    assert [act for act, *_ in mail.presses] == [take, done]


def test_end_is_reported_once_after_the_last_frame() -> None:
    box = Mailbox()
    box.leave("last", replace=False)
    box.end()
    assert (box.collect(0).frame, box.collect(0).ended, box.collect(0).ended) == ("last", True, False)


def test_timed_out_wait_returns_empty_mail() -> None:
    mail = Mailbox().collect(0)
    assert (mail.frame, mail.presses, mail.ended) == (None, (), False)


def test_closed_mailbox_refuses_mail_and_releases_waiters() -> None:
    box = Mailbox()
    box.leave("first", replace=False)
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(box.leave("second", replace=False)))
    waiting.start()
    box.close()
    waiting.join(PATIENCE_S)
    assert answers == [False]
    box.wait_until_wanted()
    assert not box.press(MatchUpdate)
