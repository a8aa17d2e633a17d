"""`docs/table-program.md` says what is true: its examples decode, and nothing that can be asked is left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from hardware.simulated.errand import Step
from hardware.simulated.program.frame_server import PICTURE_PATH, STREAM_PATH
from hardware.simulated.program.pins import BUTTON_PINS, GRIPPER_PIN, LIGHT_PINS
from hardware.simulated.requests import DoErrand, Fault, Request, Truth, TruthReply

TEXT = (Path(__file__).parents[2] / "docs" / "table-program.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def examples(kind: str, text: str = TEXT) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*)\n```$", text, re.MULTILINE)


def tag_of(struct: type) -> str:
    return str(struct.__struct_config__.tag)  # type: ignore[attr-defined]


@pytest.mark.parametrize("request_", get_args(Request), ids=tag_of)
def test_every_request_has_a_section_with_examples(request_: type) -> None:
    section = SECTIONS[tag_of(request_)]
    decoded = [msgspec.json.decode(line, type=Request) for line in examples("request", section)]
    assert decoded
    assert {type(one) for one in decoded} == {request_}
    for reply in examples("reply", section):
        assert msgspec.json.decode(reply)["ok"] is True


def test_there_is_no_section_of_a_request_that_is_not() -> None:
    assert set(SECTIONS) == {tag_of(request) for request in get_args(Request)}


def test_the_examples_have_every_step_of_an_errand() -> None:
    shown = [msgspec.json.decode(line, type=Request) for line in examples("request")]
    steps = {type(step) for request in shown if isinstance(request, DoErrand) for step in request.steps}
    assert steps == set(get_args(Step))


def test_the_truth_has_the_fields_that_are_shown() -> None:
    (reply,) = examples("reply", SECTIONS[tag_of(Truth)])
    shown = msgspec.json.decode(reply)
    assert list(shown) == ["ok", *TruthReply.__struct_fields__]
    msgspec.convert({name: value for name, value in shown.items() if name != "ok"}, TruthReply)


def test_the_faults_are_those_that_there_are() -> None:
    shown = re.findall(r"^\| `(.+?)` \|", SECTIONS["fault"], re.MULTILINE)
    assert shown == [fault.value for fault in Fault]


def test_pins_and_paths_are_named() -> None:
    for event in examples("event"):
        assert msgspec.json.decode(event)["pin"] in BUTTON_PINS.values()
    listed = re.findall(r"\d+", " ".join(re.findall(r"^\| ([\d, ]+) \|", TEXT, re.MULTILINE)))
    assert sorted(map(int, listed)) == sorted([*BUTTON_PINS.values(), *LIGHT_PINS, GRIPPER_PIN])
    assert STREAM_PATH in TEXT
    assert PICTURE_PATH in TEXT


def test_the_example_in_python_is_whole() -> None:
    (code,) = re.findall(r"^```python\n(.*?)```$", TEXT, re.MULTILINE | re.DOTALL)
    compile(code, "example", "exec")
