/* How long MPI takes to grow from 2 to 6 processes: MPI_Comm_spawn of 4 and MPI_Intercomm_merge.
 *
 *     mpirun -np 2 spawn_mpi SOURCE     SOURCE stands before each figure */

#include "samples.h"

#include <mpi.h>

enum { further = 4 };

/* Takes the two groups apart. All processes of both call it. */
static void part(MPI_Comm all, MPI_Comm between) {
  MPI_Barrier(all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
}

static void grow(char *program, const char *source) {
  int rank;
  MPI_Comm between, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    MPI_Comm_spawn(program, MPI_ARGV_NULL, further, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(between, 0, &all);
    if (rank == 0 && sample >= 0)
      report(source, "grow", now() - begin);
    part(all, between);
  }
}

int main(int argc, char **argv) {
  MPI_Comm parent, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Intercomm_merge(parent, 1, &all);
    part(all, parent);
  } else {
    grow(argv[0], argc > 1 ? argv[1] : "mpi");
  }
  return MPI_Finalize();
}
