"""Averages, lags, interpolation, units, integrals and a restart, between rank 0 and the other ranks."""

import pathlib

import numpy as np

import goacp
from checks import fails


def sender(run, field, values, folder, initial):
    for life in range(2):
        with field.send_to("hand.time", every=2) as out:
            out.reduce("average")
            out.lag(1)
            assert "median" in fails(ValueError, out.reduce, "median")
            if life == 1:
                assert "clock.0" in fails(OSError, out.load, folder / "absent" / "clock")
                assert out.load(folder / "clock") == 3
            elif initial is None:
                values[:] = -0.5
                out.initialize()
            else:
                out.initialize(0, initial)
            for step in range(4 * life, 4 * life + 6):
                values[:] = step
                out.send(step)
                if step == 3:
                    out.save(folder / "clock")
            assert "before the first step" in fails(goacp.Error, out.lag, 1)
            run.sync()


def receiver(run, field, values, folder):
    for life in range(2):
        with field.receive_from("clock.time", every=2) as source:
            source.interpolate()
            source.scale(10, 1)
            source.record(folder / "seen", every=2)
            assert "every 0 messages" in fails(goacp.Error, source.record, folder / "seen", 0)
            if life == 1:
                assert source.load(folder / "hand") == 3
            for step in range(4 * life, 4 * life + 4):
                source.receive(step)
                # Message n is that of step 2n: -0.5, 0.5, 2.5, 4.5 ...
                want = (step - 1) / 2 if step < 2 else step - 1.5
                assert np.allclose(values, 10 * want + 1, atol=1e-9), (step, values, want)
                if step == 3:
                    source.save(folder / "hand")
            messages, waited = source.times()
            assert messages >= 2 and waited >= 0 and (folder / f"seen.{run.rank - 1}.nc").exists()
            run.sync()


def play(run, kind, folder, initial):
    others = list(range(1, run.size))
    n = 3 * len(others)
    model = run.model("clock", [0]) if run.rank == 0 else run.model("hand", others)
    values = np.zeros(n if run.rank == 0 else 3, kind)
    first = 0 if run.rank == 0 else 3 * (run.rank - 1)
    field = model.field("time", values, block=((n,), (first,)))
    assert "shape" in fails(goacp.ArrayError, field.conserve, "add", np.ones(77))
    assert "divide" in fails(ValueError, field.conserve, "divide")
    field.conserve("multiply", np.full(values.shape, 2.0))
    field.conserve("add")
    if run.rank == 0:
        if initial is not None:
            np.full(n, -0.5, kind).tofile(initial)
        sender(run, field, values, folder, initial)
    else:
        receiver(run, field, values, folder)
    computed, waited = model.times()
    assert computed > 0 and waited >= 0
    field.free()
    model.free()


def main():
    folder = pathlib.Path.cwd()
    with goacp.run() as run:
        play(run, np.float64, folder, None)
        play(run, np.float32, folder, folder / "initial")
        with run.model("none", [run.rank]).open_links() as links:
            links.save(folder)
            assert links.load(folder) == -1
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
