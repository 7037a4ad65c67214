"""A grown network gives the same outputs as before, and its new layers receive gradients."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

import torch
from torch import nn

from models.training.classifier import SHIPPED, WIDE, new_classifier
from models.training.grow import grown
from tests.lab.models.training.networks import random_norms


def test_grown_network_gives_the_outputs_of_the_small_one() -> None:
    torch.manual_seed(1)
    small, large = random_norms(new_classifier(SHIPPED)).eval(), random_norms(new_classifier(WIDE)).eval()
    picture = torch.rand(3, 3, 132, 192)
    with torch.inference_mode():
        torch.testing.assert_close(grown(small, large)(picture)[1], small(picture)[1], rtol=1e-4, atol=1e-4)


def test_new_layers_receive_gradients_and_affect_the_output() -> None:
    torch.manual_seed(1)
    model = grown(new_classifier(SHIPPED), new_classifier(WIDE)).train()
    nn.functional.cross_entropy(model(torch.rand(2, 3, 132, 192)), torch.tensor([3, 5])).backward()
    gradient = model.model[-1].conv.conv.weight.grad[:, SHIPPED.channels[-1] :]
    assert float(gradient.abs().sum()) > 0


def test_smaller_network_is_refused() -> None:
    with pytest.raises(ValueError, match="larger"):
        grown(new_classifier(WIDE), new_classifier(SHIPPED))
