package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// crowd is the bootstrap of rank 0 in a run whose other ranks do not exist. What they give to an exchange is
// made from what rank 0 gives.
type crowd struct {
	bridge.Bootstrap
	shape     shape
	rehearsal *bridge.Rehearsal
	step      step
	others    time.Duration // processor time that other processes would have taken
}

// step is which exchange of the start is the next one.
type step int

const (
	stepHosts step = iota
	stepContacts
	stepGroups
	stepsEnd
)

// newCrowd lets all ranks of a run join.
func newCrowd(s shape) (*crowd, error) {
	r, err := bridge.Rehearse(s.jobList(), s.identity)
	if err != nil {
		return nil, err
	}
	return &crowd{Bootstrap: bridge.Single(), shape: s, rehearsal: r}, nil
}

// Cohort implements bridge.Bootstrap.
func (c *crowd) Cohort() bridge.Cohort { return bridge.Cohort{Size: c.shape.ranks} }

// Seats implements bridge.Bootstrap.
func (c *crowd) Seats() int { return c.shape.ranks }

// CatchUp implements bridge.Bootstrap. There are no guests.
func (c *crowd) CatchUp(context.Context) error { return nil }

// JobName implements bridge.Bootstrap.
func (c *crowd) JobName() string { return jobName(0) }

// Exchange implements bridge.Bootstrap.
func (c *crowd) Exchange(_ context.Context, own []byte) ([][]byte, error) {
	begin := processorTime()
	blob, err := c.blobs(own)
	if err != nil {
		return nil, err
	}
	c.step++
	result, err := c.rehearsal.Gather(blob)
	if err != nil {
		return nil, err
	}
	runtime.GC() // so that rank 0 does not collect the garbage of the others
	c.others += processorTime() - begin
	return c.rehearsal.Receive(result)
}

// blobs returns a function that returns what a rank gives to the next exchange. Each call may overwrite what
// the one before has returned. own is what rank 0 has given. Its own contact is made like that of the others,
// so that the names and addresses of this machine do not matter.
func (c *crowd) blobs(own []byte) (func(rank int) ([]byte, error), error) {
	switch c.step {
	case stepHosts:
		// The message begins with the identity of the host.
		id := bridge.HostID(own)
		blob := slices.Clone(own)
		return func(rank int) ([]byte, error) {
			other := hostID(id, c.shape.host(rank))
			copy(blob, other[:])
			return blob, nil
		}, nil
	case stepContacts:
		contact, err := bridge.DecodeContact(own)
		var blob []byte
		return func(rank int) ([]byte, error) {
			other := contact
			c.shape.contact(&other, rank)
			blob = other.Append(blob[:0])
			return blob, nil
		}, err
	case stepGroups:
		// The message ends with a bit for each processor of the host. A large run has one for each rank.
		const withoutProcessors = 1 + 8
		blob := append(own[:withoutProcessors:withoutProcessors], bytes.Repeat([]byte{0xff}, (c.shape.perHost+7)/8)...)
		return func(int) ([]byte, error) { return blob, nil }, nil
	}
	return nil, fmt.Errorf("exchange %d: the start has %d", c.step+1, stepsEnd)
}

// processorTime returns the processor time that this process has taken.
func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // which cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// heapInUse returns the bytes of the heap of Go that something uses.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
