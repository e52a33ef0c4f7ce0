// Package plan decides every command line, every variable, and the host of every process of a run.
//
// New makes the plan of macprun from a description, NewAcprun that of acprun. The settings for MPI families
// are in mpi.go and mpienv.go, and those for jobs that join each other in windows.go and dvm.go. The package
// opens no file and starts no process.
package plan
