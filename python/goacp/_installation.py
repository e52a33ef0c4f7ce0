"""The folders of an installation of GoACP, which configure has written into share/goacp/wrappers.yaml."""

from __future__ import annotations

import os
import pathlib
from typing import Optional

#: The file below the prefix. Package wrappers/toolchain of the source describes it.
DESCRIPTION = pathlib.PurePath("share", "goacp", "wrappers.yaml")


def libraries(prefix: pathlib.Path) -> Optional[pathlib.Path]:
    """Return the folder of the libraries of the installation in prefix, or None if there is no installation.

    A folder below the prefix that configure was told has moved with the installation.
    """
    folders = {}
    try:
        with open(prefix / DESCRIPTION, encoding="utf-8", errors="replace") as file:
            for line in file:
                key, _, value = line.partition(": ")  # keys inside of others are indented
                if key in ("prefix", "libdir"):
                    folders[key] = value.strip().strip("'\"")
    except OSError:
        return None
    if not folders.get("libdir"):
        return None
    folder = pathlib.Path(folders["libdir"])
    if not folder.is_absolute():  # a build tree, whose folders count from that of the file
        return pathlib.Path(os.path.normpath((prefix / DESCRIPTION).parent / folder))
    try:
        return prefix / folder.relative_to(folders["prefix"])
    except (KeyError, ValueError):
        return folder


def prefix_of(package: pathlib.Path) -> Optional[pathlib.Path]:
    """Return the prefix of the installation that has a folder of packages, or None."""
    for parent in package.parents:
        if (parent / DESCRIPTION).is_file():
            return parent
    return None
