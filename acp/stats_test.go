package acp_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// ledger holds the transfers that a rank of a test has made.
type ledger map[acp.Transfers]acp.Transfers

func (l ledger) add(rank acp.Rank, kind, path string, operations int, bytes uint64) {
	key := acp.Transfers{Rank: rank, Kind: kind, Path: path}
	x := l[key]
	x.Operations += uint64(operations)
	x.Bytes += bytes
	l[key] = x
}

// check compares the ledger with what the library has counted.
func (l ledger) check(p *acp.Process) error {
	want := []acp.Transfers{}
	for key, x := range l {
		key.Operations, key.Bytes = x.Operations, x.Bytes
		want = append(want, key)
	}
	got := p.Stats()
	order := func(a, b acp.Transfers) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		return fmt.Errorf("counted %v, expected %v", got, want)
	}
	return nil
}

// pathTo returns the path to memory of a rank.
func pathTo(p *acp.Process, mode bridge.Mode, rank acp.Rank) string {
	if mode == bridge.ModeTCP && rank != p.Rank() {
		return "tcp"
	}
	return "shm"
}

// TestStats: the library counts the transfers that the program has made.
func TestStats(t *testing.T) {
	forEachMode(t, []int{1, 2, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		run(t, n, acp.Config{Mode: mode, Stats: true}, func(p *member) error {
			l, rnd := ledger{}, rand.New(rand.NewPCG(seed, uint64(p.Rank())))
			for _, step := range []func(*member, bridge.Mode, ledger, *rand.Rand) error{copyAtRandom, sendAround, useStructures} {
				if err := step(p, mode, l, rnd); err != nil {
					return err
				}
				if err := l.check(p.Process); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// copyAtRandom issues copies and atomics between starter memory, the heap and registered memory.
func copyAtRandom(p *member, mode bridge.Mode, l ledger, rnd *rand.Rand) error {
	registered := make([]byte, 4096)
	key, err := p.Register(registered, 0)
	if err != nil {
		return err
	}
	own, err := p.QueryGA(key, unsafe.Pointer(&registered[0]))
	if err != nil {
		return err
	}
	for range 400 {
		a, b := acp.Rank(rnd.IntN(p.Procs())), acp.Rank(rnd.IntN(p.Procs()))
		dst, src := starterOf(a)+acp.GA(8*rnd.IntN(64)), starterOf(b)+acp.GA(8*rnd.IntN(64))
		word := src
		if rnd.IntN(4) == 0 {
			src, word, b = own, own+2048, p.Rank() // atomics have a word of their own, since they are not ordered with copies
		}
		order := acp.HandleNull
		if rnd.IntN(2) == 0 {
			order = acp.HandleAll
		}
		size := []uint64{0, 1, 4, 8, 8, 100, 512}[rnd.IntN(7)]
		var h acp.Handle
		switch self := p.Rank(); {
		case rnd.IntN(3) == 0:
			h, err = p.Add8(starterOf(self)+1024, word, 1, order)
			l.add(b, "atomic", pathTo(p.Process, mode, b), 1, 8)
		case b == self:
			h, err = p.Copy(dst, src, size, order)
			l.add(a, "put", pathTo(p.Process, mode, a), 1, size)
		case a == self:
			h, err = p.Copy(dst, src, size, order)
			l.add(b, "get", pathTo(p.Process, mode, b), 1, size)
		default:
			h, err = p.Copy(dst, src, size, order)
			l.add(a, "copy", pathTo(p.Process, mode, a), 1, size)
		}
		if err == nil && rnd.IntN(8) == 0 {
			err = p.Complete(h)
		}
		if err != nil {
			return err
		}
	}
	return p.Complete(acp.HandleAll)
}

// sendAround sends messages around the ranks, short ones and long ones.
func sendAround(p *member, mode bridge.Mode, l ledger, _ *rand.Rand) error {
	if p.Procs() == 1 {
		return nil
	}
	next := acp.Rank((int(p.Rank()) + 1) % p.Procs())
	last := acp.Rank((int(p.Rank()) + p.Procs() - 1) % p.Procs())
	out, err := p.NewChannel(p.Rank(), next, acp.ChannelOptions{})
	if err != nil {
		return err
	}
	in, err := p.NewChannel(last, p.Rank(), acp.ChannelOptions{})
	if err != nil {
		return err
	}
	sizes := []int{0, 1, 8, 1000, 100_000}
	for range 20 {
		for _, size := range sizes {
			sent, err := out.Send(make([]byte, size))
			if err != nil {
				return err
			}
			received, err := in.Recv(make([]byte, size))
			if err != nil {
				return err
			}
			if _, err := received.Wait(); err != nil {
				return err
			}
			if _, err := sent.Wait(); err != nil {
				return err
			}
			l.add(next, "message", pathTo(p.Process, mode, next), 1, uint64(size))
		}
	}
	return nil
}

// useStructures carries out operations on structures of all ranks.
func useStructures(p *member, mode bridge.Mode, l ledger, _ *rand.Rand) error {
	for rank := range acp.Rank(p.Procs()) {
		path := pathTo(p.Process, mode, rank)
		v, err := p.NewByteVector(64, rank)
		if err != nil {
			return err
		}
		l.add(rank, "structure", path, 1, 0)
		if err := v.PushBack(acp.Element{GA: starterOf(p.Rank()), Size: 24}); err != nil {
			return err
		}
		l.add(rank, "structure", path, 1, 24)
		if _, err := v.Len(); err != nil {
			return err
		}
		l.add(rank, "structure", path, 1, 0)
	}
	return nil
}

// TestStatsOff: a rank that does not count has no numbers.
func TestStatsOff(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		if list := p.Stats(); list != nil {
			return fmt.Errorf("counted %v", list)
		}
		return nil
	})
}

// TestStatsAfterReset: transfers are those with the same process, whatever its rank is.
func TestStatsAfterReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, Stats: true}, func(p *member) error {
			l, old := ledger{}, p.Rank()
			put := func(to acp.Rank) error {
				h, err := p.Copy(starterOf(to), starterOf(p.Rank())+64, 8, acp.HandleNull)
				if err != nil {
					return err
				}
				return p.Complete(h)
			}
			if err := put((old + 1) % 3); err != nil {
				return err
			}
			if err := p.Reset((old + 1) % 3); err != nil {
				return err
			}
			// The process with rank old+1 has rank old+2 now. It is still the same process.
			if err := put((old + 2) % 3); err != nil {
				return err
			}
			l.add((old+2)%3, "put", pathTo(p.Process, mode, (old+2)%3), 2, 16)
			return l.check(p.Process)
		})
	})
}

// TestStatsFromEnv: the variable of the launchers.
func TestStatsFromEnv(t *testing.T) {
	for value, want := range map[string]bool{"": false, "no": false, "yes": true, "1": true} {
		cfg, err := acp.ConfigFromEnv(func(name string) string {
			return map[string]string{acp.EnvStats: value}[name]
		})
		if err != nil || cfg.Stats != want {
			t.Errorf("%s=%s: %v, %v", acp.EnvStats, value, cfg.Stats, err)
		}
	}
	if _, err := acp.ConfigFromEnv(func(name string) string {
		return map[string]string{acp.EnvStats: "x"}[name]
	}); err == nil {
		t.Error("x is right")
	}
}
