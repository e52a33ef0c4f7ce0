// Goacp measures what GMAs cost by the Go API, as bench/acp_bench.c does by the C API:
//
//	acprun -np 2 goacp local     between two processes of a host
//	acprun -np 3 goacp third     copies between two others
//	acprun -np 2 goacp remote    between two hosts
//	acprun -np 4 goacp map       a map over four processes of a host
//	acprun -np N goacp memory    private memory of a process of N
//	acprun -np 8 goacp links     memory of a process for a link
//
// Each figure is of one GMA and Complete. Rank 0 measures; the others sleep in Sync, except where
// ranks exchange messages. Starter memory of 4 MiB or more is needed, except for the figures of
// memory.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

const (
	samples  = 9
	megabyte = 1 << 20

	exchange = 64       // where a rank publishes an address
	block    = megabyte // 2 MiB to be read and written
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "goacp:", err)
		os.Exit(1)
	}
}

func run() error {
	p, err := acp.Init(context.Background())
	if err != nil {
		return err
	}
	size := privateMemory()
	mine, err1 := p.StarterGA(p.Rank())
	peer, err2 := p.StarterGA((p.Rank() + 1) % acp.Rank(p.Procs()))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	b := &bench{p: p, mine: mine, peer: peer}
	what, argument, _ := strings.Cut(strings.Join(os.Args[1:], " "), " ")
	switch {
	case what == "memory":
		report("memory"+strconv.Itoa(p.Procs()), float64(size))
	case what == "local" && p.Procs() == 2:
		err = b.local()
	case what == "third" && p.Procs() == 3:
		err = b.third()
	case what == "map" && p.Procs() == 4:
		err = b.maps(10000, "mapinsert", "mapfind", "mapremove")
	case what == "links" && p.Procs() == 8:
		err = b.linkMemory()
	case what == "remote" && p.Procs() == 2:
		err = b.remote()
	case what == "rma" && p.Procs() == 2:
		err = b.windows(argument)
	default:
		err = errors.New("usage: acprun -np N goacp local|third|map|links|remote|memory|rma NAME")
	}
	if err == nil {
		err = errors.Join(b.err, p.Sync(), p.Finalize())
	}
	if err != nil {
		p.Abort(err.Error())
	}
	return err
}

// report prints one line: the source of the figure, its name and the nanoseconds.
func report(name string, ns float64) { fmt.Printf("go\t%s\t%.2f\n", name, ns) }

// bench measures on one rank. It keeps the first error.
type bench struct {
	p          *acp.Process
	mine, peer acp.GA
	err        error
}

// finish completes the GMA that a call has issued with the results h and err.
func (b *bench) finish(h acp.Handle, err error) {
	if err == nil {
		err = b.p.Complete(h)
	}
	if err != nil && b.err == nil {
		b.err = err
	}
}

func (b *bench) copy(dst, src acp.GA, n uint64) { b.finish(b.p.Copy(dst, src, n, acp.HandleNull)) }

// measure reports several means of what one call of f takes.
func (b *bench) measure(name string, loops int, f func()) {
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range loops {
			f()
		}
		if s >= 0 {
			report(name, float64(time.Since(begin))/float64(loops))
		}
	}
}

// measureCopy is measure for a copy, without calling a function for each: a copy takes only as long
// as a few calls.
func (b *bench) measureCopy(name string, loops int, dst, src acp.GA, n uint64) {
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range loops {
			h, err := b.p.Copy(dst, src, n, acp.HandleNull)
			if err == nil {
				err = b.p.Complete(h)
			}
			if err != nil && b.err == nil {
				b.err = err
			}
		}
		if s >= 0 {
			report(name, float64(time.Since(begin))/float64(loops))
		}
	}
}

func (b *bench) local() error {
	if err := b.syncs(); err != nil {
		return err
	}
	if err := b.channels("ch8", 20000, "ch1m"); err != nil {
		return err
	}
	own, other, err := b.registered()
	if err != nil || b.p.Rank() != 0 {
		return err
	}
	far, near := b.peer+block, b.mine+block
	b.measureCopy("put8", 20000, far, near, 8)
	b.measureCopy("get8", 20000, near, far, 8)
	b.measure("add8", 20000, func() { b.finish(b.p.Add8(near, far, 1, acp.HandleNull)) })
	b.measure("cas8", 20000, func() { b.finish(b.p.Cas8(near, far, 1, 2, acp.HandleNull)) })
	b.measure("malloc64", 20000, b.mallocAndFree)
	b.vectors("vector8", 20000, near)
	b.deques("deque8", 20000, near)
	b.lists("list8", 20000, near, 0)
	b.measureCopy("ownput8", 20000, far, own, 8)
	b.measureCopy("regput8", 5000, other, near, 8)
	b.measureCopy("regget8", 5000, near, other, 8)
	b.measure("regadd8", 5000, func() { b.finish(b.p.Add8(near, other, 1, acp.HandleNull)) })
	fill(b.p.Starter()[block : block+megabyte])
	b.measureCopy("put1m", 20, far, near, megabyte)
	return nil
}

// mallocAndFree allocates on the other rank and frees again.
func (b *bench) mallocAndFree() {
	ga, err := b.p.Malloc(64, 1)
	if err == nil {
		err = b.p.Free(ga)
	}
	b.finish(acp.HandleNull, err)
}

// vectors measures appending the 8 bytes at from to a vector of the other rank, and taking
// them away again.
func (b *bench) vectors(name string, loops int, from acp.GA) {
	v, err := b.p.NewByteVector(0, 1)
	b.finish(acp.HandleNull, err)
	b.measure(name, loops, func() {
		b.finish(acp.HandleNull, v.PushBack(acp.Element{GA: from, Size: 8}))
		b.finish(acp.HandleNull, v.PopBack(8))
	})
	b.finish(acp.HandleNull, v.Destroy())
}

// deques is vectors for a deque, from which the bytes are taken in front.
func (b *bench) deques(name string, loops int, from acp.GA) {
	d, err := b.p.NewByteDeque(0, 1)
	b.finish(acp.HandleNull, err)
	b.measure(name, loops, func() {
		b.finish(acp.HandleNull, d.PushBack(acp.Element{GA: from, Size: 8}))
		b.finish(acp.HandleNull, d.PopFront(8))
	})
	b.finish(acp.HandleNull, d.Destroy())
}

// lists is vectors for a list on rank, whose element is on rank 1.
func (b *bench) lists(name string, loops int, from acp.GA, rank acp.Rank) {
	l, err := b.p.NewByteList(rank)
	b.finish(acp.HandleNull, err)
	b.measure(name, loops, func() {
		b.finish(acp.HandleNull, l.PushBack(acp.Element{GA: from, Size: 8}, 1))
		b.finish(acp.HandleNull, l.PopBack())
	})
	b.finish(acp.HandleNull, l.Destroy())
}

// fill touches memory, so that its pages are there.
func fill(mem []byte) {
	for i := range mem {
		mem[i] = 1
	}
}

func (b *bench) syncs() error {
	const loops = 1000
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range loops {
			if err := b.p.Sync(); err != nil {
				return err
			}
		}
		if s >= 0 && b.p.Rank() == 0 {
			report("sync", float64(time.Since(begin))/loops)
		}
	}
	return nil
}

// registered returns the GAs of heap memory that this rank and its peer have
// registered.
func (b *bench) registered() (own, other acp.GA, err error) {
	heap := make([]byte, 4096)
	key, err := b.p.Register(heap, 0)
	if err != nil {
		return 0, 0, err
	}
	if own, err = b.p.QueryGA(key, unsafe.Pointer(&heap[0])); err != nil {
		return 0, 0, err
	}
	word := b.p.Starter()[exchange:]
	binary.NativeEndian.PutUint64(word, uint64(own))
	err = b.p.Sync()
	b.copy(b.mine+exchange+8, b.peer+exchange, 8)
	other = acp.GA(binary.NativeEndian.Uint64(word[8:]))
	return own, other, errors.Join(err, b.p.Sync())
}

func (b *bench) third() error {
	if b.p.Rank() != 0 {
		return nil
	}
	from, err1 := b.p.StarterGA(1)
	to, err2 := b.p.StarterGA(2)
	b.measureCopy("third8", 20000, to+block, from+block, 8)
	b.measureCopy("third1m", 20, to+block, from+block, megabyte)
	return errors.Join(err1, err2)
}

func (b *bench) remote() error {
	if err := b.channels("farch8", 500, "farch1m"); err != nil || b.p.Rank() != 0 {
		return err
	}
	far, near := b.peer+block, b.mine+block
	b.measureCopy("farput8", 1000, far, near, 8)
	b.measureCopy("farget8", 1000, near, far, 8)
	b.measure("faradd8", 1000, func() { b.finish(b.p.Add8(near, far, 1, acp.HandleNull)) })
	b.rates(far, near)
	b.measure("farmalloc64", 500, b.mallocAndFree)
	b.vectors("farvector8", 500, near)
	b.lists("farlist8", 500, near, 1)
	if err := b.maps(500, "farmapinsert", "farmapfind", "farmapremove"); err != nil {
		return err
	}
	b.measureCopy("farput2m", 20, far, near, 2*megabyte)
	const loops = 32
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range loops {
			if _, err := b.p.Copy(far, near, 2*megabyte, acp.HandleNull); err != nil && b.err == nil {
				b.err = err
			}
		}
		b.finish(acp.HandleAll, nil)
		if s >= 0 {
			report("farstream2m", float64(time.Since(begin))/loops)
		}
	}
	return nil
}

// privateMemory returns the bytes of memory that this process has written and shares with no other,
// after a collection of garbage.
func privateMemory() int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == "Private_Dirty:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
