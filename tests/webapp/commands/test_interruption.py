"""Interruption by one to three Ctrl-C, and with a hanging thread: the process ends with the status of an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX systems do")

PROGRAM = """
import os, signal, sys, threading, time
from webapp.commands.interruption import ending_when_asked, leave_behind_what_hangs

def hang():
    threading.Event().wait()

try:
    with ending_when_asked():
        try:
            os.kill(os.getpid(), signal.{first})
            time.sleep(10)
        finally:
            for _ in range({more}):
                os.kill(os.getpid(), signal.SIGINT)
            print("tidied up", flush=True)
            if {hangs}:
                threading.Thread(target=hang, name="table").start()
except KeyboardInterrupt:
    sys.exit(leave_behind_what_hangs(130))
"""


def end_of(first: str, more: int, hangs: bool = False) -> tuple[int, str]:
    """Interrupt a process, interrupt it again during its clean-up, and return status and output."""
    program = PROGRAM.format(first=first, more=more, hangs=hangs)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("more", [0, 1])
def test_clean_up_survives_further_interrupts(first: str, more: int) -> None:
    assert end_of(first, more) == (130, "tidied up\n")


def test_third_interrupt_ends_the_clean_up() -> None:
    assert end_of("SIGINT", 2) == (130, "")


def test_hanging_thread_does_not_block_the_exit() -> None:
    assert end_of("SIGINT", 0, hangs=True) == (130, "tidied up\n")


def test_signal_handlers_are_restored() -> None:
    from webapp.commands.interruption import ending_when_asked

    before = signal.getsignal(signal.SIGTERM)
    with ending_when_asked():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


OTHER_THREAD = """
import signal, threading, time
from webapp.commands.interruption import ending_when_asked
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup

def take_the_signal():
    time.sleep(0.2)  # until the main thread waits
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    threading.Event().wait()

threading.Thread(target=take_the_signal, daemon=True).start()
try:
    with ending_when_asked():
        SharedSetup(GameSetup(), begins=False).wait()
except KeyboardInterrupt:
    print("ended")
"""


def test_signal_that_another_thread_got_ends_a_wait() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OTHER_THREAD], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.stdout, done.stderr) == ("ended\n", "")
