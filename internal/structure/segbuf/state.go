package segbuf

import "github.com/goacp/goacp/internal/access/global"

// The states of an end.
const (
	waiting int32 = iota
	connected
	disconnected
	freed
)

// usable returns why nothing can be done with this end, or nil.
func (e *End) usable() error {
	if err := e.s.mem.Alive(); err != nil {
		return err
	}
	if e.state.Load() == freed || e.life != e.s.life.Load() {
		return global.ErrDestroyed
	}
	return nil
}

// connection returns why nothing can be sent or received, or nil.
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

// ready returns what usable or connection does.
func (e *End) ready() error {
	if err := e.usable(); err != nil {
		return err
	}
	return e.connection()
}

// readyAs is ready for what only a source does, or only a destination.
func (e *End) readyAs(source bool) error {
	if err := e.usable(); err != nil {
		return err
	}
	if e.source != source {
		return global.ErrNotEndpoint
	}
	return e.connection()
}

// fail makes this end be of no further use. The first error counts.
func (e *End) fail(err error) { e.failed.CompareAndSwap(nil, &err) }
