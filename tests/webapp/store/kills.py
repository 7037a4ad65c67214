"""
Kill `kozyr watch` at random moments, and check that its store holds all printed lines and that it can be resumed.

    python -m tests.webapp.store.kills --kills 300 --seed 1 [--store URL]

A random game of the independent engine takes the place of the vision pipeline; command, threads, referee, store and
page are the real ones. Each time the command is killed with SIGKILL after some lines, then started again with
``--resume``. After each kill:

- every line that was printed, and every event that was published to the page, is in the store, in the same order;
- the store holds the game's events, none left out and none twice;
- the next run goes on with the position that the stored record leads to, judged by a referee of its own;
- the film plays, but for its last second and what the encoder had not taken yet.

The processes are forked by a server that has loaded everything and has no threads: 20 kills take a few seconds. This
process must not fork them itself, since a lock that one of its threads holds would stay locked in the child for ever.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby, zip_longest
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

from referee.events import TableEvent, is_same_play
from referee.legal import ranks_to_add
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json, read_record
from tests.patience import PATIENCE_S
from tests.referee.random_play import RandomSession
from vision.capture.sources import Frame, open_source
from vision.capture.video_writer import FilmSettings
from vision.data_home import HOME_VARIABLE
from webapp.commands import cli, table_of_games
from webapp.live import vision_opening
from webapp.live.board import SnapshotHub
from webapp.match.log import RESUMED
from webapp.output import say_json
from webapp.store.database import Database
from webapp.store.films import FOLDER, Films
from webapp.store.matches import Matches

Line = Mapping[str, Any]
SOON_S = 0.003
"""
Seconds within which a kill follows the line that was waited for: some meet a transaction, some a line half printed.
"""
IMAGE = np.zeros((36, 64, 3), np.uint8)
FRAMES_PER_S = 10
PROGRESS = 50
"""Kills between two lines about progress."""
NOT_WRITTEN = FRAMES_PER_S + FilmSettings().queue + 1
"""Frames that a kill may cost: the second that was being written, what waited for the encoder, and what it had."""


class Game:
    """A random game, its events grouped as a pipeline reports them."""

    def __init__(self, seed: int) -> None:
        session = RandomSession("podkidnoy-36", 2 + seed % 5, seed)
        session.play()
        self.header, *self.events = session.record

    def rest_after(self, count: int) -> list[tuple[TableEvent, ...]]:
        """Return the rest of the game after ``count`` reported events."""
        rest = map(event_from_json, self.events[count:])
        return [tuple(together) for _, together in groupby(rest, key=lambda event: event.at)]


class TableOfGame:
    """Fake source and vision pipeline: a black frame for each play."""

    live, stills, fps, size, notes, stall_cause = False, False, 25.0, (64, 36), (), None

    def __init__(self, plays: list[tuple[TableEvent, ...]]) -> None:
        self._plays = plays
        self.view = self.detector = None

    def __enter__(self) -> TableOfGame:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(IMAGE, number, number / FRAMES_PER_S) for number in range(len(self._plays)))

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        return self._plays[frame.number]

    def finish(self) -> tuple[TableEvent, ...]:
        return ()


def run(arguments: list[str], table: TableOfGame, home: Path, output: Connection) -> None:
    """
    Run `kozyr watch` over that table, with its data in ``home`` and its standard output on ``output``.

    What it publishes to the page is printed as well. Ends the process, so that nothing is tidied up.
    """

    def pipeline(options: object, zones: object, observer: object, state: Line | None) -> TableOfGame:
        if state is not None:
            say_json({"resumed": state})
        return table

    publish = SnapshotHub.publish

    def published(board: SnapshotHub, **changes: Any) -> Any:
        if changes.get("last_event") is not None:
            say_json({"published": changes["last_event"]})
        return publish(board, **changes)

    os.environ[HOME_VARIABLE] = str(home)
    os.dup2(output.fileno(), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout = os.fdopen(os.dup(1), "w")  # what was a file before knows nothing of pipes
    table_of_games.open_table_source = lambda *source: table  # type: ignore[assignment, return-value]
    vision_opening.pipeline_for = pipeline  # type: ignore[assignment]
    SnapshotHub.publish = published  # type: ignore[method-assign]
    common = ["--json", "--exit", "--no-browser", "--port", "0", "--films", str(home / FOLDER)]
    try:
        os._exit(cli.main(["watch", "game", *common, *arguments]))
    finally:
        os._exit(70)


SERVER = get_context("forkserver")
SERVER.set_forkserver_preload(["tests.webapp.store.kills"])


@contextmanager
def started(arguments: list[str], table: TableOfGame, home: Path) -> Iterator[tuple[BaseProcess, Any]]:
    """Start the command in a process of its own, killed after two minutes; yield it and what it prints."""
    read_end, write_end = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=run, args=(arguments, table, home, write_end))
    process.start()
    write_end.close()
    late: list[bool] = []
    timer = threading.Timer(PATIENCE_S, lambda: (late.append(True), process.kill()))
    timer.start()
    try:
        with read_end, os.fdopen(os.dup(read_end.fileno()), "rb") as printed:
            yield process, printed
    finally:
        timer.cancel()
        process.join(PATIENCE_S)
    assert not late, f"expected the command to end within {PATIENCE_S:.0f} s"


def lines_of(raw: list[bytes]) -> list[Line]:
    """Return the complete lines that were printed."""
    return [json.loads(line) for line in raw if line.endswith(b"\n")]


class Series:
    """Games in one store that are killed and resumed, one after the other."""

    def __init__(self, url: str, seed: int, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._chance = random.Random(seed)
        self._next_game = seed * 1000
        self.kills = self.games = self.lines = self.frames = 0
        self._filmed = 0

    def play(self, kills: int) -> None:
        """Play until ``kills`` runs were killed."""
        while self.kills < kills:
            self._next_game += 1
            self.games += 1
            self._filmed = 0
            game = Game(self._next_game)
            start = self._folder / "header.json"
            start.write_text(json.dumps(game.header))
            arguments, shown = ["--start", str(start)], ()
            while self.kills < kills:
                was_killed, raw = self._run(["--store", self._url, *arguments], game, shown)
                shown = self._check(game, shown, lines_of(raw))
                if not was_killed:
                    break
                self.kills += 1
                if self.kills % PROGRESS == 0:
                    print(f"{self.kills} kills, {self.lines} lines, none lost", file=sys.stderr, flush=True)
                if shown:  # else it was killed before its first line: the match never began
                    arguments = ["--resume"]

    def _run(self, arguments: list[str], game: Game, shown: tuple[Line, ...]) -> tuple[bool, list[bytes]]:
        """Start the command and kill it after some lines: was it killed, or at its end before, and what it printed."""
        reported = sum(1 for line in shown if is_of_game(line))
        until, raw = self._chance.randint(0, 60), []
        with started(arguments, TableOfGame(game.rest_after(reported)), self._folder) as (process, printed):
            for line in printed:
                raw.append(line)
                if len(raw) > until:
                    break
            time.sleep(self._chance.uniform(0, SOON_S))
            process.kill()
            raw += printed.readlines()
        return b'{"summary"' not in raw[-1][:10] if raw else True, raw

    def _check(self, game: Game, before: tuple[Line, ...], lines: list[Line]) -> tuple[Line, ...]:
        """Check that everything that was reported is kept; return the lines that are kept now."""
        database = Database.open(self._url)
        try:
            matches = Matches(database)
            listed = matches.list()
            newest = [match["match"] for match in listed if match["seats"] == list(game.header["seats"])][:1]
            shown = matches.show(newest[0]) if len(listed) == self.games else ()
        finally:
            database.close()
        printed = [line for line in lines if not {"published", "resumed", "summary"} & set(line)]
        assert list(shown[len(before) : len(before) + len(printed)]) == printed, (shown, printed)
        published = [line["published"] for line in lines if "published" in line]
        assert all(event in shown for event in published), (shown, published)
        reported_events = [line for line in shown if is_of_game(line)]
        assert reported_events == [line_of(event) for event in game.events[: len(reported_events)]], (
            reported_events,
            game.events,
        )
        for resumed in (line["resumed"] for line in lines if "resumed" in line):
            expected = json.loads(json.dumps(position(before)))
            assert {key: resumed[key] for key in expected} == expected, (resumed, before)
        self.lines += len(printed)
        if shown:
            plays = len({line["at"] for line in printed if is_of_game(line)})
            self._check_film(newest[0], plays)
        return shown

    def _check_film(self, match: str, plays: int) -> None:
        """
        Check that the film holds a frame a play of this run, but for the last few, and that all of it can be played.
        """
        film = Films(self._folder / FOLDER).film(match)
        count = 0 if film is None else len(film.frames_s)
        assert count >= self._filmed + plays - NOT_WRITTEN, (count, self._filmed, plays)
        if film is not None:
            path = self._folder / "played.mp4"
            path.write_bytes(b"".join(film.read(0, film.size)))
            with open_source(str(path)) as source:
                assert len(list(source)) == count
        self.frames += count - self._filmed
        self._filmed = count


def is_of_game(line: Line) -> bool:
    """Check whether it is an event of the game, not one about the program itself."""
    return "event" in line and line.get("reason") != RESUMED


def line_of(event: Line) -> Line:
    """Return an event as a record has it, whatever the order of its keys."""
    from referee.record import event_to_json

    return event_to_json(event_from_json(event))


def position(shown: tuple[Line, ...]) -> Line:
    """Return the position at the end of a record, by a referee that was never killed."""
    record = [json.dumps(line) for line in shown if "kozyr" in line or "event" in line]
    (_, header), *events = read_record(record)
    assert isinstance(header, Header)
    judge = MatchJudge(header)
    for (line, event), following in zip_longest(events, events[1:]):
        assert not isinstance(event, Header)
        judge.apply(line, event)
        if judge.holds_back_ruling and (following is None or not is_same_play(event, following[1])):
            judge.end_play()
    return judge.state.as_json() | {"may_add": list(ranks_to_add(judge.state))}


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", help="an empty store (default: SQLite in a folder of its own)")
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        series = Series(asked.store or f"sqlite:///{folder}/kozyr.db", asked.seed, Path(folder))
        series.play(asked.kills)
    if not series.lines:
        print("expected games with lines, got no line: the command fails at once", file=sys.stderr)
        return 1
    print(
        f"{series.kills} kills in {series.games} games, {series.lines} lines printed, all of them stored;  "
        f"{series.frames} frames of film, all of them play; "
        f"{time.monotonic() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
