"""The running table's camera on the network: MJPEG over HTTP, as many network cameras give it."""

from __future__ import annotations

import logging
import socket
import socketserver
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hardware.simulated.program.frame_source import EncodedFrame, FrameSource

LOOPBACK = "127.0.0.1"
STREAM_PATH, PICTURE_PATH = "/stream.mjpg", "/frame.jpg"
BOUNDARY = "frame"
STUCK_S = 5.0
"""A viewer that takes nothing for so long (real time) is sent away."""
STOPS_IN_S = 0.05
SEND_BUFFER = 1 << 18
"""Bytes: about one frame, so that no slow viewer is far behind."""

_log = logging.getLogger(__name__)
_PAGE = f'<!DOCTYPE html><title>Crownhead\'s simulated table</title><img src="{STREAM_PATH}" style="width:100%">'


class FrameServer:
    """Serves the frames of `source` at `url` to any number of viewers of this computer.

    `wanted_port` is taken if it is free, so that a table that is started anew is found where it was.
    """

    def __init__(self, source: FrameSource, wanted_port: int = 0) -> None:
        handler = type("Handler", (_Handler,), {"source": source})
        try:
            self._server = _Server((LOOPBACK, wanted_port), handler)
        except OSError:
            self._server = _Server((LOOPBACK, 0), handler)
        self.url = f"http://{LOOPBACK}:{self._server.server_address[1]}{STREAM_PATH}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(STOPS_IN_S,), name="camera server", daemon=True
        )

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer no more; what is under way ends when the source does."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def server_bind(self) -> None:
        # HTTPServer's own asks the name service what this computer is called, which may take long.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A viewer that went away is no error worth telling."""
        _log.debug("a viewer's connection has ended", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    source: FrameSource
    timeout = STUCK_S

    def setup(self) -> None:
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        super().setup()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == STREAM_PATH:
            self._stream()
        elif path == PICTURE_PATH:
            self._picture()
        elif path == "/":
            self._answer("text/html; charset=utf-8", _PAGE.encode())
        else:
            self.send_error(HTTPStatus.NOT_FOUND, f"there are {STREAM_PATH}, {PICTURE_PATH} and /")

    def _stream(self) -> None:
        with self.source.watched():
            began = False
            for frame in self.source.frames():
                if not began:
                    began = True
                    self.send_response(HTTPStatus.OK)
                    self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
                    self.send_header("Cache-Control", "no-store")
                    self.end_headers()
                headers = {"Content-Type": "image/jpeg", "Content-Length": len(frame.jpeg), **_marks(frame)}
                head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
                self.wfile.write(f"--{BOUNDARY}\r\n{head}\r\n".encode() + frame.jpeg + b"\r\n")
            if not began:
                self._camera_is_off()

    def _picture(self) -> None:
        with self.source.watched():
            frame = next(self.source.frames(), None)
        if frame is None:
            self._camera_is_off()
        else:
            self._answer("image/jpeg", frame.jpeg, _marks(frame))

    def _answer(self, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _camera_is_off(self) -> None:
        self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "the camera is off")


def _marks(frame: EncodedFrame) -> dict[str, str]:
    """Headers of our own that go with a frame."""
    return {"X-Table-Time": f"{frame.time_s:.4f}", "X-Frame": str(frame.number)}
