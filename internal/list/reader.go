package list

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/am"
)

// How OpRun goes: bits of Args[2].
const (
	runBack   = 1 << iota // along prev
	runValues             // with values
)

// run reads up to Args[1] nodes one behind the other from GA on, until the next would be
// at Args[0], the control block of the list, or is elsewhere. GA may be the control block
// itself. Each gives three words, and its value filled up to a multiple of 8 if those
// are wanted. It stops before an element that does not fit; if that is the first, it
// gives the words alone.
func (m *Memory) run(c *am.Call) (n int, err error) {
	list, ga := c.Args[0], c.GA
	for i := uint64(0); i < c.Args[1]; i++ {
		p, err := m.nearNode(list, ga)
		var value []byte
		if err == nil && c.Args[2]&runValues != 0 && ga != list {
			value, err = m.nearValue(ga, p.n)
		}
		if err != nil && i > 0 {
			break // the next call begins here and reports the error
		}
		if err != nil {
			return 0, err
		}
		room := len(c.Out) - n - int(HeadSize)
		fits := padded(len(value)) <= room
		if !fits && (i > 0 || room < 0) {
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

// nearNode returns what is at ga if that is mapped: the control block of the list, or one
// of its elements. It makes sure that it is no control block if it is an element, and that
// of a list otherwise.
func (m *Memory) nearNode(list, ga uint64) (*node, error) {
	p, err := near[block](m, ga)
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

// Reader reads elements of a list one after the other. Those that only an agent reaches
// come in runs, so the list must not change as long as a Reader is used.
type Reader struct {
	m     Memory // a copy: what a reader returns could keep a pointer alive
	list  uint64
	flags uint64
	ahead uint64 // elements that will be wanted, at most

	at  uint64 // address of the first node in got
	got []byte // what is left of a run

	first, last uint64 // what linked has read
}

// Read returns the reader of at most ahead elements of a list, forwards or back, with
// or without their values.
func (m *Memory) Read(list, ahead uint64, back, values bool) Reader {
	r := Reader{m: *m, list: list, ahead: max(ahead, 1)}
	if back {
		r.flags |= runBack
	}
	if values {
		r.flags |= runValues
	}
	return r
}

// Element returns the element at ga. That may be the control block; its Size is the
// number of elements then, and it has no Value.
func (r *Reader) Element(ga uint64) (Element, error) {
	p, err := r.m.nearNode(r.list, ga)
	if r.m.needsAgent(err) {
		return r.far(ga)
	}
	if err != nil {
		return Element{}, err
	}
	e := Element{GA: ga, Next: p.next, Prev: p.prev, Size: p.n}
	if r.flags&runValues != 0 && ga != r.list {
		e.Value, err = r.m.nearValue(ga, e.Size)
	}
	return e, err
}

// linked is Element for one that has to follow the one before: the links between the two
// agree. So a walk that does not come to an end comes back to where it has begun, and both
// are errors.
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
		return e, r.m.Agents.Read(e.Value, ga+HeadSize)
	}
	e.Value = r.got[:e.Size:e.Size]
	r.got = r.got[min(padded(int(e.Size)), len(r.got)):]
	return e, nil
}

// usualSize is what is reckoned for an element with its value, in bytes, where few are
// wanted.
const usualSize = 4096

// fetch brings the run that begins at ga. Each run has memory of its own, since values
// are parts of it.
func (r *Reader) fetch(ga uint64) error {
	each := HeadSize
	if r.flags&runValues != 0 {
		each = usualSize // a longer one may come later, by itself
	}
	room := min(am.MaxOut, min(r.ahead, am.MaxOut)*each)
	c := am.Call{Op: OpRun, GA: ga, Args: [4]uint64{r.list, r.ahead, r.flags}, Out: make([]byte, room)}
	result, err := r.m.Agents.Exec(rankOf(ga), &c)
	if err == nil && result.N < int(HeadSize) {
		err = am.ErrMalformed
	}
	if err != nil {
		return err
	}
	r.got = c.Out[:result.N]
	return nil
}

// elements returns the elements of a list from start to before end, which may be the
// control block; start may be end. Their counter is count.
func (m *Memory) elements(list, count, start, end uint64, values bool) ([]Element, error) {
	r := m.Read(list, count, false, values)
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
