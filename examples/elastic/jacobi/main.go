// Jacobi computes the program of jacobi.c: Jacobi's method on a square, with processes that join and leave.
//
//	acpgo build ./examples/elastic/jacobi
//	acprun -max 6 -np 2 ./jacobi 300 100:6 200:3
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

const (
	width = 256
	row   = 8 * width // bytes
	look  = 10        // every look steps rank 0 looks whether the epoch is to change
)

// plan is what rank 0 tells the others, in its starter memory.
type plan struct {
	square acp.GA // width rows of width numbers, in the heap of rank 0
	step   int64  // from which the epoch computes
	change int64  // 1: the epoch changes
	rows   acp.GA // in each rank: its two copies of its rows, with a row above and below
}

// solver is the part of one rank.
type solver struct {
	*acp.Process
	plans       *[3]plan // in the starter memory of this rank: its own, and those of the ranks above and below
	steps       int64
	wishes      map[int64]int // ranks from a step on
	ranks       []acp.Rank    // of the epoch
	self        int           // this one among them
	first, rows int           // of this rank
}

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	steps, wishes, err := parse(args)
	if err != nil {
		return err
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		return err
	}
	s := &solver{Process: p, plans: (*[3]plan)(unsafe.Pointer(&p.Starter()[0])), steps: steps, wishes: wishes}
	if err := s.solve(); err != nil {
		p.Abort(err.Error())
		return err
	}
	return p.Finalize()
}

// parse returns the steps, and how many ranks the user wants from a step on.
func parse(args []string) (steps int64, wishes map[int64]int, err error) {
	wishes = map[int64]int{}
	if len(args) == 0 {
		return 300, wishes, nil
	}
	if steps, err = strconv.ParseInt(args[0], 10, 64); err != nil {
		return 0, nil, err
	}
	for _, wish := range args[1:] {
		step, ranks, _ := strings.Cut(wish, ":")
		at, err := strconv.ParseInt(step, 10, 64)
		if err != nil {
			return 0, nil, err
		}
		if wishes[at], err = strconv.Atoi(ranks); err != nil {
			return 0, nil, err
		}
	}
	return steps, wishes, nil
}

// solve computes all steps, in one epoch after the other.
func (s *solver) solve() error {
	own := &s.plans[0]
	if s.Rank() == 0 {
		if err := s.begin(); err != nil {
			return err
		}
	}
	for {
		if err := s.Sync(); err != nil {
			return err
		}
		if err := s.compute(); err != nil {
			return err
		}
		if own.step == s.steps {
			break
		}
		asked, err := s.Asked(s.Rank())
		if err != nil {
			return err
		}
		if _, err := s.Adopt(!asked); err != nil || asked {
			return err
		}
	}
	if s.Rank() == 0 {
		square, err := s.numbers(own.square, width*width)
		if err != nil {
			return err
		}
		hash := fnv.New64a()
		for _, x := range square {
			_ = binary.Write(hash, binary.LittleEndian, math.Float64bits(x))
		}
		fmt.Printf("result %016x\n", hash.Sum64())
	}
	return nil
}

// begin makes the square, as rank 0.
func (s *solver) begin() (err error) {
	if s.plans[0].square, err = s.Malloc(row*width, 0); err != nil {
		return err
	}
	square, err := s.numbers(s.plans[0].square, width*width)
	for i := range square {
		switch {
		case i < width:
			square[i] = 100
		case i%width == 0:
			square[i] = 50
		default:
			square[i] = 0
		}
	}
	return err
}

// numbers returns n numbers in the memory of this rank.
func (s *solver) numbers(at acp.GA, n int) ([]float64, error) {
	p, err := s.QueryAddress(at)
	return unsafe.Slice((*float64)(p), n), err
}

// copied copies bytes. The copies are complete after meet.
func (s *solver) copied(to, from acp.GA, n int) error {
	_, err := s.Copy(to, from, uint64(n), acp.HandleNull)
	return err
}

// meet completes copies and waits for the other ranks.
func (s *solver) meet() error {
	if err := s.Complete(acp.HandleAll); err != nil {
		return err
	}
	return s.Sync()
}

// fetch copies a part of the plan of another rank into a plan of this one, from one offset to another.
func (s *solver) fetch(to int, rank acp.Rank, from, end uintptr) error {
	mine, err := s.StarterGA(s.Rank())
	if err != nil {
		return err
	}
	theirs, err := s.StarterGA(rank)
	if err != nil {
		return err
	}
	return s.copied(mine+acp.GA(uintptr(to)*unsafe.Sizeof(plan{})+from), theirs+acp.GA(from), int(end-from))
}

// divide divides the rows over the ranks of the epoch.
func (s *solver) divide() {
	s.ranks = s.Epoch().Ranks
	s.self = slices.Index(s.ranks, s.Rank())
	s.first, s.rows = s.part(s.self)
}

// part returns the rows of a rank.
func (s *solver) part(i int) (first, rows int) {
	first = width * i / len(s.ranks)
	return first, width*(i+1)/len(s.ranks) - first
}

// compute computes until the epoch is to change, or the last step is done.
func (s *solver) compute() error {
	s.divide()
	half := row * (s.rows + 2)
	mine, err := s.Malloc(uint64(2*half), s.Rank())
	if err != nil {
		return err
	}
	memory, err := s.numbers(mine, 2*half/8)
	if err != nil {
		return err
	}
	clear(memory)
	own := &s.plans[0]
	if err := s.fetch(0, 0, 0, unsafe.Offsetof(own.rows)); err != nil {
		return err
	}
	if err := s.Complete(acp.HandleAll); err != nil {
		return err
	}
	own.rows = mine
	if err := s.neighbours(); err != nil {
		return err
	}
	square := own.square + acp.GA(row*s.first)
	if err := s.copied(mine+row, square, row*s.rows); err != nil {
		return err
	}
	if err := s.meet(); err != nil {
		return err
	}
	copy(memory[half/8:], memory[:half/8])
	if s.Rank() == 0 {
		fmt.Printf("step %d: %d ranks\n", own.step, len(s.ranks))
	}
	now := 0
	if err := s.show(mine, 0); err != nil { // the rows of the neighbours before the first step
		return err
	}
	at := own.step
	for own.change = 0; own.change == 0; {
		s.step(memory[now*half/8:][:half/8], memory[(1-now)*half/8:][:half/8])
		now = 1 - now
		if err := s.show(mine, now); err != nil {
			return err
		}
		if at++; at%look != 0 && at != s.steps {
			continue
		}
		if err := s.decide(at); err != nil {
			return err
		}
	}
	own.step = at
	if err := s.copied(square, mine+acp.GA(now*half+row), row*s.rows); err != nil {
		return err
	}
	if err := s.meet(); err != nil {
		return err
	}
	return s.Free(mine)
}

// neighbours receives the plans of the ranks above and below.
func (s *solver) neighbours() error {
	if err := s.Sync(); err != nil {
		return err
	}
	for k, i := range []int{s.self - 1, s.self + 1} {
		if i < 0 || i == len(s.ranks) {
			continue
		}
		if err := s.fetch(1+k, s.ranks[i], 0, unsafe.Sizeof(plan{})); err != nil {
			return err
		}
	}
	return nil
}

// step computes the rows of next from those of now.
func (s *solver) step(now, next []float64) {
	for i := 1; i <= s.rows; i++ {
		if at := s.first + i - 1; at == 0 || at == width-1 {
			copy(next[i*width:][:width], now[i*width:])
			continue
		}
		above, here, below := now[(i-1)*width:], now[i*width:], now[(i+1)*width:]
		for k := 1; k < width-1; k++ {
			next[i*width+k] = 0.25 * (above[k] + below[k] + here[k-1] + here[k+1])
		}
	}
}

// show writes the outer rows of one of the two copies to the ranks above and below, and waits for theirs.
func (s *solver) show(mine acp.GA, which int) error {
	half := row * (s.rows + 2)
	mine += acp.GA(which * half)
	if s.self > 0 {
		_, rows := s.part(s.self - 1)
		theirs := s.plans[1].rows + acp.GA(which*row*(rows+2))
		if err := s.copied(theirs+acp.GA(row*(rows+1)), mine+row, row); err != nil {
			return err
		}
	}
	if s.self < len(s.ranks)-1 {
		_, rows := s.part(s.self + 1)
		theirs := s.plans[2].rows + acp.GA(which*row*(rows+2))
		if err := s.copied(theirs, mine+acp.GA(row*s.rows), row); err != nil {
			return err
		}
	}
	return s.meet()
}

// decide lets all ranks know whether the epoch changes, as rank 0 decides.
func (s *solver) decide(at int64) error {
	own := &s.plans[0]
	if s.Rank() == 0 {
		if want := s.wishes[at]; want > 0 {
			if err := s.resize(want); err != nil {
				return err
			}
		}
		waiting, asked, err := s.changes()
		if err != nil {
			return err
		}
		if at == s.steps || waiting+asked > 0 {
			own.change = 1
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	if s.Rank() != 0 {
		if err := s.fetch(0, 0, unsafe.Offsetof(own.change), unsafe.Offsetof(own.rows)); err != nil {
			return err
		}
	}
	return s.meet()
}

// resize asks for processes, or ranks to leave, so that so many ranks take part.
func (s *solver) resize(want int) error {
	for i := len(s.ranks) - 1; i >= want; i-- {
		if err := s.AskLeave(s.ranks[i]); err != nil {
			return err
		}
	}
	missing := want - len(s.ranks)
	if missing <= 0 {
		return nil
	}
	if err := s.AskJoin(missing); err != nil {
		return err
	}
	for seen := int64(-1); ; {
		waiting, _, err := s.changes()
		if err != nil || waiting >= missing {
			return err
		}
		if seen, err = s.AwaitChange(seen); err != nil {
			return err
		}
	}
}

// changes returns how many processes wait, and how many ranks are asked to leave.
func (s *solver) changes() (waiting, asked int, err error) {
	for rank := range acp.Rank(min(s.Seats(), 64)) {
		state, err := s.State(rank)
		if err != nil {
			return 0, 0, err
		}
		leaves, err := s.Asked(rank)
		if err != nil {
			return 0, 0, err
		}
		if state == acp.StateWaiting {
			waiting++
		}
		if state == acp.StatePresent && leaves {
			asked++
		}
	}
	return waiting, asked, nil
}
