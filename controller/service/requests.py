"""What can be asked of a running service: each request is one JSON object, `do` says which."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "best"]


class AskStatus(msgspec.Struct, tag_field="do", tag="status", frozen=True):
    """How the service is; the reply is its `Status`."""


class AskPicture(msgspec.Struct, tag_field="do", tag="picture", frozen=True):
    """The camera's last picture; the reply has it as `jpeg` (base64) with its `age_s`."""


class AskArm(msgspec.Struct, tag_field="do", tag="arm", frozen=True):
    """What the arm does: the reply has `state`, `position_mm`, `homed`, `gripper_on`, `port`."""


class NewGame(msgspec.Struct, tag_field="do", tag="new-game", frozen=True, forbid_unknown_fields=True):
    """A new game is to begin, the present one being given up: set up by the arm if the board is not.

    What is left out stays as it is.
    """

    level: Level | None = None
    human: Literal["black", "white"] | None = None


class EndGame(msgspec.Struct, tag_field="do", tag="end-game", frozen=True):
    """The present game is given up."""


Request = AskStatus | AskPicture | AskArm | NewGame | EndGame
Order = NewGame | EndGame
