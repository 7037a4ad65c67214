"""Quantized networks give nearly the same outputs, and their last layer is not quantized."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

import onnx
import onnxruntime
import torch

from models.training.classifier import SHIPPED, new_classifier
from models.training.from_onnx import folded_layers
from models.training.quantize import last_layers, quantize
from tests.lab.models.training.networks import random_norms

# PyTorch says that it has another exporter too.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SHAPE = (4, 3, 132, 192)


def exported(path: Path) -> Path:
    """Export a new classifier, norms folded in."""
    torch.manual_seed(2)
    model = random_norms(new_classifier(SHIPPED)).eval().fuse(verbose=False)
    axes = {"images": {0: "batch"}}
    torch.onnx.export(
        model, (torch.zeros(SHAPE),), str(path), dynamo=False, opset_version=17, input_names=["images"],
        dynamic_axes=axes,
    )  # fmt: skip
    return path


def pictures(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(SHAPE, np.float32)


def test_quantized_outputs_are_close_and_the_last_layer_is_unchanged(tmp_path: Path) -> None:
    full, small = exported(tmp_path / "full.onnx"), tmp_path / "small.onnx"
    quantize(full, small, iter([pictures(seed) for seed in range(4)]))
    before, after = (
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"images": pictures(9)})[
            0
        ]
        for path in (full, small)
    )
    np.testing.assert_allclose(after, before, atol=0.01)
    assert small.stat().st_size < 0.5 * full.stat().st_size
    graph = onnx.load(small).graph
    (last,) = (node for node in graph.node if node.op_type == "Gemm")
    assert not any(name.endswith("DequantizeLinear_Output") for name in last.input[1:])


def test_quantized_layers_are_read_back(tmp_path: Path) -> None:
    full, small = exported(tmp_path / "full.onnx"), tmp_path / "small.onnx"
    quantize(full, small, iter([pictures(1)]))
    before, after = folded_layers(onnx.load(full)), folded_layers(onnx.load(small))
    assert before.keys() == after.keys()
    for path, (weights, _) in before.items():
        np.testing.assert_allclose(after[path][0], weights, atol=0.01 * np.abs(weights).max())


def test_layer_without_calibration_data_is_unchanged() -> None:
    nodes = [
        onnx.helper.make_node("Shape", ["images"], ["size"], "size"),
        onnx.helper.make_node("Add", ["size", "one"], ["larger"], "larger"),
        onnx.helper.make_node("Relu", ["images"], ["seen"], "seen"),
        onnx.helper.make_node("Add", ["seen", "larger"], ["answer"], "answer"),
    ]
    floats = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "small",
        [onnx.helper.make_tensor_value_info("images", floats, [1])],
        [onnx.helper.make_tensor_value_info("answer", floats, [1])],
    )
    assert last_layers(graph) == ["answer", "larger", "size"]
