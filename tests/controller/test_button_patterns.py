"""What is said with one button: how often it is pressed, and for how long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.button_patterns import COUNTED, GAP_S, LONG_S, Pattern, PatternReader
from controller.wishes import Wish, Wishes
from hardware.clock import VirtualClock
from hardware.panel import Edge, NoPanel, Panel
from hardware.simulated.panel import SimulatedPanel

Presses = list[tuple[float, float]]
"""When the button goes down and up, s."""


def read(presses: Presses, every_s: float, until_s: float = 30.0) -> list[tuple[float, Pattern]]:
    """What a reader that is asked every so often says, and when."""
    edges = sorted(
        [Edge(True, down) for down, _ in presses] + [Edge(False, up) for _, up in presses],
        key=lambda edge: edge.time_s,
    )
    reader, said, now = PatternReader(), [], 0.0
    while now < until_s:
        now += every_s
        due = [edge for edge in edges if edge.time_s <= now]
        edges = edges[len(due) :]
        said += [(now, pattern) for pattern in reader.read(due, now)]
    return said


def in_a_row(count: int, begins_s: float = 1.0, down_s: float = 0.15, pause_s: float = 0.25) -> Presses:
    starts = [begins_s + number * (down_s + pause_s) for number in range(count)]
    return [(start, start + down_s) for start in starts]


@pytest.mark.parametrize("every_s", [0.02, 0.3, 0.5])
@pytest.mark.parametrize("count", COUNTED)
def test_presses_in_a_row_are_counted_however_seldom_anybody_looks(count: int, every_s: float) -> None:
    (_, first), (when, pattern) = read(in_a_row(count), every_s)
    assert (first, pattern) == (Pattern.ONCE, COUNTED[count])
    last_up = in_a_row(count)[-1][1]
    assert last_up + GAP_S <= when <= last_up + GAP_S + every_s + 1e-9


@pytest.mark.parametrize("every_s", [0.02, 0.5])
def test_a_single_press_counts_as_soon_as_anybody_looks(every_s: float) -> None:
    ((when, pattern),) = read(in_a_row(1), every_s)
    assert pattern is Pattern.ONCE
    assert 1.0 <= when <= 1.0 + every_s + 1e-9


def test_presses_that_are_far_apart_are_each_one() -> None:
    said = read(in_a_row(3, pause_s=GAP_S + 0.1), 0.1)
    assert [pattern for _, pattern in said] == [Pattern.ONCE] * 3


def test_who_presses_too_often_says_no_more_than_with_one_press() -> None:
    assert [pattern for _, pattern in read(in_a_row(7), 0.1)] == [Pattern.ONCE]


def test_a_held_button_speaks_while_it_is_held_and_not_when_it_is_let_go() -> None:
    _, (when, pattern) = read([(1.0, 9.0)], 0.1)
    assert pattern is Pattern.LONG
    assert 1.0 + LONG_S <= when <= 1.0 + LONG_S + 0.11


def test_a_press_that_is_slow_is_still_a_press() -> None:
    assert [pattern for _, pattern in read([(1.0, 1.0 + LONG_S - 0.2)], 0.1)] == [Pattern.ONCE]


def test_after_a_long_one_the_next_press_counts_anew() -> None:
    said = read([(1.0, 5.0), *in_a_row(2, 8.0)], 0.1)
    assert [pattern for _, pattern in said] == [Pattern.ONCE, Pattern.LONG, Pattern.ONCE, Pattern.TWICE]


@given(
    st.lists(st.tuples(st.floats(0.03, 2.0), st.floats(0.03, 2.0)), max_size=12),
    st.sampled_from([0.05, 0.2, 0.5]),
)
def test_when_it_is_looked_changes_nothing_of_what_is_said(
    lengths: list[tuple[float, float]], every_s: float
) -> None:
    presses, now = [], 0.5
    for down_s, pause_s in lengths:
        presses.append((now, now + down_s))
        now += down_s + pause_s
    often = [pattern for _, pattern in read(presses, 0.01, 60.0)]
    assert [pattern for _, pattern in read(presses, every_s, 60.0)] == often


def wished(panel: Panel, clock: VirtualClock, seconds: float, wishes: Wishes | None = None) -> list[Wish]:
    wishes = wishes or Wishes(panel, clock)
    said = []
    for _ in range(round(seconds / 0.25)):
        clock.sleep(0.25)
        if (wish := wishes.take()) is not None:
            said.append(wish)
    return said


@pytest.mark.parametrize(("times", "wish"), [(2, Wish.HINT), (3, Wish.TAKE_BACK), (4, Wish.DRAW)])
def test_each_pattern_is_a_wish(times: int, wish: Wish) -> None:
    clock = VirtualClock()
    panel = SimulatedPanel(clock.now)
    for number in range(times):
        panel.press_turn(after_s=0.4 * number)
    assert wished(panel, clock, 4) == [Wish.DONE, wish]
    assert not panel.turn_pressed(), "nobody takes it for another press"


def test_holding_it_is_a_wish() -> None:
    clock = VirtualClock()
    panel = SimulatedPanel(clock.now)
    panel.press_turn(seconds=3.5)
    assert wished(panel, clock, 6) == [Wish.DONE, Wish.RESIGN]


def test_without_times_every_press_means_that_the_move_is_made() -> None:
    class Plain(NoPanel):
        def turn_pressed(self) -> bool:
            return True

    assert wished(Plain(), VirtualClock(), 0.5) == [Wish.DONE, Wish.DONE]


def test_what_was_pressed_before_the_turn_is_forgotten_and_what_was_typed_is_not() -> None:
    clock = VirtualClock()
    panel = SimulatedPanel(clock.now)
    wishes = Wishes(panel, clock)
    panel.press_turn()
    clock.sleep(0.1)
    wishes.ask(Wish.HINT)
    wishes.forget()
    assert wishes.pending
    assert wished(panel, clock, 3, wishes) == [Wish.HINT]
    assert not wishes.pending
