//go:build mpi && !clibrary

package mpi

// #include "shim.h"
import "C"

import "golang.org/x/sys/unix"

// A program in Go initializes its packages in the thread in which the process has begun. A
// library for C has threads of its own for that, and the process ends as C programs do. The
// libraries of GoACP are built without all this (tag clibrary).
func init() {
	if unix.Gettid() == unix.Getpid() {
		C.goacp_mpi_ends_in_go()
	}
}
