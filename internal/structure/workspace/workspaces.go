package workspace

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// Workspaces makes the workspaces of a process. Its methods may be called by several goroutines at once,
// apart from Create.
type Workspaces struct {
	mem     *global.Memory
	caller  Caller
	life    atomic.Uint64 // Resets so far
	held    atomic.Int64  // workspaces with a part in the heap of this rank
	epoch   uint64        // in which the last workspace was created
	created uint64        // how many in that epoch

	mu     sync.Mutex
	params params
}

// params is the layout of workspaces created from now on.
type params struct {
	first int // -1: the lowest rank
	piece uint64
}

// defaults is the layout of workspaces for which the program sets none.
var defaults = params{-1, DefaultPiece}

// Caller calls collective functions. A *collective.Caller is one.
type Caller interface {
	Begin(c collective.Call) error
	Gather(f collective.Function, blob []byte) ([][]byte, error)
}

// New returns the Workspaces of a process.
func New(mem *global.Memory, caller Caller) *Workspaces {
	return &Workspaces{mem: mem, caller: caller, params: defaults}
}

// SetParams sets the layout of workspaces created from now on. Fails with global.ErrBadRank, and with
// global.ErrBadSize for pieces of no bytes. Does not block.
func (s *Workspaces) SetParams(first int, piece uint64) error {
	if err := s.mem.CheckRank(first); err != nil {
		return err
	}
	if !slices.Contains(s.mem.Ranks().Members(), s.mem.Ranks().Member(first)) {
		return global.ErrBadRank
	}
	if piece == 0 {
		return global.ErrBadSize
	}
	s.setParams(params{first, piece})
	return nil
}

func (s *Workspaces) setParams(p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.params = p
}

// layout returns the layout of a new workspace of size bytes, and the ranks by their places. The ranks are nil if they are
// consecutive. Fails with global.ErrBadRank if the rank for piece 0 has left.
func (s *Workspaces) layout(size uint64) (Layout, []int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ranks := s.mem.Ranks()
	l := Layout{Size: size, First: s.params.first, Piece: s.params.piece, Base: ranks.First(), Ranks: ranks.Size()}
	if l.First < 0 {
		l.First = ranks.Lowest()
	}
	if ranks.End()-ranks.First() == ranks.Size() {
		if l.First < ranks.First() || l.First >= ranks.End() {
			return l, nil, global.ErrBadRank
		}
		return l, nil, nil
	}
	list := ranks.Members()
	for i, m := range list {
		list[i] = ranks.Rank(m)
	}
	slices.Sort(list)
	if l.First = slices.Index(list, l.First); l.First < 0 {
		return l, nil, global.ErrBadRank
	}
	l.Base = 0
	return l, list, nil
}

// number returns the number of the next workspace. Ranks that have come later count from the beginning of the epoch, too.
func (s *Workspaces) number() uint64 {
	if epoch := uint64(s.mem.Ranks().Epoch()); epoch != s.epoch {
		s.epoch, s.created = epoch, 0
	}
	s.created++
	return s.epoch<<32 | s.created
}

// Leave fails if this rank has a part of a workspace. It is the Leave of a lifecycle.Structure.
func (s *Workspaces) Leave() error {
	if s.held.Load() > 0 {
		return errors.New("a workspace")
	}
	return nil
}

// Forget is called at a Reset: afterwards there are no workspaces, and parameters have their defaults.
func (s *Workspaces) Forget() {
	s.life.Add(1)
	s.held.Store(0)
	s.setParams(defaults)
}

// Create makes a workspace of size bytes, whose contents are undefined. If it fails on one rank,
// it fails on all and takes no memory: with global.ErrFull, and with collective.ErrDisagree if the
// ranks have given different sizes or parameters. Collective. Blocks until every rank has called
// it.
func (s *Workspaces) Create(size uint64) (*Workspace, error) {
	if err := s.mem.Alive(); err != nil {
		return nil, err
	}
	layout, ranks, err := s.layout(size)
	if err != nil {
		return nil, err
	}
	w := &Workspace{mem: s.mem, body: &body{
		s: s, layout: layout, ranks: ranks, life: s.life.Load(), blocks: make([]uint64, s.mem.Ranks().Size()),
	}}
	// A rank whose heap is full has to report that to the other ranks, so it continues.
	own, failed := w.allocate()
	blobs, err := s.caller.Gather(collective.CreateWorkspace, w.contribution(own, failed).encode())
	if err == nil {
		err = w.accept(blobs)
	}
	if err != nil {
		if own != ga.Null {
			err = errors.Join(err, s.mem.Free(own))
		}
		return nil, err
	}
	w.number = s.number()
	if own != ga.Null {
		s.held.Add(1)
	}
	return w, nil
}
