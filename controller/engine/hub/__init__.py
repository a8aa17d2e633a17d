"""The Hub protocol, version 2, by which draughts programs talk to engines: Crownhead as one, and others as ours.

The protocol is Fabien Letouzey's (protocol.txt of his engine Scan 3.1). It is made for international draughts; here
the board has 32 squares, numbered as in PDN, and Black begins.
"""

from controller.engine.hub.errors import HubError

__all__ = ["HubError"]
