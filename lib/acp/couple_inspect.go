//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"time"

	"github.com/goacp/goacp/acp"
)

// store writes a value to memory of the program, unless that is nil.
func store[T any](to *T, value T) {
	if to != nil {
		*to = value
	}
}

// secondsOf returns a time as C has it.
func secondsOf(d time.Duration) C.double { return C.double(d.Seconds()) }

//export goacp_query_model_times
func goacp_query_model_times(number C.uintptr_t, computed, waited *C.double) C.int {
	return doCoupled(func(*acp.Process) error {
		m, err := find(&lib.coupling.models, "model", number)
		if err != nil {
			return err
		}
		c, w := m.Times()
		store(computed, secondsOf(c))
		store(waited, secondsOf(w))
		return nil
	})
}

// waits is an end of a link that knows how long it has waited.
type waits interface {
	Waited() (messages uint64, waited time.Duration)
}

//export goacp_query_link_times
func goacp_query_link_times(number C.uintptr_t, messages *C.int64_t, waited *C.double) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return err
		}
		var end waits
		if l.watcher != nil {
			end = l.watcher
		} else if end, err = l.transfers(); err != nil {
			return err
		}
		n, w := end.Waited()
		store(messages, C.int64_t(n))
		store(waited, secondsOf(w))
		return nil
	})
}

//export goacp_record_link
func goacp_record_link(number C.uintptr_t, file *C.char, every C.int) C.int {
	return timedLink(number, func(l *coupledLink) error {
		end, err := l.transfers()
		if err != nil {
			return err
		}
		name, err := text("file", file)
		if err != nil {
			return err
		}
		return end.Record(name, int(every))
	})
}
