package node_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/race"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

const (
	historyProcs   = 4
	historyThreads = 4
)

var (
	soak      = flag.Duration("soak", 0, "how long TestHistories and TestHandover make histories, both together; 0: fixed numbers")
	firstSeed = flag.Uint64("seed", rand.Uint64(), "of the first history of a test; those that follow have the next numbers")
	fixed     = flag.Int("histories", race.Cases(500, 100), "how many histories TestHistories makes on each set of hosts")
)

// batch is how many histories the processes of one run make. A run has a time limit, which many would exceed on a busy machine.
const batch = 20

// eachBatch calls f with some histories after the other, until there were count in all, or the time of -soak is over.
func eachBatch(t *testing.T, count, processes int, f func(histories []*history)) {
	t.Helper()
	begin, done, part := time.Now(), 0, *soak/time.Duration(2*len(everywhere))
	for !t.Failed() && (*soak > 0 && time.Since(begin) < part || *soak == 0 && done < count) {
		size := batch
		if *soak == 0 {
			size = min(size, count-done)
		}
		histories := make([]*history, size)
		for i := range histories {
			histories[i] = &history{seed: *firstSeed + uint64(done+i), made: make(chan struct{}), left: processes, done: make(chan struct{})}
		}
		f(histories)
		done += size
	}
	t.Logf("%d histories from seed %d on", done, *firstSeed)
}

// pageOf is a page of a history, with what has happened to it.
type pageOf struct {
	addr    int64
	size    int64
	counter bool // its first 8 bytes are a counter, to which threads add 1

	mu   sync.Mutex
	list []access
}

func (p *pageOf) note(a access) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, a)
}

// check returns an error if the accesses to the page were not atomic.
func (p *pageOf) check() error {
	if !p.counter {
		return checkRegister(p.list)
	}
	slices.SortFunc(p.list, func(a, b access) int { return int(a.value) - int(b.value) })
	last := int64(-1)
	for i, a := range p.list {
		if a.value != uint64(i) {
			return fmt.Errorf("addition %d finds %d", i, a.value)
		}
		if a.end < last {
			return fmt.Errorf("the addition that finds %d ends before one that finds less begins", a.value)
		}
		last = max(last, a.begin)
	}
	return nil
}

// TestHistories: threads of several processes read and change pages in all modes. The accesses to each page have an order. The heaps are
// so small that pages give way to others.
func TestHistories(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		eachBatch(t, *fixed, historyProcs, func(histories []*history) {
			run(t, historyProcs, h, func(n *node.Node, p *acp.Process) error {
				for _, x := range histories {
					if err := x.run(n); err != nil {
						return fmt.Errorf("seed %d: %w", x.seed, err)
					}
				}
				return p.Sync()
			})
		})
	})
}

// history is what the threads of all processes do with some pages.
type history struct {
	seed  uint64
	start time.Time
	pages []*pageOf
	bases []int64
	made  chan struct{} // closed when there are pages

	mu   sync.Mutex
	left int           // processes that have not ended
	done chan struct{} // closed when all have
}

func (x *history) now() int64 { return int64(time.Since(x.start)) }

// run makes the accesses of one process. The process 0 checks the history then.
func (x *history) run(n *node.Node) error {
	if n.ID() == 0 {
		x.start = time.Now()
		if err := x.makePages(n); err != nil {
			return err
		}
		close(x.made)
	}
	<-x.made
	const accesses = 40
	var all sync.WaitGroup
	errs := make([]error, historyThreads)
	for thread := range historyThreads {
		all.Go(func() {
			id := uint64(n.ID()*historyThreads + thread)
			r := rand.New(rand.NewPCG(x.seed, 1+id))
			for i := range uint64(accesses) {
				page := x.pages[r.IntN(len(x.pages))]
				if errs[thread] = page.random(n, r, 1+i+accesses*id, x.now); errs[thread] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	x.mu.Lock()
	if x.left--; x.left == 0 {
		close(x.done)
	}
	x.mu.Unlock()
	err := errors.Join(errs...)
	if n.ID() != 0 || err != nil {
		return err
	}
	<-x.done
	for i, page := range x.pages {
		if err := page.check(); err != nil {
			return fmt.Errorf("page %d of %d bytes: %w", i, page.size, err)
		}
	}
	for _, base := range x.bases {
		err = errors.Join(err, n.Unmap(base))
	}
	return err
}

// makePages makes the pages of the history.
func (x *history) makePages(n *node.Node) error {
	r := rand.New(rand.NewPCG(x.seed, 0))
	for _, size := range []int64{8, 64, 4096, 8 << (1 + r.IntN(16))} {
		count := int64(1 + r.IntN(2))
		base, err := n.Map(size, count)
		if err != nil {
			return err
		}
		x.bases = append(x.bases, base)
		for i := range count {
			x.pages = append(x.pages, &pageOf{addr: base + i*size, size: size, counter: r.IntN(4) == 0})
		}
	}
	return nil
}

// random makes a random access to the page.
func (p *pageOf) random(n *node.Node, r *rand.Rand, value uint64, now func() int64) error {
	change := []node.Mode{node.Put, node.Exclusive}[r.IntN(2)]
	a := access{begin: now()}
	if p.counter {
		old, err := n.FetchAdd(p.addr, 1, change)
		a.value, a.end = uint64(old), now()
		p.note(a)
		return err
	}
	b := make([]byte, p.size)
	switch r.IntN(5) {
	case 0, 1:
		fill(b, value)
		a.write, a.value = true, value
		write := []func(addr int64, b []byte, mode node.Mode) error{
			n.Write,
			func(addr int64, b []byte, mode node.Mode) error { return n.WriteMany([]int64{addr}, [][]byte{b}, mode) },
			func(addr int64, b []byte, mode node.Mode) error { return startWrite(n, addr, b, mode).Wait() },
		}[r.IntN(3)]
		err := write(p.addr, b, change)
		a.end = now()
		p.note(a)
		return err
	case 2: // a swap is a read and a write at the same moment
		fill(b, value)
		old := make([]byte, p.size)
		if err := n.Swap(p.addr, b, old, change); err != nil {
			return err
		}
		end := now()
		p.note(access{begin: a.begin, end: end, write: true, value: value})
		before, err := uniform(old)
		p.note(access{begin: a.begin, end: end, value: before})
		return err
	}
	mode := []node.Mode{node.Get, node.Invalidate, node.Update}[r.IntN(3)]
	read := []func(addr int64, b []byte, mode node.Mode) error{
		n.Read,
		func(addr int64, b []byte, mode node.Mode) error { return n.ReadMany([]int64{addr}, [][]byte{b}, mode) },
		func(addr int64, b []byte, mode node.Mode) error { return startRead(n, addr, b, mode).Wait() },
	}[r.IntN(3)]
	if err := read(p.addr, b, mode); err != nil {
		return err
	}
	a.end = now()
	var err error
	a.value, err = uniform(b)
	p.note(a)
	return err
}

// fill fills b with a value.
func fill(b []byte, value uint64) {
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], value)
	}
}

// uniform returns the value with which b is filled.
func uniform(b []byte) (uint64, error) {
	value := binary.LittleEndian.Uint64(b)
	for i := 0; i < len(b); i += 8 {
		if x := binary.LittleEndian.Uint64(b[i:]); x != value {
			return 0, fmt.Errorf("an access is torn: %d at the beginning and %d at byte %d of %d", value, x, i, len(b))
		}
	}
	return value, nil
}
