package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/mutex"
	"github.com/goacp/goacp/internal/system/armci/table"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Session is the state of a process in its world, from Begin to End.
type Session struct {
	World    *world.World
	Transfer *transfer.Engine
	Everyone memory.Members // all processes of the world
	Mutexes  *mutex.Mutexes
	Table    *table.Table // read by bindings of other languages

	apart apart
}

// Options are the options of Begin. The zero value is valid.
type Options struct {
	// ProcessDomains makes every process a separate domain. It is enough if one process sets it.
	ProcessDomains bool
	// Failed is called for stores that their owner could not execute. It does not block. May be
	// nil.
	Failed func(err error)
}

// Begin makes the world of the processes with these member numbers, in this order. Collective: all of
// them call it with the same list. Blocks until they have. Fails with world.ErrState if this process
// has a world, and with world.ErrProc if it is not in the list or if a process does not have ARMCI.
func (s *System) Begin(members []int, o Options) error {
	if s.Session() != nil {
		return fmt.Errorf("%w: there is a world", world.ErrState)
	}
	if s.process.Ranks.Elastic() {
		return fmt.Errorf("%w: ARMCI needs fixed ranks; start the run without -max", world.ErrState)
	}
	self := slices.Index(members, s.process.Ranks.Self())
	if self < 0 {
		return fmt.Errorf("%w: this process is none of the world", world.ErrProc)
	}
	if err := s.present(members); err != nil {
		return err
	}
	b := beginning{system: s, members: members, self: self}
	w, t, why, err := b.meet(o)
	if err != nil {
		s.local.FreeAll()
		return err
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	session := &Session{World: w, Table: t, Everyone: &everyone{s, w, b.procs()}, apart: why}
	session.Transfer = transfer.New(transfer.Config{
		World: w, Owner: s.owner, Table: t, Failed: o.Failed,
		Numbers: transfer.Numbers{Put: opPut, Get: opGet, Accumulate: opAccumulate, Flag: opFlag, Notify: opNotify},
	})
	session.Mutexes = mutex.New(mutex.Config{
		World: w, Engine: session.Transfer, Local: s.local, Table: t, Follow: noticeFollow, Grant: noticeGrant,
	})
	s.current.Store(session)
	return nil
}

// End completes and fences all operations of this process, waits for all other processes, and frees
// the memory of the world. Collective. Fails with world.ErrState if there is no world.
func (s *System) End() error {
	session := s.Session()
	if session == nil {
		return fmt.Errorf("%w: there is no world", world.ErrState)
	}
	err := errors.Join(session.Transfer.Settle(), session.Everyone.Barrier())
	s.current.Store(nil)
	s.local.FreeAll()
	return err
}

// beginning is a world that is being made.
type beginning struct {
	system  *System
	members []int
	self    int // the process that this one is
}

// procs returns the numbers of all processes.
func (b *beginning) procs() []int {
	procs := make([]int, len(b.members))
	for i := range procs {
		procs[i] = i
	}
	return procs
}

// introductionBytes is the length of the first message of each process: the number that it proposes
// for the world, and the position of its locks, or noLocks.
const introductionBytes = 2 * 8

// noLocks means that a process has no memory for its locks.
const noLocks = ^uint64(0)

// meet exchanges the data that the processes need of each other. It returns the world, its table, and
// the reason if its domains are not the hosts.
func (b *beginning) meet(o Options) (*world.World, *table.Table, apart, error) {
	s := b.system
	p := s.process
	// A process that has no memory takes part, so that the other processes get the error.
	position := noLocks
	lock, missing := s.local.AllocInternal(transfer.LocksBytes)
	if missing == nil {
		s.owner.SetLocks((*transfer.PageLocks)(world.At(lock)))
		position = uint64(lock - p.Memory.OwnerAddress(p.Ranks.Self(), 0))
	}
	t, bad := table.New(len(b.members), b.self, p.Memory.Direct())
	if missing == nil && bad != nil {
		missing, position = bad, noLocks
	}
	s.mu.Lock()
	s.worlds++
	id := uint64(p.Ranks.Self())<<32 | uint64(s.worlds)
	s.mu.Unlock()
	own := binary.LittleEndian.AppendUint64(nil, id)
	own = binary.LittleEndian.AppendUint64(own, position)
	all, err := s.exchange.Gather(b.members, b.self, own)
	if err != nil || missing != nil {
		return nil, nil, together, errors.Join(missing, err)
	}
	cfg := world.Config{Process: p, ID: binary.LittleEndian.Uint64(all), Members: b.members}
	for i, member := range b.members {
		entry := t.Proc(i)
		entry.Base = uint64(p.Memory.OwnerAddress(member, 0))
		if entry.Locks = binary.LittleEndian.Uint64(all[i*introductionBytes+8:]); entry.Locks == noLocks {
			return nil, nil, together, fmt.Errorf("%w: process %d has none for its locks or its table", world.ErrMemory, i)
		}
		entry.Rank = uint64(p.Ranks.Rank(member))
	}
	why := together
	if cfg.Hosts, why, err = b.domains(o.ProcessDomains); err != nil {
		return nil, nil, why, err
	}
	return world.New(cfg), t, why, nil
}

// apart returns the reason why each process is a domain.
type apart byte

const (
	together   apart = iota // the domains are the hosts
	apartInMap              // memory does not have the same addresses in all processes of a host
	apartInRow              // the processes of a host do not have consecutive numbers
	apartAsked              // Options.ProcessDomains
)

// domains returns the lowest process of the domain of each process. Domains are hosts, if the
// processes of every host have consecutive numbers and memory has the same addresses in all of its
// processes. Otherwise each process is a domain, and domains returns the reason.
func (b *beginning) domains(alone bool) (lowest []int, why apart, err error) {
	hosts, consecutive, err := b.hosts()
	if err != nil {
		return nil, together, err
	}
	switch {
	case alone:
		why = apartAsked
	case !consecutive:
		why = apartInRow
	case !b.equal(hosts):
		why = apartInMap
	}
	all, err := b.system.exchange.Gather(b.members, b.self, []byte{byte(why)})
	if err != nil {
		return nil, together, err
	}
	if why = apart(slices.Max(all)); why != together {
		return b.procs(), why, nil
	}
	return hosts, together, nil
}

// hosts returns the lowest process with which each process shares memory, and whether these processes
// have consecutive numbers.
func (b *beginning) hosts() (lowest []int, consecutive bool, err error) {
	m := b.system.process.Members
	first := make(map[int]int) // by host
	consecutive = true
	for i, member := range b.members {
		host := m.HostIndex(member)
		l, ok := first[host]
		if ok {
			route, _, err := m.Route(b.members[l], member)
			if err != nil {
				return nil, false, err
			}
			ok = route.SharesMemory()
		}
		if !ok {
			l = i
			first[host] = i
		}
		consecutive = consecutive && (l == i || lowest[i-1] == l)
		lowest = append(lowest, l)
	}
	return lowest, consecutive, nil
}

// equal reports whether all memory of all processes of this host is mapped at the addresses that it
// has in its owner.
func (b *beginning) equal(hosts []int) bool {
	for i, member := range b.members {
		if hosts[i] == hosts[b.self] && !b.system.process.Memory.Equal(member) {
			return false
		}
	}
	return true
}

// everyone is all processes of a world.
type everyone struct {
	system *System
	world  *world.World
	procs  []int
}

// Procs implements memory.Members.
func (m *everyone) Procs() []int { return m.procs }

// Rank implements memory.Members.
func (m *everyone) Rank() int { return m.world.Self() }

// Exchange implements memory.Members.
func (m *everyone) Exchange(own []byte) ([]byte, error) {
	return m.system.exchange.Gather(m.world.Members(), m.world.Self(), own)
}

// Barrier implements memory.Members.
func (m *everyone) Barrier() error {
	_, err := m.Exchange(nil)
	return err
}
