"""The training loop of all networks: warm-up, cosine, averaged weights, resumable checkpoints."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import nn
from ultralytics.utils.torch_utils import ModelEMA


@dataclass(frozen=True, slots=True)
class Schedule:
    """
    Length and learning rate of a training. ``steps`` batches; ``peak_lr`` reached after ``warmup`` steps, then a cosine
    to 1 %. ``minutes``: the training ends then if the steps aren't done; the cosine follows what ends first.
    """

    steps: int
    batch: int
    peak_lr: float = 2e-3
    warmup: int = 200
    weight_decay: float = 5e-4
    checkpoint_every: int = 250
    minutes: float = math.inf

    def lr(self, step: int, elapsed_s: float = 0.0) -> float:
        """Return the learning rate of a step."""
        if step < self.warmup:
            return self.peak_lr * (step + 1) / self.warmup
        done = max((step - self.warmup) / max(1, self.steps - self.warmup), elapsed_s / 60 / self.minutes)
        return self.peak_lr * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))


@lru_cache(maxsize=4)
def halves_are_quick(device: torch.device) -> bool:
    """
    Check whether bfloat16 is faster on this machine, by timing one typical layer.

    A processor with AMX takes half the time with it, one without such instructions eight times as long.
    """
    layer = nn.Conv2d(48, 48, 3, padding=1).to(device).to(memory_format=torch.channels_last)
    picture = torch.rand(8, 48, 64, 64, device=device).to(memory_format=torch.channels_last)

    def took_s(halves: bool) -> float:
        best = math.inf
        for _ in range(3):
            began = time.perf_counter()
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=halves):
                float(layer(picture).float().sum())
            best = min(best, time.perf_counter() - began)
        return best

    return took_s(True) < took_s(False)


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Return the groups of parameters: weights decay, biases and norms don't."""
    plain: list[nn.Parameter] = []
    decayed: list[nn.Parameter] = []
    for parameter in model.parameters():
        if parameter.requires_grad:
            (decayed if parameter.ndim > 1 else plain).append(parameter)
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


def train(
    model: nn.Module,
    batches: Iterator[Any],
    loss_of: Callable[[nn.Module, Any], torch.Tensor],
    schedule: Schedule,
    out: Path,
    *,
    on_checkpoint: Callable[[nn.Module, int], None] | None = None,
    frozen: Sequence[nn.Module] = (),
) -> nn.Module:
    """
    Train in place and return the averaged weights; goes on from ``out/last.ckpt`` if that is there.

    ``frozen``: parts that stay as they are; nothing is reckoned backwards through those at the start. Progress goes to
    standard error. ``on_checkpoint(model, step)`` gets the averaged weights now and then.
    """
    device = next(model.parameters()).device
    out.mkdir(parents=True, exist_ok=True)
    for part in frozen:
        part.requires_grad_(False)
    optimizer = torch.optim.AdamW(
        parameter_groups(model, schedule.weight_decay), lr=schedule.peak_lr, betas=(0.9, 0.99)
    )
    average = ModelEMA(model, decay=0.9995, tau=500)
    first = 0
    saved = out / "last.ckpt"
    if saved.exists():
        state = torch.load(saved, map_location=device, weights_only=False)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        average.ema.load_state_dict(state["average"])
        average.updates = state["updates"]
        first = state["step"]
    model.train()
    for part in frozen:
        part.eval()
    mean, began = None, time.monotonic()
    for step in range(first, schedule.steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule.lr(step, time.monotonic() - began)
        batch = next(batches)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        average.update(model)
        value = float(loss.detach())
        mean = value if mean is None else 0.98 * mean + 0.02 * value
        is_last = step + 1 == schedule.steps or time.monotonic() - began > 60 * schedule.minutes
        if (step + 1) % 50 == 0 or is_last:
            took = (time.monotonic() - began) / (step + 1 - first)
            left = (schedule.steps - step - 1) * took / 60
            print(
                f"step {step + 1}/{schedule.steps}  loss {mean:.4f}  {took:.2f} s/step  {left:.0f} min left",
                file=sys.stderr,
            )
        if (step + 1) % schedule.checkpoint_every == 0 or is_last:
            unfinished = saved.with_suffix(".part")
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "average": average.ema.state_dict(),
                    "updates": average.updates,
                    "step": step + 1,
                },
                unfinished,
            )
            unfinished.replace(saved)
            if on_checkpoint is not None:
                on_checkpoint(average.ema, step + 1)
        if is_last:
            break
    return average.ema
