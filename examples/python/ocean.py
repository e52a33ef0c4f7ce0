"""An ocean in Python, coupled with the air in C (air.c): both exchange heat at each point of a grid.

Each rank has some rows of the grid. The rows next to them come from the neighbours, which write them into its array.
"""

import struct

import numpy as np

import goacp

NY, NX = 60, 40  #: points of the grid, as in air.c
STEPS = 200  #: as in air.c
DIFFUSION = 0.2  #: of the difference to a neighbour, in each step
EXCHANGE = 0.05  #: of the difference between ocean and air, in each step


def neighbours(run, model, now):
    """Return the addresses of the rows into which this rank writes its first and its last row, or None at an edge."""
    ranks = run.jobs[run.job]
    mine = ranks.index(run.rank)
    addresses = [run.broadcast(run.address(now), root, ranks) for root in ranks]
    above = addresses[mine - 1][-1] if mine > 0 else None
    below = addresses[mine + 1][0] if mine + 1 < len(ranks) else None
    return above, below, ranks


def exchange(run, now, above, below, ranks):
    """Fill the rows next to those of each rank. At the edges of the grid they repeat the outermost row."""
    futures = []
    for target, row, edge in (above, now[1], now[0]), (below, now[-2], now[-1]):
        if target is None:
            edge[:] = row
        else:
            futures.append(target.put(row))
    goacp.wait(*futures)
    run.sync(ranks)


def diffuse(now):
    """Let heat flow between neighbours."""
    flow_y = DIFFUSION * np.diff(now, axis=0)
    flow_x = DIFFUSION * np.diff(now[1:-1], axis=1)
    inner = now[1:-1]
    inner += flow_y[1:] - flow_y[:-1]
    inner[:, :-1] += flow_x
    inner[:, 1:] -= flow_x


def heat(run, name):
    """Return the sum of the values that all ranks of the run have stored under a name."""
    return sum(struct.unpack("<d", run.values.wait_bytes(f"{name} of {rank}")[0])[0] for rank in range(run.size))


def main():
    with goacp.run() as run:
        ranks = run.jobs[run.job]
        first, last = (NY * (ranks.index(run.rank) + i) // len(ranks) for i in (0, 1))
        now = run.zeros((last - first + 2, NX))  # with a row of each neighbour
        now[1:-1, : NX // 2] = 20
        model = run.model("ocean")
        surface = model.field("surface", now, block=((NY, NX), (first, 0)), halo=(1, 0), order="C")
        air = np.zeros((last - first, NX))
        above = model.field("air", air, block=((NY, NX), (first, 0)), order="C")
        run.values.put_bytes(f"before of {run.rank}", struct.pack("<d", now[1:-1].sum()))
        north, south, ranks = neighbours(run, model, now)
        with surface.send_to("air.below") as out, above.receive_from("air.surface") as into:
            for step in range(STEPS):
                out.send(step)
                into.receive(step)
                exchange(run, now, north, south, ranks)
                before = now[1:-1].copy()
                diffuse(now)
                now[1:-1] += EXCHANGE * (air - before)
                run.sync(ranks)  # before neighbours write their rows again
        run.values.put_bytes(f"after of {run.rank}", struct.pack("<d", now[1:-1].sum()))
        if run.rank == ranks[0]:
            before, after = heat(run, "before"), heat(run, "after")
            print(f"ocean in Python, {len(ranks)} ranks, and air in C, {run.size - len(ranks)} ranks: "
                  f"{STEPS} steps, heat {before:.3f} before and {after:.3f} after")
            if abs(after - before) > 1e-6 * before:
                raise SystemExit("heat is lost")
        run.sync()


if __name__ == "__main__":
    main()
