"""Channels of arrays and other objects between two ranks."""

from __future__ import annotations

import errno
import pickle
import struct
import threading
from typing import TYPE_CHECKING, Any, Iterator, Optional

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


class _Request:
    """A message, or the end of a channel. It begins and finishes once, however often signal handlers interrupt that."""

    def __init__(self, end: "_End", function: str, array: Optional[np.ndarray] = None) -> None:
        """Prepare the request of an end by a function. The array has the memory of the message."""
        self._run, self.array = end._run, array
        self.memory = () if array is None else (arrays.address(array), array.nbytes)
        self._begin = _wait.Call(self._run.api, function, end._handle, *self.memory, failure=None, unfinished=None)
        self._wait: Optional[_wait.Call] = None

    def finish(self) -> int:
        """Begin the request unless it has begun, wait until it is finished, and return its size, also if called again.

        Raises Error. If a signal handler raises an exception, the request continues, and the array stays until the
        request is finished or the run ends.
        """
        self._run.abandoned.add(self)
        try:
            if self._wait is None:
                self._wait = _wait.Call(self._run.api, "acp_wait_ch", self._begin.result(), failure=_FAILED)
            size: int = self._wait.result()
        except Error:
            self._run.abandoned.discard(self)
            raise
        self._run.abandoned.discard(self)
        return size


class _End:
    """One end of a channel. A call that a signal handler has interrupted leaves its requests to the next call."""

    def __init__(self, run: "Run", sender: int, receiver: int) -> None:
        self._run = run
        self._handle = run.api.call("acp_create_ch", sender, receiver, failure=None)
        self._lock = threading.RLock()  # objects of several threads follow each other; a signal handler may send as well
        self._closing: Optional[_Request] = None

    def _settle(self) -> None:
        """Finish what an interrupted call has begun. The caller holds the lock. Raises Error."""
        raise NotImplementedError

    def close(self) -> None:
        """Free this end. Blocks until the other rank closes its end, too."""
        with self._lock:
            if self._handle is None:
                return
            try:
                self._settle()
            except Error:
                self._free()
                raise
            self._free()

    def _free(self) -> None:
        """Free this end. If the library refuses to, it stays as it is."""
        if self._closing is None:
            self._closing = _Request(self, "acp_nbfree_ch")
        try:
            self._closing.finish()
        except Error as problem:
            if problem.function == "acp_nbfree_ch":
                self._closing = None
            else:  # the other rank will not free its end any more
                self._handle = None
            raise
        self._handle = None

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()


def _bytes(array: np.ndarray) -> np.ndarray:
    """Return the memory of a contiguous array as bytes."""
    return array.ravel(order="K").view(np.uint8)


class Sender(_End):
    """The sending end of a channel. Run.sender makes it, and the other rank calls Run.receiver.

    Several channels between the same ranks connect in the order in which both make them.
    """

    def __init__(self, run: "Run", to: int) -> None:
        super().__init__(run, run.rank, to)
        self._pending: list[_Request] = []  # of an interrupted call

    def __enter__(self) -> "Sender":
        return self

    def send(self, value: Any) -> None:
        """Send an array of numbers, or any object that can be pickled. It may change afterwards.

        Raises Error if the end is closed. Blocks until the message is in the buffer of the receiver, or has been
        received if it is longer. If a signal handler raises an exception meanwhile, the next call with the same value
        continues; the value must not change before. A call with another value sends both.
        """
        # dtype.str has no fields, so arrays of them are pickled.
        plain = type(value) is np.ndarray and not value.dtype.hasobject and value.dtype.kind != "V"
        if plain:
            data = np.ascontiguousarray(value)
            about, body = pickle.dumps((data.dtype.str, value.shape)), _bytes(data)
        else:
            about, body = b"", np.frombuffer(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), np.uint8)
        first = _HEAD.pack(_ARRAY if plain else _OBJECT, len(about), body.nbytes) + about
        if len(first) + body.nbytes <= _ROOM:
            self._send(np.frombuffer(first + body.tobytes(), np.uint8))
        else:
            self._send(np.frombuffer(first, np.uint8), body)

    def send_bytes(self, data: Any) -> None:
        """Send one message: bytes, or an array. A program in C receives it by acp_nbrecv_ch.

        Raises ArrayError for an array with gaps. Blocks and continues as send does.
        """
        array = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        self._send(_bytes(arrays.contiguous(array, "data")))

    def _send(self, *messages: np.ndarray) -> None:
        """Send messages, unless an interrupted call has begun to send the same ones, which continues."""
        with self._lock:
            same = len(messages) == len(self._pending) and all(
                np.array_equal(m, request.array) for m, request in zip(messages, self._pending)
            )
            self._settle()
            if not same:
                self._pending = [_Request(self, "acp_nbsend_ch", m) for m in messages]
                self._settle()

    def _settle(self) -> None:
        try:
            for request in self._pending:
                request.finish()
        except Error:
            self._pending = []
            raise
        self._pending = []


class Receiver(_End):
    """The receiving end of a channel. Run.receiver makes it. As an iterator it receives until the sender closes."""

    def __init__(self, run: "Run", source: int) -> None:
        super().__init__(run, source, run.rank)
        # Requests of interrupted calls. That of receive_into is the newest one.
        self._first: Optional[_Request] = None  # the first message of an object
        self._body: Optional[_Request] = None  # the second one
        self._into: Optional[_Request] = None  # a message of receive_into

    def __enter__(self) -> "Receiver":
        return self

    def receive(self) -> Any:
        """Receive the next object of send, and return it.

        Raises ChannelClosed if the sender has closed its end and no message is left, and Error for a message of
        send_bytes, or if the sender is lost. Blocks until a message has arrived. If a signal handler raises an exception
        meanwhile, the next call continues.
        """
        with self._lock:
            if self._first is None:
                self._finish_into()
            kind, about, body = self._object()
            self._first = self._body = None
        if kind == _OBJECT:
            return pickle.loads(body)
        dtype, shape = pickle.loads(about)
        return body.view(dtype).reshape(shape)

    def _object(self) -> tuple[bytes, np.ndarray, np.ndarray]:
        """Wait for the messages of an object, and return its kind, its description and its data."""
        try:
            if self._first is None:
                self._first = _Request(self, "acp_nbrecv_ch", np.empty(_ROOM, np.uint8))
            size, first = self._size(self._first), self._first.array
            assert first is not None
            kind, about, length = _HEAD.unpack_from(first) if size >= _HEAD.size else (b"", 0, 0)
            if kind not in (_ARRAY, _OBJECT):
                raise Error(errno.EPROTO, "the message is not of Sender.send: receive it by receive_into")
            begin = _HEAD.size + about
            whole = begin + length <= _ROOM
            expected = begin + length if whole else begin
            if size != expected:
                raise Error(errno.EPROTO, f"the first message of an object has {size} bytes, expected {expected}")
            if whole:
                return kind, first[_HEAD.size:begin], first[begin:size].copy()  # aligned
            if self._body is None:
                self._body = _Request(self, "acp_nbrecv_ch", np.empty(length, np.uint8))
            return kind, first[_HEAD.size:begin], self._rest(self._body)
        except Error:
            self._first = self._body = None
            raise

    def _rest(self, request: _Request) -> np.ndarray:
        """Wait for the second message of an object, and return its data."""
        assert request.array is not None
        try:
            size = self._size(request)
        except ChannelClosed:
            raise Error(errno.EPROTO, "the sender has closed its end within an object") from None
        if size != request.array.nbytes:
            raise Error(errno.EPROTO, f"the data of an object has {size} bytes, expected {request.array.nbytes}")
        return request.array

    def receive_into(self, array: np.ndarray) -> int:
        """Receive one message into an array, and return its size in bytes.

        The rest of a longer message is lost. Raises ArrayError for an array that cannot be written, and
        ChannelClosed and Error as receive does. Blocks until a message has arrived. If a signal handler raises an exception
        meanwhile, the message goes into the array later, and the next call with the same memory returns its size.
        """
        arrays.contiguous(array, "array", write=True)
        with self._lock:
            if self._first is not None:
                self._object()  # which the next call of receive returns
            if self._into is not None and self._into.memory != (arrays.address(array), array.nbytes):
                self._finish_into()
            if self._into is None:
                self._into = _Request(self, "acp_nbrecv_ch", array)
            return self._finish_into()

    def _finish_into(self) -> int:
        """Finish receive_into, if it has begun, and return the size of the message."""
        if self._into is None:
            return 0
        try:
            size = self._size(self._into)
        except Error:
            self._into = None
            raise
        self._into = None
        return size

    @staticmethod
    def _size(request: _Request) -> int:
        """Wait for a message, and return its size. Raises ChannelClosed if the sender has freed its end, and Error."""
        try:
            return request.finish()
        except Error as problem:
            # The request is right, so this number means that the sender has freed its end.
            if problem.function != "acp_wait_ch" or problem.errno != errno.EINVAL:
                raise
            closed = ChannelClosed(problem.errno, problem.strerror)
            closed.function = problem.function
            raise closed from None

    def _settle(self) -> None:
        for request in (self._first, self._body, self._into):
            if request is not None:
                try:
                    request.finish()
                except Error:  # of a request whose call was interrupted
                    pass
        self._first = self._body = self._into = None

    def __iter__(self) -> Iterator[Any]:
        """Receive objects until the sender closes its end. Blocks for each."""
        while True:
            try:
                value = self.receive()
            except ChannelClosed:
                return
            yield value
