package couple

// RemoteZeroCopied returns how many bytes a receiver has got by remote zero copy.
func RemoteZeroCopied(r *Receiver) uint64 {
	_, remote := r.core.ZeroCopied()
	return remote
}
