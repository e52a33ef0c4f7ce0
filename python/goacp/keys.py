"""Keys of maps as bytes: equal keys have equal bytes on all ranks, which pickles do not have."""

from __future__ import annotations

import struct
from typing import Any

_LENGTH = struct.Struct("<I")


def encode(key: Any) -> bytes:
    """Return the bytes of a key: a str, bytes, int, float, bool, None or a tuple of them.

    Raises TypeError for another key. 1, 1.0 and True are different keys.
    """
    kind = type(key)
    if kind is str:
        return b"s" + key.encode()
    if kind is bytes:
        return b"b" + key
    if kind is int:
        return b"i" + str(key).encode()
    if kind is float:
        return b"f" + struct.pack("<d", key)
    if kind is bool:
        return b"t" if key else b"n"
    if key is None:
        return b"0"
    if kind is tuple:
        parts = [encode(part) for part in key]
        return b"(" + b"".join(_LENGTH.pack(len(p)) + p for p in parts)
    raise TypeError(f"a key is a {kind.__name__}: use str, bytes, int, float, bool, None or a tuple of them")


def decode(data: bytes) -> Any:
    """Return the key with these bytes."""
    kind, rest = data[:1], data[1:]
    if kind == b"s":
        return rest.decode()
    if kind == b"b":
        return rest
    if kind == b"i":
        return int(rest)
    if kind == b"f":
        return struct.unpack("<d", rest)[0]
    if kind in (b"t", b"n"):
        return kind == b"t"
    if kind == b"0":
        return None
    parts = []
    while rest:
        size = _LENGTH.unpack_from(rest)[0]
        parts.append(decode(rest[_LENGTH.size:_LENGTH.size + size]))
        rest = rest[_LENGTH.size + size:]
    return tuple(parts)
