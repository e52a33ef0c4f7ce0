/*
 * A wrong program: one rank calls another collective function than the other ranks, which call acp_sync.
 *
 *     acprun -np 4 diverge RANK CALL
 *
 * CALL is finalize, reset, create, or a way to end without acp_finalize: exit, return or mpi, which
 * is MPI_Finalize. A rank whose call succeeds prints a line.
 */
#include "program.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(argc == 3, "usage: diverge RANK CALL");
    const char *call = argv[2];
    int result = -1;

    sync_all();
    if (acp_rank() != atoi(argv[1]))
        result = acp_sync();
    else if (strcmp(call, "finalize") == 0)
        result = acp_finalize();
    else if (strcmp(call, "reset") == 0)
        result = acp_reset(acp_rank());
    else if (strcmp(call, "create") == 0)
        result = acp_create_ws(100) == ACP_WSD_NULL ? -1 : 0;
    else if (strcmp(call, "exit") == 0)
        exit(0);
    else if (strcmp(call, "return") == 0)
        return 0;
#ifdef WITH_MPI
    else if (strcmp(call, "mpi") == 0) {
        MPI_Finalize();
        exit(0);
    }
#endif
    if (result == 0)
        printf("all is well\n");
    return EXIT_FAILURE;
}
