"""Checks of numpy arrays before the library gets their memory."""

from __future__ import annotations

import ctypes
from typing import Any, Union

import numpy as np

from .errors import ArrayError

#: The types of numbers of this machine, whose arrays need no look at their elements.
_NUMBERS = frozenset(map(np.dtype, f"?{np.typecodes['AllInteger']}{np.typecodes['AllFloat']}"))

_addressof, _buffer = ctypes.addressof, ctypes.c_byte.from_buffer


def contiguous(array: Any, what: str, write: bool = False) -> np.ndarray:
    """Return the array if the library may use its memory as a range of bytes.

    what is the name of the array in messages. Raises ArrayError if it is no numpy array, has elements that are
    Python objects or in foreign byte order, has gaps, or is read-only and write is true.
    """
    if not isinstance(array, np.ndarray):
        raise ArrayError(f"{what} is a {type(array).__name__}: pass a numpy array, such as numpy.asarray(x)")
    if isinstance(array, np.ma.MaskedArray):
        raise ArrayError(f"{what} is a masked array: pass x.data; a field takes active=~numpy.ma.getmaskarray(x)")
    if array.dtype.hasobject:
        raise ArrayError(f"{what} has elements of Python: pass an array of numbers, or send it as an object")
    if not array.dtype.isnative:
        raise ArrayError(f"{what} has foreign byte order: pass x.astype(x.dtype.newbyteorder('='))")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ArrayError(f"{what} has strides {array.strides}: pass numpy.ascontiguousarray(x), or a whole array")
    if write and not array.flags.writeable:
        raise ArrayError(f"{what} is read-only: pass x.copy(), or call x.setflags(write=True)")
    return array


def element(dtype: np.dtype) -> Union[str, np.dtype]:
    """Return a short description of a dtype, such as "<f8", or the dtype if its elements have fields."""
    return dtype if dtype.kind == "V" else dtype.str


def overlay(address: int, shape: tuple[int, ...], dtype: np.dtype, owner: Any) -> np.ndarray:
    """Return an array for memory at an address. It keeps owner alive, as do its views."""
    owner.__array_interface__ = {
        "version": 3, "data": (address, False), "shape": (int(np.prod(shape, dtype=np.int64)) * dtype.itemsize,),
        "typestr": "|u1",
    }
    return np.asarray(owner).view(dtype).reshape(shape) if dtype.itemsize else np.empty(shape, dtype)


def address(array: np.ndarray) -> int:
    """Return the address of the first byte of a contiguous array."""
    try:
        return _addressof(_buffer(array))  # a fifth of the time of the other way
    except (TypeError, ValueError, BufferError):  # it is read-only or empty, or has no buffer, as arrays of dates
        return array.__array_interface__["data"][0]


def address_in_c_order(array: Any, what: str, write: bool = False) -> int:
    """Return the address of the first byte of an array that is contiguous and in the order of C. Otherwise as contiguous."""
    if type(array) is np.ndarray and array.dtype in _NUMBERS:  # no look at its elements is needed
        try:
            return _addressof(_buffer(array))  # which refuses an array with gaps, of another order, or read-only
        except (TypeError, ValueError, BufferError):
            pass
    if not contiguous(array, what, write).flags.c_contiguous:
        raise ArrayError(f"{what} has the order of Fortran: pass numpy.ascontiguousarray(x)")
    return address(array)
