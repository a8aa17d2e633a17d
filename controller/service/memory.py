"""Keeps a program that runs for months small on a computer with little memory."""

from __future__ import annotations

import contextlib
import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt(3)."""
_LARGE = 128 * 1024


def give_memory_back() -> None:
    """Have what is freed of pictures and their like given back to the system at once.

    Else glibc learns from the first large pieces to keep them, and each thread has pools of its own: some 50 MB more.
    Nothing happens with another C library.
    """
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, value in ((_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE), (_ARENA_MAX, 2)):
            mallopt(parameter, value)
