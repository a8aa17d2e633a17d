"""The disc network: how high what stands at a place is, and whether its face bears a mark."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.disc_input import CHANNELS
from vision.training.model import ResidualBlock, down

OUTPUTS = 8
"""Logit of a stack of two, logit of a mark on the face, total height (logarithm, against that of one
disc as the network was told it) and its log deviation;
then where the lowest and where the topmost disc's centre lies off the crop's foot, across and along the lean
(diameters)."""


class DiscNetwork(nn.Module):
    """(N, 7, 80, 80) as vision.disc_input makes it → (N, 8)."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(
            *down(CHANNELS, 16), ResidualBlock(16),
            *down(16, 24), ResidualBlock(24),
            *down(24, 32), ResidualBlock(32),
            *down(32, 40),
        )  # fmt: skip
        self.told = nn.Sequential(nn.Flatten(), nn.Linear(40 * 25, 32), nn.ReLU(inplace=True), nn.Linear(32, OUTPUTS))

    def forward(self, x: Tensor) -> Tensor:
        """Of raw values."""
        return torch.as_tensor(self.told(self.seen(x)))
