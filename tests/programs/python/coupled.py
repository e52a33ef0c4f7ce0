"""Coupling between two models of one job: blocks, lists, ranges, halos, weights and watchers."""

import pathlib
import tempfile

import numpy as np
import scipy.io
import scipy.sparse

import goacp
from checks import fails

NY, NX = 8, 6


def rows(parts, part):
    """Return the first row and the number of rows of a part of the grid."""
    first, last = NY * part // parts, NY * (part + 1) // parts
    return first, last - first


def truth(step):
    return 100.0 * step + np.arange(NY * NX).reshape(NY, NX)


def square(parts, part):
    """Return columns of a grid of 3 x 3 points in the order of Fortran, whose values are their numbers, and the first one.

    With two parts the last one has a single column, an array that has the order of C as well.
    """
    numbers = np.arange(9.0).reshape(3, 3, order="F")
    first = 0 if part == 0 else 2
    return np.array(numbers[:, first:3 if parts == 1 else first + 2], order="F"), first


def ocean(run, members):
    parts, part = len(members), members.index(run.rank)
    first, count = rows(parts, part)
    model = run.model("ocean", members)
    sst = run.zeros((count, NX))
    field = model.field("sst", sst, block=((NY, NX), (first, 0)))
    with field.send_to("atmosphere.surface") as out:
        for step in range(5):
            sst[:] = truth(step)[first:first + count]
            out.send(step)
    # Weights at the receiver; then a field in the order of Fortran with a halo.
    for _ in range(2):
        with field.send_to("atmosphere.mean", timeout=60) as out:
            out.send(0)
    other = np.zeros((NX + 2, count + 4), order="F")
    halo = model.field("halo", other, block=((NX, NY), (0, first)), halo=(1, 2))
    other[1:-1, 2:-2] = np.arange(NX * NY).reshape(NX, NY, order="F")[:, first:first + count]
    next_level = other + 1000
    with halo.send_to("atmosphere.listed") as out:
        out.send(0)
        halo.use(next_level)
        out.send(1)
    assert "like it" in fails(goacp.ArrayError, halo.use, np.zeros((2, 2)))
    columns, first_column = square(parts, part)
    with model.field("square", columns, block=((3, 3), (0, first_column)), order="F").send_to("atmosphere.square") as out:
        out.send(0)
    # Watched. The ranks stay together, as those of models do: a watcher waits until the slowest has come to the step of the fastest.
    published = field.publish_to("atmosphere.surface")
    step = 0
    while run.broadcast(run.values.get("seen") if part == 0 else None, members[0], members) is None:
        sst[:] = truth(step)[first:first + count]
        published.send(step)
        step += 1
    published.close()
    two = np.arange(count * NX * 2, dtype=np.float32).reshape(count, NX, 2)
    pair = model.field("pair", two, block=((NY, NX), (first, 0)))
    with pair.send_to("atmosphere.pair") as out:
        out.send(0)
        run.values.wait("closed")
        assert fails(goacp.LinkEnded, send_until_it_fails, out)


def send_until_it_fails(out):
    for step in range(1, 100):
        out.send(step)


def atmosphere(run, members):
    parts, part = len(members), members.index(run.rank)
    first, count = rows(parts, part)
    model = run.model("atmosphere", members)
    surface = np.full((count, NX), -1.0)
    active = np.ones((count, NX), bool)
    active[0, 0] = False
    masked = model.field("masked", surface, block=((NY, NX), (first, 0)), active=active)
    masked.free()
    field = model.field("surface", surface, block=((NY, NX), (first, 0)))
    with field.receive_from("ocean.sst") as into:
        for step in range(5):
            into.receive(step)
            assert (surface == truth(step)[first:first + count]).all(), surface
    assert "tocoo" not in fails(goacp.ArrayError, field.receive_from, "ocean.sst", weights=[1])
    # Each row of the grid has one mean.
    mean = np.zeros(count)
    matrix = scipy.sparse.lil_matrix((NY, NY * NX))
    for row in range(first, first + count):
        matrix[row, row * NX:(row + 1) * NX] = 1 / NX
    means = model.field("mean", mean, ranges=[(first, count)])
    with means.receive_from("ocean.sst", weights=matrix, timeout=60) as into:
        into.receive(0)
    assert np.allclose(mean, truth(4).mean(axis=1)[first:first + count])
    # The same with a file, which has all rows.
    mean[:] = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "mean.mtx"
        everywhere = scipy.sparse.kron(scipy.sparse.identity(NY), np.full((1, NX), 1 / NX))
        scipy.io.mmwrite(file, scipy.sparse.coo_matrix(everywhere))
        with means.receive_from("ocean.sst", weights=file, timeout=60) as into:
            into.receive(0)
    assert np.allclose(mean, truth(4).mean(axis=1)[first:first + count])
    numbers = np.arange(NY * NX)[::-1][part::parts].copy()
    listed = np.zeros(len(numbers))
    with model.field("listed", listed, points=numbers).receive_from("ocean.halo") as into:
        into.receive(0)
        assert (listed == numbers).all(), (listed, numbers)
        into.receive(1)
        assert (listed == numbers + 1000).all()
        assert into.ready() in (True, False)
    numbers = np.arange(part, 9, parts)
    values = np.zeros(len(numbers))
    with model.field("square", values, points=numbers).receive_from("ocean.square") as into:
        into.receive(0)
    assert (values == numbers).all(), (values, numbers)
    # Watched, as an iterator.
    watcher = field.watch("ocean.sst", timeout=60)
    assert watcher.next(timeout=60) is not None
    steps = []
    for step in watcher:
        assert (surface == truth(step)[first:first + count]).all()
        steps.append(step)
        if len(steps) == 10 and part == 0:
            run.values["seen"] = True
    assert steps == sorted(set(steps)) and len(steps) >= 10
    pair = np.zeros((count, NX, 2), np.float32)
    with model.field("pair", pair, block=((NY, NX), (first, 0))).receive_from("ocean.pair") as into:
        into.receive(0)
    run.sync(members)
    if part == 0:
        run.values["closed"] = True
    assert pair.any()


def orders(model):
    """An array that has both orders needs the argument order if it makes a difference."""
    wrong, both = goacp.ArrayError, np.zeros((4, 1), order="F")
    for array, sizes in (
        (both, (4, 4)), (both.T, (4, 4)), (np.zeros((0, 4)), (4, 4)), (both, (4,)), (both.T.reshape(1, 1, 4), (1, 4)),
    ):
        firsts = (0,) * len(sizes)
        assert "order='F'" in fails(wrong, model.field, "f", array, block=(sizes, firsts))
        if array.size:
            for order in "CF":
                model.field(f"{order} {array.shape} {sizes}", array, block=(sizes, firsts), order=order)
    # Without a difference it needs none.
    model.field("line", both, block=((4, 1), (0, 0)))
    model.field("one value", np.zeros((4, 4, 1)), block=((4, 4), (0, 0)))
    assert "asarray" in fails(wrong, model.field, "f", np.zeros((4, 4)), block=((4, 4), (0, 0)), order="F")
    assert "'C' or 'F'" in fails(wrong, model.field, "f", both, block=((4, 4), (0, 0)), order="K")
    fails(TypeError, model.field, "f", np.zeros(4), points=range(4), order="C")


def mistakes(run):
    model = run.model(f"mistakes {run.rank}", [run.rank])
    wrong = goacp.ArrayError
    grid = {"block": ((4, 4), (0, 0))}
    assert "dimensions" in fails(wrong, model.field, "f", np.zeros(16), **grid)
    assert "ascontiguousarray" in fails(wrong, model.field, "f", np.zeros((8, 4))[::2], **grid)
    assert "integers" in fails(wrong, model.field, "f", np.zeros((4, 4), bool), **grid)
    assert "halo" in fails(wrong, model.field, "f", np.zeros((4, 4)), halo=3, **grid)
    fails(TypeError, model.field, "f", np.zeros((4, 4)))
    orders(model)
    assert "points" in fails(wrong, model.field, "f", np.zeros(16), active=np.ones(3), points=range(16))
    assert "twice" in fails(goacp.Error, model.field, "f", np.zeros(2), points=[1, 1])
    frozen = np.zeros((4, 4))
    frozen.setflags(write=False)
    field = model.field("frozen", frozen, **grid)
    assert "read-only" in fails(wrong, field.receive_from, "ocean.sst")
    text = fails(goacp.TimedOut, field.send_to, "nowhere.f", timeout=0.3)
    assert "nowhere" in text, text
    model.seal()
    fails(goacp.Error, model.field, "late", np.zeros((4, 4)), **grid)
    model.free()


def main():
    with goacp.run() as run:
        mistakes(run)
        run.sync()
        half = max(run.size // 2, 1)
        if run.rank < half:
            ocean(run, list(range(half)))
        else:
            atmosphere(run, list(range(half, run.size)))
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
