"""The table as MuJoCo has it: floor, discs, and a gantry with one of three grippers. Metres, kilograms, newtons.

The gantry's three slides are so heavy that nothing can hold them up: they go where they are driven. Below them hangs
a light tip on a spring. Timestep, integrator and contact stiffness were found to be stable with a whole set of discs.
"""

from __future__ import annotations

import math

from hardware.simulated.physics.floor import Floor
from hardware.simulated.physics.interface import DiscSizes, GripperKind

TIMESTEP_S = 0.002
MM = 0.001
DENSITY = 700.0
"""Of the discs' wood, kg/m³."""
FRICTION = 0.4
"""Wood on wood."""
DRAG = 5e-7
"""On a disc's rotation (N m s; on its motion, N s/m, it is nothing): one on its rim does not roll on for ever."""
RUBBER = 0.9
"""Friction of the cup on wood."""
SPRING_N_PER_M = 300.0
PRELOAD_N = 0.25
"""What it takes to push the tip in at all: more than a king's weight, so that what hangs below it does not sag."""
CUP_RADIUS_MM = 6.0
CUP_POINTS = 4
CUP_FORCES_N = {GripperKind.SUCTION: 1.5, GripperKind.MAGNET: 1.0, GripperKind.JAWS: 0.0}
CUP_GAPS_MM = {GripperKind.SUCTION: 1.0, GripperKind.MAGNET: 2.5, GripperKind.JAWS: 0.0}
"""Across how wide a gap suction or magnet still pull."""
OPEN_MM, CLOSED_MM = 6.0, -6.5
"""How far a finger's pads stand off a disc in the middle, and how far they go in where there is none."""
FOLDED_MM = 12.0
"""How far above the tip the lower ends of the folded fingers are: clear of whatever a bare tip passes."""
CLOSING_N = 5.0
LOWERING_N = 1.0
PAD_THICK_MM, PAD_WIDE_MM, PAD_TURN_DEG = 2.0, 8.0, 30.0
"""Each finger has two pads, set in a V, so that a stack is centred both ways."""
PAD_FRICTION = 0.45
"""Less than the tangent of the pads' turn, or a disc would stick where they first touch it."""
PARKED_M = 10.0
"""Discs that are out of play lie this far away."""
TABLE_M, THICK_M = 20.0, 0.1
"""The table's half width, and how thick it is. It is no plane: MuJoCo's test of a plane against a cylinder finds no
contact where the two are parallel but for rounding, and a disc put down level falls through."""


def finger_travel_mm(sizes: DiscSizes) -> float:
    """How far the fingers come down at most: over a king."""
    return 2 * sizes.height_mm + FOLDED_MM + 1.0


def model_xml(floor: Floor, sizes: DiscSizes, count: int, gripper: GripperKind) -> str:
    """The model with `count` discs, all out of play, in MuJoCo's XML (MJCF)."""
    radius, half = sizes.diameter_mm / 2 * MM, sizes.height_mm / 2 * MM
    mass = DENSITY * math.pi * radius**2 * 2 * half
    jaws = gripper is GripperKind.JAWS
    return f"""
<mujoco model="table">
  <option timestep="{TIMESTEP_S}" integrator="implicitfast" jacobian="sparse">
    <flag sleep="enable" autoreset="disable"/>
  </option>
  <default>
    <geom condim="3" friction="{FRICTION} 0.005 0.0001" solref="0.004 1"/>
    <default class="disc">
      <geom type="cylinder" size="{radius} {half}" mass="{mass}"/>
    </default>
    <default class="arm">
      <geom contype="2" conaffinity="1" mass="0.001"/>
    </default>
    <default class="cup">
      <geom type="sphere" size="{MM}" contype="2" conaffinity="1" mass="0.0002"
            friction="{RUBBER} 0.005 0.0001" gap="{CUP_GAPS_MM[gripper] * MM}"/>
    </default>
    <default class="pad">
      <geom type="box" contype="2" conaffinity="1" mass="0.005" friction="{PAD_FRICTION} 0.005 0.0001"
            priority="1" solimp="0.95 0.99 0.001"/>
    </default>
  </default>
  <worldbody>
    {_floor_geoms(floor)}
    <body name="gantry" gravcomp="1" sleep="never">
      <joint name="x" type="slide" axis="1 0 0" armature="1000"/>
      <joint name="y" type="slide" axis="0 1 0" armature="1000"/>
      <joint name="z" type="slide" axis="0 0 1" armature="1000"/>
      <geom type="sphere" size="0.001" pos="0 0 0.2" mass="1" contype="0" conaffinity="0"/>
      <body name="tip" gravcomp="1">
        <joint name="give" type="slide" axis="0 0 1" range="0 0.1" limited="true" solreflimit="0.004 1"
               stiffness="{SPRING_N_PER_M}" springref="{-PRELOAD_N / SPRING_N_PER_M}" damping="4" armature="0.02"/>
        <geom class="arm" type="cylinder" size="{CUP_RADIUS_MM * MM} 0.022" pos="0 0 0.023"/>
        <body name="cup" gravcomp="1">{_cup_geoms()}</body>
      </body>
      {_fingers(sizes) if jaws else ""}
    </body>
    {"".join(_disc(index, floor.base_mm * MM + half) for index in range(count))}
  </worldbody>
  <actuator>
    <adhesion name="hold" body="cup" ctrlrange="0 1" gain="{CUP_FORCES_N[gripper]}"/>
    {_finger_motors() if jaws else ""}
  </actuator>
  {_FINGERS_TOGETHER if jaws else ""}
</mujoco>"""


def parked_at(index: int) -> tuple[float, float]:
    """Where a disc lies while it is out of play, m."""
    return PARKED_M + 0.1 * index, PARKED_M


def _disc(index: int, z: float) -> str:
    x, y = parked_at(index)
    return (
        f'<body name="disc{index}" pos="{x} {y} {z}"><joint type="free" damping="{DRAG}"/><geom class="disc"/></body>'
    )


def _floor_geoms(floor: Floor) -> str:
    base = floor.base_mm * MM
    geoms = [f'<geom type="box" size="{TABLE_M} {TABLE_M} {THICK_M / 2}" pos="0 0 {base - THICK_M / 2}"/>']
    for slab in floor.slabs:
        corners = [*zip(slab.lower, slab.upper, strict=True), (floor.base_mm, slab.top_mm)]
        middle = " ".join(str((low + high) / 2 * MM) for low, high in corners)
        size = " ".join(str((high - low) / 2 * MM) for low, high in corners)
        geoms.append(f'<geom type="box" pos="{middle}" size="{size}"/>')
    return "".join(geoms)


def _cup_geoms() -> str:
    """Points on the rim of the cup: with few of them contacts stay where they are and nothing rocks."""
    radius = (CUP_RADIUS_MM - 1) * MM
    angles = (2 * math.pi * (point + 0.5) / CUP_POINTS for point in range(CUP_POINTS))
    return "".join(
        f'<geom class="cup" pos="{radius * math.cos(angle)} {radius * math.sin(angle)} {MM}"/>' for angle in angles
    )


def _fingers(sizes: DiscSizes) -> str:
    """Two fingers across the board's diagonal, where neighbouring discs leave most room."""
    long = 2 * sizes.height_mm + 3
    pads = ""
    for turn in (-PAD_TURN_DEG, PAD_TURN_DEG):
        away = (sizes.diameter_mm + PAD_THICK_MM) / 2
        x, y = away * math.cos(math.radians(turn)), away * math.sin(math.radians(turn))
        pads += (
            f'<geom class="pad" pos="{x * MM} {y * MM} {(FOLDED_MM + long / 2) * MM}" euler="0 0 {turn}" '
            f'size="{PAD_THICK_MM / 2 * MM} {PAD_WIDE_MM / 2 * MM} {long / 2 * MM}"/>'
        )
    return "".join(
        f"""
      <body name="finger{side}" gravcomp="1" euler="0 0 {45 + 180 * side}">
        <joint name="lower{side}" type="slide" axis="0 0 1" range="{-finger_travel_mm(sizes) * MM} 0" limited="true"
               armature="0.02"/>
        <joint name="open{side}" type="slide" axis="1 0 0" range="{CLOSED_MM * MM} {OPEN_MM * MM}" limited="true"
               solreflimit="0.004 1" armature="0.02" damping="40"/>
        {pads}
      </body>"""
        for side in (0, 1)
    )


def _finger_motors() -> str:
    lower = "".join(
        f'<position name="lower{side}" joint="lower{side}" kp="3000" kv="19" '
        f'forcerange="{-LOWERING_N} {LOWERING_N}"/>'
        for side in (0, 1)
    )
    return lower + "".join(f'<motor name="open{side}" joint="open{side}"/>' for side in (0, 1))


_FINGERS_TOGETHER = """<equality><joint joint1="open0" joint2="open1" solref="0.004 1"/></equality>"""
