package list

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/network/am"
)

// Flags of OpRun: bits of Args[2].
const (
	runBack   = 1 << iota // follow prev in place of next
	runValues             // read values, too
)

// run reads up to Args[1] nodes in a row, beginning at GA, which may be the control block. It
// stops before the control block of the list, Args[0], and before a node that is not mapped.
// For each node it writes three words to Out and, with runValues, the value, padded to a
// multiple of 8. It also stops before an element that does not fit; if that is the first one,
// it writes only its words.
func (h *Heaps) run(c *am.Call) (n int, err error) {
	list, ga := c.Args[0], c.GA
	for i := uint64(0); i < c.Args[1]; i++ {
		p, err := h.nearNode(list, ga)
		var value []byte
		if err == nil && c.Args[2]&runValues != 0 && ga != list {
			value, err = h.nearValue(ga, p.n)
		}
		if err != nil && i > 0 {
			break // the next call begins here and reports the error
		}
		if err != nil {
			return 0, err
		}
		capacity := len(c.Out) - n - int(HeadSize)
		fits := padded(len(value)) <= capacity
		if !fits && (i > 0 || capacity < 0) {
			break
		}
		next := p.next
		if c.Args[2]&runBack != 0 {
			next = p.prev
		}
		for k, word := range [...]uint64{p.next, p.prev, p.n} {
			binary.LittleEndian.PutUint64(c.Out[n+8*k:], word)
		}
		n += int(HeadSize)
		if !fits {
			break
		}
		copy(c.Out[n:], value)
		n += padded(len(value))
		if ga = next; ga == list {
			break
		}
	}
	return n, nil
}

func padded(n int) int { return (n + 7) &^ 7 }

// nearNode returns the node at ga if it is mapped: that of the control block of the list, or
// that of an element. It fails if the control block has no mark, or if an element has one.
func (h *Heaps) nearNode(list, ga uint64) (*node, error) {
	p, err := near[block](h, ga)
	if err != nil {
		return nil, err
	}
	switch marked := p.mark == markOf(ga); {
	case ga == list && !marked:
		return nil, noList(ga)
	case ga != list && marked:
		return nil, broken(ga)
	}
	return &p.node, nil
}

// Reader reads elements of a list one after the other. It reads elements that only an agent
// reaches in runs, so the list must not change as long as the Reader is used.
type Reader struct {
	heaps Heaps // a copy: a result of the Reader could keep a pointer alive
	list  uint64
	flags uint64
	ahead uint64 // the number of elements that the caller will still read at most

	at  uint64 // address of the first node in got
	got []byte // the rest of a run

	first, last uint64 // addresses of the first and the latest element that linked has read
}

// Read returns the reader of at most ahead elements of a list, forwards or back, with
// or without their values.
func (h *Heaps) Read(list, ahead uint64, back, values bool) Reader {
	r := Reader{heaps: *h, list: list, ahead: max(ahead, 1)}
	if back {
		r.flags |= runBack
	}
	if values {
		r.flags |= runValues
	}
	return r
}

// Element returns the element at ga. If ga is the control block, Size is the number of elements and there is
// no Value.
func (r *Reader) Element(ga uint64) (Element, error) {
	p, err := r.heaps.nearNode(r.list, ga)
	if r.heaps.needsAgent(err) {
		return r.far(ga)
	}
	if err != nil {
		return Element{}, err
	}
	e := Element{GA: ga, Next: p.next, Prev: p.prev, Size: p.n}
	if r.flags&runValues != 0 && ga != r.list {
		e.Value, err = r.heaps.nearValue(ga, e.Size)
	}
	return e, err
}

// linked is Element for an element that must follow the one before. It fails if the links
// between the two do not agree, and if the walk comes back to its first element. So every walk
// ends.
func (r *Reader) linked(ga uint64) (Element, error) {
	e, err := r.Element(ga)
	if err != nil {
		return e, err
	}
	link := e.Prev
	if r.flags&runBack != 0 {
		link = e.Next
	}
	switch {
	case r.first == 0:
		r.first = ga
	case ga == r.first || link != r.last:
		return e, broken(ga)
	}
	r.last = ga
	return e, nil
}

func (r *Reader) far(ga uint64) (Element, error) {
	if ga != r.at || len(r.got) == 0 {
		if err := r.fetch(ga); err != nil {
			return Element{}, err
		}
	}
	w := decode(r.got[:HeadSize])
	e := Element{GA: ga, Next: w[0], Prev: w[1], Size: w[2]}
	r.got = r.got[HeadSize:]
	r.ahead = max(r.ahead-1, 1)
	r.at = e.Next
	if r.flags&runBack != 0 {
		r.at = e.Prev
	}
	if r.flags&runValues == 0 || ga == r.list {
		return e, nil
	}
	if e.Size > uint64(len(r.got)) { // the only one of its run
		e.Value = make([]byte, e.Size)
		return e, r.heaps.Agents.Read(e.Value, ga+HeadSize)
	}
	e.Value = r.got[:e.Size:e.Size]
	r.got = r.got[min(padded(int(e.Size)), len(r.got)):]
	return e, nil
}

// usualSize is the capacity for an element with its value, in bytes, in a run of few elements.
const usualSize = 4096

// fetch reads the run that begins at ga. Each run gets new memory, since the values of its elements are parts
// of that memory.
func (r *Reader) fetch(ga uint64) error {
	each := HeadSize
	if r.flags&runValues != 0 {
		each = usualSize // a longer value is read by a call of its own
	}
	capacity := min(am.MaxOut, min(r.ahead, am.MaxOut)*each)
	c := am.Call{Op: OpRun, GA: ga, Args: [4]uint64{r.list, r.ahead, r.flags}, Out: make([]byte, capacity)}
	result, err := r.heaps.Agents.Exec(rankOf(ga), &c)
	if err == nil && result.N < int(HeadSize) {
		err = am.ErrMalformed
	}
	if err != nil {
		return err
	}
	r.got = c.Out[:result.N]
	return nil
}

// elements returns the elements of a list from start to before end, which may be the control
// block; start may be end. count is the counter of the list.
func (h *Heaps) elements(list, count, start, end uint64, values bool) ([]Element, error) {
	r := h.Read(list, count, false, values)
	var all []Element
	for ga := start; ga != end; {
		if ga == list || uint64(len(all)) == count {
			return nil, broken(ga)
		}
		e, err := r.linked(ga)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
		ga = e.Next
	}
	return all, nil
}
