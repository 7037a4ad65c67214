"""
`kozyr review --out`: referee many recorded games, a file each, on this machine or on a Dask cluster.

A clip's lines come back as text and are written here, whole or not at all: what is there already is done. One code
serves one process, ``--workers`` and ``--dask``; a worker that dies costs nothing but time, since its clip is tried
again elsewhere. A cluster's workers read the clip where they find it under the same path; else it is sent to them.
"""

from __future__ import annotations

import importlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from features.batch.cluster import client_of
from features.batch.options import ManyReviewsOptions
from referee.errors import RefereeError
from vision.capture.sources import SourceError
from webapp.commands import review as core
from webapp.commands.options import ReviewOptions, ReviewsOptions
from webapp.commands.review import clips_in, review_clip
from webapp.errors import KozyrError, OutputLostError, WrongCallError, one_line
from webapp.output import as_line, note, say_json, say_text
from webapp.private_file import write_whole


def run(options: ManyReviewsOptions) -> int:
    """Review recorded games: print them, or write a file each into ``options.out``; return the exit status."""
    if options.out is not None:
        if options.each.files.record is not None:
            raise WrongCallError("expected --out or --record, got both; the records are in the files of --out")
        return review_all(options, review_clip)
    if options.workers != 1 or options.dask is not None:
        raise WrongCallError("expected --out DIR with --workers and --dask, got none; name a folder for the results")
    return core.run(ReviewsOptions(options.clips, options.each))


RETRIES = 3
"""
Number of times that a clip whose worker died is tried again. More waits longer for a clip that kills every worker;
fewer gives up clips that only met a bad machine.
"""


@dataclass(frozen=True, slots=True)
class ReviewedClip:
    """The result of a clip: ``text`` is the output of ``--json``, None if the clip can't be used, with the reason."""

    name: str
    text: str | None
    status: int
    trouble: str | None = None

    @property
    def summary(self) -> Mapping[str, Any]:
        assert self.text is not None
        summary: Mapping[str, Any] = json.loads(self.text.splitlines()[-1]).get("summary", {})
        return summary


Review = Callable[[ReviewOptions, Callable[[Mapping[str, Any]], None]], int]
"""``webapp.commands.review.review_clip``."""


def review_all(options: ManyReviewsOptions, review: Review) -> int:
    out = options.out
    assert out is not None
    clips = {out / f"{Path(clip).stem}.jsonl": clip for clip in clips_in(options.clips)}
    if len(clips) < len(clips_in(options.clips)):
        raise WrongCallError("expected clips of different names with --out, got two of one name; review them apart")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputLostError(f"The operating system refused: {out}: {error.strerror}; name another folder") from None
    waiting = {file: clip for file, clip in clips.items() if not is_whole(file)}
    if len(waiting) < len(clips):
        note(f"{len(clips) - len(waiting)} of {len(clips)} clips are done already")
    began, status, used = time.monotonic(), 0, 0
    with ExitStack() as parts:
        jobs = [replace(options.each, clip=clip) for clip in waiting.values()]
        results = in_order_of_ending(parts, options, jobs, review)
        for number, done in enumerate(results, start=1):
            status = max(status, write_result(done, out, as_json=options.each.as_json))
            used += done.text is not None
            note(progress(number, len(waiting), used, time.monotonic() - began))
    return status


def write_result(done: ReviewedClip, out: Path, *, as_json: bool) -> int:
    if done.text is None:
        if as_json:
            say_json({"clip": done.name, "error": done.trouble})
        else:
            say_text(f"{done.name}: {done.trouble}")
        return 1
    file = out / f"{Path(done.name).stem}.jsonl"
    try:
        write_whole(file, done.text.encode())
    except OSError as error:
        raise OutputLostError(
            f"The operating system refused: {file}: {error.strerror}; make room and start again: what is done stays"
        ) from None
    if as_json:
        say_json({"clip": done.name, "out": str(file), "summary": dict(done.summary)})
    else:
        rulings = ", ".join(f"{count} {kind}" for kind, count in done.summary.get("rulings", {}).items())
        say_text(f"{done.name}: {rulings or 'pictures'} -> {file}")
    return done.status


def is_whole(file: Path) -> bool:
    """Check whether an output file is complete: it ends with a summary."""
    try:
        last = file.read_text(encoding="utf-8").rstrip("\n").rpartition("\n")[2]
        return "summary" in json.loads(last)
    except (OSError, ValueError, TypeError):
        return False


def progress(done: int, of: int, used: int, seconds: float) -> str:
    """
    Return progress, rate and remaining time. ``used``: clips done so far that could be used; only they count for the
    rate.

    >>> progress(4, 12, 4, 120.0)
    '4 of 12 clips, 2.0 a minute, about 4 min left'
    >>> progress(4, 12, 0, 0.004)
    '4 of 12 clips'
    """
    counted = f"{done} of {of} clips"
    if not used:
        return counted
    rate = used / max(seconds, 0.001) * 60
    left = (of - done) / rate
    return f"{counted}, {rate:.1f} a minute" + (f", about {max(1, round(left))} min left" if left else "")


def reviewed(options: ReviewOptions, review: Review, film: bytes | None = None) -> ReviewedClip:
    """Review one clip and return the result, errors included. ``film``: its bytes if it is not on this machine."""
    clip = options.clip
    lines: list[str] = []
    try:
        if film is None:
            status = review(options, lambda line: lines.append(as_line(line)))
        else:
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / Path(clip).name
                copy.write_bytes(film)
                status = review(replace(options, clip=str(copy)), lambda line: lines.append(as_line(line)))
    except (KozyrError, RefereeError, SourceError) as error:
        return ReviewedClip(clip, None, 1, one_line(error).removeprefix(f"{clip}: "))
    except Exception as error:  # a broken film costs only itself, whatever a decoder makes of it
        return ReviewedClip(clip, None, 1, f"{type(error).__name__}: {one_line(error)}")
    if not lines or "summary" not in json.loads(lines[-1]):
        return ReviewedClip(clip, None, 1, "expected a clip that can be played to its end, got one that breaks off")
    return ReviewedClip(clip, "\n".join(lines) + "\n", status)


def in_order_of_ending(
    parts: ExitStack, options: ManyReviewsOptions, jobs: Sequence[ReviewOptions], review: Review
) -> Iterator[ReviewedClip]:
    """Yield the clips as they are done: in this process, on ``--workers`` of this machine, or on a cluster."""
    if options.dask is None and options.workers == 1:
        for job in jobs:
            yield reviewed(job, review)
        return
    client = client_of(parts, options.dask, options.workers)
    yield from on_cluster(
        importlib.import_module("distributed").as_completed, client, jobs, review, are_shared=options.dask is None
    )


def on_cluster(
    as_completed: Callable[[Any], Any], client: Any, jobs: Sequence[ReviewOptions], review: Review, *, are_shared: bool
) -> Iterator[ReviewedClip]:
    """
    Yield the clips as the workers complete them. A clip is tried on another worker if its own one dies, or the one that
    held its film. ``are_shared``: every worker can open every clip.
    """
    clips = [job.clip for job in jobs]
    seen = [] if are_shared else client.run(_which_are_there, clips, on_error="ignore").values()
    shared = set(clips).intersection(*seen)

    def send(job: ReviewOptions) -> Any:
        clip = Path(job.clip)
        film = client.scatter(clip.read_bytes()) if job.clip not in shared and clip.is_file() else None
        return client.submit(reviewed, job, review, film, pure=False, retries=RETRIES)

    running = {send(job): (job, RETRIES) for job in jobs}
    ended = as_completed(running)
    for future in ended:
        job, tries = running.pop(future)
        if future.status == "finished":
            yield future.result()
        elif future.status == "error":
            yield ReviewedClip(job.clip, None, 1, f"no worker could finish it: {one_line(future.exception())}")
        elif tries:
            again = send(job)
            running[again] = (job, tries - 1)
            ended.add(again)
        else:
            yield ReviewedClip(job.clip, None, 1, "no worker could finish it: each that held the film died")


def _which_are_there(clips: Sequence[str]) -> set[str]:
    return {clip for clip in clips if Path(clip).exists()}
