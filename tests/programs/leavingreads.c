/*
 * A guest that reads memory of rank 1 of the program epochs while the rank leaves:
 *
 *     acprun -max 6 -np 2 epochs
 *     acprun -to RUN -np N leavingreads
 *
 * Each read finds the value, or fails because the rank has left. The guest prints "reads" when it has found the value, and "has left" at the end.
 */
#include "program.h"

#include <errno.h>

enum { VALUE_OF_RANK_1 = 2 + 1 }; /* where epochs.c has it */

int main(int argc, char **argv)
{
    CHECK(acp_init(&argc, &argv) == 0, "errno %d", ACP_ERRNO);
    volatile int64_t *value = starter();
    acp_ga_t own = acp_query_starter_ga(acp_rank()), theirs = acp_query_starter_ga(1) + 8 * VALUE_OF_RANK_1;
    for (int64_t reads = 0;; reads++) {
        *value = -1;
        ACP_ERRNO = 0;
        acp_complete(acp_copy(own, theirs, 8, ACP_HANDLE_NULL));
        if (ACP_ERRNO != 0)
            break;
        CHECK(*value == 1, "read %lld finds %lld", (long long)reads, (long long)*value);
        if (reads == 0) {
            printf("reads\n");
            fflush(stdout);
        }
    }
    CHECK(ACP_ERRNO == ESRCH && *value == -1 && acp_state(1) == ACP_STATE_LEFT, "errno %d, value %lld, state %d", ACP_ERRNO, (long long)*value, acp_state(1));
    printf("has left\n");
    return acp_finalize();
}
