"""A run that grows from one rank to three, and shrinks to two. Each rank adds its number to an array of rank 0."""

import numpy as np

import goacp


def total(run):
    """Return the sum of the numbers of all ranks of the epoch, which they add to a word of rank 0."""
    word = run.zeros((), np.int64) if run.rank == 0 else None
    address = run.broadcast(run.address(word) if run.rank == 0 else None)
    address.add(run.rank).result()
    run.sync()
    value = int(address.get().result())
    run.sync()  # the array ends with this function
    return value


def await_states(run, **wanted):
    """Wait until so many ranks are in each of some states."""
    seen = -1
    while any(sum(run.state(r).name == name for r in range(3)) < n for name, n in wanted.items()):
        seen = run.await_change(seen)


def main():
    with goacp.run() as run:
        rank = run.rank
        if run.epoch.number == 0:  # rank 0, alone
            assert run.epoch.ranks == [0] and run.size == 1 and run.seats > 3 and run.cohort(0) == 0
            assert run.state(1) is goacp.State.NONE and run.await_change(seconds=0) >= 0
            changes = run.await_change(-1)
            assert run.await_change(changes, seconds=0.01) == changes
            run.ask_join(2)
            await_states(run, WAITING=2)
            assert run.adopt() == (1, [0, 1, 2])
        assert run.size == 3 and run.epoch.ranks == [0, 1, 2]
        assert total(run) == 3
        if rank == 0:
            run.ask_leave(1)
        if rank == 1:
            seen = -1
            while not run.asked():
                seen = run.await_change(seen)
        run.sync()
        kept = run.zeros(4)
        kept[:] = rank
        epoch = run.adopt(rank != 1)
        if epoch is None:
            assert rank == 1
        else:
            assert epoch == (2, [0, 2]) and run.state(1) is goacp.State.LEFT and not run.asked()
            pairs = run.map(slots=16)  # on the ranks that are left
            pairs[rank] = "here"
            run.sync()
            assert sorted(pairs) == [0, 2]
            run.sync()
            assert total(run) == 2 and run.broadcast("north" if rank == 2 else None, 2) == "north"
            try:
                run.ask_leave(0)
            except goacp.Error as error:
                assert "rank 0 stays" in str(error)
            else:
                raise AssertionError("rank 0 is asked to leave")
    assert (kept == rank).all()
    print(f"rank {rank} is done", flush=True)


main()
