"""Channels, named values, maps and broadcasts."""

import threading
import time

import numpy as np

import goacp


class Thing:
    """An object that is pickled."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number


THINGS = [
    1, "text", None, {"a": [1, 2]}, np.arange(12.0).reshape(3, 4), np.arange(100_000)[::2], np.array(3, np.int8),
    np.zeros((0, 4)), b"x" * 70_000, Thing(4), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(["a", "bc"]),
    np.array([(1, 2.5), (3, 4.5)], [("number", "i4"), ("values", "f8")]), np.zeros(2, "V3"),
    np.zeros(1000, [("x", "f4", (3,))]), np.array(["2020-02-29", "2021-01-01"], "M8[D]"),
]


def equal(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and (a == b).all()
    return a == b


def channels(run):
    right, left = (run.rank + 1) % run.size, (run.rank - 1) % run.size
    if run.size == 1:
        return
    # Even ranks send first, so that no two wait for each other.
    out, into = run.sender(right), run.receiver(left)
    for thing in THINGS:
        if run.rank % 2 == 0:
            out.send(thing)
            got = into.receive()
        else:
            got = into.receive()
            out.send(thing)
        assert equal(thing, got), (thing, got)
    raw, back = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    if run.rank == 0:
        out.send_bytes(raw)
        out.send_bytes(b"end")
    elif run.rank == 1:
        assert into.receive_into(back) == 20 and (back == raw).all()
        try:
            into.receive()
        except goacp.Error as problem:
            assert "receive_into" in str(problem)
        else:
            raise AssertionError("a message of send_bytes as an object")
    # All close the sending end in another thread than the receiving end: each waits for its partner.
    if run.rank % 2 == 0:
        out.close()
        assert list(into) == []
    else:
        assert list(into) == []
        into.close()
    if run.rank % 2 == 0:
        into.close()
    else:
        out.close()


def threads(run):
    """Two threads send one array by two channels, and two threads send by one channel."""
    array, failed = np.arange(300_000), []

    def sends(out):
        try:
            out.send_bytes(array)
        except BaseException as problem:
            failed.append(problem)

    def both(*senders):
        all_threads = [threading.Thread(target=sends, args=(out,)) for out in senders]
        for thread in all_threads:
            thread.start()
        return all_threads

    if run.rank == 0:
        outs = [run.sender(1) for _ in range(2)]
        for senders in outs, outs[:1] * 2:
            for thread in both(*senders):
                thread.join()
        assert not failed, failed
        for out in outs:
            out.close()
    elif run.rank == 1:
        intos = [run.receiver(0) for _ in range(2)]
        time.sleep(0.1)  # both threads wait
        for into in intos[1], intos[0], intos[0], intos[0]:
            got = np.zeros_like(array)
            assert into.receive_into(got) == got.nbytes and (got == array).all()
        for into in intos:
            into.close()
    assert not run.abandoned


def values(run):
    if run.rank == 0:
        run.values["where"] = {"x": 1, "thing": Thing(7)}
    assert run.values.wait("where")["thing"] == Thing(7)
    assert run.values["where"]["x"] == 1 and run.values.get("absent") is None
    try:
        run.values["absent"]
    except KeyError:
        pass
    else:
        raise AssertionError("a value that no rank has put")
    assert run.values.put_bytes(f"of {run.rank}", b"1") == 1 and run.values.put_bytes(f"of {run.rank}", b"22") == 2
    assert run.values.wait_bytes(f"of {(run.rank + 1) % run.size}", 2) == (b"22", 2)
    try:
        run.values["long"] = b"x" * 40_000
    except goacp.Error as problem:
        assert problem.function == "acp_put_value" and problem.errno == 22, problem
    else:
        raise AssertionError("a value that is too long")
    run.sync()


def maps(run):
    m = run.map(slots=64)
    keys = ["name", b"name", 1, 1.0, True, None, ("a", 1, ("b",)), "", -(10 ** 30)]
    for key in keys:
        m[(run.rank, key)] = [run.rank, key]
    run.sync()
    assert len(m) == run.size * len(keys)
    for r in range(run.size):
        for key in keys:
            assert m[(r, key)] == [r, key] and (r, key) in m
    pairs = dict(m.items())
    assert set(pairs) == {(r, k) for r in range(run.size) for k in keys} and set(m) == set(pairs)
    run.sync()
    won = m.insert("first", run.rank)
    run.sync()
    assert (m["first"] == run.rank) == won and m.get("absent", 5) == 5
    run.sync()
    big = "x" * 100_000
    m[run.rank] = big
    assert m[run.rank] == big
    m[run.rank] = 2
    assert m.pop(run.rank) == 2 and run.rank not in m
    try:
        del m[run.rank]
    except KeyError:
        pass
    else:
        raise AssertionError("removed twice")
    try:
        m[[1]] = 1
    except TypeError as problem:
        assert "tuple" in str(problem)
    else:
        raise AssertionError("a list as a key")
    run.sync()
    if run.rank == 0:
        m.clear()
        assert len(m) == 0
    raw = run.map(slots=4, raw=True)
    raw[b"rank %d" % run.rank] = b"bytes"
    run.sync()
    assert sorted(raw) == sorted(b"rank %d" % r for r in range(run.size)) and raw[b"rank 0"] == b"bytes"
    run.sync()
    if run.rank == 0:
        raw.destroy()


def broadcasts(run):
    for root in range(run.size):
        for thing in THINGS:
            assert equal(run.broadcast(thing if run.rank == root else "nothing", root), thing)
    if run.size > 2:
        some = [run.size - 1, 0]
        if run.rank in some:
            assert run.broadcast(run.rank, 0, some) == 0
            run.sync(some)


def main():
    with goacp.run() as run:
        channels(run)
        if run.size > 1:
            threads(run)
        values(run)
        maps(run)
        broadcasts(run)
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
