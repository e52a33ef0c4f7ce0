"""Copies and atomics under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from . import _wait

if TYPE_CHECKING:
    from .session import Run

T = TypeVar("T")


class Future(Generic[T]):
    """A copy or an atomic under way. The run keeps its arrays alive until it is done."""

    def __init__(self, run: "Run", handle: int, value: Any, keep: Any, release: Callable[[], None]) -> None:
        """Made by the methods of Address. value is the result, or a function that returns it."""
        self._run, self._handle, self._value, self._keep, self._release = run, handle, value, keep, release
        if run.api.acp_inquire(handle):
            run.begin(self)
        else:  # as a copy between ranks of one host, which is done at once
            self._finish()

    def done(self) -> bool:
        """Return whether the operation, and all that this rank has begun before it, are done. Does not block."""
        if self._keep is not None and not self._run.api.acp_inquire(self._handle):
            self._finish()
        return self._keep is None

    def result(self) -> T:
        """Wait until the operation is done, and return its result.

        Blocks. A wrong address ends the run, as in C.
        """
        if self._keep is not None and not self.done():
            _wait.until_complete(self._run.api, self._handle)
            self._finish()
        return self._value() if callable(self._value) else self._value

    wait = result

    def _finish(self) -> None:
        """Release the memory of the operation."""
        if self._keep is not None:
            if callable(self._value):
                value = self._value()
                self._value = lambda: value
            self._keep = None
            self._release()
            self._run.end(self)


def wait(*futures: Future[Any]) -> list[Any]:
    """Wait until all futures are done, and return their results. Blocks."""
    return [f.result() for f in futures]
