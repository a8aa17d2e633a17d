"""Asks a running service."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from controller.errors import ServiceError
from controller.service.place import sockets_to_ask
from controller.service.requests import AskStatus, Request

ANSWER_S = 5.0
_LONGEST = 1 << 25
SERVICE_HAS_IT = (
    "the service (process {}) has the arm and the camera: stop it first (sudo systemctl stop crownhead), or ask it "
    "with 'crownhead status'"
)
NOBODY = "no service runs here: start it with 'crownhead serve' or 'sudo systemctl start crownhead'"


def ask(request: Request, environment: Mapping[str, str], state: Path | None = None) -> dict[str, Any]:
    """What the service answers. ServiceError if none does, or it cannot do what is asked."""
    refused: str | None = None
    for path in sockets_to_ask(environment, state):
        try:
            reply = _asked(path, request)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            continue
        except TimeoutError:
            raise ServiceError(f"the service at {path} does not answer: restart it") from None
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM):
                raise ServiceError(f"the service at {path} cannot be reached ({error.strerror or error})") from error
            refused = (
                f"you are not allowed to ask the service at {path}: "
                "run 'sudo usermod -aG crownhead $USER', then log out and in again"
            )
            continue
        if isinstance(reply.get("error"), str):
            raise ServiceError(reply["error"])
        reply.pop("ok", None)
        return reply
    raise ServiceError(refused or NOBODY)


def in_use_by_service(port: str, environment: Mapping[str, str]) -> str | None:
    """One sentence if it is a running service that has the serial port (and with it the camera); else None."""
    try:
        status = ask(AskStatus(), environment)
    except ServiceError:
        return None
    theirs = status.get("serial", {}).get("port")
    if not isinstance(theirs, str) or Path(theirs).resolve() != Path(port).resolve():
        return None
    return SERVICE_HAS_IT.format(status.get("process"))


def _asked(path: Path, request: Request) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(ANSWER_S)
        folder = os.open(path.resolve().parent, os.O_PATH | os.O_CLOEXEC)
        try:
            line.connect(f"/proc/self/fd/{folder}/{path.resolve().name}")
        finally:
            os.close(folder)
        line.sendall(msgspec.json.encode(request) + b"\n")
        received = b""
        while not received.endswith(b"\n"):
            data = line.recv(1 << 16)
            if not data or len(received) > _LONGEST:
                raise ConnectionRefusedError
            received += data
    try:
        return msgspec.json.decode(received, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ServiceError(f"what answers at {path} is no service of this program: stop it") from error
