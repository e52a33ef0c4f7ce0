package global

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Input holds the bytes that go into an operation, where the operation can read them. Bring
// fills it, and Release ends its use.
type Input struct {
	Data, More []byte
	Block      am.Block // where the operation finds them if Data and More do not hold them

	m       *Memory
	entered bool
	epoch   uint32
	block   uint64 // to be freed; ga.Null if there is none
}

// Bring brings the bytes of data and more to where an operation at member can read them. If
// the operation reaches them where they are, they stay there. Otherwise short ones go with the
// message, and long ones straight to a block in the heap of member. The caller runs the
// operation at once and then calls Release: Unregister may have to wait until then.
func (in *Input) Bring(m *Memory, member int, data, more ga.Span) error {
	in.m = m
	if (m.Registered(data.GA) || m.Registered(more.GA)) && m.HeapView(member) != nil {
		// A near operation waits for no agent, and takes the bytes from where they are.
		in.entered, in.epoch = true, m.space.Enter()
	}
	if in.view(data, more) {
		return nil
	}
	var err error
	// The sizes come from the program. Their sum may overflow.
	if data.N <= am.MaxData && more.N <= am.MaxData-data.N {
		b := make([]byte, data.N+more.N)
		in.Data, in.More = b[:data.N:data.N], b[data.N:]
		err = errors.Join(m.Get(in.Data, data.GA), m.Get(in.More, more.GA))
	} else {
		err = in.stage(member, data, more)
	}
	if err != nil {
		return in.Release(err)
	}
	return nil
}

// view finds the bytes if this process reaches them by loads.
func (in *Input) view(data, more ga.Span) bool {
	var ok1, ok2 bool
	if in.entered {
		in.Data, ok1 = in.m.ViewEntered(data)
		in.More, ok2 = in.m.ViewEntered(more)
	} else {
		in.Data, ok1 = in.m.View(data)
		in.More, ok2 = in.m.View(more)
	}
	return ok1 && ok2
}

// stage brings the bytes into a block of the heap of member.
func (in *Input) stage(member int, data, more ga.Span) (err error) {
	m := in.m
	in.Data, in.More = nil, nil
	if data.N > ga.MaxPos || more.N > ga.MaxPos {
		return fmt.Errorf("%w: %d bytes at %#x and %d at %#x", ErrBadAddress, data.N, data.GA, more.N, more.GA)
	}
	if in.block, err = m.Alloc(member, data.N+more.N); err != nil {
		return err
	}
	if err := errors.Join(m.Move(in.block, data), m.Move(in.block+data.N, more)); err != nil {
		return err
	}
	view := m.HeapView(member)
	if view == nil {
		in.Block = am.Block{GA: in.block, Data: data.N, More: more.N}
		return nil
	}
	b, err := view.Bytes(in.block, data.N+more.N)
	if err == nil {
		in.Data, in.More = b[:data.N:data.N], b[data.N:]
	}
	return Cause(err)
}

// Release ends the use of the Input: it leaves the space and frees the block, if there is one.
// It returns err, the outcome of the operation, joined with its own failure.
func (in *Input) Release(err error) error {
	if in.entered {
		in.m.space.Leave(in.epoch)
		in.entered = false
	}
	if in.block == ga.Null {
		return err
	}
	block := in.block
	in.block = ga.Null
	return errors.Join(err, in.m.Free(block))
}
