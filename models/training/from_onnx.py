"""
Turn shipped ONNX files back into networks that can be trained further, when checkpoints are lost.

    python -m models.training.from_onnx finder --out runs/finder.pt

An exported network has its batch norms folded into its layers, and its numbers may have eight bits. Each norm is
restored from the statistics of a layer's output on training pictures, so that it changes nothing, neither in use nor
in training. The optimizer's state and the precision beyond the shipped numbers are lost.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from datasets.scenes.scene import Art, standard_art
from models.training.checkpoints import save_pt
from models.training.classifier import crop_batches, new_classifier
from models.training.corner_refiner import claim_batches, new_corner_refiner
from models.training.feeds import scene_batches
from models.training.finder import new_box_model
from models.training.overlap_network import new_overlap_network, overlap_batches

HERE = Path(__file__).parent.parent
FRESH: dict[str, Callable[[], nn.Module]] = {
    "finder": new_box_model,
    "corner_refiner": new_corner_refiner,
    "overlap_network": new_overlap_network,
    "classifier": new_classifier,
}


def in_full(numbers: np.ndarray, scale: np.ndarray, zero: np.ndarray, axis: int) -> np.ndarray:
    """Convert numbers of eight bits to float32; ``scale``, ``zero``: one for all, or one for each step of ``axis``."""
    shape = [-1 if dim == axis else 1 for dim in range(numbers.ndim)] if scale.ndim else ()
    return ((numbers - zero.reshape(shape)) * scale.reshape(shape)).astype(np.float32)


def attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    """Return an integer attribute of a node."""
    return next((int(attribute.i) for attribute in node.attribute if attribute.name == name), default)


def folded_layers(network: onnx.ModelProto) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """Return path of a layer in the network -> its weights and its bias (None if it has none), float32."""
    graph = network.graph
    values = {tensor.name: numpy_helper.to_array(tensor).astype(np.float32) for tensor in graph.initializer}
    values |= {
        node.output[0]: values[node.input[0]]
        for node in graph.node
        if node.op_type == "Cast" and node.input[0] in values
    }
    values |= {
        node.output[0]: in_full(values[numbers], values[scale], values[zero], attribute(node, "axis", 1))
        for node in graph.node
        if node.op_type == "DequantizeLinear" and all(name in values for name in node.input)
        for numbers, scale, zero in [node.input]
    }
    layers = {}
    for node in graph.node:
        if node.op_type not in ("Conv", "Gemm") or node.input[1] not in values:
            continue
        weights = node.input[1].removesuffix("_DequantizeLinear_Output").removesuffix("_16")
        name = weights.removesuffix(".weight")
        if "::" in name or name == weights:  # the exporter renamed the weights: the node's path identifies them
            name = ".".join(node.name.strip("/").split("/")[:-1])
        bias = values[node.input[2]] if len(node.input) > 2 else None
        layers[name] = (values[node.input[1]], bias)
    return layers


def unfold(model: nn.Module, layers: dict[str, tuple[np.ndarray, np.ndarray | None]]) -> nn.Module:
    """
    Put the layers into ``model`` (in place, and returned); a bias goes into the norm behind its layer.

    Raises ``ValueError`` where a layer is missing or of another shape.
    """
    modules = dict(model.named_modules())
    for path, layer in modules.items():
        if not isinstance(layer, (nn.Conv2d, nn.Linear)) or path.endswith("dfl.conv"):
            continue
        if path not in layers:
            raise ValueError(f"expected the layer {path} among the shipped ones, found none; is it the same design?")
        weight, bias = (None if value is None else torch.from_numpy(value) for value in layers[path])
        if weight is None or weight.shape != layer.weight.shape:
            raise ValueError(f"expected weights of {tuple(layer.weight.shape)} for {path}, got another shape")
        layer.weight.data.copy_(weight)
        norm = modules.get(path.removesuffix("conv") + "bn")
        if layer.bias is not None and bias is not None:
            layer.bias.data.copy_(bias)
        elif isinstance(norm, nn.BatchNorm2d) and bias is not None:
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.data.fill_(1.0)
            norm.bias.data.copy_(bias)
        elif bias is not None:
            raise ValueError(f"expected a norm behind {path} to take its bias, found none")
    return model


def measure_norms(model: nn.Module, pictures: Iterable[torch.Tensor]) -> nn.Module:
    """Let each norm measure its input (pictures: (n, 3, h, w) float32 each) and change nothing of that."""
    sums: dict[str, list[Any]] = {}
    norms = {path: module for path, module in model.named_modules() if isinstance(module, nn.BatchNorm2d)}

    def note(path: str) -> Callable[[nn.Module, tuple[torch.Tensor, ...]], None]:
        def hook(_: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
            value = inputs[0].double()
            parts = [float(value.numel() // value.shape[1]), value.sum((0, 2, 3)), (value**2).sum((0, 2, 3))]
            sums[path] = [a + b for a, b in zip(sums[path], parts, strict=True)] if path in sums else parts

        return hook

    hooks = [norm.register_forward_pre_hook(note(path)) for path, norm in norms.items()]
    model.eval()
    with torch.inference_mode():
        for batch in pictures:
            model(batch)
    for hook in hooks:
        hook.remove()
    for path, (count, total, squares) in sums.items():
        norm, mean = norms[path], (total / count).float()
        variance = (squares / count).float() - mean**2
        scale = (variance.clamp(min=0) + norm.eps).sqrt()
        # In use until now: x * 1 + bias. The same in the new measure:
        norm.bias.data += mean
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance.clamp(min=0))
        norm.weight.data.copy_(scale)
    return model


def training_pictures(network: str, art: Art, first_seed: int, batch: int, canvas_px: int) -> Iterator[torch.Tensor]:
    """Yield a network's training input without end: (batch, 3, h, w) float32 0..1."""
    if network == "finder":
        pictures = (scene_batch["img"] for scene_batch in scene_batches(art, first_seed, batch, 0, canvas_px=canvas_px))
    else:
        batches = {"corner_refiner": claim_batches, "overlap_network": overlap_batches, "classifier": crop_batches}[
            network
        ]
        pictures = (batch[0] for batch in batches(art, first_seed, batch, 0))
    return (picture.float().div(255) for picture in pictures)


def main() -> None:
    """Restore one of the shipped networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=tuple(FRESH))
    parser.add_argument("--weights", type=Path, help="an .onnx file of it; default: the shipped one")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--batches", type=int, default=24, help="training batches the norms are measured on")
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--canvas", type=int, default=320)
    parser.add_argument("--seed", type=int, default=990)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    art = standard_art(args.cache, args.art if args.art.is_dir() else None, invented=30, first=args.seed)
    pictures = training_pictures(args.network, art, args.seed * 10_000_000, args.batch, args.canvas)
    source = args.weights or HERE / f"{args.network}.onnx"
    model = unfold(FRESH[args.network](), folded_layers(onnx.load(source)))
    measure_norms(model, islice(pictures, args.batches))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_pt(model, args.out)


if __name__ == "__main__":
    main()
