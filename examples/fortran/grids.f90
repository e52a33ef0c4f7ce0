! The grids of the ocean and of the air, which cover the same area, and the weights between them.
module grids
  use, intrinsic :: iso_c_binding
  use acp
  implicit none

  type grid
    integer :: nx, ny ! cells
  end type grid

  type(grid), parameter :: of_ocean = grid(50, 36), of_air = grid(20, 16)
  integer, parameter :: steps = 200
  real(c_double), parameter :: exchange = 0.05 ! the fraction of the difference in temperature that is exchanged in each step

  ! The rows of a grid that a rank has.
  type part
    integer :: first, count ! rows, from 0
  end type part

contains

  ! own_part returns the part of this rank: the rows of a grid are spread over the ranks of its job.
  function own_part(whole) result(own)
    type(grid), intent(in) :: whole
    type(part) :: own
    integer :: job, ranks, i

    job = acp_job(acp_rank())
    ranks = acp_job_procs(job)
    do i = 0, ranks - 1
      if (acp_job_rank(job, i) == acp_rank()) exit
    end do
    own%first = whole%ny * i / ranks
    own%count = whole%ny * (i + 1) / ranks - own%first
  end function own_part

  ! overlap returns the fraction of cell i that cell j covers, along one side of the area. There i is one of n cells, and j one
  ! of m cells.
  pure function overlap(i, n, j, m)
    integer, intent(in) :: i, n, j, m
    real(c_double) :: overlap

    overlap = max(0d0, min((i + 1d0) / n, (j + 1d0) / m) - max(real(i, c_double) / n, real(j, c_double) / m)) * n
  end function overlap

  ! overlaps returns the matrix for the cells of the grid to that are in the part own. Each of them gets the mean of the cells of
  ! the grid from that it overlaps. So the sum of value times area over all cells stays the same. Cells have numbers from 0.
  subroutine overlaps(from, to, own, rows, columns, weights)
    type(grid), intent(in) :: from, to
    type(part), intent(in) :: own
    integer, allocatable, intent(out) :: rows(:), columns(:)
    real(c_double), allocatable, intent(out) :: weights(:)
    integer :: x, y, i, j
    real(c_double) :: weight

    allocate (rows(0), columns(0), weights(0))
    do y = own%first, own%first + own%count - 1
      do x = 0, to%nx - 1
        do j = y * from%ny / to%ny, min(from%ny - 1, (y + 1) * from%ny / to%ny)
          do i = x * from%nx / to%nx, min(from%nx - 1, (x + 1) * from%nx / to%nx)
            weight = overlap(x, to%nx, i, from%nx) * overlap(y, to%ny, j, from%ny)
            if (weight < 1d-12) cycle
            rows = [rows, x + to%nx * y]
            columns = [columns, i + from%nx * j]
            weights = [weights, weight]
          end do
        end do
      end do
    end do
  end subroutine overlaps

  ! report adds the heat of all ranks, before and after all steps. Each rank writes its heat into the starter memory of rank 0.
  ! Rank 0 prints the sums.
  subroutine report(before, after)
    real(c_double), intent(in) :: before, after
    real(c_double), pointer :: heats(:, :)
    integer(acp_ga_t) :: mine, place

    mine = acp_query_starter_ga(acp_rank())
    call c_f_pointer(acp_query_address(mine), heats, [2, acp_procs() + 1])
    heats(:, acp_procs() + 1) = [before, after]
    place = acp_query_starter_ga(0) + 16 * acp_rank()
    call acp_complete(acp_copy(place, mine + 16 * acp_procs(), 16, ACP_HANDLE_NULL))
    if (acp_sync() /= 0) call acp_abort('acp_sync')
    if (acp_rank() /= 0) return
    associate (sums => sum(heats(:, :acp_procs()), dim=2))
      print '(i0, a, f0.3, a, f0.3, a)', steps, ' steps, heat ', sums(1), ' before and ', sums(2), ' after'
      if (abs(sums(2) - sums(1)) > 1e-9 * sums(1)) call acp_abort('heat is lost')
    end associate
  end subroutine report

end module grids
