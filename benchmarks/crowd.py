"""
Measure the referee's page while a crowd of viewers requests what streams and reads none of it.

    python -m benchmarks.crowd [--connections 10 64 200] [--requests 40] [--film-mb 10]

A real server serves a table with ten new pictures a second, and a stored match with a film; every device is paired, as
with ``--pair always``. For each route and number of connections as many clients, in a process of their own, request the
route (one device an address, 50 connections of each; whoever may: viewers, referees, or the one phone that is the
camera) and read nothing; one that is refused or cut off connects again (with ``#again`` also one that is answered;
``#parts`` asks for a range, ``#half`` sends half of its body). Meanwhile the referee requests ``/api/state``
``--requests`` times.

Prints a row for each: p95 and the longest of these requests in ms, refused ones, the threads at work, and the MB that
temporary files grew by. Exits with 1 if p95 exceeds ``MOST_P95_MS`` anywhere, or a request was refused. Needs Linux.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from unittest.mock import patch

import cv2
import numpy as np

from benchmarks.viewers import HEADER, PLAYS
from referee.record import Header, event_from_json
from vision.capture.video_writer import FilmWriter
from webapp.live.board import Picture, SnapshotHub
from webapp.live.phone_camera import PhoneCamera
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Ask, Pairing
from webapp.web.serving import Service

MOST_P95_MS = 300.0
OF_ONE_ADDRESS = 50
AGAIN_S = 1.5
"""Mean seconds after which a client connects again, as the page does (``webapp.web.api.RECONNECT_MS``)."""
POLL_S = 0.05
"""Pause between two requests of the referee, and longest wait of the crowd for an answer."""
CROWDED_S = 2.0
"""Seconds for which the crowd requests before the referee does."""
ROUTES = (
    "/api/events",
    "/api/matches/{match}/export.zip",
    "/api/matches/{match}/moment.zip?line=3",
    "/api/matches/{match}/film",
    "/api/matches/{match}/film#parts",
    "/api/matches/{match}/picture.jpg#again",
    "/api/matches/{match}/replay#again",
    "/api/picture.jpg#again",
    "/#again",
    "POST /api/matches/{match}/moment.mp4?line=3#again",
    "POST /api/camera/frame?page=crowd&n=1#again",
    "POST /api/camera/frame?page=crowd&n=1#half",
)
PICTURES_A_SECOND = 10


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd", description=(__doc__ or "").split("\n")[1])
    parser.add_argument("--connections", type=int, nargs="+", default=[10, 64, 200])
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--film-mb", type=float, default=10.0)
    parser.add_argument("--routes", nargs="+", default=ROUTES)
    parser.add_argument("--crowd", nargs=4, metavar=("PORT", "COUNT", "PATH", "COOKIES"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.crowd:
        port, count, path, cookies = asked.crowd
        press(int(port), int(count), path, cookies.split(","))
        return 0
    return int(not measure(asked.connections, asked.requests, asked.film_mb, asked.routes))


def measure(numbers: Sequence[int], requests: int, film_mb: float, routes: Sequence[str]) -> bool:
    """Print a row for each route and number of connections; return whether all are quick enough."""
    is_quick = True
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        parts.enter_context(patch.dict(os.environ, TMPDIR=str(folder)))
        parts.enter_context(patch.object(tempfile, "tempdir", str(folder)))
        matches, match = stored_match(folder, film_mb)
        pairing = Pairing(time.monotonic, Ask.ALWAYS)
        board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
        parts.callback(service.stop)
        parts.callback(board.close)
        board.publish(moves=1, view=played(None).view, lines=played(None).lines)
        service.start(create_app(AppConfig(matches=matches, pairing=pairing, phone=PhoneCamera()), board))
        parts.callback(show_pictures(board).set)
        port = int(service.address.rstrip("/").rpartition(":")[2])
        own = pairing.join_with_token(str(pairing.renew().token), "127.0.0.1", "referee")
        addresses = [f"127.0.1.{number}" for number in range(1, 2 + max(numbers) // OF_ONE_ADDRESS)]
        viewers = [pairing.join_with_pin(pairing.codes.pin, address, "viewer") for address in addresses]
        referees = [pairing.join_with_token(str(pairing.renew().token), address, "referee") for address in addresses]
        camera = pairing.join_with_token(pairing.camera_token(), addresses[0], "phone")
        print(f"{'route':44}{'clients':>8}{'p95 ms':>8}{'most ms':>9}{'refused':>9}{'temp MB':>9}")
        for route in routes:
            for number in numbers:
                command = [sys.executable, "-m", "benchmarks.crowd", "--crowd", str(port), str(number)]
                crowding = viewers if not route.startswith("POST ") else referees
                crowding = [camera] * len(addresses) if "/camera/" in route else crowding
                more = [route.format(match=match), ",".join(crowding)]
                crowd = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
                assert crowd.stdout is not None
                crowd.stdout.readline()
                time.sleep(CROWDED_S)
                answers = [state_ms(port, own) for _ in range(requests)]
                temporary_mb = open_temporary_bytes() / 1e6
                crowd.kill()
                crowd.communicate()
                took_ms = [answer for answer in answers if answer is not None]
                p95_ms = quantiles(took_ms, n=20)[-1] if len(took_ms) > 1 else float("inf")
                refused = len(answers) - len(took_ms)
                is_quick &= p95_ms <= MOST_P95_MS and not refused
                row = f"{route.replace('{match}', '...'):44}{number:8}{p95_ms:8.0f}{max(took_ms, default=0):9.0f}"
                print(f"{row}{refused:9}{temporary_mb:9.1f}", flush=True)
    return is_quick


def show_pictures(board: SnapshotHub) -> threading.Event:
    """Show new pictures of a camera until the event that is returned is set."""
    ended, image = threading.Event(), np.zeros((720, 1280, 3), np.uint8)

    def show() -> None:
        number = 0
        while not ended.wait(1 / PICTURES_A_SECOND):
            number += 1
            board.show(Picture(number, image + np.uint8(number % 100), None))

    threading.Thread(target=show, daemon=True).start()
    return ended


def state_ms(port: int, cookie: str) -> float | None:
    """Return the milliseconds of one request of the referee; None if it was refused or cut off."""
    began = time.monotonic()
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as page:
        try:
            page.request("GET", "/api/state", headers={"Cookie": f"kozyr-device-{port}={cookie}"})
            answer = page.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return None
    took_ms = (time.monotonic() - began) * 1000
    time.sleep(POLL_S)
    return took_ms if answer.status == 200 else None


def open_temporary_bytes() -> int:
    """Return the bytes of this process's open files that have no name any more: answers that wait for their clients."""
    total = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if "(deleted)" in os.readlink(f"/proc/self/fd/{name}"):
                total += os.fstat(int(name)).st_size
    return total


def played(store: object) -> MatchLog:
    match = MatchLog(Header.parse(HEADER), store=store)  # type: ignore[arg-type]
    match.open()
    for number, play in enumerate(PLAYS, 1):
        match.judge(event_from_json({"at": float(number), **play}))
    return match


def stored_match(folder: Path, film_mb: float) -> tuple[Matches, str]:
    """Return a store, and in it a match with a film of noise that is at least so large."""
    matches = Matches(Database.open(f"sqlite:///{folder}/kozyr.db"), Films(folder / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    entries: list[RecordEntry] = []

    class EntriesToKeep:
        def write(self, line: object, rulings: object, result: object) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result))  # type: ignore[arg-type]

    played(EntriesToKeep()).finish()
    matches.append(writing, entries)
    matches.end(writing)
    assert matches.films is not None
    path = matches.films.new_part(writing.match)
    rng = np.random.default_rng(1)
    with FilmWriter(path, (640, 360), 0.0) as film:
        number = 0
        while not path.exists() or path.stat().st_size < film_mb * 1e6:
            film.add(rng.integers(0, 256, (360, 640, 3), np.uint8), number / 10, wait=True)
            number += 1
    return matches, writing.match


# --- the crowd, in a process of its own ---


def press(port: int, count: int, path: str, cookies: Sequence[str]) -> None:
    """Hold ``count`` connections that request the path and read nothing; connect again where one is closed."""
    path, _, how = path.partition("#")
    method, _, path = path.rpartition(" ")
    asked = "Range: bytes=0-\r\n" if how == "parts" else ""
    body = b""
    if method:
        strip = np.full((120, 1280, 3), 200, np.uint8)
        picture = np.random.default_rng(2).integers(0, 256, (360, 640, 3), np.uint8)
        body = cv2.imencode(*((".jpg", picture) if "/camera/" in path else (".png", strip)))[1].tobytes()
        asked = f"Content-Length: {len(body)}\r\n"
        body = body[: len(body) // 2] if how == "half" else body
    selector = selectors.DefaultSelector()
    waiting: list[tuple[float, int]] = [(0.0, number) for number in range(count)]
    while True:
        now = time.monotonic()
        due, waiting = [entry for entry in waiting if entry[0] <= now], [entry for entry in waiting if entry[0] > now]
        for _, number in due:
            which = number // OF_ONE_ADDRESS
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.bind((f"127.0.1.{which + 1}", 0))
            try:
                client.connect(("127.0.0.1", port))
                head = f"{method or 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{asked}"
                client.sendall(f"{head}Cookie: kozyr-device-{port}={cookies[which]}\r\n\r\n".encode() + body)
            except OSError:
                client.close()
                waiting.append((now + AGAIN_S, number))
                continue
            selector.register(client, selectors.EVENT_READ, number)
        if due:
            print(len(due), flush=True)  # the referee may begin
        for request in gone(selector, repeats=how in ("again", "half")):
            waiting.append((time.monotonic() + random.expovariate(1 / AGAIN_S), request))


def gone(selector: selectors.BaseSelector, *, repeats: bool) -> Iterator[int]:
    """Close the clients that were refused or cut off, with ``repeats`` also those answered; yield their numbers."""
    for key, _ in selector.select(POLL_S):
        client = key.fileobj
        assert isinstance(client, socket.socket)
        try:
            begun = client.recv(64, socket.MSG_PEEK)
        except OSError:
            begun = b""
        if begun.startswith(b"HTTP/1.1 2") and not repeats:
            selector.unregister(client)  # it is answered, and reads nothing of it
            held.append(client)
            continue
        selector.unregister(client)
        client.close()
        yield key.data


held: list[socket.socket] = []
"""Clients that are being answered."""


if __name__ == "__main__":
    sys.exit(main())
