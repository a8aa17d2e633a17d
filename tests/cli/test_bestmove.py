"""`crownhead bestmove`: one reply, for people and for programs."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import get_type_hints

import pytest

from controller.cli.limit_options import threads
from controller.cli.main import main
from controller.draughts import Game, Position, parse_move, read_fen, write_fen
from controller.engine import Limits, Reply, level_named
from controller.engine.hub.parameters import MOST_THREADS, Parameters
from controller.settings import EngineSettings

TWO_WAYS = "B:W6,7,14,15:B2"


@pytest.fixture
def bestmove(monkeypatch, tmp_path_factory, capsys):
    """Run the command; its exit status, stdout and stderr. Endgame tables are built once at most."""
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path_factory.getbasetemp() / "tables"))

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["bestmove", *arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    run("--depth", "1")  # What is said while tables are built is no part of the tests.
    return run


def found(bestmove, *arguments: str) -> dict:
    status, out, err = bestmove(*arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_the_fields_that_others_rely_on(bestmove) -> None:
    reply = found(bestmove, "--depth", "5")
    assert reply.keys() == {"move", "fen", "score", "depth", "nodes", "seconds", "pv"}
    assert reply["depth"] == 5
    assert reply["nodes"] > 50
    assert reply["seconds"] >= 0
    game = Game()
    for number, move in enumerate(reply["pv"]):
        game.play(parse_move(game.position, move))
        if number == 0:
            assert write_fen(game.position) == reply["fen"]
    assert game.notations() == tuple(reply["pv"])
    assert reply["pv"][0] == reply["move"]
    assert abs(reply["score"]) < 100


def test_an_ambiguous_capture_is_written_in_full(bestmove) -> None:
    reply = found(bestmove, "--fen", TWO_WAYS, "--depth", "4")
    assert reply["move"] in ("2x9x18", "2x11x18")
    assert read_fen(reply["fen"]) == read_fen(TWO_WAYS).after(parse_move(read_fen(TWO_WAYS), reply["move"]))


@pytest.mark.parametrize(("option", "value"), [("--nodes", "200"), ("--seconds", "0.05"), ("--level", "1")])
def test_every_limit_gives_a_legal_move(bestmove, option: str, value: str) -> None:
    reply = found(bestmove, option, value)
    assert parse_move(Position.start(), reply["move"])


def test_a_level_and_a_limit_hold_both(bestmove) -> None:
    assert found(bestmove, "--level", "9", "--depth", "2")["depth"] == 2


def test_the_seed_is_what_a_level_misjudges(bestmove) -> None:
    moves = {seed: found(bestmove, "--level", "1", "--seed", str(seed))["move"] for seed in range(12)}
    assert len(set(moves.values())) > 1
    assert found(bestmove, "--level", "1", "--seed", "3")["move"] == moves[3]


def test_people_get_words(bestmove) -> None:
    status, out, err = bestmove("--fen", "B:W18:B15,K1", "--depth", "8")
    move, position, judgement, *_ = out.splitlines()
    assert (status, err) == (0, "")
    assert move == "15x22"
    assert position == "position after it: W:W:BK1,22"
    assert judgement.startswith("Black wins in 1 ply (depth 1, ")


def test_a_lost_game_is_said_to_be_lost(bestmove) -> None:
    _, out, _ = bestmove("--fen", "W:W13:B5,K1", "--depth", "6")
    assert "White loses in 2 plies" in out


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("B:W18,K22:B1,K99", "The FEN names square 99"),
        ("B:W18:B1-13", "Black has 13 pieces"),
        ("B:W1:B5", "white man on 1 stands on its crowning row"),
        ("B:W5:B5", "two pieces on square 5"),
        ("B:W5", "must list both sides"),
        ("hello", "does not say whose turn it is"),
        ("W:W:B1", "the game is over. Black wins: White has no pieces left."),
        ("W:W21:B17,14", "the game is over. Black wins: White cannot move."),
    ],
)
def test_a_position_to_which_there_is_no_reply(bestmove, fen: str, reason: str) -> None:
    status, out, err = bestmove("--fen", fen, "--depth", "2", "--json")
    assert (status, out) == (1, "")
    assert reason in err
    assert err.startswith("crownhead: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ["--depth", "0"],
        ["--seconds", "0"],
        ["--seconds", "nan"],
        ["--nodes", "many"],
        ["--level", "11"],
        ["--threads", "0"],
        ["--threads", "17"],
        ["--seed", "-1"],
    ],
)
def test_wrong_usage(bestmove, wrong: list[str]) -> None:
    status, out, err = bestmove(*wrong)
    assert (status, out) == (2, "")
    assert "crownhead bestmove: error: argument" in err


def test_the_settings_say_how_best_thinks_where_nothing_else_does(bestmove, tmp_path, monkeypatch) -> None:
    asked: list[tuple[Parameters, Limits]] = []

    def engine(parameters: Parameters, clock: object, limits: Limits | None = None) -> FirstMove:
        return FirstMove(lambda given: asked.append((parameters, given)))

    monkeypatch.setattr(Parameters, "engine", engine)
    settings = tmp_path / "settings.toml"
    settings.write_text("[engine]\nthinking_s = 0.7\nthreads = 3\n")
    for options in ([], ["--seconds", "2", "--threads", "1"], ["--level", "4"]):
        assert bestmove(*options, "--config", str(settings))[0] == 0
    (first, own), (second, given), (third, level) = asked
    assert (own, first.threads) == (Limits(seconds=0.7), 3)
    assert (given, second.threads) == (Limits(seconds=2), 1)
    assert (level, third.level) == (level_named("4").limits, "4")


class FirstMove:
    """Plays the first move that there is, and tells what it was limited by."""

    def __init__(self, told: Callable[[Limits], None]) -> None:
        self.told = told

    def choose(self, game: Game, limits: Limits) -> Reply:
        self.told(limits)
        move = game.position.legal_moves()[0]
        return Reply(move, 0, 1, 1, 0.0, (move,))


def test_one_position_is_one(bestmove, monkeypatch) -> None:
    monkeypatch.setattr(Parameters, "engine", lambda *_: FirstMove(lambda _: None))
    assert "(depth 1, 1 position, 0.00 s)" in bestmove()[1]


def test_all_agree_on_how_many_threads_there_can_be() -> None:
    (most,) = (
        meta.le
        for meta in get_type_hints(EngineSettings, include_extras=True)["threads"].__metadata__
        if meta.le is not None
    )
    assert threads(str(most)) == MOST_THREADS == most
    with pytest.raises(ArgumentTypeError):
        threads(str(most + 1))
