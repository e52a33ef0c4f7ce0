package couple

import (
	"reflect"

	"github.com/goacp/goacp/internal/system/couple/flow"
)

// WithLimits returns options whose messages have other limits for remote zero copy.
func WithLimits(o Options, l flow.Limits) Options {
	o.limits = l
	return o
}

// RemoteZeroCopied returns how many bytes a receiver has got by remote zero copy. It reads an unexported field of
// link.Receiver, which only this test needs.
func RemoteZeroCopied(r *Receiver) uint64 {
	return reflect.ValueOf(r.core).Elem().FieldByName("remoteCopied").Uint()
}
