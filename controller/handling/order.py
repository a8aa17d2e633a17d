"""The order in which a plan's transfers take least time, and the tray places that shorten their ways.

What a plan does is settled; free is only in which order its transfers come, as long as those that share a place keep
theirs and no king is left in two, onto which free place of the tray a disc goes, and which spare disc is fetched.
What counts is the way across between park, sources and targets: picking and putting down take the same time wherever
they are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from math import dist, inf

from controller.draughts import Colour
from controller.handling.layout import Centre, Layout
from controller.handling.places import Area, Place
from controller.handling.plan import Centres, Transfer, carried_out, free_tray_places
from hardware.machine_speeds import REFERENCE_SPEEDS, MachineSpeeds

MOST_IN_ALL_ORDERS = 9
"""Up to so many units of transfers the best order of all is found; of more, one that no single change betters."""
PAYS_S = 0.02
"""For less than this the usual order, the piece that moves first, is not left."""


@dataclass(frozen=True)
class Ways:
    """What a way across takes, from where the arm sets out to where it waits in the end (board mm)."""

    start: Centre
    end: Centre
    centres: Centres
    speeds: MachineSpeeds = REFERENCE_SPEEDS

    def seconds(self, one: Centre, other: Centre) -> float:
        """The time (s) from one point to another."""
        return self.speeds.seconds((*one, 0.0), (*other, 0.0))

    def seconds_of(self, transfers: Sequence[Transfer], layout: Layout) -> float:
        """The time (s) of all ways across, with discs and without, when these transfers are carried out in order."""
        here, total = self.start, 0.0
        for transfer in transfers:
            source = layout.stacks[transfer.source].centre
            layout = carried_out(layout, transfer, self.centres)
            target = layout.stacks[transfer.target].centre
            total += self.seconds(here, source) + self.seconds(source, target)
            here = target
        return total + self.seconds(here, self.end)


def in_best_order(transfers: Sequence[Transfer], layout: Layout, human: Colour, ways: Ways) -> tuple[Transfer, ...]:
    """The same work in the order, and with the tray places, that take least time; never slower than as it was."""
    plan = tuple(transfers)
    if not plan:
        return plan
    units = _units(plan)
    orders = _Orders(units, layout, human, ways)
    found = orders.best() if len(units) <= MOST_IN_ALL_ORDERS else orders.bettered()
    usual = _with_best_places(plan, layout, human, ways)
    chosen = _with_best_places([transfer for i in found for transfer in units[i]], layout, human, ways)
    if ways.seconds_of(chosen, layout) > ways.seconds_of(usual, layout) - PAYS_S:
        chosen = usual
    return min((plan, chosen), key=lambda order: ways.seconds_of(order, layout))


_Unit = tuple[Transfer, ...]
"""Transfers that follow each other whatever comes before and after: the discs of one king."""


def _units(plan: Sequence[Transfer]) -> tuple[_Unit, ...]:
    return tuple(tuple(unit) for _, unit in groupby(plan, key=whither))


def whither(transfer: Transfer) -> tuple[Place, Place | Area]:
    """From where, and to which square or whether to the tray: the discs of a king have it in common."""
    target = transfer.target
    return transfer.source, target if target.area is Area.BOARD else Area.TRAY


@dataclass(frozen=True)
class _Orders:
    """The orders that are possible, and what they take if every tray place is the best for its neighbours."""

    plan: tuple[_Unit, ...]
    layout: Layout
    human: Colour
    ways: Ways

    @cached_property
    def _after(self) -> list[set[int]]:
        """Which units have to be done before each."""
        places = [{unit[0].source, unit[0].target} for unit in self.plan]
        return [{i for i in range(j) if places[i] & places[j]} for j in range(len(self.plan))]

    @cached_property
    def _sources(self) -> list[list[Centre]]:
        return [[self._centre(place) for place in _sources(unit[0], self.layout)] for unit in self.plan]

    @cached_property
    def _targets(self) -> list[list[Centre]]:
        centres = self.ways.centres
        return [
            [centres[place] for place in _targets(unit[-1], self.layout, self.human, centres)] for unit in self.plan
        ]

    def _centre(self, place: Place) -> Centre:
        stack = self.layout.stacks.get(place)
        return stack.centre if stack else self.ways.centres[place]

    @cached_property
    def _between(self) -> list[list[float]]:
        """Row i, column j: from gripping i to gripping j, at best; the last row is from the start, the last column to
        the end."""
        count, ways = len(self.plan), self.ways
        table = [[inf] * (count + 1) for _ in range(count + 1)]
        for i in range(count + 1):
            for j in range(count + 1):
                if i == j:
                    continue
                nexts = self._sources[j] if j < count else [ways.end]
                if i == count:
                    table[i][j] = min(ways.seconds(ways.start, place) for place in nexts)
                    continue
                table[i][j] = min(
                    ways.seconds(source, target) + ways.seconds(target, place)
                    for source in self._sources[i]
                    for target in self._targets[i]
                    for place in nexts
                )
        return table

    def seconds(self, order: Sequence[int]) -> float:
        """What an order takes."""
        count = len(self.plan)
        return sum(self._between[i][j] for i, j in pairwise([count, *order, count]))

    def possible(self, order: Sequence[int]) -> bool:
        """Whether all that share a place keep their order."""
        at = {transfer: n for n, transfer in enumerate(order)}
        return all(at[i] < at[j] for j, before in enumerate(self._after) for i in before)

    def best(self) -> list[int]:
        """The best of all possible orders, by going through the sets of what is done and what was done last.

        (Held and Karp's way of solving the travelling salesman's problem.)
        """
        count = len(self.plan)
        befores = [sum(1 << i for i in before) for before in self._after]
        cheapest: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {(0, count): (0.0, ())}
        for _ in range(count):
            grown: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {}
            for (done, last), (seconds, order) in cheapest.items():
                for j in range(count):
                    if done >> j & 1 or befores[j] & ~done:
                        continue
                    key, found = (done | 1 << j, j), (seconds + self._between[last][j], (*order, j))
                    if key not in grown or found < grown[key]:
                        grown[key] = found
            cheapest = grown
        ends = [(seconds + self._between[last][count], order) for (_, last), (seconds, order) in cheapest.items()]
        return list(min(ends)[1])

    def bettered(self) -> list[int]:
        """The plan's own order, changed by moving one unit at a time as long as that makes it shorter."""
        order = list(range(len(self.plan)))
        while True:
            others = [
                moved for one in order for at in range(len(order)) if self.possible(moved := _moved(order, one, at))
            ]
            best = min(others, key=self.seconds)
            if self.seconds(best) >= self.seconds(order) - 1e-9:
                return order
            order = best


def _moved(order: Sequence[int], one: int, at: int) -> list[int]:
    rest = [other for other in order if other != one]
    return [*rest[:at], one, *rest[at:]]


def _with_best_places(
    transfers: Sequence[Transfer], layout: Layout, human: Colour, ways: Ways
) -> tuple[Transfer, ...]:
    """The transfers in this order, each from and to the tray place that is best for what comes before and after."""
    done: list[Transfer] = []
    here = ways.start
    for number, transfer in enumerate(transfers):
        target = ways.centres[transfer.target]
        sources = _sources(transfer, layout)
        source = min(
            sources,
            key=lambda place: (
                ways.seconds(here, layout.stacks[place].centre) + ways.seconds(layout.stacks[place].centre, target)
            ),
        )
        centre = layout.stacks[source].centre
        following = transfers[number + 1] if number + 1 < len(transfers) else None
        after = ways.end if following is None else _centre_of(following.source, layout, ways.centres)
        target_place = min(
            _targets(transfer, layout, human, ways.centres),
            key=lambda place: (
                ways.seconds(centre, ways.centres[place]) + ways.seconds(ways.centres[place], after),
                dist(centre, ways.centres[place]),
            ),
        )
        chosen = replace(transfer, source=source, target=target_place)
        layout = carried_out(layout, chosen, ways.centres)
        here = layout.stacks[target_place].centre
        done.append(chosen)
    return tuple(done)


def _centre_of(place: Place, layout: Layout, centres: Centres) -> Centre:
    stack = layout.stacks.get(place)
    return stack.centre if stack else centres[place]


def _sources(transfer: Transfer, layout: Layout) -> list[Place]:
    """Where the disc of a transfer may be taken from: for a spare one, wherever one like it lies in the tray."""
    stack = layout.stacks.get(transfer.source)
    if transfer.source.area is Area.BOARD:
        return [transfer.source]
    spare = layout.tray_of(transfer.colour)
    return [p for p in spare if stack is None or layout.stacks[p].crowned is stack.crowned] or [transfer.source]


def _targets(transfer: Transfer, layout: Layout, human: Colour, centres: Centres) -> Sequence[Place]:
    """Where the disc of a transfer may go: to the tray, on any free place of the same side."""
    if transfer.target.area is Area.BOARD:
        return [transfer.target]
    return free_tray_places(layout, transfer.colour, human, centres)
