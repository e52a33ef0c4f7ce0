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
	Number int            // which posts it uses: the same as those that it reads from
	Read   bool           // another process reads what it posts
	Theirs unsafe.Pointer // the block of the process from which it reads
	First  bool           // what this process has precedes what it gets
}

// Config says what a Board is made of. All fields are required.
type Config struct {
	Block  unsafe.Pointer // of this process: Size bytes, which were zero
	Steps  []Step
	Budget *wait.Budget
	Over   func() error // why the run is over, or nil
}

// Board is the part of one process. One goroutine at a time calls its methods.
type Board struct {
	*table // outside the Go heap
	cfg    Config
}

// New returns the Board that cfg describes. All processes of the team make theirs before one of them
// uses it.
func New(cfg Config) (*Board, error) {
	mem, err := unix.Mmap(-1, 0, int(unsafe.Sizeof(table{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("board of %d steps: %w", len(cfg.Steps), err)
	}
	t := (*table)(unsafe.Pointer(unsafe.SliceData(mem)))
	t.load, t.Used = unsafe.Pointer(cfg.Budget.Load()), uint64(len(cfg.Steps))
	for i, s := range cfg.Steps {
		to := &t.steps[i]
		to.theirs = posts(s.Theirs, s.Number)
		if s.Read {
			to.mine = posts(cfg.Block, s.Number)
		}
		if s.First {
			to.First = 1
		}
	}
	return &Board{t, cfg}, nil
}

// Share returns what C knows of the board, which belongs to the group with a number.
func (b *Board) Share(group uint64) unsafe.Pointer {
	b.Group = group
	return unsafe.Pointer(b.table)
}

// Close ends the use of the board by this process, C included. The blocks of the others are still
// there.
func (b *Board) Close() {
	for _, s := range b.cfg.Steps {
		atomic.AddUint32(&(*head)(s.Theirs).Gone, 1)
	}
	b.Discard()
}

// Discard is Close of a board that no process has used, or that no process will use again.
func (b *Board) Discard() {
	// If it fails, memory is not given back, and is not used again either.
	_ = unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(b.table)), unsafe.Sizeof(table{})))
}

// Unread reports whether no process reads in a block any more that others have read in so many
// steps.
func Unread(block unsafe.Pointer, readers int) bool {
	return atomic.LoadUint32(&(*head)(block).Gone) == uint32(readers)
}

// Await waits until the post at an address, which is one of the steps, has the number of an
// operation. Fails if the run is over first.
func (b *Board) Await(at unsafe.Pointer, number uint32) error { return b.await((*post)(at), number) }

func (b *Board) await(p *post, number uint32) error {
	there := func() bool { return atomic.LoadUint32(&p.Number) == number }
	wait.Spin(b.cfg.Budget.Spin(), there)
	if there() {
		return nil
	}
	defer b.cfg.Budget.Unpark(b.cfg.Budget.Park(activity.For(activity.Barrier)))
	atomic.AddUint32(&p.Parked, 1)
	defer atomic.AddUint32(&p.Parked, ^uint32(0))
	for {
		seen := atomic.LoadUint32(&p.Number)
		if seen == number {
			return nil
		}
		if err := b.cfg.Over(); err != nil {
			return err
		}
		futex.Wait(&p.Number, seen, wait.LongestPark)
	}
}
