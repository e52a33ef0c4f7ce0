"""Steps that two models repeat until both agree: rank 0 leads, and the other ranks follow with parts of the values."""

import numpy as np

import goacp
from checks import fails


def choose(both, x):
    assert "float64" in fails(goacp.ArrayError, both.add, "x", x.astype(np.float32))
    both.add("x", x)
    assert "measure is" in fails(ValueError, both.measure, "x", "small", 1)
    assert "no field" in fails(goacp.Error, both.measure, "y", "absolute", 1)
    both.measure("x", "relative", 1e-10)
    assert "method is" in fails(ValueError, both.accelerate, "newton")
    both.accelerate("iqn-ils", 0.5, reuse=1, columns=8)
    both.limit(30)


def play(run):
    others = list(range(1, run.size))
    n = 2 * len(others)
    leads = run.rank == 0
    names = ("lead", "follow") if leads else ("follow", "lead")
    model = run.model(names[0], [0] if leads else others)
    both = model.implicit(names[1], leads=leads)
    x = np.zeros(n if leads else 2)
    first = 0 if leads else 2 * (run.rank - 1)
    field = model.field("x", x, block=((n,), (first,)))
    model.seal()
    if leads:
        choose(both, x)
        links = field.send_to("follow.x"), field.receive_from("follow.x")
    else:
        assert "follows" in fails(goacp.Error, both.add, "x", x)
        links = tuple(reversed((field.receive_from("lead.x"), field.send_to("lead.x"))))
    out, source = links
    kept = np.zeros(3, np.int16)
    both.keep(kept)
    for step in range(1, 3):
        kept[:] = step
        for number in both.rounds():
            assert (kept == step).all()
            kept[:] = -1
            if leads:
                out.send(number)
            source.receive(number)
            if not leads:
                x[:] = step - 1.5 * x[1], step + 0.5 * x[0]
                out.send(number)
        count, converged = both.last()
        assert converged and count < 10, (count, converged)
        if leads:
            assert np.allclose(x, np.tile([-2 * step / 7, 6 * step / 7], len(others)), atol=1e-8), x
    for link in links:
        link.close()
    both.free()


def main():
    with goacp.run() as run:
        play(run)
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
