package message_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
	"github.com/goacp/goacp/internal/structure/reduction"
)

// forEachTeam runs f as a subtest for each way, in a run of n processes that are all a team, in an
// order of their own. team returns it for a member.
func forEachTeam(t *testing.T, n int, f func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team)) {
	messagetest.ForEachWay(t, n, func(t *testing.T, w *messagetest.Run) {
		members := rand.Perm(n)
		f(t, w, func(member int) *message.Team {
			team := &message.Team{Label: message.Label{World: 7, Group: 3, Use: message.All}, Members: members, Near: true}
			for rank, m := range members {
				if m == member {
					team.Rank = rank
				}
			}
			return team
		})
	})
}

// teamSizes are numbers of processes in teams.
var teamSizes = []int{1, 2, 3, 4, 7}

// forEachSize is forEachTeam for several sizes.
func forEachSize(t *testing.T, f func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team)) {
	for _, n := range teamSizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) { forEachTeam(t, n, f) })
	}
}

// TestBarrier: no process leaves a barrier before all have come.
func TestBarrier(t *testing.T) {
	const turns = 20
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		var come atomic.Int64
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			for turn := 1; turn <= turns; turn++ {
				come.Add(1)
				if err := h.Barrier(tm); err != nil {
					return err
				}
				if n := come.Load(); n < int64(turn*len(tm.Members)) {
					return fmt.Errorf("%d of %d have come to barrier %d", n, turn*len(tm.Members), turn)
				}
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// TestBroadcast sends messages of all sizes from every rank.
func TestBroadcast(t *testing.T) {
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			for root := range len(tm.Members) {
				for i, size := range sizes {
					b := make([]byte, size+1)
					if tm.Rank == root {
						copy(b, contents()[root+i:root+i+size])
					}
					if err := h.Broadcast(tm, b[:size], root); err != nil {
						return err
					}
					if want := append(bytes.Clone(contents()[root+i:root+i+size]), 0); !bytes.Equal(b, want) {
						return fmt.Errorf("rank %d: %d bytes from rank %d are not as they were sent", tm.Rank, size, root)
					}
				}
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// TestGather gathers blocks of several sizes.
func TestGather(t *testing.T) {
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		block := func(rank, size int) []byte { return contents()[rank*11 : rank*11+size] }
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			for _, size := range []int{0, 1, 8, 1000, message.EagerMax + 8, message.Buffered + 8} {
				all, err := h.Gather(tm, bytes.Clone(block(tm.Rank, size)))
				if err != nil {
					return err
				}
				var want []byte
				for rank := range len(tm.Members) {
					want = append(want, block(rank, size)...)
				}
				if !bytes.Equal(all, want) {
					return fmt.Errorf("rank %d: blocks of %d bytes are not as they were sent", tm.Rank, size)
				}
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// lengths are numbers of elements in reductions.
var lengths = []int{0, 1, 3, 1000, message.ReducePiece/8 - 1, message.ReducePiece/8 + 1, message.ReduceWindow*message.ReducePiece/8 + 5}

// TestReduceModel reduces random arrays of all types by all operators. The results of all ranks have
// the bits of a serial reduction in rank order.
func TestReduceModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			for typ := reduction.Int; typ <= reduction.Double; typ++ {
				for op := reduction.Sum; op <= reduction.BitOr; op++ {
					f, err := reduction.For(op, typ)
					if err != nil {
						continue
					}
					n := lengths[(int(op)+int(typ))%len(lengths)]
					if err := reduceOnce(h, tm, f, typ, n, seed); err != nil {
						return fmt.Errorf("%v of %d elements of type %d: %w", op, n, typ, err)
					}
				}
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// reduceOnce compares one reduction with the serial one.
func reduceOnce(h *message.Engine, tm *message.Team, f reduction.Functions, typ reduction.Type, n int, seed uint64) error {
	arrays := make([][]byte, len(tm.Members))
	for rank := range arrays {
		arrays[rank] = array(rand.New(rand.NewPCG(seed, uint64(rank))), typ, n)
	}
	got := append(bytes.Clone(arrays[tm.Rank]), 0xee)
	if err := h.Reduce(tm, got[:len(got)-1], f); err != nil {
		return err
	}
	if want := append(serial(arrays, f), 0xee); !bytes.Equal(got, want) {
		return fmt.Errorf("rank %d: the result is not that of the serial reduction", tm.Rank)
	}
	return nil
}

// array returns n random numbers, of which sums and products of different order differ.
func array(rnd *rand.Rand, typ reduction.Type, n int) []byte {
	b := make([]byte, 0, n*typ.Size())
	for range n {
		switch typ {
		case reduction.Float:
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(rnd.Float32()*1e6-5e5))
		case reduction.Double:
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(rnd.NormFloat64()))
		case reduction.Int:
			b = binary.NativeEndian.AppendUint32(b, rnd.Uint32())
		default:
			b = binary.NativeEndian.AppendUint64(b, rnd.Uint64())
		}
	}
	return b
}

// serial joins neighbours until one array is left.
func serial(arrays [][]byte, f reduction.Functions) []byte {
	var list [][]byte
	for _, a := range arrays {
		a = bytes.Clone(a)
		if f.Prepare != nil {
			f.Prepare(a)
		}
		list = append(list, a)
	}
	for len(list) > 1 {
		var joined [][]byte
		for i := 0; i < len(list); i += 2 {
			if i+1 < len(list) {
				f.Combine(list[i], list[i], list[i+1])
			}
			joined = append(joined, list[i])
		}
		list = joined
	}
	return list[0]
}

// TestExchanges: in the steps of any number of ranks, each message that is sent is received, and
// every rank gets the numbers of all ranks once each, in their order.
func TestExchanges(t *testing.T) {
	for size := 1; size <= 70; size++ {
		steps := make([][]message.Step, size)
		have := make([]string, size)
		for rank := range steps {
			steps[rank] = message.Exchanges(size, rank)
			have[rank] = string(rune('0' + rank))
		}
		next := make([]int, size)
		for playRound(steps, have, next) {
		}
		want := ""
		for rank := range size {
			want += string(rune('0' + rank))
		}
		for rank, h := range have {
			if h != want || next[rank] != len(steps[rank]) {
				t.Fatalf("size %d: rank %d has %q after step %d of %d", size, rank, h, next[rank], len(steps[rank]))
			}
		}
	}
}

// playRound lets each rank whose partner is as far as itself take a step, and reports whether any
// did. The length of what a rank has tells how far it is.
func playRound(steps [][]message.Step, have []string, next []int) bool {
	before, moved := slices.Clone(have), false
	for rank := range steps {
		if next[rank] == len(steps[rank]) {
			continue
		}
		s := steps[rank][next[rank]]
		sender := steps[s.From][next[s.From]:]
		if len(sender) == 0 || !slices.Contains(sender[0].To, rank) {
			continue
		}
		if s.Left {
			have[rank] = before[rank] + before[s.From]
		} else {
			have[rank] = before[s.From] + before[rank]
		}
		moved = true
		defer func() { next[rank]++ }()
	}
	return moved
}

// TestSelect: the bytes of the best go to all; of equal ones the lowest rank wins; processes that
// take no part are not chosen.
func TestSelect(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			rnd := rand.New(rand.NewPCG(seed, 3)) // the same on all
			for turn := range 30 {
				keys, takes, want := make([]int64, len(tm.Members)), make([]bool, len(tm.Members)), -1
				for rank := range keys {
					keys[rank], takes[rank] = rnd.Int64N(4)-2, rnd.IntN(3) > 0
					if takes[rank] && (want < 0 || keys[rank] > keys[want]) {
						want = rank
					}
				}
				b := []byte{byte(tm.Rank), byte(turn), 1}
				c := message.Candidate{Type: reduction.Long, Best: reduction.Max, Takes: takes[tm.Rank]}
				binary.NativeEndian.PutUint64(c.Key[:], uint64(keys[tm.Rank]))
				got, err := h.Select(tm, b, c)
				if err != nil {
					return err
				}
				winner := want
				if want < 0 {
					winner = tm.Rank
				}
				if got != want || !bytes.Equal(b, []byte{byte(winner), byte(turn), 1}) {
					return fmt.Errorf("turn %d: rank %d won, want %d; bytes %d", turn, got, want, b)
				}
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// TestSelectDisagree: if one process selects by something else, all learn of it, and the data stay.
func TestSelectDisagree(t *testing.T) {
	forEachSize(t, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		w.Together(t, func(h *message.Engine, self int) error {
			tm := team(self)
			for turn, odd := range []message.Candidate{
				{Type: reduction.Int, Best: reduction.Max, Takes: true}, {Type: reduction.Long, Best: reduction.Min},
				{Type: reduction.LongLong, Best: reduction.Max}, // the same in another name
			} {
				c := message.Candidate{Type: reduction.Long, Best: reduction.Max, Takes: true}
				if tm.Rank == len(tm.Members)/2 {
					c = odd
				}
				b := []byte{byte(tm.Rank)}
				_, err := h.Select(tm, b, c)
				if agree := turn == 2 || len(tm.Members) == 1; agree != (err == nil) || !agree && (!errors.Is(err, message.ErrSelection) || b[0] != byte(tm.Rank)) {
					return fmt.Errorf("turn %d: %d, %w", turn, b, err)
				}
			}
			_, err := h.Select(tm, nil, message.Candidate{Type: reduction.Long, Best: reduction.Sum})
			if _, other := h.Select(tm, nil, message.Candidate{Type: 9, Best: reduction.Max}); !errors.Is(err, reduction.ErrOperator) || !errors.Is(other, reduction.ErrOperator) {
				return fmt.Errorf("a selection by a sum: %w; of no type: %w", err, other)
			}
			return nil
		})
		checkEmpty(t, w)
	})
}

// TestAllocations: neither a barrier nor a reduction allocates memory of Go.
func TestAllocations(t *testing.T) {
	const runs = 200
	cfg := messagetest.Spinning.Config
	cfg.Size = 2
	w := messagetest.Open(t, cfg)
	f, err := reduction.For(reduction.Sum, reduction.Double)
	if err != nil {
		t.Fatal(err)
	}
	both := func(rank int) func() {
		tm, x := &message.Team{Members: []int{0, 1}, Rank: rank, Near: true}, make([]byte, message.ReducePiece)
		return func() {
			if err := errors.Join(w.Engines[rank].Barrier(tm), w.Engines[rank].Reduce(tm, x, f)); err != nil {
				t.Error(err)
			}
		}
	}
	var other sync.WaitGroup
	other.Go(func() {
		call := both(1)
		for range runs + 2 {
			call()
		}
	})
	call := both(0)
	call() // makes the rings
	if n := testing.AllocsPerRun(runs, call); n >= 1 {
		t.Errorf("%v allocations for each barrier and reduction", n)
	}
	other.Wait()
}

// TestUnequal: processes that bring different amounts of data find out.
func TestUnequal(t *testing.T) {
	forEachTeam(t, 2, func(t *testing.T, w *messagetest.Run, team func(member int) *message.Team) {
		f, err := reduction.For(reduction.Sum, reduction.Long)
		if err != nil {
			t.Fatal(err)
		}
		w.Together(t, func(h *message.Engine, self int) error {
			if err := h.Reduce(team(self), make([]byte, 8+8*self), f); !errors.Is(err, message.ErrUnequal) {
				return fmt.Errorf("a reduction: %v", err)
			}
			return nil
		})
	})
}

// TestEndOfCollectives: the end of the run ends each collective function for which a process is
// missing.
func TestEndOfCollectives(t *testing.T) {
	over := errors.New("the run is over")
	f, err := reduction.For(reduction.Sum, reduction.Long)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]func(h *message.Engine, tm *message.Team) error{
		"barrier": func(h *message.Engine, tm *message.Team) error { return h.Barrier(tm) },
		"broadcast": func(h *message.Engine, tm *message.Team) error {
			return h.Broadcast(tm, make([]byte, message.Buffered+1), 2)
		},
		"reduction": func(h *message.Engine, tm *message.Team) error { return h.Reduce(tm, make([]byte, 8), f) },
		"gathering": func(h *message.Engine, tm *message.Team) error { _, err := h.Gather(tm, make([]byte, 8)); return err },
	}
	for name, call := range functions {
		t.Run(name, func(t *testing.T) {
			messagetest.ForEachWay(t, 3, func(t *testing.T, w *messagetest.Run) {
				errs := make(chan error, 2)
				for rank := range 2 {
					go func() { errs <- call(w.Engines[rank], &message.Team{Members: []int{0, 1, 2}, Rank: rank}) }()
				}
				for rank := range 2 {
					w.Engines[rank].AwaitCalls(1)
				}
				w.Lose(over)
				for range cap(errs) {
					if err := <-errs; !errors.Is(err, over) {
						t.Errorf("a wait ended with %v", err)
					}
				}
			})
		})
	}
}

// TestTree: the binary tree has each rank once, and its ranks agree on it.
func TestTree(t *testing.T) {
	for size := 1; size < 40; size++ {
		parents := 0
		for rank := range size {
			up, left, right := message.BinaryTree(size, rank)
			if up < 0 {
				parents++
			}
			for _, child := range []int{left, right} {
				if child < 0 {
					continue
				}
				if above, _, _ := message.BinaryTree(size, child); above != rank || child >= size {
					t.Errorf("size %d: %d is below %d, which is below %d", size, child, rank, above)
				}
			}
		}
		if up, _, _ := message.BinaryTree(size, 0); parents != 1 || up != -1 {
			t.Errorf("size %d: %d roots", size, parents)
		}
	}
}

func BenchmarkBarrier(b *testing.B) {
	benchmark(b, 2, func(h *message.Engine, tm *message.Team) error { return h.Barrier(tm) })
}

func BenchmarkReduce(b *testing.B) {
	f, err := reduction.For(reduction.Sum, reduction.Double)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 1000, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var arrays [2][]byte
			for i := range arrays {
				arrays[i] = make([]byte, 8*n)
			}
			b.SetBytes(int64(8 * n))
			benchmark(b, 2, func(h *message.Engine, tm *message.Team) error { return h.Reduce(tm, arrays[tm.Rank], f) })
		})
	}
}

// benchmark measures a collective function of n processes that spin.
func benchmark(b *testing.B, n int, call func(h *message.Engine, tm *message.Team) error) {
	cfg := messagetest.Spinning.Config
	cfg.Size = n
	w := messagetest.Open(b, cfg)
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	b.ReportAllocs()
	b.ResetTimer()
	errs := make(chan error, n)
	for rank, h := range w.Engines {
		go func() {
			tm := &message.Team{Members: members, Rank: rank}
			for range b.N {
				if err := call(h, tm); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
}
