"""Arrays of any origin that other ranks may address."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from . import arrays
from .addresses import Address
from .errors import ArrayError

if TYPE_CHECKING:
    from .session import Run


class Registration:
    """An array that other ranks may address. It keeps the array alive."""

    def __init__(self, run: "Run", array: np.ndarray) -> None:
        """Made by Run.register."""
        arrays.contiguous(array, "array", write=True)
        if not array.flags.c_contiguous:
            raise ArrayError("the array has the order of Fortran: pass x.T")
        self.array = array
        ga, release = run.locate(array)
        self.address = Address(ga, arrays.element(array.dtype), array.shape)  #: valid until close
        self._release = weakref.finalize(self, release or (lambda: None))
        self._release.atexit = False

    def close(self) -> None:
        """Make the address invalid. Blocks until accesses of other ranks that are under way have ended."""
        self._release()

    def __enter__(self) -> "Registration":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
