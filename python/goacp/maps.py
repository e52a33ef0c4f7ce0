"""Maps whose pairs lie on all ranks."""

from __future__ import annotations

import ctypes
import pickle
import threading
from typing import TYPE_CHECKING, Any, Iterator, Optional

import numpy as np

from . import keys
from ._api import Element, MapHandle, Pair

if TYPE_CHECKING:
    from .session import Run


class Map:
    """A map over the ranks of an epoch. Run.map makes it.

    Keys are str, bytes, int, float, bool, None and tuples of them; values are pickled. A raw map has bytes for both,
    which are not empty, as maps of programs in C. Any rank may call any method at any time. Single operations are
    atomic, except that ``map[key] = value`` replaces a value in two steps.
    """

    def __init__(self, run: "Run", handle: MapHandle, raw: bool) -> None:
        self._run, self._handle, self._raw = run, handle, raw
        self._lock = threading.Lock()
        self._buffer = run.zeros(4096, np.uint8)

    @classmethod
    def create(cls, run: "Run", slots: int, raw: bool) -> "Map":
        """Make a map on the first rank of the epoch, and send its handle to the other ones."""
        handle: Optional[tuple[int, ...]] = None
        problem: Optional[BaseException] = None
        members = run.epoch.ranks
        if run.rank == members[0]:
            made = run.api.acp_create_map(len(members), (ctypes.c_int * len(members))(*members), slots, 0)
            if made.ga:
                handle = (made.ga, made.num_ranks, made.num_slots)
            else:
                problem = run.api.failure("acp_create_map")
        handle, problem = run.broadcast((handle, problem), members[0], members)
        if problem is not None:
            raise problem
        assert handle is not None
        return cls(run, MapHandle(*handle), raw)

    def _key(self, key: Any) -> bytes:
        return bytes(key) if self._raw else keys.encode(key)

    def _value(self, data: bytes) -> Any:
        return data if self._raw else pickle.loads(data)

    def _store(self, *parts: bytes) -> list[Element]:
        """Put byte strings into the buffer, and return where they are. The caller holds the lock."""
        size = sum(map(len, parts))
        if size > self._buffer.nbytes:
            self._buffer = self._run.zeros(2 * size, np.uint8)
        ga, at, stored = self._run.locate(self._buffer)[0], 0, []
        for part in parts:
            self._buffer[at:at + len(part)] = np.frombuffer(part, np.uint8)
            stored.append(Element(ga + at, len(part)))
            at += len(part)
        return stored

    def _load(self, where: Element) -> bytes:
        """Return bytes of any rank. The caller holds the lock."""
        if where.size > self._buffer.nbytes:
            self._buffer = self._run.zeros(2 * where.size, np.uint8)
        api = self._run.api
        handle = api.call("acp_copy", self._run.locate(self._buffer)[0], where.ga, where.size, 0, failure=0)
        api.acp_complete(handle)
        while api.acp_inquire(handle):
            api.acp_complete(handle)
        return self._buffer[:where.size].tobytes()

    def insert(self, key: Any, value: Any) -> bool:
        """Insert a pair unless the key is in the map, and return whether it was inserted.

        Of several ranks that insert the same key, one gets True. Raises Error if a heap is full. Blocks for one
        round trip at most.
        """
        data = bytes(value) if self._raw else pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            pair = Pair(*self._store(self._key(key), data))
            return self._run.api.call("acp_insert_many_map", self._handle, ctypes.byref(pair), 1, None) == 1

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set the value of a key. Other ranks may find the key without a value meanwhile. Blocks for round trips."""
        while not self.insert(key, value):
            self._remove(key)

    def _remove(self, key: Any) -> bool:
        """Remove a key, and return whether it was in the map."""
        with self._lock:
            where = self._store(self._key(key))[0]
            return self._run.api.call("acp_remove_many_map", self._handle, ctypes.byref(where), 1, None) == 1

    def _find(self, key: Any) -> Optional[bytes]:
        """Return the bytes of the value of a key, or None."""
        with self._lock:
            while True:
                encoded = self._key(key)
                room = self._buffer.nbytes - len(encoded)
                if room <= 0:
                    self._store(encoded, encoded)
                    continue
                where = self._store(encoded)[0]
                to = Element(where.ga + len(encoded), room)
                size = self._run.api.acp_retrieve_map(self._handle, Pair(where, to))
                if size == 0:
                    return None
                if size < room:
                    return self._buffer[len(encoded):len(encoded) + size].tobytes()
                self._buffer = self._run.zeros(2 * self._buffer.nbytes, np.uint8)  # perhaps the value is longer

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a key. Raises KeyError if it is not in the map. Blocks for round trips."""
        data = self._find(key)
        if data is None:
            raise KeyError(key)
        return self._value(data)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, or default if it is not in the map. Blocks for round trips."""
        data = self._find(key)
        return default if data is None else self._value(data)

    def __contains__(self, key: Any) -> bool:
        """Return whether a key is in the map. Blocks for one round trip at most."""
        with self._lock:
            return bool(self._run.api.acp_find_map(self._handle, self._store(self._key(key))[0]).elem)

    def pop(self, key: Any, default: Any = None) -> Any:
        """Remove a key, and return its value, or default if it is not in the map.

        Reading and removing are two steps. Blocks for round trips.
        """
        value = self.get(key, default)
        self._remove(key)
        return value

    def __delitem__(self, key: Any) -> None:
        """Remove a key. Raises KeyError if it is not in the map. Blocks for round trips."""
        if not self._remove(key):
            raise KeyError(key)

    def __len__(self) -> int:
        """Return the number of pairs on all ranks. Blocks for round trips to other hosts."""
        return self._run.api.acp_size_map(self._handle)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Yield all pairs, in no order that programs may rely on. Other ranks must not remove keys. Blocks."""
        api = self._run.api
        it = api.acp_begin_map(self._handle)
        while it.elem:
            pair = api.acp_dereference_map_it(it)
            with self._lock:
                key, value = self._load(pair.first), self._load(pair.second)
            yield key if self._raw else keys.decode(key), self._value(value)
            it = api.acp_increment_map_it(it)

    def __iter__(self) -> Iterator[Any]:
        """Yield all keys. Otherwise as items. Blocks."""
        return (key for key, _ in self.items())

    def clear(self) -> None:
        """Remove all pairs. Blocks for round trips to other hosts."""
        self._run.api.acp_clear_map(self._handle)

    def destroy(self) -> None:
        """Free the map. One rank calls it; no rank may use the map afterwards. Blocks for round trips."""
        self._run.api.acp_destroy_map(self._handle)
