"""Pictures of what was seen, written where `--overlay` says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from controller.errors import ControllerError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def write_overlay(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write a BGR picture as PNG, making its folder.

    Raises ControllerError if that cannot be done.
    """
    import cv2

    encoded, data = cv2.imencode(".png", picture)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if encoded:
            path.write_bytes(data.tobytes())
    except OSError as error:
        raise ControllerError(
            f"cannot write {path}: {error.strerror}; name a folder for --overlay that can be written to"
        ) from error
