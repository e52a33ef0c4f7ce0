"""GoACP: one address space over all processes of a run, and coupling of their programs, for Python.

::

    import goacp

    with goacp.run() as run:
        x = run.zeros((ny, nx))  # an array that peers map
        ocean = run.model("ocean")
        with ocean.field("sst", x, block=((Y, X), (y0, 0))).send_to("atmosphere.surface") as out:
            for step in range(steps):
                compute(x)
                out.send(step)

Start the program by ``acprun -np 4 python3 program.py``. docs/python.md explains the package.
"""

from .addresses import Address
from .channels import Receiver, Sender
from .coupling import Field, Model
from .errors import ArrayError, ChannelClosed, Error, LinkEnded, TimedOut
from .futures import Future, wait
from .grids import Grid
from .implicit import Implicit
from .links import DescribedLinks, Link, Receiving, Sending
from .maps import Map
from .members import Epoch, State
from .registration import Registration
from .session import Run, run
from .values import Values
from .watching import Publication, Watcher

__all__ = [
    "Address", "ArrayError", "ChannelClosed", "DescribedLinks", "Epoch", "Error", "Field", "Future", "Grid", "Implicit",
    "Link", "LinkEnded", "Map", "Model", "Publication", "Receiver", "Receiving", "Registration", "Run", "Sender",
    "Sending", "State", "TimedOut", "Values", "Watcher", "run", "wait",
]
