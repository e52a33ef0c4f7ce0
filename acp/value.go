package acp

import "github.com/goacp/goacp/internal/structure/named"

// The greatest length of the name of a named value, and of the value, in bytes.
const (
	MaxValueName = named.MaxName
	MaxValue     = named.MaxValue
)

// PutValue replaces the value of a name and returns its version. The first value of a name has version 1, and
// each one after it the next. All ranks may put values of all names; the last one stays. Reset and Finalize
// forget all values. Named values are for small records that other ranks look up: a handle, an address, a
// configuration, a command.
//
// Fails with ErrBadSize for an empty name, and if the name has more than MaxValueName or the value
// more than MaxValue bytes. Any rank. Blocks for one round trip.
func (p *Process) PutValue(name string, value []byte) (version uint64, err error) {
	if err := p.alive(); err != nil {
		return 0, p.lifeError("put of a value", err)
	}
	version, err = p.values.Put(p.mem, name, value)
	return version, p.lifeError("put of a value", err)
}

// GetValue returns the value of a name and its version. Version 0 says that there is none. The slice
// belongs to the caller.
//
// Fails as PutValue does. Any rank. Blocks for one round trip, or two if the value has more than 512
// bytes.
func (p *Process) GetValue(name string) (value []byte, version uint64, err error) {
	if err := p.alive(); err != nil {
		return nil, 0, p.lifeError("get of a value", err)
	}
	value, version, err = p.values.Get(p.mem, name)
	return value, version, p.lifeError("get of a value", err)
}

// WaitValue is GetValue that waits until the value of the name has a version, or a later one. Version 1 is
// the first value. A rank that has read version v passes v+1 to wait for a newer value.
//
// Fails as PutValue does, and with ErrPeerDead when the run is over. Any rank. Blocks until the value
// is there. It does not poll: the rank that has the value answers when it comes.
func (p *Process) WaitValue(name string, version uint64) (value []byte, got uint64, err error) {
	if err := p.alive(); err != nil {
		return nil, 0, p.lifeError("wait for a value", err)
	}
	value, got, err = p.values.Wait(p.ctx, p.mem, name, version)
	return value, got, p.lifeError("wait for a value", err)
}
