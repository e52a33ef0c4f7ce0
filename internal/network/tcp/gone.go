package tcp

// Gone implements driver.Forgetter: it ends the link to a member that is gone. Operations under way there end.
func (t *Transport) Gone(member int) {
	if l := t.peers.Load(member); l != nil {
		l.abort()
	}
}

// forget takes the link to a member that is gone, which is dead, out of the table. An operation that follows gets
// the error of Check, or dials in vain.
func (t *Transport) forget(l *link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers.Load(l.peer) == l {
		t.peers.Store(l.peer, nil)
	}
}
