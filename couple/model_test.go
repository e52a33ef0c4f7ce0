package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/acptest/race"
)

// share is the share of one rank in a case: its points, and the point at each position of its memory, or -1.
type share struct {
	points couple.Points
	at     []int // of all positions
	sends  []int // as at, without the halo
}

// testCase is one link with its models.
type testCase struct {
	number         int
	senders        []acp.Rank
	receivers      []acp.Rank
	sent, received []share // by index of the rank
	options        [2]couple.Options
	messages       int
	kind, perPoint int
	remote         *atomic.Uint64 // unless nil: steps in which receivers have got values by remote zero copy
	mapped         bool           // receivers have their values in memory that senders map
	hurried        bool           // calls have time limits
}

// plan returns the case with a number, which is the same on all ranks.
func plan(number, ranks int) *testCase {
	r := rand.New(rand.NewPCG(1, uint64(number)))
	c := &testCase{number: number, messages: 1 + r.IntN(5), kind: r.IntN(len(kinds)), perPoint: 1 + r.IntN(3)}
	c.senders, c.receivers = someRanks(r, ranks), someRanks(r, ranks)
	for i := range c.options {
		c.options[i] = couple.Options{Levels: r.IntN(5), Every: r.IntN(4)}
	}
	grid := make([]int, 1+r.IntN(3))
	total := 1
	for d := range grid {
		grid[d] = 1 + r.IntN([]int{60, 12, 6}[len(grid)-1])
		total *= grid[d]
	}
	number1 := numbering(r)
	fortran := r.IntN(2) == 0
	c.sent = divide(r, grid, fortran, total, len(c.senders), number1, false)
	c.received = divide(r, grid, fortran, total, len(c.receivers), number1, true)
	c.mapped, c.hurried = r.IntN(2) == 0, r.IntN(4) == 0
	if r.IntN(12) == 0 {
		c.perPoint *= 1 + r.IntN(200) // so that values may go by zero copy
	}
	return c
}

// name returns the name of the model of a side. Each case has its own names, since ranks that do not take part in a
// case are ahead of other ranks.
func (c *testCase) name(side int) string { return fmt.Sprintf("%c%d", 'a'+side, c.number) }

// someRanks returns some of n ranks, in any order.
func someRanks(r *rand.Rand, n int) (ranks []acp.Rank) {
	for _, rank := range r.Perm(n)[:1+r.IntN(n)] {
		ranks = append(ranks, acp.Rank(rank))
	}
	return ranks
}

// numbering returns the numbers of the points of lists and ranges: their own, or numbers that are far apart.
func numbering(r *rand.Rand) func(x int) int {
	if r.IntN(4) > 0 {
		return func(x int) int { return x }
	}
	factor, first := 1+r.IntN(200000), r.IntN(1<<40)
	return func(x int) int { return first + factor*x }
}

// divide gives the points of a grid to ranks. Each point has one rank, or any number with overlap.
func divide(r *rand.Rand, grid []int, fortran bool, total, ranks int, number func(int) int, overlap bool) []share {
	plain := number(1) == 1 && number(0) == 0
	if plain && r.IntN(2) == 0 {
		return blocks(r, grid, fortran, ranks, overlap)
	}
	owner := make([]int, total)
	cyclic, size := r.IntN(2) == 0, 1+r.IntN(4)
	for x := range owner {
		if owner[x] = r.IntN(ranks); cyclic {
			owner[x] = x / size % ranks
		}
	}
	lists := make([][]int, ranks)
	for x, o := range owner {
		if overlap && r.IntN(5) == 0 {
			continue // no rank wants the point
		}
		lists[o] = append(lists[o], x)
		if other := r.IntN(ranks); overlap && other != o && r.IntN(4) == 0 {
			lists[other] = append(lists[other], x)
		}
	}
	shares := make([]share, ranks)
	for i, list := range lists {
		if r.IntN(2) == 0 {
			r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
		}
		var numbers couple.List
		var ranges couple.Ranges
		for _, x := range list {
			numbers = append(numbers, number(x))
			ranges = append(ranges, couple.Range{First: number(x), N: 1})
		}
		shares[i] = share{numbers, numbers, numbers}
		if r.IntN(2) == 0 {
			shares[i].points = ranges
		}
	}
	return shares
}

// blocks divides a grid along its first dimension.
func blocks(r *rand.Rand, grid []int, fortran bool, ranks int, overlap bool) []share {
	cuts := []int{0, grid[0]}
	for range ranks - 1 {
		cuts = append(cuts, r.IntN(grid[0]+1))
	}
	slices.Sort(cuts)
	shares := make([]share, ranks)
	for i := range shares {
		b := couple.Block{Grid: grid, First: make([]int, len(grid)), Extent: slices.Clone(grid), Fortran: fortran, FillHalo: overlap && r.IntN(2) == 0}
		b.First[0], b.Extent[0] = cuts[i], cuts[i+1]-cuts[i]
		for range grid {
			b.Halo = append(b.Halo, r.IntN(3))
		}
		shares[i] = share{b, positions(b, b.FillHalo), positions(b, false)}
	}
	return shares
}

// positions returns which point lies at each position of the memory of a block, or -1.
func positions(b couple.Block, fill bool) []int {
	n := len(b.Grid)
	memory := 1
	for d := range n {
		memory *= b.Extent[d] + 2*b.Halo[d]
	}
	at := make([]int, memory)
	for pos := range at {
		subscripts, rest := make([]int, n), pos
		for k := range n {
			d := n - 1 - k
			if b.Fortran {
				d = k
			}
			extent := b.Extent[d] + 2*b.Halo[d]
			subscripts[d] = rest%extent - b.Halo[d] + b.First[d]
			rest /= extent
		}
		for k := range n {
			d := k
			if b.Fortran {
				d = n - 1 - k
			}
			x := subscripts[d]
			if x < 0 || x >= b.Grid[d] || !fill && (x < b.First[d] || x >= b.First[d]+b.Extent[d]) {
				at[pos] = -1
				break
			}
			at[pos] = at[pos]*b.Grid[d] + x
		}
	}
	return at
}

// value is the value of a point in a message.
func value[T couple.Value](convert func(int) T, c *testCase, message, point, component int) T {
	return convert(c.number*31 + message*17 + point*7 + component + 1)
}

// side plays the part of one rank on one side of a case.
type side func(ctx context.Context, p *acp.Process, c *testCase, m *couple.Model, index int) error

// kinds are both sides for each type of values.
var kinds = [][2]side{
	sides(func(x int) int8 { return int8(x) }), sides(func(x int) int16 { return int16(x) }),
	sides(func(x int) int32 { return int32(x) }), sides(func(x int) int64 { return int64(x) }),
	sides(func(x int) uint8 { return uint8(x) }), sides(func(x int) uint16 { return uint16(x) }),
	sides(func(x int) uint32 { return uint32(x) }), sides(func(x int) uint64 { return uint64(x) }),
	sides(func(x int) float32 { return float32(x) }), sides(func(x int) float64 { return float64(x) }),
	sides(func(x int) complex64 { return complex(float32(x), 1) }), sides(func(x int) complex128 { return complex(float64(x), -1) }),
}

func sides[T couple.Value](convert func(int) T) [2]side {
	return [2]side{
		func(ctx context.Context, _ *acp.Process, c *testCase, m *couple.Model, index int) error {
			return send(ctx, convert, c, m, index)
		},
		func(ctx context.Context, p *acp.Process, c *testCase, m *couple.Model, index int) error {
			return receive(ctx, p, convert, c, m, index)
		},
	}
}

// every returns the distance of steps with messages.
func every(o couple.Options) int { return max(o.Every, 1) }

func send[T couple.Value](ctx context.Context, convert func(int) T, c *testCase, m *couple.Model, index int) error {
	mine := c.sent[index]
	data := make([]T, len(mine.at)*c.perPoint)
	f, err := couple.NewField(m, "out", data, mine.points, c.perPoint)
	if err != nil {
		return err
	}
	link, err := f.SendTo(ctx, c.name(1)+".in", c.options[0])
	if err != nil {
		return err
	}
	n := every(c.options[0])
	for step := range c.messages * n {
		for i := range data {
			data[i] = convert(-1)
			if x := mine.sends[i/c.perPoint]; x >= 0 && step%n == 0 {
				data[i] = value(convert, c, step/n, x, i%c.perPoint)
			}
		}
		if err := c.hurry(ctx, step, func(ctx context.Context) error { return link.Send(ctx, step) }, nil); err != nil {
			return err
		}
	}
	return link.Close(ctx)
}

// hurry calls with short time limits until one of them suffices, if the case is a hurried one. check is called after each that
// does not, unless it is nil.
func (c *testCase) hurry(ctx context.Context, step int, call func(context.Context) error, check func() error) error {
	for limit := time.Duration(step%7+1) * 10 * time.Microsecond; c.hurried; limit *= 2 {
		short, cancel := context.WithTimeout(ctx, limit)
		err := call(short)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
	}
	return call(ctx)
}

// untouched returns an error if a call that has given up has changed values.
func untouched[T couple.Value](data []T, before T) error {
	for i, x := range data {
		if x != before {
			return fmt.Errorf("position %d has %v after a call that has given up", i, x)
		}
	}
	return nil
}

// memory returns n values, in the heap of the rank if the case has this option.
func memory[T couple.Value](p *acp.Process, c *testCase, n int) (data []T, free func() error, err error) {
	if !c.mapped || n == 0 {
		return make([]T, n), func() error { return nil }, nil
	}
	var x T
	ga, err := p.Malloc(uint64(n)*uint64(unsafe.Sizeof(x)), p.Rank())
	if err != nil {
		return nil, nil, err
	}
	at, err := p.QueryAddress(ga)
	return unsafe.Slice((*T)(at), n), func() error { return p.Free(ga) }, err
}

func receive[T couple.Value](ctx context.Context, p *acp.Process, convert func(int) T, c *testCase, m *couple.Model, index int) error {
	mine := c.received[index]
	data, free, err := memory[T](p, c, len(mine.at)*c.perPoint)
	if err != nil {
		return err
	}
	f, err := couple.NewField(m, "in", data, mine.points, c.perPoint)
	if err != nil {
		return err
	}
	link, err := f.ReceiveFrom(ctx, c.name(0)+".out", c.options[1])
	if err != nil {
		return err
	}
	n := every(c.options[1])
	for step := range c.messages * n {
		if step%n == 0 {
			for i := range data {
				data[i] = convert(-2)
			}
		}
		before := couple.RemoteZeroCopied(link)
		receive := func(ctx context.Context) error { return link.Receive(ctx, step) }
		if err := c.hurry(ctx, step, receive, func() error { return untouched(data, convert(-2)) }); err != nil {
			return err
		}
		if c.remote != nil && couple.RemoteZeroCopied(link) > before {
			c.remote.Add(1)
		}
		for i, got := range data {
			want := convert(-2)
			if x := mine.at[i/c.perPoint]; x >= 0 {
				want = value(convert, c, step/n, x, i%c.perPoint)
			}
			if got != want {
				return fmt.Errorf("case %d, step %d: position %d has %v, want %v", c.number, step, i/c.perPoint, got, want)
			}
		}
	}
	return errors.Join(link.Close(ctx), free())
}

// play plays the parts of one rank in a case.
func play(ctx context.Context, p *acp.Process, c *testCase) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	errs := make([]error, 2)
	for s, ranks := range [][]acp.Rank{c.senders, c.receivers} {
		index := slices.Index(ranks, p.Rank())
		if index < 0 {
			continue
		}
		all.Go(func() {
			m, err := couple.NewModel(p, c.name(s), ranks)
			if err == nil {
				err = kinds[c.kind][s](ctx, p, c, m, index)
			}
			if errs[s] = err; err != nil {
				stop() // the other side may wait for this side
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// numbersOfCases is how many cases a test plays, by number of ranks: 10020 over shared memory, over sockets
// and with both. It plays an eighth of them under the race detector.
var numbersOfCases = map[int]int{1: 1200, 2: 100, 3: 1800, 5: 350, 7: 250, 16: 40}

// atOnce is how many cases a rank plays at the same time. All ranks begin them in the same order, so the earliest case
// that has not ended is played by all of its ranks.
const atOnce = 16

// playAll plays the parts of one rank in many cases.
func playAll(ctx context.Context, p *acp.Process) error {
	all := numbersOfCases[p.Procs()]
	return playSome(ctx, p, race.Cases(all, all/8), func(*testCase) {})
}

// playSome is playAll with another number of cases, each of which is changed before.
func playSome(ctx context.Context, p *acp.Process, cases int, change func(c *testCase)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for number := range cases {
		c := plan(number+10000*p.Procs(), p.Procs())
		change(c)
		if !slices.Contains(slices.Concat(c.senders, c.receivers), p.Rank()) {
			continue
		}
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			if err := play(ctx, p, c); err != nil {
				stop(fmt.Errorf("case %d: %w", c.number, err))
			}
			<-places
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// TestModel opens links between random decompositions of random points over random ranks, and compares the values
// that arrive with the expected values.
func TestModel(t *testing.T) {
	forEach(t, []int{1, 2, 3, 5, 7, 16}, playAll)
}

// TestModelOnHosts is TestModel with ranks that share memory with some of the other ranks.
func TestModelOnHosts(t *testing.T) {
	for _, n := range []int{2, 3, 5, 7, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ctx := t.Context()
			extensiontest.RunOnHosts(t, n, min(n, 3), acp.Config{HeapSize: heapSize}, func(p *acp.Process) error { return playAll(ctx, p) })
		})
	}
}
