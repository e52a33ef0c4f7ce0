package am

import (
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// Operation is what a process does when a message with the number Op arrives. Either Run or
// Serve is set.
type Operation struct {
	Op   Op
	Name string // as messages call it, such as "push of a vector"

	// Run carries out a call on a heap. Every process that has mapped the heap may run it;
	// the owner runs it for calls that arrive as messages. It keeps none of the bytes of the
	// call, and waits for no other process, except for short locks in the heap.
	Run func(view *heapview.View, c Call) (Result, error)

	// Serve carries out a request at its owner and answers it as the Serve of a fabric.Owner
	// does. It waits for no other process.
	Serve func(r fabric.Request) (int, error)
}

// Notice is what a process does with a small message that has no answer.
type Notice struct {
	Number NoticeNumber
	Name   string

	// Take gets the sender and the two arguments. Notices of one sender arrive in order. It must
	// not block.
	Take func(from int, arg uint32, value uint64)
}

// Table has all operations and notices of a process, by number. It does not change, so
// several goroutines may use it at once.
type Table struct {
	own     func() *heapview.View
	ops     numbered[Operation]
	notices numbered[Notice]
}

// numbered has values by number: a list for each range, as long as the range needs.
type numbered[T any] [1 << 8][]T

// at returns the value with a number, or nil if the list of its range ends before.
func (n *numbered[T]) at(number uint16) *T {
	list, i := n[number/RangeSize], int(number%RangeSize)
	if i >= len(list) {
		return nil
	}
	return &list[i]
}

// grown is at, after it has made the list long enough.
func (n *numbered[T]) grown(number uint16) *T {
	list := &n[number/RangeSize]
	if lack := int(number%RangeSize) + 1 - len(*list); lack > 0 {
		*list = append(*list, make([]T, lack)...)
	}
	return n.at(number)
}

// NewTable returns a table of ops and of the operations on the heap, and of notices. own
// returns the heap of this process, on which they work. Fails if two of them have the same
// number, or if one has no function.
func NewTable(own func() *heapview.View, ops []Operation, notices []Notice) (*Table, error) {
	t := &Table{own: own}
	for _, list := range [][]Operation{heapOperations, ops} {
		for _, o := range list {
			if err := t.add(o); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range notices {
		at := t.notices.grown(uint16(n.Number))
		if at.Take != nil {
			return nil, fmt.Errorf("%s and %s are both notice %#x", at.Name, n.Name, n.Number)
		}
		if n.Take == nil {
			return nil, fmt.Errorf("notice %#x, %q, has no function", n.Number, n.Name)
		}
		*at = n
	}
	return t, nil
}

func (t *Table) add(o Operation) error {
	at := t.ops.grown(uint16(o.Op))
	if at.Name != "" {
		return fmt.Errorf("%s and %s are both operation %#x", at.Name, o.Name, o.Op)
	}
	if o.Name == "" || (o.Run == nil) == (o.Serve == nil) {
		return fmt.Errorf("operation %#x, %q, needs a name and one function", o.Op, o.Name)
	}
	*at = o
	return nil
}

// Serve carries out a request of another process or of this one, as the Serve of a
// fabric.Owner does. Fails if there is no such operation.
func (t *Table) Serve(r fabric.Request) (int, error) {
	switch o := t.ops.at(r.Service); {
	case o == nil:
	case o.Run != nil:
		return t.run(o, r)
	case o.Serve != nil:
		return o.Serve(r)
	}
	return 0, fmt.Errorf("no operation has the number %#x", r.Service)
}

// run carries out a call that has arrived as a message.
func (t *Table) run(o *Operation, r fabric.Request) (int, error) {
	if len(r.Reply) < resultHead {
		return 0, fmt.Errorf("%s: %w", o.Name, ErrMalformed)
	}
	view := t.own()
	c, err := Decode(view, o.Op, r.Body, r.Reply)
	var result Result
	if err == nil {
		result, err = o.Run(view, c)
	}
	n, err := Answer(r.Reply, result, err)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", o.Name, err)
	}
	return n, nil
}

// Notify takes a notice, as the Notify of a fabric.Owner does. It drops a notice with an
// unknown number, since a notice has no answer that could tell the sender.
func (t *Table) Notify(from int, notice uint16, arg uint32, value uint64) {
	if n := t.notices.at(notice); n != nil && n.Take != nil {
		n.Take(from, arg, value)
	}
}
