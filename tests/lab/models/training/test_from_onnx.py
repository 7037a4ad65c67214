"""Shipped networks converted back for training give the same outputs, in evaluation and in training mode."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

import onnx
import onnxruntime
import torch

from models.training.classifier import new_classifier
from models.training.corner_refiner import new_corner_refiner
from models.training.from_onnx import FRESH, folded_layers, measure_norms, unfold

MODELS = Path(__file__).parents[4] / "models"
SHAPES = {
    "finder": (2, 3, 128, 128),
    "corner_refiner": (4, 3, 128, 96),
    "overlap_network": (2, 3, 176, 144),
    "classifier": (3, 3, 132, 192),
}


def pictures(name: str, seed: int = 1) -> torch.Tensor:
    return torch.rand(SHAPES[name], generator=torch.Generator().manual_seed(seed))


def answer(model: torch.nn.Module, batch: torch.Tensor) -> np.ndarray:
    with torch.inference_mode():
        reported = model(batch)
    return (reported[0] if isinstance(reported, tuple) else reported).numpy()


@pytest.mark.parametrize("name", SHAPES)
def test_unfolded_network_gives_the_outputs_of_the_shipped_one(name: str) -> None:
    source = onnx.load(MODELS / f"{name}.onnx")
    shipped = onnxruntime.InferenceSession(source.SerializeToString()).run(None, {"images": pictures(name).numpy()})[0]
    # What ships in eight bits rounds each layer's answers; an unfolded network doesn't.
    rounds = any(node.op_type == "QuantizeLinear" for node in source.graph.node)
    model = unfold(FRESH[name](), folded_layers(source)).eval()
    unfolded = answer(model, pictures(name))
    np.testing.assert_allclose(unfolded, shipped, rtol=1e-4, atol=0.15 if rounds else 2e-3)
    measure_norms(model, [pictures(name, seed) for seed in range(2, 4)])
    np.testing.assert_allclose(answer(model, pictures(name)), unfolded, rtol=1e-4, atol=2e-3)


def test_norm_statistics_hold_in_training_mode() -> None:
    model = unfold(new_corner_refiner(), folded_layers(onnx.load(MODELS / "corner_refiner.onnx")))
    batch = torch.rand((16, 3, 128, 96), generator=torch.Generator().manual_seed(7))
    measure_norms(model, [batch])
    in_use = answer(model.eval(), batch)
    # Batch statistics instead of the kept ones: the same pictures, so the same numbers.
    assert np.abs(answer(deepcopy(model).train(), batch) - in_use).max() < 1e-3


def test_weights_of_another_architecture_are_refused() -> None:
    with pytest.raises(ValueError, match="is it the same design"):
        unfold(new_classifier(), folded_layers(onnx.load(MODELS / "corner_refiner.onnx")))
