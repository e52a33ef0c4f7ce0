/*
 * A model whose ranks leave one after the other opens its link anew in each epoch: rank 0 is the receiving model, and the other
 * ranks are the sending one.
 *
 *     acprun -max 4 -np 4 shrinking air|sea
 *
 * The model that is named opens first.
 */
#include "program.h"

#include <acp_couple.h>
#include <unistd.h>

enum { ALL = 60, LATER = 100000 /* microseconds */ };

static double values[ALL];

#define MUST(call) CHECK(call, "%s: %s", #call, acp_couple_message())

static void send(const int *ranks, int n, int epoch, int later)
{
    int index = 0;

    while (ranks[index] != acp_rank())
        index++;
    int64_t first = ALL * index / n, size = ALL * (index + 1) / n - first;
    acp_model_t model = acp_create_model("sea", ranks, n);
    acp_field_t field = acp_create_field_ranges(model, "sst", ACP_DOUBLE, 1, values, &first, &size, 1);
    for (int i = 0; i < size; i++)
        values[i] = 1000 * epoch + (double)first + i;
    usleep(later ? LATER : 0);
    acp_link_t link = acp_open_link_to(field, "air.surface", 1, 1, -1);
    MUST(link != ACP_LINK_NULL);
    MUST(acp_send_link(link, epoch) == 0 && acp_close_link(link) == 0);
    MUST(acp_free_field(field) == 0 && acp_free_model(model) == 0);
}

static void receive(int epoch, int later)
{
    int64_t first = 0, size = ALL;
    acp_model_t model = acp_create_model("air", (int[]){0}, 1);
    acp_field_t field = acp_create_field_ranges(model, "surface", ACP_DOUBLE, 1, values, &first, &size, 1);

    usleep(later ? LATER : 0);
    acp_link_t link = acp_open_link_from(field, "sea.sst", 1, 1, -1);
    MUST(link != ACP_LINK_NULL);
    MUST(acp_receive_link(link, epoch) == 0);
    for (int i = 0; i < ALL; i++)
        CHECK(values[i] == 1000 * epoch + i, "epoch %d: value %d is %g", epoch, i, values[i]);
    MUST(acp_close_link(link) == 0);
    MUST(acp_free_field(field) == 0 && acp_free_model(model) == 0);
}

int main(int argc, char **argv)
{
    CHECK(acp_init(&argc, &argv) == 0, "acp_init failed");
    int air_first = strcmp(argv[1], "air") == 0;
    for (int epoch = 0, n = acp_procs(); n > 1; epoch++) {
        int ranks[4];
        CHECK(acp_epoch_ranks(ranks, 4) == n, "the epoch does not have %d ranks", n);
        if (acp_rank() == 0)
            receive(epoch, !air_first);
        else
            send(ranks + 1, n - 1, epoch, air_first);
        int stays = acp_rank() == 0 || acp_rank() != ranks[n - 1];
        int next = acp_adopt(stays); /* the number of the epoch, or 0 */
        CHECK(next == (stays ? epoch + 1 : 0), "acp_adopt returned %d: %s", next, acp_error_message());
        if (!stays)
            return acp_finalize();
        n--;
    }
    printf("the model has left\n");
    return acp_finalize();
}
