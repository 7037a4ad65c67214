"""Background jobs: they run one after the other, can be stopped, and a failed one has one sentence."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE_S, wait_until
from webapp.errors import UnusableInputError
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs, Report


def doubled(report: Report, number: int) -> int:
    """Report a share and return the double: a job that succeeds."""
    report(0.5)
    print("this is for nobody")  # noqa: T201
    return 2 * number


def refused(report: Report) -> None:
    """Raise the error of a job that can't be done."""
    raise UnusableInputError("expected a film,\n got none")


def died(report: Report) -> None:
    """End the process of the job."""
    os._exit(9)


def endless(report: Report) -> None:
    """Run until the job is stopped."""
    report.found("so far")
    report(0.25)
    time.sleep(600)


@pytest.fixture
def jobs() -> Iterator[BackgroundJobs]:
    made = BackgroundJobs()
    yield made
    made.stop()


def ended(jobs: BackgroundJobs, job: BackgroundJob) -> BackgroundJob:
    wait_until(lambda: jobs.job(job.job).state in ("done", "failed", "stopped"))  # type: ignore[union-attr]
    found = jobs.job(job.job)
    assert found is not None
    return found


def test_job_result_is_kept_and_a_failure_is_one_sentence(
    jobs: BackgroundJobs, capfd: pytest.CaptureFixture[str]
) -> None:
    first, second, third = (
        jobs.submit("double", "a number", doubled, 21),
        jobs.submit("refuse", "a film", refused),
        jobs.submit("die", "itself", died),
    )
    done = ended(jobs, first)
    assert (done.state, done.share, done.result, done.trouble) == ("done", 1.0, 42, None)
    assert (ended(jobs, second).state, ended(jobs, second).trouble) == ("failed", "expected a film, got none")
    assert "a process that died" in str(ended(jobs, third).trouble)
    assert capfd.readouterr().out == ""
    assert [job.kind for job in jobs.all] == ["double", "refuse", "die"]


def test_running_or_waiting_job_can_be_stopped(jobs: BackgroundJobs) -> None:
    left: list[str] = []
    running = jobs.submit("endless", "", endless, after=lambda job: left.append(f"{job.state} with {job.result}"))
    waiting = jobs.submit("double", "", doubled, 1, after=lambda job: left.append(job.state))
    wait_until(lambda: jobs.job(running.job).share == 0.25)  # type: ignore[union-attr]
    assert jobs.end(waiting.job)
    assert jobs.end(running.job)
    wait_until(lambda: left == ["stopped with so far", "stopped"])
    assert [job.state for job in jobs.all] == ["stopped", "stopped"]
    assert not jobs.end(running.job)
    assert not jobs.end("nothing")
    assert ended(jobs, jobs.submit("double", "", doubled, 4)).result == 8


def test_closing_stops_all_jobs() -> None:
    jobs = BackgroundJobs()
    left: list[str] = []
    job = jobs.submit("endless", "", endless)
    jobs.submit("double", "", doubled, 1, after=lambda job: left.append(job.state))
    wait_until(lambda: jobs.job(job.job).share == 0.25)  # type: ignore[union-attr]
    began = time.monotonic()
    jobs.stop()
    assert time.monotonic() - began < PATIENCE_S, "closing does not wait for the running job"
    assert [job.state for job in jobs.all] == ["stopped", "stopped"]
    assert left == ["stopped"]


def test_job_with_a_limit_does_not_wait_for_a_long_one_and_is_ended(jobs: BackgroundJobs) -> None:
    long = jobs.submit("endless", "a film", endless)
    wait_until(lambda: jobs.job(long.job).share == 0.25)  # type: ignore[union-attr]
    done = ended(jobs, jobs.submit("double", "", doubled, 4, limit_s=PATIENCE_S))
    assert (done.state, done.result, done.is_late) == ("done", 8, False)
    late = ended(jobs, jobs.submit("silent", "a match", silent, limit_s=0.05))
    assert late.as_json() | {"job": ""} == {
        "job": "",
        "kind": "silent",
        "about": "a match",
        "state": "failed",
        "share": 0.0,
        "error": "expected it to come to its end, got more than 0.05 s; try again",
        "limit_s": 0.05,
        "late": True,
        "result": None,
    }
    found = jobs.job(long.job)
    assert found is not None
    assert found.state == "running"


class Unsendable:
    """An argument that can't be pickled."""

    def __reduce__(self) -> str:
        raise TypeError("this stays here")


def filled(report: Report, library: str) -> None:
    """Take 4 GB of memory by a library, or end as a process does whose library gets none."""
    report(0.25)
    if library == "Python":
        bytearray(4 << 30)
    elif library == "OpenCV":
        cv2.resize(np.zeros((1, 1), np.uint8), (65_536, 65_536))
    else:
        os.abort()


@pytest.mark.parametrize("library", ["Python", "OpenCV", "another"])
def test_job_that_takes_too_much_memory_fails_with_one_sentence(jobs: BackgroundJobs, library: str) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is limited here where the system says how much is in use")
    job = jobs.wait(jobs.submit("film", "a film", filled, library, memory_bytes=1 << 30).job)
    assert job.state == "failed"
    sentence = "expected work that needs at most 1 GB of memory, got some that needs more; try again"
    if library == "another":
        sentence = "expected it to come to its end with 1 GB of memory, got a process that died; try again"
    assert str(job.trouble).startswith(sentence)
    assert jobs.wait(jobs.submit("double", "", doubled, 4, memory_bytes=1 << 30).job).result == 8


def process_of(report: Report) -> int:
    """Return the ID of the process of the job."""
    return os.getpid()


def test_jobs_with_a_limit_share_a_process_until_one_is_ended(jobs: BackgroundJobs) -> None:
    def shared() -> int:
        return int(jobs.wait(jobs.submit("process", "", process_of, limit_s=PATIENCE_S).job).result)

    first = shared()
    assert jobs.wait(jobs.submit("refuse", "", refused, limit_s=PATIENCE_S).job).state == "failed"
    assert shared() == first, "a refusal does not end it"
    endless_job = jobs.submit("endless", "", endless, limit_s=PATIENCE_S)
    wait_until(lambda: jobs.job(endless_job.job).share == 0.25)  # type: ignore[union-attr]
    jobs.end(endless_job.job)
    second = shared()
    assert second != first
    assert jobs.wait(jobs.submit("die", "", died, limit_s=PATIENCE_S).job).state == "failed"
    assert shared() not in (first, second)
    long = {jobs.wait(jobs.submit("process", "", process_of).job).result for _ in range(2)}
    assert len(long) == 2, "a job without a limit has a process of its own"


@pytest.mark.thorough
def test_shared_process_without_work_is_ended() -> None:
    jobs = BackgroundJobs(silence_s=PATIENCE_S)
    jobs.wait(jobs.submit("process", "", process_of, limit_s=PATIENCE_S).job)
    assert jobs._limited.process.is_alive()
    jobs._silence_s = 0.01
    jobs.end(jobs.submit("waiting", "", process_of, limit_s=0.0).job)  # the thread takes the new number of seconds
    wait_until(lambda: jobs._limited.process is None)
    jobs.stop()


def test_job_that_is_next_goes_before_those_that_wait_and_shows_no_private_result(jobs: BackgroundJobs) -> None:
    first = jobs.submit("endless", "", endless, limit_s=PATIENCE_S)
    wait_until(lambda: jobs.job(first.job).share == 0.25)  # type: ignore[union-attr]
    ends: list[str] = []
    for kind, is_next in (("second", False), ("urgent", True)):
        last = jobs.submit(
            kind,
            "",
            process_of,
            after=lambda job: ends.append(job.kind),
            limit_s=PATIENCE_S,
            is_next=is_next,
            is_private=is_next,
        )
    jobs.end(first.job)
    urgent = jobs.wait(last.job)
    wait_until(lambda: ends == ["urgent", "second"])
    assert isinstance(urgent.result, int)
    assert urgent.as_json()["result"] is None


def silent(report: Report) -> None:
    """Run without any report."""
    time.sleep(600)


@pytest.mark.thorough
def test_next_job_runs_after_any_failure(jobs: BackgroundJobs) -> None:
    def broken(job: BackgroundJob) -> None:
        raise LookupError("nothing to clear up")

    first = jobs.submit("double", "", doubled, Unsendable())
    second = jobs.submit("double", "", doubled, 2, after=broken)
    third = jobs.submit("double", "", doubled, 3)
    assert ended(jobs, first).trouble == "expected a process for it, got this stays here; try again"
    assert ended(jobs, second).result == 4
    assert ended(jobs, third).result == 6


@pytest.mark.thorough
def test_hanging_job_is_stopped_and_the_next_one_runs() -> None:
    jobs = BackgroundJobs(silence_s=0.05)
    hanging = jobs.submit("silent", "", silent)
    assert ended(jobs, hanging).trouble == "expected it to come to its end, got no progress for 0 s; try again"
    jobs._silence_s = PATIENCE_S
    assert ended(jobs, jobs.submit("double", "", doubled, 4)).result == 8
    jobs.stop()
