package startup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
	"github.com/goacp/goacp/internal/process/extension"
	"golang.org/x/sys/unix"
)

// Config says what a process brings into the run.
type Config struct {
	Boot        bridge.Bootstrap
	Mode        bridge.Mode
	StarterSize uint64 // bytes
	HeapSize    uint64 // bytes, or UnlimitedHeap; 0: DefaultHeapSize, or MinHeapSize where windows of MPI may be used
	Extensions  []extension.Signature
}

// Meeting is what a process has and knows when the members have met.
type Meeting struct {
	Run      segment.Run
	Local    bool // all members that this one can reach are on this host
	Roster   *bridge.Roster
	Members  *bridge.Members    // the processes that have started together with this one
	Universe *bridge.Universe   // nil if this process shares no communicator of MPI
	Space    *segment.Space     // what this process publishes
	Listener *endpoint.Listener // where others reach its agent, which does not accept yet

	Extensions *extension.Agreement // on the extensions of all members
}

// Meet publishes the memory of this process and brings it together with the other members. If
// it fails, it has closed what it made. Collective. Blocks until all members have called it.
func Meet(ctx context.Context, cfg Config) (*Meeting, error) {
	m := new(Meeting)
	if err := m.meet(ctx, &cfg); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *Meeting) meet(ctx context.Context, cfg *Config) error {
	host, err := Hosts(ctx, cfg.Boot)
	if err != nil {
		return err
	}
	cohort := cfg.Boot.Cohort()
	later := cohort.Number > 0 || cohort.Newcomer()
	m.Local, m.Run = host.Local, cfg.Boot.Token().Run()
	if cfg.Boot.Seats() > cohort.Size && !cfg.Boot.Address().IsLoopback() {
		m.Local = false // other cohorts may be on any host
	}
	rdma, err := bridge.DetectRDMA(os.Getenv, os.DirFS(bridge.RDMADevices))
	if err != nil {
		return err
	}
	if m.Space, err = publish(cfg, m.Run, host, rdma, host.Local || later); err != nil {
		return err
	}
	if m.Listener, err = router.Listen(cfg.Boot.Address(), m.Local); err != nil {
		return err
	}
	own, err := contact(cfg, host.ID, rdma, m.Space, m.Listener.Addrs())
	if err != nil {
		return err
	}
	if m.Roster, err = Contacts(ctx, cfg.Boot, own); err != nil {
		return err
	}
	m.Members = m.Roster.Own()
	if m.Extensions, err = extension.Compare(m.Roster); err != nil {
		return err
	}
	m.Universe, err = bridge.Join(ctx, cfg.Boot, m.Members, bridge.JoinLimit)
	return err
}

// slotOf returns the slot of this process. In a run that can grow each member has the slot of its number, since others may
// come to the host.
func slotOf(boot bridge.Bootstrap, host Host) segment.Slot {
	if e := bridge.ElasticOf(boot); e != nil {
		return segment.SlotOf(boot.Member(), e.Limit())
	}
	return segment.SlotOf(host.Index, host.Count)
}

// publish makes the memory that this process publishes. local says that no window of MPI will serve it.
func publish(cfg *Config, run segment.Run, host Host, rdma bridge.RDMA, local bool) (*segment.Space, error) {
	slot := slotOf(cfg.Boot, host)
	size := heapSize(cfg.HeapSize, cfg.Mode, rdma, local)
	if size == UnlimitedHeap {
		b, err := boundsOf(slot)
		if err != nil {
			return nil, err
		}
		size = b.heap(cfg.StarterSize)
	}
	parts := layout(cfg.StarterSize, size)
	space, err := segment.New(run, cfg.Boot.Member(), parts, slot)
	if errors.Is(err, unix.ENOMEM) {
		err = fmt.Errorf("%w%s", err, addressAdvice(parts))
	}
	return space, err
}

// close closes what has been made so far.
func (m *Meeting) close() error {
	var err error
	if m.Listener != nil {
		err = m.Listener.Close()
	}
	if m.Space != nil {
		err = errors.Join(err, m.Space.Close())
	}
	return err
}
