"""Global addresses of arrays, copies and atomics."""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _wait, arrays, session
from ._api import COMPLETE, PRIVATE, UNDER_WAY
from .errors import ArrayError
from .futures import Future

Index = Union[int, slice, tuple[Union[int, slice], ...]]


@dataclass(frozen=True)
class Address:
    """The global address of an array in the memory of a rank.

    Any rank can copy from and to it, and do atomics on it; the program of its rank takes no part. An address
    may be pickled: send it by a channel, a broadcast, a map or a named value. It is valid as long as the array
    exists. A copy from or to an address that is not valid any more ends the run.
    """

    ga: int  #: of the first byte, as acp_ga_t of C
    dtype: Union[str, np.dtype]  #: of the elements, such as "<f8"; a numpy.dtype if they have fields
    shape: tuple[int, ...]  #: in elements, in the order of C

    @property
    def rank(self) -> int:
        """The rank that has the array. Does not block."""
        return session.current().api.call("acp_query_rank", self.ga)

    @functools.cached_property
    def nbytes(self) -> int:
        """The size of the array in bytes."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def __getitem__(self, index: Index) -> "Address":
        """Return the address of an element, a row, or a range of rows.

        The last index may be a slice with step 1. Raises IndexError for an index outside of the array, and
        ArrayError for a part with gaps. Does not block.
        """
        ga, shape = self.ga, self.shape
        given = index if isinstance(index, tuple) else (index,)
        for place, i in enumerate(given):
            if not shape:
                raise IndexError(f"{len(given)} indices for an array of {len(self.shape)} dimensions")
            size, rest = shape[0], shape[1:]
            stride = math.prod(rest) * np.dtype(self.dtype).itemsize
            if isinstance(i, slice):
                first, last, step = i.indices(size)
                if step != 1 or place + 1 < len(given):
                    raise ArrayError("only the last index may be a slice, with step 1: other parts have gaps")
                return Address(ga + first * stride, self.dtype, (max(last - first, 0), *rest))
            i = operator.index(i)
            if not -size <= i < size:
                raise IndexError(f"index {i} of {size}")
            ga, shape = ga + i % size * stride, rest
        return Address(ga, self.dtype, shape)

    def get(self, out: Optional[np.ndarray] = None) -> "Future[np.ndarray]":
        """Begin to copy the array to this rank.

        out is an array of the same size in bytes, or None for a new one. The result of the future is the array.
        Raises ArrayError for an array that cannot be written. Does not block.
        """
        run = session.current()
        to = run.empty(self.shape, self.dtype) if out is None else out
        memory = arrays.address_in_c_order(to, "out", True)
        handle = run.api.goacp_python_get(memory, self.ga, self._size_of(to))
        return Future(to) if handle == COMPLETE else self._begun(run, handle, to, True)

    def put(self, array: np.ndarray) -> "Future[None]":
        """Begin to copy an array of this rank to the address.

        The array has the same size in bytes. It must not change before the future is done. Raises ArrayError
        for an array that cannot be copied. Does not block.
        """
        run = session.current()
        memory = arrays.address_in_c_order(array, "array")
        handle = run.api.goacp_python_put(self.ga, memory, self._size_of(array))
        return Future(None) if handle == COMPLETE else self._begun(run, handle, array, False)

    def _size_of(self, own: np.ndarray) -> int:
        """Return the size of the address in bytes. Raises ArrayError if an array has another one."""
        size = self.nbytes
        if own.nbytes != size:
            raise ArrayError(f"the array has {own.nbytes} bytes, and the address {size}: pass a part of it")
        return size

    def _begun(self, run: session.Run, handle: int, own: np.ndarray, get: bool) -> Future[Any]:
        """Return the future of a copy to an array of this rank, or the other way, from the result of its call."""
        result = own if get else None
        release = None
        if handle == PRIVATE:
            ga, release = run.locate(own)
            handle = run.api.acp_copy(*(ga, self.ga) if get else (self.ga, ga), self.nbytes, 0)
        number = run.api.goacp_python_complete(handle, 0) if handle else run.api.acp_error_number()
        if number == UNDER_WAY:
            return Future(result, handle, run, own, None, release)
        failure = _wait.failure(run.api, "acp_copy", number) if number else None
        if release is not None:
            release()
        if failure is not None:
            raise failure
        return Future(result)

    def add(self, value: int) -> "Future[np.integer]":
        """Begin to add to an integer of 4 or 8 bytes. The result is the old value. Does not block."""
        return self._atomic("add", value)

    def bitwise_and(self, value: int) -> "Future[np.integer]":
        """Begin a bitwise and with an integer of 4 or 8 bytes. The result is the old value. Does not block."""
        return self._atomic("and", value)

    def bitwise_or(self, value: int) -> "Future[np.integer]":
        """Begin a bitwise or with an integer of 4 or 8 bytes. The result is the old value. Does not block."""
        return self._atomic("or", value)

    def bitwise_xor(self, value: int) -> "Future[np.integer]":
        """Begin a bitwise exclusive or. Otherwise as bitwise_or. Does not block."""
        return self._atomic("xor", value)

    def swap(self, value: int) -> "Future[np.integer]":
        """Begin to replace an integer of 4 or 8 bytes. The result is the old value. Does not block."""
        return self._atomic("swap", value)

    def compare_and_swap(self, old: int, new: int) -> "Future[np.integer]":
        """Begin to replace an integer by new if it is old. The result is the value before. Does not block."""
        return self._atomic("cas", old, new)

    @functools.cached_property
    def _integer_bytes(self) -> int:
        """The size of the only element, an integer. Raises ArrayError for other addresses."""
        dtype = np.dtype(self.dtype)
        if dtype.kind not in "iu" or dtype.itemsize not in (4, 8) or math.prod(self.shape) != 1:
            raise ArrayError(
                f"an atomic needs one integer of 4 or 8 bytes, and not {self.shape} of {dtype.name}: pass address[i]"
            )
        return dtype.itemsize

    def _atomic(self, operation: str, *operands: int) -> "Future[np.integer]":
        """Begin an atomic on the only element of the address."""
        size = self._integer_bytes
        run = session.current()
        words, word = run.take_word(self.dtype)
        name, mask = f"acp_{operation}{size}", (1 << 8 * size) - 1
        begin: Callable[..., int] = getattr(run.api, name)
        handle = begin(word[1], self.ga, *[int(o) & mask for o in operands], 0)
        number = run.api.goacp_python_complete(handle, 0) if handle else run.api.acp_error_number()
        value: Callable[[], np.integer] = functools.partial(word[0].__getitem__, ())
        if number == UNDER_WAY:
            return Future(None, handle, run, word, value, functools.partial(words.append, word))
        old = value()
        words.append(word)
        if number:
            raise _wait.failure(run.api, name, number)
        return Future(old)
