package gp_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
)

var (
	seed   = flag.Uint64("seed", 1, "of the random operations")
	rounds = flag.Int("rounds", 12, "of random operations on each array")
)

// model is an array as one process would have it: a piece of memory for each place, nil if
// none is assigned.
type model struct {
	dims     []int
	elements [][]byte
}

func newModel(dims []int) *model {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return &model{dims, make([][]byte, n)}
}

// index returns the number of a place in C order.
func (m *model) index(place []int) int {
	i := 0
	for d, x := range place {
		i = i*m.dims[d] + x
	}
	return i
}

// actor is one rank that does random things with an array and with the model. The ranks take turns
// of three kinds: owners change assignments; all ranks read; all ranks write, each to its own
// places.
type actor struct {
	p      *member
	a      *gp.Array
	m      *model
	random *rand.Rand
	free   []*gp.Element // detached, to be freed
}

// TestModel compares random operations on arrays of all kinds with the model.
func TestModel(t *testing.T) {
	t.Logf("seed %d", *seed)
	forEach(t, []int{1, 2, 4, 5, 9}, func(t *testing.T, mode bridge.Mode, n int) {
		shapes := rand.New(rand.NewPCG(*seed, uint64(n)))
		for range 4 {
			cfg := randomConfig(shapes, n)
			m := newModel(cfg.Dims)
			run(t, mode, n, func(p *member) error {
				if err := playWith(p, cfg, m); err != nil {
					return fmt.Errorf("%+v: %w", cfg, err)
				}
				return nil
			})
		}
	})
}

// randomConfig returns a shape of 1 to 7 dimensions: regular, with chunks, or irregular.
func randomConfig(r *rand.Rand, ranks int) gp.Config {
	var cfg gp.Config
	most := []int{60, 12, 6, 4, 3, 3, 3}
	dims := 1 + r.IntN(gp.MaxDims)
	for range dims {
		cfg.Dims = append(cfg.Dims, 1+r.IntN(most[dims-1]))
	}
	switch r.IntN(3) {
	case 0:
		for _, n := range cfg.Dims {
			cfg.Chunk = append(cfg.Chunk, r.IntN(n+2)-1)
		}
	case 1:
		left := ranks
		for _, n := range cfg.Dims {
			starts := make([]int, 1+r.IntN(min(n, left)))
			for b := range starts[1:] {
				starts[b+1] = r.IntN(n + 1)
			}
			slices.Sort(starts)
			left /= len(starts)
			cfg.Starts = append(cfg.Starts, starts)
		}
	}
	return cfg
}

// playWith lets one rank take its turns, and checks that nothing is left.
func playWith(p *member, cfg gp.Config, m *model) error {
	a, err := gp.Create(p.Process, cfg)
	if err != nil {
		return err
	}
	x := &actor{p: p, a: a, m: m, random: rand.New(rand.NewPCG(*seed, uint64(p.Rank())+100))}
	for range *rounds {
		for _, turn := range []func() error{x.assign, x.read, x.write} {
			if err := errors.Join(turn(), p.sync()); err != nil {
				return err
			}
		}
	}
	return x.end()
}

// size returns a random number of bytes of an element: mostly few, seldom up to 3 MiB.
func (x *actor) size() int {
	switch n := x.random.IntN(1000); {
	case n < 2:
		return 1 + x.random.IntN(3<<20)
	case n < 60:
		return 1 + x.random.IntN(40<<10)
	}
	return 1 + x.random.IntN(300)
}

// assign assigns and detaches elements of random places of this rank.
func (x *actor) assign() error {
	block, ok := x.a.Block(x.p.Rank())
	if !ok {
		return nil
	}
	for range x.random.IntN(block.Places() + 3) {
		place := block.Place(x.random.IntN(block.Places()))
		before, err := x.a.Element(place...)
		if err != nil {
			return err
		}
		if x.random.IntN(4) == 0 {
			detached, err := x.a.Detach(place...)
			if err != nil || detached != before {
				return fmt.Errorf("detached %v, was %v: %w", detached, before, err)
			}
			x.m.elements[x.m.index(place)] = nil
		} else if err := x.assignOne(place); err != nil {
			return err
		}
		if before != nil {
			x.free = append(x.free, before)
		}
	}
	return x.check()
}

// assignOne assigns a new element of random bytes, or a part of one.
func (x *actor) assignOne(place []int) error {
	e, err := gp.Alloc(x.p.Process, x.size())
	if err != nil {
		return err
	}
	x.fill(e.Bytes())
	size := e.Size()
	if x.random.IntN(5) == 0 {
		size = 1 + x.random.IntN(size)
	}
	x.m.elements[x.m.index(place)] = bytes.Clone(e.Bytes()[:size])
	return x.a.AssignPrefix(e, size, place...)
}

// fill sets b to random bytes.
func (x *actor) fill(b []byte) {
	for i := range b {
		b[i] = byte(x.random.Uint32())
	}
}

// check compares the assigned places of this rank with the model, and frees detached elements.
// Other ranks do not read during that time.
func (x *actor) check() error {
	for place, mem := range x.a.Local() {
		if want := x.m.elements[x.m.index(place)]; !bytes.Equal(mem, want) {
			return fmt.Errorf("place %v has %d bytes, want %d", place, len(mem), len(want))
		}
	}
	for _, e := range x.free {
		if err := e.Free(); err != nil {
			return err
		}
	}
	x.free = nil
	return nil
}

// section returns a random section, which may be empty.
func (x *actor) section() gp.Section {
	var s gp.Section
	for _, n := range x.m.dims {
		lo := x.random.IntN(n)
		s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, lo+x.random.IntN(n-lo))
	}
	if x.random.IntN(10) == 0 {
		s.Hi[0] = s.Lo[0] - 1
	}
	return s
}

// places returns a random list of places.
func (x *actor) places(n int) [][]int {
	list := make([][]int, n)
	for i := range list {
		for _, n := range x.m.dims {
			list[i] = append(list[i], x.random.IntN(n))
		}
	}
	return list
}

// read reads random places in all ways.
func (x *actor) read() error {
	for range 3 {
		if err := errors.Join(x.readSection(), x.readList()); err != nil {
			return err
		}
	}
	return nil
}

// want returns the contents of places in the model, and the bytes that Get packs.
func (x *actor) want(n int, at func(int) []int) (elements [][]byte, sizes []int, packed []byte) {
	for i := range n {
		e := x.m.elements[x.m.index(at(i))]
		elements, sizes, packed = append(elements, e), append(sizes, len(e)), append(packed, e...)
	}
	return elements, sizes, packed
}

func (x *actor) readSection() error {
	s := x.section()
	elements, sizes, packed := x.want(s.Places(), s.Place)
	patch, err := x.a.Get(s)
	if err != nil {
		return err
	}
	if !bytes.Equal(patch.Bytes(), packed) {
		return fmt.Errorf("section %v has %d bytes, want %d", s, len(patch.Bytes()), len(packed))
	}
	i := 0
	for place, mem := range patch.All() {
		if !bytes.Equal(mem, elements[i]) || !bytes.Equal(patch.At(place...), elements[i]) {
			return fmt.Errorf("place %v of section %v has %d bytes, want %d", place, s, len(mem), len(elements[i]))
		}
		i++
	}
	found, err := x.a.Sizes(s)
	if err != nil || !slices.Equal(found, sizes) {
		return fmt.Errorf("section %v has sizes %v, want %v: %w", s, found, sizes, err)
	}
	if total, err := x.a.Size(s); err != nil || total != int64(len(packed)) {
		return fmt.Errorf("section %v has %d bytes, want %d: %w", s, total, len(packed), err)
	}
	dst := x.prefixes(elements)
	return errors.Join(x.a.GetInto(s, dst), compare(dst, elements))
}

func (x *actor) readList() error {
	places := x.places(x.random.IntN(40))
	elements, sizes, _ := x.want(len(places), func(i int) []int { return places[i] })
	found, err := x.a.Gather(places)
	if err != nil || !slices.EqualFunc(found, elements, bytes.Equal) {
		return fmt.Errorf("places %v are different: %w", places, err)
	}
	n, err := x.a.GatherSizes(places)
	if err != nil || !slices.Equal(n, sizes) {
		return fmt.Errorf("places %v have sizes %v, want %v: %w", places, n, sizes, err)
	}
	dst := x.prefixes(elements)
	return errors.Join(x.a.GatherInto(places, dst), compare(dst, elements))
}

// prefixes returns memory for the elements, or for their first bytes.
func (x *actor) prefixes(elements [][]byte) [][]byte {
	dst := make([][]byte, len(elements))
	for i, e := range elements {
		n := len(e)
		if x.random.IntN(3) == 0 {
			n = x.random.IntN(n + 1)
		}
		dst[i] = make([]byte, n)
	}
	return dst
}

// compare returns an error unless each of dst is the beginning of the element.
func compare(dst, elements [][]byte) error {
	for i, b := range dst {
		if !bytes.Equal(b, elements[i][:len(b)]) {
			return fmt.Errorf("entry %d of %d bytes is different", i, len(b))
		}
	}
	return nil
}

// write writes to random places. Rank r writes to places whose number is r modulo the number of
// ranks.
func (x *actor) write() error {
	for range 2 {
		if err := errors.Join(x.writeSection(), x.writeList()); err != nil {
			return err
		}
	}
	return nil
}

// mine reports whether this rank may write to a place now.
func (x *actor) mine(place []int) bool {
	return x.m.index(place)%x.p.Procs() == int(x.p.Rank())
}

func (x *actor) writeSection() error {
	s := x.section()
	src := make([][]byte, s.Places())
	for i := range src {
		if place := s.Place(i); x.mine(place) {
			src[i] = x.bytesFor(place, false)
		}
	}
	return x.a.Put(s, src)
}

func (x *actor) writeList() error {
	exact := x.random.IntN(2) == 0
	var places [][]int
	var src [][]byte
	for _, place := range x.places(40) {
		if x.mine(place) && !slices.ContainsFunc(places, func(p []int) bool { return slices.Equal(p, place) }) {
			places, src = append(places, place), append(src, x.bytesFor(place, exact))
		}
	}
	if exact {
		return x.a.ScatterExact(places, src)
	}
	return x.a.Scatter(places, src)
}

// bytesFor returns the bytes to write to the element of a place, and changes the model.
func (x *actor) bytesFor(place []int, exact bool) []byte {
	e := x.m.elements[x.m.index(place)]
	n := len(e)
	if !exact && x.random.IntN(3) == 0 {
		n = x.random.IntN(n + 1)
	}
	x.fill(e[:n])
	return bytes.Clone(e[:n])
}

// end checks Zero, and that nothing is left in the heap afterwards.
func (x *actor) end() error {
	if err := errors.Join(x.check(), x.a.Zero(), x.p.sync()); err != nil {
		return err
	}
	var elements []*gp.Element
	for place, mem := range x.a.Local() {
		if bytes.ContainsFunc(mem, func(r rune) bool { return r != 0 }) {
			return fmt.Errorf("place %v is not zero", place)
		}
		e, err := x.a.Element(place...)
		if err != nil {
			return err
		}
		elements = append(elements, e)
	}
	if err := x.a.Destroy(); err != nil {
		return err
	}
	for _, e := range elements {
		if err := e.Free(); err != nil {
			return err
		}
	}
	return wholeHeap(x.p)
}
