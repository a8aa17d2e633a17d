"""The settings of the service: how it waits for people and what it tells to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta


@dataclass(frozen=True)
class ServiceSettings:
    """`crownhead serve`: how it behaves towards people who come and go."""

    absent_s: Annotated[
        float,
        Meta(ge=30, le=86_400, description="After so long without a move the players have gone: the game is ended."),
    ] = 600.0
    next_game_s: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="How long a game's last position stays on the board before the next game is set up.",
        ),
    ] = 30.0
    sets_up: Annotated[bool, Meta(description="Whether the arm sets up the next game; else people do it.")] = True
    keep_games: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description=(
                "Of how many games the journal keeps every look and every transfer; moves and results stay for ever."
            ),
        ),
    ] = 200


@dataclass(frozen=True)
class MqttSettings:
    """Telling a home automation by MQTT (needs the extra "mqtt"); without a host nothing is told."""

    host: Annotated[str | None, Meta(examples=["localhost"], description="The broker's name or address.")] = None
    port: Annotated[int, Meta(ge=1, le=65_535, description="The broker's port.")] = 1883
    username: Annotated[str | None, Meta(examples=["crownhead"], description="Who we are to the broker.")] = None
    password: Annotated[str | None, Meta(examples=["secret"], description="Our password there.")] = None
    topic: Annotated[
        str, Meta(pattern="^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", description="What all our topics begin with.")
    ] = "crownhead"
    discovery: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$",
            description="Home Assistant's prefix for discovered devices.",
        ),
    ] = "homeassistant"
