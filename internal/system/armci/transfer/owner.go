package transfer

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// errMalformed: no process with this version of the library sends such a message.
var errMalformed = errors.New("malformed message of ARMCI")

// Owner executes requests on the memory of this process. It does not depend on a world, since
// requests may arrive as soon as other processes have made their world.
type Owner struct {
	process *extension.Process
	locks   atomic.Pointer[PageLocks] // nil before the first world

	mu       sync.Mutex
	notified map[notifier]*notifications
}

// NewOwner returns the Owner of a process.
func NewOwner(p *extension.Process) *Owner {
	return &Owner{process: p, notified: make(map[notifier]*notifications)}
}

// SetLocks sets the page locks of the process. It is called before other processes may send
// requests.
func (o *Owner) SetLocks(locks *PageLocks) { o.locks.Store(locks) }

// Here returns where n bytes at a position of this process lie, or nil if they are no shared memory.
func (o *Owner) Here(pos, n uint64) unsafe.Pointer {
	m, ranks := o.process.Memory, o.process.Ranks
	if _, ok := m.PositionOf(ranks.Self(), m.OwnerAddress(ranks.Self(), pos), n); !ok {
		return nil
	}
	p, err := m.Locate(ga.Make(ranks.Own(), pos), n)
	if err != nil {
		return nil
	}
	return p.Addr
}

// reach is the memory that a request touches, all of it shared memory of this process.
type reach struct {
	target shape.Target
	base   unsafe.Pointer // where the position 0 of this process lies
}

// reach decodes the description of the memory that a request touches, and returns the bytes after
// it.
func (o *Owner) reach(b []byte) (reach, []byte, error) {
	t, rest, err := shape.Decode(b)
	if err != nil {
		return reach{}, nil, err
	}
	r := reach{target: t}
	at := func(at, n uint64) bool {
		p := o.Here(at, n)
		if p != nil {
			r.base = unsafe.Add(p, -int(at))
		}
		return p != nil
	}
	// Segments are often in one block. Then one check is enough.
	if low, n, ok := t.List.Hull(); ok && at(low, n) {
		return r, rest, nil
	}
	inside, err := t.Spans(at)
	if err != nil || !inside {
		return reach{}, nil, world.ErrAddress
	}
	return r, rest, nil
}

// each calls f with each run of bytes that the request touches and its position, until f fails.
func (r *reach) each(f func(run []byte, pos uint64) error) error {
	return r.target.Each(func(at uint64, n int64) error {
		return f(unsafe.Slice((*byte)(unsafe.Add(r.base, at)), n), at)
	})
}

// answer writes the outcome of a store.
func answer(r fabric.Request, err error) (int, error) {
	if len(r.Reply) < codeBytes {
		return 0, errMalformed
	}
	r.Reply[0] = byte(-world.Code(err))
	return codeBytes, nil
}

// ServePut executes a put.
func (o *Owner) ServePut(r fabric.Request) (int, error) {
	to, data, err := o.reach(r.Body)
	if err == nil && int64(len(data)) != to.target.N {
		err = errMalformed
	}
	if err == nil {
		err = to.each(func(run []byte, _ uint64) error {
			moveBytes(run, data, run)
			data = data[len(run):]
			return nil
		})
	}
	return answer(r, err)
}

// moveBytes copies as many bytes as to has. Words that are aligned in the run of this process are
// copied as a whole.
func moveBytes(to, from, run []byte) {
	fabric.MoveWords(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), uint64(len(to)), unsafe.Pointer(unsafe.SliceData(run)))
}

// ServeGet answers with the bytes of a get.
func (o *Owner) ServeGet(r fabric.Request) (int, error) {
	from, rest, err := o.reach(r.Body)
	if err == nil && (len(rest) > 0 || int64(len(r.Reply)) < codeBytes+from.target.N) {
		err = errMalformed
	}
	if err != nil {
		return answer(r, err)
	}
	r.Reply[0] = 0
	to := r.Reply[codeBytes:]
	err = from.each(func(run []byte, _ uint64) error {
		moveBytes(to[:len(run)], run, run)
		to = to[len(run):]
		return nil
	})
	return codeBytes + int(from.target.N), err
}

// ServeAccumulate executes an accumulate.
func (o *Owner) ServeAccumulate(r fabric.Request) (int, error) {
	return answer(r, o.accumulate(r.Body))
}

func (o *Owner) accumulate(b []byte) error {
	if len(b) < accumulateHead || !element.Type(b[0]).Valid() {
		return errMalformed
	}
	kind, scale := element.Type(b[0]), element.Scale(b[8:accumulateHead])
	to, data, err := o.reach(b[accumulateHead:])
	if err != nil {
		return err
	}
	locks := o.locks.Load()
	switch {
	case int64(len(data)) != to.target.N:
		return errMalformed
	case locks == nil:
		return world.ErrState
	}
	a := adder{pageLock{locks: locks, over: o.process.Lifecycle.Alive}, kind, &scale}
	defer a.lock.release()
	return to.each(func(run []byte, pos uint64) error {
		if int64(len(run))%kind.Size() != 0 {
			return errMalformed
		}
		n := len(run)
		err := a.add(unsafe.Pointer(unsafe.SliceData(run)), pos, data[:n])
		data = data[n:]
		return err
	})
}

// flagBytes is the length of a request to store a flag: position and value.
const flagBytes = 8 + 4

// ServeFlag stores a flag.
func (o *Owner) ServeFlag(r fabric.Request) (int, error) {
	if len(r.Body) != flagBytes {
		return answer(r, errMalformed)
	}
	pos := binary.LittleEndian.Uint64(r.Body)
	at := o.Here(pos, 4)
	if at == nil || pos%4 != 0 {
		return answer(r, world.ErrAddress)
	}
	atomic.StoreUint32((*uint32)(at), binary.LittleEndian.Uint32(r.Body[8:]))
	return answer(r, nil)
}
