package named

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/am"
)

// The greatest length of a name and of a value, in bytes.
const (
	MaxName  = 255
	MaxValue = 32 << 10
)

// Values is the part of one process in the named values of a run. Its methods may be called by
// several goroutines at once.
type Values struct {
	own   store
	waits atomic.Uint64 // ids given out
}

// Operations returns the requests that other processes may send.
func (v *Values) Operations() []am.Operation {
	return []am.Operation{
		{Op: opPut, Name: "put of a named value", Serve: v.own.serve(put)},
		{Op: opGet, Name: "get of a named value", Serve: v.own.serve(get)},
		{Op: opWait, Name: "wait for a named value", Serve: v.own.serve(await)},
		{Op: opGiveUp, Name: "end of a wait for a named value", Serve: v.own.serve(giveUp)},
	}
}

// Gone drops the waits of a member that has left the run or is lost. It is the Gone of a lifecycle.Structure.
func (v *Values) Gone(member int) { v.own.gone(member) }

// Forget drops all values. It is the Forget of a lifecycle.Structure.
func (v *Values) Forget() { v.own.forget() }

// check returns an error if the name or the value has an invalid length.
func check(name string, value []byte) error {
	switch {
	case name == "" || len(name) > MaxName:
		return fmt.Errorf("%w: the name of a value has 1 to %d bytes, and this one %d", global.ErrBadSize, MaxName, len(name))
	case len(value) > MaxValue:
		return fmt.Errorf("%w: a named value has at most %d bytes, and this one %d", global.ErrBadSize, MaxValue, len(value))
	}
	return nil
}

// hash returns the number that selects the owner of a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// owner returns the member that has the value of a name: one that stays until the end of the run.
func owner(m *global.Memory, name string) int { return int(hash(name) % uint64(m.Permanent())) }

// Put replaces the value of a name and returns its version. Fails with global.ErrBadSize, and if the
// run is over. Blocks for one round trip.
func (v *Values) Put(m *global.Memory, name string, value []byte) (version uint64, err error) {
	if err := check(name, value); err != nil {
		return 0, err
	}
	if m.Detaches() {
		value = bytes.Clone(value)
		return global.Detached(m, []uint64{hash(name)}, func(m *global.Memory) (uint64, error) { return v.Put(m, name, value) }, nil)
	}
	b := make([]byte, answerHead)
	r := request{name: name, value: value}
	n, err := m.Call(owner(m, name), opPut, r.encode(), b)
	if err == nil {
		version, _, _, err = decodeAnswer(b[:n], 0)
	}
	return version, global.Cause(err)
}

// found is a value with its version.
type found struct {
	value   []byte
	version uint64
}

// Get returns the value of a name and its version, which is 0 if there is none. The value belongs to
// the caller. Fails as Put does. Blocks for one round trip, and for another one if the value is long.
func (v *Values) Get(m *global.Memory, name string) (value []byte, version uint64, err error) {
	if err := check(name, nil); err != nil {
		return nil, 0, err
	}
	read := func(m *global.Memory) (found, error) {
		return readAll(func(b []byte) (int, error) {
			return m.Call(owner(m, name), opGet, (&request{name: name}).encode(), b)
		})
	}
	var f found
	if m.Detaches() {
		f, err = global.Detached(m, []uint64{hash(name)}, read, nil)
	} else {
		f, err = read(m)
	}
	return f.value, f.version, global.Cause(err)
}

// Wait is Get when the value has a version, or a later one. Version 0 stands for 1, the first value. Blocks
// until then. Fails as Put does, with the error of ctx, and with global.ErrDestroyed if the values are
// dropped meanwhile.
func (v *Values) Wait(ctx context.Context, m *global.Memory, name string, version uint64) (value []byte, got uint64, err error) {
	if err := check(name, nil); err != nil {
		return nil, 0, err
	}
	f, err := readAll(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		r := request{number: version, id: v.waits.Add(1), name: name}
		return m.CallUntil(ctx, owner(m, name), opWait, r.encode(), b, activity.For(activity.Value), func(messenger fabric.Messenger) {
			end := request{number: r.id, name: name}
			messenger.Call(owner(m, name), uint16(opGiveUp), end.encode(), make([]byte, answerHead), ignored{})
		})
	})
	if err == nil && f.version == 0 {
		err = global.ErrDestroyed
	}
	return f.value, f.version, global.Cause(err)
}

// ignored is the completion of a request whose outcome does not matter.
type ignored struct{}

// Complete implements fabric.Completion.
func (ignored) Complete(uint64, error) {}

// firstCapacity is how many bytes of a value the first answer may have.
const firstCapacity = 512

// readAll requests a value, and requests it again with more capacity if needed. ask writes an answer to b and
// returns its length.
func readAll(ask func(b []byte) (int, error)) (found, error) {
	for capacity := firstCapacity; ; {
		b := make([]byte, answerHead+capacity)
		n, err := ask(b)
		if err != nil {
			return found{}, err
		}
		version, size, value, err := decodeAnswer(b[:n], capacity)
		if err != nil || size <= capacity {
			return found{value, version}, err
		}
		capacity = size
	}
}
