! The interface of Global Arrays for Fortran, and that of TCGMSG: a shared counter hands out tasks, and
! a ring sends messages.
program tasks
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
  integer, parameter :: n = 30
  integer :: g_a, g_b, me, procs, i, j, task, lo(2), hi(2), length, from
  double precision :: row(n), all(n, n), ring(3)
  logical :: ok

  call pbeginf()
  call ga_initialize()
  me = ga_nodeid()
  procs = ga_nnodes()
  ok = ma_init(mt_dbl, 200000, 200000)
  if (.not. ok) call ga_error('ma_init failed', 1)

  if (.not. ga_create(mt_dbl, n, n, 'rows', 0, 0, g_a)) call ga_error('no array', 1)
  if (.not. ga_duplicate(g_a, g_b, 'columns')) call ga_error('no copy', 1)
  call ga_zero(g_a)
  call ga_sync()
  task = nxtval(procs)
  do while (task < n)
    row = [(dble(100 * (task + 1) + j), j = 1, n)]
    call ga_put(g_a, task + 1, task + 1, 1, n, row, 1)
    task = nxtval(procs)
  end do
  task = nxtval(-procs)
  call ga_sync()

  call ga_transpose(g_a, g_b)
  lo = 1
  hi = n
  call nga_get(g_b, lo, hi, all, n)
  do i = 1, n
    do j = 1, n
      if (all(i, j) /= 100 * j + i) call ga_error('wrong element', 100 * i + j)
    end do
  end do

  if (procs > 1) then
    ring = 0
    if (me == 0) call snd(7, [1d0, 2d0, 3d0], 24, mod(me + 1, procs), 1)
    call rcv(7, ring, 24, length, mod(me + procs - 1, procs), from, 1)
    if (length /= 24 .or. ring(3) /= 3) call ga_error('wrong message', length)
    if (me /= 0) call snd(7, ring, 24, mod(me + 1, procs), 1)
  end if
  row(1) = me + 1
  call ga_dgop(9, row, 1, '+')
  if (row(1) /= procs * (procs + 1) / 2) call ga_error('wrong sum', me)
  i = 0
  if (me == procs - 1) i = 77
  call ga_brdcst(11, i, 8, procs - 1)
  if (i /= 77) call ga_error('wrong broadcast', i)

  ok = ga_destroy(g_b)
  ok = ga_destroy(g_a)
  call ga_sync()
  if (me == 0) print '(i0, a)', procs, ' processes agree'
  call ga_terminate()
  call pend()
end program
