// Keys lets all ranks work on the same keys of one map and one set at the same time.
//
//	acprun -np 8 keys -steps 100000
//	acprun -np 4 keys -in hold
//
// The ways are fight (the ranks insert, find and remove; then the structures must have what the
// ranks have counted), storm (the same without end) and hold (rank 1 takes a lock and keeps it, so
// that all others wait for it). With -sleeper, the last rank calls nothing while the other ranks
// fight. In the ways without end each rank prints "rank R pid P".
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

// keys is how many keys the ranks fight for.
const keys = 1500

// Words of starter memory: the addresses of the structures, that of the balances, a flag
// for the sleeper, and what was read last. After them is the balance of this rank.
const (
	mapWord     = 0
	setWord     = 3
	balanceWord = 6
	flagWord    = 7
	readWord    = 8
	balances    = 9
)

type ranks struct {
	p       *acp.Process
	m       *acp.Map[uint64, uint64]
	s       *acp.Set[uint64]
	rnd     *rand.Rand
	balance [2 * keys]int64 // insertions less removals of this rank: of the map, of the set
}

func main() {
	in := flag.String("in", "fight", "fight, storm or hold")
	steps := flag.Int("steps", 10000, "operations of each rank")
	sleeper := flag.Bool("sleeper", false, "the last rank sleeps")
	seed := flag.Uint64("seed", 1, "of all random choices")
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		r := ranks{p: p, rnd: rand.New(rand.NewPCG(*seed, uint64(p.Rank())))}
		if err := r.share(); err != nil {
			return err
		}
		switch *in {
		case "fight":
			return r.fight(*steps, *sleeper)
		case "storm":
			fmt.Printf("rank %d pid %d\n", p.Rank(), os.Getpid())
			for {
				if err := r.step(); err != nil {
					return err
				}
			}
		case "hold":
			return r.hold()
		}
		return fmt.Errorf("unknown way %q", *in)
	})
}

func (r *ranks) word(i int) *uint64 {
	return (*uint64)(unsafe.Pointer(&r.p.Starter()[8*i]))
}

func (r *ranks) at(of acp.Rank, i int) acp.GA { return rank.Must(r.p.StarterGA(of)) + acp.GA(8*i) }

func (r *ranks) copy(dst, src acp.GA, n int) error {
	h, err := r.p.Copy(dst, src, uint64(n), acp.HandleNull)
	if err != nil {
		return err
	}
	return r.p.Complete(h)
}

// share makes the structures on rank 0, or gets their addresses from there.
func (r *ranks) share() error {
	p := r.p
	if p.Rank() == 0 {
		var all []acp.Rank
		for i := range p.Procs() {
			all = append(all, acp.Rank(i))
		}
		m, err1 := acp.NewMap[uint64, uint64](p, all, 31, acp.Rank(p.Procs()-1))
		s, err2 := acp.NewSet[uint64](p, all, 31, 0)
		ga, err3 := p.Malloc(uint64(p.Procs())*2*keys*8, 0)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		for i, a := range []acp.TableAddress{m.Address(), s.Address()} {
			*r.word(3 * i), *r.word(3*i + 1), *r.word(3*i + 2) = uint64(a.GA), a.Ranks, a.Slots
		}
		*r.word(balanceWord) = uint64(ga)
	}
	if err := p.Sync(); err != nil {
		return err
	}
	if p.Rank() != 0 {
		if err := r.copy(r.at(p.Rank(), 0), r.at(0, 0), 8*flagWord); err != nil {
			return err
		}
	}
	var err1, err2 error
	r.m, err1 = acp.MapAt[uint64, uint64](p, r.address(mapWord))
	r.s, err2 = acp.SetAt[uint64](p, r.address(setWord))
	return errors.Join(err1, err2, p.Sync())
}

func (r *ranks) address(i int) acp.TableAddress {
	return acp.TableAddress{GA: acp.GA(*r.word(i)), Ranks: *r.word(i + 1), Slots: *r.word(i + 2)}
}

// step does one operation on a key of the map or of the set.
func (r *ranks) step() error {
	i, which := r.rnd.IntN(keys), r.rnd.IntN(2)
	key, change, done := uint64(i)*0x9e3779b97f4a7c15+1, int64(1), false
	var err error
	switch 2*r.rnd.IntN(3) + which {
	case 0:
		done, err = r.m.Insert(key, ^key)
	case 1:
		done, err = r.s.Insert(key)
	case 2:
		change = -1
		done, err = r.m.Remove(key)
	case 3:
		change = -1
		done, err = r.s.Remove(key)
	case 4:
		var value uint64
		var found bool
		if value, found, err = r.m.Load(key); found && value != ^key {
			err = fmt.Errorf("key %#x has the value %#x", key, value)
		}
	case 5:
		_, err = r.s.Contains(key)
	}
	if done {
		r.balance[which*keys+i] += change
	}
	return err
}

func (r *ranks) fight(steps int, sleeper bool) error {
	last := acp.Rank(r.p.Procs() - 1)
	if sleeper && r.p.Rank() == last {
		for atomic.LoadUint64(r.word(flagWord)) != uint64(last) {
			time.Sleep(time.Millisecond)
		}
		steps = 0
	}
	for range steps {
		if err := r.step(); err != nil {
			return err
		}
	}
	if err := r.publish(); err != nil {
		return err
	}
	if sleeper && r.p.Rank() != last {
		h, err := r.p.Add8(r.at(r.p.Rank(), readWord), r.at(last, flagWord), 1, acp.HandleNull)
		if err == nil {
			err = r.p.Complete(h)
		}
		if err != nil {
			return err
		}
	}
	if err := r.p.Sync(); err != nil {
		return err
	}
	if r.p.Rank() == 0 {
		if err := r.check(); err != nil {
			return err
		}
	}
	return r.p.Sync()
}

// publish puts the balance of this rank into memory of rank 0.
func (r *ranks) publish() error {
	for i, n := range r.balance {
		*r.word(balances + i) = uint64(n)
	}
	all := acp.GA(*r.word(balanceWord))
	return r.copy(all+acp.GA(int(r.p.Rank())*2*keys*8), r.at(r.p.Rank(), balances), 2*keys*8)
}

// check compares the structures with what all ranks have published.
func (r *ranks) check() error {
	at, err := r.p.QueryAddress(acp.GA(*r.word(balanceWord)))
	if err != nil {
		return err
	}
	published := unsafe.Slice((*byte)(at), r.p.Procs()*2*keys*8)
	want := [2]int{}
	for i := range 2 * keys {
		sum := int64(0)
		for n := range r.p.Procs() {
			sum += int64(binary.NativeEndian.Uint64(published[8*(n*2*keys+i):]))
		}
		key := uint64(i%keys)*0x9e3779b97f4a7c15 + 1
		has, err := r.m.Contains(key)
		if i >= keys {
			has, err = r.s.Contains(key)
		}
		if err != nil || sum != 0 && sum != 1 || has != (sum == 1) {
			return fmt.Errorf("key %#x: there %v, the ranks say %d times, %w", key, has, sum, err)
		}
		want[i/keys] += int(sum)
	}
	inMap, err1 := r.m.Len()
	inSet, err2 := r.s.Len()
	seen := 0
	for key, value := range r.m.All() {
		if value != ^key {
			return fmt.Errorf("key %#x has the value %#x", key, value)
		}
		seen++
	}
	if err := errors.Join(err1, err2, r.m.Err()); err != nil || inMap != want[0] || inSet != want[1] || seen != want[0] {
		return fmt.Errorf("%d and %d elements, %d seen, expected %d and %d: %w", inMap, inSet, seen, want[0], want[1], err)
	}
	fmt.Printf("%d pairs and %d keys, as the ranks say\n", inMap, inSet)
	return errors.Join(r.m.Destroy(), r.s.Destroy())
}

// hold lets rank 1 take the lock of every slot of the map's first table.
func (r *ranks) hold() error {
	if r.p.Rank() == 1 {
		if err := r.takeLocks(); err != nil {
			return err
		}
	}
	if err := r.p.Sync(); err != nil {
		return err
	}
	fmt.Printf("rank %d pid %d\n", r.p.Rank(), os.Getpid())
	if r.p.Rank() == 1 {
		select {}
	}
	for key := uint64(0); ; key++ { // soon one of the first table
		if _, err := r.m.Insert(key, key); err != nil {
			return err
		}
	}
}

func (r *ranks) takeLocks() error {
	own := r.at(1, readWord)
	if err := r.copy(own, acp.GA(*r.word(mapWord)), 8); err != nil {
		return err
	}
	table := acp.GA(*r.word(readWord))
	for slot := range acp.GA(*r.word(mapWord + 2)) {
		h, err := r.p.Cas8(own, table+32*slot, 0, 1, acp.HandleNull)
		if err == nil {
			err = r.p.Complete(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
