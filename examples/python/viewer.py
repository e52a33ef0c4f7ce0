"""A viewer of a model that computes already: it draws a field of it, step after step, into a picture file.

    acprun -to RUN python3 viewer.py FIELD ROWS COLUMNS [STEPS]

The model publishes FIELD, a grid of ROWS by COLUMNS numbers, to viewer.picture. The picture is picture.pgm in the current
folder, which most programs for pictures show. Ctrl-C ends the viewer, and the model continues.
"""

import os
import sys

import numpy as np

import goacp


def draw(path, values):
    """Write a picture in shades of grey, from the least of the values to the greatest. A reader never sees half of it."""
    least, most = values.min(), values.max()
    grey = np.zeros(values.shape, np.uint8) if least == most else ((values - least) * (255 / (most - least))).astype(np.uint8)
    with open(path + ".new", "wb") as file:
        file.write(b"P5 %d %d 255\n" % grey.shape[::-1])
        file.write(grey.tobytes())
    os.replace(path + ".new", path)


def main(field, rows, columns, steps=sys.maxsize):
    rows, columns, steps = int(rows), int(columns), int(steps)
    values = np.zeros((rows, columns))
    with goacp.run() as run:
        picture = run.model("viewer").field("picture", values, block=((rows, columns), (0, 0)))
        with picture.watch(field) as watcher:
            for seen, step in enumerate(watcher, 1):
                draw("picture.pgm", values)
                print(f"step {step}: {values.min():g} to {values.max():g}", flush=True)
                if seen == steps:
                    break


if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
main(*sys.argv[1:])
