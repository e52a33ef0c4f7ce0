package collarea

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"golang.org/x/sys/unix"
)

// Step says what a process does in one step.
type Step struct {
	Number int            // which slots it uses: the same as those that it reads from
	Read   bool           // another process reads its slots
	Theirs unsafe.Pointer // the block of the process from which it reads
	First  bool           // what this process has precedes what it gets
}

// Config says what an Area is made of. All fields are required.
type Config struct {
	Block  unsafe.Pointer // of this process: Size bytes, which were zero
	Steps  []Step
	Budget *wait.Budget
	Over   func() error // why the run is over, or nil
}

// Area is the part of one process. One goroutine at a time calls its methods.
type Area struct {
	*table // outside the Go heap
	cfg    Config
}

// New returns the Area that cfg describes. All processes of the team make theirs before one of them
// uses it.
func New(cfg Config) (*Area, error) {
	mem, err := unix.Mmap(-1, 0, int(unsafe.Sizeof(table{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("collective area of %d steps: %w", len(cfg.Steps), err)
	}
	t := (*table)(unsafe.Pointer(unsafe.SliceData(mem)))
	t.load, t.Used = unsafe.Pointer(cfg.Budget.Load()), uint64(len(cfg.Steps))
	for i, s := range cfg.Steps {
		to := &t.steps[i]
		to.theirs = slots(s.Theirs, s.Number)
		if s.Read {
			to.mine = slots(cfg.Block, s.Number)
		}
		if s.First {
			to.First = 1
		}
	}
	return &Area{t, cfg}, nil
}

// Share returns what C knows of the collective area, which belongs to the group with a number.
func (a *Area) Share(group uint64) unsafe.Pointer {
	a.Group = group
	return unsafe.Pointer(a.table)
}

// Close ends the use of the collective area by this process, C included. The blocks of the others are still
// there.
func (a *Area) Close() {
	for _, s := range a.cfg.Steps {
		atomic.AddUint32(&(*head)(s.Theirs).Gone, 1)
	}
	a.Discard()
}

// Discard is Close of a collective area that no process has used, or that no process will use again.
func (a *Area) Discard() {
	// If it fails, memory is not given back, and is not used again either.
	_ = unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(a.table)), unsafe.Sizeof(table{})))
}

// Unread reports whether no process reads in a block any more that others have read in so many
// steps.
func Unread(block unsafe.Pointer, readers int) bool {
	return atomic.LoadUint32(&(*head)(block).Gone) == uint32(readers)
}

// Await waits until the slot at an address, which is one of the steps, has the number of an
// operation. Fails if the run is over first.
func (a *Area) Await(at unsafe.Pointer, number uint32) error { return a.await((*slot)(at), number) }

func (a *Area) await(p *slot, number uint32) error {
	there := func() bool { return atomic.LoadUint32(&p.Number) == number }
	wait.Spin(a.cfg.Budget.Spin(), there)
	if there() {
		return nil
	}
	defer a.cfg.Budget.Unpark(a.cfg.Budget.Park(activity.For(activity.Barrier)))
	atomic.AddUint32(&p.Parked, 1)
	defer atomic.AddUint32(&p.Parked, ^uint32(0))
	for {
		seen := atomic.LoadUint32(&p.Number)
		if seen == number {
			return nil
		}
		if err := a.cfg.Over(); err != nil {
			return err
		}
		futex.Wait(&p.Number, seen, wait.LongestPark)
	}
}
