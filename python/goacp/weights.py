"""Matrices of weights between fields on different points."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .errors import ArrayError


def arguments(matrix: Any) -> tuple[str, tuple[Any, ...], tuple[np.ndarray, ...]]:
    """Return a part of the name of the function in C, its arguments, and the arrays to which they point.

    matrix is None, a sparse matrix of scipy, three arrays, which are rows, columns and weights of its entries, or the
    name of a file. Rows and columns are numbers of points. Raises ArrayError for anything else.
    """
    if matrix is None:
        return "", (), ()
    if isinstance(matrix, (str, os.PathLike)):
        return "file_", (os.fsencode(matrix),), ()
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        parts = (entries.row, entries.col, entries.data)
    elif isinstance(matrix, tuple) and len(matrix) == 3:
        parts = matrix
    else:
        raise ArrayError("weights are a scipy.sparse matrix, three arrays (rows, columns, weights), or the name of a file")
    arrays = (
        np.ascontiguousarray(parts[0], np.int64), np.ascontiguousarray(parts[1], np.int64),
        np.ascontiguousarray(parts[2], np.float64),
    )
    if not all(a.shape == (len(arrays[0]),) for a in arrays):
        raise ArrayError(f"rows, columns and weights have shapes {[a.shape for a in arrays]}: pass one entry of each")
    return "weighted_", (arrays[0].ctypes.data, arrays[1].ctypes.data, arrays[2].ctypes.data, len(arrays[0])), arrays
