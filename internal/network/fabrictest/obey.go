package fabrictest

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
)

// socketVariable names the socket at which a test waits for its members.
const socketVariable = "FABRICTEST_SOCKET"

// Site is what a member in another process gets from the test.
type Site struct {
	Self  int
	Addrs []string // by member: what each gave to Obey
	// Memory is memory that the test sees as well. It has a page more than MemorySize, and
	// begins at a multiple of 4096.
	Memory []byte
}

// Obey makes a member in a process that Processes has started, and lets the test drive it
// until the test has ended. join opens the transport. It need not set Memory of its result,
// which the test takes from the Site. The test gives addr of this member to all members. self is
// the number of this member. Blocks until the test closes the connection. The caller then closes
// the transport, whether or not the test has closed it.
func Obey(self int, addr string, join func(Site) (Member, error)) (fabric.Transport, error) {
	socket := os.Getenv(socketVariable)
	c, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	in, out := gob.NewDecoder(c), gob.NewEncoder(c)
	if err := out.Encode(address{self, addr}); err != nil {
		return nil, err
	}
	site := Site{Self: self}
	if err := in.Decode(&site.Addrs); err != nil {
		return nil, err
	}
	if site.Memory, err = share(socket, self); err != nil {
		return nil, err
	}
	m, err := join(site)
	if err != nil {
		return nil, errors.Join(err, out.Encode(ready{Err: err.Error()}))
	}
	t := m.Transport
	if err := out.Encode(ready{Name: t.Name(), Abilities: t.Abilities(), Pos: m.Pos, Bad: m.Bad}); err != nil {
		return t, err
	}
	return t, obey(t, in, out)
}

// share maps the memory of a member, which is a file beside the socket.
func share(socket string, member int) ([]byte, error) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(socket), "memory"+strconv.Itoa(member)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const size = MemorySize + 4096
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// obey carries out orders until the connection ends.
func obey(t fabric.Transport, in *gob.Decoder, out *gob.Encoder) error {
	reports := make(chan report, 1<<16)
	go func() {
		for r := range reports {
			if out.Encode(r) != nil {
				return // so has the decoder failed
			}
		}
	}()
	scratch, err := unix.Mmap(-1, 0, MemorySize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	for {
		var o order
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := o.begin(t, scratch, reports); err != nil {
			return err
		}
	}
}

// begin starts the operation. A get of more bytes than any memory has gets scratch, which
// nothing may touch.
func (o *order) begin(t fabric.Transport, scratch []byte, reports chan<- report) error {
	done := &reporter{id: o.ID, reports: reports}
	buf := unsafe.Pointer(&scratch[0])
	if 0 < o.Size && o.Size <= MemorySize && (o.Do == doPut || o.Do == doGet) {
		done.buf = make([]byte, o.Size) // not on the stack, since it goes to another goroutine
		buf = unsafe.Pointer(&done.buf[0])
	}
	switch o.Do {
	case doPut:
		copy(done.buf, o.Data)
		done.put = true
		t.Put(o.Peer, o.Pos, buf, o.Size, done)
	case doGet:
		t.Get(o.Peer, o.Pos, buf, o.Size, done)
	case doAtomic:
		t.Atomic(o.Peer, o.Pos, o.Atomic, done)
	case doCopy:
		t.Copy(o.Peer, o.Pos, o.Dst, o.DstPos, o.Size, done)
	case doClose:
		done.Complete(0, t.Close())
	default:
		return fmt.Errorf("no order %d", o.Do)
	}
	return nil
}

// reporter sends the outcome of an operation to the test.
type reporter struct {
	id      uint64
	put     bool
	buf     []byte
	reports chan<- report
}

// Complete implements fabric.Completion.
func (r *reporter) Complete(old uint64, err error) {
	answer := report{ID: r.id, Old: old, Err: describe(err)}
	if !r.put && err == nil {
		answer.Data = r.buf
	}
	r.reports <- answer
}
