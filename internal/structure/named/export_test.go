package named

// Waiting returns how many requests wait at this process.
func Waiting(v *Values) (n int) {
	v.own.mu.Lock()
	defer v.own.mu.Unlock()
	for _, of := range v.own.entries {
		n += len(of.waiting)
	}
	return n
}

// Count returns how many names this process has.
func Count(v *Values) int {
	v.own.mu.Lock()
	defer v.own.mu.Unlock()
	return len(v.own.entries)
}
