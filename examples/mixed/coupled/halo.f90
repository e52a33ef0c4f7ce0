! What the parts of one model do by MPI, among themselves: the twin of halo.h. This is as it would be
! without any coupling; MPI_COMM_WORLD is the model alone.
module halo
  use mpi
  use heat
  implicit none

contains

  ! halo_exchange fills all ghost columns: by neighbours or by walls.
  subroutine halo_exchange(p)
    type(part), intent(inout) :: p
    integer :: rank, size, left, right, n, rows, ierr
    real(real64) :: ghost(p%medium%rows)

    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    n = p%own%count
    rows = p%medium%rows
    call MPI_Sendrecv(p%cells(n, :, p%now), rows, MPI_DOUBLE_PRECISION, right, 0, ghost, rows, MPI_DOUBLE_PRECISION, &
                      left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (left /= MPI_PROC_NULL) p%cells(0, :, p%now) = ghost
    call MPI_Sendrecv(p%cells(1, :, p%now), rows, MPI_DOUBLE_PRECISION, left, 0, ghost, rows, MPI_DOUBLE_PRECISION, &
                      right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (right /= MPI_PROC_NULL) p%cells(n + 1, :, p%now) = ghost
    call heat_walls(p)
  end subroutine halo_exchange

end module halo
