"""Weights of grids: from corners, and from points in rows; each rank makes those of its points, and a link takes them."""

import numpy as np

import goacp
from checks import fails


def cells(n, width, **options):
    """Return n cells of a plane side by side."""
    edge = np.arange(n + 1) * float(width)
    corner_x = np.stack([edge[:-1], edge[1:], edge[1:], edge[:-1]], axis=1)
    corner_y = np.tile([0.0, 0.0, 1.0, 1.0], (n, 1))
    return goacp.Grid((edge[:-1] + edge[1:]) / 2, np.full(n, 0.5), corners=(corner_x, corner_y), plane=True, **options)


def entries(weights):
    rows, columns, values = weights
    assert rows.dtype == columns.dtype == np.int64 and values.dtype == np.float64
    return list(zip(rows.tolist(), columns.tolist(), values.round(12).tolist()))


with goacp.run() as run:
    fine, coarse = cells(4, 1), cells(2, 2)
    assert entries(run.weights(fine, coarse)) == [(0, 0, 0.5), (0, 1, 0.5), (1, 2, 0.5), (1, 3, 0.5)]
    assert entries(run.weights(fine, coarse, points=[1])) == [(1, 2, 0.5), (1, 3, 0.5)]
    assert entries(run.weights(fine, coarse, points=[])) == []
    some = cells(4, 1, active=[True, True, True, False])
    assert entries(run.weights(some, coarse, points=[1])) == [(1, 2, 1.0)]
    assert entries(run.weights(some, coarse, points=[1], cell_area=True)) == [(1, 2, 0.5)]
    hidden = np.ma.masked_array(fine.x, [False, False, False, True])
    half = goacp.Grid(hidden, fine.y, corners=fine.corners, active=np.ma.masked_array([1, 1, 0, 1], [0, 1, 0, 0]), plane=True)
    assert entries(run.weights(half, coarse)) == [(0, 0, 1.0)]
    y, x = np.mgrid[0:2, 0:3]
    rows, beside = goacp.Grid(x, y, plane=True), goacp.Grid([1.25, 9], [0.5, 0.9], plane=True)
    around = [(0, 1, 0.375), (0, 2, 0.125), (0, 4, 0.375), (0, 5, 0.125)]
    assert entries(run.weights(rows, beside, "bilinear")) == around
    assert entries(run.weights(rows, beside, "bilinear", fill=True)) == around + [(1, 5, 1.0)]
    assert len(entries(run.weights(rows, beside, "nearest", neighbours=3))) == 6
    assert entries(run.weights(goacp.Grid(0.0 * x[0], [-10, 0, 10]), goacp.Grid([0.0], [9]), "nearest")) == [(0, 2, 1.0)]

    assert "method is 'spline'" in fails(ValueError, run.weights, fine, coarse, "spline")
    assert "corners" in fails(goacp.Error, run.weights, rows, beside)
    assert "shape (2, 3)" in fails(goacp.ArrayError, run.weights, goacp.Grid(x, y[0]), coarse)
    assert "shapes (4, 4)" in fails(goacp.ArrayError, run.weights, goacp.Grid([0.0], [0.0], corners=fine.corners), coarse)
    assert "active has the shape (1,)" in fails(goacp.ArrayError, run.weights, cells(4, 1, active=[True]), coarse)

    # Rank 0 has the fine grid, and each other rank some of the coarse one.
    if run.rank == 0:
        values = np.array([1.0, 3.0, 5.0, 9.0])
        with run.model("fine", [0]).field("f", values, points=range(4)).send_to("coarse.f") as out:
            out.send(0)
    else:
        own = list(range(2))[run.rank - 1::run.size - 1]
        values = np.zeros(len(own))
        field = run.model("coarse", list(range(1, run.size))).field("f", values, points=own)
        with field.receive_from("fine.f", weights=run.weights(fine, coarse, points=own)) as into:
            into.receive(0)
        assert values.tolist() == [[2.0, 7.0][p] for p in own]
    print(f"rank {run.rank} is done")
