"""Networks as files that any Ultralytics loads: plain model classes, half precision, no optimizer."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import torch
import ultralytics
from torch import nn
from ultralytics.nn.tasks import OBBModel, PoseModel

from models.training.finder import BoxModel, CornerModel


def start_from(model: nn.Module, weights: Path | None, new_head: bool = False) -> nn.Module:
    """
    Put a checkpoint's numbers into ``model`` (in place, and returned); without ``weights`` it stays as it is.

    ``new_head``: all but the last layer, which may be another design's.
    """
    if weights is None:
        return model
    saved = torch.load(weights, map_location="cpu", weights_only=False)["model"]
    numbers = saved.state_dict()
    if new_head:
        head = f"model.{len(saved.model) - 1}."
        numbers = {name: value for name, value in numbers.items() if not name.startswith(head)}
    left = model.load_state_dict(numbers, strict=not new_head)
    if left.unexpected_keys:
        raise ValueError(f"expected weights of the same trunk, got {left.unexpected_keys[0]} besides, in {weights}")
    return model


def save_pt(model: nn.Module, path: Path) -> None:
    """Write ``path`` (.pt) so that ``YOLO(path)`` takes it; our own training class is put off first."""
    plain = deepcopy(model).cpu().float().eval()
    plain.criterion = None
    for ours, theirs in ((CornerModel, PoseModel), (BoxModel, OBBModel)):
        if isinstance(plain, ours):
            plain.__class__ = theirs
    for parameter in plain.parameters():
        parameter.requires_grad_(False)
    reported = getattr(plain, "args", {})
    args = dict(reported) if isinstance(reported, dict) else dict(vars(reported))
    plain.args = args
    part = path.with_suffix(".part")
    torch.save(
        {"model": plain, "ema": None, "train_args": args, "version": ultralytics.__version__, "date": "", "epoch": -1},
        part,
    )
    part.replace(path)
