"""Perft against the published table, and the command that prints it."""

from __future__ import annotations

import pytest

from controller.cli import perft as perft_command
from controller.cli.command_parser import CommandParser
from controller.draughts import FenError, Position, perft, perft_divided, read_fen

START = (7, 49, 302, 1469, 7361, 36768, 179740, 845931)
FURTHER = {
    "W:WK18,K19,K26,27,30,31,32:BK1,2,3,4,K10,11,12": (14, 145, 1380, 11784, 107428, 848975),
    "W:W9,10,13,21,22,K30:B19,20,24,25,28,K3": (8, 44, 272, 1805, 11925, 81993),
}


@pytest.mark.parametrize(("depth", "nodes"), list(enumerate(START, start=1)))
def test_start_equals_the_table(depth: int, nodes: int) -> None:
    assert perft(Position.start(), depth) == nodes


@pytest.mark.parametrize("fen", FURTHER)
def test_further_positions_equal_the_table(fen: str) -> None:
    position = read_fen(fen)
    assert tuple(perft(position, depth) for depth in range(1, 7)) == FURTHER[fen]


def test_depth_nought_is_the_position_itself() -> None:
    assert perft(Position.start(), 0) == 1


def test_the_parts_add_up() -> None:
    parts = perft_divided(Position.start(), 5)
    assert len(parts) == 7
    assert sum(parts.values()) == START[4]


def test_routes_with_one_result_are_counted_by_themselves() -> None:
    round_trip = read_fen("B:W18,19,26,27:BK15")
    assert len(round_trip.legal_moves()) == 1
    assert perft(round_trip, 1) == 2


def command(*words: str) -> int:
    parser = CommandParser(prog="crownhead")
    perft_command.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(["perft", *words])
    status: int = arguments.run(arguments)
    return status


def test_command_prints_a_line_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("4") == 0
    assert capsys.readouterr().out == "1 7\n2 49\n3 302\n4 1469\n"


def test_command_divides_another_position(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("2", "--fen", "B:W18,26,27:B15,K1", "--divide") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 1"
    assert lines[2:] == ["15x22x31 " + lines[1].split()[1]]


def test_command_refuses_an_impossible_position() -> None:
    with pytest.raises(FenError, match="13 pieces"):
        command("1", "--fen", "B:W20-32:B1-3")


@pytest.mark.parametrize("depth", ["0", "-1", "six"])
def test_command_refuses_a_wrong_depth(depth: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        command(depth)
    assert leaving.value.code == 2
    assert "whole number from 1 on" in capsys.readouterr().err or depth == "-1"
