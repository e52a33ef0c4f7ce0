//go:build mpi

package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"strings"
	"unsafe"
)

// Command is a program to start.
type Command struct {
	Path  string   // found as the MPI's launcher finds programs
	Args  []string // without the program's name
	Procs int      // number of processes, from 1
	Info  Info     // such as host, wdir and path
}

// Spawn starts the processes of a command and returns an intercommunicator with
// them; they get theirs by [Parent]. The command counts at process root of c only.
// If MPI reports processes that could not be started, Spawn returns an [*Error] for
// each of them, joined, and also an intercommunicator if other processes were started. Open MPI
// 4 ends the calling job if the program does not exist. Collective over c. Blocks until the
// processes have initialized MPI or ctx ends ([*AbandonedError]). MPI 10.3.2.
func (c Comm) Spawn(ctx context.Context, command Command, root int) (Comm, error) {
	return c.spawn(ctx, "MPI_Comm_spawn", []Command{command}, root, func(a *arguments, inter *C.MPI_Comm) C.int {
		return C.goacp_mpi_comm_spawn(a.paths, a.args, a.procs, a.infos, C.int(root), c.handle, inter, a.codes)
	})
}

// SpawnMultiple is [Comm.Spawn] for several commands, whose processes have one
// World, numbered in the order of the commands. Collective over c. Blocks until
// the processes have initialized MPI or ctx ends ([*AbandonedError]). MPI 10.3.3.
func (c Comm) SpawnMultiple(ctx context.Context, commands []Command, root int) (Comm, error) {
	return c.spawn(ctx, "MPI_Comm_spawn_multiple", commands, root, func(a *arguments, inter *C.MPI_Comm) C.int {
		return C.goacp_mpi_comm_spawn_multiple(C.int(len(commands)), a.paths, a.args, a.procs, a.infos,
			C.int(root), c.handle, inter, a.codes)
	})
}

// Parent returns the intercommunicator with the processes that have spawned the
// job of this one, or the zero Comm if it was not spawned. It is the same in every
// call, until it is disconnected. Local. Does not block. MPI 10.3.2.
func Parent() (Comm, error) {
	const op = "MPI_Comm_get_parent"
	if err := running(op); err != nil {
		return Comm{}, err
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_comm_parent(&handle), &handle)
}

func (c Comm) spawn(ctx context.Context, op string, commands []Command, root int,
	call func(a *arguments, inter *C.MPI_Comm) C.int) (Comm, error) {
	atRoot, kind, err := c.atRoot(op, root)
	if err != nil {
		return Comm{}, err
	}
	if !atRoot {
		commands = nil
	} else if err := startable(op, commands); err != nil {
		return Comm{}, err
	}
	return within(ctx, op, kind, func() (Comm, error) {
		a := newArguments(commands)
		defer a.free()
		var handle C.MPI_Comm
		code := call(a, &handle)
		inter, err := made(op, code, &handle)
		if err != nil {
			return Comm{}, err
		}
		return inter, a.failures(op)
	})
}

// startable returns an error if the commands cannot be passed to MPI.
func startable(op string, commands []Command) error {
	if len(commands) == 0 {
		return refuse(op, ErrArg, "no command")
	}
	for _, c := range commands {
		if c.Path == "" || c.Procs < 1 || c.Procs != int(C.int(c.Procs)) {
			return refuse(op, ErrArg, "%d processes of program %q", c.Procs, c.Path)
		}
		for _, s := range append([]string{c.Path}, c.Args...) {
			if strings.ContainsRune(s, 0) {
				return refuse(op, ErrArg, "%q has a zero byte", s)
			}
		}
	}
	return nil
}

// arguments are commands in C memory, one entry for each in every array.
type arguments struct {
	paths **C.char
	args  ***C.char // each ends with a null pointer
	procs *C.int
	infos *C.MPI_Info
	codes *C.int // one for each process
	total int    // processes
	owned []unsafe.Pointer
}

func newArguments(commands []Command) *arguments {
	a := &arguments{}
	if len(commands) == 0 {
		return a
	}
	n := len(commands)
	a.paths = allot[*C.char](a, n)
	a.args = allot[**C.char](a, n)
	a.procs = allot[C.int](a, n)
	a.infos = allot[C.MPI_Info](a, n)
	for i, c := range commands {
		args := allot[*C.char](a, len(c.Args)+1)
		for k, s := range c.Args {
			unsafe.Slice(args, len(c.Args))[k] = a.text(s)
		}
		unsafe.Slice(a.paths, n)[i] = a.text(c.Path)
		unsafe.Slice(a.args, n)[i] = args
		unsafe.Slice(a.procs, n)[i] = C.int(c.Procs)
		unsafe.Slice(a.infos, n)[i] = c.Info.c()
		a.total += c.Procs
	}
	a.codes = allot[C.int](a, a.total)
	return a
}

// allot returns n zero elements.
func allot[T any](a *arguments, n int) *T {
	var one T
	p := C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(one)))
	a.owned = append(a.owned, p)
	return (*T)(p)
}

func (a *arguments) text(s string) *C.char {
	c := C.CString(s)
	a.owned = append(a.owned, unsafe.Pointer(c))
	return c
}

func (a *arguments) free() {
	for _, p := range a.owned {
		C.free(p)
	}
}

// failures returns the errors of processes that were not started.
func (a *arguments) failures(op string) error {
	var errs []error
	for _, code := range unsafe.Slice(a.codes, a.total) {
		errs = append(errs, check(op, code))
	}
	return errors.Join(errs...)
}
