"""Small records that ranks store and look up by name."""

from __future__ import annotations

import ctypes
import pickle
from typing import TYPE_CHECKING, Any, Optional

from . import _wait

if TYPE_CHECKING:
    from .session import Run

_ROOM = 32768  # bytes of the longest value


class Values:
    """The named values of the run. Run.values is it.

    A value is pickled, and has at most 32768 bytes then; a name has 1 to 255 bytes of UTF-8. All ranks may store
    values of all names, and the last one stays. get_bytes and put_bytes exchange values with programs in C.
    """

    def __init__(self, run: "Run") -> None:
        self._api = run.api

    def __setitem__(self, name: str, value: Any) -> None:
        """Store a value. Raises Error if it is too long. Blocks for one round trip."""
        self.put_bytes(name, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def __getitem__(self, name: str) -> Any:
        """Return the value of a name. Raises KeyError if there is none. Blocks for one round trip, or two."""
        data = self.get_bytes(name)
        if data is None:
            raise KeyError(name)
        return pickle.loads(data)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, or default if there is none. Blocks for one round trip, or two."""
        data = self.get_bytes(name)
        return default if data is None else pickle.loads(data)

    def wait(self, name: str, version: int = 1) -> Any:
        """Return the value of a name when it has a version or a later one. Version 1 is the first value. Blocks."""
        return pickle.loads(self.wait_bytes(name, version)[0])

    def put_bytes(self, name: str, data: bytes) -> int:
        """Store bytes, and return their version. Raises Error. Blocks for one round trip."""
        return self._api.call("acp_put_value", name.encode(), data, len(data))

    def get_bytes(self, name: str) -> Optional[bytes]:
        """Return the bytes of a name, or None if there are none. Raises Error. Blocks for one round trip, or two."""
        buffer, version = ctypes.create_string_buffer(_ROOM), ctypes.c_int64()
        size = self._api.call("acp_get_value", name.encode(), buffer, _ROOM, ctypes.byref(version))
        return buffer.raw[:size] if version.value else None

    def wait_bytes(self, name: str, version: int = 1) -> tuple[bytes, int]:
        """Return the bytes of a name and their version when it is at least version. Raises Error. Blocks."""
        buffer, got = ctypes.create_string_buffer(_ROOM), ctypes.c_int64()
        size = _wait.until_done(self._api, "acp_wait_value", name.encode(), version, buffer, _ROOM, ctypes.byref(got))
        return buffer.raw[:size], got.value
