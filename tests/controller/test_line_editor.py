"""The line that somebody is typing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.seat.line_editor import LineEditor


@pytest.mark.parametrize(
    ("keys", "lines", "text"),
    [
        ("11-15\r", ["11-15"], ""),
        ("11-15\n8-11\n", ["11-15", "8-11"], ""),
        ("11-16\x7f5", [], "11-15"),
        ("11\x08\x08\x08", [], ""),
        ("take fourteen\x1714\r", ["take 14"], ""),
        ("take\x17", [], ""),
        ("nonsense\x15quit\r", ["quit"], ""),
        ("a\x1b[Cb\x1b[3~c\x1bOPd\x1b[1;5De", [], "abcde"),
        ("tab\there\x07", [], "tabhere"),
        ("é×\r", ["é×"], ""),
        ("\r", [""], ""),
    ],
)
def test_keys(keys, lines, text):
    editor = LineEditor()
    assert editor.feed(keys) == lines
    assert editor.text == text


def test_earlier_lines_come_back():
    editor = LineEditor()
    editor.feed("one\rtwo\rtwo\r\r")
    shown = []
    for key in ("\x1b[A", "\x1bOA", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b[B", "\x1b[A"):
        editor.feed(key)
        shown.append(editor.text)
    assert shown == ["two", "one", "one", "two", "", "", "two"]
    assert editor.feed("!\r") == ["two!"]


def test_there_may_be_no_earlier_line():
    editor = LineEditor()
    editor.feed("11-\x1b[A\x1b[B")
    assert editor.text == "11-"


def test_control_d_ends_only_on_an_empty_line():
    editor = LineEditor()
    assert editor.feed("a\x04") == []
    assert not editor.ended
    assert editor.feed("\x7f\x04more\r") == []
    assert editor.ended


@given(st.lists(st.sampled_from(["1", "x", " ", "\x7f", "\x15", "\x17", "\r", "\x1b[A", "\x1bOB", "\x1b[1;2C"])))
def test_how_the_keys_are_cut_makes_no_difference(keys):
    whole, piecewise = LineEditor(), LineEditor()
    text = "".join(keys)
    assert whole.feed(text) == [line for key in text for line in piecewise.feed(key)]
    assert whole.text == piecewise.text
