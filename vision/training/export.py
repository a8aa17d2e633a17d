"""Writes trained weights as the ONNX file that cv2.dnn runs."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from vision import disc_input
from vision.square_input import CHANNELS, SIDE_PX
from vision.training.disc_model import CASES, DiscNetwork
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


class _Likelihoods(nn.Module):
    """How well each case explains a crop, whatever its commonness, and the rest of what the network says: (N, 69)."""

    def __init__(self, network: DiscNetwork) -> None:
        super().__init__()
        self.network = network
        self.usual = nn.Parameter(network.usual.detach().log_softmax(dim=0)[None])

    def forward(self, x: Tensor) -> Tensor:
        said = self.network.told(self.network.seen(x))
        return torch.cat([said[:, :CASES] - self.usual, said[:, CASES:]], dim=1)


def export(name: str, weights: Path, onnx: Path) -> None:
    """Write the square network ("squares") or the disc network ("discs"), batch norms folded in."""
    network: nn.Module
    if name == "discs":
        width, height = disc_input.CROP_SIZE
        discs = DiscNetwork()
        discs.load_state_dict(torch.load(weights))
        network, example = _Likelihoods(discs), torch.zeros(2, disc_input.CHANNELS, height, width)
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
