"""The weights of the learnt evaluation, and having the compiled engine take them over."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from controller.engine import _core
from controller.errors import ControllerError

_OWN_WEIGHTS = "network.bin"


class NetworkError(ControllerError):
    """There are no weights, or none for this engine; it then goes on with the evaluation it has."""


def load_network(path: Path | None = None) -> None:
    """Have the compiled engine evaluate with the weights of a file, or with its own. Not while an engine thinks.

    Raises NetworkError when they cannot be read or are not its weights; the evaluation then stays as it was.
    """
    source: Traversable | Path = path or files(__package__).joinpath(_OWN_WEIGHTS)
    try:
        _core.network_load(source.read_bytes())
    except OSError as error:
        raise NetworkError(f"the weights of the evaluation in {source} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise NetworkError(f"{source} is of no use for the evaluation: {error}") from error
