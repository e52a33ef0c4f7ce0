"""Calls that wait, in such a way that Ctrl-C acts within a short time."""

from __future__ import annotations

import errno
import threading
from typing import Any, Callable, Optional, TypeVar

from ._api import Api

#: A wait lasts at most so many seconds before Python looks for signals.
SLICE = 0.1

_T = TypeVar("_T")


class _Limited(threading.local):
    """The library whose calls in this thread have the limit."""

    api: Optional[Api] = None


_thread = _Limited()


def _limit(api: Api) -> None:
    """Limit the calls of this thread to SLICE."""
    api.call("acp_set_timeout", SLICE)
    _thread.api = api


def until_done(api: Api, function: str, *arguments: Any, failure: Any = -1, unfinished: int = errno.ETIMEDOUT) -> Any:
    """Call a function that acp_set_timeout limits until its wait is over, and return its result.

    unfinished is the number of its failure while it waits.

    Raises Error, or what a signal handler raises. Then the call may be made again.
    """
    if _thread.api is not api:
        _limit(api)
    call = getattr(api, function)
    while True:
        result = call(*arguments)
        if result != failure:
            return result
        if api.acp_error_number() != unfinished:
            raise api.failure(function)


def until_complete(api: Api, handle: int) -> None:
    """Wait until the GMA of a handle is complete."""
    if _thread.api is not api:
        _limit(api)
    while api.acp_inquire(handle):
        api.acp_complete(handle)


def in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    """Make a call that has no time limit in another thread, so that the main thread can act on signals.

    If a signal handler raises an exception, the call continues, and its result is lost.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(*arguments)
    outcome: list[Any] = []
    done = threading.Event()

    def work() -> None:
        try:
            outcome.extend((call(*arguments), None))
        except BaseException as error:  # raised in the thread that waits
            outcome.extend((None, error))
        done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.wait(SLICE):
        pass
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
