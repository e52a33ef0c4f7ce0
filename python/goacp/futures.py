"""Copies and atomics under way."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar

from . import _wait
from ._api import UNDER_WAY

if TYPE_CHECKING:
    from .session import Run

T = TypeVar("T")


class Future(Generic[T]):
    """A copy or an atomic under way. The run keeps its arrays alive until it is done."""

    __slots__ = ("__weakref__", "_failure", "_finish", "_handle", "_keep", "_lock", "_release", "_run", "_value")

    def __init__(
        self, value: Any, handle: int = 0, run: Optional["Run"] = None, keep: Any = None,
        finish: Optional[Callable[[], Any]] = None, release: Optional[Callable[[], Any]] = None,
    ) -> None:
        """Made by the methods of Address.

        Without a handle the operation is done. The result is value, or what finish returns, which may be called again if a
        signal handler interrupts it. Afterwards release is called once.
        """
        self._value, self._handle, self._failure = value, handle, 0
        if run is not None:
            self._run, self._keep, self._finish, self._release = run, keep, finish, release
            self._lock = threading.RLock()  # a signal handler may ask for the result as well
            run.begin(self)

    def done(self) -> bool:
        """Return whether the operation, and all that this rank has begun before it, are done. Does not block."""
        handle = self._handle
        if handle:
            number = self._run.api.goacp_python_complete(handle, 0)
            if number != UNDER_WAY:
                self._end(number)
        return self._handle == 0

    def result(self) -> T:
        """Wait until the operation is done, and return its result.

        Raises Error if the operation, or one that this rank has begun before it, has failed because a rank has left the run
        or a guest is gone. Blocks. A wrong address ends the run, as in C.
        """
        handle = self._handle
        if handle and not self.done():
            self._end(_wait.until_complete(self._run.api, handle))
        if self._failure:
            raise _wait.failure(self._run.api, "acp_complete", self._failure)
        return self._value

    wait = result

    def _end(self, failure: int) -> None:
        """Take the result or the number of a failure, and release the memory of the operation.

        Another thread that comes meanwhile waits.
        """
        release = None
        with self._lock:
            if self._handle:
                self._failure = failure
                if self._finish is not None and not failure:
                    self._value = self._finish()
                release, self._release = self._release, None
                self._keep = self._finish = None
                self._handle = 0  # from here on threads take the value without the lock
        if release is not None:
            release()
        self._run.end(self)


def wait(*futures: Future[Any]) -> list[Any]:
    """Wait until all futures are done, and return their results. Blocks."""
    return [f.result() for f in futures]
