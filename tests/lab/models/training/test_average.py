"""Averaging of checkpoints of one architecture."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

import torch
from torch import nn

from models.training.average import mean_of


def layer(value: float, outputs: int = 2) -> nn.Module:
    model = nn.Sequential(nn.Linear(3, outputs), nn.BatchNorm1d(outputs))
    for parameter in model.parameters():
        nn.init.constant_(parameter, value)
    return model


def test_average_is_the_mean_of_each_parameter() -> None:
    mean = mean_of([layer(1.0), layer(2.0), layer(6.0)])
    assert all(torch.all(parameter == 3.0) for parameter in mean.parameters())
    assert mean.state_dict()["1.num_batches_tracked"] == 0


def test_checkpoints_of_different_architectures_are_refused() -> None:
    with pytest.raises(ValueError, match="of one design"):
        mean_of([layer(1.0), layer(2.0, outputs=4)])
