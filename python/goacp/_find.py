"""Finds the shared library that belongs to the launchers and to the MPI of the program."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import sys
from typing import Iterator, Optional

from . import _installation

VERSION = "2.1.0"  # the release: the package calls functions of the library that may change with each


def mpi4py_family() -> Optional[str]:
    """Return "openmpi" or "mpich" if the program has imported mpi4py.MPI, and otherwise None.

    Raises ImportError for an MPI that the library does not support.
    """
    module = sys.modules.get("mpi4py.MPI")
    if module is None:
        return None
    vendor = module.get_vendor()[0]
    family = {"Open MPI": "openmpi", "MPICH": "mpich", "MPICH2": "mpich"}.get(vendor)
    if family is None:
        raise ImportError(f"mpi4py uses {vendor}; libmacp exists for Open MPI and MPICH")
    return family


def _folders() -> Iterator[pathlib.Path]:
    """Yield the folders in which the library may be, the first choice first."""
    if "GOACP_LIBDIR" in os.environ:
        yield pathlib.Path(os.environ["GOACP_LIBDIR"])
        return
    package = pathlib.Path(__file__).resolve().parent
    yield package.parents[1] / "build" / "lib"  # of the source tree
    launcher = shutil.which("acprun")
    for prefix in (pathlib.Path(launcher).resolve().parents[1] if launcher else None, _installation.prefix_of(package)):
        folder = _installation.libraries(prefix) if prefix else None
        if folder:
            yield folder


def candidates(family: Optional[str]) -> Iterator[str]:
    """Yield the names under which to load the library for an MPI, or without MPI if family is None."""
    file = ("libmacp.so." if family else "libacp.so.") + VERSION.split(".")[0]
    for folder in _folders():
        for path in [folder / family / file, folder / file] if family else [folder / file]:
            if path.exists():
                yield str(path)
    if "GOACP_LIBDIR" not in os.environ:
        yield file


def load(family: Optional[str]) -> ctypes.CDLL:
    """Load the library for an MPI, or without MPI if family is None.

    Raises ImportError if there is none, with the folders that have been searched.
    """
    problems = []
    for name in candidates(family):
        try:
            library = ctypes.CDLL(name)
            library.acp_version.restype = ctypes.c_char_p
            library.acp_mpi_name.restype = ctypes.c_char_p
        except (OSError, AttributeError) as problem:
            problems.append(f"{name}: {problem}")
            continue
        version = library.acp_version().decode()
        if version != VERSION:
            problems.append(f"{name}: release {version}, expected {VERSION}: install the package of the same release")
        elif family and library.acp_mpi_name().decode() != family:
            problems.append(f"{name}: built for {library.acp_mpi_name().decode()}, mpi4py uses {family}")
        else:
            return library
    wanted = f"libmacp for {family}" if family else "libacp"
    raise ImportError(
        f"{wanted} not found; set GOACP_LIBDIR to its folder, or put acprun into PATH\n" + "\n".join(problems)
    )
