// Ep is examples/dmi/ep_dmi.c in Go: the kernel EP of the NAS Parallel Benchmarks. 2^M pairs of random numbers become pairs of Gaussian
// deviates, which are added and counted by squares.
//
//	dmimw -n 2 ./ep 2 2 24
//
// NODES THREADS M. The sums for M = 24, 25 and 28 are known and checked.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/goacp/goacp/dmi"
)

const (
	block  = 16         // 2^16 pairs are made at a time
	factor = 1220703125 // 5^13
	seed   = 271828183
)

// shared is what all threads use. It lies in global memory.
type shared struct {
	M          int64
	Next, Sums dmi.Addr
}

type sums struct {
	X, Y   float64
	Counts [10]int64
}

// add is the operation that adds the sums of a thread.
const add = 1

var known = map[int64][2]float64{
	24: {-3.247834652034740e+3, -6.958407078382297e+3}, 25: {-2.863319731645753e+3, -6.320053679109499e+3},
	28: {-4.295875165629892e+3, -1.580732573678431e+4},
}

func main() {
	dmi.Main(dmi.Program{Main: start, Unit: compute, Atomics: map[int8]dmi.AtomicFunc{add: addSums}})
}

func start(n *dmi.Node, args []string) error {
	var numbers [3]int
	if len(args) != len(numbers) {
		return errors.New("expected NODES THREADS M")
	}
	for i, arg := range args {
		var err error
		if numbers[i], err = strconv.Atoi(arg); err != nil {
			return err
		}
	}
	s := shared{M: int64(numbers[2])}
	if s.M < block || s.M > 40 {
		return fmt.Errorf("wrong M %d: expected %d to 40", s.M, block)
	}
	at, err := n.Map(dmi.Size[shared](), 1)
	if err != nil {
		return err
	}
	if s.Next, err = n.Map(8, 1); err != nil {
		return err
	}
	if s.Sums, err = n.Map(dmi.Size[sums](), 1); err != nil {
		return err
	}
	if err := errors.Join(dmi.Store(n, at, s, dmi.Exclusive), n.Rescale(context.Background(), at, numbers[0], numbers[1])); err != nil {
		return err
	}
	all, err := dmi.Load[sums](n, s.Sums, dmi.Get)
	if err != nil {
		return err
	}
	pairs := int64(0)
	for _, count := range all.Counts {
		pairs += count
	}
	fmt.Printf("2^%d pairs: sums %.15e %.15e, %d Gaussian pairs\n", s.M, all.X, all.Y, pairs)
	if want, ok := known[s.M]; ok {
		if math.Abs((all.X-want[0])/want[0]) > 1e-8 || math.Abs((all.Y-want[1])/want[1]) > 1e-8 {
			return fmt.Errorf("the sums are wrong, expected %.15e %.15e", want[0], want[1])
		}
		fmt.Println("the sums are right")
	}
	return errors.Join(n.Unmap(s.Sums), n.Unmap(s.Next), n.Unmap(at))
}

// times returns x * y modulo 2^46, both below 2^46.
func times(x, y uint64) uint64 {
	_, low := bits.Mul64(x, y)
	return low & (1<<46 - 1)
}

// jump returns the state of the generator behind 2 * pairs numbers.
func jump(pairs int64) uint64 {
	state, power := uint64(seed), uint64(factor)
	for n := uint64(pairs) * 2; n != 0; n >>= 1 {
		if n&1 != 0 {
			state = times(state, power)
		}
		power = times(power, power)
	}
	return state
}

// addBlock adds the pairs of a block.
func (s *sums) addBlock(number int64) {
	state := jump(number << block)
	next := func() float64 {
		state = times(state, factor)
		return 2*(float64(state)*0x1p-46) - 1
	}
	for range 1 << block {
		x, y := next(), next()
		t := float64(x*x) + float64(y*y)
		if t > 1 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(t) / t)
		x, y = x*f, y*f
		s.Counts[int(max(math.Abs(x), math.Abs(y)))]++
		s.X, s.Y = s.X+x, s.Y+y
	}
}

// addSums is the operation add: it adds the sums in bytes to those in global memory.
func addSums(page, in, _ []byte) {
	word := binary.NativeEndian
	for i := 0; i < len(page); i += 8 {
		old, more := word.Uint64(page[i:]), word.Uint64(in[i:])
		if i < 16 { // X and Y
			old = math.Float64bits(math.Float64frombits(old) + math.Float64frombits(more))
		} else {
			old += more
		}
		word.PutUint64(page[i:], old)
	}
}

// compute is one thread.
func compute(t *dmi.Thread, _, _ int, at dmi.Addr) error {
	s, err := dmi.Load[shared](t.Node, at, dmi.Get)
	if err != nil {
		return err
	}
	var mine sums
	for {
		number, err := t.FetchAdd(s.Next, 1, dmi.Put)
		if err != nil {
			return err
		}
		if number >= 1<<(s.M-block) {
			break
		}
		mine.addBlock(number)
	}
	in, err := binary.Append(nil, binary.NativeEndian, mine)
	if err != nil {
		return err
	}
	_, err = t.Atomic(s.Sums, dmi.Size[sums](), add, in, 0, dmi.Put)
	return err
}
