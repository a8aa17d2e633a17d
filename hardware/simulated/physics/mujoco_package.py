"""The package MuJoCo, which is imported only where its physics is wanted."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import Any

from hardware.errors import HardwareError

OLDEST = (3, 13)
"""The first version that finds all the points in which two cylinders that lie on one another touch."""
MEND = "install it with pip install 'crownhead[sim]', or use --physics simple"

_log = logging.getLogger(__name__)


def load_mujoco() -> Any:
    """The module `mujoco`, without any of its drawing.

    Raises HardwareError if it is not installed, is too old or cannot be loaded.
    """
    # It is asked for no picture: so it need not look for a graphics library, which a Pi without a screen lacks.
    os.environ.setdefault("MUJOCO_GL", "disable")
    try:
        mujoco = import_module("mujoco")
    except ModuleNotFoundError:
        raise HardwareError(f'the physics "mujoco" needs the package MuJoCo: {MEND}') from None
    except ImportError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise HardwareError(f"the package MuJoCo cannot be loaded ({reason}): {MEND}") from error
    version = tuple(int(part) for part in mujoco.__version__.split(".")[:2])
    if version < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise HardwareError(
            f'the physics "mujoco" needs MuJoCo {needed} or newer and {mujoco.__version__} is installed: {MEND}'
        )
    mujoco.set_mju_user_warning(_take_note)
    return mujoco


def _take_note(warning: str) -> None:
    """Keep MuJoCo from writing a log into the working directory: `RigidBodies.tame` mends what it warns of."""
    _log.debug("MuJoCo: %s", warning)
