"""Models that open the links of the run's description: sea sends, air receives, and viewer watches."""

import numpy as np

import goacp

N, STEPS = 12, 4


def main():
    with goacp.run() as run:
        ranks = run.jobs[run.job]
        part = ranks.index(run.rank)
        points = np.arange(part, N, len(ranks))
        x = np.zeros(len(points))
        model = run.model()
        field = model.field("f", x, points=points)
        with model.open_links(timeout=60) as links:
            if run.job == "sea":
                step = 0
                while step < STEPS or run.values.get("seen") is None:
                    x[:] = 100 * step + points
                    links.send(step)
                    step += 1
            elif run.job == "air":
                step = 0
                try:
                    while True:
                        links.receive(step)
                        assert (x == 100 * step + points).all()
                        step += 1
                except goacp.LinkEnded:
                    assert step >= STEPS
            else:
                watcher = links.watcher(field)
                assert watcher.next(timeout=60) is not None
                assert (x % 100 == points).all() and field.name == "f"
                watcher.close()
                run.values["seen"] = True
        rank = run.rank
    print(f"rank {rank} is done", flush=True)


main()
