/*
 * A program in which one rank of a job fails in the way that the argument selects, while the other ranks of the run
 * wait for it.
 *
 *     acprun -np 4 failing 2 exit3
 *
 * Here the process with number 2 in its job exits with status 3 after acp_init. The ways before acp_init are
 * early0 and early3, which exit with status 0 and 3. With MPI these follow MPI_Init; first0 and
 * first3 exit before it. The ways after acp_init are exit3, return, signal and abort (acp_abort), and
 * with MPI mpiabort (MPI_Abort with status 7) and mpierror (an error for which the MPI ends the job). With a negative
 * number no process fails.
 */
#include "program.h"
#include <signal.h>

/* number returns the number of the process in its job, from its launcher. */
static int number(void)
{
    static const char *const names[] = {"ACP_JOB_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    fprintf(stderr, "no launcher says which process this is\n");
    exit(EXIT_FAILURE);
}

static void fails(const char *way)
{
    if (strcmp(way, "exit3") == 0)
        exit(3);
    if (strcmp(way, "return") == 0)
        exit(EXIT_SUCCESS);
    if (strcmp(way, "signal") == 0)
        raise(SIGKILL);
    if (strcmp(way, "abort") == 0)
        acp_abort("no ice");
#ifdef WITH_MPI
    if (strcmp(way, "mpiabort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(way, "mpierror") == 0)
        MPI_Send(NULL, 0, MPI_INT, 1000000, 0, MPI_COMM_WORLD);
#endif
    fprintf(stderr, "no such way: %s\n", way);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: failing NUMBER WAY\n");
        return EXIT_FAILURE;
    }
    int victim = atoi(argv[1]) == number();
    const char *way = argv[2];
    if (victim && strncmp(way, "first", 5) == 0)
        exit(atoi(way + 5));
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    if (victim && strncmp(way, "early", 5) == 0)
        exit(atoi(way + 5));
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        return EXIT_FAILURE;
    }
    sync_all();
    if (victim)
        fails(way);
    acp_sync();
    return EXIT_FAILURE;
}
