"""`kozyr doctor`: check what this machine has and what is missing, and say how to fix it. One finding per line."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cryptography import x509
from msgspec import field

from referee.fields import PlainValue
from referee.record import Header
from vision.data_home import data_home
from webapp.commands.options import DoctorOptions
from webapp.errors import KozyrError, one_line
from webapp.live.match_options import DetectorOptions, KeepingOptions, MatchOptions
from webapp.output import say_json, say_text
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD
from webapp.store.disk import free_bytes
from webapp.versions import LIBRARIES
from webapp.web.port import PORT, listen, own_addresses
from webapp.web.tls_certificate import FOLDER


class Finding(PlainValue, frozen=True):
    """
    The result of one check. ``ok``: nothing is wrong. ``needed``: without it nothing works, else only a part does not.
    ``mend``: how to fix it.
    """

    name: str = field(name="check")
    ok: bool
    found: str
    mend: str = ""
    needed: bool = True

    def as_text(self) -> str:
        """
        Return the finding as a line for people.

        >>> Finding("disk", True, "12 GB free").as_text()
        'ok       disk: 12 GB free'
        >>> Finding("camera", False, "none", "plug one in", needed=False).as_text()
        'missing  camera: none; plug one in'
        """
        return f"{'ok' if self.ok else 'missing':8} {self.name}: {self.found}{'; ' + self.mend if self.mend else ''}"


CAMERA_PATIENCE_S = 6.0
"""Seconds that a camera gets to answer; some drivers hang for ever on a camera that does not exist."""
SPEED_S = 10.0
"""Seconds of the shipped recording for which the speed is measured: three cards are laid and beaten in them."""
LEAST_DISK_MB = 200


def run(options: DoctorOptions) -> int:
    """Run all checks; return 1 if something needed is missing."""
    status = 0
    for finding in findings(options.weights):
        if finding.needed and not finding.ok:
            status = 1
        if options.as_json:
            say_json(finding.as_json())
        else:
            say_text(finding.as_text())
    return status


def findings(weights: Path | None = None) -> Iterator[Finding]:
    yield python()
    for name in LIBRARIES:
        yield package(name)
    yield detector(weights)
    yield recording()
    yield speed(lambda: paces(weights))
    yield camera(lambda: camera_size(0))
    yield film()
    yield disk(data_home())
    yield port("127.0.0.1", PORT)
    yield from phone_findings(PORT)


def python() -> Finding:
    found = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), found, "" if sys.version_info >= (3, 11) else "install 3.11")


def package(name: str) -> Finding:
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        if name == "opencv-python-headless":  # the same library is also distributed under another name
            for other in ("opencv-python", "opencv-contrib-python-headless", "opencv-contrib-python"):
                try:
                    return Finding(name, True, f"{other} {version(other)}")
                except PackageNotFoundError:
                    continue
        return Finding(name, False, "not installed", f"run: {sys.executable} -m pip install {name}")


def detector(weights: Path | None) -> Finding:
    try:
        from vision.detection.card_detector import load_card_detector
        from vision.detection.networks import WeightsError
    except ImportError as error:
        return Finding("weights", False, f"not looked at: {one_line(error)}", "install that library first")
    try:
        load_card_detector(weights)
    except WeightsError as error:
        return Finding("weights", False, one_line(error))
    return Finding("weights", True, str(weights) if weights else "as the manifest promises (checksums compared)")


def speed(measured: Callable[[], Iterable[float]]) -> Finding:
    """Check whether the referee follows hands, by the figure and the limit of the table page."""
    unmeasured = "mend what is named above"
    try:
        from vision.capture.sources import SourceError
        from vision.detection.networks import WeightsError
        from webapp.live.board import FEWEST_A_SECOND
    except ImportError as error:
        return Finding("speed", False, f"not measured: {one_line(error)}", unmeasured, needed=False)
    try:
        lowest = min(measured(), default=0.0)
    except (OSError, KozyrError, SourceError, WeightsError) as error:
        return Finding("speed", False, f"not measured: {one_line(error)}", unmeasured, needed=False)
    is_quick = lowest >= FEWEST_A_SECOND
    mend = "" if is_quick else "close other programs, or play more slowly: quick plays may be missed"
    return Finding("speed", is_quick, f"follows {lowest:.0f} pictures a second or more of a game", mend, needed=False)


def paces(weights: Path | None) -> Iterator[float]:
    """Referee the beginning of the shipped recording as a table does; yield the pictures a second that it follows."""
    from webapp.live.board import SnapshotHub
    from webapp.live.runtime import PlaybackMode, RecentRate, Runtime
    from webapp.live.session import MatchSession

    header = Header.parse(json.loads(DEMO_RECORD.read_text("utf-8").splitlines()[0]))
    keeping = KeepingOptions(keep=False, film=False)
    options = MatchOptions(str(DEMO_CLIP), header, detector=DetectorOptions(weights), keeping=keeping)
    board = SnapshotHub()
    with MatchSession.open(options) as session:
        runtime = Runtime(session, board, PlaybackMode(live=True, paced=True))
        runtime.start()
        until_s = time.monotonic() + SPEED_S
        snapshot = board.newest
        while (left_s := until_s - time.monotonic()) > 0 and not runtime.done.is_set():
            snapshot = board.wait_beyond(snapshot.version, left_s) or snapshot
            if snapshot.camera.frames >= RecentRate.OVER:
                yield snapshot.camera.frames_per_second
        runtime.stop()
        if snapshot.camera.frames < RecentRate.OVER:
            yield snapshot.camera.frames / SPEED_S


def recording() -> Finding:
    clip = Path(__file__).parent.parent / "recordings" / "demo.mp4"
    if clip.is_file():
        return Finding("recording", True, f"{clip.stat().st_size / 1e6:.1f} MB", needed=False)
    return Finding("recording", False, "none", "reinstall kozyr to play the demo", needed=False)


def camera_size(number: int) -> tuple[int, int]:
    """Return (width, height) of a camera's first picture; ``SourceError`` if there is none."""
    from vision.capture.sources import open_source

    with open_source(str(number)) as source:
        return source.size


def camera(look: Callable[[], tuple[int, int]], patience_s: float = CAMERA_PATIENCE_S) -> Finding:
    """Check whether camera 0 gives a picture, on a separate thread that is abandoned if it hangs."""
    answer: list[tuple[int, int] | str] = []

    def ask() -> None:
        try:
            answer.append(look())
        except Exception as error:  # any error of a driver is reported
            answer.append(one_line(error))

    asker = threading.Thread(target=ask, name="camera", daemon=True)
    asker.start()
    asker.join(patience_s)
    found = answer[0] if answer else f"no answer within {patience_s:.0f} s"
    if isinstance(found, tuple):
        return Finding("camera", True, f"camera 0 gives {found[0]} x {found[1]}", needed=False)
    mend = "plug in a webcam; 'kozyr watch' takes a stream or a file as well"
    return Finding("camera", False, "none at number 0" if answer else found, mend, needed=False)


def film() -> Finding:
    try:
        import av

        av.Codec("libx264", "w")
        return Finding("film", True, f"PyAV {version('av')}", needed=False)
    except (ImportError, ValueError):
        mend = f"matches are kept without films; for films run: {sys.executable} -m pip install --upgrade av"
        return Finding("film", False, "no PyAV that writes H.264", mend, needed=False)


def disk(folder: Path) -> Finding:
    free_mb = free_bytes(folder) / 1e6
    mend = "" if free_mb >= LEAST_DISK_MB else "make room for the records of matches"
    return Finding(
        "disk", free_mb >= LEAST_DISK_MB, f"{free_mb / 1e3:.1f} GB free for matches and films", mend, needed=False
    )


def port(host: str, number: int) -> Finding:
    try:
        taken: socket.socket = listen(host, number)
    except OSError:
        return Finding("port", False, f"{number} is in use", f"choose another with --port {number + 1}", needed=False)
    taken.close()
    return Finding("port", True, f"{number} is free", needed=False)


ANSWERS_S = 2.0
FIREWALLS = {
    "win32": "Windows asks once: allow Python in private networks; later: Windows Security, Firewall & network "
    "protection, Allow an app through firewall, tick Python under Private",
    "darwin": "macOS asks once: allow incoming connections; later: System Settings, Network, Firewall, Options, set "
    "Python to allow incoming connections",
    "linux": "if a firewall runs here, open the port: sudo ufw allow {port}/tcp, or "
    "sudo firewall-cmd --add-port={port}/tcp",
}


def phone_findings(port: int, platform: str = sys.platform) -> Iterator[Finding]:
    addresses = own_addresses("0.0.0.0")
    yield address_finding(addresses)
    if addresses:
        yield reach_finding(addresses[0], port, platform)
    yield certificate_finding(data_home() / FOLDER / "server.pem", addresses, datetime.now().astimezone())


def address_finding(addresses: Sequence[str]) -> Finding:
    if addresses:
        return Finding("phone address", True, ", ".join(addresses), needed=False)
    mend = "connect this computer and the phone to the same Wi-Fi; no phone can be the camera before"
    return Finding("phone address", False, "none but this machine's own", mend, needed=False)


def reach_finding(address: str, port: int, platform: str = sys.platform) -> Finding:
    try:
        listener: socket.socket | None = listen("0.0.0.0", port)
    except OSError:
        listener = None  # a table is served there already
    advice = FIREWALLS.get(platform, FIREWALLS["linux"]).format(port=port)
    try:
        with closing(socket.create_connection((address, port), ANSWERS_S)):
            found = f"{address} answers at {port} from this machine; if a phone gets no answer: {advice}"
            return Finding("phone port", True, found, needed=False)
    except OSError as error:
        return Finding("phone port", False, f"{address} does not answer at {port} ({error})", advice, needed=False)
    finally:
        if listener is not None:
            listener.close()


def certificate_finding(place: Path, addresses: Sequence[str], now: datetime) -> Finding:
    name = "phone certificate"
    if not place.exists():
        return Finding(name, True, "none yet; kozyr makes it at the first start", needed=False)
    mend = "start kozyr once: it makes a new one"
    try:
        certificate = x509.load_pem_x509_certificate(place.read_bytes())
        named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return Finding(name, False, f"{place} can't be read", mend, needed=False)
    until = certificate.not_valid_after_utc
    if not certificate.not_valid_before_utc <= now < until:
        return Finding(name, False, f"not valid on {now:%Y-%m-%d}, but until {until:%Y-%m-%d}", mend, needed=False)
    missing = sorted(set(addresses) - {str(address) for address in named.get_values_for_type(x509.IPAddress)})
    if missing:
        return Finding(name, False, f"does not name {', '.join(missing)}", mend, needed=False)
    return Finding(name, True, f"valid until {until:%Y-%m-%d} for every address", needed=False)
