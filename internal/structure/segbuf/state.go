package segbuf

import (
	"errors"

	"github.com/goacp/goacp/internal/access/global"
)

// The states of an end.
const (
	waiting int32 = iota
	connected
	disconnected
	freed
)

// usable returns the reason why this end cannot be used, or nil.
func (e *End) usable() error {
	if err := e.s.mem.Alive(); err != nil {
		return err
	}
	if e.state.Load() == freed || e.life != e.s.life.Load() {
		return global.ErrDestroyed
	}
	return nil
}

// connection returns the reason why this end can neither send nor receive, or nil.
func (e *End) connection() error {
	if err := e.failed.Load(); err != nil {
		return *err
	}
	switch e.state.Load() {
	case waiting:
		return ErrNotConnected
	case disconnected:
		return ErrDisconnected
	}
	return nil
}

// ready returns the error of usable, or else that of connection.
func (e *End) ready() error {
	if err := e.usable(); err != nil {
		return err
	}
	return e.connection()
}

// readyAs is ready for an operation of a source only, or of a destination only.
func (e *End) readyAs(source bool) error {
	if err := e.usable(); err != nil {
		return err
	}
	if e.source != source {
		return global.ErrNotEndpoint
	}
	return e.connection()
}

// fail makes this end unusable. The first error counts. A destination whose source has disconnected before its process was gone keeps
// the segments that have come.
func (e *End) fail(err error) {
	if errors.Is(err, global.ErrRankGone) {
		e.gone.Store(true)
		if e.left.Load() && !e.source {
			return
		}
	}
	e.failed.CompareAndSwap(nil, &err)
}
