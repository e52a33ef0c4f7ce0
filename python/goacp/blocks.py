"""Memory of the global heap as numpy arrays."""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import Any

import numpy as np

from . import arrays
from ._api import Api


class Block:
    """A block of the global heap of this rank. It is freed when the last array on it has gone."""

    __array_interface__: dict[str, Any]

    def __init__(self, heap: "Heap", size: int) -> None:
        """Allocate size bytes, filled with zeros."""
        self.size = size
        self.ga = heap.api.call("acp_malloc", max(size, 1), heap.rank, failure=0)
        self.address = heap.api.call("acp_query_address", self.ga, failure=None)
        ctypes.memset(self.address, 0, size)
        self._free = weakref.finalize(self, heap.free, self.ga)
        self._free.atexit = False
        heap.blocks.add(self)


class Heap:
    """The global heap of this rank."""

    def __init__(self, api: Api, rank: int) -> None:
        """Use the heap of a rank, which is that of the caller."""
        self.api, self.rank = api, rank
        self.blocks: weakref.WeakSet[Block] = weakref.WeakSet()
        self.closed = False
        self._process = os.getpid()

    def zeros(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return an array of zeros in a block of its own."""
        block = Block(self, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        return arrays.overlay(block.address, shape, dtype, block)

    def free(self, ga: int) -> None:
        """Free a block, unless the run is over, which has freed all blocks."""
        if self.usable():
            self.api.acp_free(ga)

    def usable(self) -> bool:
        """Return whether the library may be called: the run is not over, and this is no fork of its process."""
        return not self.closed and os.getpid() == self._process

    def leave(self, finalize: Any) -> None:
        """Call finalize, which unmaps the heap. Arrays that still exist keep their values in memory of this process.

        Raises what finalize raises. If the library has not ended then, everything stays as it was.
        """
        self.closed = True
        left = [(b.address, ctypes.string_at(b.address, b.size)) for b in list(self.blocks) if b.size]
        try:
            finalize()
        finally:  # the library also ends if another process has died, with an error
            if self.api.acp_rank() < 0:
                _restore(left)
            else:
                self.closed = False


def _restore(left: list[tuple[int, bytes]]) -> None:
    """Map private memory for blocks, and fill it with their values."""
    for begin, end in _pages(left):
        _map(begin, end - begin)
    for address, values in left:
        ctypes.memmove(address, values, len(values))


def _pages(left: list[tuple[int, bytes]]) -> list[tuple[int, int]]:
    """Return the page ranges of blocks, in order and without overlaps."""
    page = mmap.PAGESIZE
    ranges: list[tuple[int, int]] = []
    for address, values in sorted(left):
        begin, end = address // page * page, -(-(address + len(values)) // page) * page
        if ranges and begin <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((begin, end))
    return ranges


_MAP_FIXED_NOREPLACE = 0x100000


def _map(address: int, size: int) -> None:
    """Map private memory of size bytes at an address that nothing has mapped. Raises MemoryError."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE
    if libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0) != address:
        raise MemoryError("arrays of the run cannot outlive it: delete them, or copy them, before the run ends")
