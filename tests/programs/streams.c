/*
 * Ranks that send each other more bytes than sockets hold, so that a test can stop a part of the run while many bytes
 * are in flight.
 *
 *     acprun -np 3 -net tcp streams
 *
 * Each rank prints "rank R pid P" when it is ready. Rank 0 reads a line before the first byte is sent from rank to
 * rank, and another line before the last. It prints "right" if every byte and every count is right.
 */
#include "program.h"
#include <poll.h>

enum { SIZE = 1 << 20, STREAMS = 4, PAUSE = 10000 };

/* The starter memory of a rank. */
struct memory {
    uint64_t count;                /* of rank 0: rounds of all ranks */
    uint64_t last;                 /* written by rank 0: the round that is the last */
    uint64_t scratch[2];           /* where atomics of this rank leave old values */
    uint8_t from[3][STREAMS][SIZE]; /* by sender */
    uint8_t out[STREAMS][SIZE];
};

static uint8_t expected(int rank, uint64_t round, int i) { return (uint8_t)(rank * 91 + round * 13 + i * 7 + 1); }

static void read_line(void)
{
    char line[80];

    CHECK(fgets(line, sizeof line, stdin) != NULL, "no line on standard input");
}

static int line_waits(void)
{
    struct pollfd in = {.fd = 0, .events = POLLIN};

    return poll(&in, 1, 0) > 0;
}

static acp_ga_t at(int rank, size_t offset) { return acp_query_starter_ga(rank) + (acp_ga_t)offset; }

/* stream sends this rank's bytes of a round to every other rank, all at once. */
static void stream(struct memory *m, uint64_t round)
{
    int self = acp_rank();

    for (int s = 0; s < STREAMS; s++)
        for (int i = 0; i < SIZE; i += 509)
            m->out[s][i] = expected(self, round, i + s);
    for (int r = 0; r < acp_procs(); r++)
        for (int s = 0; s < STREAMS && r != self; s++)
            CHECK(acp_copy(at(r, offsetof(struct memory, from) + ((size_t)self * STREAMS + s) * SIZE),
                           at(self, offsetof(struct memory, out) + (size_t)s * SIZE), SIZE, ACP_HANDLE_NULL) != ACP_HANDLE_NULL, "acp_copy was not issued");
    DONE(acp_add8(at(self, offsetof(struct memory, scratch)), at(0, offsetof(struct memory, count)), 1, ACP_HANDLE_NULL));
    acp_complete(ACP_HANDLE_ALL);
}

static void check(struct memory *m, uint64_t round)
{
    for (int r = 0; r < acp_procs(); r++)
        for (int s = 0; s < STREAMS && r != acp_rank(); s++)
            for (int i = 0; i < SIZE; i += 509)
                CHECK(m->from[r][s][i] == expected(r, round, i + s), "round %d: byte %d of stream %d from rank %d is %d, expected %d", (int)round, i, s, r,
                      m->from[r][s][i], expected(r, round, i + s));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    struct memory *m = starter();
    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    if (rank == 0)
        read_line();
    sync_all();
    uint64_t round = 0;
    do {
        round++;
        if (rank == 0 && m->last == 0 && line_waits()) {
            m->last = round;
            for (int r = 1; r < procs; r++)
                DONE(acp_copy(at(r, offsetof(struct memory, last)), at(0, offsetof(struct memory, last)), 8, ACP_HANDLE_NULL));
        }
        stream(m, round);
        sync_all();
        check(m, round);
        sync_all();
        usleep(PAUSE);
    } while (m->last == 0 || round < m->last);
    if (rank == 0) {
        CHECK(m->count == round * (uint64_t)procs, "%d rounds are counted, expected %d", (int)m->count, (int)round * procs);
        printf("right\n");
    }
    end();
    return EXIT_SUCCESS;
}
