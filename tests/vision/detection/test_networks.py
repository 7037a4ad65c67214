"""Loading of weights: missing, damaged or foreign files are refused with one sentence before they run."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.endurance import memory_mb
from vision.detection.card_detector import load_card_detector
from vision.detection.detections import CLASS_NAMES
from vision.detection.networks import (
    OPTIONAL,
    OnnxNetwork,
    WeightsError,
    as_batch,
    counted_cost,
    find_manifest,
    open_network,
    read_manifest,
)
from webapp.live.process_memory import return_free_memory


def write(folder: Path, content: bytes, classes: tuple[str, ...] = CLASS_NAMES, checksum: str | None = None) -> Path:
    (folder / "net.onnx").write_bytes(content)
    checksum = checksum or hashlib.sha256(content).hexdigest()
    entry = f'file = "net.onnx"\nsha256 = "{checksum}"\n'
    path = folder / "manifest.toml"
    path.write_text(
        f"[finder]\n{entry}\n[corner_refiner]\n{entry}\n[overlap_network]\n{entry}\n"
        f"[classifier]\n{entry}classes = {json.dumps(list(classes))}\n",
        "utf-8",
    )
    return path


def test_damaged_weights_are_refused_by_checksum(tmp_path: Path) -> None:
    manifest = write(tmp_path, b"network")
    read_manifest(manifest).file(read_manifest(manifest).finder)
    (tmp_path / "net.onnx").write_bytes(b"netw0rk")
    with pytest.raises(WeightsError, match=r"checksum .* got .*: the file is damaged"):
        load_card_detector(manifest)


def test_error_names_the_missing_weights_file(tmp_path: Path) -> None:
    manifest = write(tmp_path, b"network")
    (tmp_path / "net.onnx").unlink()
    with pytest.raises(WeightsError, match=r"expected the weights net\.onnx"):
        load_card_detector(manifest)


def test_weights_with_another_class_list_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="another list of classes"):
        read_manifest(write(tmp_path, b"network", CLASS_NAMES[::-1]))


@pytest.mark.parametrize("text", ["", "[finder]\n", "not toml", "[finder]\nfile=1\n[corner_refiner]\n[classifier]\n"])
def test_incomplete_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(WeightsError, match="expected a manifest"):
        read_manifest(path)


def test_file_that_is_no_network_is_refused_with_one_line(tmp_path: Path) -> None:
    path = tmp_path / "junk.onnx"
    path.write_bytes(b"junk")
    with pytest.raises(WeightsError, match="expected an ONNX network") as caught:
        open_network(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(WeightsError, match=r"end in \.onnx or \.pt"):
        open_network(Path(__file__))
    with pytest.raises(WeightsError, match="found none; check the path"):
        load_card_detector(tmp_path / "absent.onnx")


@pytest.mark.parametrize("name", OPTIONAL)
def test_optional_network_may_be_missing_from_the_manifest(tmp_path: Path, name: str) -> None:
    manifest = write(tmp_path, b"network")
    assert getattr(read_manifest(manifest), name) is None
    entry = f'\n[{name}]\nfile = "net.onnx"\nsha256 = "{hashlib.sha256(b"network").hexdigest()}"\n'
    manifest.write_text(manifest.read_text("utf-8") + entry, "utf-8")
    found = read_manifest(manifest)
    assert found.file(getattr(found, name)) == tmp_path / "net.onnx"
    assert len(found.networks) == 4


def test_network_is_reloaded_only_if_its_file_changed(tmp_path: Path) -> None:
    shipped = read_manifest(find_manifest())
    path = tmp_path / "corner_refiner.onnx"
    path.write_bytes(shipped.file(shipped.corner_refiner).read_bytes())
    first = open_network(path)
    assert open_network(path) is first
    os.utime(path, ns=(1, 1))
    assert open_network(path) is not first


def test_batch_is_float_rgb_in_channel_first_order() -> None:
    pictures = np.random.default_rng(5).integers(0, 256, (3, 7, 5, 3), np.uint8)
    batch = as_batch(pictures)
    assert batch.shape == (3, 3, 7, 5)
    assert batch.dtype == np.float32
    assert batch.flags.c_contiguous
    np.testing.assert_allclose(batch[:, 0], pictures[..., 2] / 255, atol=1e-6)
    np.testing.assert_allclose(batch[:, 2], pictures[..., 0] / 255, atol=1e-6)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_network_frees_the_memory_of_a_large_batch() -> None:
    network = OnnxNetwork(find_manifest().parent / "classifier.onnx")
    network.run(np.zeros((1, 3, 96, 96), np.float32))
    before_mb = memory_kept_mb()
    network.run(np.zeros((64, 3, 96, 96), np.float32))
    assert memory_kept_mb() < before_mb + 8


def memory_kept_mb() -> float:
    return_free_memory()
    return memory_mb()


def test_cost_counts_runs_and_input_pixels_of_each_network() -> None:
    manifest = read_manifest(find_manifest())
    finder = open_network(manifest.file(manifest.finder))
    batch = np.zeros((2, 3, 64, 96), np.float32)
    finder.run(batch)
    with counted_cost() as cost:
        finder.run(batch)
        finder.run(batch[:1])
    finder.run(batch)
    assert cost.as_json() == {"finder": [2, 0.018]}
