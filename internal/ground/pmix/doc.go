// Package pmix implements a client of PMIx. By PMIx, launchers such as mpirun of Open MPI and srun --mpi=pmix
// number the processes of a job, and pass small values between them. A process uses PMIx through libpmix, a
// library of the system, which this package loads on demand. So neither the build nor programs under other
// launchers need libpmix. Calls of libpmix need cgo.
package pmix
