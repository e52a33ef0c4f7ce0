"""Steps that two models repeat until both agree on the values that they exchange."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Iterator, Optional

import numpy as np

from . import _wait, arrays
from .errors import ArrayError, Error

if TYPE_CHECKING:
    from .coupling import Model

#: The methods and measures, by their numbers.
_METHODS = ("constant", "aitken", "iqn-ils")
_MEASURES = ("absolute", "relative", "residual")


class Implicit:
    """The iteration of two models. Model.implicit makes it.

    One of both models leads: it adds the arrays that are iterated::

        both = wall.implicit("flow", leads=True)
        both.add("area", area)
        both.measure("area", "residual", 1e-4)
        for step in range(steps):
            for number in both.rounds():
                out.send(number)
                load.receive(number)
                area[:] = solve(pressure)
    """

    def __init__(self, model: "Model", other: str, leads: bool) -> None:
        """Made by Model.implicit."""
        self._run = model.run
        self._kept: list[np.ndarray] = []
        #: A call that has not finished, the number that it gives, and the result that means that an iteration follows.
        self._pending: Optional[tuple[_wait.Call, ctypes.c_int64, int]] = None
        self._handle = self._run.api.call("acp_create_implicit", model.handle, other.encode(), int(leads), failure=None)

    def _address(self, array: np.ndarray, what: str) -> int:
        arrays.contiguous(array, what, write=True)
        self._kept.append(array)
        return arrays.address(array)

    def add(self, name: str, array: np.ndarray) -> None:
        """Add an array of float64 that is iterated, in the leading model.

        Each iteration ends with new values in it. All ranks of the model add the same names in the same order. Raises
        ArrayError for another type, and Error. Does not block.
        """
        if array.dtype != np.float64:
            raise ArrayError(f"the array has {array.dtype}: expected float64")
        self._run.api.call("acp_add_implicit", self._handle, name.encode(), self._address(array, "array"), array.size)

    def measure(self, name: str, measure: str, limit: float) -> None:
        """Let a step end only if a measure of an array that has been added is at most limit.

        The measure is the norm of the residual: "absolute", divided by that of the new values for "relative", or divided by
        the first one of the step for "residual". Raises Error. Does not block.
        """
        if measure not in _MEASURES:
            raise ValueError(f"measure is {measure!r}: expected one of {', '.join(_MEASURES)}")
        self._run.api.call("acp_measure_implicit", self._handle, name.encode(), _MEASURES.index(measure), limit)

    def accelerate(self, method: str = "iqn-ils", relaxation: float = 0.5, *, reuse: int = 0, columns: int = 0) -> None:
        """Choose how the next values are computed: by "constant", "aitken" or "iqn-ils".

        reuse is from how many earlier steps "iqn-ils" uses columns, and columns how many it has at most; 0 means 20.
        Raises Error. Does not block.
        """
        if method not in _METHODS:
            raise ValueError(f"method is {method!r}: expected one of {', '.join(_METHODS)}")
        self._run.api.call("acp_accelerate_implicit", self._handle, _METHODS.index(method), relaxation, reuse, columns)

    def limit(self, most: int) -> None:
        """Bound the iterations of a step; 0 means no bound. Raises Error. Does not block."""
        self._run.api.call("acp_limit_implicit", self._handle, most)

    def keep(self, array: np.ndarray) -> None:
        """Let each iteration of a step begin with the values that an array has at the beginning of the step.

        Raises Error within a step. Does not block.
        """
        self._run.api.call("acp_keep_implicit", self._handle, self._address(array, "array"), array.nbytes)

    def rounds(self) -> Iterator[int]:
        """Begin a step, and go through its iterations: the numbers are the steps of the links between both models.

        All ranks of both models do so. Raises Error if values are no finite numbers, and as Sending.send and
        Receiving.receive. If a signal handler raises an exception while it waits, the next call continues there. Blocks until
        all ranks of the leading model have ended the iteration, and in the first step until all ranks of both models have
        begun.
        """
        if self._pending is None:
            self._pending = self._call("acp_begin_implicit", 0)
        while True:
            number = self._finish()
            if number is None:
                self._pending = None
                return
            end = self._call("acp_iterate_implicit", 1)
            self._pending = None
            try:
                yield number
            except GeneratorExit:  # the program has left the loop
                raise
            except BaseException:  # of a signal handler, at the end of the iteration
                self._pending = end
                raise
            self._pending = end

    def _call(self, function: str, follows: int) -> tuple[_wait.Call, ctypes.c_int64, int]:
        """Return a call that waits for other ranks. The result follows means that an iteration follows."""
        number = ctypes.c_int64()
        return _wait.Call(self._run.api, function, self._handle, ctypes.byref(number)), number, follows

    def _finish(self) -> Optional[int]:
        """Finish the call that is pending, and return the number of the iteration that follows, if there is one."""
        assert self._pending is not None
        call, number, follows = self._pending
        try:
            return number.value if call.result() == follows else None
        except Error:
            self._pending = None
            raise

    def last(self) -> tuple[int, bool]:
        """Return how many iterations the last step has had, and whether it has converged. Does not block."""
        count, converged = ctypes.c_int(), ctypes.c_int()
        self._run.api.call("acp_query_implicit", self._handle, ctypes.byref(count), ctypes.byref(converged))
        return count.value, converged.value != 0

    def free(self) -> None:
        """End the iteration, and the use of its arrays. Blocks until all sent messages have left this process."""
        self._run.api.call("acp_free_implicit", self._handle)
        self._kept.clear()
