"""The ranks of a job of MPI as ranks of a run, with mpi4py."""

import numpy as np
from mpi4py import MPI

import goacp


def main():
    comm = MPI.COMM_WORLD
    with goacp.run() as run:
        assert run.library.startswith("libmacp ") and run.library.endswith("openmpi"), run.library
        assert comm.size == run.size
        x = run.zeros(run.size, np.int64)
        addresses = comm.allgather((run.rank, run.address(x)))
        assert sorted(rank for rank, _ in addresses) == list(range(run.size))
        for _, address in addresses:
            address[run.rank].add(run.rank + 1).result()
        run.sync()
        assert (x == np.arange(1, run.size + 1)).all()
        assert comm.allreduce(1) == run.size
        run.sync()
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
