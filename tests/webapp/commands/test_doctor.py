"""The doctor: says what is there and how to mend what is not, and never hangs."""

from __future__ import annotations

import hashlib
import socket
import sys
import threading
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import SourceError
from webapp.commands import doctor
from webapp.versions import LIBRARIES


def test_a_missing_library_names_how_to_get_it() -> None:
    finding = doctor.package("no-such-library")
    assert (finding.ok, finding.needed) == (False, True)
    assert "pip install no-such-library" in finding.mend


def test_what_is_installed_is_ok() -> None:
    assert all(doctor.package(name).ok for name in LIBRARIES)
    assert doctor.python().ok


def test_a_camera_that_answers_is_ok() -> None:
    assert doctor.camera(lambda: (1280, 720)).found == "camera 0 gives 1280 x 720"


def test_a_camera_that_is_not_there_is_missing_but_not_needed() -> None:
    def look() -> tuple[int, int]:
        raise SourceError("expected pictures, got none")

    finding = doctor.camera(look)
    assert (finding.ok, finding.needed) == (False, False)
    assert "plug in a webcam" in finding.mend


def test_a_camera_that_hangs_is_left_behind() -> None:
    released = threading.Event()

    def look() -> tuple[int, int]:
        released.wait(PATIENCE_S)
        return (1, 1)

    finding = doctor.camera(look, patience_s=0.01)
    released.set()
    assert not finding.ok
    assert "no answer" in finding.found


def test_a_port_in_use_names_another() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        number = other.getsockname()[1]
        finding = doctor.port("127.0.0.1", number)
    assert not finding.ok
    assert f"--port {number + 1}" in finding.mend


def test_damaged_weights_are_found_by_their_checksum(tmp_path: Path) -> None:
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
    (finding,) = doctor.detector(tmp_path / "manifest.toml")
    assert (finding.name, finding.ok, finding.needed) == ("weights", False, True)
    assert "checksum" in finding.found


def test_the_synthetic_picture_is_a_table_of_720p() -> None:
    assert doctor.synthetic_picture().shape == (720, 1280, 3)


@pytest.mark.parametrize("ok", [True, False])
def test_a_finding_reads_the_same_as_text_and_json(ok: bool) -> None:
    finding = doctor.Finding("disk", ok, "1 GB", "" if ok else "make room")
    assert finding.as_json()["ok"] is ok
    assert finding.as_text().startswith("ok " if ok else "missing ")


def test_a_film_is_possible_or_the_finding_names_how(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.film().ok

    monkeypatch.setitem(sys.modules, "av", None)
    finding = doctor.film()
    assert (finding.ok, finding.needed) == (False, False)
    assert "pip install --upgrade av" in finding.mend
