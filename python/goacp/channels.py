"""Channels of arrays and other objects between two ranks."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import _wait, arrays
from .errors import ChannelClosed, Error

if TYPE_CHECKING:
    from .session import Run

# The first message for an object: how it is encoded, the bytes of its description, and of its data. Then comes
# the description, and the data if there is room.
_HEAD = struct.Struct("<4sIQ")
_ARRAY, _OBJECT = b"goaA", b"goaO"
_FAILED = (1 << 64) - 1  # (size_t)-1
_ROOM = 2048  # of the first message, in bytes


class _End:
    """One end of a channel."""

    def __init__(self, run: "Run", sender: int, receiver: int) -> None:
        self._run = run
        self._handle = run.api.call("acp_create_ch", sender, receiver, failure=None)

    def _request(self, function: str, *arguments: Any) -> int:
        """Begin a request, wait until it is finished, and return its size."""
        request = self._run.api.call(function, self._handle, *arguments, failure=None)
        return _wait.until_done(self._run.api, "acp_wait_ch", request, failure=_FAILED)

    def _message(self, function: str, array: np.ndarray) -> int:
        """Send or receive a message whose memory is an array.

        If a signal handler raises an exception, the request continues, and the array stays until the end of the run.
        """
        self._run.abandoned[id(array)] = array
        size = self._request(function, arrays.address(array), array.nbytes)
        del self._run.abandoned[id(array)]
        return size

    def close(self) -> None:
        """Free this end. Blocks until the other rank closes its end, too."""
        if self._handle is not None:
            self._request("acp_nbfree_ch")
            self._handle = None

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()


class Sender(_End):
    """The sending end of a channel. Run.sender makes it, and the other rank calls Run.receiver.

    Several channels between the same ranks connect in the order in which both make them.
    """

    def __init__(self, run: "Run", to: int) -> None:
        super().__init__(run, run.rank, to)

    def __enter__(self) -> "Sender":
        return self

    def send(self, value: Any) -> None:
        """Send an array of numbers, or any object that can be pickled. It may change afterwards.

        Raises Error if the end is closed. Blocks until the message is in the buffer of the receiver, or has been
        received if it is longer.
        """
        plain = isinstance(value, np.ndarray) and not value.dtype.hasobject and type(value) is np.ndarray
        if plain:
            data = np.ascontiguousarray(value)
            about, body = pickle.dumps((data.dtype.str, value.shape)), data.reshape(-1).view(np.uint8)
        else:
            about, body = b"", np.frombuffer(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), np.uint8)
        first = _HEAD.pack(_ARRAY if plain else _OBJECT, len(about), body.nbytes) + about
        if len(first) + body.nbytes <= _ROOM:
            self.send_bytes(first + body.tobytes())
            return
        self.send_bytes(first)
        self._message("acp_nbsend_ch", body)

    def send_bytes(self, data: Any) -> None:
        """Send one message: bytes, or an array. A program in C receives it by acp_nbrecv_ch.

        Raises ArrayError for an array with gaps. Blocks as send does.
        """
        array = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        self._message("acp_nbsend_ch", arrays.contiguous(array, "data"))


class Receiver(_End):
    """The receiving end of a channel. Run.receiver makes it. As an iterator it receives until the sender closes."""

    def __init__(self, run: "Run", source: int) -> None:
        super().__init__(run, source, run.rank)

    def __enter__(self) -> "Receiver":
        return self

    def receive(self) -> Any:
        """Receive the next object of send, and return it.

        Raises ChannelClosed if the sender has closed its end and no message is left, and Error for a message of
        send_bytes. Blocks until a message has arrived.
        """
        first = np.empty(_ROOM, np.uint8)
        size = self.receive_into(first)
        kind, about, length = _HEAD.unpack_from(first) if size >= _HEAD.size else (b"", 0, 0)
        if kind not in (_ARRAY, _OBJECT):
            raise Error(71, "the message is not of Sender.send: receive it by receive_into")
        begin = _HEAD.size + about
        body = np.empty(length, np.uint8)
        if begin + length <= _ROOM:
            body[:] = first[begin:size]
        else:
            self.receive_into(body)
        if kind == _OBJECT:
            return pickle.loads(body)
        dtype, shape = pickle.loads(first[_HEAD.size:begin])
        return body.view(dtype).reshape(shape)

    def receive_into(self, array: np.ndarray) -> int:
        """Receive one message into an array, and return its size in bytes.

        The rest of a longer message is lost. Raises ArrayError for an array that cannot be written, and
        ChannelClosed as receive does. Blocks until a message has arrived.
        """
        arrays.contiguous(array, "array", write=True)
        try:
            return self._message("acp_nbrecv_ch", array)
        except Error as problem:
            raise ChannelClosed(problem.errno, problem.strerror) from None

    def __iter__(self) -> Iterator[Any]:
        """Receive objects until the sender closes its end. Blocks for each."""
        while True:
            try:
                value = self.receive()
            except ChannelClosed:
                return
            yield value
