"""What the package goacp costs, beside the same operations in C.

    acprun -np 2 python3 python_bench.py pair             copies to the other rank, and steps of links
    acprun -to RUN -np 1 python3 python_bench.py watch    a guest that watches the field of guest_bench publish

A sample is the mean of a loop. Rank 0 measures.
"""

import sys
import time
from typing import Callable

import goacp
import numpy as np

SAMPLES = 9


def measure(name: str, loops: int, work: Callable[[], object], reported: bool = True) -> None:
    """Report several means of what a call of work takes. The first run warms caches and opens connections."""
    for sample in range(-1, SAMPLES):
        begin = time.perf_counter_ns()
        for _ in range(loops):
            work()
        took = (time.perf_counter_ns() - begin) / loops
        if reported and sample >= 0:
            print(f"python\t{name}\t{took:.2f}", flush=True)


def copies(run: goacp.Run) -> None:
    """Put a slice of an array to the other rank."""
    array = run.zeros(1 << 18)
    array[:] = run.rank
    there = run.broadcast(run.address(array), 1)
    if run.rank == 0:
        one, word = array[:1], there[:1]
        large, block = array[: 1 << 17], there[: 1 << 17]
        measure("put8", 2000, lambda: word.put(one).result())
        measure("put1m", 20, lambda: block.put(large).result())
    run.sync()


def steps(run: goacp.Run) -> None:
    """8 bytes from rank 0 to rank 1 and back."""
    model = run.model("from" if run.rank == 0 else "to", [run.rank])
    out, back = run.zeros(1), run.zeros(1)
    x = model.field("x", out, ranges=[(0, 1)])
    y = model.field("y", back, ranges=[(0, 1)])
    if run.rank == 0:
        to, source = x.send_to("to.y", levels=1), y.receive_from("to.x", levels=1)
    else:
        source, to = y.receive_from("from.x", levels=1), x.send_to("from.y", levels=1)
    step = 0

    def turn() -> None:
        nonlocal step
        if run.rank == 0:
            to.send(step)
        source.receive(step)
        if run.rank == 1:
            to.send(step)
        step += 1

    measure("couple8", 2000, turn, run.rank == 0)
    to.close()
    source.close()


def watch(run: goacp.Run) -> None:
    """Get 10^6 doubles of each step that the model publishes."""
    array = run.zeros(1000000)
    picture = run.model("viewer").field("picture", array, ranges=[(0, array.size)])
    with picture.watch("ocean.sst") as watcher:
        measure("watch8m", 20, watcher.next)


with goacp.run() as run:
    if sys.argv[1] == "watch":
        watch(run)
    else:
        copies(run)
        steps(run)
