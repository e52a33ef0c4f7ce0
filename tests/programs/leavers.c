/*
 * Messages of senders that leave the run: rank 0 is the receiving model, and the other ranks are the sending one.
 *
 *     acprun -max 4 -np 4 leavers RANK
 *
 * The senders send as many messages as the link has levels, close it, and RANK leaves. The receiver receives all messages
 * afterwards, and then learns that the link has ended.
 */
#include "program.h"

#include <acp_couple.h>
#include <errno.h>

enum { LEVELS = 4, EACH = 20, SENDERS = 3, ALL = EACH * SENDERS };

static double values[ALL];

#define MUST(call) CHECK(call, "%s: %s", #call, acp_couple_message())

static acp_field_t field(const char *model, const int *ranks, int count, const char *name, int64_t first, int64_t size)
{
    acp_model_t m = acp_create_model(model, ranks, count);

    return acp_create_field_ranges(m, name, ACP_DOUBLE, 1, values, &first, &size, 1);
}

static void send(int rank, int leaver)
{
    const int ranks[SENDERS] = {1, 2, 3};
    acp_field_t f = field("sea", ranks, SENDERS, "sst", EACH * (rank - 1), EACH);
    acp_link_t link = acp_open_link_to(f, "air.surface", LEVELS, 1, -1);

    MUST(link != ACP_LINK_NULL);
    for (int64_t step = 0; step < LEVELS; step++) {
        for (int i = 0; i < EACH; i++)
            values[i] = (double)step * 1000 + EACH * (rank - 1) + i;
        MUST(acp_send_link(link, step) == 0);
    }
    MUST(acp_close_link(link) == 0);
    sync_all();
    if (rank == leaver)
        CHECK(acp_adopt(0) == 0, "rank %d cannot leave: %s", rank, acp_error_message());
    else
        CHECK(acp_adopt(1) == 1, "acp_adopt: %s", acp_error_message());
}

static void receive(int leaver)
{
    const int self = 0;
    acp_field_t f = field("air", &self, 1, "surface", 0, ALL);
    acp_link_t link = acp_open_link_from(f, "sea.sst", LEVELS, 1, -1);

    MUST(link != ACP_LINK_NULL);
    sync_all();
    CHECK(acp_adopt(1) == 1, "acp_adopt: %s", acp_error_message());
    while (acp_state(leaver) != ACP_STATE_LEFT)
        CHECK(acp_await_change(-1, 0.01) >= 0, "%s", acp_error_message());
    for (int64_t step = 0; step < LEVELS; step++) {
        MUST(acp_receive_link(link, step) == 0);
        for (int i = 0; i < ALL; i++)
            CHECK(values[i] == (double)step * 1000 + i, "step %d: value %d is %g", (int)step, i, values[i]);
    }
    CHECK(acp_receive_link(link, LEVELS) == -1 && ACP_ERRNO == EPIPE, "after the last message: %s", acp_couple_message());
    MUST(acp_close_link(link) == 0);
    printf("all messages have come\n");
}

int main(int argc, char **argv)
{
    CHECK(acp_init(&argc, &argv) == 0, "acp_init failed");
    int leaver = atoi(argv[1]);
    if (acp_rank() == 0)
        receive(leaver);
    else
        send(acp_rank(), leaver);
    return acp_finalize();
}
