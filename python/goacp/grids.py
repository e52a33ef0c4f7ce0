"""Grids, and weights that are made from them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .errors import ArrayError

if TYPE_CHECKING:
    from .session import Run

_PLANE, _CELL_AREA, _FILL = 8, 1, 1

#: The methods, by their numbers.
_METHODS = ("nearest", "bilinear", "conservative")


@dataclass
class Grid:
    """The coordinates of the points of a field, and perhaps the corners of their cells.

    x and y are arrays of one shape: longitudes and latitudes in degrees, or any coordinates of a plane. One dimension stands
    for points without rows. corners is a pair of arrays with one dimension more, the last one, for the corners of each cell, which go
    round it in either direction. Where active is False, a point has no value. Masked elements of masked arrays of numpy are False there,
    and points without a place. Points are numbered in the order of C.
    """

    x: Any
    y: Any
    corners: Optional[tuple[Any, Any]] = None
    active: Optional[Any] = None
    plane: bool = False

    def _create(self, run: "Run") -> int:
        """Return a handle of the library. Raises ArrayError and Error."""
        x, y = (_plain(a) for a in (self.x, self.y))
        if x.shape != y.shape or x.ndim == 0:
            raise ArrayError(f"x has the shape {x.shape} and y the shape {y.shape}: pass a coordinate of each point")
        sizes = (ctypes.c_int * x.ndim)(*x.shape)
        handle = run.api.call(
            "acp_create_grid", x.ctypes.data, y.ctypes.data, x.ndim, sizes, _PLANE if self.plane else 0, failure=None,
        )
        try:
            self._complete(run, handle, x.shape)
        except BaseException:
            run.api.call("acp_free_grid", handle)
            raise
        return handle

    def _complete(self, run: "Run", handle: int, shape: tuple[int, ...]) -> None:
        if self.corners is not None:
            xs, ys = (_plain(a) for a in self.corners)
            if xs.shape != ys.shape or xs.shape[:-1] != shape:
                raise ArrayError(f"corners have the shapes {xs.shape} and {ys.shape}: expected {shape} and a number of corners")
            run.api.call("acp_set_grid_corners", handle, xs.ctypes.data, ys.ctypes.data, xs.shape[-1])
        hidden = np.ma.getmaskarray(self.x) | np.ma.getmaskarray(self.y)
        if self.active is not None:
            active = np.ma.filled(self.active, False).astype(bool)
            if active.shape != shape:
                raise ArrayError(f"active has the shape {active.shape}, and the points {shape}")
            hidden |= ~active
        if hidden.any():
            masks = np.ascontiguousarray(~hidden, np.intc)
            run.api.call("acp_mask_grid", handle, masks.ctypes.data, masks.size)


def _plain(coordinates: Any) -> np.ndarray:
    """Return an array in the order of C, in which masked elements are NaN."""
    return np.ascontiguousarray(np.ma.filled(np.ma.asarray(coordinates, np.float64), np.nan))


def weights(
    run: "Run", sender: Grid, receiver: Grid, method: str, neighbours: int, fill: bool, cell_area: bool, points: Optional[Any],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and weights. Run.weights explains it."""
    if method not in _METHODS:
        raise ValueError(f"method is {method!r}; expected one of {', '.join(_METHODS)}")
    choice = {"nearest": neighbours, "bilinear": _FILL * fill, "conservative": _CELL_AREA * cell_area}[method]
    numbers = None if points is None else np.ascontiguousarray(points, np.int64).ravel()
    grids: list[int] = []
    try:
        for grid in (sender, receiver):
            grids.append(grid._create(run))
        made = run.api.call(
            "acp_make_weights", *grids, _METHODS.index(method), choice, None if numbers is None else numbers.ctypes.data,
            -1 if numbers is None else numbers.size, failure=None,
        )
    finally:
        for handle in grids:
            run.api.call("acp_free_grid", handle)
    try:
        count = run.api.call("acp_count_weights", made)
        rows, columns, values = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
        if count:
            run.api.call("acp_query_weights", made, rows.ctypes.data, columns.ctypes.data, values.ctypes.data)
    finally:
        run.api.call("acp_free_weights", made)
    return rows, columns, values
