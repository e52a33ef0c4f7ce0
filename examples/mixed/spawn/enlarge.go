//go:build mpi

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/goacp/goacp/mpi"
)

// crew is all processes that work together, those of the launcher first.
type crew struct {
	mpi.Comm
	leaders int        // of the launcher
	made    []mpi.Comm // on the way, to be disconnected
}

// timeLimit is how long MPI may take to start processes.
const timeLimit = 30 * time.Second

// enlarge starts as many processes as there are and returns the crew, which is the
// world alone if MPI cannot start any. Collective over the world.
//
// Only process 0 spawns, so that only one process waits if anything goes wrong. It tells the others
// the result. They join by a bridge over process 0.
func enlarge(world mpi.Comm) (crew, error) {
	rank, err := world.Rank()
	if err != nil {
		return crew{}, err
	}
	size, err := world.Size()
	if err != nil {
		return crew{}, err
	}
	var helpers mpi.Comm
	started := []byte{0}
	if rank == 0 {
		if helpers, err = start(size); err == nil {
			started[0] = 1
		} else {
			fmt.Println("alone:", err)
		}
	}
	answers, err := world.Allgather(started)
	if err != nil {
		return crew{}, err
	}
	if answers[0] == 0 {
		all, err := world.Dup()
		return crew{Comm: all, leaders: size}, err
	}
	return join(world, helpers, false)
}

// start starts processes of this program.
func start(processes int) (mpi.Comm, error) {
	program, err := os.Executable()
	if err != nil {
		return mpi.Comm{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	return mpi.Self().Spawn(ctx, mpi.Command{Path: program, Procs: processes}, 0)
}

// join returns the crew of two worlds that share an intercommunicator: all of the
// helpers, and process 0 of the other world. Collective over both.
func join(world, inter mpi.Comm, helper bool) (crew, error) {
	var bridge mpi.Comm
	var err error
	if !inter.IsNull() {
		if bridge, err = inter.Merge(helper); err != nil {
			return crew{}, err
		}
	}
	// On the bridge, process 0 of the launcher is 0 and that of the helpers is 1.
	other := 1
	if helper {
		other = 0
	}
	const tag = 1
	both, err := world.CreateInter(0, bridge, other, tag)
	if err != nil {
		return crew{}, err
	}
	all, err := both.Merge(helper)
	if err != nil {
		return crew{}, err
	}
	leaders := both.Size
	if helper {
		leaders = both.RemoteSize
	}
	n, err := leaders()
	return crew{Comm: all, leaders: n, made: []mpi.Comm{both, bridge, inter}}, err
}

// leave takes the crew apart. Collective.
func (c crew) leave() error {
	err := c.Disconnect()
	for _, comm := range c.made {
		if !comm.IsNull() {
			err = errors.Join(err, comm.Disconnect())
		}
	}
	return err
}
