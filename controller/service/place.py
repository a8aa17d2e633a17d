"""Where a service is: its lock, which keeps a second one out, and its socket."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket as unix_socket
from collections.abc import Iterator, Mapping
from pathlib import Path

from controller.errors import ServiceError
from controller.settings import state_directory

SOCKET, LOCK = "service.sock", "service.lock"
SYSTEM_RUNTIME, SYSTEM_STATE = Path("/run/crownhead"), Path("/var/lib/crownhead")


@contextlib.contextmanager
def claimed_state(folder: Path) -> Iterator[None]:
    """While in it this process alone may be the service whose state is in `folder`; ServiceError if another is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        if not folder.is_dir():
            raise ServiceError(
                f"the state folder {folder} cannot be made ({error.strerror}): name another with --state"
            ) from error
        # A disk that takes nothing must not keep the table from saying so: read-only, the folder itself is the lock.
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ServiceError(
                f"a service with its state in {folder} runs already{_number_in(folder / LOCK)}: "
                "ask it with 'crownhead status', or stop it first"
            ) from error
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _number_in(path: Path) -> str:
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
    return f" (process {text})" if text.isdecimal() else ""


def socket_to_serve(environment: Mapping[str, str], state: Path) -> Path:
    """Where a service with its state in `state` answers: systemd's $RUNTIME_DIRECTORY, or else there."""
    given = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return (Path(given) if given else state) / SOCKET


def sockets_to_ask(environment: Mapping[str, str], state: Path | None) -> tuple[Path, ...]:
    """Where the service that is meant may answer, the likeliest first. With `state` only the one of that folder."""
    if state is not None:
        return (state / SOCKET,)
    given = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    folders = [Path(given)] if given else []
    return tuple(folder / SOCKET for folder in (*folders, state_directory(environment), SYSTEM_RUNTIME))


def _answers(path: Path) -> bool:
    """Whether another service listens there."""
    with unix_socket.socket(unix_socket.AF_UNIX) as line, contextlib.suppress(OSError):
        line.connect(str(path.resolve()))
        return True
    return False


@contextlib.contextmanager
def pointed_to(socket: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """While in it who names no state folder finds the service, too: by a link where one is looked for by default."""
    default = state_directory(environment) / SOCKET
    if default == socket or _answers(default):
        yield
        return
    with contextlib.suppress(OSError):
        default.parent.mkdir(parents=True, exist_ok=True)
        default.unlink(missing_ok=True)
        default.symlink_to(socket)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if default.is_symlink() and default.readlink() == socket:
                default.unlink()
