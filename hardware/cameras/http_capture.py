"""JPEG pictures over HTTP: a stream of them (multipart/x-mixed-replace), or one a request.

Only the newest is kept, and it is decoded only when it is wanted, which FFmpeg cannot be asked to do. Sources of the
protocol: RFC 2046 (multipart), and what ustreamer, mjpg-streamer and network cameras send.
"""

from __future__ import annotations

import contextlib
import http.client
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    ProxyHandler,
    build_opener,
)

import cv2
import numpy as np

from hardware.errors import CameraError
from hardware.frame import Pixels

TIMEOUT_S = 3.0
"""A server that says nothing for so long is gone."""
LARGEST = 32 * 1024 * 1024
"""Bytes; no picture is larger, and whatever claims to be is no picture."""
_LONGEST_LINE = 4096
_MOST_HEADERS = 64
_BROKEN = (OSError, http.client.HTTPException, ValueError)


class HttpCapture:
    """A `Capture` of JPEG pictures over HTTP."""

    def __init__(self, url: str, response: Any, boundary: bytes | None) -> None:
        """`response` is what `url` has answered: parts between lines of `boundary`, or (None) one picture."""
        self._url = url
        self._response = response
        self._boundary = boundary
        self._jpeg = b""
        self._read_ahead = b""
        """A line that has been read and belongs to the next part."""

    @property
    def queues(self) -> bool:
        """A stream sends on whether anybody reads or not."""
        return self._boundary is not None

    def grab(self) -> bool:
        """Wait for the next picture and keep it as it has come; False when the stream has ended or says nothing."""
        try:
            jpeg = self._next_part(self._boundary) if self._boundary is not None else self._next_answer()
        except _BROKEN:
            jpeg = b""
        self._jpeg = jpeg
        return bool(jpeg)

    def age_s(self) -> float | None:
        """A stream does not tell when its pictures were exposed."""
        return None

    def retrieve(self) -> Pixels | None:
        """Decode it; None if it is no picture."""
        return self._decoded(cv2.IMREAD_COLOR)

    def retrieve_small(self) -> Pixels | None:
        """Decode it four times smaller: of each of a JPEG's blocks of 8 × 8 pixels come 2 × 2, for half the work."""
        return self._decoded(cv2.IMREAD_REDUCED_COLOR_4)

    def _decoded(self, how: int) -> Pixels | None:
        if not self._jpeg:
            return None
        pixels = cv2.imdecode(np.frombuffer(self._jpeg, dtype=np.uint8), how)
        return None if pixels is None else np.asarray(pixels, dtype=np.uint8)

    def release(self) -> None:
        """Leave the server."""
        with contextlib.suppress(OSError):
            self._response.close()

    def _next_answer(self) -> bytes:
        """The picture that is answered when it is asked for now."""
        self._response.close()
        self._response = _request(self._url)
        jpeg: bytes = self._response.read(LARGEST)
        return jpeg

    def _next_part(self, boundary: bytes) -> bytes:
        # Some servers write the two dashes that begin the line into the header, too.
        while (line := self._line()) not in (b"--" + boundary, boundary):
            if line == b"--" + boundary + b"--":
                return b""
        length: int | None = None
        for _ in range(_MOST_HEADERS):
            line = self._line()
            if not line:
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        if length is None:
            return self._until(boundary)
        if not 0 < length <= LARGEST:
            raise ValueError("no picture has so many bytes")
        body: bytes = self._response.read(length)
        return body if len(body) == length else b""

    def _line(self) -> bytes:
        line: bytes = self._read_ahead or self._response.readline(_LONGEST_LINE)
        self._read_ahead = b""
        if not line:
            raise ValueError("the stream has ended")
        return line.rstrip(b"\r\n")

    def _until(self, boundary: bytes) -> bytes:
        """A part of unknown length, to the boundary behind it, which is left to be found by the next."""
        body = bytearray()
        while len(body) <= LARGEST:
            line: bytes = self._response.readline(LARGEST)
            if not line:
                raise ValueError("the stream has ended")
            if line.rstrip(b"\r\n").removesuffix(b"--") in (b"--" + boundary, boundary):
                self._read_ahead = line
                return bytes(body).removesuffix(b"\r\n")
            body += line
        raise ValueError("no picture has so many bytes")


def open_http_capture(url: str) -> HttpCapture | None:
    """Open a stream of JPEG pictures, or one picture a request, over HTTP; None if what answers sends anything else.

    Raises CameraError if nothing answers, or what answers refuses.
    """
    try:
        response = _request(url)
    except HTTPError as error:
        raise CameraError(
            f"The camera at {_without_password(url)} refuses to show its picture (HTTP {error.code}): check the "
            "address, name and password."
        ) from error
    except (URLError, *_BROKEN) as error:
        raise CameraError(
            f"No camera answers at {_without_password(url)}: check the address and that the stream is running."
        ) from error
    kind = response.headers.get_content_type()
    if kind == "image/jpeg":
        return HttpCapture(url, response, None)
    boundary = response.headers.get_boundary()
    if kind == "multipart/x-mixed-replace" and boundary:
        return HttpCapture(url, response, boundary.encode("latin-1"))
    response.close()
    return None


def _request(url: str) -> Any:
    """Ask for a URL, which may hold a name and a password; the answer's body is still to be read.

    A camera stands in one's own network: proxies are left out.
    """
    parts, plain = urlsplit(url), _without_password(url)
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        passwords.add_password(None, plain, unquote(parts.username), unquote(parts.password or ""))
    opener = build_opener(ProxyHandler({}), HTTPBasicAuthHandler(passwords), HTTPDigestAuthHandler(passwords))
    return opener.open(plain, timeout=TIMEOUT_S)


def _without_password(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # No URL at all.
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
