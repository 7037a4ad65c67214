"""
The finder: an Ultralytics network of oriented boxes, and beside it one whose four key points are a card's corners.

The boxes ship (``TurnedBoxLoss``); corners stay for comparison (``docs/decisions/0002``).
A card has no first corner: turned by half a turn it is the same card. So the loss takes the better of the two orders,
and measures the miss in card sizes, so that small cards count as much as large ones.
"""

from __future__ import annotations

from typing import Any

import torch
from ultralytics.nn.tasks import OBBModel, PoseModel
from ultralytics.utils import DEFAULT_CFG
from ultralytics.utils.loss import v8OBBLoss, v8PoseLoss

CORNER_SOFTNESS = 0.04
"""Miss, in card sizes, below which the loss turns from logarithmic to linear: about 3 px on a card of 80 px."""


class CornerLoss(v8PoseLoss):
    """The pose loss with order-free corners instead of body joints."""

    def calculate_keypoints_loss(
        self,
        masks: torch.Tensor,
        target_gt_idx: torch.Tensor,
        keypoints: torch.Tensor,
        stride_tensor: torch.Tensor,
        target_bboxes: torch.Tensor,
        pred_kpts: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (corner loss, 0): mean over assigned anchors of log(1 + miss / softness), the better of two orders."""
        zero = pred_kpts.sum() * 0
        if not masks.any():
            return zero, zero
        picture = masks.nonzero(as_tuple=True)[0]
        truth = keypoints[picture, target_gt_idx[masks]][..., :2]
        truth = truth / stride_tensor.view(1, -1).expand(masks.shape[0], -1)[masks][:, None, None]
        guess = pred_kpts[masks][..., :2]
        x, y = truth[..., 0], truth[..., 1]
        area = 0.5 * (x * y.roll(-1, 1) - y * x.roll(-1, 1)).sum(1).abs()
        size = area.clamp(min=0.25).sqrt()[:, None]
        misses = [((guess - truth.roll(shift, 1)) ** 2).sum(-1).add(1e-9).sqrt() / size for shift in (0, 2)]
        costs = torch.stack([torch.log1p(miss / CORNER_SOFTNESS).mean(1) for miss in misses])
        return costs.min(0).values.mean(), zero


class CornerModel(PoseModel):
    """A pose model trained with ``CornerLoss``; saved as a plain ``PoseModel``, which any Ultralytics loads."""

    def init_criterion(self) -> CornerLoss:
        """Return the loss used by ``model(batch)``."""
        return CornerLoss(self)


def settings(**changes: Any) -> Any:
    """Return Ultralytics' default hyperparameters with ours put in."""
    args = type(DEFAULT_CFG)(**vars(DEFAULT_CFG))
    for key, value in {"box": 5.0, "cls": 0.7, "dfl": 1.0, "pose": 4.0, "kobj": 0.0, **changes}.items():
        setattr(args, key, value)
    return args


def new_corner_model(base: str = "yolo11n-pose.yaml") -> CornerModel:
    """Build a new network for one class, ``card``, with four points (x, y)."""
    model = CornerModel(base, ch=3, nc=1, data_kpt_shape=(4, 2), verbose=False)
    model.names = {0: "card"}
    model.kpt_names = {0: ["0", "1", "2", "3"]}
    model.args = settings()
    return model


class TurnedBoxLoss(v8OBBLoss):
    """The loss of oriented boxes, which also asks which way a card lies: upright and sideways are not the same."""

    def calculate_angle_loss(
        self,
        pred_bboxes: torch.Tensor,
        target_bboxes: torch.Tensor,
        fg_mask: torch.Tensor,
        weight: torch.Tensor,
        target_scores_sum: torch.Tensor,
        lambda_val: int = 3,
    ) -> torch.Tensor:
        """Mean of sin² of the angle missed: 1 for a quarter turn, which costs nothing in the loss this replaces."""
        missed = (pred_bboxes[..., 4] - target_bboxes[..., 4])[fg_mask]
        return (torch.sin(missed) ** 2 * weight).sum() / target_scores_sum


class BoxModel(OBBModel):
    """A network of oriented boxes trained with ``TurnedBoxLoss``; saved as a plain ``OBBModel``."""

    def init_criterion(self) -> TurnedBoxLoss:
        """Return the loss used by ``model(batch)``."""
        return TurnedBoxLoss(self)


def new_box_model(base: str = "yolo11n-obb.yaml") -> BoxModel:
    """Build a new network for one class, ``card``, as oriented boxes: the card's width first."""
    model = BoxModel(base, ch=3, nc=1, verbose=False)
    model.names = {0: "card"}
    model.args = settings(box=7.5, cls=0.5, dfl=1.5, angle=2.0)
    return model
