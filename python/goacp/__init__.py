"""GoACP: one address space over all processes of a run, and coupling of their programs, for Python.

::

    import goacp

    with goacp.run() as run:
        x = run.zeros((ny, nx))  # peers map it
        print(run.rank, "of", run.size)

Start the program by ``acprun -np 4 python3 program.py``. docs/python.md explains the package.
"""

from .addresses import Address
from .errors import ArrayError, ChannelClosed, Error, LinkEnded, TimedOut
from .futures import Future, wait
from .session import Run, run

__all__ = ["Address", "ArrayError", "ChannelClosed", "Error", "Future", "LinkEnded", "Run", "TimedOut", "run", "wait"]
