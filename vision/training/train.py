"""Trains the square network on rendered scenes, each photographed anew every time it comes up."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from vision.square_input import LEAN_HEIGHT
from vision.training.disc_model import CASES, MARKED, OUTPUTS, PLACED, THERE, DiscNetwork
from vision.training.disc_samples import DiscSamples, make_disc_samples
from vision.training.model import SquareNetwork
from vision.training.samples import Sample, make_sample
from vision.training.scene import DARK_KING, DARK_MAN, LIGHT_KING, LIGHT_MAN, Truth
from vision.training.store import read_shards

Photograph = tuple[NDArray[np.uint8], Truth, np.random.Generator]
"""A scene as it is stored, what it shows, and the chances by which it is photographed."""
BOARDS, DISCS = 16, 96
"""In a batch, at least."""
HELD_BACK = 1
"""So many shards, the first ones, are never trained on."""
_SWAPPED = torch.tensor([0, LIGHT_MAN, LIGHT_KING, DARK_MAN, DARK_KING])
_AVERAGING = 0.998
_RELOAD_SCENES = 2000


Batch = tuple[Tensor, ...]


class Scenes(IterableDataset[Any]):
    """Endless batches made from scenes drawn at random from a folder's shards, which may grow meanwhile."""

    def __init__(self, folder: Path, seed: int, make: Callable[[Iterator[Photograph]], Batch]) -> None:
        self._folder, self._seed, self._make = folder, seed, make

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        random = np.random.default_rng([self._seed, 0 if worker is None else worker.id])
        photographs = self._photographs(random)
        while True:
            yield self._make(photographs)

    def _photographs(self, random: np.random.Generator) -> Iterator[Photograph]:
        while True:
            shards = [shard for number, shard in read_shards(self._folder).items() if number >= HELD_BACK]
            for _ in range(_RELOAD_SCENES):
                shard = shards[random.integers(len(shards))]
                k = random.integers(len(shard.truths))
                yield np.asarray(shard.pictures[k]), shard.truths[k], random


def board_batch(photographs: Iterator[Photograph]) -> Batch:
    """Sixteen boards: blocks, contents, hidden, offsets, size, ambiguous."""
    samples = [tensors(make_sample(*next(photographs))) for _ in range(BOARDS)]
    return tuple(torch.stack(column) for column in zip(*samples, strict=True))


def disc_batch(photographs: Iterator[Photograph]) -> Batch:
    """The discs of some boards: blocks, there, cases, marked, placed."""
    found: list[DiscSamples] = []
    while sum(len(some.marked) for some in found) < DISCS:
        some = make_disc_samples(*next(photographs))
        if some is not None:
            found.append(some)
    return (
        torch.from_numpy(np.concatenate([some.blocks for some in found])),
        torch.from_numpy(np.concatenate([some.there for some in found]).astype(np.float32)),
        torch.from_numpy(np.concatenate([some.cases for some in found])),
        torch.from_numpy(np.concatenate([some.marked for some in found]).astype(np.float32)),
        torch.from_numpy(np.concatenate([some.placed for some in found])),
    )


def tensors(sample: Sample) -> Batch:
    """Block, contents, hidden, offsets, size, ambiguous."""
    return (
        torch.from_numpy(sample.block),
        torch.from_numpy(sample.contents),
        torch.from_numpy(sample.hidden.astype(np.float32)),
        torch.from_numpy(sample.offsets),
        torch.from_numpy(sample.size),
        torch.tensor(sample.ambiguous),
    )


def board_loss(outputs: Tensor, batch: Batch) -> Tensor:
    """Cross entropy of contents where nothing hides them, of hidden; absolute errors of offsets and sizes."""
    _, contents, hidden, offsets, size, ambiguous = batch
    seen = 1 - hidden
    logits = outputs[:, :5]
    straight = (functional.cross_entropy(logits, contents, reduction="none") * seen).sum(dim=(1, 2))
    swapped = (functional.cross_entropy(logits, _SWAPPED[contents], reduction="none") * seen).sum(dim=(1, 2))
    told = torch.where(ambiguous, torch.minimum(straight, swapped), straight) / 64
    covered = functional.binary_cross_entropy_with_logits(outputs[:, 5], hidden, reduction="none").mean(dim=(1, 2))
    there = (contents > 0).float() * seen
    total = there.sum(dim=(1, 2)).clamp(min=4)
    missed = functional.smooth_l1_loss(outputs[:, 6:8], offsets, beta=0.02, reduction="none").sum(dim=1)
    sizes = torch.stack([size[:, 0], size[:, 1] / LEAN_HEIGHT / 4], dim=1)[:, :, None, None].expand(-1, -1, 8, 8)
    sized = functional.smooth_l1_loss(outputs[:, 8:10], sizes, beta=0.02, reduction="none").sum(dim=1)
    where = ((missed * 3 + sized) * there).sum(dim=(1, 2)) / total
    return (4 * told + covered + where).mean()


def disc_loss(outputs: Tensor, batch: Batch) -> Tensor:
    """Cross entropies of discs being there, of their cases, of how common those are, and of marks; absolute errors of
    the places."""
    _, there, cases, marked, placed = batch
    number = there.sum().clamp(min=1)
    seen = functional.binary_cross_entropy_with_logits(outputs[:, THERE], there)
    told = (functional.cross_entropy(outputs[:, :CASES], cases, reduction="none") * there).sum() / number
    usual = (functional.cross_entropy(outputs[:, OUTPUTS:], cases, reduction="none") * there).sum() / number
    bears = functional.binary_cross_entropy_with_logits(outputs[:, MARKED], marked, reduction="none")
    missed = functional.smooth_l1_loss(outputs[:, PLACED], placed, beta=0.02, reduction="none").mean(dim=1)
    return told + 0.3 * usual + seen + ((0.3 * bears + 10 * missed) * there).sum() / number


NETWORKS: dict[
    str, tuple[type[Any], Callable[[Iterator[Photograph]], Batch], Callable[[Tensor, Batch], Tensor], int]
] = {
    "squares": (SquareNetwork, board_batch, board_loss, 1),
    "discs": (DiscNetwork, disc_batch, disc_loss, 3),
}
"""What can be trained: the network, how its batches are made, what it is punished for, and how many steps are made
for each new batch: on it and on earlier ones, where making batches takes longer than learning from them."""
_REMEMBERED = 150
"""Batches."""


def _steps(loader: DataLoader[Any], times: int, seed: int) -> Iterator[Batch]:
    """Each new batch, and after it some of the last ones once more."""
    random = np.random.default_rng(seed)
    earlier: deque[Batch] = deque(maxlen=_REMEMBERED)
    for batch in loader:
        yield batch
        if times > 1:
            earlier.append(batch)
            for _ in range(times - 1):
                yield earlier[random.integers(len(earlier))]


def train(name: str, folder: Path, minutes: float, weights: Path, seed: int, start: Path | None, rate: float) -> None:
    """Train one of NETWORKS for some minutes, writing the averaged weights every few of them."""
    kind, make, loss_of, times = NETWORKS[name]
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    network = kind().to(memory_format=torch.channels_last)
    if start is not None:
        network.load_state_dict(torch.load(start))
    averaged = {key: value.clone() for key, value in network.state_dict().items()}
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4)
    loader = DataLoader(Scenes(folder, seed, make), batch_size=None, num_workers=1, prefetch_factor=4)
    begun, recent, saved = time.monotonic(), 0.0, 0.0
    for step, batch in enumerate(_steps(loader, times, seed)):
        passed = (time.monotonic() - begun) / 60
        if passed >= minutes:
            break
        warm = min(1.0, (step + 1) / 200)
        for group in optimizer.param_groups:
            group["lr"] = rate * warm * (0.5 + 0.5 * math.cos(math.pi * passed / minutes)) + 1e-6
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(network(batch[0].to(memory_format=torch.channels_last)), batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        keep = min(_AVERAGING, step / (step + 20))
        with torch.no_grad():
            for key, value in network.state_dict().items():
                if value.dtype.is_floating_point:
                    averaged[key].mul_(keep).add_(value, alpha=1 - keep)
                else:
                    averaged[key].copy_(value)
        recent += float(loss.detach())
        if step % 50 == 49:
            print(f"{passed:6.1f} min  step {step + 1}  loss {recent / 50:.4f}", flush=True)
            recent = 0.0
        if passed - saved > 2:
            torch.save(averaged, weights)
            saved = passed
    torch.save(averaged, weights)
