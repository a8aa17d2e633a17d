"""The disc network: how far what stands at a place leans away, whether it is a stack, and whether it is marked."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.disc_input import CHANNELS, LEANS_PX
from vision.training.model import ResidualBlock, down

CASES = 2 * len(LEANS_PX)
"""A single disc or a stack, times how far its uppermost face shows from its foot."""
MARKED, PLACED, THERE, OUTPUTS = CASES, slice(CASES + 1, CASES + 4), CASES + 4, CASES + 5
"""After a logit for each case: that of a mark on the face; where the lowest disc's centre lies off the crop's foot,
across and along the lean, and the topmost one's across it (diameters); the logit that there is a disc at all."""


class DiscNetwork(nn.Module):
    """(N, 3, 96, 60) as vision.disc_input makes it → (N, 69 + 64).

    The last 64 are the same for all: how common each case is among the discs that the network is trained on. Without
    that, what it says is how well each case explains the picture.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(
            *down(CHANNELS, 16), ResidualBlock(16),
            *down(16, 24), ResidualBlock(24),
            *down(24, 40), ResidualBlock(40),
        )  # fmt: skip
        self.told = nn.Sequential(
            nn.Conv2d(40, 24, (1, 8), bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True),
            nn.Flatten(), nn.Linear(24 * 12, 64), nn.ReLU(inplace=True), nn.Linear(64, OUTPUTS),
        )  # fmt: skip
        self.usual = nn.Parameter(torch.zeros(CASES))

    def forward(self, x: Tensor) -> Tensor:
        """Of raw values."""
        said = self.told(self.seen(x))
        return torch.cat([said, self.usual[None].expand(len(said), -1)], dim=1)
