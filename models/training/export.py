"""
Turn trained networks into what the program ships: ONNX files beside a manifest with their checksums.

    python -m models.training.export --finder runs/finder/step-9.pt --corner-refiner runs/corner_refiner/step-9.pt \\
        --classifier runs/classifier/step-9.pt --overlap-network runs/overlap_network/step-9.pt
    python -m models.training.export --segmenter runs/segmenter/step-9.pt
    python -m models.training.export --second-classifier runs/second_classifier.pt

Writes ``finder.onnx``, ``corner_refiner.onnx``, ``classifier.onnx``, ``overlap_network.onnx``, ``segmenter.onnx`` and
``second_classifier.onnx`` into ``models/`` and brings ``manifest.toml`` up to date. A network that isn't named stays
the one that ships, and so do the settings. Weights are stored with 16 bits and widened to 32 when they are loaded: half
the size, the same speed. The classifiers get a second output, ``features``, by which ``kozyr enrol`` knows a deck
again. Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from ultralytics import YOLO

from vision.detection.classifier import CROP_PX
from vision.detection.detections import CLASS_NAMES
from vision.detection.finder import REFINE_PX
from vision.detection.networks import FEATURES, NETWORKS, OPTIONAL, SECOND_CLASSIFIER, SEGMENTER, read_manifest
from vision.detection.overlap_network import OVERLAP_PX
from vision.detection.segmentation import SEEN_PX

HERE = Path(__file__).parent.parent


def to_onnx(source: Path, target: Path, task: str, size: tuple[int, int]) -> None:
    """Export one ``.pt``; ``size`` is (height, width), and other sizes and batches are taken too."""
    model = YOLO(str(source), task=task)
    made = model.export(format="onnx", imgsz=size, dynamic=True, simplify=True, opset=17, device="cpu", verbose=False)
    network = onnx.load(made)
    onnx.save(halve(with_features(network) if task == "classify" else network), target)
    Path(made).unlink()


def with_features(model: onnx.ModelProto) -> onnx.ModelProto:
    """
    Give a classifier a second output, ``features``: what its last layer makes names of, (n, d) float32.

    ``kozyr enrol`` compares cards by it. The first output stays what it was.
    """
    graph = model.graph
    if any(output.name == FEATURES for output in graph.output):
        return model
    last = [node for node in graph.node if node.op_type in ("Gemm", "MatMul")][-1]
    graph.node.append(helper.make_node("Identity", [last.input[0]], [FEATURES]))
    graph.output.append(helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["batch", "depth"]))
    onnx.checker.check_model(model)
    return model


def halve(model: onnx.ModelProto, least: int = 256) -> onnx.ModelProto:
    """Store float32 tensors of at least ``least`` numbers as float16, each behind a cast back to float32."""
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or int(np.prod(tensor.dims)) < least:
            continue
        small = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}_16")
        casts.append(helper.make_node("Cast", [small.name], [tensor.name], to=TensorProto.FLOAT))
        graph.initializer.remove(tensor)
        graph.initializer.append(small)
    for node in reversed(casts):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)
    return model


def _section(name: str, values: dict[str, object]) -> str:
    lines = [f"[{name}]"] + [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def module_to_onnx(source: Path, target: Path, size: tuple[int, int], output: str) -> None:
    """Export a plain module that Ultralytics' exporter doesn't know; ``size``: (width, height); any batch is taken."""
    net = torch.load(source, map_location="cpu", weights_only=False)["model"].float().eval()
    picture = torch.zeros(2, 3, size[1], size[0])
    names = {"input_names": ["images"], "output_names": [output]}
    axes = {"images": {0: "batch"}, output: {0: "batch"}}
    torch.onnx.export(net, (picture,), str(target), dynamo=False, opset_version=17, dynamic_axes=axes, **names)
    onnx.save(halve(onnx.load(target)), target)


def write_manifest(folder: Path, sections: dict[str, dict[str, object]]) -> None:
    """Write the weights' table of contents, with the checksums of the files as they are there."""
    for section in sections.values():
        section["sha256"] = hashlib.sha256((folder / str(section["file"])).read_bytes()).hexdigest()
    text = "# What was learnt. Written by models/training/export.py; the pages beside this file tell how.\n\n"
    text += "\n".join(_section(name, values) for name, values in sections.items())
    (folder / "manifest.toml").write_text(text, "utf-8")


def keep(name: str, out: Path) -> None:
    """Return the network that ships, also where the others are written elsewhere."""
    if out.resolve() != HERE.resolve():
        shutil.copy(HERE / f"{name}.onnx", out / f"{name}.onnx")


def main() -> None:
    """Export the networks."""
    shipped = read_manifest(HERE / "manifest.toml")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in (*NETWORKS, *OPTIONAL):
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, help="a .pt file; without it, the one that ships")
    parser.add_argument("--shape", choices=("corners", "obb"), default="obb", help="what the finder tells")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--input-px", type=int, default=shipped.finder["input_px"])
    parser.add_argument("--confidence", type=float, default=shipped.finder["confidence"])
    parser.add_argument("--temperature", type=float, default=shipped.classifier["temperature"])
    parser.add_argument("--twice", type=float, default=shipped.classifier.get("twice", 0.0))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    classify = partial(to_onnx, task="classify", size=(CROP_PX[1], 2 * CROP_PX[0]))
    make: dict[str, Callable[[Path, Path], None]] = {
        "finder": partial(to_onnx, task="pose" if args.shape == "corners" else "obb", size=(640, 640)),
        "corner_refiner": partial(module_to_onnx, size=REFINE_PX, output="moves"),
        "overlap_network": partial(module_to_onnx, size=OVERLAP_PX, output="round"),
        SEGMENTER: partial(module_to_onnx, size=SEEN_PX, output="scores"),
        "classifier": classify,
        SECOND_CLASSIFIER: classify,
    }
    optional = [name for name in OPTIONAL if getattr(args, name) or getattr(shipped, name)]
    for name in (*NETWORKS, *optional):
        source = getattr(args, name)
        if source is None:
            keep(name, args.out)
        else:
            make[name](source, args.out / f"{name}.onnx")
    finder = {"file": "finder.onnx", "input_px": args.input_px, "confidence": args.confidence}
    classifier = {
        "file": "classifier.onnx",
        "temperature": args.temperature,
        "twice": args.twice,
        "indices": True,
        "classes": list(CLASS_NAMES),
    }
    sections: dict[str, dict[str, object]] = {
        "finder": finder,
        "corner_refiner": {"file": "corner_refiner.onnx"},
        "overlap_network": {"file": "overlap_network.onnx"},
        "classifier": classifier,
    }
    sections |= {name: {"file": f"{name}.onnx"} for name in optional}
    write_manifest(args.out, sections)


if __name__ == "__main__":
    main()
