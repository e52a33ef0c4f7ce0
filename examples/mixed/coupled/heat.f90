! The physics of the coupled example, without MPI and without ACP: the twin of heat.h, where it is
! explained. Both compute every cell by the same operations in the same order.
module heat
  use, intrinsic :: iso_c_binding, only: real64 => c_double
  implicit none

  integer, parameter :: ocean_columns = 50
  integer, parameter :: refine = 2 ! fine cells of the atmosphere per cell of the ocean, along the interface
  integer, parameter :: steps = 1000
  integer, parameter :: report_every = 100 ! steps between two reports of the heat content
  integer, parameter :: reports = steps / report_every + 1
  real(real64), parameter :: time_step = 2.0e-5_real64
  real(real64), parameter :: exchange = 20 ! heat through the interface per length, time and degree

  ! A medium: what is the same in all parts of one model.
  type :: medium
    character(10) :: name
    integer :: columns, rows ! of the whole grid
    real(real64) :: capacity ! heat per area and degree
    real(real64) :: diffusivity ! area per time
    real(real64) :: t0, tx, txx, ty ! temperature in the beginning: t0 + tx*x + txx*x*x + ty*y
  end type medium

  type(medium), parameter :: ocean_medium = &
    medium('ocean', ocean_columns, ocean_columns / 2, 4, 0.1_real64, 12, 8, -6, -4)
  type(medium), parameter :: atmosphere_medium = &
    medium('atmosphere', refine * ocean_columns, refine * ocean_columns / 2, 1, 1, 4, -3, 5, 2)

  ! A run of neighbouring columns of some grid. They are numbered from 0.
  type :: span
    integer :: first, count
  end type span

  ! One part of a medium: a run of its columns, with all their rows. A row has one ghost cell more at
  ! either end, cells 0 and own%count + 1, which holds a copy of the neighbouring part's column, or, at
  ! a wall, of the own one. Row 1 touches the interface.
  type :: part
    type(medium) :: medium
    type(span) :: own ! columns of this part
    real(real64), allocatable :: cells(:, :, :) ! by cell, row and time level
    integer :: now = 1, next = 2 ! time levels: of this step and of the next
    real(real64), allocatable :: flux(:) ! heat through the interface into each surface cell
  end type part

contains

  ! heat_share returns the columns of number out of size equal parts.
  pure function heat_share(columns, number, size) result(share)
    integer, intent(in) :: columns, number, size
    type(span) :: share
    share%first = columns * number / size
    share%count = columns * (number + 1) / size - share%first
  end function heat_share

  ! heat_needs_of_atmosphere returns the coarse columns below own columns of the atmosphere. Two parts
  ! need the same ocean cell if their boundary lies above it.
  pure function heat_needs_of_atmosphere(own) result(needs)
    type(span), intent(in) :: own
    type(span) :: needs
    needs%first = own%first / refine
    needs%count = (own%first + own%count + refine - 1) / refine - needs%first
  end function heat_needs_of_atmosphere

  ! heat_open makes the columns own of a medium at time 0.
  subroutine heat_open(p, of, own)
    type(part), intent(out) :: p
    type(medium), intent(in) :: of
    type(span), intent(in) :: own
    integer :: i, row
    real(real64) :: x, y

    p%medium = of
    p%own = own
    allocate (p%cells(0:own%count + 1, of%rows, 2), p%flux(own%count))
    p%cells = 0
    p%flux = 0
    do row = 1, of%rows
      do i = 1, own%count
        x = (own%first + i - 0.5_real64) / of%columns
        y = (row - 0.5_real64) / of%columns
        p%cells(i, row, p%now) = of%t0 + of%tx * x + of%txx * x * x + of%ty * y
      end do
    end do
  end subroutine heat_open

  ! heat_walls fills the ghost columns at the walls of the domain: no heat flows between equal
  ! temperatures.
  subroutine heat_walls(p)
    type(part), intent(inout) :: p
    integer :: n
    n = p%own%count
    if (p%own%first == 0) p%cells(0, :, p%now) = p%cells(1, :, p%now)
    if (p%own%first + n == p%medium%columns) p%cells(n + 1, :, p%now) = p%cells(n, :, p%now)
  end subroutine heat_walls

  ! heat_flux_ocean computes the flux into the surface cells of the ocean. above holds the temperatures
  ! of the fine columns that they need.
  subroutine heat_flux_ocean(ocean, above)
    type(part), intent(inout) :: ocean
    real(real64), intent(in) :: above(refine, ocean%own%count)
    integer :: i, f
    real(real64) :: total
    do i = 1, ocean%own%count
      total = 0
      do f = 1, refine
        total = total + exchange * (above(f, i) - ocean%cells(i, 1, ocean%now))
      end do
      ocean%flux(i) = total / refine
    end do
  end subroutine heat_flux_ocean

  ! heat_flux_atmosphere computes the flux into the surface cells of the atmosphere. below holds the
  ! temperatures of the coarse columns that they need.
  subroutine heat_flux_atmosphere(air, below)
    type(part), intent(inout) :: air
    real(real64), intent(in) :: below(:)
    type(span) :: needs
    integer :: i
    needs = heat_needs_of_atmosphere(air%own)
    do i = 1, air%own%count
      air%flux(i) = exchange * (below((air%own%first + i - 1) / refine - needs%first + 1) - air%cells(i, 1, air%now))
    end do
  end subroutine heat_flux_atmosphere

  ! heat_step computes the next time level from ghost cells and fluxes; heat_advance makes it the
  ! current one.
  subroutine heat_step(p)
    type(part), intent(inout) :: p
    real(real64) :: h, r, t
    integer :: i, row, toward, away

    h = 1.0_real64 / p%medium%columns
    r = p%medium%diffusivity * time_step / (h * h)
    associate (now => p%cells(:, :, p%now), next => p%cells(:, :, p%next))
      ! Such a name begins at 1, and the cells at 0.
      do row = 1, p%medium%rows
        toward = max(row - 1, 1)
        away = min(row + 1, p%medium%rows)
        do i = 2, p%own%count + 1
          t = now(i, row)
          next(i, row) = (t + r * (now(i - 1, row) - 2 * t + now(i + 1, row))) &
            + r * (now(i, toward) - 2 * t + now(i, away))
        end do
      end do
      next(2:p%own%count + 1, 1) = next(2:p%own%count + 1, 1) + time_step * p%flux / (p%medium%capacity * h)
    end associate
  end subroutine heat_step

  subroutine heat_advance(p)
    type(part), intent(inout) :: p
    p%now = p%next
    p%next = 3 - p%now
  end subroutine heat_advance

  ! heat_serial runs both media in full, in one process.
  subroutine heat_serial(ocean, air)
    type(part), intent(out) :: ocean, air
    integer :: step

    call heat_open(ocean, ocean_medium, span(0, ocean_medium%columns))
    call heat_open(air, atmosphere_medium, span(0, atmosphere_medium%columns))
    do step = 1, steps
      call heat_walls(ocean)
      call heat_walls(air)
      call heat_flux_ocean(ocean, air%cells(1:air%own%count, 1, air%now))
      call heat_flux_atmosphere(air, ocean%cells(1:ocean%own%count, 1, ocean%now))
      call heat_step(ocean)
      call heat_step(air)
      call heat_advance(ocean)
      call heat_advance(air)
    end do
  end subroutine heat_serial

  ! heat_error compares a part of the atmosphere, after the last step, with the serial run. Returns the
  ! largest difference, relative to the largest temperature.
  function heat_error(air) result(error)
    type(part), intent(in) :: air
    real(real64) :: error
    type(part) :: ocean, whole

    call heat_serial(ocean, whole)
    associate (mine => air%cells(1:air%own%count, :, air%now), &
               theirs => whole%cells(air%own%first + 1:air%own%first + air%own%count, :, whole%now))
      error = maxval(abs(mine - theirs)) / maxval(abs(theirs))
      if (.not. all(abs(mine - theirs) >= 0)) error = huge(error) ! no number
    end associate
  end function heat_error

end module heat
