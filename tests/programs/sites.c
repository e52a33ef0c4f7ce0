/*
 * Ranks that wait in several functions, for a test that looks where. Six ranks run it over TCP. Rank 3 stops itself,
 * and the others wait for it.
 *
 *     acprun -net tcp -np 6 sites
 *
 * Each rank prints "rank R pid P" before. The comment behind a call says which rank waits in it.
 */
#include "program.h"

#include <acp_couple.h>
#include <armci.h>

enum { STOPPED = 3 };

static double values[1];
static char message[8];
static acp_ch_t channel;
static acp_link_t incoming;

/* open_link opens a link from the rank that stops to rank 2. */
static void open_link(int self)
{
    static const int64_t points[1];
    acp_model_t model = acp_create_model(self == STOPPED ? "air" : "sea", (int[]){self}, 1);
    acp_field_t field = acp_create_field_list(model, "sst", ACP_DOUBLE, 1, values, points, 1);

    incoming = self == STOPPED ? acp_open_link_to(field, "sea.sst", 1, 1, -1) : acp_open_link_from(field, "air.sst", 0, 1, -1);
    CHECK(incoming != ACP_LINK_NULL, "%s", acp_couple_message());
}

static void prepare(int self)
{
    if (self == 1 || self == STOPPED)
        CHECK((channel = acp_create_ch(STOPPED, 1)) != ACP_CH_NULL, "no channel");
    if (self == 2 || self == STOPPED)
        open_link(self);
    CHECK(ARMCI_Create_mutexes(self == 0) == 0, "no mutex");
    if (self == STOPPED)
        ARMCI_Lock(0, 0);
}

/* The functions in which ranks wait have names for builds without line numbers. */
#define PLACE static __attribute__((noinline)) void

PLACE in_sync(void)
{
    CHECK(acp_sync() == 0, "acp_sync failed"); /* rank 0 */
}

PLACE in_channel(void)
{
    acp_request_t request = acp_nbrecv_ch(channel, message, sizeof message);

    CHECK(acp_wait_ch(request) == 8, "a message"); /* rank 1 */
}

PLACE in_link(void)
{
    CHECK(acp_receive_link(incoming, 0) == 0, "no values"); /* rank 2 */
}

PLACE in_complete(void)
{
    for (;;) { /* until the other rank has stopped */
        acp_handle_t h = acp_copy(acp_query_starter_ga(STOPPED), acp_query_starter_ga(4), 64, ACP_HANDLE_NULL);

        acp_complete(h); /* rank 4 */
    }
}

PLACE in_lock(void)
{
    ARMCI_Lock(0, 0); /* rank 5 */
    CHECK(incoming == ACP_LINK_NULL, "this rank has a link");
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(ARMCI_Init() == 0 && acp_procs() == 6, "no ARMCI with 6 ranks");
    int self = acp_rank();
    prepare(self);
    sync_all();
    printf("rank %d pid %d\n", self, (int)getpid());
    fflush(stdout);
    if (self != STOPPED)
        tell_left(STOPPED);
    switch (self) {
    case 0:
        in_sync();
        break;
    case 1:
        in_channel();
        break;
    case 2:
        in_link();
        break;
    case STOPPED:
        stop_self();
        break;
    case 4:
        in_complete();
        break;
    default:
        in_lock();
    }
    return 0;
}
