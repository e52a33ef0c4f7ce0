"""Calls that wait, in such a way that Ctrl-C acts within a short time."""

from __future__ import annotations

import errno
import functools
import operator
import os
import threading
from typing import Any, Callable, Optional, TypeVar

from . import errors
from ._api import UNDER_WAY, Api

#: A wait lasts at most so many seconds before Python looks for signals.
SLICE = 0.1

_T = TypeVar("_T")


class _Limited(threading.local):
    """The library whose calls in this thread have the limit SLICE."""

    api: Optional[Api] = None


thread = _Limited()


def limit(api: Api) -> None:
    """Limit the calls of this thread to SLICE, unless they are."""
    if thread.api is not api:
        api.call("acp_set_timeout", SLICE)
        thread.api = api


def failure(api: Api, function: str, number: int) -> errors.Error:
    """Return the exception for a failure of a function with a number, also if this thread has made other calls since."""
    if api.acp_error_number() == number:
        return api.failure(function)
    return errors.make(function, number, os.strerror(number))


def until_done(api: Api, function: str, *arguments: Any, failure: Any = -1, unfinished: int = errno.ETIMEDOUT) -> Any:
    """Call a function that acp_set_timeout limits until its wait is over, and return its result.

    unfinished is the number of its failure while it waits.

    Raises Error, or what a signal handler raises. Then the call may be made again.
    """
    limit(api)
    call = getattr(api, function)
    while True:
        result = call(*arguments)
        if result != failure:
            return result
        if api.acp_error_number() != unfinished:
            raise api.failure(function)


#: Calls its argument. As all of map and partial it is C, in which Python runs no signal handler.
_call = operator.methodcaller("__call__")


class Call:
    """A call that until_done could make, of which nothing is lost if a signal handler raises an exception.

    The handler may run after the call has returned, and before its result is stored: the function has finished, and must
    not be called again. So the result is stored by the expression that makes the call.
    """

    __slots__ = ("_api", "_failure", "_function", "_outcome", "_step", "_unfinished")

    def __init__(
        self, api: Api, function: str, *arguments: Any, failure: Any = -1, unfinished: Optional[int] = errno.ETIMEDOUT,
    ) -> None:
        """Prepare the call. Its arguments stay the same, also if it continues."""
        self._api, self._function, self._failure, self._unfinished = api, function, failure, unfinished
        self._step = (functools.partial(getattr(api, function), *arguments), api.acp_error_number)
        self._outcome: list[Any] = []  # the result and the number of a failure, when there are any

    def result(self) -> Any:
        """Wait until the function has finished, and return its result, also if it is asked for again.

        Raises Error, or what a signal handler raises. Then it may be called again.
        """
        limit(self._api)
        outcome = self._outcome
        while True:
            if not outcome:
                outcome.extend(map(_call, self._step))
            result, number = outcome
            if result != self._failure:
                return result
            if number != self._unfinished:
                raise failure(self._api, self._function, number)
            outcome.clear()


def until_complete(api: Api, handle: int) -> int:
    """Wait until the transfer of a handle is complete. Return 0, or the number of its failure."""
    limit(api)
    while True:
        number = api.goacp_python_complete(handle, 1)
        if number != UNDER_WAY:
            return number


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
