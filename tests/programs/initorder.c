/*
 * The ways to initialise and finalise MPI and ACP, with work in between. The twin in
 * Go is initorder/main.go.
 *
 *     mpirun -np 2 initorder WHEN FIRST
 *
 * WHEN is before, after or never: when MPI_Init is called with respect to acp_init.
 * FIRST is acp or mpi: which is finalised first. Without MPI both are ignored, so
 * that the same command serves in an ACP job.
 */
#include "program.h"

#include "../../examples/mixed/hello.h"

#ifdef WITH_MPI
/* use_mpi checks that MPI works in the job. */
static void use_mpi(void)
{
    int one = 1, sum = 0, size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size, "MPI_Allreduce found %d processes, expected %d", sum, size);
}
#endif

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "never";

#ifdef WITH_MPI
    const char *first = argc > 2 ? argv[2] : "acp";
    int with_mpi = strcmp(when, "never") != 0;
    if (strcmp(when, "before") == 0)
        MPI_Init(&argc, &argv);
#endif
    CHECK(acp_init(&argc, &argv) == 0, "acp_init failed");
#ifdef WITH_MPI
    if (strcmp(when, "after") == 0)
        MPI_Init(&argc, &argv);
    if (with_mpi)
        use_mpi();
#endif
    int status = hello_exchange(when);
#ifdef WITH_MPI
    if (with_mpi) {
        use_mpi();
        if (strcmp(first, "mpi") == 0)
            MPI_Finalize();
    }
#endif
    CHECK(acp_finalize() == 0, "acp_finalize failed");
#ifdef WITH_MPI
    if (with_mpi && strcmp(first, "acp") == 0)
        MPI_Finalize();
#endif
    return status;
}
