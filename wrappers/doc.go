// The wrapper compilers of ACP: acpcc, acpc++ and acpfc build ACP programs, macpcc,
// macpc++ and macpfc build programs of MPI and ACP, acpgo and macpgo run the go command
// for the same two kinds of programs. dmicc, dmic++ and dmigo do so for programs with DMI.
//
//	acpcc  hello_world_acp.c  -o hello_world_acp
//	macpcc hello_world_macp.c -o hello_world_macp
//
// One program is installed under all names and acts by the name under which it was called. It reads
// wrappers.yaml, which configure wrote (package toolchain), in ../share/goacp beside its own
// folder, adds flags to the arguments, and executes the compiler in its own process, so that exit
// status and signals are the compiler's. It passes on unchanged what it does not know.
package main
