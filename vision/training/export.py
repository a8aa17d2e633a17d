"""Writes trained weights as the ONNX file that cv2.dnn runs."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from vision import disc_input
from vision.square_input import CHANNELS, SIDE_PX
from vision.training.disc_model import DiscNetwork
from vision.training.model import SquareNetwork


class _WithFeatures(nn.Module):
    """What the network says, and below it the features it says it from: (N, 10 + 64, 8, 8)."""

    def __init__(self, network: SquareNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        before = self.network.coarse(self.network.middle(self.network.fine(x)))
        features = self.network.square[:-1](before)
        return torch.cat([self.network.square[-1](features), features], dim=1)[:, :, 1:9, 1:9]


def export(name: str, weights: Path, onnx: Path) -> None:
    """Write the square network ("squares") or the disc network ("discs"), batch norms folded in."""
    network: nn.Module
    if name == "discs":
        network, example = DiscNetwork(), torch.zeros(2, disc_input.CHANNELS, disc_input.CROP_PX, disc_input.CROP_PX)
        network.load_state_dict(torch.load(weights))
        axes = {"board": {0: "discs"}, "squares": {0: "discs"}}
    else:
        squares = SquareNetwork()
        squares.load_state_dict(torch.load(weights))
        network, example, axes = _WithFeatures(squares), torch.zeros(1, CHANNELS, SIDE_PX, SIDE_PX), None
    network.eval()
    torch.onnx.export(
        network,
        (example,),
        str(onnx),
        dynamo=False,
        input_names=["board"],
        output_names=["squares"],
        dynamic_axes=axes,
        opset_version=13,
    )
