"""Signals that end the program: the machine is told at once, and the program unwinds as for Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from controller.ending_signals import EndedError, EndingWatch, exit_status
from hardware.clock import RealClock

PROGRAM = """
import ctypes, os, signal, sys
from controller.ending_signals import ENDING, EndingWatch, exit_status, raise_at_ending_signals

def stop(reason):
    print("stop:", reason, flush=True)
    os.write(wake, b"x")

raise_at_ending_signals()
asleep, wake = os.pipe()
watch = EndingWatch(stop)
try:
    for number in ENDING:
        signal.siginterrupt(number, False)
    print("ready", flush=True)
    # One long step outside of Python, as looking at a picture is: no handler can run before its end, and only the
    # stop brings that about.
    ctypes.CDLL(None).read(asleep, ctypes.create_string_buffer(1), 1)
    sys.stdin.read()
except KeyboardInterrupt as interrupt:
    print("unwinds", exit_status(interrupt), flush=True)
watch.close()
"""

IGNORING = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from controller.ending_signals import EndingWatch, raise_at_ending_signals
raise_at_ending_signals()
watch = EndingWatch(print)
print("ready", flush=True)
print("goes on after", sys.stdin.readline())
"""


def wait_until_asleep(process: int) -> None:
    """Return once the main thread of a process waits outside of Python."""
    clock = RealClock()
    give_up = clock.now() + 20.0
    while Path(f"/proc/{process}/task/{process}/stat").read_text().rpartition(") ")[2][0] != "S":
        assert clock.now() < give_up
        clock.sleep(0.002)


def run_and_signal(number: int, program: str = PROGRAM) -> list[str]:
    """Run a program, signal it once it is ready, then write a line to it; what it said after that."""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        wait_until_asleep(run.pid)
        run.send_signal(number)
        said, complaints = run.communicate("a line", timeout=60)
        assert complaints == ""
    return said.splitlines()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_stop_comes_while_the_main_thread_is_busy_and_the_unwinding_after(number: int, status: int) -> None:
    assert run_and_signal(number) == ["stop: the program was told to end", f"unwinds {status}"]


def test_what_is_ignored_stays_ignored() -> None:
    assert run_and_signal(signal.SIGHUP, IGNORING) == ["goes on after a line"]


def test_the_watch_leaves_nothing_behind() -> None:
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    told: list[str] = []
    for _ in range(3):
        watch = EndingWatch(told.append)
        watch.close()
        watch.close()
    after = signal.set_wakeup_fd(before)
    assert after == before
    assert told == []
    assert not [thread for thread in threading.enumerate() if thread.name == "ending signals"]


def test_other_signals_stop_nothing() -> None:
    told: list[str] = []
    watch = EndingWatch(told.append)
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)
    watch.close()
    assert told == []


def test_in_another_thread_it_does_nothing_and_is_no_error() -> None:
    made: list[EndingWatch] = []
    thread = threading.Thread(target=lambda: made.append(EndingWatch(lambda reason: None)))
    thread.start()
    thread.join()
    made[0].close()


def test_statuses_are_the_shell_s() -> None:
    assert exit_status(KeyboardInterrupt()) == 130
    assert exit_status(EndedError(signal.SIGTERM)) == 143
    assert "SIGTERM" in str(EndedError(signal.SIGTERM))
