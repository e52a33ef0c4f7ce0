package mutex

import (
	"unsafe"

	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/table"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Config is the configuration of Mutexes. All fields are required.
type Config struct {
	World  *world.World
	Engine *transfer.Engine
	Local  *memory.Local
	Table  *table.Table

	// The numbers that notices have in the extension.
	Follow, Grant int
}

// Mutexes makes the sets of mutexes of one world, and has the nodes of this process. Its methods may
// be called by several goroutines at once, apart from those that are collective.
type Mutexes struct {
	cfg     Config
	process *extension.Process
	pool    pool
}

// New returns the Mutexes that cfg describes.
func New(cfg Config) *Mutexes {
	return &Mutexes{cfg: cfg, process: cfg.World.Process(), pool: pool{world: cfg.World, table: cfg.Table, local: cfg.Local}}
}

// Keep keeps a free node of this process that C has had.
func (m *Mutexes) Keep(n unsafe.Pointer) { m.pool.keep(n) }

// AwaitGranted waits until a node of this process, which C has appended to another node, is granted the
// mutex. Fails if the run is over first.
func (m *Mutexes) AwaitGranted(n unsafe.Pointer) error { return await(m.process, &(*node)(n).Granted) }

// Follow is AwaitGranted for a node that follows a node that is not mapped.
func (m *Mutexes) Follow(n unsafe.Pointer, before uint64) error { return m.follow((*node)(n), before) }

// PassOn is the second part of an Unlock: it waits for the node after a node of this process, and
// grants it the mutex. The node of this process is free afterwards. Fails if the run is over first.
func (m *Mutexes) PassOn(n unsafe.Pointer) error { return m.passOn((*node)(n)) }

// follow appends a node to another node, and waits until it is granted the mutex.
func (m *Mutexes) follow(n *node, before uint64) error {
	at, err := m.here(before)
	if err != nil {
		return err
	}
	if at != nil {
		at.follow(n.Name)
	} else if err := m.tellFollow(before, n.Name); err != nil {
		return err
	}
	return await(m.process, &n.Granted)
}

// passOn grants the mutex of a node to the next node, and frees the node.
func (m *Mutexes) passOn(n *node) error {
	if err := await(m.process, &n.Queued); err != nil {
		return err
	}
	next := n.Next
	at, err := m.here(next)
	if err != nil {
		return err
	}
	if at != nil {
		at.grant()
	} else if err := m.tellGrant(next); err != nil {
		return err
	}
	m.pool.give(n)
	return nil
}

// here returns the node that has a name, or nil if this process has not mapped it. Fails with
// world.ErrProc.
func (m *Mutexes) here(name uint64) (*node, error) {
	proc, pos := locate(name)
	if err := m.cfg.World.Check(proc); err != nil {
		return nil, err
	}
	return (*node)(m.cfg.World.Here(proc, pos, nodeBytes)), nil
}
