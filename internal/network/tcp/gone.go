package tcp

// Gone implements driver.Forgetter: it ends the link to a member that is gone. Operations under way there end. The link may
// have ended before this process has learnt that the run goes on without the member.
func (t *Transport) Gone(member int) {
	l := t.peers.Load(member)
	if l == nil {
		return
	}
	l.abort()
	l.mu.Lock()
	dead := l.state == stateDead
	l.mu.Unlock()
	if dead {
		t.forget(l)
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
