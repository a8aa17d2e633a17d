"""Crownhead as a Hub engine: what it answers, line by line, before, while and after it thinks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.draughts import Game, read_fen, write_fen
from controller.engine import AlphaBeta
from controller.engine.hub.lines import read_line
from controller.engine.hub.notation import read_move, write_move, write_position
from controller.engine.hub.parameters import Parameters
from controller.engine.hub.session import HubSession
from controller.engine.interface import WIN, Engine, Limits, Reply
from hardware.clock import Clock, VirtualClock

START = "pos=Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"


class Script:
    """What the other program writes; once all is read, its output has ended."""

    def __init__(self, *lines: str) -> None:
        self.lines = deque(lines)
        self.at_end = 0

    def ready(self) -> bool:
        return bool(self.lines)

    def take(self) -> str | None:
        if self.lines:
            return self.lines.popleft()
        self.at_end += 1
        return None


class FakeEngine:
    """Searches a depth in each of its steps and asks whether to stop; then it has nothing left to do."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps = steps
        self.asked: list[tuple[str, tuple[str, ...], Limits]] = []
        self.made = 0
        self.parameters: list[Parameters] = []
        self.depths: list[int] = []

    def make(self, parameters: Parameters, clock: Clock) -> Engine:
        self.parameters.append(parameters)
        return self

    def choose(self, game, limits, stop=None, progress=None) -> Reply:
        self.asked.append((write_fen(game.start), game.notations(), limits))
        move = game.position.legal_moves()[0]
        answers = game.position.after(move).legal_moves()
        pv = (move, *answers[:1])
        depth = 0
        for step in self.steps:
            step()
            if stop():
                break
            depth += 1
            progress(Reply(move, 12, depth, 1000 * depth, 0.5, pv))
        self.depths.append(depth)
        return Reply(move, WIN - 3, depth, 9000, 0.5, pv)


class Conversation:
    """A session with scripted input, and what it has written."""

    def __init__(self, *lines: str, steps: tuple[Callable[[], object], ...] = (lambda: None,) * 3) -> None:
        self.script = Script(*lines)
        self.engine = FakeEngine(*steps)
        self.clock = VirtualClock()
        self.written: list[str] = []
        self.session = HubSession(self.script, self.written.append, self.clock, self.engine.make)

    def run(self) -> Conversation:
        self.session.run()
        return self

    def commands(self) -> list[str]:
        return [read_line(line).command for line in self.written]

    def answers(self, command: str) -> list[dict[str, str]]:
        return [dict(read_line(line).arguments) for line in self.written if read_line(line).command == command]


def conversation(*lines: str, **options) -> Conversation:
    return Conversation(*lines, **options).run()


def errors(*lines: str) -> list[str]:
    return [error["message"] for error in conversation(*lines).answers("error")]


def test_it_says_what_it_is_and_waits() -> None:
    said = conversation("hub", "init", "quit")
    assert said.commands() == ["id", *["param"] * 5, "wait", "ready"]
    (who,) = said.answers("id")
    assert who.keys() == {"name", "version", "author", "country"}
    assert who["name"] == "Crownhead"
    assert {entry["name"]: entry["value"] for entry in said.answers("param")} == {
        "variant": "english",
        "level": "best",
        "threads": "1",
        "seed": "0",
        "tables": "true",
    }


def test_parameters_are_set_before_the_engine_is_made() -> None:
    said = conversation(
        "set-param name=level value=3",
        "set-param name=threads value=2",
        "set-param name=seed value=7",
        "set-param name=tables value=false",
        "set-param name=variant value=english",
        "init",
    )
    assert said.written == ["ready"]
    assert said.engine.parameters == [Parameters("3", 2, 7, tables=False)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("set-param", "needs name"),
        ("set-param name=bb-size value=6", "there is no parameter 'bb-size'"),
        ("set-param name=level value=11", "the level must be one of 1, 2"),
        ("set-param name=threads value=0", "threads must be a whole number from 1 to"),
        ("set-param name=threads value=²", "threads must be a whole number"),
        ("set-param name=seed value=-1", "seed must be"),
        ("set-param name=tables value=yes", "tables must be true or false"),
        ("set-param name=variant value=frisian", "the variant must be english"),
        ("", "there is no command"),
        ("fly", "there is no command 'fly'"),
        ('pos moves="', "cannot read the arguments"),
        ("pos", "pos needs"),
        ("pos pos=Bbb", "has 3 letters"),
        (f'pos {START} moves="11-15 11-16"', "cannot play move 2, 11-16: 11-16 is not legal"),
        (f'pos {START} moves="11-15 nonsense"', "cannot play move 2, nonsense"),
        ("level", "level needs"),
        ("level depth=deep", "depth must be"),
        ("go think analyze", "one of think, ponder and analyze"),
        ("go fish", "one of think, ponder and analyze"),
    ],
)
def test_what_is_wrong_is_said_and_the_conversation_goes_on(line: str, reason: str) -> None:
    said = conversation(line, "ping")
    assert said.commands() == ["error", "pong"]
    assert reason in said.answers("error")[0]["message"]


@pytest.mark.parametrize("line", ["stop", "ponder-hit", "new-game", "level depth=3", f"pos {START}", "pos start"])
def test_what_is_right_but_asks_for_nothing_is_not_answered(line: str) -> None:
    assert conversation(line).written == []


def test_thinking_tells_how_far_it_is_and_ends_with_a_move() -> None:
    said = conversation(f"pos {START}", "level depth=3", "go think")
    assert said.commands() == ["info"] * 4 + ["done"]
    assert said.answers("info")[0] == {
        "depth": "1",
        "score": "0.12",
        "nodes": "1000",
        "time": "0.500",
        "nps": "0.002",
        "pv": "9-13 21-17",
    }
    assert said.answers("info")[-1]["score"] == "99.97"
    assert said.answers("done") == [{"move": "9-13", "ponder": "21-17"}]


def test_the_moves_are_played_so_that_repetitions_are_seen() -> None:
    said = conversation('pos start moves="11-15 24-20 8-11 28-24 15-19"', "level nodes=5", "go")
    assert said.engine.asked == [
        (write_fen(read_fen("B:W21-32:B1-12")), ("11-15", "24-20", "8-11", "28-24", "15-19"), Limits(nodes=5))
    ]


def test_a_game_that_goes_on_is_the_same_as_one_told_anew() -> None:
    pos = 'pos start moves="11-15 24-20{}"'
    lines = [pos.format(" 8-11"), pos.format(" 8-11 28-24"), pos.format(" 15-18"), pos.format("")]
    wrong = [pos.format(" 8-11 28-24 1-32"), pos.format(" 8-11 28-24")]
    said = conversation(*(line for told in (*lines, *wrong) for line in (told, "level depth=1", "go think")))
    assert [" ".join(moves[2:]) for _, moves, _ in said.engine.asked] == [
        "8-11",
        "8-11 28-24",
        "15-18",
        "",
        "8-11 28-24",
    ]
    start = f"pos pos={write_position(read_fen('B:W21-32:B1-12'))[:-1]}e"
    other = conversation("pos start", "go think", start, "go think")
    assert len({fen for fen, _, _ in other.engine.asked}) == 2


def test_a_game_may_go_on_after_a_draw_by_the_rules() -> None:
    there_and_back = "1-6 32-28 6-1 28-32 "
    pos = f"pos pos={write_position(read_fen('B:WK32:BK1'))}"
    said = conversation(f'{pos} moves="{there_and_back * 3}"', "level depth=1", "go think", steps=())
    assert said.commands() == ["info", "done"]
    assert len(said.engine.asked[0][1]) == 12


def test_a_finished_game_has_no_move() -> None:
    pos = f"pos pos={write_position(read_fen('W:W:B1'))}"
    assert errors(pos, "level depth=1", "go think") == ["White has no move: the game is over"]


def test_after_a_wrong_position_there_is_none() -> None:
    assert errors(f"pos {START}", "pos pos=B", "go think")[1:] == [
        "there is no position to search: the last pos was wrong"
    ]


def test_without_a_level_the_engine_takes_its_own_time() -> None:
    said = conversation("pos start", "go think")
    assert said.engine.asked[0][2] == Parameters().limits(None) != Limits()


def test_a_weaker_level_is_never_made_stronger_by_a_long_time() -> None:
    said = conversation("set-param name=level value=2", "level move-time=100", "go think")
    own = Parameters("2").limits(None)
    assert said.engine.asked[0][2] == own.and_at_most(Limits(seconds=99.995))


def test_a_level_counts_on_for_the_next_move() -> None:
    said = conversation("level depth=3", "pos start", "go think", 'pos start moves="11-15"', "go think")
    assert [limits for _, _, limits in said.engine.asked] == [Limits(depth=3)] * 2


def test_a_new_game_has_a_new_engine() -> None:
    said = conversation("init", "level depth=1", "go think", "go think", "new-game", "go think")
    assert len(said.engine.parameters) == 2


def test_stop_ends_the_thinking_at_once() -> None:
    talk = Conversation("level move-time=100", "go think")
    talk.engine.steps = (lambda: None, lambda: talk.script.lines.append("stop"), lambda: None, lambda: None)
    talk.run()
    assert talk.engine.depths == [1]
    assert talk.commands() == ["info", "info", "done"]


def test_a_ping_is_answered_while_it_thinks() -> None:
    talk = Conversation("level move-time=100", "go think")
    talk.engine.steps = (lambda: talk.script.lines.append("ping"), lambda: None)
    talk.run()
    assert talk.commands() == ["pong", "info", "info", "info", "done"]


@pytest.mark.parametrize("mode", ["analyze", "analyse", "ponder"])
def test_an_answer_nobody_waits_for_is_held_back_until_stop(mode: str) -> None:
    said = conversation("pos start", f"go {mode}", "ping", "ping", "stop", "ping")
    assert said.engine.asked[0][2] == Limits()
    assert said.commands() == ["pong", "pong", "info", "done", "pong"]


def test_thinking_without_limits_waits_for_stop() -> None:
    talk = Conversation("level infinite", "go think")
    talk.engine.steps = ()
    talk.script.lines.extend(["ping", "stop"])
    assert talk.run().commands() == ["pong", "info", "done"]


def test_an_analysis_may_have_a_level_of_its_own() -> None:
    said = conversation("level depth=3", "go think", "level depth=5", "go analyze", "go analyze", "stop")
    assert [limits for _, _, limits in said.engine.asked] == [Limits(depth=3), Limits(depth=5), Limits()]


def test_what_comes_while_it_thinks_is_done_afterwards_in_order() -> None:
    talk = Conversation("level depth=3", "pos start", "go think")
    later = ['pos start moves="9-14"', "level depth=7", "go think", "ping"]
    talk.engine.steps = (lambda: talk.script.lines.extend(later) if len(talk.engine.asked) == 1 else None,)
    talk.run()
    assert [(moves, limits.depth) for _, moves, limits in talk.engine.asked] == [((), 3), (("9-14",), 7)]
    # The ping overtakes what has to wait, as one that asks whether the engine still lives must.
    assert talk.commands() == ["pong", "info", "info", "done", "info", "info", "done"]


def test_an_analysis_makes_room_for_the_next_position() -> None:
    said = conversation("go analyze", "pos start", "level depth=2", "go think")
    assert said.commands().count("done") == 2
    assert said.engine.asked[1][2] == Limits(depth=2)


def test_wrong_lines_do_not_end_an_analysis() -> None:
    said = conversation("go analyze", "fly", "=", "stop")
    assert said.commands() == ["error", "error", "info", "done"]


def test_quit_ends_the_thinking_and_no_more_is_read() -> None:
    said = conversation("level move-time=100", "go think", "quit", "ping")
    assert said.engine.depths == [0]
    assert said.commands() == ["info", "done"]
    assert list(said.script.lines) == ["ping"]


@pytest.mark.parametrize("go", ["go think", "go analyze", "go ponder"])
def test_the_end_of_the_input_ends_the_thinking(go: str) -> None:
    talk = Conversation("level move-time=100", go)
    talk.script.ready = lambda: True
    talk.run()
    assert talk.engine.depths == [0]
    assert talk.commands() == ["info", "done"]
    assert talk.script.at_end == 1


def test_pondering_goes_on_for_the_moves_time_after_the_hit() -> None:
    talk = Conversation('pos start moves="11-15"', "level move-time=2", "go ponder")
    second = [lambda: talk.clock.sleep(1)]
    talk.engine.steps = (*second * 5, lambda: talk.script.lines.append("ponder-hit"), *second * 5)
    talk.run()
    assert talk.engine.depths == [7]
    assert talk.commands()[-1] == "done"


@pytest.mark.parametrize(("level", "depth"), [("depth=4", 4), ("nodes=3000", 3)])
def test_pondering_that_has_gone_far_enough_ends_at_the_hit(level: str, depth: int) -> None:
    talk = Conversation(f"level {level}", "go ponder")
    talk.engine.steps = (*[lambda: None] * depth, lambda: talk.script.lines.append("ponder-hit"), lambda: None)
    talk.run()
    assert talk.engine.depths == [depth]


def test_pondering_that_has_run_out_is_answered_at_the_hit() -> None:
    said = conversation("level move-time=5", "go ponder", "ping", "ponder-hit", "ping", steps=())
    assert said.commands() == ["pong", "info", "done", "pong"]


def test_a_hit_means_nothing_to_other_searches() -> None:
    said = conversation("go analyze", "ponder-hit", "ping", "stop")
    assert said.commands() == ["pong", "info", "done"]


def test_a_real_engine_plays_a_game_with_itself() -> None:
    game = Game()
    for _ in range(12):
        moves = " ".join(map(write_move, game.moves))
        talk = Conversation(f'pos start moves="{moves}"', "level nodes=300", "go think")
        talk.session = HubSession(talk.script, talk.written.append, talk.clock, lambda _, clock: AlphaBeta(clock))
        (done,) = talk.run().answers("done")
        game.play(read_move(game.position, done["move"]))
    assert game.plies == 12


@pytest.mark.parametrize(
    "broken",
    [
        'pos pos="Bbb',
        'pos start moves="11-15',
        f"pos {START} =",
        "pos=start",
        "pos",
        "pos pos=Bbb",
        "pos start moves=1-2",
        "pos " + "x" * (1 << 20),
    ],
)
def test_after_any_wrong_position_there_is_none(broken: str) -> None:
    said = conversation("pos start", broken, "level depth=1", "go think", "pos start", "go think")
    assert said.commands().count("error") == 2
    assert said.answers("error")[1]["message"] == "there is no position to search: the last pos was wrong"
    assert len(said.engine.asked) == 1


def test_a_broken_position_that_comes_during_a_search_counts_after_it() -> None:
    talk = Conversation("level move-time=100", "go think")
    talk.engine.steps = (lambda: talk.script.lines.extend(['pos moves="11-15', "go think"]), *(lambda: None,) * 3)
    assert talk.run().commands()[-3:] == ["done", "error", "error"]
    assert talk.engine.depths == [4]


def test_what_has_been_said_of_a_search_is_not_said_again() -> None:
    told = Reply(Game().position.legal_moves()[0], 3, 2, 100, 0.25, (Game().position.legal_moves()[0],))

    class Ends:
        def __init__(self, more: int) -> None:
            self.more = more

        def choose(self, game, limits, stop=None, progress=None) -> Reply:
            progress(told)
            return replace(told, seconds=0.5, nodes=told.nodes + self.more)

    for more, infos in ((0, 1), (50, 2)):
        written: list[str] = []
        HubSession(
            Script("level depth=2", "go"), written.append, VirtualClock(), lambda *_, more=more: Ends(more)
        ).run()
        assert [read_line(line).command for line in written] == [*["info"] * infos, "done"]


def test_the_engine_of_a_new_game_is_made_before_its_first_move() -> None:
    assert len(conversation("init", "new-game").engine.parameters) == 2
    assert len(conversation("new-game").engine.parameters) == 0
