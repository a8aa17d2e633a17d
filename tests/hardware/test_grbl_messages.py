from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import FirmwareError
from hardware.grbl.codes import ALARMS, ERRORS, alarm_sentence, error_sentence
from hardware.grbl.messages import (
    Alarm,
    Banner,
    Error,
    Feedback,
    Info,
    Message,
    Ok,
    Setting,
    Status,
    Unknown,
    parse,
)
from hardware.grbl.settings import settings_from


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ok", Ok()),
        ("error:9", Error(9)),
        ("ALARM:2", Alarm(2)),
        ("Grbl 1.1h ['$' for help]", Banner("1.1h")),
        ("GrblHAL 1.1f ['$' or '$HELP' for help]", Banner("1.1f")),
        ("Grbl 3.7 [FluidNC v3.7.8 (wifi) '$' for help]", Banner("3.7")),
        ("[MSG:'$H'|'$X' to unlock]", Feedback("'$H'|'$X' to unlock")),
        ("[VER:1.1h.20190825:]", Info("VER", "1.1h.20190825:")),
        ("[G54:0.000,0.000,0.000]", Info("G54", "0.000,0.000,0.000")),
        ("$130=620.000", Setting(130, 620.0)),
        ("$1=25 (step idle delay, msec)", Setting(1, 25.0)),
        (
            "<Idle|MPos:-2.000,-2.000,-2.000|FS:0,0|WCO:0.000,0.000,1.500>",
            Status("Idle", None, machine=(-2, -2, -2), offset=(0, 0, 1.5), feed=0),
        ),
        (
            "<Hold:1|WPos:1.000,2.000,3.000|Bf:15,128|F:500|Pn:XZ|Ov:100,50,100|A:SF>",
            Status("Hold", 1, work=(1, 2, 3), feed=500, pins="XZ", overrides=(100, 50, 100), accessories="SF"),
        ),
        (
            "<Run|MPos:0.000,0.000,0.000,9.000|FS:24000,0|Ov:100,100,100>",
            Status("Run", None, machine=(0, 0, 0), feed=24000, overrides=(100, 100, 100), accessories=""),
        ),
    ],
)
def test_known_lines(line: str, message: Message) -> None:
    assert parse(line) == message


@pytest.mark.parametrize(
    "line",
    ["o", "okok", "error:", "error:x", "ALARM:2222", "o\\xffk", "<Idle|MPos:1,2>", "<Idle|MPos:1,2,nan|FS:0,0>",
     "<Odd|MPos:1,2,3>", "<Idle,MPos:0.000,0.000,0.000,WPos:0.000,0.000,0.000>", "<Idle|MPos:0.0,0.0,0.0|FS:0,0",
     "<Idle|MPos:1,1,1|MPos:2,2,2>", "start", "echo:busy: processing", "T:25.0 /0.0", "[MSG:half", "$x=1"],
)  # fmt: skip
def test_what_is_not_understood_stays_visible(line: str) -> None:
    assert parse(line) == Unknown(line)


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(line: str) -> None:
    assert parse(line) is not None


@given(st.text(alphabet="<>|:,.0123456789-MPosWCOFSIdleRunHold", max_size=60))
def test_no_spoilt_report_breaks_the_parser(inner: str) -> None:
    message = parse(f"<Idle|{inner}>")
    assert isinstance(message, Status | Unknown)


def test_every_error_and_alarm_has_its_own_sentence() -> None:
    assert {1, 2, 3, 5, 8, 9, 10, 11, 15, 20, 22, 33} <= set(ERRORS)
    assert {1, 2, 3, 6, 7, 8, 9} <= set(ALARMS)
    sentences = [error_sentence(code, "G0") for code in ERRORS] + [alarm_sentence(code) for code in ALARMS]
    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
    assert "77" in error_sentence(77, "G0")


NEEDED = {110: 24000.0, 111: 24000.0, 112: 6000.0, 120: 2000.0, 121: 2000.0, 122: 2000.0,
          130: 620.0, 131: 490.0, 132: 95.0}  # fmt: skip


def test_settings_say_what_the_machine_is() -> None:
    settings = settings_from(NEEDED | {1: 25.0, 20: 1.0, 21: 0.0, 22: 1.0, 27: 2.0, 10: 3.0, 13: 1.0})
    assert settings.travel_mm == (620, 490, 95)
    assert settings.homing and settings.soft_limits and not settings.hard_limits
    assert not settings.keeps_motors_on
    assert settings.reports_machine_position and settings.reports_inches
    assert settings_from(NEEDED | {1: 255.0}).keeps_motors_on


def test_missing_settings_are_named() -> None:
    with pytest.raises(FirmwareError, match=r"\$131"):
        settings_from({number: value for number, value in NEEDED.items() if number != 131})
