"""Ctrl-C ends every call that waits, and the next call of the same function continues."""

import os
import signal
import threading

import numpy as np

import goacp


class Waits:
    """Counts the calls that wait in the main thread."""

    NAMES = ("sync", "sync_ranks", "wait_value", "wait_ch", "complete_links", "receive_link", "next_link", "begin_implicit",
             "iterate_implicit")

    def __init__(self, api):
        self.count, self.changed = 0, threading.Condition()
        for name in self.NAMES:
            setattr(api, f"acp_{name}", self.counted(getattr(api, f"acp_{name}")))

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


def interrupted(call, *arguments):
    """Check that a signal ends a call that waits."""
    thread = threading.Thread(target=WAITS.interrupt)
    try:
        thread.start()
        call(*arguments)
    except KeyboardInterrupt:
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
