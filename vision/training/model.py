"""The square network: what stands on each of the 64 squares of a board laid flat."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.square_input import CHANNELS

OUTPUTS = 10
"""A square's five contents (vision.reading.Content), hidden, offset in x and y, diameter and height."""


class ResidualBlock(nn.Module):
    """Two 3 × 3 convolutions around which the input is carried (He et al., 2016)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Of the same shape."""
        return torch.relu(x + self.body(x))


class _Surround(nn.Module):
    """Tells every place what there is on the whole board, as colours are told by comparison.

    Means and maxima over the board scale and shift each channel (Perez et al., "FiLM", 2018); bounded, which also
    keeps cv2.dnn from fusing the shift with the convolution before it, whose shape differs.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Conv2d(2 * width, width // 2, 1)
        self.scale = nn.Conv2d(width // 2, width, 1)
        self.shift = nn.Conv2d(width // 2, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        whole = torch.cat([x.mean(dim=(2, 3), keepdim=True), x.amax(dim=(2, 3), keepdim=True)], dim=1)
        known = torch.relu(self.inner(whole))
        return x * (2 * torch.sigmoid(self.scale(known))) + torch.tanh(self.shift(known))


def down(before: int, after: int) -> nn.Sequential:
    """Half as wide and high."""
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class SquareNetwork(nn.Module):
    """(N, 7, 320, 320) as vision.square_input makes it → (N, 10, 8, 8)."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(down(CHANNELS, 16), down(16, 24), ResidualBlock(24))
        self.middle = nn.Sequential(down(24, 48), ResidualBlock(48))
        self.coarse = nn.Sequential(down(48, 80), _Surround(80), ResidualBlock(80))
        self.square = nn.Sequential(
            down(80, 128), _Surround(128),
            nn.Conv2d(128, 64, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.Conv2d(64, OUTPUTS, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Of raw values: the first five are logits, the sixth is one by itself."""
        return self.square(self.coarse(self.middle(self.fine(x))))[:, :, 1:9, 1:9]
