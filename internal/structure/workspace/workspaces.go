package workspace

import (
	"errors"
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
	created atomic.Uint64

	mu     sync.Mutex
	params params
}

// params is the layout of workspaces created from now on.
type params struct {
	first int
	piece uint64
}

// defaults returns the layout of workspaces for which the program sets none.
func defaults(mem *global.Memory) params { return params{mem.Ranks().First(), DefaultPiece} }

// Caller calls collective functions. A *collective.Caller is one.
type Caller interface {
	Begin(c collective.Call) error
	Gather(f collective.Function, blob []byte) ([][]byte, error)
}

// New returns the Workspaces of a process.
func New(mem *global.Memory, caller Caller) *Workspaces {
	return &Workspaces{mem: mem, caller: caller, params: defaults(mem)}
}

// SetParams sets the layout of workspaces created from now on. Fails with global.ErrBadRank, and with
// global.ErrBadSize for pieces of no bytes. Does not block.
func (s *Workspaces) SetParams(first int, piece uint64) error {
	if err := s.mem.CheckRank(first); err != nil {
		return err
	}
	if first < s.mem.Ranks().First() || first >= s.mem.Ranks().End() {
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

// layout returns the layout of a new workspace of size bytes.
func (s *Workspaces) layout(size uint64) Layout {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Layout{Size: size, First: s.params.first, Piece: s.params.piece, Base: s.mem.Ranks().First(), Ranks: s.mem.Ranks().Size()}
}

// Forget is called at a Reset: afterwards there are no workspaces, and parameters have their defaults.
func (s *Workspaces) Forget() {
	s.life.Add(1)
	s.setParams(defaults(s.mem))
}

// Create makes a workspace of size bytes, whose contents are undefined. If it fails on one rank,
// it fails on all and takes no memory: with global.ErrFull, and with collective.ErrDisagree if the
// ranks have given different sizes or parameters. Collective. Blocks until every rank has called
// it.
func (s *Workspaces) Create(size uint64) (*Workspace, error) {
	if err := s.mem.Alive(); err != nil {
		return nil, err
	}
	w := &Workspace{mem: s.mem, body: &body{
		s: s, layout: s.layout(size), life: s.life.Load(), blocks: make([]uint64, s.mem.Ranks().Size()),
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
	w.number = s.created.Add(1)
	return w, nil
}
