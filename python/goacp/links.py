"""Links between fields, which move values step by step."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, Union

from . import _wait

if TYPE_CHECKING:
    from .coupling import Field
    from .session import Run
    from .watching import Watcher

_L = TypeVar("_L", bound="Link")

#: The ways of Sending.reduce, by their numbers.
_REDUCTIONS = ("last", "sum", "average", "minimum", "maximum")


class Link:
    """One end of a link. It keeps its field and the array of the field alive until it is closed or the run ends."""

    def __init__(self, field: "Field", handle: int) -> None:
        """Made by the methods of Field."""
        self.field, self._handle, self._closed = field, handle, False
        self._run = field.model.run
        self._run.links[handle] = self

    def close(self) -> None:
        """End the use of the link. Messages that have been sent still arrive.

        Blocks until they have left this process.
        """
        if not self._closed:
            self._closed = True
            self._run.links.pop(self._handle, None)
            self._run.api.call("acp_close_link", self._handle)

    def __enter__(self: _L) -> _L:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()

    def ready(self) -> bool:
        """Return whether the next step that has a message would not wait. Does not block."""
        return self._run.api.call("acp_isready_link", self._handle) == 0

    def scale(self, factor: float = 1, offset: float = 0) -> None:
        """Multiply the values by a factor and add an offset, such as for another unit. Does not block."""
        self._run.api.call("acp_scale_link", self._handle, factor, offset)

    def times(self) -> tuple[int, float]:
        """Return how many messages this rank has sent or received, and how many seconds its calls have waited.

        Does not block.
        """
        messages, waited = ctypes.c_int64(), ctypes.c_double()
        self._run.api.call("acp_query_link_times", self._handle, ctypes.byref(messages), ctypes.byref(waited))
        return messages.value, waited.value

    def record(self, file: Union[str, "os.PathLike[str]"], every: int = 1) -> None:
        """Write the values of each message whose number every divides to a netCDF file from now on.

        The name of the file is file, a full stop, the number of the process in its model, and ".nc". Raises Error. Does
        not block, apart from writing.
        """
        self._run.api.call("acp_record_link", self._handle, os.fsencode(file), every)

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Write the state of the operations in time of this rank, between two steps, to file and the number of the process.

        Raises Error, also for a link without such operations. Does not block, apart from writing.
        """
        self._run.api.call("acp_save_link", self._handle, os.fsencode(file))

    def load(self, file: Union[str, "os.PathLike[str]"]) -> int:
        """Continue from what save has written, and return the last step before that.

        Choose the same operations before, and call it before the first step, in place of Sending.initialize. Raises
        Error, with what was found and what was expected. Does not block, apart from reading.
        """
        step = ctypes.c_int64()
        self._run.api.call("acp_load_link", self._handle, os.fsencode(file), ctypes.byref(step))
        return step.value


class Moving(Link):
    """One end of a link whose rank sends or receives each step."""

    _function: str  # of C that moves a step
    _by_number: str  # the same, which reports a failure by its number

    def __init__(self, field: "Field", handle: int) -> None:
        """Made by the methods of Field."""
        super().__init__(field, handle)
        self._api = self._run.api
        self._call: Callable[[int, int], int] = getattr(self._api, self._by_number)
        self._handles = (handle,)
        self._step: Optional[int] = None  # of a call that was interrupted
        self._outcome: list[int] = []  # of that call, if the function has finished

    def _move(self, step: int) -> None:
        """Send or receive a step.

        If a signal handler raises an exception, a call with the same step continues. The function of C may have finished,
        and must not be called again: so its outcome is stored by the expression that calls it.
        """
        if self._step != step:
            self._step, self._outcome = step, []
        outcome = self._outcome
        if _wait.thread.api is not self._api:
            _wait.limit(self._api)
        while True:
            if not outcome:
                outcome.extend(map(self._call, self._handles, (step,)))
            if outcome[0] == 0:
                self._step = None
                return
            if outcome[0] != errno.ETIMEDOUT:
                self._step = None
                raise _wait.failure(self._api, self._function, outcome[0])
            outcome.clear()


class Sending(Moving):
    """The sending end of a link. Field.send_to makes it."""

    _function, _by_number = "acp_send_link", "goacp_python_send"

    def send(self, step: int) -> None:
        """Send the values of this rank. The array may change afterwards.

        It does nothing in steps without a message. Steps are at least 0, and ascend. Raises LinkEnded if a receiver
        has closed the link, and Error for a wrong step. Blocks while a receiver is as many messages behind as the
        link has levels.
        """
        self._move(step)

    def reduce(self, how: str) -> None:
        """Let each message have the "sum", "average", "minimum" or "maximum" of all steps since the last message.

        Call send in each step. Raises Error for integers, and after the first step. Does not block.
        """
        if how not in _REDUCTIONS:
            raise ValueError(f"how is {how!r}: expected one of {', '.join(_REDUCTIONS)}")
        self._run.api.call("acp_reduce_link", self._handle, _REDUCTIONS.index(how))

    def lag(self, steps: int) -> None:
        """Let the values of step n count as those of step n + steps. Call initialize or load afterwards.

        Raises Error if steps are more messages than the link has levels, and after the first step. Does not block.
        """
        self._run.api.call("acp_lag_link", self._handle, steps)

    def initialize(self, step: int = 0, file: Optional[Union[str, "os.PathLike[str]"]] = None) -> None:
        """Send the messages that a lag needs before those of the first step, whose number is step.

        They have the present values of the field, or those of a file, which has all points of the grid, as tofile of
        numpy writes them. Raises Error. Does not block, apart from reading.
        """
        name = None if file is None else os.fsencode(file)
        self._run.api.call("acp_initialize_link", self._handle, step, name)


class Receiving(Moving):
    """The receiving end of a link. Field.receive_from makes it."""

    _function, _by_number = "acp_receive_link", "goacp_python_receive"

    def receive(self, step: int) -> None:
        """Receive the values of a step for this rank, into the array of the field.

        It does nothing in steps without a message. Raises LinkEnded if a sender has closed the link and all its
        messages have been received, and Error for a wrong step; then the array is as before. Blocks until the
        values have arrived.
        """
        self._move(step)

    def interpolate(self) -> None:
        """Compute the values of each step on the straight line between the messages before and after it.

        Raises Error for integers, and after the first step. Does not block.
        """
        self._run.api.call("acp_interpolate_link", self._handle)


class DescribedLinks:
    """The links of the run's description that begin or end at a model. Model.open_links makes it."""

    def __init__(self, run: "Run", handle: int) -> None:
        self._run, self._handle, self._closed = run, handle, False

    def send(self, step: int) -> None:
        """Send the fields of all links that begin at the model and have a message in this step.

        Otherwise as Sending.send. Blocks until the receivers have room.
        """
        _wait.in_thread(lambda: self._run.api.call("acp_send_links", self._handle, step))

    def receive(self, step: int) -> None:
        """Receive the fields of all links that end at the model and have a message in this step.

        Watched links are left out. Otherwise as Receiving.receive. Blocks until the values have arrived.
        """
        _wait.in_thread(lambda: self._run.api.call("acp_receive_links", self._handle, step))

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Write the states of all links with operations in time to files in a folder. Otherwise as Link.save. Does not
        block, apart from writing."""
        self._run.api.call("acp_save_links", self._handle, os.fsencode(folder))

    def load(self, folder: Union[str, "os.PathLike[str]"]) -> int:
        """Continue from what save has written, and return the last step before that, or -1 if no link has a state.

        Otherwise as Link.load. Does not block, apart from reading.
        """
        step = ctypes.c_int64()
        self._run.api.call("acp_load_links", self._handle, os.fsencode(folder), ctypes.byref(step))
        return step.value

    def watcher(self, field: "Field") -> "Watcher":
        """Return the watched link to a field of the model. close closes it. Raises Error. Does not block."""
        from .watching import Watcher

        handle = self._run.api.call("acp_query_watched_link", self._handle, field.name.encode(), failure=None)
        return Watcher(field, handle, of=self)

    def close(self) -> None:
        """Close all of the links. Blocks until all sent messages have left this process."""
        if not self._closed:
            self._closed = True
            self._run.api.call("acp_close_links", self._handle)

    def __enter__(self) -> "DescribedLinks":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
