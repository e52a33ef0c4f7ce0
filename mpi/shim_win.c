//go:build mpi

#include "shim.h"

int goacp_mpi_alloc_mem(MPI_Aint size, MPI_Info info, void **base) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Alloc_mem(size, info, base);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_free_mem(void *base) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Free_mem(base);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_address(const void *p, MPI_Aint *at) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Get_address(p, at);
  goacp_mpi_quiet_end();
  return rc;
}

// Completes a call that has made a window: it returns errors.
static int made(int rc, MPI_Win win) {
  if (rc != MPI_SUCCESS)
    return rc;
  return MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

int goacp_mpi_win_create(void *base, MPI_Aint size, int unit, MPI_Info info,
                         MPI_Comm comm, MPI_Win *win) {
  int rc = MPI_Win_create(base, size, unit, info, comm, win);
  return made(rc, *win);
}

int goacp_mpi_win_allocate(MPI_Aint size, int unit, MPI_Info info,
                           MPI_Comm comm, void **base, MPI_Win *win) {
  int rc = MPI_Win_allocate(size, unit, info, comm, base, win);
  return made(rc, *win);
}

int goacp_mpi_win_allocate_shared(MPI_Aint size, int unit, MPI_Info info,
                                  MPI_Comm comm, void **base, MPI_Win *win) {
  int rc = MPI_Win_allocate_shared(size, unit, info, comm, base, win);
  return made(rc, *win);
}

int goacp_mpi_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  int rc = MPI_Win_create_dynamic(info, comm, win);
  return made(rc, *win);
}

int goacp_mpi_win_shared(MPI_Win win, int rank, MPI_Aint *size, int *unit,
                         void **base) {
  // For other windows Open MPI 4.1 reports that the window is invalid.
  int *flavor, found;
  int rc = MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
  if (rc == MPI_SUCCESS && (!found || *flavor != MPI_WIN_FLAVOR_SHARED))
    rc = MPI_ERR_RMA_FLAVOR;
  if (rc != MPI_SUCCESS)
    return rc;
  return MPI_Win_shared_query(win, rank, size, unit, base);
}

int goacp_mpi_win_attach(MPI_Win win, void *base, MPI_Aint size) {
  return MPI_Win_attach(win, base, size);
}

int goacp_mpi_win_detach(MPI_Win win, const void *base) {
  return MPI_Win_detach(win, base);
}

MPI_Fint goacp_mpi_win_number(MPI_Win win) { return MPI_Win_c2f(win); }

int goacp_mpi_win_unified(MPI_Win win, int *unified) {
  int *model, found;
  int rc = MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
  *unified = rc == MPI_SUCCESS && found && *model == MPI_WIN_UNIFIED;
  return rc;
}

int goacp_mpi_win_lock(int kind, int target, int nocheck, MPI_Win win) {
  return MPI_Win_lock(kind ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target,
                      nocheck ? MPI_MODE_NOCHECK : 0, win);
}

int goacp_mpi_win_lock_all(int nocheck, MPI_Win win) {
  return MPI_Win_lock_all(nocheck ? MPI_MODE_NOCHECK : 0, win);
}
