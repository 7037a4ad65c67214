"""`kozyr doctor`: findings with the next step, within a time limit."""

from __future__ import annotations

import hashlib
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import SourceError
from webapp.commands import doctor
from webapp.live.board import FEWEST_A_SECOND, CameraHealth
from webapp.versions import LIBRARIES


def test_missing_library_names_its_installation() -> None:
    finding = doctor.package("no-such-library")
    assert (finding.ok, finding.needed) == (False, True)
    assert "pip install no-such-library" in finding.mend


def test_installed_library_is_ok() -> None:
    assert all(doctor.package(name).ok for name in LIBRARIES)
    assert doctor.python().ok


def test_working_camera_is_ok() -> None:
    assert doctor.camera(lambda: (1280, 720)).found == "camera 0 gives 1280 x 720"


def test_missing_camera_is_reported_as_optional() -> None:
    def probe() -> tuple[int, int]:
        raise SourceError("expected pictures, got none")

    finding = doctor.camera(probe)
    assert (finding.ok, finding.needed) == (False, False)
    assert "plug in a webcam" in finding.mend


def test_hanging_camera_is_abandoned_after_a_time_limit() -> None:
    released = threading.Event()

    def probe() -> tuple[int, int]:
        released.wait(PATIENCE_S)
        return (1, 1)

    finding = doctor.camera(probe, patience_s=0.01)
    released.set()
    assert not finding.ok
    assert "no answer" in finding.found


def test_room_is_that_of_the_folder_of_matches_though_it_does_not_exist_yet(tmp_path: Path) -> None:
    finding = doctor.disk(tmp_path / "none" / "yet")
    assert finding.found.endswith(" GB free for matches and films")
    free_gb = shutil.disk_usage(tmp_path).free / 1e9
    assert abs(float(finding.found.split()[0]) - free_gb) < 1.0


def test_occupied_port_suggests_another() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        number = other.getsockname()[1]
        finding = doctor.port("127.0.0.1", number)
    assert not finding.ok
    assert f"--port {number + 1}" in finding.mend


def test_damaged_weights_are_found_by_checksum(tmp_path: Path) -> None:
    from vision.detection.detections import CLASS_NAMES

    for name in ("finder.onnx", "corner_refiner.onnx", "overlap_network.onnx", "classifier.onnx"):
        (tmp_path / name).write_bytes(b"not what the manifest promises")
    checksum = hashlib.sha256(b"something else").hexdigest()
    (tmp_path / "manifest.toml").write_text(
        f'[finder]\nfile = "finder.onnx"\nsha256 = "{checksum}"\n'
        f'[corner_refiner]\nfile = "corner_refiner.onnx"\nsha256 = "{checksum}"\n'
        f'[overlap_network]\nfile = "overlap_network.onnx"\nsha256 = "{checksum}"\n'
        f'[classifier]\nfile = "classifier.onnx"\nsha256 = "{checksum}"\nclasses = {list(CLASS_NAMES)}\n'
    )
    finding = doctor.detector(tmp_path / "manifest.toml")
    assert (finding.name, finding.ok, finding.needed) == ("weights", False, True)
    assert "checksum" in finding.found


@pytest.mark.parametrize(("paces", "ok"), [((20.0, FEWEST_A_SECOND), True), ((20.0, 7.9, 12.0), False), ((), False)])
def test_speed_is_judged_by_the_limit_of_the_table_page(paces: tuple[float, ...], ok: bool) -> None:
    finding = doctor.speed(lambda: paces)
    assert (finding.ok, finding.needed, bool(finding.mend)) == (ok, False, not ok)
    assert all((CameraHealth(frames_per_second=pace).pace is None) is (pace >= FEWEST_A_SECOND) for pace in paces)


def test_speed_is_measured_in_a_game_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SPEED_S", 4.0)
    measured = list(doctor.paces(None))
    assert measured
    assert all(0 < pace < 40 for pace in measured)


def test_recording_that_is_missing_leaves_the_speed_unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DEMO_RECORD", Path("nowhere.jsonl"))
    finding = doctor.speed(lambda: doctor.paces(None))
    assert (finding.ok, finding.needed) == (False, False)
    assert finding.found.startswith("not measured: ")


@pytest.mark.parametrize("ok", [True, False])
def test_finding_is_the_same_as_text_and_json(ok: bool) -> None:
    finding = doctor.Finding("disk", ok, "1 GB", "" if ok else "make room")
    assert finding.as_json()["ok"] is ok
    assert finding.as_text().startswith("ok " if ok else "missing ")


def test_finding_about_films_names_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.film().ok

    monkeypatch.setitem(sys.modules, "av", None)
    finding = doctor.film()
    assert (finding.ok, finding.needed) == (False, False)
    assert "pip install --upgrade av" in finding.mend
