//go:build mpi

#include "shim.h"

#include <limits.h>
#include <stddef.h>

MPI_Comm goacp_mpi_world(void) { return MPI_COMM_WORLD; }

MPI_Comm goacp_mpi_self(void) { return MPI_COMM_SELF; }

int goacp_mpi_comm_is_null(MPI_Comm comm) { return comm == MPI_COMM_NULL; }

// Completes a call that has made a communicator: it returns errors.
static int made(int rc, MPI_Comm comm) {
  if (rc != MPI_SUCCESS || comm == MPI_COMM_NULL)
    return rc;
  return MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

int goacp_mpi_comm_dup(MPI_Comm comm, MPI_Comm *copy) {
  int rc = MPI_Comm_dup(comm, copy);
  return made(rc, *copy);
}

int goacp_mpi_comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part) {
  int rc = MPI_Comm_split(comm, color < 0 ? MPI_UNDEFINED : color, key, part);
  return made(rc, *part);
}

int goacp_mpi_comm_split_shared(MPI_Comm comm, int key, MPI_Info info,
                                MPI_Comm *part) {
  int rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, info, part);
  return made(rc, *part);
}

int goacp_mpi_intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer,
                               int remote_leader, int tag, MPI_Comm *inter) {
  int rc = MPI_Intercomm_create(comm, leader, peer, remote_leader, tag, inter);
  return made(rc, *inter);
}

int goacp_mpi_intercomm_merge(MPI_Comm inter, int high, MPI_Comm *merged) {
  int rc = MPI_Intercomm_merge(inter, high, merged);
  return made(rc, *merged);
}

int goacp_mpi_comm_accept(const char *port, MPI_Info info, int root,
                          MPI_Comm comm, MPI_Comm *inter) {
  int rc = MPI_Comm_accept(port, info, root, comm, inter);
  return made(rc, *inter);
}

int goacp_mpi_comm_connect(const char *port, MPI_Info info, int root,
                           MPI_Comm comm, MPI_Comm *inter) {
  int rc = MPI_Comm_connect(port, info, root, comm, inter);
  return made(rc, *inter);
}

int goacp_mpi_comm_join(int socket, MPI_Comm *inter) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Comm_join(socket, inter);
  goacp_mpi_quiet_end();
  return made(rc, *inter);
}

int goacp_mpi_comm_disconnect(MPI_Comm *comm) {
#ifdef OMPI_MAJOR_VERSION
  // The function of Open MPI hangs (4.1.4, 5.0.7) on a communicator that was merged from
  // processes of two jobs. Within one communicator these calls have the same effect.
  int inter;
  int rc = MPI_Comm_test_inter(*comm, &inter);
  if (rc == MPI_SUCCESS && !inter) {
    rc = MPI_Barrier(*comm);
    return rc == MPI_SUCCESS ? MPI_Comm_free(comm) : rc;
  }
  if (rc != MPI_SUCCESS)
    return rc;
#endif
  return MPI_Comm_disconnect(comm);
}

int goacp_mpi_comm_parent(MPI_Comm *parent) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Comm_get_parent(parent);
  goacp_mpi_quiet_end();
  return made(rc, *parent);
}

int goacp_mpi_comm_spawn(char **paths, char ***args, const int *procs,
                         const MPI_Info *infos, int root, MPI_Comm comm,
                         MPI_Comm *inter, int *codes) {
  int rc = paths ? MPI_Comm_spawn(paths[0], args[0], procs[0], infos[0], root,
                                  comm, inter, codes)
                 : MPI_Comm_spawn(NULL, MPI_ARGV_NULL, 0, MPI_INFO_NULL, root,
                                  comm, inter, MPI_ERRCODES_IGNORE);
  return made(rc, *inter);
}

int goacp_mpi_comm_spawn_multiple(int n, char **paths, char ***args,
                                  const int *procs, const MPI_Info *infos,
                                  int root, MPI_Comm comm, MPI_Comm *inter,
                                  int *codes) {
  int rc =
      MPI_Comm_spawn_multiple(n, paths, args, procs, infos, root, comm, inter,
                              codes ? codes : MPI_ERRCODES_IGNORE);
  return made(rc, *inter);
}

int goacp_mpi_allgather(const void *send, long n, void *recv, MPI_Comm comm) {
  if (n <= INT_MAX)
    return MPI_Allgather(send, n, MPI_BYTE, recv, n, MPI_BYTE, comm);
  MPI_Datatype many;
  int rc = goacp_mpi_many(n, MPI_BYTE, &many);
  if (rc != MPI_SUCCESS)
    return rc;
  rc = MPI_Allgather(send, 1, many, recv, 1, many, comm);
  MPI_Type_free(&many);
  return rc;
}

int goacp_mpi_allgatherv(const void *send, int count, void *recv,
                         const int *counts, const int *displs, MPI_Comm comm) {
  return MPI_Allgatherv(send, count, MPI_BYTE, recv, counts, displs, MPI_BYTE,
                        comm);
}

static int rank_or_undefined(int rank) {
  return rank == MPI_UNDEFINED ? -1 : rank;
}

int goacp_mpi_group_rank(MPI_Group group, int *rank) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Group_rank(group, rank);
  goacp_mpi_quiet_end();
  *rank = rank_or_undefined(*rank);
  return rc;
}

int goacp_mpi_translate(MPI_Group from, int n, const int *ranks, MPI_Group to,
                        int *there) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Group_translate_ranks(from, n, ranks, to, there);
  goacp_mpi_quiet_end();
  for (int i = 0; i < n; i++)
    there[i] = rank_or_undefined(there[i]);
  return rc;
}

int goacp_mpi_send(const void *buf, long n, int dest, int tag, MPI_Comm comm) {
  if (n <= INT_MAX)
    return MPI_Send(buf, n, MPI_BYTE, dest, tag, comm);
  MPI_Datatype many;
  int rc = goacp_mpi_many(n, MPI_BYTE, &many);
  if (rc != MPI_SUCCESS)
    return rc;
  rc = MPI_Send(buf, 1, many, dest, tag, comm);
  MPI_Type_free(&many);
  return rc;
}

int goacp_mpi_irecv(void *buf, long n, int source, int tag, MPI_Comm comm,
                    MPI_Request *request) {
  if (source < 0)
    source = MPI_ANY_SOURCE;
  if (tag < 0)
    tag = MPI_ANY_TAG;
  if (n <= INT_MAX)
    return MPI_Irecv(buf, n, MPI_BYTE, source, tag, comm, request);
  MPI_Datatype many;
  int rc = goacp_mpi_many(n, MPI_BYTE, &many);
  if (rc != MPI_SUCCESS)
    return rc;
  rc = MPI_Irecv(buf, 1, many, source, tag, comm, request);
  MPI_Type_free(&many);
  return rc;
}
