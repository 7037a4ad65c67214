"""
Average several checkpoints of one network, weight by weight.

    python -m models.training.average runs/thaw-finder.pt runs/boxes5/step-1500.pt --out runs/mean.pt

Where one was trained on from the other both lie in one valley, and their mean answers more evenly than either: fewer
claims that only one of them would make. Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from models.training.checkpoints import save_pt


def mean_of(models: Sequence[nn.Module]) -> nn.Module:
    """
    Return the first model with its weights replaced by the mean of all; ``ValueError`` if they are not of one design.
    """
    states = [model.state_dict() for model in models]
    shapes = [{name: value.shape for name, value in state.items()} for state in states]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("expected checkpoints of one design, got layers of other names or shapes")
    mean = {
        name: torch.stack([state[name] for state in states]).mean(dim=0) if value.is_floating_point() else value
        for name, value in states[0].items()
    }
    models[0].load_state_dict(mean)
    return models[0]


def main() -> None:
    """Read, average, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+", metavar="FILE.pt")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    loaded = [torch.load(path, map_location="cpu", weights_only=False)["model"].float() for path in args.checkpoints]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_pt(mean_of(loaded), args.out)


if __name__ == "__main__":
    main()
