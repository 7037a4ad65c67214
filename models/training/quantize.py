"""
Quantize networks to eight bits: half the time on processors with VNNI, a quarter of the size.

    python -m models.training.quantize --weights models/manifest.toml --out runs/eight

Ranges of activations are measured on training pictures; weights have a scale per channel. The last layers and
everything behind them keep their precision: a probability below 1/256 would vanish, and corners would lie on a grid.
Weights use seven of eight bits, so that older processors sum them without overflow. Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from datasets.scenes.scene import standard_art
from models.training.export import write_manifest
from models.training.from_onnx import HERE, training_pictures
from vision.detection.networks import NETWORKS, OPTIONAL, read_manifest

READERS = ("classifier", "overlap_network")
"""Networks that lose least accuracy (``benchmarks/FINDINGS.md``)."""
REACH = 99.995
"""
Share in percent of a layer's answers that eight bits must reach; larger ones are cut. Higher makes all answers coarser,
lower cuts more. On 3,400 crops of development scenes the answers differ half as much from the network's own (0.009
nats) as where all is reached (0.018), 2026-11.
"""


class Pictures(CalibrationDataReader):
    """Passes pictures (n, 3, h, w) float32 0..1 to the calibration, batch by batch."""

    def __init__(self, batches: Iterator[np.ndarray], name: str) -> None:
        self._batches, self._name = batches, name

    def get_next(self) -> dict[str, np.ndarray] | None:
        """Return the next batch, under the name of the network's input; None at the end."""
        batch = next(self._batches, None)
        return None if batch is None else {self._name: batch}


def last_layers(graph: onnx.GraphProto) -> list[str]:
    """
    Return the names of the nodes behind the last activations before the outputs, and of those that no picture reaches.
    """
    makers = {name: node for node in graph.node for name in node.output}
    from_picture = {graph.input[0].name}
    for node in graph.node:  # in the order in which they are reckoned
        if node.op_type != "Shape" and from_picture.intersection(node.input):
            from_picture.update(node.output)
    found = {node.name for node in graph.node if not from_picture.intersection(node.output)}
    waiting = [output.name for output in graph.output]
    while waiting:
        node = makers.get(waiting.pop())
        if node is None or node.name in found or is_activation(node, makers):
            continue
        found.add(node.name)
        waiting.extend(node.input)
    return sorted(found)


def is_activation(node: onnx.NodeProto, makers: dict[str, onnx.NodeProto]) -> bool:
    """Check whether it is the last node of a rectifier or of x times its own sigmoid."""
    before = [makers[name] for name in node.input if name in makers]
    return node.op_type == "Relu" or (
        node.op_type == "Mul" and any(b.op_type == "Sigmoid" and b.input[0] in node.input for b in before)
    )


def quantize(source: Path, target: Path, batches: Iterator[np.ndarray]) -> None:
    """Write ``source`` (.onnx) in eight bits; ``batches`` of pictures as the network sees them."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        quant_pre_process(str(source), str(plain), skip_symbolic_shape=True)
        graph = onnx.load(plain).graph
        target.parent.mkdir(parents=True, exist_ok=True)
        quantize_static(
            str(plain),
            str(target),
            Pictures(batches, graph.input[0].name),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": REACH},
            nodes_to_exclude=last_layers(graph),
        )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=READERS, choices=NETWORKS, help="the others are copied")
    parser.add_argument("--weights", type=Path, default=HERE / "manifest.toml", help="the manifest they are named in")
    parser.add_argument("--out", type=Path, required=True, help="a folder; what is not named is copied there")
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--seed", type=int, default=991)
    parser.add_argument("--art", type=Path, default=Path("../shared/art"))
    parser.add_argument("--cache", type=Path, default=Path("runs/decks"))
    args = parser.parse_args()
    source = read_manifest(args.weights)
    sections = {name: dict(getattr(source, name)) for name in (*NETWORKS, *OPTIONAL) if getattr(source, name)}
    art = standard_art(args.cache, args.art if args.art.is_dir() else None, invented=30, first=args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    for name, section in sections.items():
        file, target = source.file(section), args.out / str(section["file"])
        if name in args.networks:
            canvas = int(source.finder["input_px"])
            pictures = training_pictures(name, art, args.seed * 10_000_000, args.batch, canvas)
            quantize(file, target, (picture.numpy() for picture in islice(pictures, args.batches)))
        else:
            shutil.copy(file, target)
    write_manifest(args.out, sections)


if __name__ == "__main__":
    main()
