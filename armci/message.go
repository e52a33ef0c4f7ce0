package armci

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
)

// Buffered is the number of bytes up to which Send does not wait for the receiver.
const Buffered = message.Buffered

// Errors of messages, for errors.Is.
var (
	// ErrTooLong: a message is longer than the memory of Recv. It is lost.
	ErrTooLong = message.ErrTooLong
	// ErrUnequal: processes call a collective function with slices of different lengths, or the
	// bytes of a message are no whole elements.
	ErrUnequal = message.ErrUnequal
)

// memoryOf returns the memory of a slice.
func memoryOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size[T]())
}

// talk returns the state of this process in its world, unless T or a process is wrong.
func talk[T any](w *World, proc int) (*core.Session, error) {
	s, err := w.live()
	if err == nil {
		err = checkType[T]()
	}
	if err == nil {
		err = s.World.Check(proc)
	}
	return s, err
}

// Send sends a message to a process, which receives it by Recv with the same tag. Messages between two
// processes with the same tag arrive in order. It returns when data may be changed. Fails with ErrProc
// and ErrBadType. Any process. Blocks until the receiver has the message if it has more than Buffered
// bytes and is not for this process itself. ARMCI API: armci_msg_snd.
func Send[T any](w *World, to int, tag int32, data []T) error {
	s, err := talk[T](w, to)
	if err == nil {
		if w.mem.Detaches() {
			data = slices.Clone(data)
		}
		err = w.patient(messages-to, func() error {
			return w.groups.Engine().Send(w.groups.Label(tag), s.World.Member(to), memoryOf(data))
		})
	}
	return w.failedAt("send", to, 0, err)
}

// Recv waits for the next message with a tag from a process, copies it to data, and returns the number
// of its elements. A call that gives up takes no message. Fails with ErrTooLong, ErrUnequal, ErrProc and
// ErrBadType. Any process. Blocks until the message comes. ARMCI API: armci_msg_rcv.
func Recv[T any](w *World, from int, tag int32, data []T) (n int, err error) {
	s, err := talk[T](w, from)
	if err == nil {
		err = w.ctx.Err()
	}
	if err == nil {
		n, err = w.groups.Engine().ReceiveContext(w.ctx, w.groups.Label(tag), s.World.Member(from), memoryOf(data))
	}
	if err == nil {
		n, err = elements[T](n)
	}
	return n, w.failedAt("receive", from, 0, err)
}

// RecvAny is Recv from any process, and also returns the sender. Any process. Blocks until a message
// comes. ARMCI API: armci_msg_rcvany.
func RecvAny[T any](w *World, tag int32, data []T) (from, n int, err error) {
	s, err := talk[T](w, w.Proc())
	if err == nil {
		err = w.ctx.Err()
	}
	if err == nil {
		from, n, err = w.groups.Engine().ReceiveAnyContext(w.ctx, w.groups.Label(tag), memoryOf(data))
	}
	if err == nil {
		n, err = elements[T](n)
		from, _ = s.World.Proc(from)
	}
	return from, n, w.failed("receive", err)
}

// elements returns how many elements some bytes are.
func elements[T any](bytes int) (int, error) {
	if bytes%size[T]() != 0 {
		return 0, fmt.Errorf("%w: a message of %d bytes, elements have %d", ErrUnequal, bytes, size[T]())
	}
	return bytes / size[T](), nil
}
