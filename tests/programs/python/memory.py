"""Arrays that peers map, registered arrays, copies and atomics."""

import gc
import os
import threading
import time

import numpy as np

import goacp
from checks import fails
from goacp import _find


def copies(run):
    x = run.zeros((run.size, 3))
    all_addresses = [run.broadcast(run.address(x), root) for root in range(run.size)]
    assert [a.rank for a in all_addresses] == list(range(run.size))
    for a in all_addresses:
        a[run.rank].put(np.full(3, run.rank + 1.0)).result()
    run.sync()
    assert (x == np.arange(1, run.size + 1)[:, None]).all(), x
    futures = [a.get() for a in all_addresses]
    for got in goacp.wait(*futures):
        assert (got == x).all(), got
    part = all_addresses[0][1:, ] if run.size > 1 else all_addresses[0][:1]
    assert part.get().result().shape == part.shape
    run.sync()
    return x


def big(run):
    """An array of this rank alone goes to memory of the next rank, and back."""
    x = run.zeros(300_000)
    addresses = [run.broadcast(run.address(x), root) for root in range(run.size)]
    values = np.arange(300_000.0) + run.rank
    futures = [addresses[(run.rank + 1) % run.size].put(values) for _ in range(3)]
    goacp.wait(*futures)
    run.sync()
    assert (x == np.arange(300_000.0) + (run.rank - 1) % run.size).all()
    back = np.zeros_like(values)
    addresses[(run.rank + 1) % run.size].get(out=back).result()
    assert (back == values).all()
    run.sync()


def atomics(run):
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        n = run.zeros(4, dtype)
        count = run.broadcast(run.address(n))
        olds = [count[0].add(1).result() for _ in range(50)]
        assert sorted(set(olds)) == sorted(olds)
        run.sync()
        assert count[0].add(0).result() == 50 * run.size
        won = count[1].compare_and_swap(0, run.rank + 1).result() == 0
        run.sync()
        assert (count[1].add(0).result() == run.rank + 1) == won
        count[2].bitwise_or(1 << run.rank).result()
        run.sync()
        assert count[2].bitwise_and(0xFF).result() == (1 << run.size) - 1
        run.sync()
        if run.rank == 0 and n.dtype.kind == "i":
            assert count[3].swap(-3).result() == 0 and count[3].bitwise_xor(0).result() == -3
        run.sync()
        # Many at a time, whose futures the program drops.
        for _ in range(1000):
            count[3].add(1)
        run.sync()


class Taken(list):
    """Words whose last one another thread takes at the first pop."""

    def pop(self):
        if not hasattr(self, "popped"):
            self.popped = list(self)
            self.clear()
        return super().pop()


class Busy:
    """A run with an operation that is done when busy is false."""

    def __init__(self):
        self.api, self.busy, self.ended = self, True, 0

    def goacp_python_complete(self, _, wait):
        return -1 if self.busy else 0

    def begin(self, _):
        pass

    def end(self, _):
        self.ended += 1


def in_threads(call, count):
    """Return the results of a call in several threads at once."""
    results = []
    threads = [threading.Thread(target=lambda: results.append(call())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def threads(run):
    """Several threads do atomics, and wait for one future."""
    n = run.zeros(1, np.int64)
    count = run.broadcast(run.address(n))
    taken = run._words["<i8"] = Taken(run.take_word("<i8")[0])
    count.add(0).result()
    assert taken.popped
    run.sync()
    olds = in_threads(lambda: [count.add(1).result() for _ in range(200)], 4)
    assert len(olds) == 4 and len(set(sum(olds, []))) == 800
    run.sync()
    assert count.add(0).result() == 800 * run.size
    run.sync()
    # A future whose result takes a while.
    busy, released = Busy(), []
    future = goacp.Future(None, 1, busy, None, lambda: time.sleep(0.2) or "result", lambda: released.append(1))
    busy.busy = False
    assert in_threads(future.result, 4) == ["result"] * 4 and future.done() and released == [1] and busy.ended


def registered(run):
    mine = np.arange(10)
    with run.register(mine) as r:
        addresses = [run.broadcast(r.address, root) for root in range(run.size)]
        run.sync()
        last = addresses[run.size - 1][-1]
        assert last.shape == () and last.get().result() == 9
        run.sync()
        if run.rank == 0:
            addresses[run.size - 1][2:4].put(np.array([-1, -2])).result()
        run.sync()
        assert list(mine[2:4]) == ([-1, -2] if run.rank == run.size - 1 else [2, 3])


def fields(run):
    """Elements with fields keep them."""
    kind = np.dtype([("number", "i4"), ("place", "f8", (3,))])
    x = run.zeros((run.size, 2), kind)
    x["number"], x["place"] = run.rank, run.rank + 0.5
    own = np.array(x)
    with run.register(own) as r:
        for address in run.address(x), r.address:
            for root in range(run.size):
                there = run.broadcast(address, root)
                assert there == there[:] and hash(there) == hash(there[:]) and there[0].nbytes == 2 * kind.itemsize
                got = there[0, 1].get().result()
                assert got.dtype == kind and got["number"] == root and (got["place"] == root + 0.5).all(), got
            run.sync()
    assert "integer" in fails(goacp.ArrayError, address[0, 0].add, 1)


def mistakes(run):
    wrong = goacp.ArrayError
    x = run.zeros((4, 6))
    assert "register" in fails(wrong, run.address, np.zeros(3))
    assert "strides" in fails(wrong, run.address, x[:, ::2])
    a = run.address(x)
    assert "ascontiguousarray" in fails(wrong, a[0].put, np.zeros(12)[::2])
    assert "bytes" in fails(wrong, a.put, np.zeros(3))
    assert "order of Fortran" in fails(wrong, a.put, np.zeros((4, 6), order="F"))
    assert "order of Fortran" in fails(wrong, a.get, np.zeros((4, 6), order="F"))
    frozen = np.zeros((4, 6))
    frozen.setflags(write=False)
    assert "copy()" in fails(wrong, a.get, frozen)
    a.put(frozen).result()
    assert "byteorder" in fails(wrong, a.put, np.zeros((4, 6), ">f8"))
    assert "numpy array" in fails(wrong, a.put, [1, 2])
    assert "masked" in fails(wrong, a.put, np.ma.masked_array(np.zeros((4, 6))))
    assert "object" in fails(wrong, a.put, np.zeros((4, 6), object))
    assert "numbers" in fails(wrong, run.zeros, 3, object)
    assert "integer" in fails(wrong, a[0, 0].add, 1)
    assert "gaps" in fails(wrong, a.__getitem__, (slice(0, 2), 1))
    fails(IndexError, a.__getitem__, 4)
    fails(IndexError, a.__getitem__, (0, 0, 0))
    problem = fails(goacp.Error, run.zeros, 1 << 50)
    assert "12" in problem and "heap" in problem, problem
    fails(RuntimeError, goacp.run)


def forks(run):
    """A forked child may drop arrays and registrations, and leave the with statement."""
    x, r = run.zeros(10), run.register(np.zeros(10))
    child = os.fork()
    if child == 0:
        del x, r
        gc.collect()
        run.__exit__(None, None, None)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    r.close()
    x[:] = 1
    run.sync()


def lifetimes(run):
    """The heap has room for one array at a time."""
    view = None
    for i in range(20):
        x = run.zeros(1 << 20, np.uint8)
        view = x[5:]
        view[:] = i
        del x
        assert view[-1] == i
        view = None
        gc.collect()
    address = run.address(run.zeros(8))
    assert address.nbytes == 64
    run.sync()


def resident():
    """Return how many bytes of memory the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def many(run):
    """Arrays, their views, addresses and futures, and registrations leave nothing behind: 10^5 of each."""
    least = {"before": None, "after": None}
    for i in range(100_000):
        x = run.zeros(64, np.uint8)
        run.address(x[8:16]).put(np.full(8, i % 100, np.uint8)).result()
        with run.register(np.zeros(8)):
            pass
        assert x[15] == i % 100
        when = "before" if 10_000 <= i < 20_000 else "after" if i >= 90_000 else None
        if when and i % 500 == 0:
            gc.collect()
            least[when] = min(resident(), least[when] or resident())
    del x
    gc.collect()
    # The runtime of Go takes and returns some MB at any time, so the least of several samples counts. One Python object for
    # each array would be more than this.
    assert least["after"] < least["before"] + (4 << 20), least
    assert run.zeros(6 << 20, np.uint8).nbytes == 6 << 20  # of 8 MiB


def refused(run):
    """The run goes on if the library refuses to end."""
    x, finalize = run.zeros(3), run.api.acp_finalize
    run.api.acp_finalize = lambda: -1
    fails(goacp.Error, run.finalize)
    run.api.acp_finalize = finalize
    x += 1
    assert (run.address(x).get().result() == 1).all() and run.address(x.view(np.int64))[0].add(0).result() != 0
    run.sync()


def ends_with_error(run):
    """Arrays keep their values if the library has ended and reports an error."""
    x = run.zeros(1000)
    x[:] = run.rank
    run.sync()
    finalize = run.api.acp_finalize
    run.api.acp_finalize = lambda: finalize() - 1
    fails(goacp.Error, run.finalize)
    assert (x == run.rank).all()
    x += 1


def other_release():
    """A library of another release is refused."""
    release, _find.VERSION = _find.VERSION, "2.1.99"
    text = fails(ImportError, goacp.run)
    _find.VERSION = release
    assert f"release {release}, expected 2.1.99: install" in text, text


def main():
    other_release()
    with goacp.run(heap=8 << 20) as run:
        x = copies(run)
        big(run)
        atomics(run)
        threads(run)
        registered(run)
        fields(run)
        mistakes(run)
        lifetimes(run)
        forks(run)
        refused(run)
        if run.size == 1:
            many(run)
        rank, size = run.rank, run.size
        assert run.library.startswith("libacp ") and list(run.jobs.values()) == [list(range(size))]
        outlives = run.zeros(5000) + 0, run.zeros(100_000)
        outlives[1][:] = rank
        if size == 2:
            ends_with_error(run)
    assert (x == np.arange(1, size + 1)[:, None]).all()
    assert (outlives[1] == rank).all()
    x += 1
    fails(RuntimeError, goacp.Address(4096, "<f8", (1,)).get)
    print(f"rank {rank} is done", flush=True)


main()
