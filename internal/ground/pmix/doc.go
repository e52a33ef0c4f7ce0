// Package pmix speaks PMIx, by which launchers such as mpirun of Open MPI and srun --mpi=pmix tell the
// processes of a job their numbers, and pass small values between them. A process speaks it by a library of
// the system, libpmix, which this package loads when it needs it. So neither the build nor programs that
// other launchers start need libpmix. To call it takes cgo.
package pmix
