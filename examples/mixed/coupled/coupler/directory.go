package coupler

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

// Kind says what a rank is.
type Kind uint64

// The kinds of ranks.
const (
	Ocean      Kind = 1
	Atmosphere Kind = 2
)

const maxRanks = 64

// entry is one rank as the others see it, in the layout of struct entry of
// directory.h.
type entry struct {
	kind                 Kind
	first, count         uint64 // columns owned
	needFirst, needCount uint64 // columns of the other model that it needs
	inbox                acp.GA // two buffers of needCount temperatures
	ready                acp.GA // two counters, one for each buffer
	board                acp.GA // progress
}

func (e *entry) own() heat.Span   { return heat.Span{First: int(e.first), Count: int(e.count)} }
func (e *entry) needs() heat.Span { return heat.Span{First: int(e.needFirst), Count: int(e.needCount)} }

// board is what a rank lets others see of its progress. A report is written before it
// is counted and never changed later.
type board struct {
	reports atomic.Uint64
	heat    [heat.Reports]float64
}

// starter is how every rank uses its starter memory, in the layout of struct starter
// of directory.h.
type starter struct {
	directory [maxRanks]entry // on rank 0 the original, elsewhere a copy
	mine      entry
	ready     [2]atomic.Uint64
	old       uint64 // receives what atomics find; never looked at
	board     board
}

func starterOf(p *acp.Process) (*starter, error) {
	memory := p.Starter()
	if need := unsafe.Sizeof(starter{}); uintptr(len(memory)) < need {
		return nil, fmt.Errorf("starter memory has %d bytes, the coupling needs %d", len(memory), need)
	}
	return (*starter)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}

// join announces this rank by its entry s.mine and fills s.directory, indexed by
// rank, with the entries of all. Collective.
func (s *starter) join(p *acp.Process) error {
	if p.Procs() > maxRanks {
		return fmt.Errorf("%d ranks: the directory has room for %d", p.Procs(), maxRanks)
	}
	here, err1 := p.StarterGA(p.Rank())
	root, err2 := p.StarterGA(0)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	const at = acp.GA(unsafe.Offsetof(s.directory))
	place := root + at + acp.GA(p.Rank())*acp.GA(unsafe.Sizeof(s.mine))
	if err := copyNow(p, place, here+acp.GA(unsafe.Offsetof(s.mine)), unsafe.Sizeof(s.mine)); err != nil {
		return err
	}
	// The entry is there, now wait for those of the others.
	if err := p.Sync(); err != nil {
		return err
	}
	return copyNow(p, here+at, root+at, unsafe.Sizeof(s.directory))
}

func copyNow(p *acp.Process, dst, src acp.GA, size uintptr) error {
	h, err := p.Copy(dst, src, uint64(size), acp.HandleNull)
	if err != nil {
		return err
	}
	return p.Complete(h)
}
