"""Links that never stop the model that sends."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Iterator, Optional

from . import _wait
from .errors import LinkEnded
from .links import DescribedLinks, Link

if TYPE_CHECKING:
    from .coupling import Field


class Publication(Link):
    """The end of a link that publishes a field. Field.publish_to makes it."""

    def send(self, step: int) -> None:
        """Send the values of this rank if the watchers wait for a step. Raises Error. Does not block."""
        self._run.api.call("acp_send_link", self._handle, step)


class Watcher(Link):
    """The end of a link that watches a field. Field.watch makes it.

    As an iterator it receives step after step, until the other model ends the publication::

        for step in watcher:
            draw(step, array)
    """

    def __init__(self, field: "Field", handle: int, of: Optional[DescribedLinks] = None) -> None:
        """Made by Field.watch, and by DescribedLinks, which close it."""
        super().__init__(field, handle)
        self._of = of

    def close(self) -> None:
        """End the use of the link, unless a DescribedLinks closes it.

        All ranks of the model call it. Does not block.
        """
        if self._of is not None:
            self._run.links.pop(self._handle, None)
            return
        super().close()

    def next(self, timeout: Optional[float] = None) -> Optional[int]:
        """Receive the values of the next possible step into the array of the field, and return its number.

        Returns None if the time in seconds is over; then the array is as before. All ranks of the model call it, and
        get the same step. Raises LinkEnded if the publication has ended. Blocks until the values are there.
        """
        step = ctypes.c_int64()
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _wait.SLICE if end is None else min(max(end - time.monotonic(), 0), _wait.SLICE)
            if self._run.api.call("acp_next_link", self._handle, ctypes.byref(step), left) == 0:
                return step.value
            if end is not None and time.monotonic() >= end:
                return None

    def __iter__(self) -> Iterator[int]:
        """Receive step after step until the publication ends. Blocks for each."""
        while True:
            try:
                step = self.next()
            except LinkEnded:
                return
            assert step is not None
            yield step
