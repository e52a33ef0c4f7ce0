// The wrapper compilers of ACP: acpcc and acpc++ build ACP programs, macpcc and
// macpc++ build programs of MPI and ACP, acpgo and macpgo run the go command for
// the same two kinds of programs.
//
//	acpcc  hello_world_acp.c  -o hello_world_acp
//	macpcc hello_world_macp.c -o hello_world_macp
//
// One program is installed under all names and tells them apart by the name it was
// called by. It finds wrappers.yaml, which configure wrote (package toolchain), in
// ../share/goacp of its own folder, adds flags to the arguments and turns into the
// compiler behind it by exec, so that exit status and signals are the compiler's.
// What it does not know it hands on unchanged.
package main
