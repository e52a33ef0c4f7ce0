// Probe looks at the MPIs of this machine on behalf of configure, and writes what
// it finds for make (mpi.mk) and for the wrapper compilers (wrappers.yaml, once
// for the build folder and once for the installed copy).
//
//	go run ./wrappers/probe -cc gcc -mpi mpicc.openmpi,mpicc.mpich ...
//
// An MPI is known by its mpicc. The probe asks mpi.h for flavour and version, asks the wrapper for
// its flags in several ways, and takes an answer only if the plain C compiler can compile and link
// an MPI program with it, because cgo does the same. It prints everything that it tries, and why it
// failed.
package main
