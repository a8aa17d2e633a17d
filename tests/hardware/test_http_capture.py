"""JPEG pictures over HTTP: what servers send, how they break off, and what is said when they cannot be used."""

from __future__ import annotations

import base64
import socketserver
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.cameras import http_capture
from hardware.cameras.http_capture import HttpCapture, open_http_capture
from hardware.errors import CameraError

Answer = Callable[[BaseHTTPRequestHandler], None]


def jpeg(level: int) -> bytes:
    return cv2.imencode(".jpg", np.full((48, 64, 3), level, np.uint8))[1].tobytes()


class Server:
    """A network camera at `url` that answers as it is told."""

    def __init__(self) -> None:
        self.answer: Answer = lambda request: request.send_error(404)
        self.asked: list[dict[str, str]] = []
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                camera.asked.append({"path": self.path, **{k.lower(): v for k, v in self.headers.items()}})
                camera.answer(self)

            def log_message(self, format: str, *args: Any) -> None: ...

        class Quiet(socketserver.ThreadingMixIn, HTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None: ...

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/stream?size=1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def streaming(content_type: str, body: bytes) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", content_type)
        request.end_headers()
        request.wfile.write(body)

    return answer


def part(line: bytes, picture: bytes, with_length: bool = True) -> bytes:
    length = b"Content-Length: %d\r\n" % len(picture) if with_length else b""
    return line + b"\r\nContent-Type: image/jpeg\r\n" + length + b"\r\n" + picture + b"\r\n"


def opened(url: str) -> HttpCapture:
    capture = open_http_capture(url)
    assert capture is not None
    return capture


def levels(capture: HttpCapture, count: int) -> list[int]:
    """The grey levels of the next pictures, to the nearest ten."""
    seen = []
    for _ in range(count):
        assert capture.grab()
        pixels = capture.retrieve()
        assert pixels is not None and pixels.shape == (48, 64, 3)
        seen.append(round(float(pixels.mean()) / 10) * 10)
    return seen


@pytest.mark.parametrize("with_length", [True, False])
@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("multipart/x-mixed-replace; boundary=frame", b"--frame"),
        ("multipart/x-mixed-replace;boundary=--frame", b"--frame"),
        ("multipart/x-mixed-replace; boundary=--frame", b"----frame"),
        ('multipart/x-mixed-replace; boundary="a b"', b"--a b"),
    ],
)
def test_pictures_come_in_order_whatever_the_server_writes_around_them(
    server: Server, header: str, line: bytes, with_length: bool
) -> None:
    pictures = [jpeg(level) for level in (20, 120, 220)]
    body = b"\r\n".join([b"", *(part(line, picture, with_length).rstrip() for picture in pictures)])
    server.answer = streaming(header, body + b"\r\n" + line + b"--\r\n")
    capture = opened(server.url)
    assert levels(capture, 3) == [20, 120, 220]
    assert not capture.grab() and capture.retrieve() is None, "it has ended"
    assert not capture.grab()
    assert server.asked[0]["path"] == "/stream?size=1"
    assert capture.queues and capture.age_s() is None
    capture.release()
    capture.release()


@pytest.mark.parametrize("cut", [1, 40, 200, -5])
def test_a_stream_that_is_cut_off_gives_no_picture_and_no_error(server: Server, cut: int) -> None:
    body = part(b"--frame", jpeg(80))
    server.answer = streaming("multipart/x-mixed-replace; boundary=frame", body[:cut])
    capture = opened(server.url)
    assert not capture.grab()


@pytest.mark.parametrize("length", [b"-1", b"0", b"99999999999", b"many"])
def test_a_length_that_cannot_be_is_the_end(server: Server, length: bytes) -> None:
    body = b"--frame\r\nContent-Length: " + length + b"\r\n\r\n" + jpeg(80)
    server.answer = streaming("multipart/x-mixed-replace; boundary=frame", body)
    assert not opened(server.url).grab()


def test_a_spoilt_picture_is_none_and_the_next_one_comes(server: Server) -> None:
    body = part(b"--frame", b"no picture") + part(b"--frame", jpeg(120))
    server.answer = streaming("multipart/x-mixed-replace; boundary=frame", body)
    capture = opened(server.url)
    assert capture.grab() and capture.retrieve() is None
    assert levels(capture, 1) == [120]


def test_a_server_that_falls_silent_is_gone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_capture, "TIMEOUT_S", 0.2)
    done = threading.Event()

    def answer(request: BaseHTTPRequestHandler) -> None:
        streaming("multipart/x-mixed-replace; boundary=frame", part(b"--frame", jpeg(120)))(request)
        request.wfile.flush()
        done.wait(20)

    server.answer = answer
    capture = opened(server.url)
    assert levels(capture, 1) == [120]
    assert not capture.grab()
    assert not capture.grab()
    done.set()


def test_a_camera_of_single_pictures_is_asked_for_each_when_it_is_wanted(server: Server) -> None:
    shades = iter([10, 20, 120, 220])

    def answer(request: BaseHTTPRequestHandler) -> None:
        streaming("image/jpeg", jpeg(next(shades)))(request)

    server.answer = answer
    capture = opened(server.url)
    assert not capture.queues
    assert len(server.asked) == 1
    assert levels(capture, 2) == [20, 120]
    assert len(server.asked) == 3
    capture.release()


def test_name_and_password_go_where_they_belong(server: Server) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        expected = "Basic " + base64.b64encode(b"us er:p@ss").decode()
        if request.headers.get("Authorization") != expected:
            request.send_response(401)
            request.send_header("WWW-Authenticate", 'Basic realm="camera"')
            request.end_headers()
        else:
            streaming("multipart/x-mixed-replace; boundary=frame", part(b"--frame", jpeg(120)))(request)

    server.answer = answer
    capture = opened(f"http://us%20er:p%40ss@127.0.0.1:{server.port}/")
    assert levels(capture, 1) == [120]
    with pytest.raises(CameraError, match="refuses to show its picture") as caught:
        opened(f"http://us%20er:wrong@127.0.0.1:{server.port}/")
    assert "wrong" not in str(caught.value) and "us%20er" not in str(caught.value)


def test_another_kind_of_video_is_left_to_others(server: Server) -> None:
    server.answer = streaming("video/mp4", b"....")
    assert open_http_capture(server.url) is None


def test_an_address_that_is_not_there(server: Server) -> None:
    with pytest.raises(CameraError, match=r"refuses to show its picture \(HTTP 404\): check the address"):
        open_http_capture(server.url)
    with pytest.raises(CameraError, match=r"No camera answers at http://127\.0\.0\.1:9/: check the address"):
        open_http_capture("http://127.0.0.1:9/")
    with pytest.raises(CameraError, match="No camera answers at"):
        open_http_capture("http://[::1/")
    with pytest.raises(CameraError, match="No camera answers at"):
        open_http_capture("http://127.0.0.1:port/")


def test_a_small_picture_is_the_large_one_made_smaller(server: Server) -> None:
    """Decoding a fourth of a JPEG differs from making the picture smaller by less than a camera's noise."""
    random = np.random.default_rng(1)
    rough = cv2.resize(
        random.integers(60, 190, (45, 80, 3), dtype=np.uint8), (640, 360), interpolation=cv2.INTER_CUBIC
    )
    picture = cv2.imencode(".jpg", rough, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
    server.answer = streaming("multipart/x-mixed-replace; boundary=b", part(b"--b", picture) + part(b"--b", b"junk"))
    capture = opened(server.url)
    assert capture.grab()
    small, whole = capture.retrieve_small(), capture.retrieve()
    assert small is not None and whole is not None
    made_smaller = cv2.resize(whole, (160, 90), interpolation=cv2.INTER_AREA)
    assert small.shape == (90, 160, 3)
    assert np.abs(small.astype(int) - made_smaller).mean() < 2.0
    assert capture.grab() and capture.retrieve_small() is None
    capture.release()
