// Package tests runs programs under the real launchers, with the configured MPIs and on several
// hosts, which are network namespaces of this machine.
//
// The programs are in programs/, in C and in Go. They check their own results, and can be run by
// hand as well:
//
//	acpcc -o counter tests/programs/counter.c && acprun -np 4 ./counter
//
// Their messages begin with the rank; a program that finds an error ends with a status that is not
// 0. Tests need a built tree (make), and root for several hosts. A skipped test prints the missing
// requirement.
//
// Launchers of MPI wait for most of the time of a run. So tests of such runs are parallel, if they have no limit but
// those of their sandbox: no time after a fault, no use of processors, no port, nothing of the whole machine.
package tests
