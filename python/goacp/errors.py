"""Errors of the library as exceptions."""

from __future__ import annotations

import errno


class Error(OSError):
    """A call of the library has failed.

    ``errno`` is the number, as in ``ACP_ERRNO`` of C, and ``strerror`` the reason as text. ``function`` is
    the name of the C function.
    """

    function = ""


class TimedOut(Error, TimeoutError):
    """The time limit of a call is over. Nothing has changed, and the call may be repeated."""


class LinkEnded(Error):
    """The other side has closed the link, or has ended the publication of the field."""


class ChannelClosed(Error, EOFError):
    """The sender has closed its end of the channel, and no message is left."""


class ArrayError(TypeError):
    """An array cannot be passed to the library. The text names an array that can be passed."""


_classes = {errno.ETIMEDOUT: TimedOut, errno.EPIPE: LinkEnded}


def make(function: str, number: int, text: str) -> Error:
    """Return the exception for a C function that has failed with a number and a text."""
    error = _classes.get(number, Error)(number, text)
    error.function = function
    return error
