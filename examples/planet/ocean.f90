! The ocean of the planet, on a grid of longitude and latitude with land, under an MPI of its own. It takes one step in the time of four
! steps of the atmosphere, and gets the average heat of these steps.
!
!     ocean STEPS FOLDER [continue]
!
! FOLDER has the file ocean.grid, and gets the state of a restart. STEPS are steps of the atmosphere.
program ocean
  use, intrinsic :: iso_c_binding
  use mpi
  use acp
  use acp_couple
  implicit none

  integer, parameter :: nx = 36, ny = 18, per_step = 4
  real(c_double), parameter :: capacity = 200
  real(c_double), allocatable, target :: heat(:,:), water(:,:)
  real(c_double), allocatable :: area(:,:)
  integer(c_int), allocatable :: wet(:,:)
  real(c_double) :: taken, own(2), total(2)
  integer(acp_model_t) :: model
  integer(acp_field_t) :: field
  integer(acp_links_t) :: links
  integer(c_int64_t) :: last, step, end
  integer :: rank, ranks, first, rows, error, steps
  character(1000) :: folder, text

  call MPI_Init(error)
  if (acp_init() /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, text)
  read (text, *) steps
  call get_command_argument(2, folder)
  first = ny * rank / ranks
  rows = ny * (rank + 1) / ranks - first
  allocate (heat(nx, rows), water(nx, rows), area(nx, rows), wet(nx, rows))
  call read_grid
  heat = 0
  water = 285
  taken = 0

  model = acp_create_model('ocean', count=0)
  call declare('heat', heat)
  call declare('water', water)
  links = acp_open_links(model, 60.0_c_double)
  call need(links /= ACP_LINKS_NULL, 'acp_open_links')

  last = -1
  if (command_argument_count() > 2) then
    call need(acp_load_links(links, trim(folder), last) == 0, 'acp_load_links')
    call values(.false.)
  end if
  end = last + 1 + steps / per_step
  do step = last + 1, end - 1
    call need(acp_receive_links(links, step) == 0, 'acp_receive_links')
    where (wet /= 0) water = water + heat / capacity
    taken = taken + sum(heat * area, mask=wet /= 0)
    call need(acp_send_links(links, step) == 0, 'acp_send_links')
  end do
  call need(acp_save_links(links, trim(folder)) == 0, 'acp_save_links')
  call values(.true.)

  own = [taken, sum(water * area, mask=wet /= 0)]
  call MPI_Reduce(own, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0, a, es20.12, a, g0.15)', 'ocean: ', int(end), ' steps, it has got ', total(1), ', heat ', total(2)
  call need(acp_close_links(links) == 0, 'acp_close_links')
  call need(acp_finalize() == 0, 'acp_finalize')
  call MPI_Finalize(error)

contains

  ! need ends the run unless a call has succeeded.
  subroutine need(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what

    if (ok) return
    call acp_abort('ocean: '//what//': '//acp_couple_message())
  end subroutine need

  ! declare declares a field of the rows of this rank, without land.
  subroutine declare(name, array)
    character(*), intent(in) :: name
    real(c_double), intent(in), target, contiguous :: array(:,:)

    field = acp_create_field_block(model, name, ACP_DOUBLE, 1, c_loc(array), 2, [nx, ny], [0, first], [nx, rows], &
      flags=ACP_ORDER_FORTRAN)
    call need(field /= ACP_FIELD_NULL, name)
    call need(acp_mask_field(field, wet, size(wet, kind=c_int64_t)) == 0, name)
  end subroutine declare

  ! read_grid reads the areas and the land of the rows of this rank: each cell has longitude, latitude, area and 1 for water.
  subroutine read_grid
    real(c_double) :: cells(4, nx, rows)
    integer :: file

    open (newunit=file, file=trim(folder)//'/ocean.grid', access='stream', form='unformatted', action='read', status='old')
    read (file, pos=1 + 8 * 4 * nx * first) cells
    close (file)
    area = cells(3, :, :)
    wet = merge(1, 0, cells(4, :, :) > 0.5)
  end subroutine read_grid

  ! values reads or writes the values of this rank, which are not part of the state of links.
  subroutine values(save)
    logical, intent(in) :: save
    character(10) :: number
    integer :: file

    write (number, '(i0)') rank
    open (newunit=file, file=trim(folder)//'/ocean.'//trim(number), access='stream', form='unformatted')
    if (save) then
      write (file) water, taken
    else
      read (file) water, taken
    end if
    close (file)
  end subroutine values
end program ocean
