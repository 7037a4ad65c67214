"""
Compare reviews of many clips: one process, workers of this machine, and a Dask cluster whose workers are killed.

    python -m benchmarks.side_by_side CLIP.mp4 ... [--kills 10] [--out FILE.json] [-- --seats A,B --rules free]

Options after ``--`` are passed to every review. For the cluster the command starts a scheduler and workers as
processes, and adds a file that is not a film to the clips. Every result must exist once and equal that of one process,
except for the time taken; else the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client

from scripts.results import checksums, write_result

BROKEN = "broken.mp4"
COMES_UP_S = 60.0
"""Seconds that a scheduler may take to start."""


class ReviewedFilms:
    """A folder with the clips and a broken one, and the commands that review it. ``more``: options of each review."""

    def __init__(self, folder: Path, clips: Sequence[Path], more: Sequence[str]) -> None:
        self.folder, self.more, self.films = folder, list(more), folder / "films"
        self.films.mkdir()
        for clip in clips:
            (self.films / clip.name).symlink_to(clip.resolve())
        (self.films / BROKEN).write_bytes(b"no film")

    def start(self, name: str, *how: str) -> subprocess.Popen[str]:
        """Begin a review into the folder ``name``."""
        command = [sys.executable, "-m", "webapp.commands.cli", "review", str(self.films), "--json", *how, *self.more]
        return subprocess.Popen([*command, "--out", str(self.folder / name)], stdout=subprocess.PIPE, text=True)

    def end(self, name: str, reviewing: subprocess.Popen[str]) -> dict[str, list[Any]]:
        """Wait for the end; return the lines of every clip without the time taken, and the broken one's error."""
        messages = [json.loads(line) for line in (reviewing.communicate()[0] or "").splitlines()]
        found: dict[str, list[Any]] = {Path(line["clip"]).stem: [line["error"]] for line in messages if "error" in line}
        for file in (self.folder / name).iterdir():
            lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            del lines[-1]["summary"]["seconds_taken"]
            found[file.stem] = lines
        if sorted(Path(line["clip"]).stem for line in messages) != sorted(found):
            raise SystemExit(f"expected one message for each clip, got {[line['clip'] for line in messages]}")
        return found


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Start a scheduler and workers as processes; yield the scheduler's address."""
    with tempfile.TemporaryDirectory() as folder:
        messages = Path(folder) / "scheduler.json"
        common = ["--scheduler-file", str(messages), "--no-dashboard"]
        scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *common]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nworkers", str(workers), "--nthreads", "1"]
        running = [
            subprocess.Popen(call, stderr=subprocess.DEVNULL, start_new_session=True)
            for call in (scheduler, [*worker, "--local-directory", folder, *common])
        ]
        try:
            with Client(scheduler_file=str(messages), timeout=COMES_UP_S) as client:
                client.wait_for_workers(workers, timeout=COMES_UP_S)
                address = str(client.scheduler.address)
            yield address
        finally:
            for process in reversed(running):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def kill_workers(address: str, every_s: float, count: int, reviewing: subprocess.Popen[str]) -> int:
    """
    Kill a worker ``count`` times, every ``every_s`` seconds on average; return how many were killed before the end.
    """
    rng = np.random.default_rng(1)
    with Client(address) as client:
        for killed in range(count):
            try:
                reviewing.wait(timeout=float(rng.uniform(0.5, 1.5)) * every_s)
            except subprocess.TimeoutExpired:
                pids = sorted(client.run(os.getpid, on_error="ignore").values())
                os.kill(int(rng.choice(pids)), signal.SIGKILL)
            else:
                return killed
    return count


def main() -> int:
    """Run the command line; options after ``--`` are for the reviews."""
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path, metavar="CLIP")
    parser.add_argument("--kills", type=int, default=10, help="number of times a worker of the cluster is killed")
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    arguments = parser.parse_args(sys.argv[1:cut])
    seconds: dict[str, float] = {}
    came: dict[str, dict[str, list[Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        films = ReviewedFilms(Path(folder), arguments.clips, sys.argv[cut + 1 :])

        def measure(name: str, *how: str, address: str | None = None) -> None:
            began = time.monotonic()
            reviewing = films.start(name, *how)
            if address is not None:
                killed = kill_workers(address, seconds["cluster of 2"] / arguments.kills, arguments.kills, reviewing)
                print(f"{killed} workers killed")
            came[name] = films.end(name, reviewing)
            seconds[name] = time.monotonic() - began
            same = came[name] == came["one process"]
            print(f"{name}: {seconds[name]:.0f} s, {len(came[name])} clips, {'the same' if same else 'OTHERWISE'}")

        measure("one process")
        measure("two workers of this machine", "--workers", "2")
        for workers in (1, 2):
            with cluster(workers) as address:
                measure(f"cluster of {workers}", "--dask", address)
        with cluster(2) as address:
            measure("cluster of 2, workers killed", "--dask", address, address=address)
    if arguments.out is not None:
        on = {"clips": [clip.name for clip in arguments.clips], "kills": arguments.kills, "broken": 1}
        write_result(arguments.out, "benchmarks.side_by_side", on, {"seconds": seconds}, checksums())
    return 0 if all(output == came["one process"] for output in came.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
