"""The run: its ranks, its memory, and the functions that ranks call together."""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Type, Union

import numpy as np

from . import _find, _wait, arrays
from ._api import Api
from .blocks import Heap
from .broadcasts import Broadcast
from .errors import ArrayError, Error
from .members import Epoch, State

if TYPE_CHECKING:
    from .addresses import Address
    from .channels import Receiver, Sender
    from .coupling import Field, Model
    from .futures import Future
    from .grids import Grid
    from .links import Link
    from .maps import Map
    from .registration import Registration
    from .values import Values

_current: Optional["Run"] = None


def current() -> "Run":
    """Return the run of this process. Raises RuntimeError outside of goacp.run()."""
    if _current is None:
        raise RuntimeError("no run: use the object inside of `with goacp.run() as run:`")
    return _current


def run(heap: Optional[int] = None, mpi: Optional[str] = None) -> "Run":
    """Join the run that acprun or macprun has started; without a launcher, a run of this process alone.

    heap is the size of the global heap of this rank in bytes, if other than that of the launcher; arrays of
    ``Run.zeros`` lie there. mpi is "openmpi" or "mpich" for libmacp; by default it is the MPI of mpi4py if the
    program has imported mpi4py.MPI, and otherwise the library is libacp.

    Use it in a with statement. Its end waits for all ranks; if an exception leaves it, the run is aborted, and
    the launcher ends the other ranks.

    Raises ImportError if the library is not found, and Error if the other ranks cannot be reached. Blocks until
    all ranks have called it.
    """
    return Run(heap, mpi)


class Run:
    """This process as a rank of a run. goacp.run() makes it."""

    def __init__(self, heap: Optional[int], mpi: Optional[str]) -> None:
        global _current
        if _current is not None:
            raise RuntimeError("this process is in a run already")
        self.api = Api(mpi or _find.mpi4py_family())
        _initialise(self.api, heap)
        self.rank: int = self.api.call("acp_rank")  #: of this process, from 0
        self.size: int = self.api.call("acp_procs")  #: the number of ranks; one more than the highest if ranks have left
        self._heap = Heap(self.api, self.rank)
        self._futures: dict[int, Future[Any]] = {}
        self._words: dict[str, list[tuple[np.ndarray, int]]] = {}  # by the type of the integers
        self.links: dict[int, Link] = {}  # open ones, whose arrays the library uses
        self.declared: list[Field] = []
        self._interrupted: dict[Any, Any] = {}  # calls of several ranks under way, by function and ranks
        self.abandoned: set[Any] = set()  # requests with their memory, for some of which no call waits any more
        _current = self

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType],
    ) -> None:
        if _current is not self or not self._heap.usable():
            return
        if error is None or isinstance(error, SystemExit) and error.code in (None, 0):
            self.finalize()
            return
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, trace)
        sys.stdout.flush()
        self.abort(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)

    def finalize(self) -> None:
        """Leave the run. Arrays of zeros keep their values, in private memory.

        All ranks call it. Raises Error if another rank has died, or if the library cannot end now; then the run goes on.
        Blocks until all ranks have called it.
        """
        global _current
        for future in list(self._futures.values()):
            future.result()
        self._words.clear()
        _current = None
        # MPI may require the thread that has called acp_init.
        if self.api.acp_mpi_name() != b"":
            self._leave()
        else:
            _wait.in_thread(self._leave)

    def _leave(self) -> None:
        """End the library. It continues if a signal handler interrupts finalize, so all that follows is done here."""
        global _current
        try:
            self._heap.leave(lambda: self.api.call("acp_finalize"))
        finally:
            if self._heap.closed:
                self.links.clear()
                self.declared.clear()
                self._interrupted.clear()
                self.abandoned.clear()
            else:
                _current = self

    def abort(self, reason: str) -> None:
        """End the run with status 255 and a line with a reason. Does not return."""
        self.api.forget_failure()  # whose text acp_abort would add
        self.api.acp_abort(reason.encode())

    # Memory

    def zeros(self, shape: Union[int, Sequence[int]], dtype: Any = np.float64) -> np.ndarray:
        """Return an array of zeros in the global heap of this rank, in the order of C.

        Peers on the host map it: they read and write it by loads and stores. Links send from it and receive into
        it without a copy between. It stays until the last view of it has gone; after the run it is private.

        Raises Error with errno ENOMEM if the heap is full: pass heap to goacp.run, or -startermemsize-dl to the
        launcher. Does not block.
        """
        dims = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise ArrayError("peers cannot read elements of Python: use a dtype of numbers")
        return self._heap.zeros(dims, kind)

    def empty(self, shape: Union[int, Sequence[int]], dtype: Any = np.float64) -> np.ndarray:
        """Return an array of this rank alone, for copies from other ranks. Does not block."""
        return np.empty(shape, dtype)

    def address(self, array: np.ndarray) -> "Address":
        """Return the global address of an array of zeros, or of a part of one without gaps.

        Raises ArrayError for another array: register it. Does not block.
        """
        from .addresses import Address

        if not array.flags.c_contiguous:
            raise ArrayError(f"the array has strides {array.strides}: pass a part without gaps, in the order of C")
        ga = self._global(array)
        if ga is None:
            raise ArrayError("the array is not of run.zeros: use run.register(array), or copy it into run.zeros")
        return Address(ga, arrays.element(array.dtype), array.shape)

    def register(self, array: np.ndarray) -> "Registration":
        """Make an array of any origin addressable for all ranks, until the result is closed or has gone.

        Peers copy by system calls. Raises ArrayError for an array that cannot be written. Does not block.
        """
        from .registration import Registration

        return Registration(self, array)

    def _global(self, array: np.ndarray) -> Optional[int]:
        """Return the global address of the first byte if the array lies in the heap, and otherwise None.

        The array is contiguous.
        """
        return self.api.goacp_python_ga(arrays.address(array), array.nbytes) or None

    def locate(self, array: np.ndarray) -> tuple[int, Optional[Callable[[], None]]]:
        """Return the global address of a contiguous array for one operation, and a function to call after it, if any."""
        ga = self._global(array)
        if ga:
            return ga, None
        if array.nbytes == 0:
            return self.api.call("acp_query_starter_ga", self.rank, failure=0), None
        at = arrays.address(array)
        key = self.api.call("acp_register_memory", at, array.nbytes, 0, failure=0)
        return self.api.call("acp_query_ga", key, at, failure=0), lambda: self._unregister(key)

    def _unregister(self, key: int) -> None:
        """Take back a registration, unless the run is over."""
        if self._heap.usable():
            self.api.call("acp_unregister_memory", key)

    def take_word(self, dtype: str) -> tuple[list[tuple[np.ndarray, int]], tuple[np.ndarray, int]]:
        """Return an integer in the heap with its global address, for the result of an atomic, and the list of free ones.

        The atomic puts the integer back into the list.
        """
        words = self._words.setdefault(dtype, [])
        while True:
            try:
                return words, words.pop()
            except IndexError:  # none has been free, or other threads have taken all
                page = self._heap.zeros((64,), np.dtype(dtype))
            ga = self._global(page)
            assert ga is not None
            words.extend((page[i:i + 1].reshape(()), ga + page.itemsize * i) for i in range(64))

    def begin(self, future: "Future[Any]") -> None:
        """Keep a future alive until its operation is done."""
        self._futures[id(future)] = future
        if len(self._futures) % 256 == 0:
            for f in list(self._futures.values()):
                f.done()

    def end(self, future: "Future[Any]") -> None:
        """Forget a future whose operation is done."""
        self._futures.pop(id(future), None)

    # All ranks together

    def sync(self, ranks: Optional[Sequence[int]] = None) -> None:
        """Wait until all ranks, or those of a list, have called it.

        Futures of other ranks may not be done: wait for them first. Raises Error if another rank has died.
        Blocks. If a signal handler raises an exception meanwhile, the next call with the same ranks continues.
        """
        members = () if ranks is None else tuple(ranks)

        def begin() -> _wait.Call:
            if ranks is None:
                return _wait.Call(self.api, "acp_sync")
            return _wait.Call(self.api, "acp_sync_ranks", (ctypes.c_int * len(members))(*members), len(members))

        self._together(("sync", ranks is None, members), begin)

    def broadcast(self, value: Any = None, root: int = 0, ranks: Optional[Sequence[int]] = None) -> Any:
        """Return the value that root passes, on all ranks or those of a list. Other ranks pass anything.

        The value is pickled. All of them pass the same root and ranks. Raises Error if another rank has died.
        Blocks until root has called it. If a signal handler raises an exception meanwhile, the next call with the same
        root and ranks continues, with the value of the interrupted one.
        """
        members = tuple(self.epoch.ranks if ranks is None else ranks)
        broadcast, data = self._together(("broadcast", root, members), lambda: Broadcast(self, value, root, members))
        return broadcast.value if data is None else pickle.loads(data)

    def _together(self, key: Any, begin: Callable[[], Any]) -> Any:
        """Return the result of a call of several ranks: that of begin, or an interrupted one with the same key.

        Raises Error. If a signal handler raises an exception, the call stays until it continues.
        """
        call = self._interrupted.get(key)
        if call is None:
            call = self._interrupted[key] = begin()
        try:
            result = call.result()
        except Error:
            self._interrupted.pop(key, None)
            raise
        self._interrupted.pop(key, None)
        return result

    # Ranks that come and go

    @property
    def seats(self) -> int:
        """The number of ranks that the run can ever have: those of its beginning, later ones, and guests. Does not block."""
        return self.api.call("acp_seats")

    def state(self, rank: int) -> State:
        """Return the state of a rank. Raises Error for a rank beyond seats. Does not block."""
        return State(self.api.call("acp_state", rank))

    def cohort(self, rank: int) -> int:
        """Return the number of the cohort of a rank: 0 for ranks of the run, and another for each job of guests.

        Raises Error for a rank that is not known. Does not block.
        """
        return self.api.call("acp_cohort", rank)

    def await_change(self, seen: int = -1, seconds: Optional[float] = None) -> int:
        """Wait until more than seen changes of the ranks have been received, or for some seconds. Return their number.

        A change is the arrival of processes, the end of one that the run survives, another epoch, or a request to
        leave. Look at the states after the call, and pass its result to the next one. Raises Error if the run is
        over. Blocks.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            left = _wait.SLICE if deadline is None else min(_wait.SLICE, deadline - time.monotonic())
            changes = self.api.call("acp_await_change", seen, max(left, 0.0))
            if changes > seen or deadline is not None and time.monotonic() >= deadline:
                return changes

    @property
    def epoch(self) -> Epoch:
        """The ranks that call functions together now. Does not block."""
        numbers = np.empty(self.size, np.intc)
        count = self.api.call("acp_epoch_ranks", numbers.ctypes.data, len(numbers))
        return Epoch(self.api.call("acp_epoch"), numbers[:count].tolist())

    def adopt(self, stay: bool = True) -> Optional[Epoch]:
        """Begin the next epoch, of the ranks that stay and of all processes that wait in goacp.run().

        A rank that passes False has left when the call returns None: its memory is gone for other ranks, and the
        with statement of the run ends. Move its data before.

        All ranks of the epoch call it. Raises Error if the rank cannot leave, if the run was not started with -max
        and the rank does not stay, or if the run is over. Blocks until all have called it.
        """
        if _wait.in_thread(self.api.call, "acp_adopt", int(stay)) == 0:
            return None
        self.size = self.api.call("acp_procs")
        return self.epoch

    def asked(self, rank: Optional[int] = None) -> bool:
        """Return whether a rank, or this one, is asked to leave. Does not block."""
        return self.api.call("acp_asked", self.rank if rank is None else rank) == 1

    def ask_leave(self, rank: int) -> None:
        """Ask a rank to leave. It leaves by adopt(False), or never.

        Raises Error for rank 0, for a rank of a fixed job or outside of the epoch, and without -max. Does not block.
        """
        self.api.call("acp_ask_leave", rank)

    def ask_join(self, count: int) -> None:
        """Ask the launcher for more processes of this job. They wait in goacp.run() until the ranks adopt them.

        Raises Error without -max. Does not block.
        """
        self.api.call("acp_ask_join", count)

    # Objects that ranks share

    def sender(self, to: int) -> "Sender":
        """Return this rank's end of a channel to a rank, which calls receiver. Does not block."""
        from .channels import Sender

        return Sender(self, to)

    def receiver(self, source: int) -> "Receiver":
        """Return this rank's end of a channel from a rank, which calls sender. Does not block."""
        from .channels import Receiver

        return Receiver(self, source)

    @property
    def values(self) -> "Values":
        """The named values of the run."""
        from .values import Values

        return Values(self)

    def map(self, slots: int = 1024, raw: bool = False) -> "Map":
        """Make a map over all ranks of the epoch, or of a job of guests. slots is the size of the table of each rank.

        With raw, keys and values are bytes, as programs in C have them. All ranks of the epoch call it, and pass the
        same. Raises Error if a heap is full. Blocks until the first of them has called it.
        """
        from .maps import Map

        return Map.create(self, slots, raw)

    def model(self, name: Optional[str] = None, ranks: Optional[Sequence[int]] = None) -> "Model":
        """Make a model for coupling, of some ranks, or of all ranks of this job.

        Without a name it has that of the job. Raises Error for a wrong name. Does not block.
        """
        from .coupling import Model

        return Model(self, name, ranks)

    def weights(
        self, sender: "Grid", receiver: "Grid", method: str = "conservative", *, neighbours: int = 1, fill: bool = False,
        cell_area: bool = False, points: Optional[Any] = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Make the weights for a link from a field on one grid to a field on another one, and return rows, columns and weights.

        Links take them as weights=. method is "nearest", from some neighbours; "bilinear", from four points around, where
        fill gives other points the nearest one; or "conservative", from the corners of both grids, where cell_area divides by the
        area of the whole receiving cell in place of the covered part. Only the points of the receiving grid in points
        get weights, such as those of this rank; without it all do. Sends no message.

        Raises ArrayError for arrays of wrong shapes, and Error. Does not block, but computes.
        """
        from . import grids

        return grids.weights(self, sender, receiver, method, neighbours, fill, cell_area, points)

    @property
    def jobs(self) -> dict[str, list[int]]:
        """The ranks of each job of the run, by its name. Does not block.

        In a guest there are also the jobs of the run, and of earlier guests that were present when it came.
        """
        api = self.api
        jobs = dict.fromkeys(api.call("acp_job", rank) for rank in range(self.size) if api.acp_state(rank) > 0)
        return {
            api.call("acp_job_name", job, failure=None).decode(): [
                api.call("acp_job_rank", job, i) for i in range(api.call("acp_job_procs", job))
            ]
            for job in jobs
        }

    @property
    def job(self) -> str:
        """The name of the job of this rank. Does not block."""
        return self.api.call("acp_job_name", self.api.call("acp_job", self.rank), failure=None).decode()

    @property
    def library(self) -> str:
        """The name and version of the library, such as "libacp 2.1.0" or "libmacp 2.1.0 for openmpi"."""
        text = f"{self.api.acp_library().decode()} {self.api.acp_version().decode()}"
        mpi = self.api.acp_mpi_name().decode()
        return f"{text} for {mpi}" if mpi else text


def _initialise(api: Api, heap: Optional[int]) -> None:
    """Call acp_init. Raises Error."""
    words = [os.fsencode(sys.executable or "python3")]
    if heap is not None:
        words += [b"--acp-size-smem-dl", str(int(heap)).encode()]
    vector = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    count = ctypes.c_int(len(words))
    api.call("acp_init", ctypes.byref(count), ctypes.byref(ctypes.cast(vector, ctypes.POINTER(ctypes.c_char_p))))
    api.goacp_python_begin()
