"""
Build a wider and deeper network with the same output as a smaller one.

    python -m models.training.from_onnx classifier --out runs/classifier.pt
    python -m models.training.grow runs/classifier.pt --out runs/grown.pt

The channels of the smaller network keep their places, weights and norms; new channels start at random and do not feed
old ones, so every old channel keeps its output. ``models.training.train classifier --wide`` trains it further
(results: ``benchmarks/FINDINGS.md``). Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import nn
from ultralytics.nn.modules import C2f, Classify, Conv

from models.training.checkpoints import save_pt
from models.training.classifier import WIDE, new_classifier

Places = list[int]
"""For each channel of the smaller network, in order, its place in the larger one."""


def copy_layer(small: Conv, large: Conv, came_from: Places, goes_to: Places) -> None:
    """Copy one convolution with its norm; ``came_from``, ``goes_to``: places of its inputs and outputs."""
    with torch.no_grad():
        weight = large.conv.weight
        weight[goes_to] = 0.0
        weight[torch.tensor(goes_to)[:, None], torch.tensor(came_from)[None, :]] = small.conv.weight
        for name in ("weight", "bias", "running_mean", "running_var"):
            getattr(large.bn, name)[goes_to] = getattr(small.bn, name)


def copy_block(small: C2f, large: C2f, came_from: Places) -> Places:
    """Copy a block that splits its channels in two and adds a half for each bottleneck; return where its outputs go."""
    first, second = list(range(small.c)), [large.c + i for i in range(small.c)]
    copy_layer(small.cv1, large.cv1, came_from, first + second)
    for old, new in zip(small.m, large.m, strict=False):
        hidden = list(range(old.cv1.conv.out_channels))
        copy_layer(old.cv1, new.cv1, first, hidden)
        copy_layer(old.cv2, new.cv2, hidden, first)
    halves = [part * large.c + i for part in range(2 + len(small.m)) for i in range(small.c)]
    outputs = list(range(small.cv2.conv.out_channels))
    copy_layer(small.cv2, large.cv2, halves, outputs)
    return outputs


def grown(small: nn.Module, large: nn.Module) -> nn.Module:
    """Copy ``small`` into ``large``, in place, and return it. Raises ``ValueError`` if it is not larger."""
    places: Places = [0, 1, 2]
    for old, new in zip(small.model, large.model, strict=True):
        sizes = [[tuple(value.shape) for value in layer.state_dict().values()] for layer in (old, new)]
        if type(old) is not type(new) or any(
            a > b for both in zip(*sizes, strict=False) for a, b in zip(*both, strict=True)
        ):
            raise ValueError(f"expected a larger {type(old).__name__} at the same place, got {type(new).__name__}")
        if isinstance(old, C2f):
            places = copy_block(old, new, places)
        elif isinstance(old, Classify):
            outputs = list(range(old.conv.conv.out_channels))
            copy_layer(old.conv, new.conv, places, outputs)
            with torch.no_grad():
                new.linear.weight[:, outputs] = old.linear.weight
                new.linear.bias.copy_(old.linear.bias)
        else:
            outputs = list(range(old.conv.out_channels))
            copy_layer(old, new, places, outputs)
            places = outputs
    return large


def main() -> None:
    """Read, grow, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, metavar="FILE.pt")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1, help="of what is new")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    small = torch.load(args.weights, map_location="cpu", weights_only=False)["model"].float()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_pt(grown(small, new_classifier(WIDE)), args.out)


if __name__ == "__main__":
    main()
