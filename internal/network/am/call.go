package am

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// Errors of operations. Like those of heap views they keep their identity on the way from the
// owner, which has carried the operation out, to its caller.
var (
	// ErrElsewhere: the operation needs memory that this process does not reach by loads
	// and stores. It has changed nothing.
	ErrElsewhere = errors.New("memory on another host")
	// ErrBadIterator: the iterator is that of no element of the structure.
	ErrBadIterator = errors.New("bad iterator")
	// ErrMalformed: no process with this version of the library sends such a message.
	ErrMalformed = errors.New("malformed call")
	// ErrGone: the structure, or the part that the operation works on, does not exist, or not
	// any more.
	ErrGone = errors.New("no such structure")
	// ErrExclusive: an operation on whole structures uses the structure. The operation has changed nothing, and its
	// caller tries again.
	ErrExclusive = errors.New("an operation on the whole structure is under way")
)

// Call is one operation with its arguments.
type Call struct {
	Op   Op
	GA   uint64    // of the structure, or of the part of it that the operation works on
	Args [4]uint64 // other arguments; each operation says which

	// Bytes that go in. The operation only reads them, and not after it has returned.
	Data, More []byte
	// Room for bytes that come out. The operation writes no more than fit.
	Out []byte

	// Where Data and More lie if the message does not hold them.
	Block Block
}

// Block is a block of the owner's heap that holds Data and More, one behind the other.
// The zero value is none.
type Block struct {
	GA         uint64
	Data, More uint64 // bytes
}

// Result is what an operation yields.
type Result struct {
	Val0, Val1 uint64 // fields, not an array, so that results are returned in registers
	N          int    // bytes written to Call.Out
}

// Moved returns how many bytes have gone into the operation and come out of it.
func (c *Call) Moved(r Result) uint64 {
	in := c.Block.Data + c.Block.More
	if c.Block.GA == 0 {
		in = uint64(len(c.Data) + len(c.More))
	}
	return in + uint64(r.N)
}

// Sizes of the fixed parts of the messages.
const (
	callHead   = 8 * 8
	resultHead = 8 * 3

	// MaxData is how many bytes of Data and More together go in one message, and MaxOut
	// how many bytes of Out come back in one.
	MaxData = 32 << 10
	MaxOut  = 32 << 10
)

// Append appends the message that asks an agent for c. The number of the operation is not
// part of the message.
func (c *Call) Append(b []byte) []byte {
	k := c.Block
	if k.GA == 0 {
		k.Data, k.More = uint64(len(c.Data)), uint64(len(c.More))
	}
	head := [...]uint64{c.GA, c.Args[0], c.Args[1], c.Args[2], c.Args[3], k.GA, k.Data, k.More}
	for _, word := range head {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	if k.GA != 0 {
		return b
	}
	b = append(b, c.Data...)
	return append(b, c.More...)
}

// RequestSize returns the length of what Append appends.
func (c *Call) RequestSize() int {
	if c.Block.GA != 0 {
		return callHead
	}
	return callHead + len(c.Data) + len(c.More)
}

// ReplySize returns the greatest length of the message that answers c.
func (c *Call) ReplySize() int { return resultHead + min(len(c.Out), MaxOut) }

// Decode decodes b, the message that asks for op on a. The answer goes to reply. Data and
// More of the Call are parts of b or of the heap, and Out is a part of reply. Fails with
// ErrMalformed, and with an error of the view if the block of the message is not in it.
func Decode(view *heapview.View, op Op, b, reply []byte) (Call, error) {
	c := Call{Op: op}
	if len(b) < callHead || len(reply) < resultHead {
		return c, ErrMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	c.GA, c.Args = word(0), [4]uint64{word(1), word(2), word(3), word(4)}
	data, more := word(6), word(7)
	rest := b[callHead:]
	if block := word(5); block != 0 {
		if more > ^uint64(0)-data {
			return c, ErrMalformed
		}
		var err error
		if rest, err = view.Bytes(block, data+more); err != nil {
			return c, err
		}
	}
	if data > uint64(len(rest)) || more != uint64(len(rest))-data {
		return c, ErrMalformed
	}
	c.Data, c.More, c.Out = rest[:data:data], rest[data:], reply[resultHead:]
	return c, nil
}

// known are the errors that a message can carry, by number. A number never gets another meaning.
var known = [...]error{
	0:  nil,
	1:  heap.ErrLimit,
	2:  heap.ErrFull,
	3:  heap.ErrNotAllocated,
	4:  heapview.ErrBadAddress,
	5:  ErrElsewhere,
	6:  ErrMalformed,
	7:  ErrGone,
	8:  ErrBadIterator,
	9:  fabric.ErrPeerDead,
	10: heap.ErrDamaged,
	11: ErrExclusive,
}

// ErrorNumber returns the number by which messages carry an error, 0 for nil. An error that wraps
// several of the known ones has the number of the one that wraps the others. ok is false if
// messages cannot carry the error.
func ErrorNumber(err error) (number uint64, ok bool) {
	if err == nil {
		return 0, true
	}
	for i, k := range known[1:] {
		if errors.Is(err, k) && (!ok || errors.Is(k, known[number])) {
			number, ok = uint64(i+1), true
		}
	}
	return number, ok
}

// NumberedError returns the error that has a number in messages. Fails with ErrMalformed if none
// has it.
func NumberedError(number uint64) error {
	if number >= uint64(len(known)) {
		return fmt.Errorf("%w: outcome %d", ErrMalformed, number)
	}
	return known[number]
}

// Answer encodes the outcome of an operation in reply, which already holds the bytes that
// come out. It returns the length of the message. Fails with err if messages cannot carry that
// error.
func Answer(reply []byte, r Result, err error) (int, error) {
	code, ok := ErrorNumber(err)
	if !ok {
		return 0, err
	}
	if code != 0 {
		r.N = 0
	}
	binary.LittleEndian.PutUint64(reply, code)
	binary.LittleEndian.PutUint64(reply[8:], r.Val0)
	binary.LittleEndian.PutUint64(reply[16:], r.Val1)
	return resultHead + r.N, nil
}

// Outcome decodes the answer to c, and copies the bytes that come out to c.Out.
func (c *Call) Outcome(reply []byte) (Result, error) {
	var r Result
	if len(reply) < resultHead || len(reply)-resultHead > len(c.Out) {
		return r, ErrMalformed
	}
	r.Val0 = binary.LittleEndian.Uint64(reply[8:])
	r.Val1 = binary.LittleEndian.Uint64(reply[16:])
	r.N = copy(c.Out, reply[resultHead:])
	return r, NumberedError(binary.LittleEndian.Uint64(reply))
}
