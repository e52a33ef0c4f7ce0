"""Copies from a guest that is killed meanwhile: each of them fails, in whatever order the program asks for them."""

import errno
import os
import pathlib
import signal
import sys
import time

import goacp


def running(pid):
    """Return whether a thread of a process has not stopped yet."""
    threads = pathlib.Path(f"/proc/{pid}/task").glob("*/stat")
    return any(thread.read_text().rpartition(")")[2].split()[0] != "T" for thread in threads)


with goacp.run() as run:
    x = run.zeros(1)
    if run.cohort(run.rank):
        run.values["guest"] = run.address(x), os.getpid()
        run.values.wait("never")
    print("ready", flush=True)
    there, pid = run.values.wait("guest")
    guest = there.rank
    there.get(x).result()
    os.kill(pid, signal.SIGSTOP)
    while running(pid):
        time.sleep(0.001)
    futures = [there.get(x) for _ in range(3)]
    assert not any(future.done() for future in futures)
    os.kill(pid, signal.SIGKILL)
    time.sleep(float(sys.argv[1]) / 1000)
    for future in futures[::-1] * 2:
        try:
            raise AssertionError(f"a copy from a lost guest has returned {future.result()}")
        except goacp.Error as error:
            assert error.errno == errno.ESRCH, error
    assert run.address(x).get().result() == 0
    seen = -1
    while run.state(guest) != goacp.State.LOST:  # so that the launcher of the guest reports its status, and not the end of the run
        seen = run.await_change(seen)
    print("all have failed")
