package main

import (
	"context"
	"runtime"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/process/startup"
)

// figures are what a run of one shape costs.
type figures struct {
	shape    shape
	process  uint64        // bytes that a process keeps
	launcher int64         // bytes that the rendezvous keeps, without its sockets and goroutines
	kinds    int           // of ranks; a process decides about a route for each
	table    time.Duration // processor time in which a process opens itself

	member         bridge.Flow // a rank and the rendezvous send each other
	sent, received bridge.Flow // by the rendezvous, to and from all ranks
	depth          int         // of messages at the start

	meeting meeting // of a barrier
}

// measure opens this process as rank 0 of a run, and takes it down again.
func measure(ctx context.Context, s shape) (figures, error) {
	f := figures{shape: s}
	if err := f.measureProcess(ctx); err != nil {
		return f, err
	}
	return f, f.measureBarrier(ctx)
}

// measureProcess measures what opening a process costs and leaves.
func (f *figures) measureProcess(ctx context.Context) error {
	before := heapInUse()
	c, err := newCrowd(f.shape)
	if err != nil {
		return err
	}
	runtime.GC()
	begin := processorTime()
	p, err := acp.Open(ctx, acp.Config{Bootstrap: c})
	if err != nil {
		return err
	}
	f.table = processorTime() - begin - c.others
	r := c.rehearsal
	f.member, f.sent, f.received, f.depth = r.Member(), r.Sent(), r.Received(), r.Depth()
	both := heapInUse()
	r, c.rehearsal = nil, nil
	process := heapInUse()
	runtime.KeepAlive(p)
	p.Abort("the other ranks of this run do not exist")
	f.launcher = int64(both) - int64(process)
	f.process = process - before + uint64(maptable.Size(f.shape.ranks))
	return nil
}

// measureBarrier lets this process come to a barrier as the leader of the first host.
func (f *figures) measureBarrier(ctx context.Context) error {
	c, err := newCrowd(f.shape)
	if err != nil {
		return err
	}
	near, err := newNeighbourhood(c)
	if err != nil {
		return err
	}
	defer near.space.Close()
	host, err := startup.Hosts(ctx, c)
	if err != nil {
		return err
	}
	own := &bridge.Contact{Host: host.ID, JobName: jobName(0), MemSize: near.space.Layout().MapSize()}
	roster, err := startup.Contacts(ctx, c, own)
	if err != nil {
		return err
	}
	near.members = roster.Own()
	f.kinds = near.members.Kinds()
	groups, err := startup.Group(ctx, c, roster, near)
	if err != nil {
		return err
	}
	f.meeting, err = meet(0, groups.Leaders)
	return err
}
