"""Rendered scenes on disk, in shards: light as bytes (the square root of half of it), truths as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.training.scene import Truth, render

SHARD = 128


def encode(picture: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Linear light as bytes; 2 and more is 255."""
    return np.rint(np.sqrt(np.clip(picture / 2, 0, 1)) * 255).astype(np.uint8)


def decode(encoded: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Linear light from bytes."""
    return np.square(encoded.astype(np.float32) / 255) * 2


def write_shard(folder: Path, number: int) -> None:
    """Render the scenes of a shard, unless it is there already."""
    path = folder / f"scenes-{number:05}"
    if path.with_suffix(".npz").exists():
        return
    pictures, truths = [], []
    for seed in range(number * SHARD, (number + 1) * SHARD):
        picture, truth = render(seed)
        pictures.append(encode(picture))
        truths.append(truth)
    columns = {field.name: np.array([getattr(truth, field.name) for truth in truths]) for field in fields(Truth)}
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path.with_suffix(".npy"), np.array(pictures))
    partial = path.with_suffix(".part.npz")
    np.savez(partial, allow_pickle=False, **columns)
    partial.rename(path.with_suffix(".npz"))


@dataclass(frozen=True, eq=False)
class Shard:
    """`pictures` (SHARD, S, S, 3) encoded, mapped from disk, and what each shows."""

    pictures: NDArray[np.uint8]
    truths: tuple[Truth, ...]


def read_shards(folder: Path) -> dict[int, Shard]:
    """All finished shards of a folder, by number."""
    found = {}
    for path in sorted(folder.glob("scenes-*.npz")):
        if path.name.endswith(".part.npz"):
            continue
        with np.load(path) as columns:
            arrays = {field.name: columns[field.name] for field in fields(Truth)}
        truths = []
        for k in range(len(arrays["contents"])):
            values = {name: array[k] for name, array in arrays.items()}
            truths.append(Truth(**{n: v.item() if np.ndim(v) == 0 else v for n, v in values.items()}))
        pictures = np.load(path.with_suffix(".npy"), mmap_mode="r")
        found[int(path.stem.split("-")[1])] = Shard(pictures, tuple(truths))
    return found
