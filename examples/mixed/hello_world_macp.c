/*
 * Hello from a program that uses MPI inside its job and ACP across all jobs.
 *
 *     macpcc hello_world_macp.c -o hello_world_macp
 *     macprun -np 6 inputfile
 */
#include <mpi.h>

#include "hello.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    char role[64];

    /* Errors of MPI end the program: that is what MPI_COMM_WORLD does with them
     * unless told otherwise. */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    snprintf(role, sizeof role, "MPI rank %d of %d", rank, size);
    int status = hello_exchange(role);
    if (acp_finalize() != 0)
        status = EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
