package segbuf

// Head returns how many segments have been given back, in the view of this end, modulo their number. Fails as
// Disconnect does.
func (e *End) Head() (int, error) {
	if err := e.ready(); err != nil {
		return 0, err
	}
	head, _ := e.counters()
	return int(head % e.count), nil
}

// Tail is Head for segments that have been published.
func (e *End) Tail() (int, error) {
	if err := e.ready(); err != nil {
		return 0, err
	}
	_, tail := e.counters()
	return int(tail % e.count), nil
}

// IsReady reports whether a segment may be filled, in the view of this end. Fails as Disconnect does.
func (e *End) IsReady() (bool, error) {
	if err := e.ready(); err != nil {
		return false, err
	}
	head, tail := e.counters()
	return e.free(head, tail), nil
}

// IsAcked reports whether a segment is published and not given back, in the view of this end. Fails as
// Disconnect does.
func (e *End) IsAcked() (bool, error) {
	if err := e.ready(); err != nil {
		return false, err
	}
	head, tail := e.counters()
	return tail > head, nil
}

// free reports whether the segment behind the tail may be filled: it has been given back, and, at a source,
// its copy has ended. A segment that has been given back has been copied, but the completion of the copy may
// be reported later.
func (e *End) free(head, tail int64) bool {
	return tail-head < e.count && (!e.source || tail-e.sent.number.Load() < e.count)
}
