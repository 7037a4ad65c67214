"""Networks with the state they have after training."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

import torch
from torch import nn


def random_norms(model: nn.Module) -> nn.Module:
    """Return the model with norms that are not the identity, as after training."""
    generator = torch.Generator().manual_seed(3)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            for numbers in (module.weight.data, module.running_var):
                numbers.copy_(0.5 + torch.rand(numbers.shape, generator=generator))
            for numbers in (module.bias.data, module.running_mean):
                numbers.copy_(torch.randn(numbers.shape, generator=generator) * 0.2)
    return model
