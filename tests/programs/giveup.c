/*
 * A program in which one rank calls acp_abort while the other ranks wait in the way that the argument selects.
 *
 *     acprun -np 4 giveup 2 sync
 *
 * Here rank 2 gives up while the other ranks wait in a barrier. The other ways are compute, in which they call no
 * functions, and self, in which all ranks give up at once.
 */
#include "program.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int victim = argc > 1 ? atoi(argv[1]) : 0;
    const char *way = argc > 2 ? argv[2] : "sync";
    sync_all();
    if (acp_rank() == victim || strcmp(way, "self") == 0)
        acp_abort("no ice");
    if (strcmp(way, "compute") == 0)
        for (volatile uint64_t x = 0;; x++)
            ;
    acp_sync();
    return EXIT_FAILURE;
}
