package gp

import (
	"fmt"
	"iter"
	"slices"

	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Patch is the result of Get: the elements of a section.
type Patch struct {
	section Section
	bytes   []byte
	ends    []int // by place: where in bytes the element ends
}

// Section returns the places of the patch. Pure.
func (t *Patch) Section() Section { return t.section }

// Bytes returns the elements one after the other, without gaps, in C order. Pure.
func (t *Patch) Bytes() []byte { return t.bytes }

// At returns the element of a place of the array that the patch has, which is empty if none is
// assigned. It is nil if the patch does not have the place. Pure.
func (t *Patch) At(place ...int) []byte {
	i := t.section.Index(place...)
	if i < 0 {
		return nil
	}
	return t.element(i)
}

// All goes through the places of the patch, in C order, and their elements. Pure.
func (t *Patch) All() iter.Seq2[[]int, []byte] {
	return func(yield func([]int, []byte) bool) {
		for i := range t.ends {
			if !yield(t.section.Place(i), t.element(i)) {
				return
			}
		}
	}
}

// element returns the element of place i.
func (t *Patch) element(i int) []byte {
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.bytes[from:t.ends[i]:t.ends[i]]
}

// section returns the places of a section.
func (a *Array) section(s Section) (grid.Selection, error) { return a.a.Section(grid.Section(s)) }

// list returns the places of a list.
func (a *Array) list(places [][]int) (grid.Selection, error) {
	return a.a.List(len(places), entryOf(places))
}

// entryOf returns the function that returns each place of a list.
func entryOf(places [][]int) func(i int) []int { return func(i int) []int { return places[i] } }

// Sizes returns the sizes of the elements of a section in bytes, in C order, 0 for places without
// an element. Fails with ErrBounds and ErrDestroyed. Any rank. Blocks for one round trip, or for
// none if the memory of the owners is mapped.
func (a *Array) Sizes(s Section) ([]int, error) {
	sel, err := a.section(s)
	if err != nil {
		return nil, a.failed("sizes", err)
	}
	return a.sizes(sel)
}

// GatherSizes is Sizes for a list of places. Any rank. Blocks as Sizes does.
func (a *Array) GatherSizes(places [][]int) ([]int, error) {
	sel, err := a.list(places)
	if err != nil {
		return nil, a.failed("sizes", err)
	}
	return a.sizes(sel)
}

func (a *Array) sizes(sel grid.Selection) ([]int, error) {
	sizes, err := detached(a, func() (sizes []int, err error) {
		err = a.a.Sizes(sel, func(found array.Sizes) {
			sizes = make([]int, len(found))
			for e := range sizes {
				sizes[e] = int(found.Of(e))
			}
		})
		return sizes, err
	})
	return sizes, a.failed("sizes", err)
}

// Size returns the sum of Sizes. Any rank. Blocks as Sizes does.
func (a *Array) Size(s Section) (total int64, err error) {
	sizes, err := a.Sizes(s)
	for _, n := range sizes {
		total += int64(n)
	}
	return total, err
}

// Get returns a copy of the elements of a section. Fails with ErrBounds and ErrDestroyed. Any rank.
// Blocks for one round trip, for two if there are more than 32 KiB of an owner, or for none if the
// memory of the owners is mapped.
func (a *Array) Get(s Section) (*Patch, error) {
	sel, err := a.section(s)
	if err != nil {
		return nil, a.failed("get", err)
	}
	t, err := a.packed(sel)
	if err != nil {
		return nil, a.failed("get", err)
	}
	t.section = Section{slices.Clone(s.Lo), slices.Clone(s.Hi)}
	return t, nil
}

// packed gets elements one after the other.
func (a *Array) packed(sel grid.Selection) (*Patch, error) {
	return detached(a, func() (*Patch, error) {
		t := new(Patch)
		return t, a.a.Get(sel, t.buffers)
	})
}

// buffers allocates memory for elements of these sizes.
func (t *Patch) buffers(sizes array.Sizes) ([][]byte, error) {
	t.ends = make([]int, len(sizes))
	total := 0
	for e := range sizes {
		total += int(sizes.Of(e))
		t.ends[e] = total
	}
	t.bytes = make([]byte, total)
	dst := make([][]byte, len(sizes))
	for i := range dst {
		dst[i] = t.element(i)
	}
	return dst, nil
}

// Gather returns a copy of the element of each place of a list, which may contain a place several
// times. Elements of places without one are empty. Otherwise as Get. Any rank. Blocks as Get does.
func (a *Array) Gather(places [][]int) ([][]byte, error) {
	sel, err := a.list(places)
	if err != nil {
		return nil, a.failed("gather", err)
	}
	t, err := a.packed(sel)
	if err != nil {
		return nil, a.failed("gather", err)
	}
	elements := make([][]byte, len(places))
	for i := range elements {
		elements[i] = t.element(i)
	}
	return elements, nil
}

// GetInto copies the beginning of each element of a section to the slice of dst that belongs to its
// place, in C order. It copies as many bytes as the slice has. Fails with ErrSize, and
// ErrUnassigned, if an element is shorter, and otherwise as Get. Any rank. Blocks as Get does.
func (a *Array) GetInto(s Section, dst [][]byte) error {
	if a.direct(s, dst) {
		return a.failed("get", array.At(a.a.GetOne(s.Lo, dst[0]), grid.Section(s).Place))
	}
	sel, err := a.section(s)
	if err != nil {
		return a.failed("get", err)
	}
	return a.failed("get", array.At(a.into(sel, dst), grid.Section(s).Place))
}

// GatherInto is GetInto for a list of places. Slices of dst do not overlap. Any rank. Blocks as Get
// does.
func (a *Array) GatherInto(places [][]int, dst [][]byte) error {
	sel, err := a.list(places)
	if err != nil {
		return a.failed("gather", err)
	}
	return a.failed("gather", array.At(a.into(sel, dst), entryOf(places)))
}

func (a *Array) into(sel grid.Selection, dst [][]byte) error {
	if err := countFits(sel, dst); err != nil {
		return err
	}
	private, copied := a.private(dst)
	_, err := detached(a, func() (struct{}, error) { return struct{}{}, a.a.GetInto(sel, private) })
	if err == nil && copied {
		for i, b := range private {
			copy(dst[i], b)
		}
	}
	return err
}

// direct reports whether a section is one place with one buffer, for a call whose caller does not
// give up.
func (a *Array) direct(s Section, buffers [][]byte) bool {
	return len(buffers) == 1 && grid.Section(s).Single() && !a.mem.Detaches()
}

// countFits returns ErrSize if there is not one buffer for each place.
func countFits(sel grid.Selection, buffers [][]byte) error {
	if len(buffers) != sel.N {
		return fmt.Errorf("%w: %d buffers for %d places", array.ErrSize, len(buffers), sel.N)
	}
	return nil
}

// Put copies each slice of src to the beginning of the element of its place, in C order of a
// section. Where the slice is empty nothing is copied. Fails with ErrBounds and ErrDestroyed, and,
// if an element is shorter than its slice, with ErrSize and ErrUnassigned. Any rank. Blocks as Get
// does.
func (a *Array) Put(s Section, src [][]byte) error { return a.put(s, src, false) }

// PutExact is Put for slices that have the lengths of the elements. It fails with ErrSize
// otherwise. Any rank. Blocks as Get does.
func (a *Array) PutExact(s Section, src [][]byte) error { return a.put(s, src, true) }

func (a *Array) put(s Section, src [][]byte, exact bool) error {
	if a.direct(s, src) {
		return a.failed("put", array.At(a.a.PutOne(s.Lo, src[0], exact), grid.Section(s).Place))
	}
	sel, err := a.section(s)
	if err == nil {
		err = countFits(sel, src)
	}
	if err == nil {
		err = array.At(a.from(sel, src, exact), grid.Section(s).Place)
	}
	return a.failed("put", err)
}

// from copies src to elements.
func (a *Array) from(sel grid.Selection, src [][]byte, exact bool) error {
	private, _ := a.private(src)
	_, err := detached(a, func() (struct{}, error) { return struct{}{}, a.a.Put(sel, private, exact) })
	return err
}

// Scatter is Put for a list of places. If the list contains a place several times, its element gets
// the bytes of one of the slices. Any rank. Blocks as Get does.
func (a *Array) Scatter(places [][]int, src [][]byte) error { return a.scatter(places, src, false) }

// ScatterExact is PutExact for a list of places. Any rank. Blocks as Get does.
func (a *Array) ScatterExact(places [][]int, src [][]byte) error {
	return a.scatter(places, src, true)
}

func (a *Array) scatter(places [][]int, src [][]byte, exact bool) error {
	sel, err := a.list(places)
	if err == nil {
		err = countFits(sel, src)
	}
	if err == nil {
		err = array.At(a.from(sel, src, exact), entryOf(places))
	}
	return a.failed("scatter", err)
}
