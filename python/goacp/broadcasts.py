"""Broadcasts of objects."""

from __future__ import annotations

import ctypes
import pickle
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from . import _wait, arrays

if TYPE_CHECKING:
    from .session import Run


class Broadcast:
    """A broadcast of one object, in two parts: the size of its description, and the description."""

    def __init__(self, run: "Run", value: Any, root: int, ranks: Sequence[int]) -> None:
        """Prepare the broadcast. value is that of root."""
        self.value = value
        self._api, self._root, self._sends = run.api, root, run.rank == root
        self._members = (ctypes.c_int * len(ranks))(*ranks)
        self._text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL) if self._sends else b""
        self._size = np.array([len(self._text)], np.int64)
        self._first = self._call(self._size)
        self._data: Optional[np.ndarray] = None
        self._second: Optional[_wait.Call] = None

    def _call(self, data: np.ndarray) -> _wait.Call:
        """Return the call that fills an array of each rank with that of root."""
        at, members = arrays.address(data), self._members
        return _wait.Call(self._api, "acp_broadcast", at, data.nbytes, self._root, members, len(members))

    def result(self) -> tuple["Broadcast", Optional[np.ndarray]]:
        """Wait for both parts, and return the broadcast and the description, which is None at root.

        Raises Error, or what a signal handler raises. Then it continues where it was.
        """
        self._first.result()
        if self._second is None:
            self._data = np.frombuffer(self._text, np.uint8) if self._sends else np.empty(int(self._size[0]), np.uint8)
            self._second = self._call(self._data)
        self._second.result()
        return self, None if self._sends else self._data
