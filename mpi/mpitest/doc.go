// Package mpitest runs tests of packages that use MPI.
//
// A test binary starts itself under the mpirun of the MPI it is linked with,
// once for each case:
//
//	func TestMain(m *testing.M) { mpitest.Main(m, cases) }
//
//	var cases = map[string]func() error{"barrier": barrier}
//
//	func TestBarrier(t *testing.T) { mpitest.Run(t, 3, "barrier") }
//
// The package also calls MPI the way a C program does ([Init], [Finalize]), to
// show that programs and the library agree which of them initializes MPI. Everything
// needs the build tag mpi.
package mpitest
