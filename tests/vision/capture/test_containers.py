"""Playlists that refer to other files or hosts are refused as films and streams, whatever their name."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from vision.capture.sources import SourceError, SourceSettings, open_source
from vision.capture.video_writer import FilmWriter

QUICK = SourceSettings(retry_s=0.01, retries=1, answer_s=3.0)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    with FilmWriter(tmp_path / "neighbour.mp4", (160, 90), 0.0) as writer:
        for number in range(10):
            writer.add(np.full((90, 160, 3), 90 + number, np.uint8), number / 10, wait=True)
    return tmp_path / "neighbour.mp4"


@pytest.mark.parametrize("name", ["list.mp4", "list.mkv", "list.avi", "list.ts"])
@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile neighbour.mp4\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nneighbour.mp4\n#EXT-X-ENDLIST\n",
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period/></MPD>',
    ],
    ids=["ffconcat", "HLS", "DASH"],
)
def test_playlist_of_other_files_is_refused(film: Path, name: str, text: str) -> None:
    with open_source(str(film)) as source:
        assert len(list(source)) == 10
    (film.parent / name).write_text(text)
    with pytest.raises(SourceError, match="without a readable frame"):
        open_source(str(film.parent / name))


class Server(ThreadingHTTPServer):
    """Sends ``answer`` to every request and counts the requests in ``requests``."""

    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")
    requests = 0


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests += 1
        status, headers, body = self.server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Discard the server's log lines."""


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    made = tuple(Server(("127.0.0.1", 0), Handler) for _ in range(2))
    for server in made:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made[0], made[1]
    for server in made:
        server.shutdown()
        server.server_close()


def test_stream_redirect_to_another_host_is_not_followed(servers: tuple[Server, Server]) -> None:
    named, other = servers
    elsewhere = f"http://127.0.0.1:{other.server_address[1]}/video.ts"
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{elsewhere}\n"
    kinds = {"Content-Type": "application/vnd.apple.mpegurl"}
    for answer in ((302, {"Location": elsewhere}, b""), (200, kinds, playlist.encode())):
        named.answer, named.requests = answer, 0
        with pytest.raises(SourceError, match="expected pictures"):
            open_source(f"http://127.0.0.1:{named.server_address[1]}/live.m3u8", settings=QUICK)
        assert named.requests
    assert other.requests == 0
