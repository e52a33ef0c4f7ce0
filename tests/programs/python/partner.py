"""A resident that waits for messages of a guest, and the guest. partner.c says which lines they print."""

import os
import signal
import sys

import goacp

GUEST = 2


def main():
    with goacp.run() as run:
        if sys.argv[2] == "guest":
            pairs = run.map(slots=16)  # of the guests
            pairs["guest"] = run.rank
            assert list(pairs.items()) == [("guest", GUEST)]
            run.sender(0).send("message")
            print("rank", run.rank, "pid", os.getpid(), flush=True)
            signal.pause()
        elif run.rank == 0:
            print("begins", flush=True)
            seen = -1
            while run.seats <= GUEST or run.state(GUEST) is not goacp.State.PRESENT:
                seen = run.await_change(seen)
            into = run.receiver(GUEST)
            problem = None
            try:
                for message in into:
                    assert message == "message"
                    print("waits", flush=True)
            except goacp.Error as error:
                problem = error
            into.close()
            print("ended:", problem and problem.errno, flush=True)


main()
