package startup

import (
	"context"
	"fmt"
	"net/netip"
	"os"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/process/extension"
)

// contact returns what this process tells about itself: agent is where its agent listens.
func contact(cfg *Config, host bridge.HostID, rdma bridge.RDMA, space *segment.Space, agent []netip.AddrPort) (*bridge.Contact, error) {
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	started, err := pid.StartTime(os.Getpid())
	if err != nil {
		return nil, err
	}
	extensions := extension.Append(nil, cfg.Extensions)
	if len(extensions) > bridge.MaxExtensions {
		return nil, fmt.Errorf("%d extensions: their list has %d bytes, at most %d are possible", len(cfg.Extensions), len(extensions), bridge.MaxExtensions)
	}
	boot := cfg.Boot
	job, jobRank := boot.JobRank()
	app, program := bridge.Program(os.Getenv)
	parts := space.Layout()
	elastic := bridge.ElasticOf(boot)
	return &bridge.Contact{
		Member: uint32(boot.Member()), Job: uint32(job), JobRank: uint32(jobRank), JobName: boot.JobName(), App: app, Program: program,
		Host: host, HostName: name,
		PID: uint32(os.Getpid()), StartTime: started,
		MemFD: uint32(space.FD()), MemSize: parts.MapSize(), Base: uint64(uintptr(space.Base())),
		StarterOffset: segment.StarterOffset, StarterSize: parts.Starter,
		HeapOffset: parts.HeapOffset(), HeapSize: parts.Heap,
		Agent: agent, Mode: cfg.Mode, MPI: bridge.LocalMPI(os.Getenv), RDMA: rdma,
		Stays: elastic != nil && !elastic.MayLeave(), Extensions: string(extensions),
	}, nil
}

// Contacts sends the contact of this process to all members and returns the roster of those that it can reach: its
// cohort, and the cohorts that have come before. Collective. Blocks until all members of the cohort have called
// it.
func Contacts(ctx context.Context, boot bridge.Bootstrap, own *bridge.Contact) (*bridge.Roster, error) {
	blobs, err := boot.Exchange(ctx, own.Append(nil))
	if err != nil {
		return nil, err
	}
	return bridge.NewRoster(boot, blobs)
}
