"""The ranks of a run that grows and shrinks."""

from __future__ import annotations

import enum
from typing import NamedTuple


class State(enum.IntEnum):
    """The state of a rank, as this process has received it."""

    NONE = 0  #: no process has come as this rank
    WAITING = 1  #: it waits in goacp.run() until the ranks of the run adopt it
    PRESENT = 2  #: it belongs to the run
    LEFT = 3  #: it has left by Run.adopt, or is a guest that has finalised
    LOST = 4  #: it has ended otherwise, and the run goes on


class Epoch(NamedTuple):
    """The ranks that call functions together, between two calls of Run.adopt."""

    number: int  #: how often they have called Run.adopt
    ranks: list[int]  #: in ascending order
