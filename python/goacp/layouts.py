"""Which points of a grid or mesh an array has."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import arrays
from .errors import ArrayError

_TYPES = {
    "i1": 1, "i2": 2, "i4": 3, "i8": 4, "u1": 5, "u2": 6, "u4": 7, "u8": 8, "f4": 9, "f8": 10, "c8": 11, "c16": 12,
}
_ORDER_FORTRAN, _FILL_HALO, _SAME_NUMBERS = 1, 2, 4


@dataclass
class Layout:
    """The points of an array, as arguments of C after model and name."""

    function: str
    type: int
    values: int  #: of a point
    points: tuple[Any, ...]  #: the arguments after the address of the values
    memory: tuple[int, ...]  #: the shape of the memory in points
    fortran: bool
    keep: tuple[Any, ...] = ()


def element(array: np.ndarray) -> int:
    """Return the number of the type of the values. Raises ArrayError for a type that fields cannot have."""
    number = _TYPES.get(array.dtype.str[1:])
    if number is None:
        raise ArrayError(f"a field has no values of {array.dtype}: pass integers, floats or complex numbers")
    return number


def _ints(numbers: Sequence[int]) -> Any:
    return (ctypes.c_int * len(numbers))(*(int(n) for n in numbers))


def _in_fortran_order(array: np.ndarray, sizes: Sequence[int], order: Optional[str]) -> bool:
    """Return whether the array of a block has the order of Fortran. Raises ArrayError if order is wrong or needed.

    numpy says of some arrays, as those of one row or column, that they have both orders. The other ranks may have either,
    and the order decides which numbers the points have, and which dimension is that of the values.
    """
    if order not in (None, "C", "F"):
        raise ArrayError(f"order is {order!r}: expected 'C' or 'F'")
    c, fortran = array.flags.c_contiguous, array.flags.f_contiguous
    if order is not None:
        if not (fortran if order == "F" else c):
            raise ArrayError(f"the array has not the order {order!r}: pass numpy.asarray(x, order={order!r})")
        return order == "F"
    if c and fortran:
        shape, dims = array.shape, len(sizes)
        if sum(n != 1 for n in sizes) > 1 or array.ndim > dims and shape[1:] != shape[:-1]:
            raise ArrayError(
                f"an array of {shape} has the order of C and that of Fortran: pass order='C' or order='F', "
                "the same on all ranks"
            )
    return not c


def block(
    array: np.ndarray, sizes: Sequence[int], firsts: Sequence[int], halo: Union[int, Sequence[int]],
    fill_halo: bool, same_numbers: bool, order: Optional[str],
) -> Layout:
    """Return the layout of a block of a grid.

    Raises ArrayError if the array has another number of dimensions, another order, or an order that is not clear.
    """
    arrays.contiguous(array, "the array of a field")
    dims = len(sizes)
    if array.ndim not in (dims, dims + 1) or len(firsts) != dims:
        raise ArrayError(
            f"the array has {array.ndim} dimensions, the grid {dims} and firsts {len(firsts)}: pass an array of {dims} "
            f"dimensions, or {dims + 1} for several values of a point"
        )
    fortran = _in_fortran_order(array, sizes, order)
    shape, values = array.shape, 1
    if array.ndim > dims:
        values, shape = (shape[0], shape[1:]) if fortran else (shape[-1], shape[:-1])
    halos = [halo] * dims if isinstance(halo, int) else list(halo)
    extents = [n - 2 * h for n, h in zip(shape, halos)]
    if len(halos) != dims or min(extents, default=0) < 0:
        raise ArrayError(f"the halo {halos} does not fit into an array of {shape}")
    flags = fortran * _ORDER_FORTRAN + fill_halo * _FILL_HALO + same_numbers * _SAME_NUMBERS
    points = (dims, _ints(sizes), _ints(firsts), _ints(extents), _ints(halos), flags)
    return Layout("acp_create_field_block", element(array), values, points, shape, fortran)


def _values(array: np.ndarray, points: int) -> int:
    """Return the number of values of a point of an array whose first dimension is points."""
    arrays.contiguous(array, "the array of a field")
    if array.ndim not in (1, 2) or array.shape[0] != points or not array.flags.c_contiguous:
        raise ArrayError(
            f"the array has the shape {array.shape}: pass one of ({points},) or ({points}, values) in the order of C"
        )
    return 1 if array.ndim == 1 else array.shape[1]


def listed(array: np.ndarray, points: Any) -> Layout:
    """Return the layout of points in any order. points are their numbers."""
    numbers = np.ascontiguousarray(points, np.int64).reshape(-1)
    values = _values(array, len(numbers))
    arguments = (numbers.ctypes.data, len(numbers))
    return Layout("acp_create_field_list", element(array), values, arguments, array.shape[:1], False, (numbers,))


def ranges(array: np.ndarray, pieces: Sequence[tuple[int, int]]) -> Layout:
    """Return the layout of ranges of points. pieces has the first point and the number of points of each."""
    pairs = np.array(list(pieces), np.int64).reshape(-1, 2)
    firsts, counts = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    values = _values(array, int(counts.sum()))
    arguments = (firsts.ctypes.data, counts.ctypes.data, len(firsts))
    keep = (firsts, counts)
    return Layout("acp_create_field_ranges", element(array), values, arguments, array.shape[:1], False, keep)


def of(
    array: np.ndarray, grid: Optional[tuple[Sequence[int], Sequence[int]]], points: Any,
    pieces: Optional[Sequence[tuple[int, int]]], halo: Union[int, Sequence[int]], fill_halo: bool, same_numbers: bool,
    order: Optional[str],
) -> Layout:
    """Return the layout for the arguments of Model.field. Raises TypeError unless one of them is given, and ArrayError."""
    if sum(given is not None for given in (grid, points, pieces)) != 1:
        raise TypeError("a field has one of block=(sizes, firsts), points=numbers and ranges=[(first, count), ...]")
    if grid is not None:
        return block(array, grid[0], grid[1], halo, fill_halo, same_numbers, order)
    if order is not None:
        raise TypeError("only a block has an order: points and ranges have that of C")
    return listed(array, points) if points is not None else ranges(array, pieces or ())
