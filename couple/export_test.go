package couple

import "github.com/goacp/goacp/internal/system/couple/flow"

// WithLimits returns options whose messages have other limits for remote zero copy.
func WithLimits(o Options, l flow.Limits) Options {
	o.limits = l
	return o
}

// RemoteZeroCopied returns how many bytes a receiver has got by remote zero copy.
func RemoteZeroCopied(r *Receiver) uint64 {
	_, remote := r.core.ZeroCopied()
	return remote
}
