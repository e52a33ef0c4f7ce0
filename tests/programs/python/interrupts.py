"""Ctrl-C ends every call that waits, and the next call of the same function continues."""

import ctypes
import os
import pickle
import random
import signal
import threading
import time

import numpy as np

import goacp
from goacp import channels


class Waits:
    """Counts the calls that wait in the main thread."""

    NAMES = ("acp_sync", "acp_sync_ranks", "acp_broadcast", "acp_wait_value", "acp_wait_ch", "acp_complete_links",
             "goacp_python_receive", "acp_next_link", "acp_begin_implicit", "acp_iterate_implicit")

    def __init__(self, api):
        self.count, self.changed = 0, threading.Condition()
        self.functions = {name: getattr(api, name) for name in self.NAMES}
        for name, function in self.functions.items():
            setattr(api, name, self.counted(function))

    def release(self, api):
        """Count no more."""
        for name, function in self.functions.items():
            setattr(api, name, function)

    def counted(self, function):
        def call(*arguments):
            if threading.current_thread() is threading.main_thread():
                with self.changed:
                    self.count += 1
                    self.changed.notify_all()
            return function(*arguments)

        return call

    def interrupt(self):
        """Send a signal when the main thread waits for the second time."""
        with self.changed:
            end = self.count + 2
            self.changed.wait_for(lambda: self.count >= end)
        os.kill(os.getpid(), signal.SIGINT)


def expire(*_):
    """Handle a signal."""
    raise TimeoutError


def interrupted(call, *arguments, error=KeyboardInterrupt):
    """Check that a signal ends a call that waits, with an error of the handler."""
    thread = threading.Thread(target=WAITS.interrupt)
    try:
        thread.start()
        call(*arguments)
    except error:
        thread.join()
        return
    raise AssertionError(f"{call} has not waited")


def late(run, stage, call, *arguments):
    """Make a call on both ranks, on rank 0 after it has been interrupted on rank 1."""
    if run.rank == 1:
        interrupted(call, *arguments)
        run.values[stage] = True
    else:
        run.values.wait(stage)
    return call(*arguments)


def iterates(run):
    """A step of two iterations, whose beginning and first end are late on rank 0."""
    model = run.model(["lead", "follow"][run.rank], [run.rank])
    both = model.implicit(["follow", "lead"][run.rank], leads=run.rank == 0)
    if run.rank == 0:
        x = np.ones(1)
        both.add("x", x)
        both.measure("x", "absolute", 1e-9)
        both.accelerate("constant", 1)
        run.values.wait("step begins")
        for number in both.rounds():
            if number == 0:
                run.values.wait("iteration ends")
            x[:] = 3
    else:
        interrupted(next, both.rounds())
        run.values["step begins"] = True
        rounds = both.rounds()
        assert next(rounds) == 0
        interrupted(next, rounds)
        run.values["iteration ends"] = True
        assert list(both.rounds()) == [1]
    assert both.last() == (2, True)
    both.free()


def big(number):
    """Return an array that needs two messages of a channel, of which the second waits for the receiver."""
    return np.full(300_000, number, np.int64)


def sends(run):
    """Calls of both ends of a channel that were interrupted at each stage continue."""
    if run.rank == 0:
        out = run.sender(1)
        interrupted(out.send, big(1))  # its data
        run.values["sends"] = True
        out.send(big(1))
        run.values.wait("first came")
        interrupted(out.send, big(2))
        run.values["sends again"] = True
        out.send("another value")
        run.values.wait("next came")
        interrupted(out.send_bytes, big(3))
        run.values["closes"] = True
        out.close()
    else:
        into = run.receiver(0)
        run.values.wait("sends")
        assert (into.receive() == big(1)).all()
        run.values["first came"] = True
        run.values.wait("sends again")
        assert (into.receive() == big(2)).all() and into.receive() == "another value"
        run.values["next came"] = True
        run.values.wait("closes")
        last = np.zeros_like(big(0))
        assert into.receive_into(last) == last.nbytes and (last == 3).all()
        into.close()


def receives(run):
    if run.rank == 0:
        out = run.sender(1)
        run.values.wait("receives")
        out.send("first")
        run.values.wait("receives data")
        # An object whose data comes late.
        about, data = pickle.dumps(("<i8", (300_000,))), big(4)
        first = channels._HEAD.pack(channels._ARRAY, len(about), data.nbytes) + about
        out.send_bytes(first)
        run.values["data is late"] = True
        run.values.wait("waits for data")
        out.send_bytes(data)
        run.values.wait("receives into")
        out.send("older")
        out.send_bytes(data)
        out.send("newer")
        run.values.wait("waits for bytes")
        out.send_bytes(data[:5])
        run.values.wait("closes")
        out.send_bytes(first)
        out.send_bytes(data[:5])
        interrupted(out.close)
        run.values["interrupted"] = True
        out.close()
    else:
        into = run.receiver(0)
        late_end = threading.Thread(target=run.values.wait, args=("interrupted",))
        interrupted(into.receive)
        run.values["receives"] = True
        assert into.receive() == "first"
        run.values["receives data"] = True
        run.values.wait("data is late")
        interrupted(into.receive)
        run.values["waits for data"] = True
        assert (into.receive() == big(4)).all()
        # The object that an interrupted call waits for is older than the next message.
        interrupted(into.receive)
        run.values["receives into"] = True
        data = np.zeros_like(big(0))
        assert into.receive_into(data) == data.nbytes and (data == 4).all()
        assert into.receive() == "older" and into.receive() == "newer"
        data[:] = 0
        interrupted(into.receive_into, data)
        run.values["waits for bytes"] = True
        assert into.receive_into(data) == 40 and data.sum() == 20
        run.values["closes"] = True
        late_end.start()
        try:
            into.receive()
        except goacp.Error as problem:
            assert not isinstance(problem, goacp.ChannelClosed) and "40 bytes" in str(problem), problem
        else:
            raise AssertionError("an object without all of its data")
        late_end.join()
        assert list(into) == []
        into.close()
    assert not run.abandoned


def broadcasts(run):
    """A broadcast that was interrupted in its first or its second part continues."""
    assert late(run, "broadcast", run.broadcast, "of rank 0") == "of rank 0"
    if run.rank == 0:
        # A broadcast whose second part comes late.
        text = pickle.dumps("late")
        everyone = (ctypes.c_int * 2)(0, 1)
        size = ctypes.c_int64(len(text))
        assert run.api.acp_broadcast(ctypes.addressof(size), 8, 0, everyone, 2) == 0
        run.values.wait("second part")
        buffer = ctypes.create_string_buffer(text, len(text))
        assert run.api.acp_broadcast(ctypes.addressof(buffer), len(text), 0, everyone, 2) == 0
    else:
        interrupted(run.broadcast)
        run.values["second part"] = True
        assert run.broadcast() == "late"
    assert run.broadcast("of rank 1" if run.rank == 1 else None, root=1) == "of rank 1"


class Alarm(Exception):
    """Raised by the handler of a timer."""


def persistent(call, *arguments):
    """Make a call again and again until no timer interrupts it, and return its result."""
    while True:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 3e-3), 5e-3)
        try:
            return call(*arguments)
        except Alarm:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def iterate(run, model, x):
    """Timers lose and repeat no iteration of an implicit coupling."""
    most, steps = 5, 20
    both = model.implicit(["right", "left"][run.rank], leads=run.rank == 0)
    if run.rank == 0:
        both.add("f", x)
        both.measure("f", "absolute", 1e-300)
        both.limit(most)
    numbers = []
    for _ in range(steps):
        rounds = both.rounds()

        def following():
            nonlocal rounds
            try:
                return next(rounds, None)
            except Alarm:
                rounds = both.rounds()
                raise

        while (number := persistent(following)) is not None:
            numbers.append(number)
            x += number + 1
            time.sleep(random.uniform(0, 3e-3))
    assert numbers == list(range(numbers[0], numbers[0] + most * steps)), numbers
    both.free()


def alarms(run):
    """Timers, most of which end while a call waits, and so just before it returns, lose and repeat nothing."""

    def ring(_, frame):
        if frame.f_code.co_filename.endswith("_wait.py"):  # not after the call
            raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    out, into = (run.sender(1), run.receiver(1)) if run.rank == 0 else (run.sender(0), run.receiver(0))
    for number in range(100):
        value = [number, "x" * random.choice((1, 100_000))]
        if run.rank == 0:
            persistent(out.send, value)
            assert persistent(into.receive) == value
        else:
            got = persistent(into.receive)
            assert got[0] == number, (number, got[0])
            time.sleep(random.uniform(0, 3e-3))
            persistent(out.send, got)
    for number in range(100):
        time.sleep(random.uniform(0, 3e-3))
        root = number % 2
        assert persistent(run.broadcast, number if run.rank == root else None, root) == number
        time.sleep(random.uniform(0, 3e-3))
        persistent(run.sync, [0, 1] if number % 3 == 0 else None)
    x = np.zeros(1000)
    model = run.model(["left", "right"][run.rank], [run.rank])
    field = model.field("f", x, block=((1000,), (0,)))
    link = field.send_to("right.f") if run.rank == 0 else field.receive_from("left.f")
    for number in range(100):
        time.sleep(random.uniform(0, 3e-3))
        if run.rank == 0:
            x[:] = number
            persistent(link.send, number)
        else:
            persistent(link.receive, number)
            assert (x == number).all(), (number, x[0])
    link.close()
    iterate(run, model, x)
    if run.rank == 0:
        persistent(out.close)
        assert list(into) == []
        persistent(into.close)
    else:
        assert list(into) == []
        persistent(into.close)
        persistent(out.close)
    signal.signal(signal.SIGALRM, before)


def main():
    global WAITS
    with goacp.run() as run:
        WAITS = Waits(run.api)
        late(run, "sync", run.sync)
        late(run, "some ranks", run.sync, [0, 1])
        x = np.zeros(8)
        model = run.model(["source", "sink"][run.rank], [run.rank])
        field = model.field("f", x, block=((8,), (0,)))
        if run.rank == 0:
            run.values.wait("value waits")
            run.values["late"] = 5
            out = run.sender(1)
            run.values.wait("message waits")
            out.send(np.arange(3))
            out.send("after")
            run.values.wait("link waits")
            link = field.send_to("sink.f")
            run.values.wait("step waits")
            x[:] = 7
            link.send(0)
            published = field.publish_to("sink.f")
            run.values.wait("watcher waits")
            x[:] = 8
            step = 0
            while run.values.get("seen") is None:
                published.send(step)
                step += 1
        else:
            interrupted(run.values.wait, "late")
            run.values["value waits"] = True
            assert run.values.wait("late") == 5
            into = run.receiver(0)
            first = np.zeros(2048, np.uint8)
            interrupted(into.receive_into, first)
            run.values["message waits"] = True
            # The request that has been given up gets the first message.
            assert into.receive() == "after" and first.any()
            interrupted(field.receive_from, "source.f")
            # The exception of a handler may be an OSError, as those of the library.
            handler = signal.signal(signal.SIGINT, expire)
            interrupted(field.receive_from, "source.f", error=TimeoutError)
            signal.signal(signal.SIGINT, handler)
            run.values["link waits"] = True
            link = field.receive_from("source.f")
            interrupted(link.receive, 0)
            run.values["step waits"] = True
            link.receive(0)
            assert (x == 7).all()
            watcher = field.watch("source.f")
            interrupted(watcher.next)
            run.values["watcher waits"] = True
            assert watcher.next() is not None and (x == 8).all()
            run.values["seen"] = True
        iterates(run)
        sends(run)
        receives(run)
        broadcasts(run)
        WAITS.release(run.api)
        alarms(run)
        # A thread that waits lets others compute.
        got = []
        other = run.receiver(1 - run.rank)
        mine = run.sender(1 - run.rank)
        thread = threading.Thread(target=lambda: got.append(other.receive()))
        thread.start()
        run.sync()
        mine.send(run.rank)
        thread.join()
        assert got == [1 - run.rank]
        run.sync()
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
