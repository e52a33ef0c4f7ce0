// Equal lets the ranks of a host use each other's memory by the addresses of its owner, and
// checks which of them can.
//
//	acprun -np 6 equal               all ranks can
//	acprun -np 6 equal -blocked 2    rank 2 has something else at these addresses
//	acprun -np 6 equal -apart        no rank can
//
// Where addresses differ, the ranks translate them.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/memlimit"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/tests/programs/rank"
	"golang.org/x/sys/unix"
)

var systems = extension.Register(extension.Extension[*extension.Process]{
	Name: "equal",
	Open: func(p *extension.Process) (*extension.Process, error) { return p, nil },
})

// Words of starter memory: an address and a size for each block.
const (
	blocks      = 12
	wordsABlock = 2
)

// ranks is one process of the run.
type ranks struct {
	*acp.Process
	sys     *extension.Process
	rnd     *rand.Rand
	apart   bool
	blocked int // member, or -1
}

func main() {
	apart := flag.Bool("apart", false, "no rank can use the addresses of others")
	blocked := flag.Int("blocked", -1, "this rank cannot, and others not its own")
	seed := flag.Uint64("seed", 1, "of all random choices")
	flag.Parse()
	if os.Getenv(envvar.JobRank) == strconv.Itoa(*blocked) {
		block()
	}
	cfg := rank.Must(acp.ConfigFromEnv(os.Getenv))
	cfg.HeapSize = acp.UnlimitedHeap
	p := rank.Must(acp.Open(context.Background(), cfg))
	r := ranks{p, systems.Of(p), rand.New(rand.NewPCG(*seed, uint64(p.Rank()))), *apart, *blocked}
	err := r.run()
	if err == nil {
		err = p.Finalize()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", p.Rank(), err)
		p.Abort(err.Error())
		os.Exit(1)
	}
}

// block takes the addresses at which ranks map each other's memory.
func block() {
	at := uintptr(65 << 40)
	_, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&at)), 16<<40, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED_NOREPLACE)
	if err != nil {
		panic(err)
	}
}

func (r *ranks) run() error {
	if err := r.checkEqual(); err != nil {
		return err
	}
	for round := range 6 {
		if err := errors.Join(r.exchange(round), r.large()); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if round == 3 {
			if err := r.Reset(acp.Rank((int(r.Rank()) + 1) % r.Procs())); err != nil {
				return err
			}
		}
	}
	return r.checkEqual()
}

// checkEqual compares the equal addresses with the expectation.
func (r *ranks) checkEqual() error {
	self := r.sys.Ranks.Self()
	for m := range r.Procs() {
		want := m == self || !r.apart && m != r.blocked && self != r.blocked
		if got := r.sys.Memory.Equal(m); got != want {
			return fmt.Errorf("the addresses of rank %d are equal: %v", r.sys.Ranks.Rank(m), got)
		}
	}
	return nil
}

// exchange allocates blocks, lets the other ranks write into them, and checks the contents.
func (r *ranks) exchange(round int) error {
	own, err := r.allocate(round)
	if err != nil {
		return err
	}
	if err := r.Sync(); err != nil {
		return err
	}
	for m := range r.Procs() {
		if m == r.sys.Ranks.Self() {
			continue
		}
		if err := r.visit(m, round); err != nil {
			return fmt.Errorf("rank %d: %w", r.sys.Ranks.Rank(m), err)
		}
	}
	if err := r.Sync(); err != nil {
		return err
	}
	for _, b := range own {
		for m := range r.Procs() {
			if got := binary.LittleEndian.Uint64(b[8*m:]); got != word(round, m) {
				return fmt.Errorf("rank %d has written %#x", r.sys.Ranks.Rank(m), got)
			}
		}
	}
	return errors.Join(r.free(), r.Sync())
}

// word is the word that a member writes into blocks.
func word(round, member int) uint64 { return uint64(round)<<32 | uint64(member) + 1 }

// allocate makes blocks, which it announces in starter memory by their addresses.
func (r *ranks) allocate(round int) (own [][]byte, err error) {
	self := r.sys.Ranks.Self()
	for i := range blocks {
		n := 8*uint64(r.Procs()) + 1
		n += r.rnd.Uint64N(1 << (3 + r.rnd.IntN(21)))
		at, err := r.sys.Memory.Own().AllocZero(n)
		if err != nil {
			return nil, err
		}
		addr := r.sys.Memory.OwnerAddress(self, ga.Pos(at))
		b := bytesAt(addr, n)
		for j := range b {
			if b[j] != 0 {
				return nil, fmt.Errorf("byte %d of a new block of %d is %d", j, n, b[j])
			}
		}
		b[n-1] = byte(n) // which other ranks check
		binary.LittleEndian.PutUint64(b[8*self:], word(round, self))
		own = append(own, b)
		binary.LittleEndian.PutUint64(r.Starter()[8*wordsABlock*i:], uint64(addr))
		binary.LittleEndian.PutUint64(r.Starter()[8*wordsABlock*i+8:], n)
	}
	return own, nil
}

// announced returns the address and the size of a block of a member, in that member's process.
func (r *ranks) announced(member, i int) (addr uintptr, n uint64, err error) {
	b := make([]byte, 8*wordsABlock)
	at := uint64(r.starterOf(member)) + uint64(len(b)*i)
	err = r.sys.Memory.Get(b, at)
	return uintptr(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:]), err
}

// starterOf returns the address of the starter memory of a member.
func (r *ranks) starterOf(member int) acp.GA {
	at, err := r.StarterGA(acp.Rank(r.sys.Ranks.Rank(member)))
	if err != nil {
		panic(err)
	}
	return at
}

// visit writes a word into each block of a member.
func (r *ranks) visit(member, round int) error {
	self := r.sys.Ranks.Self()
	for i := range blocks {
		addr, n, err := r.announced(member, i)
		if err != nil {
			return err
		}
		pos, ok := r.sys.Memory.PositionOf(member, addr, n)
		if !ok || r.sys.Memory.OwnerAddress(member, pos) != addr {
			return fmt.Errorf("%d bytes at %#x have the position %#x, %v", n, addr, pos, ok)
		}
		if pos, ok := r.sys.Memory.PositionOf(member, addr, 1<<45); ok {
			return fmt.Errorf("too many bytes at %#x have the position %#x", addr, pos)
		}
		if r.sys.Memory.Equal(member) {
			b := bytesAt(addr, n)
			if b[n-1] != byte(n) {
				return fmt.Errorf("a block of %d bytes ends with %d", n, b[n-1])
			}
			binary.LittleEndian.PutUint64(b[8*self:], word(round, self))
			continue
		}
		at := ga.Make(r.sys.Ranks.Rank(member), pos)
		last, mark := make([]byte, 1), binary.LittleEndian.AppendUint64(nil, word(round, self))
		if err := errors.Join(r.sys.Memory.Get(last, at+n-1), r.sys.Memory.Put(at+8*uint64(self), mark)); err != nil {
			return err
		}
		if last[0] != byte(n) {
			return fmt.Errorf("a block of %d bytes ends with %d", n, last[0])
		}
	}
	return nil
}

// free frees the blocks of allocate.
func (r *ranks) free() error {
	self := r.sys.Ranks.Self()
	var err error
	for i := range blocks {
		addr, _, aerr := r.announced(self, i)
		pos, _ := r.sys.Memory.PositionOf(self, addr, 0)
		err = errors.Join(err, aerr, r.sys.Memory.Free(ga.Make(int(r.Rank()), pos)))
	}
	return err
}

// large lets each rank in turn allocate a block that has no room in a heap of the usual size, and
// a block for which the host has no memory.
func (r *ranks) large() error {
	const size = acp.DefaultHeapSize + 64<<20
	for m := range r.Procs() {
		if m == r.sys.Ranks.Self() && r.sys.Memory.HeapSize(m) > size {
			a := r.sys.Memory.Own()
			if all := memlimit.Host(os.DirFS("/")); r.sys.Memory.HeapSize(m) >= all {
				if at, err := a.Alloc(all); err != heap.ErrLimit {
					return fmt.Errorf("all memory of the host is at %#x: %v", at, err)
				}
			}
			at, err := a.AllocZero(size)
			if err != nil {
				return err
			}
			b, err := a.Bytes(at, size)
			if err != nil {
				return err
			}
			b[0], b[size-1] = 1, 1
			if err := a.Free(at); err != nil {
				return err
			}
		}
		if err := r.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// bytesAt returns memory by its address.
func bytesAt(addr uintptr, n uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}
