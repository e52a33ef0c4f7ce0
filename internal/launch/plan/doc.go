// Package plan decides what is started for a run: every command line, every variable, and
// the host of every process.
//
// New makes the plan of macprun from a description, NewAcprun that of acprun. What MPI
// families need is in mpi.go and mpienv.go, what their jobs need to join each other in
// windows.go and dvm.go. The package opens no file and starts no process.
package plan
